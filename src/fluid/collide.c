/* Collide: no particle stays behind a wall; periodic axes are folded. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/grip.h"
#include "fluid/mesh_walls.h"
#include "fluid/phases.h"
#include "fluid/stages.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

/* --- one particle ---------------------------------------------------------------------------------- */

/* Out of one solid, and not into it any faster than bounce says. impulse: of the solid, per mass of the
 * densest fluid, mass: that of the particle in this unit; NULL: not wanted. */
static void push_out(const rn_fluid *fluid, const rni_solid *s, double mass, float x[4], float v[4],
                     rni_load_sum *impulse, bool *has_met)
{
    const float contact = fluid->walls->contact;
    float n[3];
    float d = rni_solid_distance(s, x, n);
    if (d >= contact) return;
    *has_met = true;
    for (int a = 0; a < 3; a++) x[a] += (contact - d) * n[a];
    double change[3];
    if (!rni_bounce(fluid, s, x, n, v, change) || !impulse) return;
    for (int a = 0; a < 3; a++) change[a] *= mass;
    rni_load_add(impulse, s->center, x, change);
}

/* impulses: by solid, per mass; NULL: not wanted. */
static bool settle(const rn_fluid *fluid, float x[4], float v[4], rni_load_sum *impulses,
                   bool *has_met)
{
    const rni_walls *walls = fluid->walls;
    const double mass = impulses ? rni_mass_at(fluid, v) : 1;
    for (int round = 0; round < 6; round++) {
        bool has_met_now = false;
        uint32_t count;
        const uint32_t *list = rni_walls_near(walls, x, &count);
        /* The domain comes last: whatever solids do, no particle leaves it. */
        for (uint32_t k = count; k-- > 0;)
            if (!rni_is_mesh(&walls->solids[list[k]]))
                push_out(fluid, &walls->solids[list[k]], mass, x, v,
                         impulses ? &impulses[list[k]] : NULL, &has_met_now);
        if (!has_met_now) return true;
        *has_met = true;
    }
    return rni_walls_distance_plain(fluid, x) >= 0;
}

bool rni_walls_settle(const rn_fluid *fluid, float x[4], float v[4], bool *has_met)
{
    return settle(fluid, x, v, NULL, has_met);
}

/* Where no particle meets a wall, as it is with nearly all of them, nearly always. */
typedef struct free_zone {
    float low[3], high[3];     /* inside the domain */
    float displacement_sq_max; /* m^2: longer displacements are checked in parts */
    bool has_solids;           /* a place may be inside and yet near one */
} free_zone;

static free_zone free_zone_of(const rn_fluid *fluid)
{
    const rn_fluid_def *def = &fluid->def;
    const bool has_meshes = fluid->walls->has_meshes; /* lists tell meshes within a radius */
    const float most = has_meshes ? 0.9f * fluid->derived.radius : INFINITY;
    const float contact = 2 * fluid->walls->contact;
    const float longest = rni_lower(0.5f * fluid->walls->thinnest, most);
    free_zone zone = {.low = {-INFINITY, -INFINITY, -INFINITY},
                      .high = {INFINITY, INFINITY, INFINITY}};
    for (uint32_t a = 0; a < def->dim; a++) {
        zone.low[a] = def->domain_low[a] + contact;
        zone.high[a] = def->domain_high[a] - contact;
    }
    zone.displacement_sq_max = longest * longest;
    zone.has_solids = fluid->walls->solid_count > 1;
    return zone;
}

