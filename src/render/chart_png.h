/* Charts as PNG: the painter of src/plot, with the font of the pictures. */
#ifndef RNI_RENDER_CHART_PNG_H
#define RNI_RENDER_CHART_PNG_H

#include "plot/painter.h"
#include "render/vector.h"

/* Pixels of the picture for one of the chart. */
#define RNI_CHART_PNG_SCALE 2u

/* Zero but for the path, which must stay. */
typedef struct rni_chart_png {
    const char *path;
    uint32_t width, height; /* pixels */
    rni_vec *image;         /* linear light, a color a pixel; from malloc */
} rni_chart_png;

/* Draws into png and writes its file at the end of the chart: complete, or not at all. */
rni_painter rni_chart_png_painter(rni_chart_png *png);
void rni_chart_png_release(rni_chart_png *png);

#endif
