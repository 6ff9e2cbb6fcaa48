/* Closed meshes and films: every triangle adds where a ray leaves, and takes away where it enters.
 *
 * Corners are rounded to 1/256 of the distance between rays and edges decided in integers, so that each crossing
 * of a closed mesh counts exactly once, on shared edges and corners too. Depth is interpolated between the
 * corners (1/w is linear in the picture) and never leaves their range: triangles seen edge-on stay harmless. */
#include "xray/xray.h"

#include <math.h>

#define GRID     256       /* per ray */
#define FARTHEST (1 << 29) /* products of two differences must fit into 64 bits */
#define SHARE    8192u

/* A corner as rays see it. */
typedef struct corner {
    int32_t at[2]; /* column and row, of rays, in 1/GRID */
    double per_w;  /* 1/m */
} corner;

typedef struct job {
    rn_xray *x;
    const rn_mesh *mesh;
    rn_xray_part part;
    const float *thickness; /* of a film, or NULL */
    float offset;           /* along the normals, per thickness: -1 or 1 */
    float sign;             /* of the result */
    double w;               /* m: depths are relative to it, for their precision */
    uint32_t samples;
    uint32_t triangles; /* of all sides: a film has two */
    rni_failure failure;
} job;

/* What a worker sums over one band: by ray. */
typedef struct sums {
    float *depth;     /* m: of exits less that of entries */
    int16_t *entries; /* exits less entries; 0 for a closed mesh */
} sums;

/* --- corners ----------------------------------------------------------------------------------------- */

static rn_result make_corner(const rn_xray *x, uint32_t samples, const float p[3], uint32_t v,
                             corner *c)
{
    const rni_xray_place at = rni_xray_see(x, p);
    const rn_result result = rni_xray_check_place(x, &at, "vertex", v);
    if (result != RN_OK) return result;
    const double place[2] = {rni_xray_column(x, at.x / at.w), rni_xray_row(x, at.y / at.w)};
    for (int k = 0; k < 2; k++) {
        const double cell = place[k] * samples * GRID;
        if (!(fabs(cell) < FARTHEST))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "vertex %u is too far beside the detector; move the source away", v);
        c->at[k] = (int32_t)lrint(cell);
    }
    c->per_w = 1 / at.w;
    return RN_OK;
}

static void see_vertices(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    job *j = data;
    rn_xray *x = j->x;
    const uint32_t count = j->mesh->vertex_count;
    const float *normal = x->moved.data;
    const uint32_t *welded = x->welded.data;
    corner *list = x->place.data;
    const uint32_t end = count - piece * SHARE < SHARE ? count : (piece + 1) * SHARE;
    rn_result result = RN_OK;
    for (uint32_t v = piece * SHARE; v < end && result == RN_OK; v++) {
        const float *p = j->mesh->vertex + 3 * (size_t)v;
        result = make_corner(x, j->samples, p, v, &list[v]);
        if (result != RN_OK || !j->thickness) continue;
        float moved[3];
        const uint32_t first = welded[v];
        const float thickness = j->thickness[first];
        for (uint32_t k = 0; k < 3; k++)
            moved[k] = p[k] + j->offset * thickness * normal[3 * (size_t)first + k];
        if (thickness > 0) result = make_corner(x, j->samples, moved, v, &list[count + v]);
        else list[count + v] = list[v];
    }
    rni_failure_keep(&j->failure, result);
}

/* Corners of triangle t; those of a film's inner side follow those of the wall, turned over. */
static void corners_of(const job *j, uint32_t t, const corner *c[3])
{
    const bool is_inner = t >= j->mesh->triangle_count;
    const uint32_t *v = j->mesh->triangle + 3 * (size_t)(is_inner ? t - j->mesh->triangle_count : t);
    const corner *list = (const corner *)j->x->place.data + (is_inner ? j->mesh->vertex_count : 0);
    c[0] = &list[v[0]];
    c[1] = &list[is_inner ? v[2] : v[1]];
    c[2] = &list[is_inner ? v[1] : v[2]];
}

