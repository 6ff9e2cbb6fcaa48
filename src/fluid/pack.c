#include "fluid/pack.h"

#include "fluid/derive.h"
#include "fluid/mesh_walls.h"
#include "fluid/thin_walls.h"
#include "fluid/walls.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

/* Found by experiment: tanks, slopes and balls are even to a few per cent. */
#define ROUNDS    6u     /* of moving, then taking out */
#define SHIFTS    12u    /* in a round */
#define MOBILITY  0.1f   /* of a shift, times h^2; at twice that particles oscillate */
#define LONGEST   0.1f   /* shift, in spacings */
#define SETTLED   0.002f /* all shifts are shorter: done */
#define TOO_DENSE 1.02f
/* The same of a vessel that is filled by volume: there is room for nearly all, if they have time to find it. */
#define VESSEL_SHIFTS    36u
#define VESSEL_TOO_DENSE 1.05f
#define PIECE            256u

typedef enum fate { FIXED = 0, MOVES = 1, GONE = 2 } fate;

typedef struct packing {
    rn_fluid *fluid;
    rni_arena arena;
    rn_search *search;
    rni_solid box;         /* the block as a tank */
    rni_solid held;        /* without its free faces */
    float low[3], high[3]; /* where particles may be */
    uint32_t shifts;
    float too_dense;
    bool is_vessel; /* all is on one side of its walls */
    uint8_t *fate;  /* of each candidate */
    /* Particles that move, then fixed ones that are neighbours of them. */
    float (*x)[3];
    uint32_t *from; /* which candidate it is */
    uint32_t mover_count, count;
    rn_neighbors near;
    /* Of those that move: */
    float (*shift)[3];
    float *density; /* relative to rest */
    bool *is_out;
    float *room; /* m: no wall is nearer; 0: not known */
} packing;

/* The same as rni_solid_distance(), up to reach; from: a place in the fluid. Where no triangle is as near as that, x is
 * in the fluid, too, and the side need not be asked. */
static float mesh_distance(const rni_solid *s, const float x[3], const float from[3], float reach,
                           float normal[3])
{
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    rni_wall_near near;
    double way_sq = 0;
    for (int a = 0; a < 3; a++) way_sq += ((double)from[a] - at[a]) * ((double)from[a] - at[a]);
    if (!rni_wall_mesh_closest(s, at, fmax((double)reach, 1.1 * sqrt(way_sq)), &near)) return reach;
    if (!(0.99 * near.distance > sqrt(way_sq))) return rni_solid_distance(s, x, normal);
    for (int a = 0; a < 3; a++) normal[a] = (float)((at[a] - near.point[a]) / near.distance);
    return (float)near.distance;
}

/* Distance from the nearest solid but the domain; a large number if none is near. from: a place near x in the fluid, for
 * distances from meshes up to a spacing; NULL: not known. */
static float solid_distance(const rn_fluid *f, const float x[3], const float *from, float normal[3])
{
    uint32_t listed;
    const uint32_t *list = rni_walls_near(f->walls, x, &listed);
    float least = INFINITY, own[3];
    for (uint32_t k = 0; k < listed; k++) {
        if (list[k] == 0) continue;
        const rni_solid *s = &f->walls->solids[list[k]];
        float d = from && rni_is_mesh(s) ? mesh_distance(s, x, from, f->def.spacing, own)
                                         : rni_solid_distance(s, x, own);
        if (d < least) least = d, memcpy(normal, own, sizeof own);
    }
    return least;
}

/* --- which particles take part
 * ------------------------------------------------------------------------------- */

static void make_box(packing *p, const rni_extent *extent)
{
    rn_fluid_def def = p->fluid->def;
    float clearance = rni_pack_clearance(p->fluid);
    for (uint32_t a = 0; a < def.dim; a++) {
        def.domain_low[a] = fmaxf((float)extent->low[a], def.domain_low[a]);
        def.domain_high[a] = fminf((float)extent->high[a], def.domain_high[a]);
        def.periodic[a] = def.open[a][0] = def.open[a][1] = false;
        p->low[a] = def.domain_low[a] + clearance;
        p->high[a] = def.domain_high[a] - clearance;
    }
    p->box = rni_walls_domain(&def);
    for (uint32_t a = 0; a < def.dim; a++)
        for (uint32_t side = 0; side < 2; side++) def.open[a][side] = !extent->is_held[a][side];
    p->held = rni_walls_domain(&def);
}

