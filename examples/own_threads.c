/* Threads and memory of your own: a program with a task system and an allocator hands them in, and Runnel
 * starts no threads and calls no malloc. Here the task system is the smallest possible: threads that are
 * started for each job.
 *
 *     cc own_threads.c -o own_threads $(pkg-config --cflags --libs runnel) -pthread
 *     ./own_threads
 */
#include <runnel/fluid.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2u

typedef struct piece {
    rn_task_fn task;
    void *data;
    uint32_t number;
} piece;

static void *run_piece(void *argument)
{
    piece *p = argument;
    p->task(p->data, p->number);
    return NULL;
}

/* Calls task(data, t) once for every t, and returns when all of them are done. */
static void run_tasks(void *user, rn_task_fn task, void *data, uint32_t task_count)
{
    uint64_t *jobs = user;
    pthread_t thread[THREADS];
    piece pieces[THREADS];
    ++*jobs;
    for (uint32_t t = 0; t < task_count; t += THREADS) {
        uint32_t count = task_count - t < THREADS ? task_count - t : THREADS, started = 0;
        for (; started < count; started++) {
            pieces[started] = (piece){task, data, t + started};
            if (pthread_create(&thread[started], NULL, run_piece, &pieces[started]) != 0) break;
        }
        for (uint32_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
        for (uint32_t k = started; k < count; k++) task(data, t + k); /* no thread: here */
    }
}

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    size_t *held = user;
    void *memory = NULL;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    *held += bytes;
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    size_t *held = user;
    *held -= bytes;
    free(memory);
}

int main(void)
{
    uint64_t jobs = 0;
    size_t held = 0;
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.02f;
    def.domain_high[0] = def.domain_high[1] = def.domain_high[2] = 0.5f;
    def.threads = THREADS; /* tasks that a job is cut into */
    def.tasks = (rn_tasks){&jobs, run_tasks};
    def.allocator = (rn_allocator){&held, allocate, release};
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = 0.2f, block.high[1] = 0.4f, block.high[2] = 0.5f;
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &block, NULL);
    for (int k = 0; k < 20 && result == RN_OK; k++) result = rn_fluid_step(fluid, NULL);
    if (result != RN_OK) fprintf(stderr, "%s\n", rn_last_error());
    printf("%llu jobs on threads of this program, %.1f MB of its memory\n",
           (unsigned long long)jobs, (double)held / 1e6);
    bool is_right = result == RN_OK && jobs > 0 && held > 0;
    rn_fluid_destroy(fluid);
    return is_right && held == 0 ? 0 : 1;
}
