#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/stages.h"
#include "fluid/walls.h"

#include <math.h>

/* Into [low, high): also from several periods away, and never onto high by rounding. */
static float fold(float x, float low, float high)
{
    if (x >= low && x < high) return x;
    float period = high - low;
    x -= period * floorf((x - low) / period);
    if (x < low) x = low;
    return x < high ? x : low;
}

/* The free room, for a record as a whole. */
typedef struct free_lanes {
    rni_v low, high, stride_sq; /* along each axis a third of the stride */
} free_lanes;

static free_lanes lanes_of(const rni_free_room *room)
{
    const rni_v low = {room->low[0], room->low[1], room->low[2], 0};
    const rni_v high = {room->high[0], room->high[1], room->high[2], 0};
    return (free_lanes){low, high, rni_v_set(room->stride_sq / 3)};
}

/* Whether four particles are in the free room for sure. */
static inline bool are_free(const free_lanes *room, rni_record *from, rni_record *position)
{
    rni_vm is_free = {-1, -1, -1, -1};
    for (uint32_t k = 0; k < 4; k++) {
        const rni_v x = rni_v_load(position[k]), way = x - rni_v_load(from[k]);
        is_free &= (x > room->low) & (x < room->high) & (way * way <= room->stride_sq);
    }
    return (rni_v_bits(is_free) & 7u) == 7u;
}

/* Whether four particles have gone less far than every wall was from where they came from, for sure. */
static inline bool are_clear(const rni_walls *walls, rni_record *from, rni_record *position,
                             uint32_t i)
{
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_v way_sq[4];
    for (uint32_t k = 0; k < 4; k++) {
        const rni_v way = rni_v_where(is_axis, rni_v_load(position[i + k]) - rni_v_load(from[i + k]));
        way_sq[k] = way * way;
    }
    const rni_v far_sq = rni_v_sum_quads(way_sq[0], way_sq[1], way_sq[2], way_sq[3]);
    const rni_v contact = rni_v_set(1.001f * walls->contact), zero = rni_v_set(0.0f);
    const rni_v room = rni_v_max(0.999f * rni_v_load(walls->clear + i) - contact, zero);
    return rni_v_bits(rni_v_less(far_sq, room * room)) == 15u;
}

/* One particle; returns the square of its way. */
static float collide_one(rn_fluid *f, const rni_free_room *room, uint32_t i)
{
    const rn_fluid_def *def = &f->def;
    float *x = f->now.position[i];
    const float *from = f->other.position[i];
    if (room->has_solids || !rni_is_in_free_room(room, from, x))
        rni_walls_collide(f, room, from, x, f->now.velocity[i]);
    for (uint32_t a = 0; a < def->dim; a++)
        if (def->periodic[a]) x[a] = fold(x[a], def->domain_low[a], def->domain_high[a]);
    const float way[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    return way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
}

/* The greater, or what is no number. */
static inline float furthest_of(float a, float b)
{
    return b <= a ? a : b;
}

static void collide(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rni_free_room room = rni_walls_free_room(f);
    const free_lanes lanes = lanes_of(&room);
    const bool *periodic = f->def.periodic;
    const bool is_folded = periodic[0] | periodic[1] | periodic[2];
    const bool has_room = !room.has_solids && !is_folded;
    /* operators may have moved particles since walls were felt */
    const bool has_clear = room.has_solids && !is_folded && f->walls->clear && !f->was_operated;
    rni_record *from = f->other.position, *position = f->now.position;
    float furthest_sq = 0;
    for (uint32_t i = begin; i < end; i += 4) {
        if (has_room && end - i >= 4 && are_free(&lanes, from + i, position + i)) continue;
        if (has_clear && end - i >= 4 && are_clear(f->walls, from, position, i)) continue;
        for (uint32_t k = i; k < end && k < i + 4; k++)
            furthest_sq = furthest_of(furthest_sq, collide_one(f, &room, k));
    }
    ((float *)f->tallies.data)[piece] = furthest_sq;
}

void rni_stage_collide(rn_fluid *f)
{
    rni_fluid_for_each(f, collide);
    const uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    float furthest_sq = 0;
    for (uint32_t k = 0; k < pieces; k++)
        furthest_sq = furthest_of(furthest_sq, ((const float *)f->tallies.data)[k]);
    f->middle_way = furthest_of(f->middle_way, sqrtf(furthest_sq));
}
