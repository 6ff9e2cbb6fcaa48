#include "fact.h"

#include "base/memory.h"

#include <string.h>

static void half_an_allocator_is_refused(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator half = {.release = (void (*)(void *, void *, size_t))(uintptr_t)1};
    assert_int_equal(rni_memory_init(&memory, &half), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "both or neither"));
}

static void a_growing_buffer_keeps_its_contents(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rni_buffer buffer = {0};
    for (uint32_t count = 1; count < 3000; count += 37) {
        assert_int_equal(rni_buffer_grow(&memory, &buffer, count, sizeof(uint32_t)), RN_OK);
        uint32_t *data = buffer.data;
        for (uint32_t k = 0; k + 37 < count; k++) assert_int_equal(data[k], k);
        for (uint32_t k = 0; k < count; k++) data[k] = k;
        assert_int_equal((uintptr_t)data % RNI_ALIGNMENT, 0);
    }
    assert_int_equal(memory.held_bytes, buffer.bytes);
    rni_buffer_free(&memory, &buffer);
    assert_int_equal(memory.held_bytes, 0);
}

static void absurd_sizes_are_refused_not_wrapped(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rni_buffer buffer = {0};
    assert_int_equal(rni_buffer_need(&memory, &buffer, UINT64_MAX / 2, 16), RN_ERROR_MEMORY);
    assert_int_equal(rni_buffer_grow(&memory, &buffer, UINT64_MAX, 1), RN_ERROR_MEMORY);
    assert_null(buffer.data);
    rni_arena arena;
    rni_arena_init(&arena, &memory);
    assert_null(rni_arena_take(&arena, SIZE_MAX - 3));
    assert_int_equal(memory.held_bytes, 0);
}

static void an_arena_settles_in_one_chunk(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rni_arena arena;
    rni_arena_init(&arena, &memory);
    uint64_t held = 0;
    for (int round = 0; round < 4; round++) {
        for (size_t k = 0; k < 100; k++) {
            unsigned char *block = rni_arena_take(&arena, k * 333);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % RNI_ALIGNMENT, 0);
            memset(block, (int)k, k * 333);
        }
        if (round == 2) held = memory.held_bytes;
        if (round == 3) assert_int_equal(memory.held_bytes, held);
        rni_arena_reset(&arena);
    }
    rni_arena_free(&arena);
    assert_int_equal(memory.held_bytes, 0);
}

typedef struct object {
    rni_memory memory;
    char rest[100];
} object;

static void an_object_begins_empty_and_counts_itself(void **state)
{
    (void)state;
    rn_allocator none = {0};
    void *place = NULL;
    assert_int_equal(rni_memory_begin(&none, sizeof(object), &place), RN_OK);
    object *o = place;
    assert_int_equal(o->memory.held_bytes, sizeof *o);
    for (size_t k = 0; k < sizeof o->rest; k++) assert_int_equal(o->rest[k], 0);
    rni_memory_give(&o->memory, rni_memory_take(&o->memory, 10), 10);
    assert_int_equal(o->memory.held_bytes, sizeof *o);
    rni_memory_end(&o->memory, sizeof *o);
    rn_allocator half = {.release = (void (*)(void *, void *, size_t))(uintptr_t)1};
    assert_int_equal(rni_memory_begin(&half, sizeof(object), &place), RN_ERROR_ARGUMENT);
    assert_null(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(a_growing_buffer_keeps_its_contents),
        cmocka_unit_test(absurd_sizes_are_refused_not_wrapped),
        cmocka_unit_test(an_arena_settles_in_one_chunk),
        cmocka_unit_test(an_object_begins_empty_and_counts_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
