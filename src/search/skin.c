#include "search/skin.h"

#include <stdatomic.h>
#include <string.h>

#define SHARE 8192u

typedef struct take_job {
    const rni_cloud *cloud;
    uint32_t dim;
    const float (*built)[3]; /* NULL: no earlier positions */
    float (*present)[3];
    double limit_sq;
    atomic_bool *has_moved;
} take_job;

static void take_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    take_job *job = data;
    uint32_t begin = piece * SHARE,
             end = job->cloud->count - begin < SHARE ? job->cloud->count : begin + SHARE;
    bool has_moved = false;
    for (uint32_t i = begin; i < end; i++) {
        float *p = job->present[i];
        rni_cloud_at(job->cloud, job->dim, i, p);
        if (!job->built) continue;
        /* across a periodic face this is a large displacement and forces a rebuild: rare, and
         * always correct */
        double dx = (double)p[0] - (double)job->built[i][0],
               dy = (double)p[1] - (double)job->built[i][1];
        double dz = (double)p[2] - (double)job->built[i][2];
        if (dx * dx + dy * dy + dz * dz > job->limit_sq) has_moved = true;
    }
    if (has_moved) atomic_store(job->has_moved, true);
}

rn_result rni_skin_take(rni_skin *skin, rni_search_env *env, const rni_cloud *clouds,
                        uint32_t set_count, const double base[3], float radius, bool *still_good)
{
    atomic_bool has_moved = false;
    bool is_comparable = skin->is_valid && memcmp(base, skin->base, sizeof skin->base) == 0;
    /* Two points approach each other by at most half the skin each; float distances are accurate
     * to 2^-21. */
    double reach = (double)radius + (double)env->def->skin;
    double slack = reach * 0x1p-20;
    for (int axis = 0; axis < 3; axis++) {
        if (env->space.periodic[axis]) slack += (double)env->space.period[axis] * 0x1p-21;
    }
    double limit = 0.5 * ((double)env->def->skin - slack);
    if (limit <= 0.0) is_comparable = false;
    for (uint32_t s = 0; s < set_count; s++) {
        if (skin->counts[s] != clouds[s].count) is_comparable = false;
    }
    for (uint32_t s = 0; s < set_count; s++) {
        rn_result result =
            rni_buffer_need(env->memory, &skin->present[s], clouds[s].count, sizeof(float[3]));
        if (result == RN_OK && !is_comparable) {
            result = rni_buffer_need(env->memory, &skin->built[s], clouds[s].count, sizeof(float[3]));
        }
        if (result != RN_OK) {
            skin->is_valid = false;
            return result;
        }
        take_job job = {&clouds[s],    env->space.dim, NULL, skin->present[s].data,
                        limit * limit, &has_moved};
        if (is_comparable) job.built = (const float(*)[3])skin->built[s].data;
        rni_crew_pieces(env->crew, rni_piece_count(clouds[s].count, SHARE), take_piece, &job);
        skin->counts[s] = clouds[s].count;
    }
    memcpy(skin->base, base, sizeof skin->base);
    *still_good = is_comparable && !atomic_load(&has_moved);
    skin->is_valid = *still_good;
    return RN_OK;
}

void rni_skin_rebuilt(rni_skin *skin, uint32_t set_count)
{
    for (uint32_t s = 0; s < set_count; s++) {
        rni_buffer swap = skin->built[s];
        skin->built[s] = skin->present[s];
        skin->present[s] = swap;
        if (skin->counts[s] > 0) {
            memcpy(skin->present[s].data, skin->built[s].data,
                   (size_t)skin->counts[s] * sizeof(float[3]));
        }
    }
    skin->is_valid = true;
}

typedef struct filter_job {
    const rni_space *space;
    const float (*from)[3], (*to)[3];
    const uint64_t *candidate_start;
    const uint32_t *candidate;
    uint32_t count;
    bool is_half;
    uint32_t *counts;
    const uint64_t *start;
    uint32_t *index; /* NULL: count only */
} filter_job;

static void filter_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    filter_job *job = data;
    uint32_t begin = piece * SHARE, end = job->count - begin < SHARE ? job->count : begin + SHARE;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t found = 0;
        uint32_t *out = job->index ? job->index + job->start[i] : NULL;
        for (uint64_t c = job->candidate_start[i]; c < job->candidate_start[i + 1]; c++) {
            uint32_t j = job->candidate[c];
            if (rni_distance_sq(job->space, job->from[i], job->to[j]) > job->space->radius_sq)
                continue;
            if (job->is_half && j < i) continue;
            if (out) out[found] = j;
            found++;
        }
        if (!out) job->counts[i] = found;
    }
}

rn_result rni_skin_filter(rni_skin *skin, rni_search_env *env, uint32_t set, uint32_t searched,
                          const rni_space *space, rn_lists lists, rni_lists *out)
{
    const rni_lists *candidates = &skin->candidates[set][searched];
    uint32_t count = skin->counts[set], pieces = rni_piece_count(count, SHARE);
    rni_lists_clear(out);
    if (count == 0) return RN_OK;
    filter_job job = {
        .space = space, .count = count, .is_half = lists == RN_LISTS_HALF && set == searched};
    job.from = (const float(*)[3])skin->present[set].data;
    job.to = (const float(*)[3])skin->present[searched].data;
    job.candidate_start = candidates->start.data;
    job.candidate = candidates->index.data;
    rn_result result = rni_buffer_need(env->memory, &out->counts, count, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &out->start, (uint64_t)count + 1, sizeof(uint64_t));
    if (result != RN_OK) return result;
    job.counts = out->counts.data;
    rni_crew_pieces(env->crew, pieces, filter_piece, &job);
    rni_offsets(env->crew, count, job.counts, out->start.data);
    job.start = out->start.data;
    out->is_csr = true;
    out->has_index = lists != RN_LISTS_COUNTS;
    if (out->has_index) {
        result = rni_buffer_need(env->memory, &out->index, job.start[count], sizeof(uint32_t));
        if (result != RN_OK) return result;
        job.index = out->index.data;
        rni_crew_pieces(env->crew, pieces, filter_piece, &job);
    }
    out->entry_count = job.start[count];
    out->count = count;
    return RN_OK;
}

void rni_skin_free(rni_memory *memory, rni_skin *skin)
{
    for (uint32_t s = 0; s < RN_SEARCH_MAX_SETS; s++) {
        rni_buffer_free(memory, &skin->built[s]);
        rni_buffer_free(memory, &skin->present[s]);
        for (uint32_t t = 0; t < RN_SEARCH_MAX_SETS; t++)
            rni_lists_free(memory, &skin->candidates[s][t]);
    }
}
