#include "lab/boxes.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/pi.h"
#include "base/random.h"
#include "bench/peer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define GRAVITY   10.0f
#define TIME_STEP 0.05f

rn_broadphase_def rni_lab_box_def(const rni_lab *lab, uint32_t dim, rn_broadphase_method method)
{
    rn_broadphase_def def = rn_broadphase_def_default();
    def.dim = dim;
    def.method = method;
    def.threads = lab->is_threads_given ? lab->threads : 1;
    def.as_published = !lab->is_threads_given;
    return def;
}

rn_result rni_lab_boxer_open(rni_lab_boxer *boxer, const char *name, const rn_broadphase_def *def)
{
    *boxer = (rni_lab_boxer){.name = name, .is_single = def->threads == 1, .ms = (double)NAN};
    return rn_broadphase_create(def, &boxer->phase);
}

void rni_lab_boxer_close(rni_lab_boxer *boxer)
{
    rn_broadphase_destroy(boxer->phase);
    boxer->phase = NULL;
}

double rni_lab_boxer_now(const rni_lab_boxer *boxer)
{
    struct timespec now;
    if (!boxer->is_single || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return rni_seconds();
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void rni_lab_boxer_note(rni_lab_boxer *boxer, double begin)
{
    double ms = 1e3 * (rni_lab_boxer_now(boxer) - begin);
    boxer->runs++;
    boxer->ms = fmin(boxer->ms, ms);
    boxer->stats = rn_broadphase_stats_default();
    rn_broadphase_get_stats(boxer->phase, &boxer->stats);
}

rn_result rni_lab_boxer_pairs(rni_lab_boxer *boxer, const rn_boxes *boxes)
{
    double begin = rni_lab_boxer_now(boxer);
    rn_result result = rn_broadphase_update(boxer->phase, boxes);
    if (result == RN_OK) result = rn_broadphase_count_pairs(boxer->phase, &boxer->found);
    if (result == RN_OK) rni_lab_boxer_note(boxer, begin);
    return result;
}

rn_result rni_lab_boxer_queries(rni_lab_boxer *boxer, const rn_boxes *boxes,
                                const rn_queries *queries, uint32_t *counts)
{
    double begin = rni_lab_boxer_now(boxer);
    rn_result result = rn_broadphase_update(boxer->phase, boxes);
    if (result == RN_OK)
        result = rn_broadphase_count_hits(boxer->phase, queries, counts, &boxer->found);
    if (result == RN_OK) rni_lab_boxer_note(boxer, begin);
    return result;
}

rn_result rni_lab_boxers_agree(const rni_lab_boxer *a, const rni_lab_boxer *b)
{
    if (a->runs == 0 || b->runs == 0 || a->found == b->found) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "%s finds %llu but %s %llu", a->name,
                    (unsigned long long)a->found, b->name, (unsigned long long)b->found);
}

/* --- settling spheres --------------------------------------------------------------------------- */

static void enclose(rni_settling *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            s->low[i][axis] = s->centre[i][axis] - 0.5f;
            s->high[i][axis] = s->centre[i][axis] + 0.5f;
        }
}

rn_result rni_settling_open(rni_settling *s, uint32_t count, double d, uint64_t seed)
{
    *s = (rni_settling){.count = count};
    s->centre = malloc((size_t)count * sizeof *s->centre);
    s->velocity = calloc(count, sizeof *s->velocity);
    s->low = malloc((size_t)count * sizeof *s->low);
    s->high = malloc((size_t)count * sizeof *s->high);
    if (!s->centre || !s->velocity || !s->low || !s->high) {
        rni_settling_close(s);
        return rni_fail(RN_ERROR_MEMORY, "no memory for %u spheres", count);
    }
    rni_lab_fill_uniform(&s->centre[0][0], 3, count, cbrt(count * RNI_PI / 6 / d), seed);
    enclose(s);
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_result result = rn_broadphase_create(&def, &s->phase);
    if (result != RN_OK) rni_settling_close(s);
    return result;
}

