#include "mesh/pairs.h"

#include "mesh/exact.h"
#include "mesh/intersect.h"

#include "base/parallel.h"

#include <runnel/broadphase.h>

#include <math.h>
#include <string.h>

/* Walls and gaps are measured up to so many spacings. */
#define REACH_SPACINGS 2.0

/* What one worker has found. */
typedef struct findings {
    rn_mesh_fault fault[RN_MESH_FAULT_KINDS];
    double thinnest[2]; /* wall, gap */
    rn_mesh_place place[2];
} findings;

typedef struct pair_search {
    const rn_mesh *mesh;
    const bool *is_flat;
    double spacing, reach;
    bool skips_intersections;
    findings *worker; /* RNI_MAX_WORKERS of them */
} pair_search;

static bool comes_before(const rn_mesh_place *a, const rn_mesh_place *b)
{
    return a->triangle != b->triangle ? a->triangle < b->triangle : a->other < b->other;
}

static void keep_place(rn_mesh_fault *fault, const rn_mesh_place *place)
{
    uint32_t at = fault->place_count;
    while (at > 0 && comes_before(place, &fault->place[at - 1])) at--;
    if (at == RN_MESH_PLACES) return;
    if (fault->place_count < RN_MESH_PLACES) fault->place_count++;
    for (uint32_t k = fault->place_count - 1; k > at; k--) fault->place[k] = fault->place[k - 1];
    fault->place[at] = *place;
}

void rni_fault_add(rn_mesh_fault *fault, const rn_mesh_place *place)
{
    fault->count++;
    keep_place(fault, place);
}

static void corners_of(const rn_mesh *mesh, uint32_t t, const float *at[3])
{
    for (size_t k = 0; k < 3; k++)
        at[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + k];
}

/* --- one pair ---------------------------------------------------------------------------------- */

static void test_intersection(const pair_search *search, findings *found, rn_pair pair,
                              const float *const a[3], const float *const b[3])
{
    if (!rni_triangles_intersect(a, b)) return;
    rn_mesh_place place = {.triangle = pair.a, .other = pair.b};
    for (int axis = 0; axis < 3; axis++) /* the middle of what their boxes share */
        place.position[axis] = 0.5f * (fmaxf(fminf(a[0][axis], fminf(a[1][axis], a[2][axis])),
                                             fminf(b[0][axis], fminf(b[1][axis], b[2][axis]))) +
                                       fminf(fmaxf(a[0][axis], fmaxf(a[1][axis], a[2][axis])),
                                             fmaxf(b[0][axis], fmaxf(b[1][axis], b[2][axis]))));
    (void)search;
    rni_fault_add(&found->fault[RN_MESH_SELF_INTERSECTION], &place);
}

static void normal_of(const float *const t[3], double normal[3])
{
    double u[3], v[3], size = 0;
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = (double)t[1][axis] - (double)t[0][axis];
        v[axis] = (double)t[2][axis] - (double)t[0][axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        const int s = (axis + 1) % 3, e = (axis + 2) % 3;
        normal[axis] = u[s] * v[e] - u[e] * v[s];
        size += normal[axis] * normal[axis];
    }
    for (int axis = 0; axis < 3; axis++) normal[axis] /= sqrt(size);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool share_corner(const float *const a[3], const float *const b[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i][0] == b[j][0] && a[i][1] == b[j][1] && a[i][2] == b[j][2]) return true;
    return false;
}

/* Two triangles that face each other, or turn their backs on each other, within reach. */
static void test_thickness(const pair_search *search, findings *found, rn_pair pair,
                           const float *const a[3], const float *const b[3])
{
    double normal_a[3], normal_b[3], on_a[3], on_b[3], way[3];
    normal_of(a, normal_a);
    normal_of(b, normal_b);
    if (dot(normal_a, normal_b) > -0.5 || share_corner(a, b)) return;
    const double distance = rni_triangle_distance(a, b, on_a, on_b);
    if (!(distance > 0) || distance > search->reach) return;
    for (int axis = 0; axis < 3; axis++) way[axis] = on_b[axis] - on_a[axis];
    const double from_a = dot(way, normal_a) / distance, from_b = -dot(way, normal_b) / distance;
    if (fabs(from_a) < 0.5 || fabs(from_b) < 0.5 || (from_a > 0) != (from_b > 0)) return;
    const int is_gap = from_a > 0;
    rn_mesh_place place = {.triangle = pair.a, .other = pair.b};
    for (int axis = 0; axis < 3; axis++)
        place.position[axis] = (float)(0.5 * (on_a[axis] + on_b[axis]));
    if (distance < search->spacing)
        rni_fault_add(&found->fault[is_gap ? RN_MESH_NARROW_GAP : RN_MESH_THIN_WALL], &place);
    const double least = found->thinnest[is_gap];
    if (least > 0 &&
        (distance > least || (distance >= least && !comes_before(&place, &found->place[is_gap]))))
        return;
    found->thinnest[is_gap] = distance;
    found->place[is_gap] = place;
}

