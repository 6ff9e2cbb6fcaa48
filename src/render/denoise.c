/* The filter that takes the noise of few samples away (Dammertz et al. 2010): weighted means over ever wider
 * neighbourhoods, in which pixels of another surface, colour or brightness count little.
 *
 * Light is first divided by the colour of the surface, so that patterns stay sharp. All values are in planes, one
 * float a pixel, and a tap is added to a run of pixels at a time: the compiler makes vectors of it. */
#include "render/stage.h"

#include <string.h>

#define ROUNDS      4u
#define RUN         256u  /* pixels that are filtered together */
#define COLOR_LEAST 0.02f /* of a surface, as a divisor */

typedef enum plane {
    LIGHT, /* three: red, green, blue, divided by the colour of the surface */
    SEEN = LIGHT +
           3, /* brightness as the eye sees it: differences in the shade count as much as in the light */
    NEXT, /* three and one: the same after a round */
    NORMAL = NEXT + 4,
    DISTANCE = NORMAL + 3,
    COLOR,
    PLANES = COLOR + 3
} plane;

typedef struct job {
    const rni_stage *stage;
    float *plane[PLANES];
    uint32_t width, height, step;
    uint32_t from, to;  /* LIGHT or NEXT */
    float tolerance_sq; /* of brightness */
} job;

static float seen(float r, float g, float b)
{
    return sqrtf(0.3f * r + 0.5f * g + 0.2f * b);
}

/* Adds one tap to the sums of count pixels: those at here, with neighbours at there. */
static void add_tap(const job *j, size_t here, size_t there, uint32_t count, float kernel,
                    float *restrict red, float *restrict green, float *restrict blue,
                    float *restrict total)
{
    float *const *p = j->plane;
    const float *r = p[j->from] + there, *g = p[j->from + 1] + there, *b = p[j->from + 2] + there;
    const float *s = p[j->from + 3], *nx = p[NORMAL], *ny = p[NORMAL + 1], *nz = p[NORMAL + 2];
    const float *d = p[DISTANCE], *cr = p[COLOR], *cg = p[COLOR + 1], *cb = p[COLOR + 2];
    float gap_scale = 1 / (0.004f * (float)j->step), other_scale = 1 / j->tolerance_sq;
    for (uint32_t k = 0; k < count; k++) {
        size_t a = here + k, o = there + k;
        float facing = nx[a] * nx[o] + ny[a] * ny[o] + nz[a] * nz[o];
        facing = facing > 0 ? facing * facing : 0;
        facing *= facing;
        float gap = (d[a] - d[o]) / (d[a] + 1e-12f) * gap_scale;
        float tr = cr[a] - cr[o], tg = cg[a] - cg[o], tb = cb[a] - cb[o], other = s[a] - s[o];
        float apart = (gap > 0 ? gap : -gap) + 40 * (tr * tr + tg * tg + tb * tb) +
                      other * other * other_scale;
        /* Nearly exp(-apart). */
        float base = 1 + 0.25f * apart;
        base *= base;
        float weight = kernel * facing * facing / (base * base);
        red[k] += weight * r[k];
        green[k] += weight * g[k];
        blue[k] += weight * b[k];
        total[k] += weight;
    }
}

static void filter_run(const job *j, uint32_t x, uint32_t y, uint32_t count)
{
    static const float kernel[2] = {0.5f, 0.25f};
    float sum[4][RUN];
    size_t here = (size_t)y * j->width + x;
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t k = 0; k < count; k++) sum[c][k] = 0.25f * j->plane[j->from + c][here + k];
    for (uint32_t k = 0; k < count; k++) sum[3][k] = 0.25f;
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            int64_t row = (int64_t)y + (int64_t)dy * j->step, shift = (int64_t)dx * j->step;
            if ((dx == 0 && dy == 0) || row < 0 || row >= j->height) continue;
            int64_t low = x, high = (int64_t)x + count;
            if (low + shift < 0) low = -shift;
            if (high + shift > j->width) high = (int64_t)j->width - shift;
            if (low >= high) continue;
            uint32_t skip = (uint32_t)(low - x);
            add_tap(j, here + skip, (size_t)(row * j->width + low + shift), (uint32_t)(high - low),
                    kernel[dx != 0] * kernel[dy != 0], sum[0] + skip, sum[1] + skip, sum[2] + skip,
                    sum[3] + skip);
        }
    for (uint32_t k = 0; k < count; k++) {
        float each = 1 / sum[3][k];
        float r = sum[0][k] * each, g = sum[1][k] * each, b = sum[2][k] * each;
        j->plane[j->to][here + k] = r;
        j->plane[j->to + 1][here + k] = g;
        j->plane[j->to + 2][here + k] = b;
        j->plane[j->to + 3][here + k] = seen(r, g, b);
    }
}