static bool is_in_domain(const rn_fluid_def *def, const float x[3])
{
    for (uint32_t a = 0; a < def->dim; a++)
        if (!(x[a] >= def->domain_low[a] && x[a] <= def->domain_high[a])) return false;
    return true;
}

/* On average as many lattice cells have their centre in the fluid as particles fit there. */
static bool choose_fates(packing *p, const float (*x)[3], uint32_t count)
{
    bool is_any = false;
    float normal[3];
    for (uint32_t i = 0; i < count; i++) {
        bool is_in = is_in_domain(&p->fluid->def, x[i]);
        is_in = is_in && !rni_walls_is_buried(p->fluid->walls, x[i]);
        float d = is_in ? solid_distance(p->fluid, x[i], NULL, normal) : -1;
        p->fate[i] = d < 0 ? GONE : d < p->fluid->derived.radius ? MOVES : FIXED;
        is_any = is_any || p->fate[i] == MOVES;
    }
    return is_any;
}

static rn_result update(packing *p, const float (*x)[3], uint32_t count)
{
    rn_result result =
        rn_search_update(p->search, (rn_points){x, sizeof(float[3]), count, RN_SCALAR_FLOAT});
    p->near = rn_search_get_neighbors(p->search);
    return result;
}

/* Neighbours of moving particles. Shifts are so small that no others become neighbours. */
static void mark_near(const packing *p, uint32_t count, bool *is_near)
{
    for (uint32_t i = 0; i < count; i++) {
        rn_list list = rn_neighbors_get_list(&p->near, i);
        is_near[i] = p->fate[i] == MOVES;
        for (uint32_t k = 0; list.index && k < list.count && !is_near[i]; k++)
            is_near[i] = p->fate[list.index[k]] == MOVES;
    }
}

static void take_part(packing *p, const float (*x)[3], uint32_t count, fate wanted,
                      const bool *is_near)
{
    for (uint32_t i = 0; i < count; i++) {
        if (p->fate[i] != wanted || !is_near[i]) continue;
        memcpy(p->x[p->count], x[i], sizeof *p->x);
        p->from[p->count++] = i;
    }
}

static rn_result gather(packing *p, const float (*x)[3], uint32_t count)
{
    rn_result result = update(p, x, count);
    bool *is_near = rni_arena_take(&p->arena, count * sizeof *is_near);
    p->x = rni_arena_take(&p->arena, count * sizeof *p->x);
    p->from = rni_arena_take(&p->arena, count * sizeof *p->from);
    if (!is_near || !p->x || !p->from) result = RN_ERROR_MEMORY;
    if (result != RN_OK) return result;
    mark_near(p, count, is_near);
    take_part(p, x, count, MOVES, is_near);
    p->mover_count = p->count;
    take_part(p, x, count, FIXED, is_near);
    p->shift = rni_arena_take(&p->arena, p->mover_count * sizeof *p->shift);
    p->density = rni_arena_take(&p->arena, p->mover_count * sizeof *p->density);
    p->is_out = rni_arena_take(&p->arena, p->mover_count * sizeof *p->is_out);
    p->room = rni_arena_take(&p->arena, p->mover_count * sizeof *p->room);
    if (!p->shift || !p->density || !p->is_out || !p->room) return RN_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->mover_count; i++) p->room[i] = 0;
    return RN_OK;
}

/* --- moving
 * --------------------------------------------------------------------------------------- */

