/* Particles on the screen, the depth map, its silhouettes and its smoothing. */
#include "surface/screen.h"

#include <math.h>
#include <string.h>

#define PIECE 4096u

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
    disc->x = s->middle[0] + s->scale * along[0] / along[2];
    disc->y = s->middle[1] + s->scale * along[1] / along[2];
    disc->radius = s->scale * s->radius / along[2];
    bool is_seen = disc->x + disc->radius >= 0 && disc->y + disc->radius >= 0 &&
                   disc->x - disc->radius <= (float)(s->columns - 1) &&
                   disc->y - disc->radius <= (float)(s->rows - 1);
    if (is_seen) disc->depth = along[2];
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
    float low = floorf(disc->y - disc->radius) - 1;
    float high = ceilf(disc->y + disc->radius) + 1;
    uint32_t row = low > 0 ? (uint32_t)low : 0;
    uint32_t end = high < (float)(s->rows - 1) ? (uint32_t)fmaxf(high, 0) : s->rows - 1;
    *first = (row < s->rows ? row : s->rows - 1) / RNI_BAND;
    *last = end / RNI_BAND;
}

static rn_result sort_bands(rn_screen *s)
{
    uint32_t bands = (s->rows - 1) / RNI_BAND + 1;
    const rni_disc *disc = s->disc.data;
    if (rni_screen_need(&s->memory, &s->band_start, bands + (uint64_t)2, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint32_t *start = s->band_start.data;
    memset(start, 0, (bands + (size_t)2) * sizeof *start);
    uint32_t first, last;
    for (uint32_t i = 0; i < s->points.count; i++) {
        if (disc[i].depth < 0) continue;
        bands_of(s, &disc[i], &first, &last);
        for (uint32_t b = first; b <= last; b++) start[b + 2]++;
    }
    for (uint32_t b = 0; b < bands; b++) start[b + 2] += start[b + 1];
    if (rni_screen_need(&s->memory, &s->band, start[bands + 1] + (uint64_t)1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint32_t *band = s->band.data;
    for (uint32_t i = 0; i < s->points.count; i++) {
        if (disc[i].depth < 0) continue;
        bands_of(s, &disc[i], &first, &last);
        for (uint32_t b = first; b <= last; b++) band[start[b + 1]++] = i;
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

/* Grahn's equations 6.6 and 6.7 with the radius in metres along the view: the front of a sphere. */
static void splat_row(const rn_screen *s, const rni_disc *disc, uint32_t row, float *depth)
{
    float dy = (float)row - disc->y;
    float rest = disc->radius * disc->radius - dy * dy;
    uint32_t first, last;
    if (rest < 0) return;
    float half = sqrtf(rest);
    if (!clip(disc->x - half, disc->x + half, s->columns, &first, &last)) return;
    float per_cell = s->radius / disc->radius;
    for (uint32_t i = first; i <= last; i++) {
        float dx = (float)i - disc->x;
        float z = disc->depth - per_cell * sqrtf(fmaxf(rest - dx * dx, 0));
        depth[i] = z < depth[i] ? z : depth[i];
    }
}

static void splat_band(void *data, uint32_t b, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const uint32_t *start = s->band_start.data;
    const uint32_t *band = s->band.data;
    uint32_t begin = b * RNI_BAND;
    uint32_t end = begin + RNI_BAND < s->rows ? begin + RNI_BAND : s->rows;
    float *depth = s->depth.data;
    for (size_t n = (size_t)begin * s->columns; n < (size_t)end * s->columns; n++)
        depth[n] = INFINITY;
    for (uint32_t n = start[b]; n < start[b + 1]; n++) {
        const rni_disc *disc = (const rni_disc *)s->disc.data + band[n];
        uint32_t first, last;
        if (!clip(disc->y - disc->radius, disc->y + disc->radius, s->rows, &first, &last)) continue;
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
    float across = (float)line - (axis == 0 ? disc->y : disc->x);
    float rest = disc->radius * disc->radius - across * across;
    if (rest < 0) return;
    float half = sqrtf(rest);
    float center = axis == 0 ? disc->x : disc->y;
    for (uint32_t side = 0; side < 2; side++) {
        float at = side ? center + half : center - half;
        if (!(at >= 0)) continue;
        uint32_t n = (uint32_t)fminf(at, 1e6f);
        if (n < begin || n >= end) continue;
        size_t node = axis == 0 ? (size_t)line * s->columns + n : (size_t)n * s->columns + line;
        size_t next = axis == 0 ? node + 1 : node + s->columns;
        offer_cut(s, depth[node], depth[next], at - (float)n, disc->depth, &cut[node]);
    }
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
    for (uint32_t n = start[b]; n < start[b + 1]; n++) {
        const rni_disc *disc = (const rni_disc *)s->disc.data + band[n];
        uint32_t first, last;
        if (clip(disc->y - disc->radius, disc->y + disc->radius, s->rows, &first, &last))
            for (uint32_t row = first > begin ? first : begin; row <= last && row < end; row++)
                cut_line(s, disc, 0, row, 0, s->columns - 1);
        if (clip(disc->x - disc->radius, disc->x + disc->radius, s->columns, &first, &last))
            for (uint32_t column = first; column <= last; column++)
                cut_line(s, disc, 1, column, begin, end < s->rows ? end : s->rows - 1);
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
        rni_screen_need(&s->memory, &s->cut[0], nodes, sizeof(rni_cut)) ||
        rni_screen_need(&s->memory, &s->cut[1], nodes, sizeof(rni_cut)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, bands, splat_band, s);
    rni_crew_pieces(s->crew, bands, cut_band, s);
    smooth_depth(s);
    return RN_OK;
}
