#include "bench/mesh.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK   200u
#define SPACING 0.01f

/* What a peer reads first; bench/peers/mesh_peer.h has the same struct. */
typedef struct mesh_peer_header {
    char magic[8]; /* "runnelm" */
    uint64_t vertex_count, triangle_count, point_count, reps, chunk;
    double near;
} mesh_peer_header;

void rni_mesh_case_release(rni_mesh_case *c)
{
    rni_mesh_layout_release(&c->layout);
    free(c->from);
    free(c->to);
    free(c->inside_from);
    free(c->inside_to);
    memset(c, 0, sizeof *c);
}

/* Random places inside the ring, and where they want to go. */
static rn_result fill_inside(rni_mesh_case *c)
{
    rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    rni_random random = rni_random_make(77);
    rn_result result = rn_mesh_query_create(&def, &c->layout.mesh, &query);
    for (uint32_t i = 0; i < c->count && result == RN_OK;) {
        float p[3], distance;
        for (int axis = 0; axis < 3; axis++)
            p[axis] = rni_random_float(&random, axis == 2 ? -0.45f : -1.5f, axis == 2 ? 0.45f : 1.5f);
        const rn_mesh_points points = {.position = p, .count = 1};
        result = rn_mesh_query_distance(query, &points, &distance);
        if (result != RN_OK || distance > -0.1f * SPACING) continue;
        for (size_t axis = 0; axis < 3; axis++) {
            c->inside_from[(size_t)3 * i + axis] = p[axis];
            c->inside_to[(size_t)3 * i + axis] =
                p[axis] + rni_random_float(&random, -0.4f * SPACING, 0.4f * SPACING);
        }
        i++;
    }
    rn_mesh_query_destroy(query);
    return result;
}

rn_result rni_mesh_case_make(uint32_t triangles, uint32_t points, uint32_t reps, rni_mesh_case *c)
{
    *c = (rni_mesh_case){.count = points, .reps = reps};
    rn_result result = rni_mesh_layout_make(RNI_MESH_TORUS, triangles, 1, &c->layout);
    if (result != RN_OK) return result;
    float **const arrays[] = {&c->from, &c->to, &c->inside_from, &c->inside_to};
    for (size_t k = 0; k < 4; k++) {
        *arrays[k] = malloc((size_t)3 * points * sizeof(float));
        if (!*arrays[k])
            result = rni_fail(RN_ERROR_MEMORY, "there is no memory for %u points", points);
    }
    if (result == RN_OK) {
        rni_mesh_points_near(&c->layout, 0.15, 3, points, c->from);
        rni_mesh_points_near(&c->layout, 0.15, 4, points, c->to);
        result = fill_inside(c);
    }
    if (result != RN_OK) rni_mesh_case_release(c);
    return result;
}

/* --- measuring ---------------------------------------------------------------------------------- */

typedef enum query_kind { CLOSEST, NEAR, DISTANCE, INSIDE, SEGMENT, MOVE, KIND_COUNT } query_kind;

typedef struct chunk_answer {
    rn_mesh_closest closest[CHUNK];
    float number[CHUNK];
    bool is_inside[CHUNK];
    rn_mesh_hit hit[CHUNK];
    float moved[3 * CHUNK];
    uint32_t touch_count;
} chunk_answer;

static rn_result ask(rn_mesh_query *query, const rni_mesh_case *c, query_kind kind, uint32_t begin,
                     uint32_t count, chunk_answer *answer)
{
    const size_t at = (size_t)3 * begin;
    const bool is_move = kind == MOVE;
    const rn_mesh_points from = {.position = (is_move ? c->inside_from : c->from) + at,
                                 .count = count};
    const rn_mesh_points to = {.position = (is_move ? c->inside_to : c->to) + at, .count = count};
    rn_mesh_move_def move = rn_mesh_move_def_default();
    move.hard = 0.05f * SPACING;
    move.soft = 0.1f * SPACING;
    switch (kind) {
    case CLOSEST: return rn_mesh_query_closest(query, &from, INFINITY, answer->closest);
    case NEAR:
        return rn_mesh_query_closest(query, &from, (float)RNI_MESH_BENCH_NEAR, answer->closest);
    case DISTANCE: return rn_mesh_query_distance(query, &from, answer->number);
    case INSIDE: return rn_mesh_query_inside(query, &from, answer->is_inside);
    case SEGMENT: return rn_mesh_query_segment(query, &from, &to, answer->hit);
    default:
        return rn_mesh_query_move(query, &move, &from, &to, answer->moved, NULL,
                                  &answer->touch_count);
    }
}

