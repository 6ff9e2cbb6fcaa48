/* The list traversal: lists of neighbours by any search method, one particle at a time. It proves the
 * fused one, and lets every search method carry the water. */
#include "base/error.h"
#include "fluid/traversal.h"

#define RNI_LANES 1
#include "base/lanes.h"
#include "fluid/laws.h"

#include <math.h>
#include <string.h>

typedef struct list_state {
    rn_search *search;
    rn_neighbors lists;
} list_state;

static rn_result list_create(rn_fluid *f)
{
    list_state *state = rni_memory_take(&f->memory, sizeof *state);
    if (!state) return RN_ERROR_MEMORY;
    memset(state, 0, sizeof *state);
    f->traversal_state = state;
    rn_search_def def = rn_search_def_default();
    def.dim = f->def.dim;
    def.radius = f->derived.radius;
    def.method = f->def.search;
    def.order = RN_ORDER_INDEX; /* so that all methods give the same bits */
    def.threads = f->def.threads;
    def.cpu = f->def.cpu;
    def.allocator = f->def.allocator;
    def.tasks = f->def.tasks;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        def.periodic[a] = f->def.periodic[a];
        def.period_low[a] = (double)f->def.domain_low[a];
        def.period_high[a] = (double)f->def.domain_high[a];
    }
    return rn_search_create(&def, &state->search);
}

static void list_destroy(rn_fluid *f)
{
    list_state *state = f->traversal_state;
    if (!state) return;
    rn_search_destroy(state->search);
    rni_memory_give(&f->memory, state, sizeof *state);
    f->traversal_state = NULL;
}

static rn_result list_search(rn_fluid *f)
{
    list_state *state = f->traversal_state;
    rn_points points = {f->now.position, sizeof(rni_record), f->now.count, RN_SCALAR_FLOAT};
    rn_result result = rn_search_update(state->search, points);
    if (result == RN_OK) state->lists = rn_search_get_neighbors(state->search);
    return result;
}

static inline rni_v3 between(const rn_fluid *f, uint32_t i, uint32_t j)
{
    const float *a = f->now.position[i], *b = f->now.position[j];
    const rni_coefficients *c = &f->laws;
    rni_v3 d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    d.x -= c->period[0] * rintf(d.x * c->inverse_period[0]);
    d.y -= c->period[1] * rintf(d.y * c->inverse_period[1]);
    d.z -= c->period[2] * rintf(d.z * c->inverse_period[2]);
    return d;
}

static inline float square(rni_v3 d)
{
    return (d.x * d.x + d.y * d.y) + d.z * d.z;
}

static rn_list list_of(const rn_fluid *f, uint32_t i)
{
    const list_state *state = f->traversal_state;
    rn_list list = rn_neighbors_get_list(&state->lists, i);
    return list.index ? list : (rn_list){0};
}

static void sum_density(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        rn_list list = list_of(f, i);
        float sum = rni_law_density(&f->laws, f->def.kernels, 0.0f);
        for (uint32_t k = 0; k < list.count; k++)
            sum += rni_law_density(&f->laws, f->def.kernels, square(between(f, i, list.index[k])));
        f->density[i] = f->laws.density * sum;
        f->neighbor_count[i] = list.count;
    }
}

static rn_result list_density(rn_fluid *f)
{
    rni_fluid_for_each(f, sum_density);
    return RN_OK;
}

