#include "base/parallel.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* How long a thread spins for work, or waits for the last piece, before it sleeps: about the cost
 * of waking it. A neighbour search of 32,768 points is five jobs of 20 to 400 microseconds. */
#define SECONDS_BEFORE_SLEEP 50e-6
#define LOOKS_PER_CLOCK      64u

/* The balance of threads: seconds that they have saved, minus seconds that they have cost. The
 * balance is kept small, so that a machine that becomes busy is noticed within a millisecond. When
 * the balance falls below zero, the calling thread works alone for this many times the loss, which
 * limits the cost of threads to 2 %; then threads are tried again on a small credit. */
#define BALANCE_MOST   1e-3
#define BALANCE_CREDIT 50e-6
#define ALONE_PER_LOSS 50.0

/* crew->gate: the number of the job, whether threads may still join it, and how many have
 * joined. */
#define GATE_JOB(gate) ((uint32_t)((gate) >> 32))
#define GATE_IS_OPEN   ((uint64_t)1 << 31)
#define GATE_INSIDE    (GATE_IS_OPEN - 1)

struct rni_crew {
    rni_memory *memory;
    rn_tasks tasks;
    uint32_t size;
    uint32_t thread_count; /* started threads, without the caller's */
    pthread_t *threads;
    struct seat *seats;
    struct share *shares; /* one per worker */

    rni_piece_fn work; /* of the job; like data and shares, read only by threads that joined */
    void *data;
    _Atomic uint64_t gate;
    _Atomic uint32_t sleepers;
    atomic_bool is_caller_asleep;
    atomic_bool is_closing;
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* signals threads: a job has begun */
    pthread_cond_t done; /* signals the caller: all threads have left the job */

    double balance;     /* s */
    double alone_until; /* s, on the clock of rni_seconds() */
};

struct seat {
    rni_crew *crew;
    uint32_t worker;
};

/* Pieces of a job that a worker takes before those of others; one cache line each. */
struct share {
    _Alignas(RNI_ALIGNMENT) _Atomic uint32_t next;
    uint32_t end;
};

/* A worker takes its own share first, so that from job to job it mostly works on data in its own
 * cache. Then it takes what others have left of their shares. Returns the number of pieces done. */
static uint32_t take_pieces(rni_crew *crew, uint32_t worker)
{
    uint32_t taken = 0;
    for (uint32_t k = 0; k < crew->size; k++) {
        struct share *share =
            &crew->shares[worker + k < crew->size ? worker + k : worker + k - crew->size];
        for (;;) {
            uint32_t piece = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
            if (piece >= share->end) break;
            crew->work(crew->data, piece, worker);
            taken++;
        }
    }
    return taken;
}

/* Polls the gate for a short time; returns whether (gate & mask) has changed from `seen`. */
static bool look_for_change(const rni_crew *crew, uint64_t mask, uint64_t seen)
{
    const double begin = rni_seconds();
    do {
        for (uint32_t look = 0; look < LOOKS_PER_CLOCK; look++) {
            if ((atomic_load_explicit(&crew->gate, memory_order_acquire) & mask) != seen)
                return true;
            rni_pause();
        }
    } while (rni_seconds() - begin < SECONDS_BEFORE_SLEEP);
    return false;
}

/* Waits for a job other than `seen` and returns its gate. */
static uint64_t wait_for_job(rni_crew *crew, uint32_t seen)
{
    const uint64_t job_bits = ~(uint64_t)UINT32_MAX;
    if (!look_for_change(crew, job_bits, (uint64_t)seen << 32)) {
        pthread_mutex_lock(&crew->mutex);
        atomic_fetch_add(&crew->sleepers, 1);
        while (GATE_JOB(atomic_load(&crew->gate)) == seen)
            pthread_cond_wait(&crew->wake, &crew->mutex);
        atomic_fetch_sub(&crew->sleepers, 1);
        pthread_mutex_unlock(&crew->mutex);
    }
    return atomic_load(&crew->gate);
}

/* Joins the job of the gate, unless the job is closed or done. */
static bool join_job(rni_crew *crew, uint64_t gate)
{
    const uint32_t job = GATE_JOB(gate);
    while (GATE_JOB(gate) == job && (gate & GATE_IS_OPEN))
        if (atomic_compare_exchange_weak(&crew->gate, &gate, gate + 1)) return true;
    return false;
}

static void leave_job(rni_crew *crew)
{
    const uint64_t left = atomic_fetch_sub(&crew->gate, 1) - 1;
    if ((left & (GATE_IS_OPEN | GATE_INSIDE)) != 0 || !atomic_load(&crew->is_caller_asleep)) return;
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_signal(&crew->done);
    pthread_mutex_unlock(&crew->mutex);
}

