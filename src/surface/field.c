/* The values of the field at the points of the blocks near the surface.
 *
 * Inside the water the field is about 1. Next to walls it is divided by the share of the kernel in front of
 * the wall: the water goes on as if it continued behind the wall, and the mesh is cut there. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

/* A block and the splats that touch it. */
typedef struct touching {
    const rn_surface *s;
    float low[3], high[3]; /* around the points of the block */
    float origin[3];
    rni_splat *splats;
    uint32_t count;
} touching;

static void take_particles(touching *t, const rni_block *from)
{
    const rn_surface *s = t->s;
    float scale = 1 / s->grid.radius;
    for (uint32_t i = from->begin; i < from->end; i++) {
        const rni_splat *p = (const rni_splat *)s->splat.data + i;
        bool is_far = false;
        for (uint32_t k = 0; k < 3; k++)
            is_far |= p->x[k] - p->extent[k] >= t->high[k] || p->x[k] + p->extent[k] <= t->low[k];
        if (is_far) continue;
        rni_splat *to = &t->splats[t->count++];
        *to = *p;
        for (uint32_t k = 0; k < 3; k++) {
            to->x[k] = (p->x[k] - t->origin[k]) * scale;
            to->extent[k] = p->extent[k] * scale;
        }
    }
}

static rn_result take_block(rn_surface *s, uint32_t b, rni_buffer *scratch, touching *t)
{
    const rni_block *blocks = s->block.data;
    if (b == RNI_NO_BLOCK || blocks[b].begin == blocks[b].end) return RN_OK;
    const uint32_t most = t->count + blocks[b].end - blocks[b].begin;
    if (rni_buffer_grow(&s->memory, scratch, most, sizeof(rni_splat))) return RN_ERROR_MEMORY;
    t->splats = scratch->data;
    take_particles(t, &blocks[b]);
    return RN_OK;
}

/* Takes the particles of the blocks in range, x fastest. */
static rn_result gather(rn_surface *s, const rni_block *block, rni_buffer *scratch, touching *t)
{
    const int32_t *range = s->grid.range;
    uint32_t *around = (uint32_t *)s->around.data + 27 * (size_t)block->field;
    int32_t at[3];
    rn_result result = RN_OK;
    *t = (touching){.s = s};
    rni_block_at(block->key, at);
    rni_block_around(s, block->key, around);
    rni_block_origin(s, block->key, t->origin);
    for (uint32_t k = 0; k < 3; k++) {
        t->low[k] = t->origin[k];
        t->high[k] = t->origin[k] + (float)(RNI_BLOCK - 1) * s->grid.step[k];
    }
    if (range[0] == 1 && range[1] == 1 && range[2] == 1) {
        for (uint32_t n = 0; n < 27 && result == RN_OK; n++)
            result = take_block(s, around[n], scratch, t);
        return result;
    }
    for (int32_t z = -range[2]; z <= range[2]; z++)
        for (int32_t y = -range[1]; y <= range[1]; y++)
            for (int32_t x = -range[0]; x <= range[0] && result == RN_OK; x++) {
                int32_t to[3] = {at[0] + x, at[1] + y, at[2] + z};
                result = take_block(s, rni_block_find(s, rni_block_key(to)), scratch, t);
            }
    return result;
}

typedef struct job {
    rn_surface *s;
    rni_failure failure;
} job;

static void fill_block(void *data, uint32_t number, uint32_t worker)
{
    job *j = data;
    rn_surface *s = j->s;
    const rni_block *block =
        (const rni_block *)s->block.data + ((const uint32_t *)s->evaluated.data)[number];
    float *field = (float *)s->fields.data + (size_t)number * RNI_BLOCK_POINTS;
    float at[3 * RNI_BLOCK];
    touching t;
    memset(field, 0, RNI_BLOCK_POINTS * sizeof *field);
    rn_result result = gather(s, block, &s->scratch[worker], &t);
    if (result != RN_OK) {
        rni_failure_keep(&j->failure, result);
        return;
    }
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < RNI_BLOCK; i++)
            at[RNI_BLOCK * k + i] = (float)i * s->grid.step[k] / s->grid.radius;
    if (s->def.kernel == RN_SURFACE_ANISOTROPIC)
        s->kernel->add_ellipsoids(t.splats, t.count, at, field);
    else s->kernel->add_spheres(t.splats, t.count, at, field);
}

