/* A glass tank around water whose domain has walls: four sheets, and rims along their edges. */
#include "render/stage.h"

#include <string.h>

/* Places tried on each side, along both of its axes, and the share of them that solids may cover. */
#define PROBES      6u
#define COVERED_MAX 0.08f
#define RIM         0.0045f /* width in diagonals of the scene */

static bool is_in_solid(const rni_picture *p, const float at[3])
{
    for (uint32_t s = 0; s < p->solid_count; s++)
        if (!p->solids[s].is_hollow && rni_solid_exact_distance(&p->solids[s], 3, at) < 0)
            return true;
    return false;
}

/* Whether solids make a container of their own inside the domain, or hold the water. */
static bool is_covered(const rni_stage *stage, rni_vec low, rni_vec high)
{
    const rni_picture *p = &stage->shot->picture;
    uint32_t covered = 0;
    for (uint32_t s = 0; s < p->solid_count; s++)
        if (rni_solid_may_hold_water(&p->solids[s])) return true;
    for (uint32_t side = 0; side < 4; side++)
        for (uint32_t k = 0; k < PROBES * PROBES; k++) {
            float u = ((float)(k % PROBES) + 0.5f) / PROBES, v = ((float)k / PROBES) / PROBES;
            float in = 0.01f * stage->size;
            float at[3] = {rni_mix(low.x, high.x, u), rni_mix(low.y, high.y, v),
                           rni_mix(low.z, high.z, u)};
            if (side < 2) at[0] = side == 0 ? low.x + in : high.x - in;
            else at[2] = side == 2 ? low.z + in : high.z - in;
            covered += is_in_solid(p, at);
        }
    return (float)covered > COVERED_MAX * 4 * PROBES * PROBES;
}

static void add_quad(rni_stage *stage, uint32_t *count, rni_vec a, rni_vec b, rni_vec c, rni_vec d)
{
    static const uint32_t corner[6] = {0, 1, 2, 0, 2, 3};
    rni_vec place[4] = {a, b, c, d};
    for (uint32_t k = 0; k < 6; k++) stage->glass_index[6 * *count + k] = 4 * *count + corner[k];
    for (uint32_t k = 0; k < 4; k++)
        memcpy(stage->glass[4 * *count + k], &place[k], sizeof place[k]);
    ++*count;
}

static void add_bar(rni_stage *stage, uint32_t *count, rni_vec low, rni_vec high)
{
    static const uint8_t face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const uint32_t corner[6] = {0, 1, 2, 0, 2, 3};
    uint32_t first = 24 * *count;
    for (uint32_t f = 0; f < 6; f++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t c = face[f][k];
            rni_vec at = {c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z};
            memcpy(stage->tank[first + 4 * f + k], &at, sizeof at);
        }
    for (uint32_t k = 0; k < 36; k++)
        stage->tank_index[36 * *count + k] = first + 4 * (k / 6) + corner[k % 6];
    ++*count;
}

/* Posts in the corners, bars along the top. Nothing where neither of the sides that meet is a wall. */
static uint32_t add_rims(rni_stage *stage, const bool wall[6], rni_vec low, rni_vec high)
{
    float w = RIM * stage->size;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        bool is_high_x = k & 1, is_high_z = k & 2;
        if (!wall[is_high_x ? 1 : 0] && !wall[is_high_z ? 5 : 4]) continue;
        float x = is_high_x ? high.x : low.x - w, z = is_high_z ? high.z : low.z - w;
        add_bar(stage, &count, (rni_vec){x, low.y, z}, (rni_vec){x + w, high.y, z + w});
    }
    for (uint32_t k = 0; k < 2; k++) {
        float x = k ? high.x : low.x - w, z = k ? high.z : low.z - w;
        if (wall[k])
            add_bar(stage, &count, (rni_vec){x, high.y - w, low.z}, (rni_vec){x + w, high.y, high.z});
        if (wall[4 + k])
            add_bar(stage, &count, (rni_vec){low.x, high.y - w, z}, (rni_vec){high.x, high.y, z + w});
    }
    return count;
}

static uint32_t add_sheets(rni_stage *stage, const bool wall[6], rni_vec low, rni_vec high)
{
    uint32_t count = 0;
    float out = 4 * stage->epsilon;
    for (uint32_t k = 0; k < 2; k++) {
        float x = k ? high.x + out : low.x - out, z = k ? high.z + out : low.z - out;
        if (wall[k])
            add_quad(stage, &count, (rni_vec){x, low.y, low.z}, (rni_vec){x, high.y, low.z},
                     (rni_vec){x, high.y, high.z}, (rni_vec){x, low.y, high.z});
        if (wall[4 + k])
            add_quad(stage, &count, (rni_vec){low.x, low.y, z}, (rni_vec){low.x, high.y, z},
                     (rni_vec){high.x, high.y, z}, (rni_vec){high.x, low.y, z});
    }
    return count;
}

rn_result rni_stage_add_tank(rni_stage *stage)
{
    const rni_shot *shot = stage->shot;
    const rn_frame *frame = &shot->picture.frame;
    rni_vec low = rni_vec_of(frame->domain_low), high = rni_vec_of(frame->domain_high);
    if (!stage->canvas.has_domain || is_covered(stage, low, high)) return RN_OK;
    /* No higher than what the camera shows. */
    high.y = fminf(high.y, stage->canvas.scene.high.y);
    uint32_t sheets = add_sheets(stage, shot->domain_wall, low, high);
    uint32_t bars = add_rims(stage, shot->domain_wall, low, high);
    rni_object glass = {.material = *rni_finish_find("glass"),
                        .mesh = {.name = "tank",
                                 .vertex_count = 4 * sheets,
                                 .index_count = 6 * sheets,
                                 .vertex = stage->glass[0],
                                 .index = stage->glass_index}};
    rni_object rim = {.material = *rni_finish_find("rim"),
                      .mesh = {.name = "rim",
                               .vertex_count = 24 * bars,
                               .index_count = 36 * bars,
                               .vertex = stage->tank[0],
                               .index = stage->tank_index}};
    rn_result result = rni_stage_put(stage, &glass);
    return result == RN_OK ? rni_stage_put(stage, &rim) : result;
}
