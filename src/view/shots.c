#include "view/shots.h"

#include "base/error.h"
#include "view/parts.h"

#include <stdlib.h>

/* One a client at most is under way, one is current, one newest, one being filled. */
#define MAX_SHOTS (RNI_VIEW_MAX_CLIENTS + 4u)

/* What SIMD stores may write behind the last element. */
#define SLACK_BYTES 16u

static rni_shot *take_spare(rni_shots *s)
{
    if (!s->spare) s->spare = atomic_exchange(&s->returned, NULL);
    rni_shot *shot = s->spare;
    if (shot) s->spare = shot->next;
    else if (s->shot_count < MAX_SHOTS && (shot = calloc(1, sizeof *shot)) != NULL) s->shot_count++;
    return shot;
}

static void keep_spare(rni_shots *s, rni_shot *shot)
{
    shot->next = s->spare;
    s->spare = shot;
}

static bool need(void **block, size_t *room, size_t bytes)
{
    if (bytes <= *room) return true;
    free(*block);
    *room = bytes + bytes / 8;
    *block = malloc(*room);
    if (!*block) *room = 0;
    return *block != NULL;
}

static bool make_room(rni_shots *s, rni_shot *shot, uint32_t count)
{
    void *scratch = s->scratch;
    bool is_good = need(&scratch, &s->scratch_room, count * sizeof(float) + SLACK_BYTES);
    s->scratch = scratch;
    for (uint32_t p = 0; p < RNI_PART_COUNT && is_good; p++)
        if (shot->parts >> p & 1)
            is_good = need(&shot->part[p], &shot->room[p], count * rni_part_bytes(p) + SLACK_BYTES);
    return is_good;
}

rn_result rni_shots_publish(rni_shots *s, const rni_view_frame *frame, uint32_t parts)
{
    rni_shot *shot = take_spare(s);
    if (!shot) return rni_fail(RN_ERROR_MEMORY, "no memory for a frame");
    shot->parts = parts | 1u << RNI_PART_POSITION;
    shot->user_count = 0;
    if (!make_room(s, shot, frame->count)) {
        keep_spare(s, shot);
        return rni_fail(RN_ERROR_MEMORY, "no memory for a frame of %u particles", frame->count);
    }
    shot->serial = ++s->serial;
    shot->time = frame->time;
    shot->step = frame->step;
    shot->scene = frame->scene;
    shot->count = frame->count;
    shot->radius = frame->radius;
    for (uint32_t a = 0; a < 3; a++) shot->low[a] = frame->low[a], shot->high[a] = frame->high[a];
    rni_shot_pack(shot, frame, s->scratch);
    shot = atomic_exchange(&s->newest, shot);
    if (shot) keep_spare(s, shot);
    return RN_OK;
}

void rni_shots_take(rni_shots *s)
{
    rni_shot *shot = atomic_exchange(&s->newest, NULL);
    if (!shot) return;
    if (s->current) rni_shot_leave(s, s->current);
    s->current = rni_shot_use(shot);
}

rni_shot *rni_shot_use(rni_shot *shot)
{
    shot->user_count++;
    return shot;
}

void rni_shot_leave(rni_shots *s, rni_shot *shot)
{
    if (--shot->user_count > 0) return;
    shot->next = atomic_load(&s->returned);
    while (!atomic_compare_exchange_weak(&s->returned, &shot->next, shot)) continue;
}

static void free_list(rni_shot *shot)
{
    while (shot) {
        rni_shot *next = shot->next;
        for (uint32_t p = 0; p < RNI_PART_COUNT; p++) free(shot->part[p]);
        free(shot);
        shot = next;
    }
}

void rni_shots_free(rni_shots *s)
{
    rni_shots_take(s);
    if (s->current) rni_shot_leave(s, s->current);
    free_list(s->spare);
    free_list(atomic_load(&s->returned));
    free(s->scratch);
    *s = (rni_shots){.newest = NULL};
}