static void test_pairs(void *user, const rn_pair *pair, uint32_t count, uint32_t worker)
{
    const pair_search *search = user;
    for (uint32_t k = 0; k < count; k++) {
        if (search->is_flat[pair[k].a] || search->is_flat[pair[k].b]) continue;
        const float *a[3], *b[3];
        corners_of(search->mesh, pair[k].a, a);
        corners_of(search->mesh, pair[k].b, b);
        if (!search->skips_intersections)
            test_intersection(search, &search->worker[worker], pair[k], a, b);
        if (search->reach > 0) test_thickness(search, &search->worker[worker], pair[k], a, b);
    }
}

/* --- all pairs --------------------------------------------------------------------------------- */

static void make_boxes(const pair_search *search, float *low, float *high, bool *is_flat)
{
    const double widening = 0.5 * search->reach;
    for (uint32_t t = 0; t < search->mesh->triangle_count; t++) {
        const float *at[3];
        corners_of(search->mesh, t, at);
        is_flat[t] = rni_exact_is_flat(at[0], at[1], at[2]);
        for (size_t axis = 0; axis < 3; axis++) {
            float least = fminf(at[0][axis], fminf(at[1][axis], at[2][axis]));
            float most = fmaxf(at[0][axis], fmaxf(at[1][axis], at[2][axis]));
            if (widening > 0) {
                least = fmaxf(nextafterf((float)((double)least - widening), -INFINITY), -3e38f);
                most = fminf(nextafterf((float)((double)most + widening), INFINITY), 3e38f);
            }
            low[3 * (size_t)t + axis] = least;
            high[3 * (size_t)t + axis] = most;
        }
    }
}

static rn_result run_search(const pair_search *search, const rn_mesh_diagnose_def *def,
                            const rn_boxes *boxes)
{
    rn_broadphase_def phase_def = rn_broadphase_def_default();
    rn_broadphase *phase;
    phase_def.threads = def->threads;
    phase_def.allocator = def->allocator;
    phase_def.tasks = def->tasks;
    rn_result result = rn_broadphase_create(&phase_def, &phase);
    if (result != RN_OK) return result;
    result = rn_broadphase_update(phase, boxes);
    pair_search own = *search;
    if (result == RN_OK) result = rn_broadphase_visit_pairs(phase, test_pairs, &own);
    rn_broadphase_destroy(phase);
    return result;
}

static void merge(rn_mesh_diagnosis *diagnosis, const findings *found)
{
    for (int kind = RN_MESH_SELF_INTERSECTION; kind <= RN_MESH_NARROW_GAP; kind++) {
        rn_mesh_fault *fault = &diagnosis->fault[kind];
        fault->count += found->fault[kind].count;
        for (uint32_t k = 0; k < found->fault[kind].place_count; k++)
            keep_place(fault, &found->fault[kind].place[k]);
    }
    double *thinnest[2] = {&diagnosis->thinnest_wall, &diagnosis->narrowest_gap};
    rn_mesh_place *place[2] = {&diagnosis->wall_place, &diagnosis->gap_place};
    for (int k = 0; k < 2; k++) {
        if (found->thinnest[k] <= 0) continue;
        const bool is_better =
            *thinnest[k] <= 0 || found->thinnest[k] < *thinnest[k] ||
            (found->thinnest[k] <= *thinnest[k] && comes_before(&found->place[k], place[k]));
        if (!is_better) continue;
        *thinnest[k] = found->thinnest[k];
        *place[k] = found->place[k];
    }
}

rn_result rni_pairs_find(const rn_mesh *mesh, const rn_mesh_diagnose_def *def, rni_memory *memory,
                         rn_mesh_diagnosis *diagnosis)
{
    pair_search search = {
        .mesh = mesh, .spacing = def->spacing, .reach = REACH_SPACINGS * def->spacing};
    search.skips_intersections = def->skips_intersections;
    if (mesh->triangle_count == 0 || (def->skips_intersections && !(def->spacing > 0)))
        return RN_OK;
    rni_buffer low = {0}, high = {0}, flat = {0}, workers = {0};
    rn_result result = rni_buffer_need(memory, &low, mesh->triangle_count, 3 * sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &high, mesh->triangle_count, 3 * sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &flat, mesh->triangle_count, sizeof(bool));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &workers, RNI_MAX_WORKERS, sizeof(findings));
    if (result == RN_OK) {
        make_boxes(&search, low.data, high.data, flat.data);
        memset(workers.data, 0, RNI_MAX_WORKERS * sizeof(findings));
        search.is_flat = flat.data;
        search.worker = workers.data;
        const rn_boxes boxes = {.low = low.data, .high = high.data, .count = mesh->triangle_count};
        result = run_search(&search, def, &boxes);
    }
    for (uint32_t w = 0; w < RNI_MAX_WORKERS && result == RN_OK; w++)
        merge(diagnosis, &search.worker[w]);
    rni_buffer_free(memory, &low);
    rni_buffer_free(memory, &high);
    rni_buffer_free(memory, &flat);
    rni_buffer_free(memory, &workers);
    return result;
}