static int32_t least(int32_t a, int32_t b, int32_t c)
{
    const int32_t d = a < b ? a : b;
    return d < c ? d : c;
}

static int32_t most(int32_t a, int32_t b, int32_t c)
{
    return -least(-a, -b, -c);
}

/* The first ray at or after a place, and the last before it; rays lie in the middle of their cells. */
static int32_t first_ray(int32_t place)
{
    return (place - GRID / 2 + GRID - 1) >> 8;
}
static int32_t last_ray(int32_t place)
{
    return (place - GRID / 2) >> 8;
}
_Static_assert(GRID == 256, "the shifts above");

static void find_rows(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    job *j = data;
    rni_xray_rows *rows = j->x->rows.data;
    const int32_t samples = (int32_t)j->samples, wide = (int32_t)j->x->view.width * samples;
    const uint32_t end = j->triangles - piece * SHARE < SHARE ? j->triangles : (piece + 1) * SHARE;
    for (uint32_t t = piece * SHARE; t < end; t++) {
        const corner *c[3];
        corners_of(j, t, c);
        const int32_t low = first_ray(least(c[0]->at[1], c[1]->at[1], c[2]->at[1]));
        const int32_t high = last_ray(most(c[0]->at[1], c[1]->at[1], c[2]->at[1]));
        const int32_t left = first_ray(least(c[0]->at[0], c[1]->at[0], c[2]->at[0]));
        const int32_t right = last_ray(most(c[0]->at[0], c[1]->at[0], c[2]->at[0]));
        rows[t] = (rni_xray_rows){0, -1};
        if (low > high || left > right || high < 0 || right < 0 || left >= wide) continue;
        rows[t] = (rni_xray_rows){low < 0 ? 0 : low / samples, high / samples};
    }
}

/* --- triangles --------------------------------------------------------------------------------------- */

/* An edge from a to b, with the inside on its left in a picture whose rows run down. */
typedef struct edge {
    int64_t value;  /* at the first ray of the row; inside: not negative */
    int64_t across; /* change from ray to ray */
} edge;

/* Rays on an edge belong to one of its two triangles: to the one for which the edge runs down, or level to the
 * right. */
static edge edge_at(const corner *a, const corner *b, int64_t column, int64_t row)
{
    const int64_t dx = b->at[0] - a->at[0], dy = b->at[1] - a->at[1];
    const bool owns = dy > 0 || (dy == 0 && dx > 0);
    const int64_t value = dx * (row - a->at[1]) - dy * (column - a->at[0]);
    return (edge){value - (owns ? 0 : 1), -dy * GRID};
}

typedef struct plane {
    double per_w, across, down; /* 1/w at the first corner, and its change from ray to ray */
    double low, high;
} plane;

static plane plane_of(const corner *const c[3], double area)
{
    const double ax = c[1]->at[0] - c[0]->at[0], ay = c[1]->at[1] - c[0]->at[1];
    const double bx = c[2]->at[0] - c[0]->at[0], by = c[2]->at[1] - c[0]->at[1];
    const double a = c[1]->per_w - c[0]->per_w, b = c[2]->per_w - c[0]->per_w;
    return (plane){c[0]->per_w, (a * by - b * ay) / area * GRID, (b * ax - a * bx) / area * GRID,
                   fmin(c[0]->per_w, fmin(c[1]->per_w, c[2]->per_w)),
                   fmax(c[0]->per_w, fmax(c[1]->per_w, c[2]->per_w))};
}

static void add_row(const job *j, const corner *const c[3], const plane *p, int64_t row,
                    int32_t left, int32_t right, int sign, float *depth, int16_t *entries)
{
    const int64_t y = row * GRID + GRID / 2, x = (int64_t)left * GRID + GRID / 2;
    edge e[3];
    for (int k = 0; k < 3; k++) e[k] = edge_at(c[k], c[(k + 1) % 3], x, y);
    const double base = p->per_w + p->down * (double)(y - c[0]->at[1]) / GRID;
    const double from = (double)(x - c[0]->at[0]) / GRID;
    for (int32_t n = left; n <= right; n++) {
        if ((e[0].value | e[1].value | e[2].value) >= 0) {
            double per_w = base + p->across * (from + (n - left));
            per_w = per_w < p->low ? p->low : per_w > p->high ? p->high : per_w;
            depth[n] += (float)(sign * (1 / per_w - j->w));
            entries[n] = (int16_t)(entries[n] + sign);
        }
        for (int k = 0; k < 3; k++) e[k].value += e[k].across;
    }
}

