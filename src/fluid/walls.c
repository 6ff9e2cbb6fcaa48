#define RNI_LANES 4
#include "base/lanes.h"

#include "base/error.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

/* --- the set of solids ---------------------------------------------------------------------------- */

void rni_hollow_box_make(const rn_fluid_def *def, rni_solid_ready *ready)
{
    *ready = (rni_solid_ready){.def = rn_solid_default()};
    ready->def.shape = RN_SOLID_BOX;
    ready->def.is_hollow = true;
    ready->def.slip = def->domain_slip;
    for (uint32_t a = 0; a < 3; a++) {
        ready->frame[a][a] = 1;
        ready->def.half[a] = INFINITY;
        if (a >= def->dim) continue;
        ready->def.center[a] = 0.5f * (def->domain_low[a] + def->domain_high[a]);
        ready->def.half[a] = 0.5f * (def->domain_high[a] - def->domain_low[a]);
        for (int side = 0; side < 2; side++)
            ready->side[a][side] = !def->periodic[a] && !def->open[a][side];
    }
}

rn_result rni_walls_create(rn_fluid *fluid)
{
    rni_walls *walls = rni_memory_take(&fluid->memory, sizeof *walls);
    if (!walls) return RN_ERROR_MEMORY;
    memset(walls, 0, sizeof *walls);
    fluid->walls = walls;
    rni_wall_tables_make(&fluid->def, &fluid->derived, &walls->tables);
    rn_result result = rni_buffer_need(&fluid->memory, &walls->solid_room, 8, sizeof *walls->solids);
    if (result != RN_OK) return result;
    walls->solids = walls->solid_room.data;
    rni_hollow_box_make(&fluid->def, &walls->solids[0]);
    walls->solid_count = 1;
    walls->contact = fluid->def.bare_walls ? 0.0f : 0.1f * fluid->def.spacing;
    walls->thinnest = INFINITY;
    for (uint32_t a = 0; a < fluid->def.dim; a++)
        walls->thinnest = fminf(walls->thinnest, 2 * walls->solids[0].def.half[a]);
    walls->is_stale = true;
    return rni_walls_ready(fluid);
}

void rni_walls_destroy(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    if (!walls) return;
    rni_buffer_free(&fluid->memory, &walls->solid_room);
    rni_buffer_free(&fluid->memory, &walls->start_room);
    rni_buffer_free(&fluid->memory, &walls->list_room);
    rni_buffer_free(&fluid->memory, &walls->share_room);
    rni_buffer_free(&fluid->memory, &walls->touch_room);
    rni_buffer_free(&fluid->memory, &walls->clear_room);
    rni_memory_give(&fluid->memory, walls, sizeof *walls);
    fluid->walls = NULL;
}

rn_result rni_walls_room(rn_fluid *fluid, uint32_t capacity)
{
    rni_walls *walls = fluid->walls;
    rn_result result = rni_buffer_need(&fluid->memory, &walls->share_room, capacity, sizeof(float));
    if (result == RN_OK && !fluid->def.bare_walls)
        result = rni_buffer_need(&fluid->memory, &walls->touch_room, capacity, sizeof(rni_touch));
    if (result == RN_OK && !fluid->def.bare_walls)
        result = rni_buffer_need(&fluid->memory, &walls->clear_room, capacity, sizeof(float));
    walls->share = walls->share_room.data;
    walls->touch = walls->touch_room.data;
    walls->clear = walls->clear_room.data;
    return result;
}

/* --- which solids are near a place ---------------------------------------------------------------- */

/* Cells of at least the radius over the domain, at most this many. */
#define LIST_CELLS 131072.0

