#include "view/packed_frames.h"

#include "base/error.h"
#include "frame/frame.h"
#include "view/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One a client at most is under way, one is current, one newest, one being filled. */
#define MAX_FRAMES (RNI_VIEW_MAX_CLIENTS + 4u)

/* A frame that is smaller is packed by the caller alone. */
#define CREW_FROM 65536u

#define HEADER_MAX (RNI_FRAME_HEADER_BYTES + RN_FRAME_MAX_ATTRIBUTES * RNI_FRAME_ATTRIBUTE_BYTES)
_Static_assert(RNI_PACKED_MARGIN >= LWS_PRE + HEADER_MAX, "both headers fit into the margin");

rn_result rni_packed_frames_init(rni_packed_frames *s, const rn_frame *layout, uint32_t worker_count)
{
    rn_allocator plain = {0};
    assert(!rni_frame_flaw(layout));
    s->layout = *layout;
    s->worker_count = worker_count;
    return rni_memory_init(&s->memory, &plain);
}

static rni_packed_frame *take_spare(rni_packed_frames *s)
{
    if (!s->spare) s->spare = atomic_exchange(&s->returned, NULL);
    rni_packed_frame *packed = s->spare;
    if (packed) s->spare = packed->next;
    else if (s->frame_count < MAX_FRAMES && (packed = calloc(1, sizeof *packed)) != NULL)
        s->frame_count++;
    return packed;
}

static void keep_spare(rni_packed_frames *s, rni_packed_frame *packed)
{
    packed->next = s->spare;
    s->spare = packed;
}

static bool need_block(rni_packed_frames *s, rni_packed_frame *packed, size_t bytes)
{
    if (bytes <= packed->capacity) return true;
    rni_memory_give(&s->memory, packed->block, packed->capacity);
    packed->capacity = bytes + bytes / 8;
    packed->block = rni_memory_take(&s->memory, packed->capacity);
    if (!packed->block) packed->capacity = 0;
    return packed->block != NULL;
}

/* Places every part that is present in the block. */
static bool need_parts(rni_packed_frames *s, const rni_packing *p)
{
    rni_packed_frame *packed = p->packed;
    size_t poses = (size_t)packed->pose_count * RNI_FRAME_POSE_BYTES;
    size_t bytes = RNI_PACKED_MARGIN + poses;
    for (uint32_t k = 0; k < RN_FRAME_MAX_ATTRIBUTES; k++)
        if (p->attribute[k]) bytes += rni_packed_size(p->attribute[k], k, packed->count);
    if (!need_block(s, packed, bytes)) return false;
    packed->poses = packed->block + RNI_PACKED_MARGIN;
    unsigned char *at = packed->poses + poses;
    for (uint32_t k = 0; k < RN_FRAME_MAX_ATTRIBUTES; k++) {
        packed->part[k] = p->attribute[k] ? at : NULL;
        if (p->attribute[k]) at += rni_packed_size(p->attribute[k], k, packed->count);
    }
    return true;
}

static bool need_ranges(rni_packed_frames *s, uint32_t count)
{
    uint32_t pieces = rni_pack_pieces(count) + 1;
    if (pieces <= s->range_capacity) return true;
    free(s->range);
    s->range = malloc(pieces * sizeof *s->range);
    s->range_capacity = s->range ? pieces : 0;
    return s->range != NULL;
}

/* The simulation's own threads are idle while it publishes; these take their place. */
static void need_crew(rni_packed_frames *s, uint32_t count)
{
    rn_tasks none = {0};
    if (s->crew || s->is_alone || count < CREW_FROM) return;
    uint32_t workers = s->worker_count ? s->worker_count : rn_cpu_count();
    if (workers > RNI_PACK_WORKERS) workers = RNI_PACK_WORKERS;
    s->is_alone = workers < 2 || rni_crew_create(&s->memory, workers, &none, &s->crew) != RN_OK;
}

/* The attributes of the frame that were asked for; the position always. */
static void find_attributes(const rni_packed_frames *s, uint32_t asked, rni_packing *p)
{
    p->packed->asked = asked | 1u;
    p->packed->present = 1u;
    p->attribute[0] = p->frame->attribute_count ? &p->frame->attribute[0] : &s->layout.attribute[0];
    for (uint32_t k = 1; k < s->layout.attribute_count; k++) {
        if (!(asked >> k & 1)) continue;
        const rn_attribute *like = &s->layout.attribute[k];
        const rn_attribute *found = rn_frame_get_attribute(p->frame, like->name);
        if (!found || rni_packed_format_of(found, k) != rni_packed_format_of(like, k)) continue;
        p->attribute[k] = found;
        p->packed->present |= 1u << k;
    }
}

