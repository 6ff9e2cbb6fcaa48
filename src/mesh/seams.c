#include "mesh/seams.h"

#include <runnel/broadphase.h>

#include "mesh/triangle.h"

#include <math.h>
#include <stdlib.h>

/* Of the diagonal: borders so close lie along each other; a few times what welding joins. */
#define TOLERANCE 4e-6

/* Two patches, first < second. */
typedef struct seam {
    uint32_t first, second;
    double length; /* with opposite directions less that with the same, both seen by the first triangles */
} seam;

/* The group of a patch: a tree whose root stands for it. */
typedef struct member {
    uint32_t parent;
    bool is_against; /* the first triangle of the patch looks against that of the parent */
} member;

typedef struct seam_search {
    const rni_topology *topology;
    double tolerance;
    rni_buffer half, low, high; /* of border edges: half-edge, boxes */
    uint32_t count;
    rni_buffer seams;
    uint32_t seam_count;
    rni_buffer members;
} seam_search;

static bool is_open(const rni_topology *topology, uint32_t part)
{
    const rni_patch *patches = topology->patches.data;
    return part != RNI_NO_PART && !patches[part].is_closed && patches[part].is_orientable;
}

static double tolerance_of(const rn_mesh *mesh)
{
    double low[3], high[3], sq = 0;
    for (int axis = 0; axis < 3; axis++) low[axis] = HUGE_VAL, high[axis] = -HUGE_VAL;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        for (size_t axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], (double)mesh->vertex[3 * v + axis]);
            high[axis] = fmax(high[axis], (double)mesh->vertex[3 * v + axis]);
        }
    for (int axis = 0; axis < 3; axis++) sq += (high[axis] - low[axis]) * (high[axis] - low[axis]);
    return TOLERANCE * sqrt(sq);
}

/* Edges of open patches that have no mate, in boxes a little wider than they are. */
static rn_result find_borders(seam_search *s)
{
    const rni_topology *topology = s->topology;
    const rn_mesh *mesh = topology->mesh;
    const uint32_t *part = topology->patch.data, *mate = topology->mate.data;
    rni_memory *memory = topology->memory;
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++)
        s->count += is_open(topology, part[h / 3]) && mate[h] == RNI_NO_MATE;
    rn_result result = rni_buffer_need(memory, &s->half, (uint64_t)s->count + 1, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &s->low, (uint64_t)s->count + 1, 3 * sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &s->high, (uint64_t)s->count + 1, 3 * sizeof(float));
    if (result != RN_OK) return result;
    uint32_t *half = s->half.data;
    float *low = s->low.data, *high = s->high.data;
    size_t n = 0;
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        if (!is_open(topology, part[h / 3]) || mate[h] != RNI_NO_MATE) continue;
        const float *a = mesh->vertex + 3 * (size_t)rni_half_from(mesh, h);
        const float *b = mesh->vertex + 3 * (size_t)rni_half_to(mesh, h);
        for (size_t axis = 0; axis < 3; axis++) {
            low[3 * n + axis] = (float)((double)fminf(a[axis], b[axis]) - s->tolerance);
            high[3 * n + axis] = (float)((double)fmaxf(a[axis], b[axis]) + s->tolerance);
        }
        half[n++] = h;
    }
    return RN_OK;
}

/* How far two borders lie along each other; negative: in the same direction. */
static double overlap(const seam_search *s, uint32_t g, uint32_t h)
{
    const rn_mesh *mesh = s->topology->mesh;
    const bool *is_turned = s->topology->is_turned.data;
    const uint32_t vertex[4] = {rni_half_from(mesh, g), rni_half_to(mesh, g),
                                rni_half_from(mesh, h), rni_half_to(mesh, h)};
    double from[3][3], along[2];
    for (size_t k = 0; k < 3; k++)
        for (size_t axis = 0; axis < 3; axis++)
            from[k][axis] = (double)mesh->vertex[3 * (size_t)vertex[k + 1] + axis] -
                            (double)mesh->vertex[3 * (size_t)vertex[0] + axis];
    const double length = sqrt(rni_dot3(from[0], from[0]));
    if (!(length > s->tolerance)) return 0;
    for (size_t k = 0; k < 2; k++) {
        along[k] = rni_dot3(from[0], from[k + 1]) / length;
        const double off_sq = rni_dot3(from[k + 1], from[k + 1]) - along[k] * along[k];
        if (off_sq > s->tolerance * s->tolerance) return 0;
    }
    const double least = fmax(fmin(along[0], along[1]), 0);
    const double most = fmin(fmax(along[0], along[1]), length);
    if (!(most - least > s->tolerance)) return 0;
    const bool is_opposite = (along[1] < along[0]) == (is_turned[g / 3] == is_turned[h / 3]);
    return is_opposite ? most - least : least - most;
}

static int by_patches(const void *a, const void *b)
{
    const seam *s = a, *t = b;
    if (s->first != t->first) return s->first < t->first ? -1 : 1;
    return s->second < t->second ? -1 : s->second > t->second;
}

/* The longest first; of equal ones by patches, so that the order is that of the mesh. */
static int by_length(const void *a, const void *b)
{
    const seam *s = a, *t = b;
    if (fabs(s->length) > fabs(t->length)) return -1;
    if (fabs(s->length) < fabs(t->length)) return 1;
    return by_patches(a, b);
}