static void shape_list_cells(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    const rn_fluid_def *def = &fluid->def;
    double side = (double)fluid->derived.radius, volume = 1;
    for (uint32_t a = 0; a < def->dim; a++)
        volume *= ((double)def->domain_high[a] - (double)def->domain_low[a]) / side + 1;
    if (volume > LIST_CELLS) side *= pow(volume / LIST_CELLS, 1.0 / def->dim);
    walls->cell_count = 1;
    const rni_record none = {0, 0, 0, 0};
    memcpy(walls->cell_low, none, sizeof none);
    memcpy(walls->cell_inverse, none, sizeof none);
    memcpy(walls->cell_last, none, sizeof none);
    for (uint32_t a = 0; a < 3; a++) {
        walls->cells[a] = 1;
        if (a >= def->dim) continue;
        double length = (double)def->domain_high[a] - (double)def->domain_low[a];
        walls->cells[a] = (uint32_t)(length / side) + 1;
        walls->cell_low[a] = def->domain_low[a];
        walls->cell_inverse[a] = (float)(1 / side);
        walls->cell_last[a] = (float)(walls->cells[a] - 1);
        walls->cell_count *= walls->cells[a];
    }
    walls->cell_reach = fluid->derived.radius + (float)(0.87 * side) + 0.01f * def->spacing;
}

static inline uint32_t near_cell(const rni_walls *walls, rni_v x)
{
    const rni_v last = rni_v_load(walls->cell_last);
    rni_v place = (x - rni_v_load(walls->cell_low)) * rni_v_load(walls->cell_inverse);
    place = rni_v_max(place, rni_v_set(0.0f)); /* 0, too, where x is no number */
    const rni_vm c = __builtin_convertvector(rni_v_select(place < last, place, last), rni_vm);
    return ((uint32_t)c[2] * walls->cells[1] + (uint32_t)c[1]) * walls->cells[0] + (uint32_t)c[0];
}

/* The list of a cell; returns where it begins. */
static inline const uint32_t *list_of(const rni_walls *walls, uint32_t cell, uint32_t *count)
{
    const uint32_t *start = walls->list_start + cell;
    *count = start[1] - start[0];
    return walls->list + start[0];
}

const uint32_t *rni_walls_near(const rni_walls *walls, const float x[3], uint32_t *count)
{
    return list_of(walls, near_cell(walls, (rni_v){x[0], x[1], x[2], 0}), count);
}

/* Middle of a cell along an axis. */
static float cell_middle(const rni_walls *walls, int a, uint32_t c)
{
    return walls->cell_inverse[a] > 0
               ? walls->cell_low[a] + ((float)c + 0.5f) / walls->cell_inverse[a]
               : 0.0f;
}

/* Cells that a solid can be within reach of: those of a box around it. */
static void cells_around(const rni_walls *walls, const rni_solid_ready *s, uint32_t first[3],
                         uint32_t last[3])
{
    const rn_solid *def = &s->def;
    for (int a = 0; a < 3; a++) {
        float size = def->radius;
        first[a] = 0, last[a] = walls->cells[a] - 1;
        if (def->is_hollow || def->shape == RN_SOLID_PLANE || !(walls->cell_inverse[a] > 0))
            continue;
        if (def->shape == RN_SOLID_CYLINDER) size += fabsf(def->axis[a]) * def->half[0];
        if (def->shape == RN_SOLID_BOX) {
            size = 0;
            for (int b = 0; b < 3; b++)
                if (s->side[b][0]) size += fabsf(s->frame[b][a]) * def->half[b];
        }
        float place = (def->center[a] - walls->cell_low[a]) * walls->cell_inverse[a];
        float reach = (size + walls->cell_reach) * walls->cell_inverse[a] + 1, end = (float)last[a];
        first[a] = (uint32_t)fminf(fmaxf(place - reach, 0.0f), end);
        last[a] = (uint32_t)fminf(fmaxf(place + reach, 0.0f), end);
    }
}

/* Whether a side of the domain is within reach of the middle of a cell along an axis. */
static bool is_near_side(const rni_walls *walls, int a, uint32_t c)
{
    const rni_solid_ready *s = &walls->solids[0];
    float u = cell_middle(walls, a, c) - s->def.center[a];
    return (s->side[a][0] && s->def.half[a] + u <= walls->cell_reach) ||
           (s->side[a][1] && s->def.half[a] - u <= walls->cell_reach);
}