/* --- walls ------------------------------------------------------------------------------------------- */

static void meet_walls(void *data, uint32_t number, uint32_t worker)
{
    rn_surface *s = ((job *)data)->s;
    (void)worker;
    const rni_block *block =
        (const rni_block *)s->block.data + ((const uint32_t *)s->evaluated.data)[number];
    if (block->wall == RNI_NO_BLOCK) return;
    float *field = (float *)s->fields.data + (size_t)number * RNI_BLOCK_POINTS;
    float *wall = (float *)s->walls.data + (size_t)block->wall * RNI_BLOCK_POINTS;
    float origin[3];
    rni_block_origin(s, block->key, origin);
    for (uint32_t p = 0; p < RNI_BLOCK_POINTS; p++) {
        const uint32_t at[3] = {p % RNI_BLOCK, p / RNI_BLOCK % RNI_BLOCK,
                                p / (RNI_BLOCK * RNI_BLOCK)};
        float x[3];
        for (uint32_t k = 0; k < 3; k++) x[k] = origin[k] + (float)at[k] * s->grid.step[k];
        float share = rni_surface_walls_share(&s->points, x, s->grid.radius, &wall[p]);
        field[p] /= share > 0.05f ? share : 0.05f;
    }
}

static rn_result fill_walls(rn_surface *s, job *j)
{
    rni_block *block = s->block.data;
    const uint32_t *evaluated = s->evaluated.data;
    s->wall_count = 0;
    for (uint32_t n = 0; n < s->field_count; n++)
        if (rni_block_is_near_wall(s, &block[evaluated[n]], s->grid.radius))
            block[evaluated[n]].wall = s->wall_count++;
    if (rni_surface_need(&s->memory, &s->walls, (uint64_t)s->wall_count * RNI_BLOCK_POINTS + 1,
                         sizeof(float)))
        return RN_ERROR_MEMORY;
    if (s->wall_count > 0) rni_crew_pieces(s->crew, s->field_count, meet_walls, j);
    return RN_OK;
}

rn_result rni_surface_fill_field(rn_surface *s)
{
    job j = {.s = s};
    if (rni_surface_need(&s->memory, &s->fields, (uint64_t)s->field_count * RNI_BLOCK_POINTS,
                         sizeof(float)) ||
        rni_surface_need(&s->memory, &s->around, s->field_count + (uint64_t)1, 27 * sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->field_count, fill_block, &j);
    rn_result result = rni_failure_raise(&j.failure);
    return result == RN_OK ? fill_walls(s, &j) : result;
}

/* --- anywhere ---------------------------------------------------------------------------------------- */

static void add_block(const rn_surface *s, const rni_block *block, const float x[3], float sum[4])
{
    const rni_splat *splat = s->splat.data;
    float scale = 1 / s->grid.radius;
    for (uint32_t i = block->begin; i < block->end; i++) {
        float d[3];
        for (uint32_t k = 0; k < 3; k++) d[k] = (x[k] - splat[i].x[k]) * scale;
        float t = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(t > 0)) continue;
        float slope = -6 * scale * splat[i].weight * t * t;
        sum[3] += splat[i].weight * t * t * t;
        for (uint32_t k = 0; k < 3; k++) sum[k] += slope * d[k];
    }
}

/* Divides value and gradient by the share of the kernel in front of walls. */
static void add_walls(const rn_surface *s, const float x[3], float sum[4])
{
    float least;
    float share = rni_surface_walls_share(&s->points, x, s->grid.radius, &least);
    if (share >= 1) return;
    float width = 0.01f * s->grid.radius;
    if (share < 0.05f) share = 0.05f;
    sum[3] /= share;
    for (uint32_t k = 0; k < 3; k++) {
        float y[3] = {x[0], x[1], x[2]};
        y[k] += width;
        float slope =
            (rni_surface_walls_share(&s->points, y, s->grid.radius, &least) - share) / width;
        sum[k] = (sum[k] - sum[3] * slope) / share;
    }
}

