#include "search/worlds.h"

#include "base/random.h"
#include "slowness.h"

#include <math.h>
#include <stdlib.h>

static void fill_uniform(world *w, rni_random *random, float low, float high)
{
    for (uint32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) w->position[i][a] = rni_random_float(random, low, high);
    }
}

static void uniform(world *w, rni_random *random)
{
    fill_uniform(w, random, -3.0f, 5.0f);
    w->radius = 1.1f;
}

static void few_neighbours(world *w, rni_random *random)
{
    fill_uniform(w, random, 0.0f, 40.0f);
    w->radius = 1.0f;
}

/* Pairs at exactly the radius, on cell faces. */
static void exact_lattice(world *w, rni_random *random)
{
    (void)random;
    for (uint32_t i = 0; i < w->count; i++) {
        w->position[i][0] = 0.5f * (float)(i % 11);
        w->position[i][1] = 0.5f * (float)(i / 11 % 11);
        w->position[i][2] = 0.5f * (float)(i / 121);
    }
    w->radius = 1.0f;
}

static void exact_lattice_below_zero(world *w, rni_random *random)
{
    exact_lattice(w, random);
    for (uint32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) w->position[i][a] = 0.1f * (w->position[i][a] - 3.0f);
    }
    w->radius = 0.1f;
}

static void clusters(world *w, rni_random *random)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t cluster = rni_random_below(random, 12);
        for (int a = 0; a < 3; a++) {
            float centre = 1000.0f * sinf((float)(cluster * 7 + (uint32_t)a * 3 + 1));
            w->position[i][a] = centre + (float)(0.3 * (cluster + 1) * rni_random_normal(random));
        }
    }
    w->radius = 0.7f;
}

static void all_equal(world *w, rni_random *random)
{
    (void)random;
    if (w->count > 400) w->count = 400;
    for (uint32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) w->position[i][a] = 1234.5f;
    }
    w->radius = 0.01f;
}

static void one_a_continent(world *w, rni_random *random)
{
    fill_uniform(w, random, -1e7f, 1e7f);
    w->radius = 1.0f;
    for (uint32_t i = 1; i < w->count; i += 3) {
        for (int a = 0; a < 3; a++) w->position[i][a] = w->position[i - 1][a];
        w->position[i][0] += 1.0f;
    }
}

/* A cluster, and one point so far away that a table of cells is impossible. */
static void outlier(world *w, rni_random *random)
{
    fill_uniform(w, random, 0.0f, 6.0f);
    w->position[w->count / 2][1] = -3e9f;
    w->position[w->count / 3][2] = 1e20f;
    w->radius = 0.6f;
}

static void radius_larger_than_the_world(world *w, rni_random *random)
{
    if (w->count > 400) w->count = 400;
    fill_uniform(w, random, -1.0f, 1.0f);
    w->radius = 100.0f;
}

static void flat(world *w, rni_random *random)
{
    fill_uniform(w, random, 0.0f, 30.0f);
    for (uint32_t i = 0; i < w->count; i++) w->position[i][1] = -7.25f;
    w->radius = 1.0f;
}

static void a_thread(world *w, rni_random *random)
{
    for (uint32_t i = 0; i < w->count; i++) {
        w->position[i][0] = rni_random_float(random, 0.0f, 400.0f);
        w->position[i][1] = w->position[i][0];
        w->position[i][2] = -w->position[i][0];
    }
    w->radius = 0.9f;
}

static void far_from_the_origin(world *w, rni_random *random)
{
    fill_uniform(w, random, 0.0f, 8.0f);
    for (uint32_t i = 0; i < w->count; i++) {
        w->position[i][0] += 1e6f;
        w->position[i][1] -= 3e6f;
    }
    w->radius = 1.0f;
}

/* Coordinates of every magnitude of a float, many of them equal. */
static void every_size(world *w, rni_random *random)
{
    for (uint32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) {
            int exponent = (int)rni_random_below(random, 60) * 4 - 120;
            float sign = rni_random_below(random, 2) ? 1.0f : -1.0f;
            w->position[i][a] = sign * ldexpf(1.0f, exponent);
        }
    }
    w->radius = 1e-3f;
}

static void the_ends_of_float(world *w, rni_random *random)
{
    static const float ends[] = {3.4028234e38f, -3.4028234e38f, 1e-45f, -1e-45f,
                                 0.0f,          -0.0f,          1e38f,  1.0f};
    for (uint32_t i = 0; i < w->count; i++) {
        for (int a = 0; a < 3; a++) w->position[i][a] = ends[rni_random_below(random, 8)];
    }
    if (w->count > 600) w->count = 600;
    w->radius = 2.0f;
}

static void tiny(world *w, rni_random *random)
{
    fill_uniform(w, random, -4e-17f, 4e-17f);
    w->radius = 1e-17f;
}

static void huge(world *w, rni_random *random)
{
    fill_uniform(w, random, -4e17f, 4e17f);
    w->radius = 1e17f;
}

/* One dense cell among empty ones. */
static void a_crowd(world *w, rni_random *random)
{
    fill_uniform(w, random, -20.0f, 20.0f);
    for (uint32_t i = 0; i < w->count / 4 && i < 500; i++) {
        for (int a = 0; a < 3; a++) w->position[i][a] = rni_random_float(random, 3.1f, 3.7f);
    }
    w->radius = 1.0f;
}

static void none(world *w, rni_random *random)
{
    (void)random;
    w->count = 0;
    w->radius = 1.0f;
}

