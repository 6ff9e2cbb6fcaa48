/* Particles on the screen, the depth map, its silhouettes and its smoothing.
 *
 * A ray u, v, 1 meets a sphere around depth (u0, v0, 1) of radius depth sqrt(k) if, with a = u - u0 and b = v - v0,
 *     a^2 + b^2 + (u0 b - v0 a)^2 <= k (1 + u^2 + v^2).
 * The papers draw discs instead (Grahn's equations 6.5 to 6.7); they are the same in the middle of the picture, while
 * towards its edges a sphere looks like an ellipse. */
#include "surface/screen.h"

#include <math.h>
#include <string.h>

#define PIECE   4096u
#define BUCKETS 256u
#define CHUNK   256u /* discs between two looks at the tiles */

/* --- particles to discs ------------------------------------------------------------------------------ */

static void project_one(const rn_screen *s, const float *x, rni_disc *disc)
{
    float d[3], along[3];
    const float *axes[3] = {s->right, s->up, s->ahead};
    for (uint32_t k = 0; k < 3; k++) d[k] = x[k] - s->camera.eye[k];
    for (uint32_t k = 0; k < 3; k++)
        along[k] = d[0] * axes[k][0] + d[1] * axes[k][1] + d[2] * axes[k][2];
    disc->depth = -1;
    if (!(along[2] - s->radius > s->camera.near_distance)) return;
    float share = s->radius / along[2];
    disc->u = along[0] / along[2];
    disc->v = along[1] / along[2];
    disc->k = share * share;
    disc->front = along[2] - s->radius;
    disc->reach = share * sqrtf(1 + disc->u * disc->u + disc->v * disc->v) / (1 - share);
    float most[2] = {s->middle[0] / s->scale, s->middle[1] / s->scale};
    if (fabsf(disc->u) - disc->reach <= most[0] && fabsf(disc->v) - disc->reach <= most[1])
        disc->depth = along[2];
}

static const float *position_of(const rn_surface_points *points, uint32_t i)
{
    size_t stride = points->stride_bytes ? points->stride_bytes : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)points->position + i * stride);
}

static void project_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    rni_disc *disc = s->disc.data;
    uint32_t *failed = (uint32_t *)s->failed.data + piece;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->points.count - begin < PIECE ? s->points.count : begin + PIECE;
    *failed = RNI_NONE;
    for (uint32_t i = begin; i < end; i++) {
        const float *x = position_of(&s->points, i);
        if (!(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) && *failed == RNI_NONE)
            *failed = i;
        project_one(s, x, &disc[i]);
    }
}

/* Bands that a disc touches, with one row more on each side for its cuts. */
static void bands_of(const rn_screen *s, const rni_disc *disc, uint32_t *first, uint32_t *last)
{
    float low = floorf(s->middle[1] + s->scale * (disc->v - disc->reach)) - 1;
    float high = ceilf(s->middle[1] + s->scale * (disc->v + disc->reach)) + 1;
    uint32_t row = low > 0 ? (uint32_t)low : 0;
    uint32_t end = high < (float)(s->rows - 1) ? (uint32_t)fmaxf(high, 0) : s->rows - 1;
    *first = (row < s->rows ? row : s->rows - 1) / RNI_BAND;
    *last = end / RNI_BAND;
}

