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

static void collide(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid_def *def = &f->def;
    const rni_free_room room = rni_walls_free_room(f);
    const bool is_periodic = def->periodic[0] | def->periodic[1] | def->periodic[2];
    rni_record *from = f->other.position;
    rni_record *position = f->now.position, *velocity = f->now.velocity;
    float furthest_sq = 0;
    for (uint32_t i = begin; i < end; i++) {
        float *x = position[i];
        if (room.has_solids || !rni_is_in_free_room(&room, from[i], x))
            rni_walls_collide(f, &room, from[i], x, velocity[i]);
        for (uint32_t a = 0; is_periodic && a < def->dim; a++)
            if (def->periodic[a]) x[a] = fold(x[a], def->domain_low[a], def->domain_high[a]);
        const float way[3] = {x[0] - from[i][0], x[1] - from[i][1], x[2] - from[i][2]};
        const float way_sq = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        furthest_sq = way_sq <= furthest_sq ? furthest_sq : way_sq; /* also what is no number */
    }
    ((float *)f->tallies.data)[piece] = furthest_sq;
}

void rni_stage_collide(rn_fluid *f)
{
    rni_fluid_for_each(f, collide);
    const uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    float furthest_sq = 0;
    for (uint32_t k = 0; k < pieces; k++) {
        const float way_sq = ((const float *)f->tallies.data)[k];
        furthest_sq = way_sq <= furthest_sq ? furthest_sq : way_sq;
    }
    f->furthest = sqrtf(furthest_sq);
}
