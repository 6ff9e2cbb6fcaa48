/* Films whose camera stands still: walls and ground without water are computed once, with many samples. This is the
 * plate. Of each picture, only pixels whose rays meet water on any of their ways are new.
 *
 * Tiles in and around which no ray has met water in the last picture are only probed: at some of their pixels,
 * others in each picture. Where a probe meets water, the whole tile is computed. */
#include "render/stage.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define TILE    8u /* pixels */
#define PROBES  3u /* of the pixels of a quiet tile */
#define SAMPLES 12u

struct rni_plate {
    rni_view view;
    const rn_triangles *walls;
    uint32_t wall_count;
    rn_pose *pose;                        /* of the walls */
    uint32_t width, height, across, down; /* pixels, tiles */
    uint32_t number;                      /* of pictures drawn with it */
    rni_sample *sample;                   /* by pixel */
    uint8_t *wet, *wet_next;              /* by tile: a ray has met water there */
};

/* Field by field: there may be anything between them. */
static bool is_same_view(const rni_view *a, const rni_view *b)
{
    return memcmp(&a->origin, &b->origin, sizeof a->origin) == 0 &&
           memcmp(&a->right, &b->right, sizeof a->right) == 0 &&
           memcmp(&a->up, &b->up, sizeof a->up) == 0 &&
           memcmp(&a->forward, &b->forward, sizeof a->forward) == 0 &&
           memcmp(&a->scale, &b->scale, sizeof a->scale) == 0;
}

/* The same camera, size and walls, wherever these are. */
static bool is_same_set(const rni_stage *stage)
{
    const struct rni_plate *plate = stage->studio->plate;
    const rni_picture *p = &stage->shot->picture;
    return plate && plate->width == p->width && plate->height == p->height &&
           plate->walls == p->frame.triangles && plate->wall_count == p->frame.pose_count &&
           is_same_view(&plate->view, &stage->canvas.camera);
}

static bool are_walls_in_place(const rni_stage *stage)
{
    const struct rni_plate *plate = stage->studio->plate;
    const rn_pose *pose = stage->shot->picture.frame.pose;
    for (uint32_t k = 0; k < plate->wall_count; k++)
        if (plate->pose[k].triangles != pose[k].triangles ||
            memcmp(plate->pose[k].position, pose[k].position, sizeof pose->position) != 0 ||
            memcmp(plate->pose[k].rotation, pose[k].rotation, sizeof pose->rotation) != 0)
            return false;
    return true;
}

bool rni_plate_is_of(const rni_stage *stage)
{
    return stage->shot->is_film && !stage->shot->wall_value && is_same_set(stage) &&
           are_walls_in_place(stage);
}

bool rni_plate_is_due(const rni_stage *stage)
{
    return stage->shot->is_film && !stage->shot->wall_value && !is_same_set(stage);
}

void rni_plate_destroy(rni_studio *studio)
{
    struct rni_plate *plate = studio->plate;
    if (!plate) return;
    free(plate->pose);
    free(plate->sample);
    free(plate->wet);
    free(plate->wet_next);
    free(plate);
    studio->plate = NULL;
}

static struct rni_plate *begin_plate(const rni_stage *stage)
{
    const rni_picture *p = &stage->shot->picture;
    struct rni_plate *plate = calloc(1, sizeof *plate);
    if (!plate) return NULL;
    *plate = (struct rni_plate){.walls = p->frame.triangles,
                                .wall_count = p->frame.pose_count,
                                .view = stage->canvas.camera,
                                .width = p->width,
                                .height = p->height,
                                .across = (p->width + TILE - 1) / TILE,
                                .down = (p->height + TILE - 1) / TILE};
    size_t tiles = (size_t)plate->across * plate->down;
    plate->sample = calloc((size_t)p->width * p->height, sizeof *plate->sample);
    plate->pose = malloc((p->frame.pose_count + (size_t)1) * sizeof *plate->pose);
    plate->wet = malloc(tiles);
    plate->wet_next = malloc(tiles);
    stage->studio->plate = plate;
    if (!plate->sample || !plate->pose || !plate->wet || !plate->wet_next) {
        rni_plate_destroy(stage->studio);
        return NULL;
    }
    memset(plate->wet, 1, tiles);
    for (uint32_t k = 0; k < plate->wall_count; k++) plate->pose[k] = p->frame.pose[k];
    return plate;
}