static void a_single_point(world *w, rni_random *random)
{
    w->count = 1;
    uniform(w, random);
}

static void two_points(world *w, rni_random *random)
{
    (void)random;
    w->count = 2;
    w->position[0][0] = w->position[0][1] = w->position[0][2] = 0.0f;
    w->position[1][0] = 3.0f;
    w->position[1][1] = 4.0f;
    w->position[1][2] = 0.0f;
    w->radius = 5.0f;
}

/* Pairs a few float steps below and above the radius: any other rounding would decide some of them
 * differently. */
static void about_the_radius(world *w, rni_random *random)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const uint32_t cell[3] = {i % 12, i / 12 % 12, i / 144};
        for (int a = 0; a < 3; a++) {
            float position = 20.0f + 0.35f * (float)cell[a];
            for (uint32_t steps = rni_random_below(random, 4); steps > 0; steps--)
                position = nextafterf(position, rni_random_below(random, 2) ? 0.0f : 100.0f);
            w->position[i][a] = position;
        }
    }
    w->radius = 0.7f;
}

/* So sparse that cells are wider than the radius, with pairs at the radius and a few dense
 * clusters. */
static void thin_with_crowds(world *w, rni_random *random)
{
    fill_uniform(w, random, -50.0f, 50.0f);
    for (uint32_t i = 1; i < w->count; i += 2) {
        for (int a = 0; a < 3; a++) w->position[i][a] = w->position[i - 1][a];
        w->position[i][i % 3] += 0.125f;
    }
    for (uint32_t i = 0; i < w->count / 20; i++) {
        for (int a = 0; a < 3; a++)
            w->position[i][a] = rni_random_float(random, 0.0f, 0.3f) + 11.0f * (float)(i % 3);
    }
    w->radius = 0.125f;
}

/* Lines of points that leave a cluster along all axes, a pair far away, and one point so far that
 * no table reaches it. */
static void strays(world *w, rni_random *random)
{
    fill_uniform(w, random, 0.0f, 6.0f);
    for (uint32_t i = 0; i < w->count / 16; i++)
        w->position[i][i % 3] = (i % 2 ? 6.0f : -16.0f) + 30.0f * (float)i / (float)w->count;
    for (int a = 0; a < 3; a++)
        w->position[w->count / 2][a] = w->position[w->count / 2 + 1][a] = -1e5f;
    w->position[w->count / 2][2] += 0.5f;
    w->position[w->count / 3][0] = 1e30f;
    w->radius = 0.6f;
}

/* Where not even the other points have a table; pairs of outliers at the radius, and a line of
 * points. */
static void clusters_and_strays(world *w, rni_random *random)
{
    clusters(w, random);
    for (uint32_t i = 0; i + 1 < w->count / 32; i += 2) {
        for (int a = 0; a < 3; a++)
            w->position[i][a] = w->position[i + 1][a] =
                ldexpf(1.0f, (int)rni_random_below(random, 20));
        w->position[i + 1][i / 2 % 3] += 0.75f;
    }
    for (uint32_t i = 0; i < w->count / 16; i++)
        w->position[w->count - 1 - i][1] = 500.0f * (float)i;
    w->position[w->count / 3][0] = -1e30f;
    w->radius = 0.75f;
}

static const struct {
    const char *name;
    void (*fill)(world *w, rni_random *random);
} kinds[] = {
    {"uniform", uniform},
    {"few neighbours", few_neighbours},
    {"exact lattice", exact_lattice},
    {"exact lattice below zero", exact_lattice_below_zero},
    {"clusters", clusters},
    {"all equal", all_equal},
    {"one a continent", one_a_continent},
    {"outlier", outlier},
    {"radius larger than the world", radius_larger_than_the_world},
    {"flat", flat},
    {"a thread", a_thread},
    {"far from the origin", far_from_the_origin},
    {"every size", every_size},
    {"the ends of float", the_ends_of_float},
    {"tiny", tiny},
    {"huge", huge},
    {"a crowd", a_crowd},
    {"none", none},
    {"a single point", a_single_point},
    {"two points", two_points},
    {"about the radius", about_the_radius},
    {"thin with crowds", thin_with_crowds},
    {"strays", strays},
    {"clusters and strays", clusters_and_strays},
};

bool world_make(uint32_t number, uint32_t size, world *out)
{
    if (number >= sizeof kinds / sizeof *kinds) return false;
    if (size < 8192) size /= FACT_SLOWNESS;
    rni_random random = rni_random_make(number + 1);
    *out = (world){.name = kinds[number].name, .count = size < 4 ? 4 : size};
    out->position = calloc(out->count, sizeof *out->position);
    if (!out->position) abort();
    kinds[number].fill(out, &random);
    return true;
}

void world_free(world *w)
{
    free(w->position);
}

uint32_t world_cpu_levels(rn_cpu_level levels[3])
{
    uint32_t count = 0;
    for (int level = (int)FACT_LEAST_CPU; level <= (int)rn_cpu_best(); level++) {
        levels[count++] = (rn_cpu_level)level;
    }
    return count;
}

bool world_has_levels(rn_search_method method)
{
    return method == RN_SEARCH_GRID || method == RN_SEARCH_KDTREE ||
           method == RN_SEARCH_LINEAR_KDTREE;
}

rn_points world_points(const world *w)
{
    return (rn_points){w->position, sizeof *w->position, w->count, RN_SCALAR_FLOAT};
}
