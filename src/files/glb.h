/* The container of binary glTF: its JSON, its buffer, and accessors into it, checked against the bytes that are there. */
#ifndef RNI_FILES_GLB_H
#define RNI_FILES_GLB_H

#include "files/reader.h"
#include "files/stored.h"

#include <jansson.h>

typedef struct rni_glb {
    const rni_reader *reader;
    json_t *root;
    const unsigned char *buffer; /* the binary chunk; NULL: none */
    size_t buffer_bytes;
} rni_glb;

/* A place in the JSON, for messages: "meshes[2].primitives[0]". */
typedef struct rni_glb_path {
    const char *list;
    size_t number;
    const char *sub; /* NULL: none */
    size_t sub_number;
} rni_glb_path;

/* Numbers in the buffer: `count` elements of `width` numbers each. */
typedef struct rni_glb_accessor {
    const unsigned char *bytes; /* NULL: all are 0 */
    size_t stride_bytes;
    uint64_t count;
    uint32_t width;
    rni_stored type;
    bool is_normalized; /* integers stand for 0 .. 1 */
} rni_glb_accessor;

/* Checks header and chunks, and that no required extension changes the geometry. The caller closes *glb, also on
 * failure. */
rn_result rni_glb_open(const rni_reader *reader, rni_glb *glb);
void rni_glb_close(rni_glb *glb);

/* "FILE: meshes[2].primitives[0]: WHAT WRONG". */
rn_result rni_glb_fail(const rni_glb *glb, rni_glb_path path, const char *what, const char *wrong);

/* root[list][number], or NULL. */
const json_t *rni_glb_item(const rni_glb *glb, const char *list, uint64_t number);
/* A whole number of an object; *value is unchanged if the key is missing. */
rn_result rni_glb_whole(const rni_glb *glb, rni_glb_path path, const json_t *object,
                        const char *key, uint64_t *value);
/* An array of finite numbers; values are unchanged if the key is missing. */
rn_result rni_glb_numbers(const rni_glb *glb, rni_glb_path path, const json_t *object,
                          const char *key, size_t count, double *value);

/* The accessor whose number is object[key]. */
rn_result rni_glb_accessor_open(const rni_glb *glb, rni_glb_path path, const json_t *object,
                                const char *key, rni_glb_accessor *accessor);
/* Number `axis` of an element below count. */
double rni_glb_value(const rni_glb_accessor *accessor, uint64_t element, uint32_t axis);

#endif
