/* Who is behind a wall: in double, from the definitions alone, without the functions that the step
 * uses to keep everyone in. */
#include "fluid/walls.h"

#include "base/pi.h"

#include <math.h>

static double plane_distance(const rn_solid *s, const double d[3])
{
    double length = 0, along = 0;
    for (int a = 0; a < 3; a++) {
        length += (double)s->axis[a] * (double)s->axis[a];
        along += (double)s->axis[a] * d[a];
    }
    return along / sqrt(length);
}

/* Undoes the turns one by one, the last first. */
static double box_distance(const rn_solid *s, const double from_center[3], uint32_t dim)
{
    double d[3] = {from_center[0], from_center[1], from_center[2]};
    for (int axis = 2; axis >= 0; axis--) {
        double angle = -(double)s->turn[axis] * (RNI_PI / 180);
        int p = (axis + 1) % 3, q = (axis + 2) % 3;
        double u = d[p], v = d[q];
        d[p] = cos(angle) * u - sin(angle) * v;
        d[q] = sin(angle) * u + cos(angle) * v;
    }
    double outside_sq = 0, least = -HUGE_VAL;
    for (uint32_t a = 0; a < dim; a++) {
        double over = fabs(d[a]) - (double)s->half[a];
        least = fmax(least, over);
        if (over > 0) outside_sq += over * over;
    }
    return outside_sq > 0 ? sqrt(outside_sq) : least;
}

static double cylinder_distance(const rn_solid *s, const double d[3])
{
    double along = plane_distance(s, d);
    double radial = sqrt(fmax(0, d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along));
    double over_r = radial - (double)s->radius, over_a = fabs(along) - (double)s->half[0];
    if (over_r > 0 && over_a > 0) return sqrt(over_r * over_r + over_a * over_a);
    return fmax(over_r, over_a);
}

static double solid_distance(const rn_solid *s, const float position[3], uint32_t dim)
{
    double d[3], distance = 0;
    for (int a = 0; a < 3; a++) d[a] = (double)position[a] - (double)s->center[a];
    if (dim == 2) d[2] = 0;
    switch (s->shape) {
    case RN_SOLID_PLANE: return plane_distance(s, d);
    case RN_SOLID_BOX: distance = box_distance(s, d, dim); break;
    case RN_SOLID_SPHERE:
        distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - (double)s->radius;
        break;
    case RN_SOLID_CYLINDER: distance = cylinder_distance(s, d); break;
    }
    return s->is_hollow ? -distance : distance;
}

double rn_fluid_get_wall_distance(const rn_fluid *fluid, const float position[3])
{
    const rn_fluid_def *def = &fluid->def;
    double least = HUGE_VAL;
    for (uint32_t a = 0; a < def->dim; a++) {
        if (!def->periodic[a] && !def->open[a][0])
            least = fmin(least, (double)position[a] - (double)def->domain_low[a]);
        if (!def->periodic[a] && !def->open[a][1])
            least = fmin(least, (double)def->domain_high[a] - (double)position[a]);
    }
    for (uint32_t k = 1; k < fluid->walls->solid_count; k++) {
        const rni_solid_ready *s = &fluid->walls->solids[k];
        if (!s->is_gone) least = fmin(least, solid_distance(&s->def, position, def->dim));
    }
    return least;
}

uint32_t rn_fluid_get_escaped_count(const rn_fluid *fluid)
{
    uint32_t count = 0;
    double depth = -0.01 * (double)fluid->def.spacing;
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const float *x = fluid->now.position[i], *v = fluid->now.velocity[i];
        bool is_finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite(v[0]) &&
                         isfinite(v[1]) && isfinite(v[2]);
        count += !is_finite || rn_fluid_get_wall_distance(fluid, x) < depth;
    }
    return count;
}