/* Enters a solid into the cells it is near: counts into start[c + 1], or with a list writes it to
 * list[start[c]++]. */
static void enter_solid(const rni_walls *walls, uint32_t k, uint32_t *start, uint32_t *list)
{
    const rni_solid_ready *s = &walls->solids[k];
    uint32_t first[3], last[3];
    float normal[3], x[3];
    cells_around(walls, s, first, last);
    for (uint32_t cz = first[2]; cz <= last[2]; cz++)
        for (uint32_t cy = first[1]; cy <= last[1]; cy++) {
            uint32_t row = (cz * walls->cells[1] + cy) * walls->cells[0];
            bool is_row_near = k == 0 && (is_near_side(walls, 1, cy) || is_near_side(walls, 2, cz));
            x[1] = cell_middle(walls, 1, cy), x[2] = cell_middle(walls, 2, cz);
            for (uint32_t cx = first[0]; cx <= last[0]; cx++) {
                x[0] = cell_middle(walls, 0, cx);
                bool is_near = k == 0 ? is_row_near || is_near_side(walls, 0, cx)
                                      : rni_solid_distance(s, x, normal) <= walls->cell_reach;
                if (!is_near) continue;
                if (list) list[start[row + cx]++] = k;
                else start[row + cx + 1]++;
            }
        }
}

rn_result rni_walls_ready(rn_fluid *fluid)
{
    rni_walls *walls = fluid->walls;
    if (!walls->is_stale) return RN_OK;
    shape_list_cells(fluid);
    rn_result result = rni_buffer_need(&fluid->memory, &walls->start_room, walls->cell_count + 1u,
                                       sizeof(uint32_t));
    walls->list_start = walls->start_room.data;
    if (result != RN_OK) return result;
    uint32_t *start = walls->list_start, cells = walls->cell_count;
    memset(start, 0, (cells + 1u) * sizeof *start);
    for (uint32_t k = 0; k < walls->solid_count; k++)
        if (!walls->solids[k].is_gone) enter_solid(walls, k, start, NULL);
    for (uint32_t c = 0; c < cells; c++) start[c + 1] += start[c];
    result = rni_buffer_need(&fluid->memory, &walls->list_room, start[cells] + 1u, sizeof(uint32_t));
    walls->list = walls->list_room.data;
    if (result != RN_OK) {
        memset(start, 0, (cells + 1u) * sizeof *start);
        return result;
    }
    for (uint32_t k = 0; k < walls->solid_count; k++)
        if (!walls->solids[k].is_gone) enter_solid(walls, k, start, walls->list);
    /* Each start has become the next one's. */
    memmove(start + 1, start, cells * sizeof *start);
    start[0] = 0;
    walls->is_stale = false;
    return RN_OK;
}

/* --- what particles feel -------------------------------------------------------------------------- */

/* Faces that one particle can meet; those of solids past the last are not felt, only collided with. */
#define MAX_MEETINGS 16u

/* How much of what face k gives is not given by the others: of a floor laid in pieces, or of a slope
 * that meets it, each part counts once. Half spaces whose faces look the same way are one; at right
 * angles they have little in common; between, the cosine tells. The nearer of two counts, and where
 * they are equally near, each by half: there is no jump for a particle that passes. */
static float part_of(const rni_meeting *met, uint32_t count, uint32_t k, float spacing)
{
    const rni_meeting *own = &met[k];
    float part = 1;
    for (uint32_t l = 0; l < count; l++) {
        const rni_meeting *other = &met[l];
        float cosine = own->normal[0] * other->normal[0] + own->normal[1] * other->normal[1] +
                       own->normal[2] * other->normal[2];
        if (l == k || cosine <= 0) continue;
        float covered = cosine * other->part;
        if (cosine > 0.95f) covered = rni_higher(own->part + other->part - 1, 0.0f) / own->part;
        float behind = 0.5f + (own->way - other->way) / (0.5f * spacing);
        behind = behind < 0 ? 0.0f : behind > 1 ? 1.0f : behind;
        part *= 1 - rni_lower(covered, 1.0f) * behind;
    }
    return part;
}