typedef struct job {
    const rni_stage *stage;
    struct rni_plate *plate;
    rni_sample_fn take;
} job;

static void make_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t x = 0; x < j->plate->width; x++)
        rni_pixel_sample(j->stage, j->take, x, y, &j->plate->sample[(size_t)y * j->plate->width + x]);
}

rn_result rni_plate_make(rni_stage *stage, rni_sample_fn take)
{
    rni_shot clean = *stage->shot;
    rni_plate_destroy(stage->studio);
    if (clean.samples < SAMPLES) clean.samples = SAMPLES;
    job j = {.stage = stage, .plate = begin_plate(stage), .take = take};
    if (!j.plate) return rni_fail(RN_ERROR_MEMORY, "no memory for the background of a film");
    const rni_shot *shot = stage->shot;
    stage->shot = &clean;
    rni_crew_pieces(stage->studio->crew, j.plate->height, make_row, &j);
    stage->shot = shot;
    return RN_OK;
}

/* --- one picture ------------------------------------------------------------------------------------------ */

/* Whether the tile or one beside it was wet in the last picture. */
static bool is_busy(const struct rni_plate *plate, uint32_t column, uint32_t row)
{
    uint32_t x0 = column > 0 ? column - 1 : 0, y0 = row > 0 ? row - 1 : 0;
    uint32_t x1 = column + 1 < plate->across ? column + 1 : column;
    uint32_t y1 = row + 1 < plate->down ? row + 1 : row;
    for (uint32_t y = y0; y <= y1; y++)
        for (uint32_t x = x0; x <= x1; x++)
            if (plate->wet[(size_t)y * plate->across + x]) return true;
    return false;
}

/* Draws a pixel; whether it met water. */
static bool draw_pixel(const job *j, uint32_t x, uint32_t y)
{
    rni_sample sample;
    if (x >= j->plate->width || y >= j->plate->height) return false;
    rni_pixel_sample(j->stage, j->take, x, y, &sample);
    if (sample.met_water) rni_pixel_put(j->stage, x, y, &sample);
    return sample.met_water;
}

static void draw_tile(const job *j, uint32_t column, uint32_t row)
{
    struct rni_plate *plate = j->plate;
    uint32_t left = column * TILE, top = row * TILE;
    bool is_wet = false, is_whole = is_busy(plate, column, row);
    for (uint32_t y = top; y < top + TILE && y < plate->height; y++)
        for (uint32_t x = left; x < left + TILE && x < plate->width; x++)
            rni_pixel_put(j->stage, x, y, &plate->sample[(size_t)y * plate->width + x]);
    for (uint32_t k = 0; k < PROBES && !is_whole; k++) {
        /* 29 is odd, so that all 64 pixels have their turn. */
        uint32_t probe = (29 * (PROBES * plate->number + k) + 7 * column + 13 * row) % (TILE * TILE);
        is_whole = draw_pixel(j, left + probe % TILE, top + probe / TILE);
    }
    for (uint32_t k = 0; k < TILE * TILE && is_whole; k++)
        is_wet = draw_pixel(j, left + k % TILE, top + k / TILE) || is_wet;
    plate->wet_next[(size_t)row * plate->across + column] = is_wet;
}

static void draw_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t column = 0; column < j->plate->across; column++) draw_tile(j, column, row);
}

rn_result rni_plate_sample(rni_stage *stage, rni_sample_fn take)
{
    struct rni_plate *plate = stage->studio->plate;
    job j = {.stage = stage, .plate = plate, .take = take};
    rn_result result = rni_pixels_need(stage);
    if (result != RN_OK) return result;
    rni_crew_pieces(stage->studio->crew, plate->down, draw_row, &j);
    uint8_t *swap = plate->wet;
    plate->wet = plate->wet_next;
    plate->wet_next = swap;
    plate->number++;
    return RN_OK;
}
