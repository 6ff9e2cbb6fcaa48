/* Smoothing that keeps the volume, normals, volume and area.
 *
 * A round moves each vertex towards the mean of its neighbours and then a little further back (Taubin 1995):
 * bumps of the size of a particle vanish, waves stay. What is then missing from the volume of the particles
 * is given back by a shift along the normals. Vertices on walls stay where they are; where the water
 * meets a wall, its vertices move along the wall only. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define PIECE        4096u
#define FORTH        0.60f
#define BACK         (-0.64f)
#define SHIFTS       3u
#define MAX_SHIFT    0.25f /* spacings */
#define TURNS        4u    /* rounds in which normals are turned towards their triangles */
#define LEAST_FACING 0.02f /* cosine between a turned normal and the triangle */

/* --- neighbours -------------------------------------------------------------------------------------- */

/* The mesh is closed and manifold: the corner after v, in each triangle of v, is each neighbour of v once. */
static rn_result find_rings(rn_surface *s)
{
    uint32_t count = s->vertex_count;
    if (rni_surface_need(&s->memory, &s->ring_start, count + (uint64_t)2, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->ring, 3 * (uint64_t)s->triangle_count + 1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint32_t *start = s->ring_start.data;
    uint32_t *ring = s->ring.data;
    const uint32_t *corner = s->triangle.data;
    memset(start, 0, (count + (size_t)2) * sizeof *start);
    for (size_t n = 0; n < 3 * (size_t)s->triangle_count; n++) start[corner[n] + 2]++;
    for (uint32_t v = 0; v < count; v++) start[v + 2] += start[v + 1];
    for (size_t t = 0; t < s->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++)
            ring[start[corner[3 * t + k] + 1]++] = corner[3 * t + (k + 1) % 3];
    return RN_OK;
}

/* --- moving ------------------------------------------------------------------------------------------ */

typedef struct move {
    rn_surface *s;
    const float *from;
    float *to;
    float factor; /* of the way to the mean; or m along the normal */
} move;

static void range_of(uint32_t count, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    *begin = piece * PIECE;
    *end = count - *begin < PIECE ? count : *begin + PIECE;
}

/* Takes away what would lead a vertex off its walls. */
static void keep_on_wall(uint8_t kind, const float *normal, float d[3])
{
    float along = d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2];
    for (uint32_t k = 0; k < 3; k++)
        d[k] = kind == RNI_AT_EDGE ? along * normal[k] : d[k] - along * normal[k];
}

static void relax(void *data, uint32_t piece, uint32_t worker)
{
    const move *m = data;
    const rn_surface *s = m->s;
    (void)worker;
    const uint32_t *start = s->ring_start.data;
    const uint32_t *ring = s->ring.data;
    const uint8_t *kind = s->kind.data;
    uint32_t begin, end;
    range_of(s->vertex_count, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        const float *x = m->from + 3 * (size_t)v;
        float *to = m->to + 3 * (size_t)v;
        float d[3] = {0};
        uint32_t count = 0;
        for (uint32_t n = start[v]; n < start[v + 1] && kind[v] != RNI_ON_WALL; n++) {
            if (kind[v] != RNI_FREE && kind[ring[n]] == RNI_ON_WALL) continue;
            for (uint32_t k = 0; k < 3; k++) d[k] += m->from[3 * (size_t)ring[n] + k] - x[k];
            count++;
        }
        float scale = count > 0 ? m->factor / (float)count : 0;
        for (uint32_t k = 0; k < 3; k++) d[k] *= scale;
        if (kind[v] != RNI_FREE)
            keep_on_wall(kind[v], (const float *)s->normal.data + 3 * (size_t)v, d);
        for (uint32_t k = 0; k < 3; k++) to[k] = x[k] + d[k];
    }
}

static void swap_vertices(rn_surface *s)
{
    rni_buffer swapped = s->vertex;
    s->vertex = s->vertex_scratch;
    s->vertex_scratch = swapped;
}

static void relax_all(rn_surface *s, float factor)
{
    move m = {.s = s, .from = s->vertex.data, .to = s->vertex_scratch.data, .factor = factor};
    rni_crew_pieces(s->crew, rni_piece_count(s->vertex_count, PIECE), relax, &m);
    swap_vertices(s);
}

/* --- normals ----------------------------------------------------------------------------------------- */

static void cross(const float *a, const float *b, const float *c, float out[3])
{
    float u[3], v[3];
    for (uint32_t k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

/* Normals of triangles that are not on a wall, weighted by area. Without smoothing, free vertices keep that of the field. */
typedef struct normals {
    rn_surface *s;
    float *sum;
    bool keeps_free; /* those of the field are good */
} normals;

static void average_normals(rn_surface *s, float *sum)
{
    const uint32_t *corner = s->triangle.data;
    const float *x = s->vertex.data;
    const uint8_t *kind = s->kind.data;
    memset(sum, 0, 3 * sizeof *sum * s->vertex_count);
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = corner + 3 * t;
        if (kind[c[0]] != RNI_FREE && kind[c[1]] != RNI_FREE && kind[c[2]] != RNI_FREE) continue;
        float n[3];
        cross(x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], x + 3 * (size_t)c[2], n);
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t a = 0; a < 3; a++) sum[3 * (size_t)c[k] + a] += n[a];
    }
}

