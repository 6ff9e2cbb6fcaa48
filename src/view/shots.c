#include "view/shots.h"

#include "base/error.h"
#include "view/parts.h"

#include <stdlib.h>

/* One a client at most is under way, one is current, one newest, one being filled. */
#define MAX_SHOTS (RNI_VIEW_MAX_CLIENTS + 4u)

/* A frame that is smaller is packed by the caller alone. */
#define CREW_FROM 65536u

_Static_assert(RNI_SHOT_MARGIN >= LWS_PRE, "a fragment's header has room");

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

/* A multiple of four: frames have their parts so. */
static bool need_part(rni_shot *shot, rni_view_part part, uint32_t count)
{
    size_t bytes = ((size_t)count * rni_part_bytes(part) + 3) & ~(size_t)3;
    if (bytes <= shot->room[part] && shot->part[part]) return true;
    char *old = shot->part[part];
    if (old) free(old - RNI_SHOT_MARGIN);
    size_t room = bytes + bytes / 8;
    char *block = malloc(RNI_SHOT_MARGIN + room);
    shot->part[part] = block ? block + RNI_SHOT_MARGIN : NULL;
    shot->room[part] = block ? room : 0;
    return block != NULL;
}

static bool need_ranges(rni_shots *s, uint32_t count)
{
    uint32_t pieces = rni_pack_pieces(count) + 1;
    if (pieces <= s->range_room) return true;
    free(s->range);
    s->range = malloc(pieces * sizeof *s->range);
    s->range_room = s->range ? pieces : 0;
    return s->range != NULL;
}

static bool make_room(rni_shots *s, rni_shot *shot, uint32_t count)
{
    bool is_good = need_ranges(s, count);
    for (uint32_t p = 0; p < RNI_PART_COUNT && is_good; p++)
        if (shot->parts >> p & 1) is_good = need_part(shot, p, count);
    return is_good;
}

/* Whoever makes large frames has threads of its own that are idle meanwhile; these take their place. */
static void need_crew(rni_shots *s, uint32_t count)
{
    rn_tasks none = {0};
    rn_allocator plain = {0};
    if (s->crew || s->is_alone || count < CREW_FROM) return;
    uint32_t workers = s->worker_count ? s->worker_count : rn_cpu_count();
    if (workers > RNI_PACK_WORKERS) workers = RNI_PACK_WORKERS;
    s->is_alone = workers < 2 || rni_memory_init(&s->memory, &plain) != RN_OK ||
                  rni_crew_create(&s->memory, workers, &none, &s->crew) != RN_OK;
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
    need_crew(s, frame->count);
    rni_shot_pack(shot, frame, s->crew, s->range);
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
        for (uint32_t p = 0; p < RNI_PART_COUNT; p++)
            if (shot->part[p]) free((char *)shot->part[p] - RNI_SHOT_MARGIN);
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
    free(s->range);
    rni_crew_destroy(s->crew);
    *s = (rni_shots){.newest = NULL};
}