static void look_around(packing *p, uint32_t i)
{
    const rn_fluid *f = p->fluid;
    const rni_kernel kernel = rni_density_kernel(f->def.kernels);
    const uint32_t dim = f->def.dim;
    const double h = (double)f->derived.radius, spacing = (double)f->def.spacing;
    double volume = dim == 3 ? spacing * spacing * spacing : spacing * spacing;
    double sum = rni_kernel_value(kernel, dim, h, 0), yield[3] = {0, 0, 0};
    rn_list list = rn_neighbors_get_list(&p->near, i);
    rni_thin_near walls;
    walls.count = 0;
    if (f->walls->has_thin && !p->is_vessel) rni_thin_walls_near(f, p->x[i], &walls);
    for (uint32_t k = 0; list.index && k < list.count; k++) {
        const float *y = p->x[list.index[k]];
        const float way[3] = {y[0] - p->x[i][0], y[1] - p->x[i][1], y[2] - p->x[i][2]};
        if (rni_thin_walls_cross(&walls, way)) continue;
        double d[3] = {0, 0, 0}, r_sq = 1e-12 * h * h;
        for (uint32_t a = 0; a < dim; a++) {
            d[a] = (double)p->x[i][a] - (double)y[a];
            r_sq += d[a] * d[a];
        }
        double r = sqrt(r_sq), slope = rni_kernel_slope(kernel, dim, h, r) / r;
        sum += rni_kernel_value(kernel, dim, h, r);
        for (int a = 0; a < 3; a++) yield[a] -= slope * d[a];
    }
    float push[3], length_sq = 0, longest = LONGEST * f->def.spacing;
    float share = rni_walls_feel_in(f, &p->box, p->x[i], push);
    const float own = (float)(volume * (double)f->derived.density_factor * sum);
    p->density[i] = own + share;
    /* Free faces hold particles in their place, but none is too dense because of them: in the wedge between the
     * surface and a slope, the faces of both would count too much. */
    float unused[3];
    if (p->is_vessel && p->density[i] > p->too_dense)
        p->density[i] = own + rni_walls_feel_in(f, &p->held, p->x[i], unused);
    float scale = MOBILITY * f->derived.radius * f->derived.radius;
    for (int a = 0; a < 3; a++) {
        /* A face's push is that of an image that moves too: twice what it is at rest. */
        const float yields = (float)(volume * (double)f->derived.gradient_factor * yield[a]);
        p->shift[i][a] = scale * (yields + 0.5f * push[a]);
        length_sq += p->shift[i][a] * p->shift[i][a];
    }
    if (length_sq <= longest * longest) return;
    for (int a = 0; a < 3; a++) p->shift[i][a] *= longest / sqrtf(length_sq);
}

static void shift(packing *p, uint32_t i)
{
    const rn_fluid *f = p->fluid;
    float *x = p->x[i], clearance = rni_pack_clearance(f), normal[3];
    const float from[3] = {x[0], x[1], x[2]};
    float way_sq = 0;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        x[a] = fminf(fmaxf(x[a] + p->shift[i][a], p->low[a]), p->high[a]);
        way_sq += (x[a] - from[a]) * (x[a] - from[a]);
    }
    /* Most are farther from walls than they go, for several shifts. */
    p->room[i] -= 1.001f * sqrtf(way_sq);
    if (p->room[i] >= 1.001f * clearance) return;
    for (int round = 0; round < 3; round++) { /* because of corners */
        for (uint32_t a = 0; a < f->def.dim; a++) x[a] = fminf(fmaxf(x[a], p->low[a]), p->high[a]);
        float d = solid_distance(f, x, from, normal);
        p->room[i] = fminf(d, f->def.spacing);
        if (d >= clearance) return;
        for (uint32_t a = 0; a < f->def.dim; a++) x[a] += (clearance - d) * normal[a];
        p->room[i] = 0;
    }
}

static void look_piece(void *data, uint32_t piece, uint32_t worker)
{
    packing *p = data;
    (void)worker;
    for (uint32_t i = piece * PIECE; i < p->mover_count && i < (piece + 1) * PIECE; i++)
        look_around(p, i);
}

static void shift_piece(void *data, uint32_t piece, uint32_t worker)
{
    packing *p = data;
    (void)worker;
    for (uint32_t i = piece * PIECE; i < p->mover_count && i < (piece + 1) * PIECE; i++)
        shift(p, i);
}

static rn_result look(packing *p, float *longest)
{
    rn_result result = update(p, (const float(*)[3])p->x, p->count);
    if (result != RN_OK) return result;
    rni_crew_pieces(p->fluid->crew, rni_piece_count(p->mover_count, PIECE), look_piece, p);
    *longest = 0;
    for (uint32_t i = 0; i < p->mover_count; i++)
        for (int a = 0; a < 3; a++) *longest = fmaxf(*longest, fabsf(p->shift[i][a]));
    return RN_OK;
}