static inline bool is_in_free_zone(const free_zone *zone, const float from[3], const float x[3])
{
    const float moved[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    const float length_sq = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
    return (length_sq <= zone->displacement_sq_max) & (x[0] > zone->low[0]) &
           (x[0] < zone->high[0]) & (x[1] > zone->low[1]) & (x[1] < zone->high[1]) &
           (x[2] > zone->low[2]) & (x[2] < zone->high[2]);
}

static bool is_no_solid_near(const rni_walls *walls, const float x[3])
{
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    return count == 0 || (count == 1 && list[0] == 0);
}

/* Meshes and other solids by turns; `from` is a place that all allow. False: there is no such place near x. */
static bool pass_meshes(const rn_fluid *fluid, const float from[3], float x[4], float v[4],
                        rni_load_sum *impulses)
{
    float at[3] = {from[0], from[1], from[2]};
    bool has_met = false;
    for (int round = 0; round < 4; round++) {
        rni_mesh_walls_move(fluid, at, x, v, impulses);
        if (rni_walls_distance_plain(fluid, x) >= 0) return true;
        memcpy(at, x, sizeof at);
        if (!settle(fluid, x, v, impulses, &has_met)) return false;
    }
    return false;
}

/* One particle from `from` to x: afterwards on the fluid's side. */
static void collide_with_walls(const rn_fluid *fluid, const free_zone *zone, const float from[3],
                               float x[4], float v[4], rni_load_sum *impulses)
{
    const rni_walls *walls = fluid->walls;
    if (is_in_free_zone(zone, from, x) && (!zone->has_solids || is_no_solid_near(walls, x))) return;
    const float end[3] = {x[0], x[1], x[2]};
    const float moved[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    const float length_sq = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
    /* A displacement longer than half the thinnest solid is taken in parts. */
    const float parts = ceilf(sqrtf(length_sq) / (0.5f * walls->thinnest));
    const uint32_t count = parts < 1 ? 1 : parts > 64 ? 64 : (uint32_t)parts;
    bool has_met = false;
    for (uint32_t k = 1; k <= count && !has_met; k++) {
        const float part = (float)k / (float)count;
        for (int a = 0; a < 3; a++) x[a] = k == count ? end[a] : from[a] + part * moved[a];
        if (settle(fluid, x, v, impulses, &has_met)) continue;
        /* Wedged: back to where it was, at rest. */
        for (int a = 0; a < 3; a++) x[a] = from[a], v[a] = 0;
        return;
    }
    if (walls->has_meshes && !pass_meshes(fluid, from, x, v, impulses))
        for (int a = 0; a < 3; a++) x[a] = from[a], v[a] = 0;
}

void rni_walls_keep(const rn_fluid *fluid, const float from[3], float x[4])
{
    const free_zone zone = free_zone_of(fluid);
    float at_rest[4] = {0, 0, 0, 0};
    collide_with_walls(fluid, &zone, from, x, at_rest, NULL);
}

/* Into [low, high): also from several periods away, and never onto high by rounding. */
static float fold(float x, float low, float high)
{
    if (x >= low && x < high) return x;
    float period = high - low;
    x -= period * floorf((x - low) / period);
    if (x < low) x = low;
    return x < high ? x : low;
}

/* --- four at once ---------------------------------------------------------------------------------- */

/* The free zone, for a record as a whole. */
typedef struct zone_lanes {
    rni_v low, high, displacement_sq_max; /* along each axis a third of it */
} zone_lanes;

static zone_lanes lanes_of(const free_zone *zone)
{
    const rni_v low = {zone->low[0], zone->low[1], zone->low[2], 0};
    const rni_v high = {zone->high[0], zone->high[1], zone->high[2], 0};
    return (zone_lanes){low, high, rni_v_set(zone->displacement_sq_max / 3)};
}

/* Whether four particles are in the free zone for sure. */
static inline bool are_free(const zone_lanes *zone, rni_record *from, rni_record *position)
{
    rni_vm is_free = {-1, -1, -1, -1};
    for (uint32_t k = 0; k < 4; k++) {
        const rni_v x = rni_v_load(position[k]), moved = x - rni_v_load(from[k]);
        is_free &= (x > zone->low) & (x < zone->high) & (moved * moved <= zone->displacement_sq_max);
    }
    return (rni_v_bits(is_free) & 7u) == 7u;
}

/* Whether four particles have moved less than the distance of every wall from where they came, for sure. */
static inline bool are_clear(const rni_walls *walls, rni_record *from, rni_record *position,
                             uint32_t i)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_v moved_sq[4];
    for (uint32_t k = 0; k < 4; k++) {
        const rni_v moved =
            rni_v_where(is_axis, rni_v_load(position[i + k]) - rni_v_load(from[i + k]));
        moved_sq[k] = moved * moved;
    }
    const rni_v far_sq = rni_v_sum_quads(moved_sq[0], moved_sq[1], moved_sq[2], moved_sq[3]);
    const rni_v contact = rni_v_set(1.001f * walls->contact), zero = rni_v_set(0.0f);
    const rni_v gap = rni_v_max(0.999f * rni_v_load(walls->clear + i) - contact, zero);
    return rni_v_bits(rni_v_less(far_sq, gap * gap)) == 15u;
}

/* --- the stage ------------------------------------------------------------------------------------- */

/* One particle; returns the square of its displacement. */
static float collide_one(rn_fluid *f, const free_zone *zone, uint32_t i, rni_load_sum *impulses)
{
    const rn_fluid_def *def = &f->def;
    float *x = f->now.position[i];
    const float *from = rni_previous_position(f)[i];
    float *v = f->now.velocity[i];
    const float before[3] = {v[0], v[1], v[2]};
    if (zone->has_solids || !is_in_free_zone(zone, from, x))
        collide_with_walls(f, zone, from, x, v, impulses);
    rni_impulse *impulse = f->walls->impulse ? &f->walls->impulse[i] : NULL;
    for (int a = 0; impulse && a < 3; a++) impulse->change[a] += v[a] - before[a];
    for (uint32_t a = 0; a < def->dim; a++)
        if (def->periodic[a]) x[a] = fold(x[a], def->domain_low[a], def->domain_high[a]);
    const float moved[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    return moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
}

/* The greater one, or NaN. */
static inline float furthest_of(float a, float b)
{
    return b <= a ? a : b;
}

/* Particles begin to end; returns the square of the longest displacement. */
static float collide_range(rn_fluid *f, uint32_t begin, uint32_t end, rni_load_sum *impulses)
{
    const free_zone zone = free_zone_of(f);
    const zone_lanes lanes = lanes_of(&zone);
    const bool *periodic = f->def.periodic;
    const bool is_folded = periodic[0] | periodic[1] | periodic[2];
    const bool has_zone = !zone.has_solids && !is_folded;
    /* operators may have moved particles since the boundaries were evaluated */
    const bool has_clear = zone.has_solids && !is_folded && f->walls->clear && !f->was_operated;
    rni_record *from = rni_previous_position(f), *position = f->now.position;
    float furthest_sq = 0;
    for (uint32_t i = begin; i < end; i += 4) {
        if (has_zone && end - i >= 4 && are_free(&lanes, from + i, position + i)) continue;
        if (has_clear && end - i >= 4 && are_clear(f->walls, from, position, i)) continue;
        for (uint32_t k = i; k < end && k < i + 4; k++)
            furthest_sq = furthest_of(furthest_sq, collide_one(f, &zone, k, impulses));
    }
    return furthest_sq;
}

static void collide(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    rn_fluid *f = data;
    ((float *)f->tallies.data)[piece] = collide_range(f, begin, end, NULL);
}

/* With loads: by chunks, each with its own sums. */
static void collide_chunk(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    rn_fluid *f = data;
    uint32_t begin, end;
    rni_load_sum *sums = rni_load_chunk_begin(f, chunk, &begin, &end);
    ((float *)f->tallies.data)[chunk] = collide_range(f, begin, end, sums);
}

/* Returns the count of pieces whose tallies hold the longest displacements. */
static uint32_t collide_with_loads(rn_fluid *f)
{
    rni_loads *loads = &f->walls->loads;
    const uint32_t chunks = rni_piece_count(f->now.count, rni_load_chunk(f->now.count));
    if (chunks > 0) rni_crew_pieces(f->crew, chunks, collide_chunk, f);
    rni_loads_add_up(f, chunks, loads->impulse);
    for (uint32_t k = 0; k < loads->solid_count; k++)
        for (int a = 0; a < 3; a++) {
            loads->impulse[k].force[a] *= (double)f->derived.mass;
            loads->impulse[k].torque[a] *= (double)f->derived.mass;
        }
    loads->seconds = f->dt;
    return chunks;
}

void rni_stage_collide(rn_fluid *f)
{
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    if (f->def.measure_loads) pieces = collide_with_loads(f);
    else rni_for_particles(f, collide, f);
    float furthest_sq = 0;
    for (uint32_t k = 0; k < pieces; k++)
        furthest_sq = furthest_of(furthest_sq, ((const float *)f->tallies.data)[k]);
    f->max_displacement = furthest_of(f->max_displacement, sqrtf(furthest_sq));
}