static void *serve(void *argument)
{
    struct seat *seat = argument;
    rni_crew *crew = seat->crew;
    uint32_t seen = 0;
    for (;;) {
        const uint64_t gate = wait_for_job(crew, seen);
        if (atomic_load(&crew->is_closing)) return NULL;
        seen = GATE_JOB(gate);
        if (!join_job(crew, gate)) continue;
        take_pieces(crew, seat->worker);
        leave_job(crew);
    }
}

/* Opens the gate for a new job, or publishes a closed gate, and wakes at most `wanted` threads. */
static void begin_job(rni_crew *crew, uint64_t open, uint32_t wanted)
{
    const uint64_t job = (uint64_t)(GATE_JOB(atomic_load(&crew->gate)) + 1) << 32;
    atomic_store(&crew->gate, job | open);
    const uint32_t sleepers = atomic_load(&crew->sleepers);
    if (sleepers == 0) return;
    pthread_mutex_lock(&crew->mutex);
    if (wanted >= sleepers) pthread_cond_broadcast(&crew->wake);
    else
        for (uint32_t k = 0; k < wanted; k++) pthread_cond_signal(&crew->wake);
    pthread_mutex_unlock(&crew->mutex);
}

/* Closes the gate and waits for the threads that have joined. Returns whether there were any. */
static bool end_job(rni_crew *crew)
{
    uint64_t gate = atomic_fetch_and(&crew->gate, ~GATE_IS_OPEN) & ~GATE_IS_OPEN;
    if ((gate & GATE_INSIDE) == 0) return false;
    while ((gate & GATE_INSIDE) != 0 && look_for_change(crew, ~(uint64_t)0, gate))
        gate = atomic_load_explicit(&crew->gate, memory_order_acquire);
    if ((gate & GATE_INSIDE) == 0) return true;
    pthread_mutex_lock(&crew->mutex);
    atomic_store(&crew->is_caller_asleep, true);
    while (atomic_load(&crew->gate) & GATE_INSIDE) pthread_cond_wait(&crew->done, &crew->mutex);
    atomic_store(&crew->is_caller_asleep, false);
    pthread_mutex_unlock(&crew->mutex);
    return true;
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
    pthread_cond_init(&crew->done, NULL);
    crew->balance = BALANCE_CREDIT;
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
        begin_job(crew, 0, crew->thread_count);
        for (uint32_t t = 0; t < crew->thread_count; t++) pthread_join(crew->threads[t], NULL);
    }
    pthread_cond_destroy(&crew->done);
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

/* The form in which the caller's task system calls a piece. */
static void take_as_task(void *data, uint32_t task)
{
    take_pieces(data, task);
}

static void book(rni_crew *crew, double now, double net_seconds)
{
    crew->balance = fmin(crew->balance + net_seconds, BALANCE_MOST);
    if (crew->balance >= 0) return;
    crew->alone_until = now + ALONE_PER_LOSS * (BALANCE_CREDIT - crew->balance);
    crew->balance = BALANCE_CREDIT;
}

/* Runs the job on the crew's own threads. Saved time is the time that the threads' pieces would
 * have taken the caller; cost is the time to wake the threads and to wait for them at the end. */
static void run_on_threads(rni_crew *crew, uint32_t piece_count, double begin)
{
    begin_job(crew, GATE_IS_OPEN, piece_count - 1);
    const double awake = rni_seconds();
    const uint32_t taken = take_pieces(crew, 0);
    const double worked = rni_seconds();
    const double end = end_job(crew) ? rni_seconds() : worked;
    const double saved = (worked - awake) * (piece_count - taken) / (taken > 0 ? taken : 1);
    book(crew, end, saved - (awake - begin) - (end - worked));
}

void rni_crew_pieces(rni_crew *crew, uint32_t piece_count, rni_piece_fn work, void *data)
{
    const bool is_alone = piece_count <= 1 || crew->size == 1;
    const double begin = is_alone || crew->tasks.run ? 0.0 : rni_seconds();
    if (is_alone || begin < crew->alone_until) {
        for (uint32_t piece = 0; piece < piece_count; piece++) work(data, piece, 0);
        return;
    }
    crew->work = work;
    crew->data = data;
    for (uint32_t w = 0; w < crew->size; w++) {
        uint64_t first, end;
        rni_share(piece_count, w, crew->size, &first, &end);
        atomic_store_explicit(&crew->shares[w].next, (uint32_t)first, memory_order_relaxed);
        crew->shares[w].end = (uint32_t)end;
    }
    if (crew->tasks.run) crew->tasks.run(crew->tasks.user, take_as_task, crew, crew->size);
    else run_on_threads(crew, piece_count, begin);
}