static void add_triangle(const job *j, uint32_t t, int32_t first, int32_t last, const sums *s)
{
    const corner *c[3];
    corners_of(j, t, c);
    const int64_t area = (int64_t)(c[1]->at[0] - c[0]->at[0]) * (c[2]->at[1] - c[0]->at[1]) -
                         (int64_t)(c[1]->at[1] - c[0]->at[1]) * (c[2]->at[0] - c[0]->at[0]);
    if (area == 0) return;
    /* Rows run down: a triangle that faces the source, an entry, turns clockwise on the screen. */
    const int sign = area > 0 ? 1 : -1;
    if (area < 0) {
        const corner *kept = c[1];
        c[1] = c[2];
        c[2] = kept;
    }
    const plane p = plane_of(c, (double)(area < 0 ? -area : area));
    const int32_t wide = (int32_t)(j->x->view.width * j->samples);
    int32_t left = first_ray(least(c[0]->at[0], c[1]->at[0], c[2]->at[0]));
    int32_t right = last_ray(most(c[0]->at[0], c[1]->at[0], c[2]->at[0]));
    int32_t low = first_ray(least(c[0]->at[1], c[1]->at[1], c[2]->at[1]));
    int32_t high = last_ray(most(c[0]->at[1], c[1]->at[1], c[2]->at[1]));
    if (left < 0) left = 0;
    if (right >= wide) right = wide - 1;
    if (low < first) low = first;
    if (high > last) high = last;
    for (int32_t row = low; row <= high; row++) {
        const size_t at = (size_t)(row - first) * (size_t)wide;
        add_row(j, c, &p, row, left, right, sign, s->depth + at, s->entries + at);
    }
}

/* --- bands ------------------------------------------------------------------------------------------- */

/* Rays of a row whose entries and exits do not match get the length between that of their neighbours. */
static uint32_t mend_row(const sums *s, size_t at, uint32_t wide)
{
    uint32_t odd = 0;
    for (uint32_t n = 0; n < wide; n++) {
        if (s->entries[at + n] == 0) continue;
        uint32_t end = n;
        while (end < wide && s->entries[at + end] != 0) end++;
        const float before = n > 0 ? s->depth[at + n - 1] : end < wide ? s->depth[at + end] : 0;
        const float after = end < wide ? s->depth[at + end] : before;
        for (uint32_t k = n; k < end; k++)
            s->depth[at + k] = before + (after - before) * (float)(k - n + 1) / (float)(end - n + 1);
        odd += end - n;
        n = end;
    }
    return odd;
}

static void average_row(const job *j, const float *depth, uint32_t row)
{
    rn_xray *x = j->x;
    const uint32_t width = x->view.width, samples = j->samples, wide = width * samples;
    const float share = j->sign / (float)(samples * samples);
    for (uint32_t c = 0; c < width; c++) {
        float sum = 0;
        for (uint32_t r = 0; r < samples; r++)
            for (uint32_t k = 0; k < samples; k++)
                sum += depth[(size_t)r * wide + (size_t)c * samples + k];
        if (sum == 0) continue;
        double ray[2];
        rni_xray_ray(x, c + 0.5, row + 0.5, ray);
        const float slant = (float)sqrt(1 + ray[0] * ray[0] + ray[1] * ray[1]);
        rni_xray_add(x, j->part, (size_t)row * width + c, share * sum * slant);
    }
}

static size_t band_bytes(const rn_xray *x, uint32_t samples)
{
    return (size_t)x->view.width * samples * RNI_XRAY_BAND * samples *
           (sizeof(float) + sizeof(int16_t));
}

