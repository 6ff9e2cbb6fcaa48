#include "broadphase/scenes.h"

#include "base/random.h"
#include "slowness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void box(scene *s, uint32_t i, const float centre[3], const float half[3])
{
    for (int a = 0; a < 3; a++) {
        s->low[i][a] = centre[a] - half[a];
        s->high[i][a] = centre[a] + half[a];
    }
}

static void cube(scene *s, uint32_t i, float x, float y, float z, float half)
{
    box(s, i, (const float[3]){x, y, z}, (const float[3]){half, half, half});
}

/* Boxes of edges from `small` to `large`, log-uniform, in a cube from low to high. */
static void fill(scene *s, rni_random *r, float low, float high, float small, float large)
{
    for (uint32_t i = 0; i < s->count; i++) {
        float centre[3], half[3];
        for (int a = 0; a < 3; a++) {
            centre[a] = rni_random_float(r, low, high);
            half[a] = 0.5f * small * powf(large / small, (float)rni_random_unit(r));
        }
        box(s, i, centre, half);
    }
}

static void equal_sizes(scene *s, rni_random *r)
{
    float side = cbrtf((float)s->count * 5.2f);
    for (uint32_t i = 0; i < s->count; i++)
        cube(s, i, rni_random_float(r, 0, side), rni_random_float(r, 0, side),
             rni_random_float(r, 0, side), 0.5f);
}

static void mixed_sizes(scene *s, rni_random *r)
{
    fill(s, r, -50.0f, 70.0f, 0.01f, 40.0f);
}

static void flat_and_long(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, 30.0f, 0.3f, 0.6f);
    for (uint32_t i = 0; i < s->count; i++) {
        s->high[i][i % 3] += 10.0f;
        if (i % 5 == 0) s->high[i][(i + 1) % 3] += 5.0f;
    }
}

/* Neighbours share faces, edges and corners to the bit. */
static void touching_lattice(scene *s, rni_random *r)
{
    (void)r;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t at[3] = {i % 11, i / 11 % 11, i / 121};
        for (int a = 0; a < 3; a++) {
            s->low[i][a] = 0.5f * (float)at[a] - 2.0f;
            s->high[i][a] = 0.5f * (float)(at[a] + 1) - 2.0f;
        }
    }
}

/* The same with the smallest possible float gap. */
static void lattice_with_hair_gaps(scene *s, rni_random *r)
{
    touching_lattice(s, r);
    for (uint32_t i = 0; i < s->count; i++)
        for (int a = 0; a < 3; a++) s->high[i][a] = nextafterf(s->high[i][a], -INFINITY);
}

static void thirds_lattice(scene *s, rni_random *r)
{
    touching_lattice(s, r);
    for (uint32_t i = 0; i < s->count; i++)
        for (int a = 0; a < 3; a++) {
            s->low[i][a] *= 1.0f / 3.0f;
            s->high[i][a] *= 1.0f / 3.0f;
        }
}

static void clusters(scene *s, rni_random *r)
{
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t c = rni_random_below(r, 12);
        float at[3];
        for (int a = 0; a < 3; a++)
            at[a] = 3000.0f * sinf((float)(c * 7 + (uint32_t)a * 3 + 1)) +
                    (float)(0.8 * (c + 1) * rni_random_normal(r));
        cube(s, i, at[0], at[1], at[2], 0.2f * (float)rni_random_unit(r));
    }
}

static void points(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, 9.0f, 1.0f, 1.0f);
    for (uint32_t i = 0; i < s->count; i++) {
        if (i % 3 == 0)
            for (int a = 0; a < 3; a++) s->low[i][a] = rintf(s->low[i][a]);
        memcpy(s->high[i], s->low[i], sizeof s->high[i]);
    }
}

static void identical(scene *s, rni_random *r)
{
    (void)r;
    if (s->count > 300) s->count = 300;
    for (uint32_t i = 0; i < s->count; i++) cube(s, i, 1.5f, -2.5f, 77.0f, 0.25f);
}

static void identical_points(scene *s, rni_random *r)
{
    (void)r;
    if (s->count > 300) s->count = 300;
    for (uint32_t i = 0; i < s->count; i++) cube(s, i, 0.0f, -0.0f, 1e-30f, 0.0f);
}

static void one_giant(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, 100.0f, 0.5f, 1.0f);
    if (s->count > 0) cube(s, s->count / 2, 50.0f, 50.0f, 50.0f, 1000.0f);
}

static void far_from_origin(scene *s, rni_random *r)
{
    fill(s, r, 1e6f, 1e6f + 50.0f, 0.5f, 4.0f);
}

