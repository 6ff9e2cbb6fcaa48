#include "bench/render.h"
#include "bench/layouts.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static rn_result measure(const rni_render_case *c, rni_studio *studio, const rni_shot *shot,
                         uint8_t *rgba, rni_render_row *row)
{
    rn_result result = rni_look_draw(c->look, studio, shot, rgba);
    double begin = rni_seconds();
    *row = (rni_render_row){.best_s = (double)INFINITY, .cpu_s = (double)INFINITY};
    while (result == RN_OK && (row->reps < c->reps || rni_seconds() - begin < c->seconds)) {
        double start = rni_seconds(), cpu = rni_process_seconds();
        result = rni_look_draw(c->look, studio, shot, rgba);
        row->best_s = fmin(row->best_s, rni_seconds() - start);
        row->cpu_s = fmin(row->cpu_s, rni_process_seconds() - cpu);
        row->reps++;
    }
    row->mean_s = (rni_seconds() - begin) / row->reps;
    return result;
}

/* m: side of the block. X-rays pass through so much water. */
#define BLOCK 0.1f

static float spacing_of(const rni_render_case *c)
{
    return BLOCK / ceilf(cbrtf((float)c->particles));
}

/* The block stands in the middle of a tank that is twice as long. */
static rni_shot shot_of(const rni_render_case *c, const float *position)
{
    rni_shot shot = rni_shot_default();
    rni_picture *p = &shot.picture;
    const float spacing = spacing_of(c);
    p->width = c->width, p->height = c->height;
    p->threads = c->threads;
    p->frame.count = c->particles;
    p->frame.spacing = spacing;
    p->frame.attribute_count = 1;
    p->frame.attribute[0] =
        (rn_attribute){.name = "position", .unit = "m", .components = 3, .data = position};
    for (uint32_t k = 0; k < 3; k++)
        p->frame.domain_low[k] = -0.5f * spacing, p->frame.domain_high[k] = BLOCK + 0.5f * spacing;
    p->frame.domain_high[0] += BLOCK;
    for (uint32_t k = 0; k < 6; k++) shot.domain_wall[k] = k != 3;
    shot.samples = c->samples;
    shot.is_film = c->is_film;
    return shot;
}

rn_result rni_bench_render(const rni_render_case *c, rni_render_row *row)
{
    rni_studio *studio = NULL;
    float *position = malloc((c->particles + (size_t)1) * 3 * sizeof *position);
    uint8_t *rgba = malloc((size_t)c->width * c->height * 4 + 1);
    rn_result result = RN_OK;
    if (!position || !rgba)
        result = rni_fail(RN_ERROR_MEMORY, "no memory for %u particles", c->particles);
    if (result == RN_OK) result = rni_studio_create(c->threads, &studio);
    if (result == RN_OK) {
        rni_layout_fill(RNI_LAYOUT_SORTED, 3, c->particles, 1, position);
        for (size_t i = 0; i < 3 * (size_t)c->particles; i++) position[i] *= spacing_of(c);
        rni_shot shot = shot_of(c, position);
        result = measure(c, studio, &shot, rgba, row);
    }
    rni_studio_destroy(studio);
    free(position);
    free(rgba);
    return result;
}