/* All faces together; there is at least one. */
static float sum_meetings(const rni_meeting *met, uint32_t count, float spacing, rni_touch *all)
{
    if (count == 1) {
        *all = met->touch;
        return rni_lower(met->share, 0.9f);
    }
    float sum = 0;
    memset(all, 0, sizeof *all);
    for (uint32_t k = 0; k < count; k++) {
        float part = part_of(met, count, k, spacing);
        sum += part * met[k].share;
        const float *from = (const float *)&met[k].touch;
        float *to = (float *)all;
        for (size_t n = 0; n < sizeof *all / sizeof(float); n++) to[n] += part * from[n];
    }
    return rni_lower(sum, 0.9f);
}

/* Bounds of the domain; where there is no axis, none. */
typedef struct felt_domain {
    rni_v low, high;
} felt_domain;

static felt_domain domain_of(const rn_fluid_def *def)
{
    const rni_v wide = rni_v_set(INFINITY);
    felt_domain d = {rni_v_set(0.0f) - wide, wide};
    for (uint32_t a = 0; a < def->dim; a++)
        d.low[a] = def->domain_low[a], d.high[a] = def->domain_high[a];
    return d;
}

static void feel_one(const rn_fluid *fluid, const rni_near *near, const felt_domain *domain,
                     uint32_t i)
{
    rni_walls *walls = fluid->walls;
    const float *x = fluid->now.position[i];
    const rni_v place = rni_v_load(x);
    const rni_vm is_inside = (place >= domain->low) & (place <= domain->high);
    uint32_t listed, count = 0, k = 0;
    const uint32_t *list = list_of(walls, near_cell(walls, place), &listed);
    float clear = near->h;
    rni_meeting met[MAX_MEETINGS];
    for (; k < listed && count + RNI_FACES_OF_A_SOLID <= MAX_MEETINGS; k++)
        count +=
            rni_solid_meet(&walls->tables, &walls->solids[list[k]], x, near, &met[count], &clear);
    walls->clear[i] = k == listed && (rni_v_bits(is_inside) & 7u) == 7u ? clear : 0.0f;
    walls->share[i] = 0;
    if (count > 0) walls->share[i] = sum_meetings(met, count, fluid->def.spacing, &walls->touch[i]);
}

float rni_walls_feel_in(const rn_fluid *fluid, const rni_solid_ready *domain, const float x[3],
                        float push[3])
{
    const rni_walls *walls = fluid->walls;
    const rni_near near = {fluid->derived.radius, 0.25f * fluid->def.spacing, {0, 0, 0}};
    uint32_t listed;
    const uint32_t *list = rni_walls_near(walls, x, &listed);
    rni_meeting met[MAX_MEETINGS];
    float clear = near.h;
    uint32_t count = rni_solid_meet(&walls->tables, domain, x, &near, met, &clear);
    for (uint32_t k = 0; k < listed && count + RNI_FACES_OF_A_SOLID <= MAX_MEETINGS; k++)
        if (list[k] != 0)
            count += rni_solid_meet(&walls->tables, &walls->solids[list[k]], x, &near, &met[count],
                                    &clear);
    push[0] = push[1] = push[2] = 0;
    if (count == 0) return 0;
    rni_touch touch;
    float share = sum_meetings(met, count, fluid->def.spacing, &touch);
    memcpy(push, touch.push, sizeof touch.push);
    return share;
}

static void feel(rn_fluid *fluid, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    rni_near near = {fluid->derived.radius, 0.25f * fluid->def.spacing, {0, 0, 0}};
    const felt_domain domain = domain_of(&fluid->def);
    rni_fluid_gravity(fluid, near.gravity);
    for (uint32_t i = begin; i < end; i++) feel_one(fluid, &near, &domain, i);
}

