/* The level at which the surface encloses the volume of the particles.
 *
 * Each point of the grid stands for the box around it, in which the field is taken to be linear: the part of
 * the box above a level falls from all to nothing over a ramp of levels. The sum of all ramps is the volume for
 * each level, up to a per cent; smooth.c corrects the rest. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define LOW    0.1f
#define HIGH   0.98f
#define LEVELS 176u /* intervals between LOW and HIGH */
#define PIECES 64u

/* The volume that is lost from LOW up to level n, as its second differences: value[n] and slope[n] are added to the
 * volume and to its growth at n. So a fall of volume costs two entries, however many levels it spans. */
typedef struct ramps {
    double above; /* above all levels */
    double value[LEVELS + 1], slope[LEVELS + 1];
} ramps;

/* From this place on, in levels, volume falls by so much more per level. */
static void bend(ramps *r, float place, double growth)
{
    if (place >= (float)LEVELS) return;
    const uint32_t next = place < 0 ? 0 : (uint32_t)place + 1;
    r->value[next] += growth * (double)((float)next - place);
    r->slope[next] += growth;
}

/* Spreads a fall of volume evenly over the levels from low to high. */
static void add_ramp(ramps *r, double volume, float low, float high)
{
    const float width = (HIGH - LOW) / (float)LEVELS;
    const float first = (low - LOW) / width;
    float last = (high - LOW) / width;
    if (last - first < 1e-3f) last = first + 1e-3f;
    if (last <= 0) return;
    const double growth = volume / (double)(last - first);
    if (last > (float)LEVELS)
        r->above += growth * (double)(last - (first > (float)LEVELS ? first : (float)LEVELS));
    bend(r, first, growth);
    bend(r, last, -growth);
}

/* fall[n]: m^3 that is lost from level n to n + 1. */
static void sum_falls(const ramps *part, double fall[LEVELS])
{
    double lost = 0, slope = 0, before = 0;
    for (uint32_t n = 0; n <= LEVELS; n++) {
        lost += slope;
        for (uint32_t p = 0; p < PIECES; p++) {
            lost += part[p].value[n];
            slope += part[p].slope[n];
        }
        if (n > 0) fall[n - 1] = lost - before;
        before = lost;
    }
}

static void add_block(const rn_surface *s, const rni_block *block, double box, ramps *r)
{
    float field[RNI_PAD_POINTS], wall[RNI_PAD_POINTS];
    const uint32_t *around = (const uint32_t *)s->around.data + 27 * (size_t)block->field;
    static const uint32_t stride[3] = {1, RNI_PAD, RNI_PAD * RNI_PAD};
    bool has_wall = rni_block_pad(s, around, field, wall);
    for (uint32_t z = 1; z <= RNI_BLOCK; z++)
        for (uint32_t y = 1; y <= RNI_BLOCK; y++)
            for (uint32_t x = 1; x <= RNI_BLOCK; x++) {
                uint32_t p = (z * RNI_PAD + y) * RNI_PAD + x;
                if (!(field[p] > 0.02f)) continue;
                double part = box;
                if (has_wall) {
                    float front = wall[p] / s->grid.step[0] + 0.5f;
                    if (front <= 0) continue;
                    if (front < 1) part *= (double)front;
                }
                if (field[p] > 0.95f) { /* no level that is ever chosen is above it */
                    r->above += part;
                    continue;
                }
                float slope = 0;
                for (uint32_t k = 0; k < 3; k++)
                    slope += fabsf(field[p + stride[k]] - field[p - stride[k]]);
                /* Half the change over the box, which is the sum over the axes at its corners: four fifths fit. */
                float half = 0.2f * slope;
                add_ramp(r, part, field[p] - half, field[p] + half);
            }
}

static void add_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    ramps *r = (ramps *)s->partial.data + piece;
    const rni_block *block = s->block.data;
    double box = (double)s->grid.step[0] * (double)s->grid.step[1] * (double)s->grid.step[2];
    uint64_t begin, end;
    memset(r, 0, sizeof *r);
    rni_share(s->block_count, piece, PIECES, &begin, &end);
    for (uint64_t b = begin; b < end; b++)
        if (block[b].field == RNI_NO_BLOCK) r->above += box * RNI_BLOCK_POINTS;
        else add_block(s, &block[b], box, r);
}

rn_result rni_surface_choose_level(rn_surface *s)
{
    s->level = s->def.level;
    if (!s->def.keep_volume) return RN_OK;
    if (rni_surface_need(&s->memory, &s->partial, PIECES, sizeof(ramps))) return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, PIECES, add_piece, s);
    const ramps *part = s->partial.data;
    double spacing = (double)s->points.spacing;
    double wanted = spacing * spacing * spacing * s->points.count;
    double above = 0;
    for (uint32_t p = 0; p < PIECES; p++) above += part[p].above;
    uint32_t n = LEVELS;
    double fall = 0, falls[LEVELS];
    sum_falls(part, falls);
    while (n > 0 && above < wanted) {
        fall = falls[--n];
        above += fall;
    }
    float share = fall > 0 && above > wanted ? (float)((above - wanted) / fall) : 0;
    s->level = LOW + (HIGH - LOW) * ((float)n + share) / (float)LEVELS;
    /* Far from the usual level the spacing is wrong or the particles are not of water: keep a sound surface. */
    s->level = fminf(fmaxf(s->level, 0.25f), 0.85f);
    return RN_OK;
}
