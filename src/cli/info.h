/* `runnel info`: describes a file, as lines of text or as one JSON object.
 *
 * Order:  info.c (which kind of file is it) -> info_files.c (particles, checkpoints, pictures),
 *         info_json.c (scenes, reports), info_folder.c (the folder of a run).
 * Rules:  files may be hostile. HDF5 files are not opened, because their library is not safe on such files.
 */
#ifndef RNI_CLI_INFO_H
#define RNI_CLI_INFO_H

#include "files/json.h"

#include <runnel/base.h>

#define RNI_INFO_START_BYTES 4096u

typedef struct rni_info {
    const char *path;
    uint64_t bytes;                                /* of the file */
    unsigned char start[RNI_INFO_START_BYTES + 1]; /* terminated */
    size_t start_bytes;
    bool is_folder, is_json;
    rni_json json;
} rni_info;

/* One fact each: a key, also used in JSON, and a value. Text is made printable. */
void rni_info_text(rni_info *info, const char *key, const char *value);
void rni_info_whole(rni_info *info, const char *key, uint64_t value);
void rni_info_number(rni_info *info, const char *key, double value, const char *unit);
void rni_info_hash(rni_info *info, const char *key, uint64_t value);
/* low .. high. */
void rni_info_range(rni_info *info, const char *key, const double *low, const double *high,
                    uint32_t count);

rn_result rni_info_vtp(rni_info *info);
rn_result rni_info_pvd(rni_info *info);
rn_result rni_info_h5(rni_info *info);
rn_result rni_info_h5_notes(rni_info *info);
rn_result rni_info_points(rni_info *info); /* PLY and the other point files */
rn_result rni_info_checkpoint(rni_info *info);
rn_result rni_info_png(rni_info *info);
rn_result rni_info_gauges(rni_info *info);
rn_result rni_info_json(rni_info *info); /* a scene or a report */
rn_result rni_info_folder(rni_info *info);

#endif