static void filter_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t x = 0; x < j->width; x += RUN)
        filter_run(j, x, y, j->width - x < RUN ? j->width - x : RUN);
}

/* --- from pixels to planes and back ----------------------------------------------------------------------- */

static void put_three(const job *j, uint32_t first, size_t pixel, rni_vec v)
{
    j->plane[first][pixel] = v.x;
    j->plane[first + 1][pixel] = v.y;
    j->plane[first + 2][pixel] = v.z;
}

static rni_vec divisor(rni_vec color)
{
    return (rni_vec){fmaxf(color.x, COLOR_LEAST), fmaxf(color.y, COLOR_LEAST),
                     fmaxf(color.z, COLOR_LEAST)};
}

static void unpack_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const rni_studio *studio = j->stage->studio;
    for (size_t k = (size_t)y * j->width; k < (size_t)(y + 1) * j->width; k++) {
        rni_vec light = ((const rni_vec *)studio->light.data)[k];
        rni_vec color = divisor(((const rni_vec *)studio->albedo.data)[k]);
        const rni_guide *guide = &((const rni_guide *)studio->guide.data)[k];
        light = (rni_vec){light.x / color.x, light.y / color.y, light.z / color.z};
        put_three(j, LIGHT, k, light);
        put_three(j, COLOR, k, color);
        put_three(j, NORMAL, k, guide->normal);
        j->plane[SEEN][k] = seen(light.x, light.y, light.z);
        j->plane[DISTANCE][k] = guide->distance;
    }
}

/* A single dark pixel among brighter ones is noise, too: it takes the brightness of the darkest of them. Bright
 * ones stay: they are the glitter of the water. */
static void lift_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const float *s = j->plane[SEEN];
    for (uint32_t x = 0; x < j->width; x++) {
        size_t here = (size_t)y * j->width + x;
        float factor = 1;
        if (x > 0 && y > 0 && x + 1 < j->width && y + 1 < j->height) {
            float least = INFINITY;
            for (size_t row = here - j->width; row <= here + j->width; row += j->width) {
                least = fminf(least, fminf(s[row - 1], s[row + 1]));
                if (row != here) least = fminf(least, s[row]);
            }
            if (s[here] > 0 && s[here] < least) factor = least / s[here];
        }
        for (uint32_t c = 0; c < 3; c++)
            j->plane[NEXT + c][here] = j->plane[LIGHT + c][here] * factor * factor;
        j->plane[NEXT + 3][here] = s[here] * factor;
    }
}

static void pack_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    rni_vec *light = j->stage->studio->light.data;
    for (size_t k = (size_t)y * j->width; k < (size_t)(y + 1) * j->width; k++)
        light[k] = (rni_vec){j->plane[j->from][k] * j->plane[COLOR][k],
                             j->plane[j->from + 1][k] * j->plane[COLOR + 1][k],
                             j->plane[j->from + 2][k] * j->plane[COLOR + 2][k]};
}

rn_result rni_denoise(rni_stage *stage)
{
    rni_studio *studio = stage->studio;
    const rni_picture *p = &stage->shot->picture;
    size_t pixels = (size_t)p->width * p->height;
    rn_result result =
        rni_buffer_need(&studio->memory, &studio->planes, pixels, PLANES * sizeof(float));
    if (result != RN_OK) return result;
    job j = {.stage = stage, .width = p->width, .height = p->height};
    for (uint32_t k = 0; k < PLANES; k++) j.plane[k] = (float *)studio->planes.data + k * pixels;
    rni_crew_pieces(studio->crew, p->height, unpack_row, &j);
    rni_crew_pieces(studio->crew, p->height, lift_row, &j);
    j.from = NEXT, j.to = LIGHT;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        float tolerance = 0.55f / sqrtf((float)stage->shot->samples) / (float)(1u << round) + 0.01f;
        j.step = 1u << round;
        j.tolerance_sq = tolerance * tolerance;
        rni_crew_pieces(studio->crew, p->height, filter_row, &j);
        j.from = j.to;
        j.to = j.to == LIGHT ? NEXT : LIGHT;
    }
    rni_crew_pieces(studio->crew, p->height, pack_row, &j);
    return RN_OK;
}
