/* Radiographs.
 *
 * Job:    path lengths per material along the ray of every pixel, then intensities, then a picture.
 * Order:  begin (view) -> add particles, meshes, films, volumes, in any order -> expose (spectrum.c makes the
 *         photons; exposure.c, scatter and noise) -> show (display.c).
 * Rules:  the source is the origin; x to the right, y up, w along the central ray, m. A ray is (x, y, 1) per w.
 *         Rows of the picture run from the top. Work is written by bands of rows, never by worker.
 * Next:   xray.c (life, view), bands.c (which object is in which band), particles.c, meshes.c, volume.c,
 *         exposure.c, blur.c, display.c.
 */
#ifndef RNI_XRAY_XRAY_H
#define RNI_XRAY_XRAY_H

#include "base/error.h"
#include "base/parallel.h"
#include "mesh/record_table.h"

#include <runnel/xray.h>

#define RNI_XRAY_BAND 16u /* rows of pixels */

/* Rows that an object may touch; low > high: none. */
typedef struct rni_xray_rows {
    int32_t low, high;
} rni_xray_rows;

/* A vertex or a particle as the source sees it. */
typedef struct rni_xray_place {
    double x, y, w; /* m */
} rni_xray_place;

struct rn_xray {
    rni_memory memory; /* first: rni_memory_begin() */
    rn_xray_def def;
    rni_crew *crew;

    bool has_view, has_picture;
    rn_xray_view view;
    double source[3], right[3], up[3], ahead[3]; /* m; unit vectors */
    double reach;                                /* m: from the source to the detector */
    double pixel[2];                             /* width and height of a pixel per unit of w */
    uint32_t band_count;
    uint64_t odd_rays;

    bool is_used[RN_XRAY_MATERIALS];
    rni_buffer length[RN_XRAY_MATERIALS]; /* m, by pixel */

    rni_buffer place, rows;       /* of vertices or particles; rows of objects */
    rni_buffer moved;             /* normals of the vertices of a film */
    rni_buffer welded;            /* of each of them, the first vertex at the same place */
    rni_record_table vertices;    /* finds those */
    rni_buffer band_start, band;  /* numbers of the objects in each band */
    rni_buffer scratch;           /* of each worker */
    rni_buffer row_sum, row_odd;  /* results by row or band */
    rni_buffer energy, signal;    /* of the last exposure */
    rni_buffer quantum;           /* mean energy of an absorbed photon, weighted by it */
    rni_buffer blurred[2], small; /* of blurs */
    double open_signal;
};

static inline size_t rni_xray_pixels(const rn_xray *x)
{
    return (size_t)x->view.width * x->view.height;
}

/* In the coordinates of the source. */
static inline rni_xray_place rni_xray_see(const rn_xray *x, const float p[3])
{
    const double d[3] = {(double)p[0] - x->source[0], (double)p[1] - x->source[1],
                         (double)p[2] - x->source[2]};
    return (rni_xray_place){d[0] * x->right[0] + d[1] * x->right[1] + d[2] * x->right[2],
                            d[0] * x->up[0] + d[1] * x->up[1] + d[2] * x->up[2],
                            d[0] * x->ahead[0] + d[1] * x->ahead[1] + d[2] * x->ahead[2]};
}

/* Column and row of a ray (x, y, 1); the middle of the first pixel is 0.5, 0.5. */
static inline double rni_xray_column(const rn_xray *x, double ray)
{
    return ray / x->pixel[0] + 0.5 * x->view.width;
}
static inline double rni_xray_row(const rn_xray *x, double ray)
{
    return 0.5 * x->view.height - ray / x->pixel[1];
}

/* The ray through a place of the picture, in pixels. */
static inline void rni_xray_ray(const rn_xray *x, double column, double row, double ray[2])
{
    ray[0] = (column - 0.5 * x->view.width) * x->pixel[0];
    ray[1] = (0.5 * x->view.height - row) * x->pixel[1];
}

/* Checks the part, and makes its path lengths ready. */
rn_result rni_xray_prepare(rn_xray *x, rn_xray_part part);
/* Adds a length to the pixel of the part. */
static inline void rni_xray_add(rn_xray *x, rn_xray_part part, size_t pixel, float length)
{
    ((float *)x->length[part.material].data)[pixel] += length;
    if (part.replaces != RN_XRAY_NOTHING) ((float *)x->length[part.replaces].data)[pixel] -= length;
}

/* Whether a place is well between source and detector. */
rn_result rni_xray_check_place(const rn_xray *x, const rni_xray_place *place, const char *what,
                               uint32_t index);

/* Sorts objects into bands by their rows, in ascending order within a band. */
rn_result rni_xray_fill_bands(rn_xray *x, const rni_xray_rows *rows, uint32_t count);

/* Blurs `picture` in place by a Gaussian with these standard deviations in pixels along x and y. Beyond the edge a
 * picture goes on as its edge. */
rn_result rni_xray_blur(rn_xray *x, float *picture, uint32_t width, uint32_t height,
                        const double sigma[2]);
/* The same for wide blurs, by way of a smaller picture; `from` and `to` may be the same. */
rn_result rni_xray_blur_wide(rn_xray *x, const float *from, float *to, const double sigma[2]);

#endif