/* ns per query; *sum: distances of closest points, or touches of moves. */
static rn_result measure(rn_mesh_query *query, const rni_mesh_case *c, query_kind kind,
                         uint32_t count, double *ns, double *sum)
{
    static chunk_answer answer; /* large */
    double total = 0.0;
    *sum = 0.0;
    rn_result result = ask(query, c, kind, 0, count < CHUNK ? count : CHUNK, &answer); /* warm-up */
    for (uint32_t begin = 0; begin < count && result == RN_OK; begin += CHUNK) {
        const uint32_t size = count - begin < CHUNK ? count - begin : CHUNK;
        double least = (double)INFINITY;
        for (uint32_t r = 0; r < c->reps && result == RN_OK; r++) {
            const double start = rni_seconds();
            result = ask(query, c, kind, begin, size, &answer);
            least = fmin(least, rni_seconds() - start);
        }
        total += least;
        if (kind == MOVE) *sum += answer.touch_count;
        for (uint32_t k = 0; k < size && kind == CLOSEST; k++)
            *sum += (double)answer.closest[k].distance;
    }
    *ns = 1e9 * total / count;
    *sum /= count;
    return result;
}

rn_result rni_bench_mesh(const rni_mesh_case *c, const rn_mesh_query_def *def, rni_mesh_row *row)
{
    rn_mesh_query *query = NULL;
    rn_mesh_query_stats stats = rn_mesh_query_stats_default();
    *row = (rni_mesh_row){.build_ms = (double)NAN};
    rn_mesh_query_def one = *def;
    one.threads = 1;
    rn_result result = rn_mesh_query_create(&one, &c->layout.mesh, &query);
    if (result == RN_OK) result = rn_mesh_query_get_stats(query, &stats);
    if (result != RN_OK) return result;
    for (uint32_t place = 0; rn_mesh_structure_get_info(place); place++)
        if (rn_mesh_structure_get_info(place)->structure == def->structure)
            snprintf(row->structure, sizeof row->structure, "%s",
                     rn_mesh_structure_get_info(place)->name);
    row->build_ms = stats.build_ms;
    uint32_t count = c->count;
    if (stats.structure == RN_MESH_BRUTE) {
        const double few = 1e7 / stats.triangle_count / c->reps;
        count = few < 4.0 ? 4 : (few < count ? (uint32_t)few : count);
    }
    double *const ns[KIND_COUNT] = {&row->closest_ns, &row->near_ns,    &row->distance_ns,
                                    &row->inside_ns,  &row->segment_ns, &row->move_ns};
    for (int kind = 0; kind < KIND_COUNT && result == RN_OK; kind++) {
        double sum;
        result = measure(query, c, (query_kind)kind, count, ns[kind], &sum);
        if (kind == CLOSEST) row->distance = count == c->count ? sum : (double)NAN;
        if (kind == MOVE) row->touch_share = sum;
    }
    if (result == RN_OK) result = rn_mesh_query_get_stats(query, &stats);
    row->held_mb = (double)stats.held_bytes / 1e6;
    rn_mesh_query_destroy(query);
    return result;
}

bool rni_bench_mesh_peer(const rni_mesh_case *c, const char *name, rni_mesh_row *row,
                         char reason[RNI_REASON_BYTES])
{
    char answer[1024];
    const rn_mesh *mesh = &c->layout.mesh;
    const mesh_peer_header header = {
        "runnelm", mesh->vertex_count, mesh->triangle_count, c->count, c->reps,
        CHUNK,     RNI_MESH_BENCH_NEAR};
    const size_t point_bytes = (size_t)3 * c->count * sizeof(float);
    const rni_peer_span spans[] = {
        {&header, sizeof header},
        {mesh->vertex, (size_t)3 * mesh->vertex_count * sizeof(float)},
        {mesh->triangle, (size_t)3 * mesh->triangle_count * sizeof(uint32_t)},
        {c->from, point_bytes},
        {c->to, point_bytes}};
    if (!rni_peer_ask(name, spans, 5, answer, sizeof answer, reason)) return false;
    *row = (rni_mesh_row){.is_peer = true};
    snprintf(row->structure, sizeof row->structure, "peer:%s", name);
    row->build_ms = rni_peer_member(answer, "build_ms");
    row->closest_ns = rni_peer_member(answer, "closest_ns");
    row->near_ns = rni_peer_member(answer, "near_ns");
    row->segment_ns = rni_peer_member(answer, "segment_ns");
    row->inside_ns = rni_peer_member(answer, "inside_ns");
    row->distance = rni_peer_member(answer, "distance");
    row->distance_ns = row->move_ns = row->held_mb = row->touch_share = (double)NAN;
    return true;
}
