/* The pictures and pages of `runnel demo`. */
#ifndef RNI_CLI_DEMO_H
#define RNI_CLI_DEMO_H

#include "bench/wave.h"

#include <runnel/search.h>

/* The result of one method. */
typedef struct rni_demo_row {
    const char *method;
    bool is_default;
    uint32_t points; /* fewer than the wave has for methods that test every pair */
    uint64_t pairs;  /* each once */
    double ms;       /* the fastest complete update */
    double ns_per_point;
} rni_demo_row;

/* points.svg: a slice through the wave, every point coloured by its neighbours, and a lens on one
 * of them. */
rn_result rni_demo_draw_points(const char *path, const rni_wave *wave, float radius,
                               const rn_neighbors *n);
/* neighbors.svg: bars, time per point. */
rn_result rni_demo_draw_methods(const char *path, const rni_demo_row *rows, uint32_t row_count,
                                const char *subtitle);
rn_result rni_demo_write_csv(const char *path, const rni_demo_row *rows, uint32_t row_count);
/* index.html: shows both pictures with a caption. */
rn_result rni_demo_write_page(const char *path, const rni_wave *wave, const rni_demo_row *rows,
                              uint32_t row_count);

#endif
