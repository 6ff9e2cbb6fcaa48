/* Frames and texts reach clients; a slow one slows only itself; one has control. */
#include "fact.h"

#include "base/clock.h"
#include "view/peer.h"
#include "view/server.h"

#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rni_view *serve(bool all_control)
{
    rni_view_def def = {.all_control = all_control,
                        .hello = "\"program\": \"test\"",
                        .layout = rn_fluid_frame_default()};
    rni_view *view = NULL;
    if (rni_view_create(&def, &view) != RN_OK) fail_msg("%s", rn_last_error());
    return view;
}

static rni_peer *join(const rni_view *view)
{
    rni_peer_def def = {.port = rni_view_port(view)};
    rni_peer *peer = NULL;
    if (rni_peer_open(&def, &peer) != RN_OK) fail_msg("%s", rn_last_error());
    assert_non_null(rni_peer_await(peer, "hello", 5));
    return peer;
}

static bool next_order(rni_view *view, rni_view_order *order)
{
    for (uint32_t k = 0; k < 200; k++) {
        if (rni_view_next(view, order)) return true;
        rni_view_wait(view, 0.02);
    }
    return false;
}

typedef struct water {
    float (*position)[4];
    float (*velocity)[4];
    float *density;
    uint32_t *id;
} water;

static water pour(uint32_t count)
{
    water w = {calloc(count, 16), calloc(count, 16), calloc(count, 4), calloc(count, 4)};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t a = 0; a < 3; a++)
            w.position[i][a] = (float)((i * 7919u + a * 104729u) % 100003u) / 100003.0f;
        w.velocity[i][0] = (float)i;
        w.density[i] = 1000 + (float)(i % 11);
        w.id[i] = count - i;
    }
    return w;
}

static void drain(water *w)
{
    free(w->position);
    free(w->velocity);
    free(w->density);
    free(w->id);
}

static rn_frame frame_of(const water *w, uint32_t count, uint64_t step)
{
    const rn_attribute all[] = {{"position", "m", 3, 0, 0, 0, 16, w->position},
                                {"velocity", "m/s", 3, 0, 0, 0, 16, w->velocity},
                                {"density", "kg/m^3", 1, 0, 0, 0, 0, w->density},
                                {"birth", "s", 1, 0, 0, 0, 16, w->velocity},
                                {"id", "1", 1, RN_ATTRIBUTE_UINT32, 0, 0, 0, w->id}};
    rn_frame frame = rn_frame_default();
    frame.time = 0.5;
    frame.step = step;
    frame.count = count;
    frame.spacing = 0.02f;
    for (uint32_t a = 0; a < 3; a++) frame.domain_high[a] = 1;
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_int_equal(rn_frame_add_attribute(&frame, &all[k]), RN_OK);
    assert_int_equal(rn_frame_add_derived(&frame), RN_OK);
    return frame;
}

static rn_result publish(rni_view *view, const rn_frame *frame)
{
    return rni_view_publish(view, frame, 3);
}

/* A row of a frame's attribute table, found by name; the offset of the array is checked. */
static const unsigned char *row_of(const unsigned char *frame, size_t size, const char *name)
{
    uint32_t count, offset;
    memcpy(&count, frame + 8, 4);
    for (uint32_t k = 0; k < count; k++) {
        const unsigned char *row = frame + 64 + (size_t)40 * k;
        if (strcmp((const char *)row, name) != 0) continue;
        memcpy(&offset, row + 28, 4);
        assert_true(offset % 4 == 0 && offset < size);
        return row;
    }
    return NULL;
}

static const unsigned char *array_of(const unsigned char *frame, size_t size, const char *name)
{
    uint32_t offset;
    const unsigned char *row = row_of(frame, size, name);
    if (!row) fail_msg("the frame has no %s", name);
    memcpy(&offset, row + 28, 4);
    return frame + offset;
}

static bool asked(rni_view *view, double seconds)
{
    for (double until = rni_seconds() + seconds; rni_seconds() < until;) {
        if (rni_view_asked(view)) return true;
        rni_view_wait(view, 0.01);
    }
    return false;
}

static const unsigned char *next_frame(rni_peer *peer, size_t *size)
{
    rni_peer_message message;
    while (rni_peer_next(peer, 5, &message) && !message.is_end)
        if (message.is_frame) {
            *size = message.size;
            return message.bytes;
        }
    return NULL;
}