/* The discs on the screen from near to far, roughly: hidden ones are then found hidden. */
static rn_result sort_depth(rn_screen *s, uint32_t *count)
{
    const rni_disc *disc = s->disc.data;
    uint32_t start[BUCKETS + 1] = {0};
    float low = INFINITY, high = 0;
    if (rni_screen_need(&s->memory, &s->order, s->points.count + (uint64_t)1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint32_t *order = s->order.data;
    for (uint32_t i = 0; i < s->points.count; i++) {
        if (disc[i].depth < 0) continue;
        low = disc[i].depth < low ? disc[i].depth : low;
        high = disc[i].depth > high ? disc[i].depth : high;
    }
    float scale = high > low ? ((float)BUCKETS - 0.5f) / (high - low) : 0;
    for (uint32_t i = 0; i < s->points.count; i++)
        if (disc[i].depth >= 0) start[(uint32_t)((disc[i].depth - low) * scale) + 1]++;
    for (uint32_t k = 0; k < BUCKETS; k++) start[k + 1] += start[k];
    *count = start[BUCKETS];
    for (uint32_t i = 0; i < s->points.count; i++)
        if (disc[i].depth >= 0) order[start[(uint32_t)((disc[i].depth - low) * scale)]++] = i;
    return RN_OK;
}

static rn_result sort_bands(rn_screen *s)
{
    uint32_t bands = (s->rows - 1) / RNI_BAND + 1;
    const rni_disc *disc = s->disc.data;
    uint32_t count;
    if (sort_depth(s, &count) ||
        rni_screen_need(&s->memory, &s->band_start, bands + (uint64_t)2, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    const uint32_t *order = s->order.data;
    uint32_t *start = s->band_start.data;
    memset(start, 0, (bands + (size_t)2) * sizeof *start);
    uint32_t first, last;
    for (uint32_t n = 0; n < count; n++) {
        bands_of(s, &disc[order[n]], &first, &last);
        for (uint32_t b = first; b <= last; b++) start[b + 2]++;
    }
    for (uint32_t b = 0; b < bands; b++) start[b + 2] += start[b + 1];
    if (rni_screen_need(&s->memory, &s->band, start[bands + 1] + (uint64_t)1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint32_t *band = s->band.data;
    for (uint32_t n = 0; n < count; n++) {
        bands_of(s, &disc[order[n]], &first, &last);
        for (uint32_t b = first; b <= last; b++) band[start[b + 1]++] = order[n];
    }
    return RN_OK;
}

rn_result rni_screen_project(rn_screen *s)
{
    uint32_t pieces = rni_piece_count(s->points.count, PIECE);
    if (rni_screen_need(&s->memory, &s->disc, s->points.count + (uint64_t)1, sizeof(rni_disc)) ||
        rni_screen_need(&s->memory, &s->failed, pieces + (uint64_t)1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, pieces, project_piece, s);
    for (uint32_t p = 0; p < pieces; p++) {
        uint32_t i = ((const uint32_t *)s->failed.data)[p];
        if (i != RNI_NONE)
            return rni_fail(RN_ERROR_ARGUMENT, "particle %u is not at a finite position", i);
    }
    return sort_bands(s);
}

/* --- depth ------------------------------------------------------------------------------------------- */

/* Whole numbers from low to high, cut to 0 .. count - 1; false: there are none. */
static bool clip(float low, float high, uint32_t count, uint32_t *first, uint32_t *last)
{
    if (high < 0 || low > (float)(count - 1)) return false;
    *first = low > 0 ? (uint32_t)ceilf(low) : 0;
    *last = high < (float)(count - 1) ? (uint32_t)high : count - 1;
    return *first <= *last;
}

/* Where the outline of a sphere crosses the line at b across from its centre: offsets from the centre along the
 * line. u and v: of the centre, along the line and across. */
static bool find_span(float u, float v, float k, float b, float span[2])
{
    float square = 1 + v * v - k;
    float half = u * (v * b + k);
    float rest = b * b * (1 + u * u) - k * (1 + u * u + (v + b) * (v + b));
    float root_sq = half * half - square * rest;
    if (!(root_sq >= 0) || !(square > 0)) return false;
    float root = sqrtf(root_sq);
    span[0] = (half - root) / square;
    span[1] = (half + root) / square;
    return true;
}

/* m: where the ray at a, b from the centre first meets the sphere; or comes closest to it. */
static float depth_at(const rni_disc *disc, float a, float b)
{
    float u = disc->u + a;
    float v = disc->v + b;
    float turned = disc->u * b - disc->v * a;
    float length_sq = 1 + u * u + v * v;
    float inside = disc->k * length_sq - (a * a + b * b + turned * turned);
    float along = -(u * a + v * b);
    return disc->depth * (1 + (along - sqrtf(inside > 0 ? inside : 0)) / length_sq);
}

static void splat_row(const rn_screen *s, const rni_disc *disc, uint32_t row, float *depth)
{
    float b = ((float)row - s->middle[1]) / s->scale - disc->v;
    float span[2];
    uint32_t first, last;
    if (!find_span(disc->u, disc->v, disc->k, b, span)) return;
    float low = s->middle[0] + s->scale * (disc->u + span[0]);
    float high = s->middle[0] + s->scale * (disc->u + span[1]);
    if (!clip(low, high, s->columns, &first, &last)) return;
    float width = 1 / s->scale;
    for (uint32_t i = first; i <= last; i++) {
        if (!(disc->front < depth[i])) continue;
        float z = depth_at(disc, ((float)i - s->middle[0]) * width - disc->u, b);
        depth[i] = z < depth[i] ? z : depth[i];
    }
}

/* Rows or columns of nodes that a disc touches. */
static bool find_lines(const rn_screen *s, const rni_disc *disc, uint32_t axis, uint32_t *first,
                       uint32_t *last)
{
    float at = s->middle[axis] + s->scale * (axis == 0 ? disc->u : disc->v);
    float reach = s->scale * disc->reach;
    return clip(at - reach, at + reach, axis == 0 ? s->columns : s->rows, first, last);
}

/* --- tiles: what is hidden --- */

static uint32_t tile_count(const rn_screen *s)
{
    return (s->columns - 1) / RNI_TILE + 1;
}

static void look_at_tiles(const rn_screen *s, uint32_t begin, uint32_t end, float *far_depth)
{
    const float *depth = s->depth.data;
    for (uint32_t t = 0; t < tile_count(s); t++) far_depth[t] = 0;
    for (uint32_t row = begin; row < end; row++)
        for (uint32_t t = 0; t < tile_count(s); t++) {
            uint32_t last = (t + 1) * RNI_TILE < s->columns ? (t + 1) * RNI_TILE : s->columns;
            float most = far_depth[t];
            for (uint32_t i = t * RNI_TILE; i < last; i++) {
                float z = depth[(size_t)row * s->columns + i];
                most = z > most ? z : most;
            }
            far_depth[t] = most;
        }
}

/* Whether all nodes of the tiles that a disc touches are in front of it. */
static bool is_hidden(const rn_screen *s, const rni_disc *disc, const float *far_depth)
{
    uint32_t first, last;
    if (!find_lines(s, disc, 0, &first, &last)) return false;
    if (first > 0) first--;
    for (uint32_t t = first / RNI_TILE; t <= last / RNI_TILE; t++)
        if (disc->front < far_depth[t]) return false;
    return true;
}

static void splat_band(void *data, uint32_t b, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const uint32_t *start = s->band_start.data;
    const uint32_t *band = s->band.data;
    float *far_depth = (float *)s->far_depth.data + (size_t)b * tile_count(s);
    uint32_t begin = b * RNI_BAND;
    uint32_t end = begin + RNI_BAND < s->rows ? begin + RNI_BAND : s->rows;
    float *depth = s->depth.data;
    for (size_t n = (size_t)begin * s->columns; n < (size_t)end * s->columns; n++)
        depth[n] = INFINITY;
    for (uint32_t n = start[b]; n < start[b + 1]; n++) {
        const rni_disc *disc = (const rni_disc *)s->disc.data + band[n];
        uint32_t first, last;
        if ((n - start[b]) % CHUNK == 0) look_at_tiles(s, begin, end, far_depth);
        if (!find_lines(s, disc, 1, &first, &last) || is_hidden(s, disc, far_depth)) continue;
        for (uint32_t row = first > begin ? first : begin; row <= last && row < end; row++)
            splat_row(s, disc, row, depth + (size_t)row * s->columns);
    }
}

/* --- silhouettes ------------------------------------------------------------------------------------- */

/* A particle's border crosses the edge between nodes of depths a (at 0) and b (at 1), at `at`. Of all cuts in front of the
 * middle depth, the one farthest from the nearer node counts. */
static void offer_cut(const rn_screen *s, float a, float b, float at, float particle_depth,
                      rni_cut *cut)
{
    if (!rni_screen_is_apart(s, a, b)) return;
    if (!(particle_depth < 0.5f * (a + b))) return;
    float share = a < b ? at : 1 - at;
    if (share < cut->share || (share == cut->share && particle_depth >= cut->depth)) return;
    *cut = (rni_cut){.share = share, .depth = particle_depth};
}

/* Cuts of a disc with the edges along one axis in a row or column of nodes. */
static void cut_line(const rn_screen *s, const rni_disc *disc, uint32_t axis, uint32_t line,
                     uint32_t begin, uint32_t end)
{
    const float *depth = s->depth.data;
    rni_cut *cut = s->cut[axis].data;
    float u = axis == 0 ? disc->u : disc->v; /* along the line */
    float v = axis == 0 ? disc->v : disc->u;
    float b = ((float)line - s->middle[1 - axis]) / s->scale - v;
    float span[2];
    if (!find_span(u, v, disc->k, b, span)) return;
    for (uint32_t side = 0; side < 2; side++) {
        float at = s->middle[axis] + s->scale * (u + span[side]);
        if (!(at >= 0)) continue;
        uint32_t n = (uint32_t)fminf(at, 1e6f);
        if (n < begin || n >= end) continue;
        size_t node = axis == 0 ? (size_t)line * s->columns + n : (size_t)n * s->columns + line;
        size_t next = axis == 0 ? node + 1 : node + s->columns;
        float z = axis == 0 ? depth_at(disc, span[side], b) : depth_at(disc, b, span[side]);
        offer_cut(s, depth[node], depth[next], at - (float)n, z, &cut[node]);
    }
}

static void count_apart(void *data, uint32_t row, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const float *depth = (const float *)s->depth.data + (size_t)row * s->columns;
    for (uint32_t axis = 0; axis < 2; axis++) {
        uint32_t *apart = (uint32_t *)s->apart[axis].data + (size_t)row * (s->columns + 1);
        size_t stride = axis == 0 ? 1 : s->columns;
        uint32_t count = 0;
        for (uint32_t i = 0; i < s->columns; i++) {
            apart[i] = count;
            bool has_edge = axis == 0 ? i + 1 < s->columns : row + 1 < s->rows;
            if (has_edge) count += rni_screen_is_apart(s, depth[i], depth[i + stride]);
        }
        apart[s->columns] = count;
    }
}

/* Whether edges between layers start in columns first - 1 to last of a row. */
static bool has_apart(const rn_screen *s, uint32_t axis, uint32_t row, uint32_t first, uint32_t last)
{
    const uint32_t *apart = (const uint32_t *)s->apart[axis].data + (size_t)row * (s->columns + 1);
    return apart[last + 1] > apart[first > 0 ? first - 1 : 0];
}

/* The cuts of a disc with edges that start in rows begin to end - 1. */
static void cut_disc(const rn_screen *s, const rni_disc *disc, uint32_t begin, uint32_t end)
{
    uint32_t row, last_row, column, last_column;
    if (!find_lines(s, disc, 1, &row, &last_row) || !find_lines(s, disc, 0, &column, &last_column))
        return;
    if (row > 0) row--;
    if (row < begin) row = begin;
    bool has_upright = false;
    for (; row <= last_row && row < end; row++) {
        if (has_apart(s, 0, row, column, last_column)) cut_line(s, disc, 0, row, 0, s->columns - 1);
        has_upright |= has_apart(s, 1, row, column, last_column);
    }
    for (; has_upright && column <= last_column; column++)
        cut_line(s, disc, 1, column, begin, end < s->rows ? end : s->rows - 1);
}

static void cut_band(void *data, uint32_t b, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const uint32_t *start = s->band_start.data;
    const uint32_t *band = s->band.data;
    uint32_t begin = b * RNI_BAND;
    uint32_t end = begin + RNI_BAND < s->rows ? begin + RNI_BAND : s->rows;
    for (uint32_t axis = 0; axis < 2; axis++) {
        rni_cut *cut = s->cut[axis].data;
        for (size_t n = (size_t)begin * s->columns; n < (size_t)end * s->columns; n++)
            cut[n] = (rni_cut){.share = -1};
    }
    float *far_depth = (float *)s->far_depth.data + (size_t)b * tile_count(s);
    look_at_tiles(s, begin, end < s->rows ? end + 1 : end, far_depth);
    for (uint32_t n = start[b]; n < start[b + 1]; n++) {
        const rni_disc *disc = (const rni_disc *)s->disc.data + band[n];
        if (!is_hidden(s, disc, far_depth)) cut_disc(s, disc, begin, end);
    }
}

/* --- smoothing --------------------------------------------------------------------------------------- */

/* A binomial filter of at most 65 weights, along rows (stride 1) or columns; it ends where the layer ends. */
typedef struct filter {
    rn_screen *s;
    const float *from;
    float *to;
    uint32_t axis;
    float weight[33]; /* by distance from the node */
} filter;

static float filter_node(const filter *f, size_t node, uint32_t at, uint32_t count, size_t stride)
{
    const rn_screen *s = f->s;
    float here = f->from[node];
    float sum = f->weight[0] * here;
    float total = f->weight[0];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t most = side ? count - 1 - at : at;
        if (most > s->def.depth_smoothing) most = s->def.depth_smoothing;
        float last = here;
        for (uint32_t n = 1; n <= most; n++) {
            float z = f->from[side ? node + n * stride : node - n * stride];
            if (!isfinite(z) || rni_screen_is_apart(s, last, z)) break;
            sum += f->weight[n] * z;
            total += f->weight[n];
            last = z;
        }
    }
    return sum / total;
}

static void filter_row(void *data, uint32_t row, uint32_t worker)
{
    const filter *f = data;
    const rn_screen *s = f->s;
    (void)worker;
    for (uint32_t i = 0; i < s->columns; i++) {
        size_t node = (size_t)row * s->columns + i;
        f->to[node] = f->from[node];
        if (!isfinite(f->from[node])) continue;
        f->to[node] = f->axis == 0 ? filter_node(f, node, i, s->columns, 1)
                                   : filter_node(f, node, row, s->rows, s->columns);
    }
}

static void smooth_depth(rn_screen *s)
{
    uint32_t n = s->def.depth_smoothing;
    filter f = {.s = s, .from = s->depth.data, .to = s->smooth_scratch.data, .axis = 0};
    /* Binomial coefficients of 2 n, relative to the middle one. */
    f.weight[0] = 1;
    for (uint32_t k = 1; k <= n; k++)
        f.weight[k] = f.weight[k - 1] * (float)(n - k + 1) / (float)(n + k);
    rni_crew_pieces(s->crew, s->rows, filter_row, &f);
    f.from = s->smooth_scratch.data;
    f.to = s->smooth.data;
    f.axis = 1;
    rni_crew_pieces(s->crew, s->rows, filter_row, &f);
}

rn_result rni_screen_find_depth(rn_screen *s)
{
    uint64_t nodes = (uint64_t)s->columns * s->rows;
    uint32_t bands = (s->rows - 1) / RNI_BAND + 1;
    if (rni_screen_need(&s->memory, &s->depth, nodes, sizeof(float)) ||
        rni_screen_need(&s->memory, &s->smooth, nodes, sizeof(float)) ||
        rni_screen_need(&s->memory, &s->smooth_scratch, nodes, sizeof(float)) ||
        rni_screen_need(&s->memory, &s->far_depth, (uint64_t)bands * tile_count(s), sizeof(float)) ||
        rni_screen_need(&s->memory, &s->apart[0], nodes + s->rows, sizeof(uint32_t)) ||
        rni_screen_need(&s->memory, &s->apart[1], nodes + s->rows, sizeof(uint32_t)) ||
        rni_screen_need(&s->memory, &s->cut[0], nodes, sizeof(rni_cut)) ||
        rni_screen_need(&s->memory, &s->cut[1], nodes, sizeof(rni_cut)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, bands, splat_band, s);
    rni_crew_pieces(s->crew, s->rows, count_apart, s);
    rni_crew_pieces(s->crew, bands, cut_band, s);
    smooth_depth(s);
    return RN_OK;
}
