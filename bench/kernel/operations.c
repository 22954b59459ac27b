/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Single operations of the kernel, measured with a counter of the board.
 *
 * The command line chooses, so that one program holds every policy:
 *   fp | traced | edf        the operations, under that root policy ("traced": fp, every pass recorded); places.c has others
 *   unit                     like fp, and every thread uses the floating-point unit, where there is one
 *   sizes                    bytes of the public types
 * Lines "name least most" in ticks go to the host, which knows how many ticks an instruction takes. "nothing" is a
 * measurement of no call at all. */
#include "bench/kernel/program.h"
#include "kernel/semaphore.h"
#include "kernel/state.h"

enum { ROUNDS = 64 };

typedef enum operation {
    NOTHING,
    GIVE_FREE,
    TAKE_FREE,
    GIVE_RUNS,
    TAKE_BLOCKS,
    INTERRUPT_RUNS,
    TAKE_BLOCKS_TO_PREEMPTED,
    YIELD,
    CREATE,
    CREATE_UNPAINTED,
    SET_PRIORITY,
    OPERATIONS,
} operation_t;

static const char *const names[OPERATIONS] = {
    [NOTHING] = "nothing",
    [GIVE_FREE] = "give_free",
    [TAKE_FREE] = "take_free",
    [GIVE_RUNS] = "give_runs",
    [TAKE_BLOCKS] = "take_blocks",
    [INTERRUPT_RUNS] = "interrupt_runs",
    [TAKE_BLOCKS_TO_PREEMPTED] = "take_blocks_to_preempted",
    [YIELD] = "yield",
    [CREATE] = "create",
    [CREATE_UNPAINTED] = "create_unpainted",
    [SET_PRIORITY] = "set_priority",
};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

/* ---- operations --------------------------------------------------------------------------------- */

enum { HIGH, PARTNER, CONTROLLER, CREATED };

static takt_semaphore_t free_semaphore, high_semaphore, partner_semaphore;
static operation_t high_measures;
static bool is_unit_used;

static void use_unit(void) {
    if (is_unit_used) {
        BENCH_USE_FLOATS();
    }
}

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) { (void)takt_semaphore_give_from_isr(&high_semaphore); }

static void high(void *argument) {
    (void)argument;
    use_unit();
    BENCH_MEASURING;
    for (;;) {
        BENCH_BEGIN();
        (void)takt_semaphore_take(&high_semaphore);
        BENCH_END(high_measures);
    }
}

static void partner(void *argument) {
    (void)argument;
    use_unit();
    BENCH_MEASURING;
    (void)takt_semaphore_take(&partner_semaphore);
    for (;;) {
        BENCH_BEGIN();
        (void)takt_thread_yield();
        BENCH_END(YIELD);
    }
}

static void measure_free(void) {
    BENCH_MEASURING;
    takt_semaphore_t *const semaphore = &free_semaphore;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        bench_keep(&bench_samples[NOTHING], bench_nothing(counter, start));
        BENCH_BEGIN();
        (void)takt_semaphore_give(semaphore);
        BENCH_END(GIVE_FREE);
        BENCH_BEGIN();
        (void)takt_semaphore_take(semaphore);
        BENCH_END(TAKE_FREE);
    }
}

static void measure_wake(void) {
    BENCH_MEASURING;
    high_measures = GIVE_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_semaphore_give(&high_semaphore);
        BENCH_END(TAKE_BLOCKS);
    }
}

static void measure_interrupt(void) {
    BENCH_MEASURING;
    BENCH_RAISING;
    high_measures = INTERRUPT_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        BENCH_RAISE();
        BENCH_END(TAKE_BLOCKS_TO_PREEMPTED);
    }
}

/* Keys have no equals: there the yield is a pass that finds no other thread, and the partner stays away. */
static void measure_yield(void) {
    BENCH_MEASURING;
    if (takt_kernel.dispatcher.root.ready.order == TAKT_ORDER_LEVELS) {
        (void)takt_semaphore_give(&partner_semaphore);
        (void)takt_thread_yield();
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_yield();
        BENCH_END(YIELD);
    }
}

static void never(void *argument) { (void)argument; }

/* The thread is less urgent than the controller: ready, and never chosen. */
static void measure_control(void) {
    BENCH_MEASURING;
    takt_thread_t *const created = &bench_threads[CREATED];
    takt_thread_parameters_t parameters = {
        .entry = never, .stack = bench_stacks[CREATED], .stack_bytes = BENCH_STACK_BYTES, .priority = 1};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        parameters.is_unpainted = true;
        BENCH_BEGIN();
        (void)takt_thread_create(created, &parameters);
        BENCH_END(CREATE_UNPAINTED);
        (void)takt_thread_delete(created);
        parameters.is_unpainted = false;
        BENCH_BEGIN();
        (void)takt_thread_create(created, &parameters);
        BENCH_END(CREATE);
        BENCH_BEGIN();
        (void)takt_thread_set_priority(created, 2);
        BENCH_END(SET_PRIORITY);
        (void)takt_thread_delete(created);
    }
}

static void controller(void *argument) {
    (void)argument;
    use_unit();
    bench_interrupt_enable();
    measure_free();
    measure_wake();
    measure_interrupt();
    measure_yield();
    measure_control();
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
    }
    takt_semihost_exit(0);
}

/* ---- main --------------------------------------------------------------------------------------- */

/* A sink as a firmware has one: the last records, in a ring. */
static takt_record_t ring[64];
static uint32_t ring_next;

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    ring[ring_next++ % 64u] = *record;
}

static takt_trace_t trace = {.record = keep};

static void start_operations(char choice) {
    (void)takt_kernel_init(choice == 'e' ? &takt_policy_edf : &takt_policy_fp);
    if (choice == 't') {
        (void)takt_kernel_trace_to(&trace);
    }
    bench_create(HIGH, high, 20);
    bench_create(PARTNER, partner, 5);
    bench_create(CONTROLLER, controller, 5);
    bench_start();
}

static void print_sizes(void) {
    print_line("thread", sizeof(takt_thread_t), 0);
    print_line("periodic_thread", sizeof(takt_periodic_thread_t), 0);
    print_line("semaphore", sizeof(takt_semaphore_t), 0);
    print_line("server", sizeof(takt_thread_server_t), 0);
    print_line("kernel_object", sizeof(takt_kernel_t), 0);
    takt_semihost_exit(0);
}

int main(void) {
    bench_words_t words;
    (void)takt_semaphore_init(&free_semaphore, 0);
    (void)takt_semaphore_init(&high_semaphore, 0);
    (void)takt_semaphore_init(&partner_semaphore, 0);
    bench_read_words(&words);
    is_unit_used = *words.choice == 'u';
    if (*words.choice == 's') {
        print_sizes();
    }
    start_operations(*words.choice);
    return 0;
}
