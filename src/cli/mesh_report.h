/* What `runnel mesh` prints about a mesh. */
#ifndef RNI_CLI_MESH_REPORT_H
#define RNI_CLI_MESH_REPORT_H

#include "files/json.h"

#include <runnel/mesh.h>

#include <stdio.h>

/* Size, volume, and every fault with its first places. */
void rni_mesh_report_print(FILE *file, const rn_mesh_diagnosis *d, double spacing, bool has_texture);
/* The same as members of an object. */
void rni_mesh_report_json(rni_json *json, const rn_mesh_diagnosis *d, double spacing,
                          bool has_texture);

/* Opens and diagnoses; false: the sentence is in rn_last_error(). The caller destroys *data, also on failure. */
bool rni_mesh_open(const char *path, rn_mesh_data **data, const char **format);
bool rni_mesh_diagnose_all(const rn_mesh_data *data, double spacing, uint32_t threads,
                           rn_mesh_diagnosis *d);

#endif
