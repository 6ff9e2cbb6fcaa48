#include "fact.h"

#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct tally {
    _Atomic uint32_t seen[1000];
    _Atomic uint32_t busy[RNI_MAX_WORKERS]; /* detects a worker number used twice at once */
    _Atomic uint32_t clashes;
} tally;

static void mark_piece(void *data, uint32_t piece, uint32_t worker)
{
    tally *t = data;
    if (atomic_fetch_add(&t->busy[worker], 1) != 0) atomic_fetch_add(&t->clashes, 1);
    atomic_fetch_add(&t->seen[piece], 1);
    atomic_fetch_sub(&t->busy[worker], 1);
}

static void run_serially_backwards(void *user, rn_task_fn task, void *data, uint32_t task_count)
{
    ++*(uint32_t *)user;
    for (uint32_t t = task_count; t-- > 0;) task(data, t);
}

static void check_all_pieces(uint32_t threads, const rn_tasks *tasks)
{
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rni_crew *crew = NULL;
    assert_int_equal(rni_crew_create(&memory, threads, tasks, &crew), RN_OK);
    assert_int_equal(rni_crew_size(crew), threads);
    static const uint32_t counts[] = {0, 1, 2, 999};
    for (int round = 0; round < 50; round++) {
        uint32_t count = counts[round % 4];
        tally t;
        memset(&t, 0, sizeof t);
        rni_crew_pieces(crew, count, mark_piece, &t);
        for (uint32_t k = 0; k < 1000; k++) assert_int_equal(t.seen[k], k < count ? 1 : 0);
        assert_int_equal(t.clashes, 0);
        if (round == 25)
            nanosleep(&(struct timespec){0, 5000000}, NULL); /* the crew falls asleep */
    }
    rni_crew_destroy(crew);
    assert_int_equal(memory.held_bytes, 0);
}

static void every_piece_runs_once_on_any_number_of_threads(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 7, 32};
    rn_tasks none = {0};
    for (size_t t = 0; t < 5; t++) check_all_pieces(counts[t], &none);
}

static void the_callers_task_system_is_used(void **state)
{
    (void)state;
    uint32_t calls = 0;
    rn_tasks tasks = {&calls, run_serially_backwards};
    check_all_pieces(4, &tasks);
    assert_true(calls > 0);
}

typedef struct first_worker {
    uint32_t next; /* the smallest piece that may come next */
    bool is_ascending;
} first_worker;

static void follow_first(void *data, uint32_t piece, uint32_t worker)
{
    first_worker *first = data;
    if (worker != 0) return;
    first->is_ascending &= piece >= first->next;
    first->next = piece + 1;
}

static void run_serially(void *user, rn_task_fn task, void *data, uint32_t task_count)
{
    (void)user;
    for (uint32_t t = 0; t < task_count; t++) task(data, t);
}

static void the_first_worker_goes_up(void **state)
{
    (void)state;
    const rn_tasks tasks[] = {
        {0}, {NULL, run_serially}}; /* in the second case this worker runs every piece */
    for (size_t t = 0; t < 2; t++) {
        rni_memory memory;
        rn_allocator none = {0};
        rni_memory_init(&memory, &none);
        rni_crew *crew = NULL;
        assert_int_equal(rni_crew_create(&memory, 4, &tasks[t], &crew), RN_OK);
        for (int round = 0; round < 50; round++) {
            first_worker first = {0, true};
            rni_crew_pieces(crew, 999, follow_first, &first);
            assert_true(first.is_ascending);
            if (tasks[t].run) assert_int_equal(first.next, 999);
        }
        rni_crew_destroy(crew);
    }
}

/* Jobs so short that threads arrive late for most of them, and some jobs that begin while all
 * threads sleep. */
static void threads_that_come_late_neither_repeat_nor_miss_a_piece(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rn_tasks no_tasks = {0};
    rni_memory_init(&memory, &none);
    rni_crew *crew = NULL;
    assert_int_equal(rni_crew_create(&memory, 4, &no_tasks, &crew), RN_OK);
    for (uint32_t job = 0; job < 20000; job++) {
        static tally t;
        const uint32_t count = 2 + job % 7;
        for (uint32_t k = 0; k < count; k++) atomic_store(&t.seen[k], 0);
        rni_crew_pieces(crew, count, mark_piece, &t);
        for (uint32_t k = 0; k < count; k++) assert_int_equal(t.seen[k], 1);
        assert_int_equal(t.clashes, 0);
        if (job % 1000 == 999) nanosleep(&(struct timespec){0, 300000}, NULL);
    }
    rni_crew_destroy(crew);
    assert_int_equal(memory.held_bytes, 0);
}

static void too_many_threads_are_refused(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rn_tasks no_tasks = {0};
    rni_memory_init(&memory, &none);
    rni_crew *crew = NULL;
    assert_int_equal(rni_crew_create(&memory, RNI_MAX_WORKERS + 1, &no_tasks, &crew),
                     RN_ERROR_ARGUMENT);
    assert_null(crew);
}

static void shares_cover_everything_once(void **state)
{
    (void)state;
    for (uint64_t count = 0; count < 50; count++) {
        for (uint32_t parts = 1; parts < 9; parts++) {
            uint64_t next = 0, begin, end;
            for (uint32_t part = 0; part < parts; part++) {
                rni_share(count, part, parts, &begin, &end);
                assert_int_equal(begin, next);
                assert_true(end >= begin);
                next = end;
            }
            assert_int_equal(next, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_runs_once_on_any_number_of_threads),
        cmocka_unit_test(the_callers_task_system_is_used),
        cmocka_unit_test(the_first_worker_goes_up),
        cmocka_unit_test(threads_that_come_late_neither_repeat_nor_miss_a_piece),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(shares_cover_everything_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