static rn_result add_pairs(seam_search *s, const rn_pairs *pairs)
{
    const uint32_t *part = s->topology->patch.data, *half = s->half.data;
    for (uint64_t k = 0; k < pairs->count; k++) {
        const uint32_t g = half[pairs->pair[k].a], h = half[pairs->pair[k].b];
        const uint32_t a = part[g / 3], b = part[h / 3];
        const double length = a == b ? 0 : overlap(s, g, h);
        if (!(fabs(length) > 0)) continue;
        rn_result result = rni_buffer_grow(s->topology->memory, &s->seams,
                                           (uint64_t)s->seam_count + 1, sizeof(seam));
        if (result != RN_OK) return result;
        ((seam *)s->seams.data)[s->seam_count++] = (seam){a < b ? a : b, a < b ? b : a, length};
    }
    return RN_OK;
}

static rn_result find_seams(seam_search *s)
{
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    const rn_boxes boxes = {.low = s->low.data, .high = s->high.data, .count = s->count};
    rn_pairs pairs = {0};
    def.threads = 1;
    def.allocator = s->topology->memory->allocator;
    def.order = RN_PAIRS_SORTED;
    rn_result result = rn_broadphase_create(&def, &phase);
    if (result == RN_OK) result = rn_broadphase_update(phase, &boxes);
    if (result == RN_OK) result = rn_broadphase_find_pairs(phase, &pairs);
    if (result == RN_OK) result = add_pairs(s, &pairs);
    rn_broadphase_destroy(phase);
    return result;
}

/* One seam for two patches, with the sum of what they share. */
static void sum_seams(seam_search *s)
{
    seam *list = s->seams.data;
    uint32_t count = 0;
    if (s->seam_count == 0) return;
    qsort(list, s->seam_count, sizeof *list, by_patches);
    for (uint32_t k = 1; k < s->seam_count; k++) {
        if (by_patches(&list[count], &list[k]) == 0) list[count].length += list[k].length;
        else list[++count] = list[k];
    }
    s->seam_count = count + 1;
    qsort(list, s->seam_count, sizeof *list, by_length);
}

/* The patch that stands for the group, and whether this one looks against it. */
static uint32_t root_of(member *members, uint32_t patch, bool *is_against)
{
    *is_against = false;
    while (members[patch].parent != patch) {
        member *own = &members[patch];
        const member *above = &members[own->parent];
        if (above->parent != own->parent)
            *own = (member){above->parent, own->is_against != above->is_against};
        *is_against = *is_against != own->is_against;
        patch = own->parent;
    }
    return patch;
}

static void join(seam_search *s)
{
    member *members = s->members.data;
    const seam *list = s->seams.data;
    for (uint32_t k = 0; k < s->seam_count; k++) {
        bool against[2];
        if (fabs(list[k].length) <= s->tolerance) continue;
        const uint32_t a = root_of(members, list[k].first, &against[0]);
        const uint32_t b = root_of(members, list[k].second, &against[1]);
        if (a == b) continue;
        members[b] = (member){a, (list[k].length < 0) != (against[0] != against[1])};
    }
}

static rn_result decide(seam_search *s, const int64_t *votes, bool *turns_first)
{
    const rni_topology *topology = s->topology;
    member *members = s->members.data;
    rni_buffer sums = {0};
    bool is_against;
    rn_result result =
        rni_buffer_need(topology->memory, &sums, topology->patch_count, sizeof(int64_t));
    if (result != RN_OK) return result;
    int64_t *sum = sums.data;
    for (uint32_t n = 0; n < topology->patch_count; n++) sum[n] = 0;
    for (uint32_t n = 0; n < topology->patch_count; n++) {
        const uint32_t root = root_of(members, n, &is_against);
        sum[root] += is_against ? -votes[n] : votes[n];
    }
    for (uint32_t n = 0; n < topology->patch_count; n++) {
        if (!is_open(topology, n)) continue;
        const bool root_turns = sum[root_of(members, n, &is_against)] < 0;
        turns_first[n] = root_turns != is_against;
    }
    rni_buffer_free(topology->memory, &sums);
    return RN_OK;
}

rn_result rni_seams_agree(const rni_topology *topology, const int64_t *votes, bool *turns_first)
{
    seam_search s = {.topology = topology, .tolerance = tolerance_of(topology->mesh)};
    rni_memory *memory = topology->memory;
    uint32_t open_count = 0;
    for (uint32_t n = 0; n < topology->patch_count; n++) open_count += is_open(topology, n);
    if (open_count < 2) return RN_OK;
    rn_result result = rni_buffer_need(memory, &s.members, topology->patch_count, sizeof(member));
    if (result == RN_OK) {
        member *members = s.members.data;
        for (uint32_t n = 0; n < topology->patch_count; n++) members[n] = (member){n, false};
        result = find_borders(&s);
    }
    if (result == RN_OK) result = find_seams(&s);
    if (result == RN_OK) {
        sum_seams(&s);
        join(&s);
        result = decide(&s, votes, turns_first);
    }
    rni_buffer *const buffers[] = {&s.half, &s.low, &s.high, &s.seams, &s.members};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    return result;
}