float rni_surface_field_at(const rn_surface *s, const float x[3], float gradient[3])
{
    const rni_block *blocks = s->block.data;
    float sum[4] = {0};
    int32_t first[3], last[3];
    for (uint32_t k = 0; k < 3; k++) {
        first[k] = (int32_t)floorf((x[k] - s->grid.reach - s->grid.low[k]) / s->grid.edge[k]);
        last[k] = (int32_t)floorf((x[k] + s->grid.reach - s->grid.low[k]) / s->grid.edge[k]);
        if (first[k] < 0) first[k] = 0;
    }
    for (int32_t z = first[2]; z <= last[2]; z++)
        for (int32_t y = first[1]; y <= last[1]; y++)
            for (int32_t n = first[0]; n <= last[0]; n++) {
                int32_t at[3] = {n, y, z};
                uint32_t b = rni_block_find(s, rni_block_key(at));
                if (b == RNI_NO_BLOCK || blocks[b].begin == blocks[b].end) continue;
                if (rni_box_gap_sq(x, x, blocks[b].low, blocks[b].high) <
                    s->grid.radius * s->grid.radius)
                    add_block(s, &blocks[b], x, sum);
            }
    add_walls(s, x, sum);
    for (uint32_t k = 0; k < 3; k++) gradient[k] = sum[k];
    return sum[3];
}

/* --- a block with its surroundings ------------------------------------------------------------------- */

/* What blocks without values of their own have everywhere. */
typedef struct constant_block {
    float value[RNI_BLOCK_POINTS];
} constant_block;

/* The values of the three blocks of a row of blocks into the rows of a pad. side: 0 to 2, below, in, above. */
static void copy_rows(const float *const from[3], uint32_t side_y, uint32_t side_z, float *pad)
{
    static const uint32_t source[3] = {RNI_BLOCK - 1, 0, 0};
    static const uint32_t target[3] = {0, 1, RNI_BLOCK + 1};
    static const uint32_t length[3] = {1, RNI_BLOCK, 2};
    for (uint32_t z = 0; z < length[side_z]; z++)
        for (uint32_t y = 0; y < length[side_y]; y++) {
            float *to = pad + ((target[side_z] + z) * RNI_PAD + target[side_y] + y) * RNI_PAD;
            const uint32_t row = ((source[side_z] + z) * RNI_BLOCK + source[side_y] + y) * RNI_BLOCK;
            to[0] = from[0][row + RNI_BLOCK - 1];
            memcpy(to + 1, from[1] + row, RNI_BLOCK * sizeof *to);
            to[RNI_BLOCK + 1] = from[2][row];
            to[RNI_BLOCK + 2] = from[2][row + 1];
        }
}

/* The block, filled with one value. */
static const float *all_of(constant_block *block, float value)
{
    for (uint32_t p = 0; p < RNI_BLOCK_POINTS; p++) block->value[p] = value;
    return block->value;
}

static void pad_walls(const rn_surface *s, const uint32_t around[27], float *wall)
{
    const rni_block *blocks = s->block.data;
    constant_block far;
    const float *none = all_of(&far, s->grid.radius);
    for (uint32_t n = 0; n < 9; n++) {
        const float *from[3];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t b = around[3 * n + k];
            from[k] = b != RNI_NO_BLOCK && blocks[b].wall != RNI_NO_BLOCK
                          ? (const float *)s->walls.data + (size_t)blocks[b].wall * RNI_BLOCK_POINTS
                          : none;
        }
        copy_rows(from, n % 3, n / 3, wall);
    }
}

bool rni_block_pad(const rn_surface *s, const uint32_t around[27], float *field, float *wall)
{
    static const constant_block empty = {{0}};
    const rni_block *blocks = s->block.data;
    constant_block full;
    const float *one = NULL;
    bool has_wall = false;
    for (uint32_t n = 0; n < 9; n++) {
        const float *from[3];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t b = around[3 * n + k];
            from[k] = empty.value;
            if (b == RNI_NO_BLOCK) continue;
            has_wall |= blocks[b].wall != RNI_NO_BLOCK;
            if (blocks[b].field == RNI_NO_BLOCK) from[k] = one ? one : (one = all_of(&full, 1));
            else
                from[k] = (const float *)s->fields.data + (size_t)blocks[b].field * RNI_BLOCK_POINTS;
        }
        copy_rows(from, n % 3, n / 3, field);
    }
    if (has_wall && wall) pad_walls(s, around, wall);
    return has_wall;
}