static void set_normals(void *data, uint32_t piece, uint32_t worker)
{
    const normals *job = data;
    (void)worker;
    const uint8_t *kind = job->s->kind.data;
    float *normal = job->s->normal.data;
    uint32_t begin, end;
    range_of(job->s->vertex_count, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        const float *n = job->sum + 3 * (size_t)v;
        float length_sq = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (kind[v] == RNI_ON_WALL || !(length_sq > 0)) continue;
        if (job->keeps_free && kind[v] == RNI_FREE) continue;
        float scale = 1 / sqrtf(length_sq);
        for (uint32_t k = 0; k < 3; k++) normal[3 * (size_t)v + k] = n[k] * scale;
    }
}

/* Where the surface meets a wall, and on bumps of a single vertex, the mean of some triangles may look away from another
 * one. Its normal is turned until it does not: programs that shade both sides of a triangle by the side of
 * its normals would show a dark spot. Those of the field stay (keeps_free): they are better than those of small
 * triangles. Returns how many corners were turned. */
static size_t turn_normals(rn_surface *s, bool keeps_free)
{
    const uint32_t *corner = s->triangle.data;
    const float *x = s->vertex.data;
    float *normal = s->normal.data;
    const uint8_t *kind = s->kind.data;
    size_t turned = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = corner + 3 * t;
        float face[3];
        cross(x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], x + 3 * (size_t)c[2], face);
        const float length_sq = face[0] * face[0] + face[1] * face[1] + face[2] * face[2];
        if (!(length_sq > 0)) continue;
        for (uint32_t k = 0; k < 3; k++) {
            float *n = normal + 3 * (size_t)c[k];
            const float toward = n[0] * face[0] + n[1] * face[1] + n[2] * face[2];
            if (toward >= 0 || (keeps_free && kind[c[k]] == RNI_FREE)) continue;
            float sum[3], sum_sq = 0;
            const float each = 1 / sqrtf(length_sq);
            for (uint32_t a = 0; a < 3; a++) {
                sum[a] = n[a] + (LEAST_FACING - toward * each) * face[a] * each;
                sum_sq += sum[a] * sum[a];
            }
            for (uint32_t a = 0; a < 3; a++) n[a] = sum[a] / sqrtf(sum_sq);
            turned++;
        }
    }
    return turned;
}

/* --- volume ------------------------------------------------------------------------------------------ */

typedef struct sums {
    double volume, area, free_area;
} sums;

static void measure_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const uint32_t *corner = s->triangle.data;
    const float *x = s->vertex.data;
    const uint8_t *kind = s->kind.data;
    const float *center = s->grid.low;
    sums sum = {0};
    uint32_t begin, end;
    range_of(s->triangle_count, piece, &begin, &end);
    for (uint32_t t = begin; t < end; t++) {
        const uint32_t *c = corner + 3 * (size_t)t;
        float n[3];
        const float *a = x + 3 * (size_t)c[0];
        cross(a, x + 3 * (size_t)c[1], x + 3 * (size_t)c[2], n);
        double twice = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] +
                            (double)n[2] * (double)n[2]);
        for (uint32_t k = 0; k < 3; k++)
            sum.volume += (double)(a[k] - center[k]) * (double)n[k] / 6;
        sum.area += twice / 2;
        if (kind[c[0]] == RNI_FREE || kind[c[1]] == RNI_FREE || kind[c[2]] == RNI_FREE)
            sum.free_area += twice / 2;
    }
    ((sums *)s->partial.data)[piece] = sum;
}