static void astronomic(scene *s, rni_random *r)
{
    fill(s, r, -1e38f, 1e38f, 1e30f, 3e37f);
    if (s->count > 3) {
        for (int a = 0; a < 3; a++) {
            s->low[1][a] = -3.4e38f;
            s->high[1][a] = 3.4e38f;
        }
        cube(s, 2, 0.0f, 0.0f, 0.0f, 1e-38f);
    }
}

static void tiny(scene *s, rni_random *r)
{
    fill(s, r, -1e-38f, 1e-38f, 1e-42f, 1e-39f);
}

/* A cluster, and one box so far away that a dense table of cells is impossible. */
static void lone_stranger(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, 12.0f, 0.5f, 1.0f);
    if (s->count > 0) cube(s, s->count - 1, 1e9f, -1e9f, 3e8f, 0.5f);
}

static void in_a_plane(scene *s, rni_random *r)
{
    float side = sqrtf((float)s->count) * 0.8f;
    fill(s, r, 0.0f, side, 0.4f, 1.0f);
    for (uint32_t i = 0; i < s->count; i++) s->low[i][0] = s->high[i][0] = 5.0f;
}

static void on_a_line(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, (float)s->count, 0.5f, 2.0f);
    for (uint32_t i = 0; i < s->count; i++) {
        s->low[i][0] = s->low[i][2] = -1.0f;
        s->high[i][0] = s->high[i][2] = 1.0f;
    }
}

static void moving(scene *s, rni_random *r)
{
    fill(s, r, 0.0f, 40.0f, 0.2f, 1.0f);
    s->velocity = malloc((s->count + 1) * sizeof *s->velocity);
    s->time_step = 0.125f;
    for (uint32_t i = 0; i < s->count; i++)
        for (int a = 0; a < 3; a++)
            s->velocity[i][a] = i % 7 == 0 ? 0.0f : rni_random_float(r, -20.0f, 20.0f);
}

static void nested(scene *s, rni_random *r)
{
    (void)r;
    if (s->count > 200) s->count = 200;
    for (uint32_t i = 0; i < s->count; i++) cube(s, i, 3.0f, 3.0f, 3.0f, 0.1f * (float)(i + 1));
}

/* Sizes 2^0, 2^1, ... on cell faces of any grid of powers of two. */
static void powers_of_two(scene *s, rni_random *r)
{
    for (uint32_t i = 0; i < s->count; i++) {
        float edge = ldexpf(1.0f, (int)rni_random_below(r, 7) - 3);
        for (int a = 0; a < 3; a++) {
            s->low[i][a] = edge * (float)((int)rni_random_below(r, (uint32_t)(48.0f / edge)) -
                                          (int)(16.0f / edge));
            s->high[i][a] = s->low[i][a] + edge;
        }
    }
}

static void none(scene *s, rni_random *r)
{
    (void)r;
    s->count = 0;
}

static void single(scene *s, rni_random *r)
{
    s->count = s->count > 0;
    fill(s, r, 0.0f, 1.0f, 1.0f, 2.0f);
}

static void two(scene *s, rni_random *r)
{
    (void)r;
    s->count = 2;
    cube(s, 0, 0.0f, 0.0f, 0.0f, 1.0f);
    cube(s, 1, 2.0f, 2.0f, 2.0f, 1.0f);
}

static const struct {
    const char *name;
    void (*make)(scene *s, rni_random *r);
} kinds[] = {
    {"equal sizes", equal_sizes},
    {"mixed sizes", mixed_sizes},
    {"flat and long", flat_and_long},
    {"touching lattice", touching_lattice},
    {"lattice with hair gaps", lattice_with_hair_gaps},
    {"lattice of thirds", thirds_lattice},
    {"clusters", clusters},
    {"points", points},
    {"identical", identical},
    {"identical points", identical_points},
    {"one giant", one_giant},
    {"far from the origin", far_from_origin},
    {"astronomic", astronomic},
    {"tiny", tiny},
    {"lone stranger", lone_stranger},
    {"in a plane", in_a_plane},
    {"on a line", on_a_line},
    {"moving", moving},
    {"nested", nested},
    {"powers of two", powers_of_two},
    {"none", none},
    {"single", single},
    {"two that touch at a corner", two},
};

