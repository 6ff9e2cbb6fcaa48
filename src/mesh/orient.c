/* Which triangles have to be turned. */
#include "mesh/seams.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

/* Solid angle of a triangle seen from the origin (Van Oosterom and Strackee 1983). */
static double solid_angle(double p[3][3])
{
    double length[3], dot[3];
    for (int k = 0; k < 3; k++) {
        const double *a = p[k], *b = p[(k + 1) % 3];
        length[k] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        dot[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; /* of corners k and k + 1 */
    }
    const double triple = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                          p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                          p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    const double below = length[0] * length[1] * length[2] + dot[0] * length[2] +
                         dot[1] * length[0] + dot[2] * length[1];
    return 2 * atan2(triple, below);
}

/* Whether the point is inside of a closed patch. */
static bool is_inside(const rni_topology *topology, uint32_t number, const double point[3])
{
    const rn_mesh *mesh = topology->mesh;
    const uint32_t *part = topology->patch.data;
    const bool *is_turned = topology->is_turned.data;
    double sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (part[t] != number) continue;
        double p[3][3];
        for (size_t k = 0; k < 3; k++)
            for (size_t axis = 0; axis < 3; axis++)
                p[k][axis] =
                    (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * (size_t)t + k] + axis] -
                    point[axis];
        sum += is_turned[t] ? -solid_angle(p) : solid_angle(p);
    }
    return fabs(sum) > 2 * RNI_PI;
}

/* How many closed patches contain the patch: an odd number makes it a cavity or a core. */
static uint32_t nesting_of(const rni_topology *topology, uint32_t number)
{
    const rni_patch *patches = topology->patches.data, *own = &patches[number];
    const rn_mesh *mesh = topology->mesh;
    double point[3] = {0};
    for (size_t k = 0; k < 9; k++)
        point[k % 3] +=
            (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * (size_t)own->first + k / 3] + k % 3] /
            3;
    uint32_t depth = 0;
    for (uint32_t n = 0; n < topology->patch_count; n++) {
        const rni_patch *other = &patches[n];
        bool is_around = n != number && other->is_closed && other->is_orientable;
        for (int axis = 0; axis < 3; axis++)
            is_around = is_around && other->low[axis] <= own->low[axis] &&
                        other->high[axis] >= own->high[axis];
        if (is_around && is_inside(topology, n, point)) depth++;
    }
    return depth;
}

rn_result rni_topology_orient(rni_topology *topology)
{
    const rni_patch *patches = topology->patches.data;
    rni_buffer kept = {0}, counted = {0};
    const uint64_t count = topology->patch_count ? topology->patch_count : 1;
    rn_result result = rni_buffer_need(topology->memory, &kept, count, 1);
    if (result == RN_OK)
        result = rni_buffer_need(topology->memory, &counted, count, sizeof(int64_t));
    bool *turns_first = kept.data; /* whether the first triangle of the patch has to be turned */
    int64_t *votes = counted.data;
    for (uint32_t n = 0; n < topology->patch_count && result == RN_OK; n++) {
        votes[n] = (int64_t)patches[n].triangle_count - 2 * (int64_t)patches[n].turned_count;
        turns_first[n] = votes[n] < 0;
    }
    if (result == RN_OK) result = rni_seams_agree(topology, votes, turns_first);
    rni_buffer_free(topology->memory, &counted);
    if (result != RN_OK) {
        rni_buffer_free(topology->memory, &kept);
        return result;
    }
    for (uint32_t n = 0; n < topology->patch_count; n++) {
        const rni_patch *patch = &patches[n];
        const double volume = turns_first[n] ? -patch->volume : patch->volume;
        if (!patch->is_closed || !patch->is_orientable || volume >= 0) continue;
        if (nesting_of(topology, n) % 2 == 1) continue;
        turns_first[n] = !turns_first[n];
        topology->inside_out_count++;
    }
    const uint32_t *part = topology->patch.data;
    const bool *is_turned = topology->is_turned.data;
    bool *must_turn = topology->must_turn.data;
    for (uint32_t t = 0; t < topology->mesh->triangle_count; t++) {
        const bool has_patch = part[t] != RNI_NO_PART;
        must_turn[t] =
            has_patch && patches[part[t]].is_orientable && is_turned[t] != turns_first[part[t]];
        topology->must_turn_count += must_turn[t];
    }
    rni_buffer_free(topology->memory, &kept);
    return RN_OK;
}
