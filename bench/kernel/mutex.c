/* Single operations of mutexes with priority inheritance, measured as in operations.c. The command line chooses: free | wanted. */
#include "kernel/mutex.h"

#include "bench/kernel/program.h"
#include "kernel/semaphore.h"

enum { ROUNDS = 64 };

typedef enum operation { LOCK, UNLOCK, LOCK_BLOCKS, UNLOCK_RUNS, OPERATIONS } operation_t;

static const char *const names[OPERATIONS] = {
    [LOCK] = "lock", [UNLOCK] = "unlock", [LOCK_BLOCKS] = "lock_blocks", [UNLOCK_RUNS] = "unlock_runs"};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

enum { HIGH, CONTROLLER };

static takt_mutex_t free_mutex, wanted_mutex;
static takt_semaphore_t start_semaphore;

static void high(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        BENCH_BEGIN();
        (void)takt_mutex_lock(&wanted_mutex);
        BENCH_END(UNLOCK_RUNS);
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

static void measure_free(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_mutex_lock(&free_mutex);
        BENCH_END(LOCK);
        BENCH_BEGIN();
        (void)takt_mutex_unlock(&free_mutex);
        BENCH_END(UNLOCK);
    }
}

/* The give lets the other run into the mutex, and returns when that waits. */
static void measure_contended(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_mutex_lock(&wanted_mutex);
        (void)takt_semaphore_give(&start_semaphore);
        BENCH_END(LOCK_BLOCKS);
        BENCH_BEGIN();
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

static bool is_wanted;

static void controller(void *argument) {
    (void)argument;
    if (is_wanted) {
        measure_contended();
    } else {
        measure_free();
    }
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
    }
    takt_semihost_exit(0);
}

int main(void) {
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP};
    bench_words_t words;
    bench_read_words(&words);
    (void)takt_kernel_init(&takt_policy_fp);
    is_wanted = *words.choice == 'w';
    (void)takt_semaphore_init(&start_semaphore, 0);
    (void)takt_mutex_init(&free_mutex, &inheritance);
    (void)takt_mutex_init(&wanted_mutex, &inheritance);
    bench_create(HIGH, high, 20);
    bench_create(CONTROLLER, controller, 5);
    bench_start();
    return 0;
}
