/* Thin walls in a boundary field: the backs of their triangles are not seen through them.
 *
 * The sum over all triangles is an integral over the solid: the back of a thin wall takes away what is behind it. Where
 * fluid in front of a wall does not feel fluid behind it, the wall has to count as all that it hides: that is the
 * flux through the triangles that face the point, without those seen from behind. */
#include "mesh/field_builder.h"

#include <math.h>

/* Nodes of a batch: eight of those that a block owns, x fastest. */
static void place_nodes(const double origin[3], double cell, uint32_t batch, rni_field_points *points)
{
    for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
        const uint32_t n = batch * RNI_FIELD_BATCH + l;
        const uint32_t at[3] = {n % RNI_FIELD_CELLS, n / RNI_FIELD_CELLS % RNI_FIELD_CELLS,
                                n / RNI_FIELD_PLANE};
        for (int a = 0; a < 3; a++) points->x[a][l] = origin[a] + cell * at[a];
    }
}

/* Bit l: point l is behind the triangle. */
static uint32_t points_behind(const rni_field_triangle *t, const rni_field_points *points)
{
    uint32_t bits = 0;
    for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
        double height = 0;
        for (int a = 0; a < 3; a++) height += (points->x[a][l] - t->corner[0][a]) * t->normal[a];
        bits |= (uint32_t)(height < 0) << l;
    }
    return bits;
}

static void add_lane(rni_field_sums *to, uint32_t k, const rni_field_sums *from, uint32_t l,
                     double sign)
{
    to->flux[k] += sign * from->flux[l];
    to->cover[k] += sign * from->cover[l];
    for (int a = 0; a < 3; a++) {
        to->gradient[a][k] += sign * from->gradient[a][l];
        to->cover_gradient[a][k] += sign * from->cover_gradient[a][l];
    }
    for (int n = 0; n < 6; n++) to->spread[n][k] += sign * from->spread[n][l];
}

void rni_field_backs_clear(rni_field_sums *backs)
{
    for (uint32_t batch = 0; batch < RNI_FIELD_OWN / RNI_FIELD_BATCH; batch++)
        rni_field_sums_clear(&backs[batch]);
}

bool rni_field_add_back(const rni_field *field, const rni_field_triangle *t, const double origin[3],
                        rni_field_sums *backs)
{
    const rni_field_add_fn add = rni_field_add_choose();
    bool has_any = false;
    for (uint32_t batch = 0; batch < RNI_FIELD_OWN / RNI_FIELD_BATCH; batch++) {
        rni_field_points points;
        rni_field_sums own;
        place_nodes(origin, (double)field->cell, batch, &points);
        const uint32_t behind = points_behind(t, &points);
        if (behind == 0) continue;
        rni_field_sums_clear(&own);
        add(&field->law, t, 1, &points, &own);
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++)
            if (behind >> l & 1) add_lane(&backs[batch], l, &own, l, 1);
        has_any = true;
    }
    return has_any;
}

/* In the solid all triangles are seen from behind: nothing is taken. */
void rni_field_leave_back(const rni_field_sums *backs, uint32_t lane, rni_field_sums *of)
{
    if (of->flux[0] > 0) add_lane(of, 0, backs, lane, -1);
}
