#include "base/parallel.h"

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>

/* How often an idle worker looks for work before it sleeps: some 20 microseconds, about what waking
 * it would cost. A neighbour search of 32,768 points is five jobs of 20 to 400 microseconds. */
#define LOOKS_BEFORE_SLEEP 2000

struct rni_crew {
    rni_memory *memory;
    rn_tasks tasks;
    uint32_t size;
    uint32_t thread_count; /* started, the caller's not counted */
    pthread_t *threads;
    struct seat *seats;
    struct share *shares; /* one a worker */

    rni_worker_fn work;
    void *data;
    _Atomic uint32_t round;   /* counts jobs; a change means work */
    _Atomic uint32_t running; /* threads not yet done with this round */
    _Atomic uint32_t sleepers;
    atomic_bool is_closing;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

struct seat {
    rni_crew *crew;
    uint32_t worker;
};

/* Pieces of a job that a worker takes before those of others; a cache line for each. */
struct share {
    _Alignas(RNI_ALIGNMENT) _Atomic uint32_t next;
    uint32_t end;
};

static uint32_t wait_for_round(rni_crew *crew, uint32_t seen)
{
    for (int look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
        uint32_t round = atomic_load_explicit(&crew->round, memory_order_acquire);
        if (round != seen) return round;
        rni_pause();
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->round) == seen) pthread_cond_wait(&crew->wake, &crew->mutex);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
    return atomic_load(&crew->round);
}

static void *serve(void *argument)
{
    struct seat *seat = argument;
    rni_crew *crew = seat->crew;
    uint32_t seen = 0;
    for (;;) {
        seen = wait_for_round(crew, seen);
        if (atomic_load(&crew->is_closing)) return NULL;
        crew->work(crew->data, seat->worker);
        atomic_fetch_sub_explicit(&crew->running, 1, memory_order_release);
    }
}

static void begin_round(rni_crew *crew)
{
    atomic_fetch_add(&crew->round, 1);
    if (atomic_load(&crew->sleepers) > 0) {
        pthread_mutex_lock(&crew->mutex);
        pthread_cond_broadcast(&crew->wake);
        pthread_mutex_unlock(&crew->mutex);
    }
}

static rn_result start_threads(rni_crew *crew)
{
    uint32_t count = crew->size - 1;
    crew->threads = rni_memory_take(crew->memory, count * sizeof *crew->threads);
    crew->seats = rni_memory_take(crew->memory, count * sizeof *crew->seats);
    if (!crew->threads || !crew->seats) return RN_ERROR_MEMORY;
    for (uint32_t t = 0; t < count; t++) {
        crew->seats[t] = (struct seat){crew, t + 1};
        if (pthread_create(&crew->threads[t], NULL, serve, &crew->seats[t]) != 0) {
            return rni_fail(RN_ERROR_LIMIT, "the system started %u of %u threads; ask for fewer", t,
                            count);
        }
        crew->thread_count++;
    }
    return RN_OK;
}

rn_result rni_crew_create(rni_memory *memory, uint32_t worker_count, const rn_tasks *tasks,
                          rni_crew **out)
{
    *out = NULL;
    if (worker_count > RNI_MAX_WORKERS) {
        return rni_fail(RN_ERROR_ARGUMENT, "threads is %u; at most %u", worker_count,
                        RNI_MAX_WORKERS);
    }
    if (worker_count == 0) worker_count = rn_cpu_count();
    if (worker_count > RNI_MAX_WORKERS) worker_count = RNI_MAX_WORKERS;
    rni_crew *crew = rni_memory_take(memory, sizeof *crew);
    if (!crew) return RN_ERROR_MEMORY;
    *crew = (rni_crew){.memory = memory, .tasks = *tasks, .size = worker_count};
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->wake, NULL);
    crew->shares = rni_memory_take(memory, worker_count * sizeof *crew->shares);
    rn_result result = crew->shares ? RN_OK : RN_ERROR_MEMORY;
    if (result == RN_OK && worker_count > 1 && !tasks->run) result = start_threads(crew);
    if (result != RN_OK) {
        rni_crew_destroy(crew);
        return result;
    }
    *out = crew;
    return RN_OK;
}

void rni_crew_destroy(rni_crew *crew)
{
    if (!crew) return;
    if (crew->thread_count > 0) {
        atomic_store(&crew->is_closing, true);
        begin_round(crew);
        for (uint32_t t = 0; t < crew->thread_count; t++) pthread_join(crew->threads[t], NULL);
    }
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->mutex);
    uint32_t count = crew->size - 1;
    rni_memory_give(crew->memory, crew->threads, count * sizeof *crew->threads);
    rni_memory_give(crew->memory, crew->seats, count * sizeof *crew->seats);
    rni_memory_give(crew->memory, crew->shares, crew->size * sizeof *crew->shares);
    rni_memory_give(crew->memory, crew, sizeof *crew);
}

uint32_t rni_crew_size(const rni_crew *crew)
{
    return crew->size;
}

void rni_crew_run(rni_crew *crew, rni_worker_fn work, void *data)
{
    if (crew->size == 1) {
        work(data, 0);
        return;
    }
    if (crew->tasks.run) {
        crew->tasks.run(crew->tasks.user, work, data, crew->size);
        return;
    }
    crew->work = work;
    crew->data = data;
    atomic_store(&crew->running, crew->thread_count);
    begin_round(crew);
    work(data, 0);
    for (uint32_t look = 0; atomic_load_explicit(&crew->running, memory_order_acquire) > 0; look++) {
        if (look < LOOKS_BEFORE_SLEEP) rni_pause();
        else sched_yield();
    }
}

struct pieces {
    rni_piece_fn work;
    void *data;
    const rni_crew *crew;
};

/* The worker's own share first: from job to job it then mostly meets what its own cache holds. Then what others
 * have left of theirs. */
static void take_pieces(void *data, uint32_t worker)
{
    struct pieces *pieces = data;
    const uint32_t size = pieces->crew->size;
    for (uint32_t k = 0; k < size; k++) {
        struct share *share =
            &pieces->crew->shares[worker + k < size ? worker + k : worker + k - size];
        for (;;) {
            uint32_t piece = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
            if (piece >= share->end) break;
            pieces->work(pieces->data, piece, worker);
        }
    }
}

void rni_crew_pieces(rni_crew *crew, uint32_t piece_count, rni_piece_fn work, void *data)
{
    if (piece_count <= 1 || crew->size == 1) {
        for (uint32_t piece = 0; piece < piece_count; piece++) work(data, piece, 0);
        return;
    }
    struct pieces pieces = {work, data, crew};
    for (uint32_t w = 0; w < crew->size; w++) {
        uint64_t begin, end;
        rni_share(piece_count, w, crew->size, &begin, &end);
        atomic_store_explicit(&crew->shares[w].next, (uint32_t)begin, memory_order_relaxed);
        crew->shares[w].end = (uint32_t)end;
    }
    rni_crew_run(crew, take_pieces, &pieces);
}