static void a_frame_arrives_as_the_protocol_says(void **state)
{
    (void)state;
    const uint32_t n = 70001; /* over the size of a fragment, no multiple of four */
    rni_view *view = serve(false);
    water w = pour(n);
    rni_peer *peer = join(view);
    rni_peer_say(peer, "{\"type\": \"want\", \"attributes\": [\"id\", \"density\", \"velocity\", "
                       "\"pressure\"]}");
    assert_true(asked(view, 5));
    rn_frame frame = frame_of(&w, n, 42); /* it has no pressure */
    const rn_triangles mesh = {.name = "wall"};
    const rn_pose poses[2] = {{0, {1, 2, 3}, {0, 0, 0, 1}}, {0, {4, 5, 6}, {1, 0, 0, 0}}};
    frame.triangles = &mesh, frame.triangles_count = 1;
    frame.pose = poses, frame.pose_count = 2;
    assert_int_equal(publish(view, &frame), RN_OK);
    size_t size = 0;
    const unsigned char *bytes = next_frame(peer, &size);
    assert_non_null(bytes);
    size_t places = 64 + 3 * 40 + 2 * 32, position = (n * 6u + 3) & ~3u;
    assert_int_equal(size, places + position + ((n * 3u + 3) & ~3u) + ((n + 3u) & ~3u) + n * 4u);
    assert_memory_equal(bytes, "RNF2", 4);
    uint32_t head[3], scene;
    uint64_t step;
    float radius;
    memcpy(head, bytes + 4, 12);
    memcpy(&step, bytes + 24, 8);
    memcpy(&radius, bytes + 56, 4);
    memcpy(&scene, bytes + 60, 4);
    assert_int_equal(head[0], n);
    assert_int_equal(head[1], 3);
    assert_int_equal(head[2], 2);
    assert_int_equal(step, 42);
    assert_int_equal(scene, 3);
    assert_true(radius == 0.01f);
    assert_memory_equal(bytes + places - 32 + 4, poses[1].position, 12);
    assert_memory_equal(bytes + places - 16, poses[1].rotation, 16);
    const unsigned char *densities = array_of(bytes, size, "density");
    const unsigned char *ids = array_of(bytes, size, "id");
    const unsigned char kind[3][2] = {{1, 0}, {3, 1}, {1, 2}}; /* components, format */
    assert_memory_equal(row_of(bytes, size, "density") + 24, kind[0], 2);
    assert_memory_equal(row_of(bytes, size, "velocity") + 24, kind[1], 2);
    assert_memory_equal(row_of(bytes, size, "id") + 24, kind[2], 2);
    assert_null(row_of(bytes, size, "pressure"));
    for (uint32_t i = 0; i < n; i++) {
        uint16_t p[3];
        uint32_t id;
        memcpy(p, bytes + places + (size_t)6 * i, 6);
        memcpy(&id, ids + (size_t)4 * i, 4);
        for (uint32_t a = 0; a < 3; a++)
            assert_true(fabsf((float)p[a] / 65535.0f - w.position[i][a]) < 1e-5f);
        float density = 1000 + (float)densities[i] * 10 / 255;
        assert_true(fabsf(density - w.density[i]) < 0.021f);
        assert_int_equal(id, w.id[i]);
    }
    rni_peer_close(peer);
    drain(&w);
    rni_view_destroy(view);
}

static void nothing_is_asked_without_clients(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    assert_int_equal(rni_view_asked(view), 0);
    rni_peer *peer = join(view);
    assert_false(asked(view, 0.1)); /* it has not said `want` */
    rni_peer_say(peer, "{\"type\": \"want\"}");
    assert_true(asked(view, 5));
    rni_peer_close(peer);
    for (uint32_t k = 0; k < 500 && rni_view_asked(view); k++) usleep(10000);
    assert_int_equal(rni_view_asked(view), 0);
    rni_view_destroy(view);
}