static void take_header(rni_packed_frame *packed, const rn_frame *frame, uint32_t scene)
{
    packed->user_count = 0;
    packed->time = frame->time;
    packed->step = frame->step;
    packed->scene = scene;
    packed->count = frame->count;
    packed->pose_count = frame->pose_count;
    packed->radius = 0.5f * frame->spacing;
    memcpy(packed->low, frame->domain_low, sizeof packed->low);
    memcpy(packed->high, frame->domain_high, sizeof packed->high);
}

static void pack_poses(rni_packed_frame *packed, const rn_frame *frame)
{
    unsigned char *to = packed->poses;
    for (uint32_t k = 0; k < frame->pose_count; k++, to += RNI_FRAME_POSE_BYTES) {
        memcpy(to, &frame->pose[k].triangles, 4); /* x86 and arm: little endian as the protocol is */
        memcpy(to + 4, frame->pose[k].position, 12);
        memcpy(to + 16, frame->pose[k].rotation, 16);
    }
}

rn_result rni_packed_frames_publish(rni_packed_frames *s, const rn_frame *frame, uint32_t scene,
                                    uint32_t asked)
{
    rni_packing p = {.packed = take_spare(s), .frame = frame};
    assert(!rni_frame_flaw(frame));
    if (!p.packed) return rni_fail(RN_ERROR_MEMORY, "no memory for a frame");
    take_header(p.packed, frame, scene);
    find_attributes(s, asked, &p);
    if (!need_ranges(s, frame->count) || !need_parts(s, &p)) {
        keep_spare(s, p.packed);
        return rni_fail(RN_ERROR_MEMORY, "no memory for a frame of %u particles", frame->count);
    }
    p.packed->serial = ++s->serial;
    p.range = s->range;
    pack_poses(p.packed, frame);
    need_crew(s, frame->count);
    rni_frame_pack(&p, s->crew);
    assert(!rni_packed_frame_flaw(s, p.packed));
    rni_packed_frame *forgotten = atomic_exchange(&s->newest, p.packed);
    if (forgotten) keep_spare(s, forgotten);
    return RN_OK;
}

void rni_packed_frames_take(rni_packed_frames *s)
{
    rni_packed_frame *packed = atomic_exchange(&s->newest, NULL);
    if (!packed) return;
    if (s->current) rni_packed_frame_leave(s, s->current);
    s->current = rni_packed_frame_use(packed);
}

rni_packed_frame *rni_packed_frame_use(rni_packed_frame *packed)
{
    packed->user_count++;
    return packed;
}

void rni_packed_frame_leave(rni_packed_frames *s, rni_packed_frame *packed)
{
    assert(packed->user_count > 0);
    if (--packed->user_count > 0) return;
    packed->next = atomic_load(&s->returned);
    while (!atomic_compare_exchange_weak(&s->returned, &packed->next, packed)) continue;
}

static void free_list(rni_packed_frames *s, rni_packed_frame *packed)
{
    while (packed) {
        rni_packed_frame *next = packed->next;
        rni_memory_give(&s->memory, packed->block, packed->capacity);
        free(packed);
        packed = next;
    }
}

void rni_packed_frames_free(rni_packed_frames *s)
{
    rni_packed_frames_take(s);
    if (s->current) rni_packed_frame_leave(s, s->current);
    free_list(s, s->spare);
    free_list(s, atomic_load(&s->returned));
    free(s->range);
    rni_crew_destroy(s->crew);
    *s = (rni_packed_frames){.newest = NULL};
}

const char *rni_packed_frame_flaw(const rni_packed_frames *s, const rni_packed_frame *packed)
{
    const unsigned char *at = packed->poses + (size_t)packed->pose_count * RNI_FRAME_POSE_BYTES;
    if (packed->present & ~packed->asked) return "a part is present that was not asked for";
    if (packed->poses != packed->block + RNI_PACKED_MARGIN) return "the margin is missing";
    for (uint32_t k = 0; k < RN_FRAME_MAX_ATTRIBUTES; k++) {
        bool is_present = packed->present >> k & 1;
        if (!is_present && packed->part[k]) return "a part has bytes and is not present";
        if (!is_present) continue;
        if (k >= s->layout.attribute_count) return "a part is no attribute of the layout";
        if (packed->part[k] != at) return "the parts are not side by side";
        if (!(packed->range[k][0] <= packed->range[k][1])) return "a range is inside out";
        at += rni_packed_size(&s->layout.attribute[k], k, packed->count);
    }
    return (size_t)(at - packed->block) <= packed->capacity ? NULL : "the parts exceed the block";
}
