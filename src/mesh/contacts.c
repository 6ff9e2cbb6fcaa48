/* All triangles within a radius of each centre, as lists: counted first, then written. */
#include "mesh/query.h"

#include "base/error.h"

#include <stdlib.h>

typedef struct contact_job {
    const rn_mesh_query *query;
    const rn_mesh_points *centres;
    double radius;
    uint64_t *start; /* counting: the count of sphere k is start[k + 1] */
    rn_mesh_closest *list;
} contact_job;

static bool count_one(void *user, const rni_near *near)
{
    (void)near;
    ++*(uint64_t *)user;
    return true;
}

static void count_contacts(void *data, uint32_t begin, uint32_t end)
{
    const contact_job *job = data;
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        rni_point_at(job->centres, i, p);
        job->start[i + 1] = 0;
        job->query->structure->within(job->query, p, job->radius, count_one, &job->start[i + 1]);
    }
}

typedef struct writer {
    rn_mesh_closest *list;
    uint64_t count;
} writer;

static bool write_one(void *user, const rni_near *near)
{
    writer *w = user;
    w->list[w->count++] = rni_closest_of(near);
    return true;
}

static int by_triangle(const void *a, const void *b)
{
    const uint32_t i = ((const rn_mesh_closest *)a)->triangle;
    const uint32_t j = ((const rn_mesh_closest *)b)->triangle;
    return i < j ? -1 : i > j;
}

static void write_contacts(void *data, uint32_t begin, uint32_t end)
{
    const contact_job *job = data;
    for (uint32_t i = begin; i < end; i++) {
        float p[3];
        writer w = {job->list + job->start[i], 0};
        rni_point_at(job->centres, i, p);
        if (job->start[i + 1] > job->start[i])
            job->query->structure->within(job->query, p, job->radius, write_one, &w);
        qsort(w.list, w.count, sizeof *w.list, by_triangle);
    }
}

rn_result rn_mesh_query_contacts(rn_mesh_query *query, const rn_mesh_points *centres, float radius,
                                 rn_mesh_contacts *contacts)
{
    rn_result result = rni_mesh_points_check(query, centres, "centres", contacts);
    if (result != RN_OK) return result;
    if (!contacts) return rni_fail(RN_ERROR_ARGUMENT, "contacts must not be NULL");
    if (!(radius >= 0.0f && radius <= RNI_MESH_LARGEST))
        return rni_fail(RN_ERROR_ARGUMENT, "radius is %g; it must be finite and at least 0",
                        (double)radius);
    const uint64_t count = centres->count;
    result = rni_buffer_need(&query->memory, &query->contact_starts, count + 1, sizeof(uint64_t));
    if (result != RN_OK) return result;
    contact_job job = {query, centres, (double)radius, query->contact_starts.data, NULL};
    job.start[0] = 0;
    rni_batch_run(query, centres->count, count_contacts, &job);
    for (uint64_t k = 0; k < count; k++) job.start[k + 1] += job.start[k];
    const uint64_t total = job.start[count];
    result = rni_mesh_fits(query, total * sizeof(rn_mesh_closest), "the list of contacts");
    if (result == RN_OK)
        result = rni_buffer_need(&query->memory, &query->contact_list, total + 1,
                                 sizeof(rn_mesh_closest));
    if (result != RN_OK) return result;
    job.list = query->contact_list.data;
    rni_batch_run(query, centres->count, write_contacts, &job);
    *contacts = (rn_mesh_contacts){centres->count, job.start, job.list};
    return RN_OK;
}