static void topics_reach_all_and_newcomers(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    assert_int_equal(rni_view_tell(view, RNI_VIEW_STATE, "{\"type\": \"state\", \"n\": 1}"), RN_OK);
    rni_peer *one = join(view);
    assert_string_equal(rni_peer_await(one, "state", 5), "{\"type\": \"state\", \"n\": 1}");
    rni_view_tell(view, RNI_VIEW_STATE, "{\"type\": \"state\", \"n\": 2}");
    rni_peer *two = join(view);
    assert_string_equal(rni_peer_await(one, "state", 5), "{\"type\": \"state\", \"n\": 2}");
    assert_string_equal(rni_peer_await(two, "state", 5), "{\"type\": \"state\", \"n\": 2}");
    rni_peer_close(one);
    rni_peer_close(two);
    rni_view_destroy(view);
}

static void what_was_told_last_is_delivered(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        rni_view *view = serve(false);
        rni_peer *peer = join(view);
        /* While its thread is busy with something else. */
        for (uint32_t k = 0; k < round % 4; k++) rni_peer_say(peer, "{\"type\": \"list\"}");
        rni_view_tell(view, RNI_VIEW_STATE, "{\"type\": \"state\", \"state\": \"ended\"}");
        rni_view_destroy(view);
        assert_non_null(rni_peer_await(peer, "state", 5));
        rni_peer_close(peer);
    }
}

static void one_has_control_and_others_are_told(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view);
    rni_view_order order;
    rni_peer_say(two, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(two, "error", 5), "another client has control"));
    rni_peer_say(one, "{\"type\": \"start\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_START);
    assert_int_equal(order.client, 1);
    rni_view_answer(view, order.client, "{\"type\": \"files\"}");
    assert_non_null(rni_peer_await(one, "files", 5));
    rni_peer_close(one);
    assert_non_null(strstr(rni_peer_await(two, "control", 5), "\"free\": true"));
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_LEFT);
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_CONTROL_LOST);
    rni_peer_say(two, "{\"type\": \"control\"}");
    assert_non_null(strstr(rni_peer_await(two, "control", 5), "\"control\": true"));
    rni_peer_say(two, "{\"type\": \"pause\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_PAUSE);
    rni_peer_close(two);
    rni_view_destroy(view);
}

static void control_goes_to_the_client_that_waits_longest(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view), *three = join(view);
    rni_view_order order;
    rni_peer *all[3] = {one, two, three};
    const char *const ask = "{\"type\": \"control\"}", *const let =
                                                           "{\"type\": \"control\", \"off\": true}";
    const struct {
        rni_peer *who;
        const char *says;
        bool waits[3];
        unsigned asked;
    } asks[] = {
        {three, ask, {false, false, true}, 1},
        {two, ask, {false, true, true}, 2},
        {two, let, {false, false, true}, 1},
        {two, ask, {false, true, true}, 2},
    };
    for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
        rni_peer_say(asks[k].who, asks[k].says);
        for (size_t i = 0; i < 3; i++) {
            char told[48];
            snprintf(told, sizeof told, "\"waits\": %s, \"waiting\": %u",
                     asks[k].waits[i] ? "true" : "false", asks[k].asked);
            assert_non_null(strstr(rni_peer_await(all[i], "control", 5), told));
        }
    }
    rni_peer_close(one);
    assert_non_null(strstr(rni_peer_await(three, "control", 5), "\"control\": true, \"free\": false"));
    assert_non_null(strstr(rni_peer_await(two, "control", 5), "\"control\": false, \"free\": false"));
    while (next_order(view, &order) && order.verb != RNI_VERB_CONTROL_LOST) continue;
    assert_int_equal(order.verb, RNI_VERB_CONTROL_LOST);
    /* One that releases control: its force and stream end, and the next one has control. */
    rni_peer_say(three, "{\"type\": \"control\", \"off\": true}");
    assert_non_null(strstr(rni_peer_await(two, "control", 5), "\"control\": true"));
    assert_non_null(strstr(rni_peer_await(three, "control", 5), "\"control\": false"));
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_CONTROL);
    rni_peer_say(three, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(three, "error", 5), "another client has control"));
    /* No client waits: control is free, and a new client has it. */
    rni_peer_say(two, "{\"type\": \"control\", \"off\": true}");
    assert_non_null(strstr(rni_peer_await(three, "control", 5), "\"free\": true"));
    rni_peer_say(three, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(three, "error", 5), "request it"));
    rni_peer *four = join(view);
    assert_non_null(strstr(rni_peer_await(three, "control", 5), "\"free\": false"));
    rni_peer_say(four, "{\"type\": \"start\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_CONTROL);
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_START);
    rni_peer_close(two);
    rni_peer_close(three);
    rni_peer_close(four);
    rni_view_destroy(view);
}