/* Ends with the densities at the final positions. */
static rn_result spread(packing *p)
{
    float longest;
    rn_result result = look(p, &longest);
    for (uint32_t k = 0; k < p->shifts && result == RN_OK; k++) {
        if (longest <= SETTLED * p->fluid->def.spacing) break;
        rni_crew_pieces(p->fluid->crew, rni_piece_count(p->mover_count, PIECE), shift_piece, p);
        result = look(p, &longest);
    }
    return result;
}

/* --- taking out
 * ----------------------------------------------------------------------------------- */

static bool is_densest(const packing *p, uint32_t i)
{
    rn_list list = rn_neighbors_get_list(&p->near, i);
    for (uint32_t k = 0; list.index && k < list.count; k++) {
        uint32_t j = list.index[k];
        if (j >= p->mover_count || p->density[j] < p->density[i]) continue;
        if (p->density[j] > p->density[i] || j < i) return false;
    }
    return true;
}

/* Removes the densest particle of each dense group; returns how many. */
static uint32_t take_out(packing *p)
{
    uint32_t kept = 0, movers = 0;
    for (uint32_t i = 0; i < p->mover_count; i++)
        p->is_out[i] = p->density[i] > p->too_dense && is_densest(p, i);
    for (uint32_t i = 0; i < p->count; i++) {
        if (i < p->mover_count && p->is_out[i]) {
            p->fate[p->from[i]] = GONE;
            continue;
        }
        memmove(p->x[kept], p->x[i], sizeof *p->x);
        if (i < p->mover_count) p->room[kept] = p->room[i]; /* movers come first */
        p->from[kept++] = p->from[i];
        movers += i < p->mover_count;
    }
    uint32_t taken = p->count - kept;
    p->count = kept;
    p->mover_count = movers;
    return taken;
}

static rn_result settle(packing *p)
{
    rn_result result = RN_OK;
    uint32_t taken = 1;
    for (uint32_t round = 0; round < ROUNDS && taken > 0 && result == RN_OK; round++) {
        result = spread(p);
        if (result == RN_OK) taken = take_out(p);
    }
    /* Wedges draw particles in and then press them out: in the last rounds none move up. */
    for (uint32_t round = 0; round < ROUNDS && taken > 0 && result == RN_OK; round++) {
        float longest;
        result = look(p, &longest);
        if (result == RN_OK) taken = take_out(p);
    }
    return result;
}

/* --- all of it
 * ------------------------------------------------------------------------------------ */

static rn_result make_search(packing *p)
{
    const rn_fluid_def *fluid = &p->fluid->def;
    rn_search_def def = rn_search_def_default();
    def.dim = fluid->dim;
    def.radius = p->fluid->derived.radius;
    def.threads = fluid->threads;
    def.tasks = fluid->tasks;
    def.allocator = fluid->allocator;
    return rn_search_create(&def, &p->search);
}

rn_result rni_pack(rn_fluid *f, const rni_extent *box, bool is_vessel, float (*x)[3], uint32_t *count)
{
    packing p = {.fluid = f,
                 .shifts = is_vessel ? VESSEL_SHIFTS : SHIFTS,
                 .too_dense = is_vessel ? VESSEL_TOO_DENSE : TOO_DENSE,
                 .is_vessel = is_vessel};
    rn_result result = RN_OK;
    rni_arena_init(&p.arena, &f->memory);
    make_box(&p, box);
    p.fate = rni_arena_take(&p.arena, *count + 1u);
    if (!p.fate) result = RN_ERROR_MEMORY;
    else if (choose_fates(&p, (const float(*)[3])x, *count)) {
        result = make_search(&p);
        if (result == RN_OK) result = gather(&p, (const float(*)[3])x, *count);
        if (result == RN_OK) result = settle(&p);
        for (uint32_t k = 0; k < p.mover_count && result == RN_OK; k++)
            memcpy(x[p.from[k]], p.x[k], sizeof *x);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count && result == RN_OK; i++)
        if (p.fate[i] != GONE) memmove(x[kept++], x[i], sizeof *x);
    *count = kept;
    rn_search_destroy(p.search);
    rni_arena_free(&p.arena);
    return result;
}