bool scene_make(uint32_t number, uint32_t size, scene *out)
{
    if (number >= sizeof kinds / sizeof *kinds) return false;
    if (FACT_SLOWNESS > 1 && size > 300 && size < 8192) size = 300 + size / 20;
    *out = (scene){.name = kinds[number].name, .count = size};
    out->low = malloc((size + 2) * sizeof *out->low);
    out->high = malloc((size + 2) * sizeof *out->high);
    rni_random random = rni_random_make(number * 77 + size);
    kinds[number].make(out, &random);
    return true;
}

void scene_free(scene *s)
{
    free(s->low);
    free(s->high);
    free(s->velocity);
    *s = (scene){0};
}

void scene_step(scene *s, uint64_t seed)
{
    rni_random r = rni_random_make(seed);
    for (uint32_t i = 0; i < s->count; i++) {
        for (int a = 0; a < 3; a++) {
            float edge = s->high[i][a] - s->low[i][a];
            if (!(edge < 1e30f)) continue;
            s->low[i][a] += 0.3f * edge * rni_random_float(&r, -1.0f, 1.0f);
            s->high[i][a] = s->low[i][a] + edge * rni_random_float(&r, 0.8f, 1.25f);
        }
    }
}

rn_boxes scene_boxes(const scene *s)
{
    return (rn_boxes){.low = s->low ? s->low[0] : NULL,
                      .high = s->high ? s->high[0] : NULL,
                      .low_stride_bytes = sizeof(float[3]),
                      .high_stride_bytes = sizeof(float[3]),
                      .count = s->count,
                      .velocity = s->velocity ? s->velocity[0] : NULL,
                      .velocity_stride_bytes = sizeof(float[3]),
                      .time_step = s->time_step};
}

bool scene_is_crowded(const scene *s)
{
    return strcmp(s->name, "mixed sizes") == 0 || strcmp(s->name, "astronomic") == 0 ||
           strcmp(s->name, "tiny") == 0 || strcmp(s->name, "far from the origin") == 0 ||
           strcmp(s->name, "flat and long") == 0 || strcmp(s->name, "points") == 0 ||
           strcmp(s->name, "moving") == 0 || strcmp(s->name, "lone stranger") == 0 ||
           strcmp(s->name, "powers of two") == 0;
}

uint32_t scene_cpu_levels(rn_cpu_level levels[3])
{
    uint32_t count = 0;
    for (int level = (int)FACT_LEAST_CPU; level <= (int)rn_cpu_best(); level++)
        levels[count++] = (rn_cpu_level)level;
    return count;
}

bool scene_has_levels(rn_broadphase_method method)
{
    return method == RN_BROADPHASE_LAYERED_COLUMNS;
}

/* Around corners, faces and insides of boxes, and some that miss everything. */
rn_queries scene_queries(const scene *s, rn_query_kind kind, uint32_t count, uint64_t seed)
{
    rni_random r = rni_random_make(seed);
    float(*a)[3] = malloc((count + 1) * sizeof *a);
    float(*b)[3] = malloc((count + 1) * sizeof *b);
    float *radius = malloc((count + 1) * sizeof *radius);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = s->count > 0 ? rni_random_below(&r, s->count) : 0;
        uint32_t j = s->count > 0 ? rni_random_below(&r, s->count) : 0;
        radius[k] = 0.0f;
        for (int x = 0; x < 3; x++) {
            float low = s->count > 0 ? s->low[i][x] : -1.0f;
            float high = s->count > 0 ? s->high[i][x] : 1.0f;
            float other = s->count > 0 ? s->high[j][x] : 2.0f;
            float edge = high < 1e30f && low > -1e30f ? high - low : 0.0f;
            a[k][x] = k % 3 == 0 ? low : k % 3 == 1 ? high : low + 0.5f * edge;
            b[k][x] = k % 5 == 0 ? other : a[k][x] + edge * rni_random_float(&r, -3.0f, 3.0f);
            if (edge > radius[k] && k % 4 != 0) radius[k] = 0.7f * edge;
            if (kind == RN_QUERY_BOX && b[k][x] < a[k][x]) {
                float swap = a[k][x];
                a[k][x] = b[k][x];
                b[k][x] = swap;
            }
        }
    }
    rn_queries queries = {.kind = kind, .count = count, .a = a[0], .b = b[0], .radius = radius};
    queries.a_stride_bytes = sizeof(float[3]);
    queries.b_stride_bytes = sizeof(float[3]);
    return queries;
}

void scene_queries_free(rn_queries *queries)
{
    free((void *)(uintptr_t)queries->a);
    free((void *)(uintptr_t)queries->b);
    free((void *)(uintptr_t)queries->radius);
    *queries = (rn_queries){0};
}
