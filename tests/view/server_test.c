/* Frames and texts reach clients; a slow one slows only itself; one steers. */
#include "fact.h"

#include "base/clock.h"
#include "view/peer.h"
#include "view/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rni_view *serve(bool all_steer)
{
    rni_view_def def = {.all_steer = all_steer, .hello = "\"program\": \"test\""};
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

static rni_view_frame frame_of(const water *w, uint32_t count, uint64_t step)
{
    return (rni_view_frame){.time = 0.5,
                            .step = step,
                            .scene = 3,
                            .count = count,
                            .stride = 16,
                            .position = w->position[0],
                            .velocity = w->velocity[0],
                            .density = w->density,
                            .id = w->id,
                            .high = {1, 1, 1},
                            .radius = 0.01f};
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
    rni_peer_say(peer, "{\"type\": \"want\", \"attribute\": \"density\", \"velocities\": true, "
                       "\"ids\": true}");
    assert_true(asked(view, 5));
    rni_view_frame frame = frame_of(&w, n, 42);
    assert_int_equal(rni_view_publish(view, &frame), RN_OK);
    size_t size = 0;
    const unsigned char *bytes = next_frame(peer, &size);
    assert_non_null(bytes);
    size_t attribute = (n * 6u + 3) & ~3u, velocity = (n + 3) & ~3u, ids = (n * 3u + 3) & ~3u;
    assert_int_equal(size, 96 + attribute + velocity + ids + n * 4u);
    assert_memory_equal(bytes, "RNF1", 4);
    uint32_t head[3], scene;
    uint64_t step;
    memcpy(head, bytes + 4, 12);
    memcpy(&step, bytes + 24, 8);
    memcpy(&scene, bytes + 76, 4);
    assert_int_equal(head[0], n);
    assert_int_equal(head[1], 1 | 2 | 8);
    assert_int_equal(head[2], 1);
    assert_int_equal(step, 42);
    assert_int_equal(scene, 3);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t p[3];
        uint32_t id;
        memcpy(p, bytes + 96 + (size_t)6 * i, 6);
        memcpy(&id, bytes + 96 + attribute + velocity + ids + (size_t)4 * i, 4);
        for (uint32_t a = 0; a < 3; a++)
            assert_true(fabsf((float)p[a] / 65535.0f - w.position[i][a]) < 1e-5f);
        float density = 1000 + (float)bytes[96 + attribute + i] * 10 / 255;
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

static void one_steers_and_others_are_told(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view);
    rni_view_order order;
    rni_peer_say(two, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(two, "error", 5), "another client steers"));
    rni_peer_say(one, "{\"type\": \"start\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_START);
    assert_int_equal(order.client, 1);
    rni_view_answer(view, order.client, "{\"type\": \"files\"}");
    assert_non_null(rni_peer_await(one, "files", 5));
    rni_peer_close(one);
    assert_non_null(strstr(rni_peer_await(two, "steers", 5), "\"free\": true"));
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_LEFT);
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_LET_GO);
    rni_peer_say(two, "{\"type\": \"steer\"}");
    assert_non_null(strstr(rni_peer_await(two, "steers", 5), "\"steers\": true"));
    rni_peer_say(two, "{\"type\": \"pause\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_PAUSE);
    rni_peer_close(two);
    rni_view_destroy(view);
}

static void the_wheel_goes_to_the_one_that_waits_longest(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view), *three = join(view);
    rni_view_order order;
    rni_peer *all[3] = {one, two, three};
    const char *const ask = "{\"type\": \"steer\"}", *const let =
                                                         "{\"type\": \"steer\", \"off\": true}";
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
            snprintf(told, sizeof told, "\"waits\": %s, \"asked\": %u",
                     asks[k].waits[i] ? "true" : "false", asks[k].asked);
            assert_non_null(strstr(rni_peer_await(all[i], "steers", 5), told));
        }
    }
    rni_peer_close(one);
    assert_non_null(strstr(rni_peer_await(three, "steers", 5), "\"steers\": true, \"free\": false"));
    assert_non_null(strstr(rni_peer_await(two, "steers", 5), "\"steers\": false, \"free\": false"));
    while (next_order(view, &order) && order.verb != RNI_VERB_LET_GO) continue;
    assert_int_equal(order.verb, RNI_VERB_LET_GO);
    /* One that lets go by itself: its force and stream end, and the next one steers. */
    rni_peer_say(three, "{\"type\": \"steer\", \"off\": true}");
    assert_non_null(strstr(rni_peer_await(two, "steers", 5), "\"steers\": true"));
    assert_non_null(strstr(rni_peer_await(three, "steers", 5), "\"steers\": false"));
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_STEER);
    rni_peer_say(three, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(three, "error", 5), "another client steers"));
    /* Nobody waits: it is free, and a newcomer has it. */
    rni_peer_say(two, "{\"type\": \"steer\", \"off\": true}");
    assert_non_null(strstr(rni_peer_await(three, "steers", 5), "\"free\": true"));
    rni_peer_say(three, "{\"type\": \"start\"}");
    assert_non_null(strstr(rni_peer_await(three, "error", 5), "ask for the wheel"));
    rni_peer *four = join(view);
    assert_non_null(strstr(rni_peer_await(three, "steers", 5), "\"free\": false"));
    rni_peer_say(four, "{\"type\": \"start\"}");
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_STEER);
    assert_true(next_order(view, &order));
    assert_int_equal(order.verb, RNI_VERB_START);
    rni_peer_close(two);
    rni_peer_close(three);
    rni_peer_close(four);
    rni_view_destroy(view);
}