static void sum_normals(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rni_coefficients *c = &f->laws;
    bool is_color = f->def.params.tension == RN_TENSION_COLOR_FIELD;
    float dim_a = f->def.dim == 3 ? 3.0f : 2.0f, dim_b = f->def.dim == 3 ? 7.0f : 6.0f;
    for (uint32_t i = begin; i < end; i++) {
        rn_list list = list_of(f, i);
        rni_v3 sum = {0, 0, 0};
        float laplacian =
            is_color ? rni_law_color_laplacian(c, 0.0f, 1 / f->density[i], dim_a, dim_b) : 0.0f;
        for (uint32_t k = 0; k < list.count; k++) {
            uint32_t j = list.index[k];
            rni_v3 d = between(f, i, j);
            float r_sq = square(d), inverse_density = 1 / f->density[j];
            float weight = rni_law_normal(c->h_sq - r_sq, inverse_density);
            sum.x += weight * d.x, sum.y += weight * d.y, sum.z += weight * d.z;
            if (is_color)
                laplacian += rni_law_color_laplacian(c, r_sq, inverse_density, dim_a, dim_b);
        }
        f->normal[i][0] = -c->normal * sum.x;
        f->normal[i][1] = -c->normal * sum.y;
        f->normal[i][2] = -c->normal * sum.z;
        f->normal[i][3] = -c->color * laplacian;
    }
}

static void list_normals(rn_fluid *f)
{
    if (f->def.params.tension != RN_TENSION_NONE) rni_fluid_for_each(f, sum_normals);
}

static void sum_smooth(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        rn_list list = list_of(f, i);
        float own = rni_law_density(&f->laws, f->def.kernels, 0.0f) / f->density[i];
        const float *n = f->normal[i];
        rni_v3 sum = {own * n[0], own * n[1], own * n[2]};
        for (uint32_t k = 0; k < list.count; k++) {
            uint32_t j = list.index[k];
            float weight = rni_law_density(&f->laws, f->def.kernels, square(between(f, i, j))) *
                           (1 / f->density[j]);
            n = f->normal[j];
            sum.x += weight * n[0], sum.y += weight * n[1], sum.z += weight * n[2];
        }
        f->normal_room[i][0] = f->laws.density * sum.x;
        f->normal_room[i][1] = f->laws.density * sum.y;
        f->normal_room[i][2] = f->laws.density * sum.z;
        f->normal_room[i][3] = f->normal[i][3];
    }
}

static void list_smooth(rn_fluid *f)
{
    rni_fluid_for_each(f, sum_smooth);
}

static rni_law_side side_of(const rn_fluid *f, uint32_t i)
{
    float inverse = 1 / f->density[i];
    const float *v = f->now.velocity[i], *n = f->normal[i];
    return (rni_law_side){.velocity = {v[0], v[1], v[2]},
                          .pressure = f->pressure[i] * inverse * inverse,
                          .inverse_density = inverse,
                          .normal = {n[0], n[1], n[2]},
                          .density = f->density[i]};
}

static void sum_forces(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    bool has_akinci = f->def.params.tension == RN_TENSION_AKINCI;
    for (uint32_t i = begin; i < end; i++) {
        rn_list list = list_of(f, i);
        rni_v3 sum = {0, 0, 0}, viscous = {0, 0, 0};
        rni_law_side own = side_of(f, i);
        for (uint32_t k = 0; k < list.count; k++) {
            rni_law_side theirs = side_of(f, list.index[k]);
            rni_v3 d = between(f, i, list.index[k]);
            rni_law_forces(&f->laws, d, square(d), &own, &theirs, f->def.kernels, has_akinci, &sum,
                           &viscous);
        }
        f->now.acceleration[i][0] = sum.x + viscous.x * own.inverse_density;
        f->now.acceleration[i][1] = sum.y + viscous.y * own.inverse_density;
        f->now.acceleration[i][2] = sum.z + viscous.z * own.inverse_density;
        f->now.acceleration[i][3] = 0;
    }
}

static void list_forces(rn_fluid *f)
{
    rni_fluid_for_each(f, sum_forces);
}

static float list_reach(const rn_fluid *f)
{
    return f->derived.radius;
}

static bool list_stay(rn_fluid *f, float way)
{
    (void)f, (void)way;
    return false;
}

const rni_traversal rni_traversal_lists = {"lists",     list_create, list_destroy, list_reach,
                                           list_search, list_stay,   list_density, list_normals,
                                           list_smooth, list_forces};