void rni_walls_feel(rn_fluid *fluid)
{
    if (!fluid->def.bare_walls) rni_fluid_for_each(fluid, feel);
}

/* --- keeping everyone in -------------------------------------------------------------------------- */

static void push_out(const rni_solid_ready *s, float contact, float bounce, float x[4], float v[4],
                     bool *has_met)
{
    float n[3];
    float d = rni_solid_distance(s, x, n);
    if (d >= contact) return;
    *has_met = true;
    for (int a = 0; a < 3; a++) x[a] += (contact - d) * n[a];
    float into = 0;
    for (int a = 0; a < 3; a++) into += (v[a] - s->def.velocity[a]) * n[a];
    if (into >= 0) return;
    for (int a = 0; a < 3; a++) v[a] -= (1 + bounce) * into * n[a];
}

float rni_walls_distance(const rn_fluid *fluid, const float x[3])
{
    const rni_walls *walls = fluid->walls;
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    float least = INFINITY, n[3];
    for (uint32_t k = 0; k < count; k++)
        least = rni_lower(least, rni_solid_distance(&walls->solids[list[k]], x, n));
    return least;
}

/* One place on the way: out of every wall, a few rounds because of corners. False: no way out. */
static bool settle(const rn_fluid *fluid, float x[4], float v[4], bool *has_met)
{
    const rni_walls *walls = fluid->walls;
    float contact = walls->contact, bounce = fluid->def.params.bounce;
    for (int round = 0; round < 6; round++) {
        bool has_met_now = false;
        uint32_t count;
        const uint32_t *list = rni_walls_near(walls, x, &count);
        /* The domain is the last: whatever solids do, nobody leaves it. */
        for (uint32_t k = count; k-- > 0;)
            push_out(&walls->solids[list[k]], contact, bounce, x, v, &has_met_now);
        if (!has_met_now) return true;
        *has_met = true;
    }
    return rni_walls_distance(fluid, x) >= 0;
}

rni_free_room rni_walls_free_room(const rn_fluid *fluid)
{
    const rn_fluid_def *def = &fluid->def;
    const float contact = 2 * fluid->walls->contact, stride = 0.5f * fluid->walls->thinnest;
    rni_free_room room = {.low = {-INFINITY, -INFINITY, -INFINITY},
                          .high = {INFINITY, INFINITY, INFINITY}};
    for (uint32_t a = 0; a < def->dim; a++) {
        room.low[a] = def->domain_low[a] + contact;
        room.high[a] = def->domain_high[a] - contact;
    }
    room.stride_sq = stride * stride;
    room.has_solids = fluid->walls->solid_count > 1;
    return room;
}

static bool is_alone(const rni_walls *walls, const float x[3])
{
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    return count == 0 || (count == 1 && list[0] == 0);
}

bool rni_walls_collide(const rn_fluid *fluid, const rni_free_room *room, const float from[3],
                       float x[4], float v[4])
{
    const rni_walls *walls = fluid->walls;
    if (rni_is_in_free_room(room, from, x) && (!room->has_solids || is_alone(walls, x)))
        return false;
    const float end[3] = {x[0], x[1], x[2]};
    float way[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    float length_sq = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    /* A way longer than half the thinnest solid is walked in smaller strides. */
    float stride = 0.5f * walls->thinnest;
    float strides = ceilf(sqrtf(length_sq) / stride);
    uint32_t count = strides < 1 ? 1 : strides > 64 ? 64 : (uint32_t)strides;
    bool has_met = false;
    for (uint32_t k = 1; k <= count && !has_met; k++) {
        float part = (float)k / (float)count;
        for (int a = 0; a < 3; a++) x[a] = k == count ? end[a] : from[a] + part * way[a];
        if (settle(fluid, x, v, &has_met)) continue;
        /* Wedged: back to where it was, and still. */
        for (int a = 0; a < 3; a++) x[a] = from[a], v[a] = 0;
        return true;
    }
    return has_met;
}