static void add_band(void *data, uint32_t band, uint32_t worker)
{
    job *j = data;
    rn_xray *x = j->x;
    const uint64_t *start = x->band_start.data;
    const uint32_t *list = x->band.data;
    uint32_t *odd = x->row_odd.data;
    odd[band] = 0;
    if (start[band] == start[band + 1]) return;
    const uint32_t samples = j->samples, first_row = band * RNI_XRAY_BAND;
    const uint32_t rows =
        x->view.height - first_row < RNI_XRAY_BAND ? x->view.height - first_row : RNI_XRAY_BAND;
    const uint32_t wide = x->view.width * samples;
    const size_t rays = (size_t)wide * RNI_XRAY_BAND * samples;
    char *scratch = (char *)x->scratch.data + (size_t)worker * band_bytes(x, samples);
    const sums s = {(float *)(void *)scratch, (int16_t *)(void *)(scratch + rays * sizeof(float))};
    for (size_t n = 0; n < rays; n++) {
        s.depth[n] = 0;
        s.entries[n] = 0;
    }
    const int32_t first = (int32_t)(first_row * samples);
    for (uint64_t n = start[band]; n < start[band + 1]; n++)
        add_triangle(j, list[n], first, first + (int32_t)(rows * samples) - 1, &s);
    for (uint32_t r = 0; r < rows * samples; r++) odd[band] += mend_row(&s, (size_t)r * wide, wide);
    for (uint32_t r = 0; r < rows; r++)
        average_row(j, s.depth + (size_t)r * samples * wide, first_row + r);
}

static rn_result add_triangles(rn_xray *x, job *j)
{
    const uint64_t sides = j->thickness ? 2 : 1;
    rni_memory *memory = &x->memory;
    rn_result result =
        rni_buffer_need(memory, &x->place, sides * j->mesh->vertex_count, sizeof(corner));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &x->rows, j->triangles, sizeof(rni_xray_rows));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &x->row_odd, x->band_count, sizeof(uint32_t));
    if (result == RN_OK)
        result =
            rni_buffer_need(memory, &x->scratch, rni_crew_size(x->crew), band_bytes(x, j->samples));
    if (result != RN_OK) return result;
    rni_crew_pieces(x->crew, rni_piece_count(j->mesh->vertex_count, SHARE), see_vertices, j);
    result = rni_failure_raise(&j->failure);
    if (result != RN_OK) return result;
    rni_crew_pieces(x->crew, rni_piece_count(j->triangles, SHARE), find_rows, j);
    result = rni_xray_fill_bands(x, x->rows.data, j->triangles);
    if (result != RN_OK) return result;
    rni_crew_pieces(x->crew, x->band_count, add_band, j);
    const uint32_t *odd = x->row_odd.data;
    for (uint32_t b = 0; b < x->band_count; b++) x->odd_rays += odd[b];
    return RN_OK;
}

/* --- meshes ------------------------------------------------------------------------------------------ */

/* Six times the enclosed volume, and the mean of w over the vertices. */
static double measure(const rn_xray *x, const rn_mesh *mesh, double *w)
{
    double volume = 0, sum = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        sum += rni_xray_see(x, mesh->vertex + 3 * (size_t)v).w;
    *w = mesh->vertex_count ? sum / mesh->vertex_count : 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3];
        for (size_t k = 0; k < 9; k++)
            p[k / 3][k % 3] =
                (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * t + k / 3] + k % 3] -
                (double)mesh->vertex[k % 3];
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                  p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return volume;
}

static rn_result begin_mesh(rn_xray *x, rn_xray_part part, const rn_mesh *mesh, job *j)
{
    rn_result result = rn_mesh_check(mesh);
    if (result == RN_OK) result = rni_xray_prepare(x, part);
    if (result != RN_OK) return result;
    *j = (job){.x = x,
               .mesh = mesh,
               .part = part,
               .offset = -1,
               .samples = 1,
               .triangles = mesh->triangle_count};
    j->sign = measure(x, mesh, &j->w) < 0 ? -1.0f : 1.0f;
    return RN_OK;
}

