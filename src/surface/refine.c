/* The level again, where the mesh tells that the first choice was wrong: level.c counts boxes of the grid, which single
 * drops and threads of water are hardly larger than. Halves an interval of levels, with a secant inside it. */
#include "surface/surface.h"

#include <math.h>

/* Levels that are tried; beyond them the spacing is wrong or the particles are not of water. */
#define LOWEST   0.2f
#define HIGHEST  0.9f
#define CLOSE    0.08 /* share of the volume that the shift along the normals may give back */
#define ATTEMPTS 6u

/* Where the volume should be met: straight between the ends, but not closer to one of them than a sixth. */
static float between(float low, float high, double low_gap, double high_gap)
{
    float place = (float)(low_gap / (low_gap - high_gap));
    return low + (high - low) * fminf(fmaxf(place, 1.0f / 6), 5.0f / 6);
}

rn_result rni_surface_refine_level(rn_surface *s)
{
    double spacing = (double)s->points.spacing;
    double wanted = spacing * spacing * spacing * s->points.count;
    float low = LOWEST, high = HIGHEST; /* too much, too little volume */
    double low_gap = 1, high_gap = -1; /* shares; the ends are guesses until they have been tried */
    for (uint32_t n = 0; n < ATTEMPTS && s->def.keep_volume; n++) {
        double found;
        if (rni_surface_measure(s, &found)) return RN_ERROR_MEMORY;
        double gap = found / wanted - 1;
        if (fabs(gap) <= CLOSE) break;
        if (gap > 0) low = s->level, low_gap = gap;
        else high = s->level, high_gap = gap;
        if (!(high - low > 0.01f)) break;
        s->level = between(low, high, low_gap, high_gap);
        rn_result result = rni_surface_extract(s);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}