static void the_controlling_client_is_told_when_one_that_waits_goes(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view);
    rni_peer_say(two, "{\"type\": \"control\"}");
    assert_non_null(strstr(rni_peer_await(one, "control", 5), "\"waiting\": 1"));
    rni_peer_close(two);
    assert_non_null(strstr(rni_peer_await(one, "control", 5), "\"waiting\": 0"));
    rni_peer_close(one);
    rni_view_destroy(view);
}

static void all_control_by_flag(void **state)
{
    (void)state;
    rni_view *view = serve(true);
    rni_peer *one = join(view), *two = join(view);
    rni_view_order order;
    rni_peer_say(two, "{\"type\": \"start\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_START);
    rni_peer_say(one, "{\"type\": \"pause\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_PAUSE);
    rni_peer_close(one);
    rni_peer_close(two);
    rni_view_destroy(view);
}

/* What the protocol says of a value, for one frame of many pieces; what is not finite in between. */
static void large_frames_are_packed_as_small_ones(void **state)
{
    (void)state;
    const uint32_t n = 150001;
    rni_view *view = serve(false);
    water w = pour(n);
    float(*accelerations)[4] = calloc(n, sizeof *accelerations), *birth = calloc(n, sizeof *birth);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t a = 0; a < 3; a++) accelerations[i][a] = (float)((int)(i % 200) - 100) * 0.5f;
    for (uint32_t i = 0; i < n; i++) birth[i] = (float)(i % 100);
    w.density[70000] = NAN, w.density[n - 1] = HUGE_VALF, w.density[5] = -HUGE_VALF;
    w.position[99999][1] = NAN, w.position[16383][2] = 7, w.position[16384][0] = -7;
    static const char *const NAMES[] = {"density", "speed", "age"};
    rni_peer *peer = join(view);
    for (uint32_t k = 0; k < 3; k++) {
        char text[160];
        snprintf(text, sizeof text,
                 "{\"type\": \"want\", \"attributes\": [\"%s\", \"velocity\", \"acceleration\", \"id\"], "
                 "\"rate\": 60}",
                 NAMES[k]);
        rni_peer_say(peer, text);
        const unsigned char *bytes = NULL;
        size_t size = 0;
        bool is_it = false;
        /* What was asked for before may still be: it is published, too. */
        for (double until = rni_seconds() + 20; !is_it;) {
            rni_peer_message message;
            if (rni_seconds() > until) fail_msg("no frame with %s came", NAMES[k]);
            if (rni_view_asked(view)) {
                rn_frame frame = frame_of(&w, n, k + 1);
                rn_attribute pushed = {"acceleration", "m/s^2", 3, 0, 0, 0, 16, accelerations};
                frame.time = 100;
                assert_int_equal(rn_frame_add_attribute(&frame, &pushed), RN_OK);
                for (uint32_t a = 0; a < frame.attribute_count; a++) {
                    bool is_time = strcmp(frame.attribute[a].name, "birth") == 0 ||
                                   strcmp(frame.attribute[a].name, "age") == 0;
                    if (is_time) frame.attribute[a].data = birth, frame.attribute[a].stride = 4;
                }
                assert_int_equal(publish(view, &frame), RN_OK);
            }
            if (!rni_peer_next(peer, 0.02, &message) || !message.is_frame) continue;
            bytes = message.bytes, size = message.size;
            is_it = row_of(bytes, size, NAMES[k]) != NULL;
        }
        float range[2], most[2][2];
        memcpy(range, row_of(bytes, size, NAMES[k]) + 32, 8);
        memcpy(most[0], row_of(bytes, size, "velocity") + 32, 8);
        memcpy(most[1], row_of(bytes, size, "acceleration") + 32, 8);
        const unsigned char *positions = bytes + 64 + 4 * 40;
        const unsigned char *values = array_of(bytes, size, NAMES[k]);
        const unsigned char *velocities = array_of(bytes, size, "velocity");
        const unsigned char *pushes = array_of(bytes, size, "acceleration");
        assert_int_equal(size, 64 + 4 * 40 + ((n * 6u + 3) & ~3u) + ((n + 3u) & ~3u) +
                                   2 * ((n * 3u + 3) & ~3u) + n * 4u);
        assert_true(most[0][1] == (float)(n - 1) && most[1][1] == 50);
        assert_true(most[0][0] == -most[0][1] && most[1][0] == -most[1][1]);
        for (uint32_t pad = n * 3u; pad % 4; pad++) assert_int_equal(velocities[pad], 0);
        if (k == 0) assert_true(range[0] == 1000 && range[1] == 1010);
        else assert_true(range[0] == 0 && range[1] == (k == 1 ? (float)(n - 1) : 100));
        for (uint32_t i = 0; i < n; i++) {
            float value = k == 0 ? w.density[i] : k == 1 ? w.velocity[i][0] : 100 - birth[i];
            float part = isfinite(value) ? (value - range[0]) / (range[1] - range[0]) : value > 0;
            if (fabsf((float)values[i] - 255 * part) > 0.51f)
                fail_msg("%s of %u: %u instead of %g", NAMES[k], i, values[i], 255 * (double)part);
            for (uint32_t a = 0; a < 3; a++) {
                uint16_t place;
                memcpy(&place, positions + (size_t)6 * i + (size_t)2 * a, 2);
                float x = w.position[i][a];
                x = x > 0 ? x < 1 ? x : 1 : 0;
                if (fabsf((float)place - 65535 * x) > 0.51f)
                    fail_msg("place %u of %u: %u instead of %g", a, i, place, 65535 * (double)x);
                float v = 127 * w.velocity[i][a] / most[0][1];
                float p = 127 * accelerations[i][a] / most[1][1];
                assert_true(fabsf((float)(int8_t)velocities[(size_t)3 * i + a] - v) <= 0.51f);
                assert_true(fabsf((float)(int8_t)pushes[(size_t)3 * i + a] - p) <= 0.51f);
            }
        }
    }
    free(accelerations);
    free(birth);
    rni_peer_close(peer);
    drain(&w);
    rni_view_destroy(view);
}

/* Frames that client gets in seconds while frames are published as asked. */
static uint32_t count_frames(rni_view *view, rni_peer *peer, const water *w, uint32_t n,
                             double seconds)
{
    rni_peer_message message;
    uint32_t count = 0;
    uint64_t step = 0;
    for (double until = rni_seconds() + seconds; rni_seconds() < until;) {
        if (rni_view_asked(view)) {
            rn_frame frame = frame_of(w, n, ++step);
            assert_int_equal(publish(view, &frame), RN_OK);
        }
        while (rni_peer_next(peer, 0.002, &message)) {
            assert_false(message.is_end);
            count += message.is_frame;
        }
    }
    return count;
}

static void a_client_that_does_not_read_slows_only_itself(void **state)
{
    (void)state;
    const uint32_t n = 100000;
    rni_view *view = serve(false);
    water w = pour(n);
    rni_peer *fast = join(view);
    rni_peer_say(fast, "{\"type\": \"want\", \"rate\": 40}");
    count_frames(view, fast, &w, n, 0.3);
    uint32_t alone = count_frames(view, fast, &w, n, 1.5);
    rni_peer *slow = join(view);
    rni_peer_say(slow, "{\"type\": \"want\", \"rate\": 60}");
    count_frames(view, fast, &w, n, 0.5);
    uint32_t count = count_frames(view, fast, &w, n, 1.5);
    if (count < 6 || 2 * count < alone) /* 60 and 60 on an idle machine */
        fail_msg("%u frames in the time in which there were %u without a slow one", count, alone);
    rni_peer_close(slow);
    rni_peer_close(fast);
    drain(&w);
    rni_view_destroy(view);
}

static void a_window_bounds_what_is_under_way(void **state)
{
    (void)state;
    const uint32_t n = 100;
    rni_view *view = serve(false);
    water w = pour(n);
    rni_peer *peer = join(view);
    rni_peer_say(peer, "{\"type\": \"want\", \"rate\": 60, \"window\": 2}");
    assert_int_equal(count_frames(view, peer, &w, n, 0.5), 2);
    rni_peer_say(peer, "{\"type\": \"got\"}");
    assert_int_equal(count_frames(view, peer, &w, n, 0.3), 1);
    rni_peer_close(peer);
    drain(&w);
    rni_view_destroy(view);
}

static void orders_that_follow_each_other_become_one(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *peer = join(view);
    for (uint32_t k = 0; k < 100; k++)
        rni_peer_say(peer, "{\"type\": \"tilt\", \"gravity\": [0, -1, 0]}");
    rni_peer_say(peer, "{\"type\": \"tilt\", \"gravity\": [0, -2, 0]}");
    rni_peer_say(peer, "{\"type\": \"list\"}");
    rni_view_order order;
    uint32_t count = 0;
    float last = 0;
    usleep(700000);
    while (next_order(view, &order) && order.verb == RNI_VERB_TILT)
        count++, last = order.direction[1];
    assert_true(count >= 1 && count <= 3);
    assert_true(last == -2);
    rni_peer_close(peer);
    rni_view_destroy(view);
}

static void orders_are_bounded(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *peer = join(view);
    for (uint32_t k = 0; k < 300; k++) rni_peer_say(peer, "{\"type\": \"step\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "too many orders"));
    rni_peer_close(peer);
    rni_view_destroy(view);
}

/* Meshes are sent once, also to clients that connect later; an unknown attribute is refused by name. */
static void meshes_reach_all_clients(void **state)
{
    (void)state;
    const float vertex[3][6] = {{0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 1}};
    const uint32_t index[3] = {0, 1, 2};
    const float line[6] = {0, 0, 0, 1, 0, 0};
    const rn_triangles meshes[2] = {{.name = "a wall with a name that is too long for it",
                                     .vertex_count = 3,
                                     .index_count = 3,
                                     .line_count = 1,
                                     .stride = sizeof vertex[0],
                                     .vertex = vertex[0],
                                     .normal = vertex[0] + 3,
                                     .index = index,
                                     .line = line},
                                    {.name = "nothing"}};
    rn_frame frame = rn_frame_default();
    frame.triangles = meshes, frame.triangles_count = 2;
    rni_view *view = serve(false);
    rni_peer *peers[2] = {join(view), NULL};
    assert_int_equal(rni_view_set_meshes(view, &frame, 9), RN_OK);
    peers[1] = join(view);
    for (uint32_t k = 0; k < 2; k++) {
        size_t size = 0;
        const unsigned char *bytes = next_frame(peers[k], &size);
        uint32_t head[3], words[6];
        assert_non_null(bytes);
        assert_memory_equal(bytes, "RNM2", 4);
        memcpy(head, bytes + 4, 12);
        memcpy(words, bytes + 16 + 24, 24);
        assert_true(head[0] == 9 && head[1] == 2 && head[2] == 0);
        assert_string_equal((const char *)bytes + 16, "a wall with a name that");
        assert_true(words[0] == 3 && words[1] == 3 && words[2] == 1);
        assert_int_equal(words[3], 16 + 2 * 48);
        for (uint32_t v = 0; v < 3; v++) {
            assert_memory_equal(bytes + words[3] + 12 * v, vertex[v], 12);
            assert_memory_equal(bytes + words[4] + 12 * v, vertex[v] + 3, 12);
        }
        assert_memory_equal(bytes + words[5], index, sizeof index);
        assert_memory_equal(bytes + words[5] + sizeof index, line, sizeof line);
        assert_int_equal(size, words[5] + sizeof index + sizeof line);
        rni_peer_say(peers[k], "{\"type\": \"want\", \"attributes\": [\"taste\"]}");
        assert_non_null(strstr(rni_peer_await(peers[k], "error", 5), "taste"));
        rni_peer_close(peers[k]);
    }
    rni_view_destroy(view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_arrives_as_the_protocol_says),
        cmocka_unit_test(nothing_is_asked_without_clients),
        cmocka_unit_test(topics_reach_all_and_newcomers),
        cmocka_unit_test(what_was_told_last_is_delivered),
        cmocka_unit_test(one_has_control_and_others_are_told),
        cmocka_unit_test(control_goes_to_the_client_that_waits_longest),
        cmocka_unit_test(the_controlling_client_is_told_when_one_that_waits_goes),
        cmocka_unit_test(all_control_by_flag),
        cmocka_unit_test(meshes_reach_all_clients),
        cmocka_unit_test(large_frames_are_packed_as_small_ones),
        cmocka_unit_test(a_client_that_does_not_read_slows_only_itself),
        cmocka_unit_test(a_window_bounds_what_is_under_way),
        cmocka_unit_test(orders_that_follow_each_other_become_one),
        cmocka_unit_test(orders_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