rn_result rn_xray_add_mesh(rn_xray *x, rn_xray_part part, const rn_mesh *mesh)
{
    if (!x || !mesh) return rni_fail(RN_ERROR_ARGUMENT, "xray and mesh must not be NULL");
    job j;
    rn_result result = begin_mesh(x, part, mesh, &j);
    if (result != RN_OK || mesh->triangle_count == 0) return result;
    return add_triangles(x, &j);
}

/* Vertices along the seam of a texture lie at one place: the inner side of a film must not gape there. */
static rn_result weld_vertices(rn_xray *x, const rn_mesh *mesh)
{
    rni_record_table *table = &x->vertices;
    rn_result result =
        rni_buffer_need(&x->memory, &x->welded, 2 * (uint64_t)mesh->vertex_count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *welded = x->welded.data, *first = welded + mesh->vertex_count;
    if (table->memory) rni_record_table_clear(table);
    else rni_record_table_init(table, &x->memory, 3);
    result = rni_record_table_reserve(table, mesh->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count && result == RN_OK; v++) {
        uint32_t number = 0;
        bool is_new = false;
        result = rni_record_table_add(table, mesh->vertex + 3 * (size_t)v, &number, &is_new);
        if (result != RN_OK) break;
        if (is_new) first[number] = v;
        welded[v] = first[number];
    }
    return result;
}

/* Normals of the welded vertices, weighted by area, in x->moved. */
static rn_result find_normals(rn_xray *x, const rn_mesh *mesh)
{
    rn_result result = weld_vertices(x, mesh);
    if (result == RN_OK)
        result =
            rni_buffer_need(&x->memory, &x->moved, 3 * (uint64_t)mesh->vertex_count, sizeof(float));
    if (result != RN_OK) return result;
    const uint32_t *welded = x->welded.data;
    float *normal = x->moved.data;
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++) normal[k] = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangle + 3 * t;
        float a[3], b[3];
        for (uint32_t k = 0; k < 3; k++) {
            a[k] = mesh->vertex[3 * (size_t)v[1] + k] - mesh->vertex[3 * (size_t)v[0] + k];
            b[k] = mesh->vertex[3 * (size_t)v[2] + k] - mesh->vertex[3 * (size_t)v[0] + k];
        }
        for (uint32_t k = 0; k < 3; k++) {
            const float part = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            for (uint32_t n = 0; n < 3; n++) normal[3 * (size_t)welded[v[n]] + k] += part;
        }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *n = normal + 3 * v;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (uint32_t k = 0; k < 3 && length > 0; k++) n[k] /= length;
    }
    return RN_OK;
}

rn_result rn_xray_add_film(rn_xray *x, rn_xray_part part, const rn_mesh *mesh,
                           const float *thickness, bool is_outside)
{
    if (!x || !mesh || !thickness)
        return rni_fail(RN_ERROR_ARGUMENT, "xray, mesh and thickness must not be NULL");
    job j;
    rn_result result = begin_mesh(x, part, mesh, &j);
    if (result != RN_OK || mesh->triangle_count == 0) return result;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (!(thickness[v] >= 0) || !isfinite(thickness[v]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "thickness[%u] is %g m; it must be finite and not negative", v,
                            (double)thickness[v]);
    if (mesh->triangle_count > RN_MESH_MAX_TRIANGLES / 2)
        return rni_fail(RN_ERROR_LIMIT, "a film of %u triangles is too large; at most %u",
                        mesh->triangle_count, RN_MESH_MAX_TRIANGLES / 2);
    j.thickness = thickness;
    j.samples = x->def.samples;
    j.triangles = 2 * mesh->triangle_count;
    /* Normals of a mesh that is inside out point inwards, and its signs are turned. */
    j.offset = is_outside ? j.sign : -j.sign;
    if (is_outside) j.sign = -j.sign;
    result = find_normals(x, mesh);
    return result == RN_OK ? add_triangles(x, &j) : result;
}