static sums measure(rn_surface *s)
{
    uint32_t pieces = rni_piece_count(s->triangle_count, PIECE);
    sums all = {0};
    rni_crew_pieces(s->crew, pieces, measure_piece, s);
    for (uint32_t p = 0; p < pieces; p++) {
        const sums *part = (const sums *)s->partial.data + p;
        all.volume += part->volume;
        all.area += part->area;
        all.free_area += part->free_area;
    }
    s->volume = all.volume;
    s->area = all.area;
    return all;
}

rn_result rni_surface_measure(rn_surface *s, double *volume)
{
    if (rni_surface_need(&s->memory, &s->partial, rni_piece_count(s->triangle_count, PIECE) + 1,
                         sizeof(sums)) ||
        rni_surface_need(&s->memory, &s->kind, s->vertex_count + (uint64_t)1, 1))
        return RN_ERROR_MEMORY;
    memcpy(s->kind.data, s->on_wall.data, s->vertex_count);
    *volume = measure(s).volume;
    return RN_OK;
}

static void shift(void *data, uint32_t piece, uint32_t worker)
{
    const move *m = data;
    const rn_surface *s = m->s;
    (void)worker;
    const uint8_t *kind = s->kind.data;
    uint32_t begin, end;
    range_of(s->vertex_count, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        const float *n = m->from + 3 * (size_t)v;
        float length_sq = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (kind[v] == RNI_ON_WALL || !(length_sq > 0)) continue;
        float scale = m->factor / sqrtf(length_sq);
        float d[3] = {n[0] * scale, n[1] * scale, n[2] * scale};
        if (kind[v] != RNI_FREE)
            keep_on_wall(kind[v], (const float *)s->normal.data + 3 * (size_t)v, d);
        for (uint32_t k = 0; k < 3; k++) m->to[3 * (size_t)v + k] += d[k];
    }
}

static void restore_volume(rn_surface *s, double wanted)
{
    float limit = MAX_SHIFT * s->points.spacing;
    for (uint32_t round = 0; round < SHIFTS; round++) {
        sums all = measure(s);
        if (!(all.free_area > 0) || fabs(wanted - all.volume) < 1e-4 * wanted) return;
        float way = (float)((wanted - all.volume) / all.free_area);
        average_normals(s, s->vertex_scratch.data);
        move m = {.s = s, .from = s->vertex_scratch.data, .to = s->vertex.data};
        m.factor = fminf(fmaxf(way, -limit), limit);
        rni_crew_pieces(s->crew, rni_piece_count(s->vertex_count, PIECE), shift, &m);
        limit *= 0.5f;
    }
    (void)measure(s);
}

rn_result rni_surface_smooth(rn_surface *s)
{
    double raw;
    if (rni_surface_measure(s, &raw)) return RN_ERROR_MEMORY;
    bool is_final = s->def.smoothing == 0 && !s->def.keep_volume && s->def.keep_triangles >= 1;
    if (is_final || s->vertex_count == 0) return RN_OK;
    if (find_rings(s) || rni_surface_need(&s->memory, &s->vertex_scratch,
                                          s->vertex_count + (uint64_t)1, 3 * sizeof(float)))
        return RN_ERROR_MEMORY;
    rni_surface_find_contacts(s);
    for (uint32_t round = 0; round < s->def.smoothing; round++) {
        relax_all(s, FORTH);
        relax_all(s, BACK);
    }
    if (rni_surface_decimate(s)) return RN_ERROR_MEMORY;
    const uint32_t pieces = rni_piece_count(s->vertex_count, PIECE);
    double spacing = (double)s->points.spacing;
    double particles = spacing * spacing * spacing * s->points.count;
    bool is_close = fabs(raw - particles) < 0.15 * particles;
    restore_volume(s, s->def.keep_volume && is_close ? particles : raw);
    average_normals(s, s->vertex_scratch.data);
    normals job = {.s = s, .sum = s->vertex_scratch.data};
    job.keeps_free = s->def.smoothing == 0 && s->def.keep_triangles >= 1;
    rni_crew_pieces(s->crew, pieces, set_normals, &job);
    for (uint32_t round = 0; round < TURNS && turn_normals(s, job.keeps_free) > 0; round++)
        continue;
    return RN_OK;
}