static void who_steers_is_told_when_one_that_waits_goes(void **state)
{
    (void)state;
    rni_view *view = serve(false);
    rni_peer *one = join(view), *two = join(view);
    rni_peer_say(two, "{\"type\": \"steer\"}");
    assert_non_null(strstr(rni_peer_await(one, "steers", 5), "\"asked\": 1"));
    rni_peer_close(two);
    assert_non_null(strstr(rni_peer_await(one, "steers", 5), "\"asked\": 0"));
    rni_peer_close(one);
    rni_view_destroy(view);
}

static void all_steer_by_flag(void **state)
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
                 "{\"type\": \"want\", \"attribute\": \"%s\", \"velocities\": true, "
                 "\"accelerations\": true, \"ids\": true, \"rate\": 60}",
                 NAMES[k]);
        rni_peer_say(peer, text);
        const unsigned char *bytes = NULL;
        size_t size = 0;
        uint32_t attribute = 0;
        /* What was asked for before may still be: it is published, too. */
        for (double until = rni_seconds() + 20; attribute != (uint32_t[]){1, 2, 4}[k];) {
            rni_peer_message message;
            if (rni_seconds() > until) fail_msg("no frame with %s came", NAMES[k]);
            if (rni_view_asked(view)) {
                rni_view_frame frame = frame_of(&w, n, k + 1);
                frame.time = 100, frame.acceleration = accelerations[0], frame.birth = birth;
                assert_int_equal(rni_view_publish(view, &frame), RN_OK);
            }
            if (!rni_peer_next(peer, 0.02, &message) || !message.is_frame) continue;
            bytes = message.bytes, size = message.size;
            memcpy(&attribute, bytes + 12, 4);
        }
        float range[2], most[2];
        memcpy(range, bytes + 56, 8);
        memcpy(most, bytes + 64, 8);
        const unsigned char *positions = bytes + 96, *values = positions + ((n * 6u + 3) & ~3u);
        const unsigned char *velocities = values + ((n + 3u) & ~3u);
        const unsigned char *pushes = velocities + ((n * 3u + 3) & ~3u);
        assert_int_equal(size, (size_t)(pushes - bytes) + ((n * 3u + 3) & ~3u) + n * 4u);
        assert_true(most[0] == (float)(n - 1) && most[1] == 50);
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
                float v = 127 * w.velocity[i][a] / most[0], p = 127 * accelerations[i][a] / most[1];
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
            rni_view_frame frame = frame_of(w, n, ++step);
            assert_int_equal(rni_view_publish(view, &frame), RN_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_arrives_as_the_protocol_says),
        cmocka_unit_test(nothing_is_asked_without_clients),
        cmocka_unit_test(topics_reach_all_and_newcomers),
        cmocka_unit_test(what_was_told_last_is_delivered),
        cmocka_unit_test(one_steers_and_others_are_told),
        cmocka_unit_test(the_wheel_goes_to_the_one_that_waits_longest),
        cmocka_unit_test(who_steers_is_told_when_one_that_waits_goes),
        cmocka_unit_test(all_steer_by_flag),
        cmocka_unit_test(large_frames_are_packed_as_small_ones),
        cmocka_unit_test(a_client_that_does_not_read_slows_only_itself),
        cmocka_unit_test(a_window_bounds_what_is_under_way),
        cmocka_unit_test(orders_that_follow_each_other_become_one),
        cmocka_unit_test(orders_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