void rni_settling_close(rni_settling *s)
{
    free(s->centre);
    free(s->velocity);
    free(s->low);
    free(s->high);
    rn_broadphase_destroy(s->phase);
    *s = (rni_settling){0};
}

rn_boxes rni_settling_boxes(const rni_settling *s)
{
    return (rn_boxes){.low = s->low[0], .high = s->high[0], .count = s->count};
}

/* The vector from a to b, and its length; false when the spheres do not touch. */
static bool meet(const rni_settling *s, rn_pair pair, float way[3], float *length)
{
    float sum = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        way[axis] = s->centre[pair.b][axis] - s->centre[pair.a][axis];
        sum += way[axis] * way[axis];
    }
    *length = sqrtf(sum);
    return sum <= 1.0f;
}

/* Pushes each sphere away by half of the overlap and removes their approach velocity. */
static void part(rni_settling *s, rn_pair pair)
{
    float way[3], length;
    if (!meet(s, pair, way, &length) || !(length > 1e-6f)) return;
    float push = 0.5f * (1.0f - length) / length, closing = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        closing += (s->velocity[pair.b][axis] - s->velocity[pair.a][axis]) * way[axis] / length;
    for (int axis = 0; axis < 3; axis++) {
        float stop = closing < 0.0f ? 0.5f * closing * way[axis] / length : 0.0f;
        s->centre[pair.a][axis] -= push * way[axis];
        s->centre[pair.b][axis] += push * way[axis];
        s->velocity[pair.a][axis] += stop;
        s->velocity[pair.b][axis] -= stop;
    }
}

rn_result rni_settling_steps(rni_settling *s, uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t i = 0; i < s->count; i++) {
            s->velocity[i][2] -= GRAVITY * TIME_STEP;
            for (int axis = 0; axis < 3; axis++)
                s->centre[i][axis] += TIME_STEP * s->velocity[i][axis];
            if (s->centre[i][2] >= 0.5f) continue;
            s->centre[i][2] = 0.5f;
            s->velocity[i][2] = 0.0f;
        }
        enclose(s);
        rn_boxes boxes = rni_settling_boxes(s);
        rn_pairs pairs;
        rn_result result = rn_broadphase_update(s->phase, &boxes);
        if (result == RN_OK) result = rn_broadphase_find_pairs(s->phase, &pairs);
        if (result != RN_OK) return result;
        for (uint64_t k = 0; k < pairs.count; k++) part(s, pairs.pair[k]);
        enclose(s);
    }
    return RN_OK;
}

rn_result rni_settling_touching(rni_settling *s, uint64_t *count)
{
    rn_boxes boxes = rni_settling_boxes(s);
    rn_pairs pairs;
    *count = 0;
    rn_result result = rn_broadphase_update(s->phase, &boxes);
    if (result == RN_OK) result = rn_broadphase_find_pairs(s->phase, &pairs);
    for (uint64_t k = 0; result == RN_OK && k < pairs.count; k++) {
        float way[3], length;
        *count += meet(s, pairs.pair[k], way, &length);
    }
    return result;
}

/* --- a peer ------------------------------------------------------------------------------------- */

rni_lab_delaunay rni_lab_ask_delaunay(rni_lab *lab, const rn_boxes *boxes)
{
    rni_lab_delaunay none = {(double)NAN, (double)NAN, (double)NAN};
    rni_box_peer_header header = {"runnelb", 3, boxes->count, 1, 1, 0, 0.0, 0.0};
    size_t bytes = (size_t)boxes->count * 3 * sizeof(float);
    const rni_peer_span spans[] = {
        {&header, sizeof header}, {boxes->low, bytes}, {boxes->high, bytes}};
    char answer[1024], reason[RNI_REASON_BYTES];
    if (lab->lacks_delaunay) return none;
    if (!rni_peer_ask("cgal-delaunay", spans, 3, answer, sizeof answer, reason)) {
        lab->lacks_delaunay = true;
        rni_lab_note(lab, "%s", reason);
        return none;
    }
    return (rni_lab_delaunay){rni_peer_member(answer, "ms"), rni_peer_member(answer, "pairs"),
                              rni_peer_member(answer, "bytes")};
}
