/* Walls: where the water must end, and which share of a kernel is behind them. */
#include "surface/surface.h"

#include <math.h>

static bool has_domain(const rn_surface_points *points)
{
    for (uint32_t k = 0; k < 3; k++)
        if (points->domain_low[k] < points->domain_high[k]) return true;
    return false;
}

uint32_t rni_surface_walls_near(const rn_surface_points *points, const float x[3], float reach,
                                float distance[RN_SURFACE_MAX_WALLS + 6])
{
    uint32_t count = 0;
    if (has_domain(points))
        for (uint32_t k = 0; k < 3; k++) {
            float low = x[k] - points->domain_low[k];
            float high = points->domain_high[k] - x[k];
            if (points->domain_wall[2 * k] && low < reach) distance[count++] = low;
            if (points->domain_wall[2 * k + 1] && high < reach) distance[count++] = high;
        }
    if (points->walls) {
        uint32_t found = points->walls(points->walls_user, x, reach, distance + count);
        count += found < RN_SURFACE_MAX_WALLS ? found : RN_SURFACE_MAX_WALLS;
    }
    return count;
}

/* The integral of (1 - u^2)^4, to which the kernel sums up in planes parallel to the wall. */
float rni_surface_wall_share(float u)
{
    if (u >= 1) return 1;
    if (u <= -1) return 0;
    float q = u * u;
    float odd = 1 + q * (-4.0f / 3 + q * (6.0f / 5 + q * (-4.0f / 7 + q / 9)));
    return 0.5f + 315.0f / 256 * u * odd;
}

float rni_surface_walls_share(const rn_surface_points *points, const float x[3], float radius,
                              float *least)
{
    float distance[RN_SURFACE_MAX_WALLS + 6];
    uint32_t count = rni_surface_walls_near(points, x, radius, distance);
    float share = 1;
    *least = radius;
    for (uint32_t w = 0; w < count; w++) {
        share *= rni_surface_wall_share(distance[w] / radius);
        if (distance[w] < *least) *least = distance[w];
    }
    return share;
}

bool rni_block_is_near_wall(const rn_surface *s, const rni_block *block, float reach)
{
    float center[3];
    float half_sq = 0;
    float distance[RN_SURFACE_MAX_WALLS + 6];
    rni_block_origin(s, block->key, center);
    for (uint32_t k = 0; k < 3; k++) {
        center[k] += 0.5f * s->grid.edge[k];
        half_sq += 0.25f * s->grid.edge[k] * s->grid.edge[k];
    }
    return rni_surface_walls_near(&s->points, center, sqrtf(half_sq) + reach, distance) > 0;
}
