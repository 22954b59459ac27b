/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What preemption points cost, and whether their presence costs others anything; after Bergsma et al. 2009.
 *
 * The command line chooses what a low job of ROUNDS iterations does at every Nth of them, and prints its response in
 * ticks and how often it did that:
 *   counter N           it is preemptive and counts, as the paper's does under FPPS
 *   point N             a point; no entity waits
 *   yield_flag N        it reads the flag, and reaches a point only if that is set
 *   optional N          an optional point, which brings the flag up to date
 * Or there is an empty high job every N ticks above a preemptive low one, and a third thread whose first job is far
 * away:
 *   without N | Preemptive N | Limited N   that is not there, preemptive, or limited
 * Or bytes:
 *   sizes               of what a task and a processor have for points, and of the whole
 */
#include "bench/kernel/program.h"
#include "kernel/state.h"

enum {
    ROUNDS = 20000,
    FAR = 1000 * 1000 * 1000,
    LOW = 0,
    HIGH = 1,
    THIRD = 2,
    JOBS = 3,
};

static takt_periodic_thread_t jobs[JOBS];
static uint64_t stacks[JOBS][BENCH_STACK_BYTES / sizeof(uint64_t)];
static bench_words_t words;
static volatile uint32_t counter_of_rounds;
static uint32_t releases_of_high;

/* ---- what the low job does at every Nth iteration -------------------------------------------------------- */

static void count(void) { counter_of_rounds++; }

static void point(void) { (void)takt_job_point(); }

static void read_flag(void) {
    if (takt_job_should_yield()) {
        (void)takt_job_point();
    }
}

static void optional_point(void) { (void)takt_job_optional_point(); }

static void nothing(void) {}

static void (*action_of(char choice))(void) {
    switch (choice) {
    case 'c':
        return count;
    case 'p':
        return point;
    case 'y':
        return read_flag;
    case 'o':
        return optional_point;
    default:
        return nothing;
    }
}

/* One iteration, the same whatever is done at some of them. */
static void iterate(void) { __asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop"); }

static uint32_t run_rounds(uint32_t every, void (*act)(void)) {
    uint32_t until = every, acted = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        iterate();
        if (round == until) {
            act();
            acted++;
            until += every;
        }
    }
    return acted;
}

static void low(void *argument) {
    void (*const act)(void) = argument;
    const uint32_t every = act == nothing ? ROUNDS : words.number;
    const uint32_t begin = *BENCH_COUNTER;
    const uint32_t acted = run_rounds(every, act);
    const uint32_t ticks = bench_elapsed(begin, *BENCH_COUNTER);
    print_line("response", ticks, act == nothing ? releases_of_high : acted);
    takt_semihost_exit(0);
}

/* ---- the pair -------------------------------------------------------------------------------------------- */

static void high(void *argument) {
    (void)argument;
    for (;;) {
        releases_of_high++;
        (void)takt_wait_next_period();
    }
}

/* ---- set-up ---------------------------------------------------------------------------------------------- */

static void create(uint32_t index, void (*entry)(void *), void *argument, takt_duration_t period,
                   bool is_limited) {
    const takt_job_parameters_t parameters = {.thread = {.name = "job",
                                                         .entry = entry,
                                                         .argument = argument,
                                                         .stack = stacks[index],
                                                         .stack_bytes = BENCH_STACK_BYTES,
                                                         .priority = index + 1u},
                                              .period = period,
                                              .relative_deadline = period,
                                              .offset = index == THIRD ? FAR : 0,
                                              .is_limited = is_limited};
    if (takt_periodic_thread_create(&jobs[index], &parameters) != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

static void print_sizes(void) {
    const takt_task_t *task = &jobs[LOW].task;
    const uint32_t of_task = sizeof task->preemption_key + sizeof task->base_key + sizeof task->base_tie;
    print_line("task", of_task, sizeof *task);
    print_line("processor", sizeof takt_kernel.cpu.should_yield, sizeof takt_kernel.cpu);
    takt_semihost_exit(0);
}

int main(void) {
    bench_read_words(&words);
    const char choice = *words.choice;
    if (choice == 's') {
        print_sizes();
    }
    void (*const act)(void) = action_of(choice);
    (void)takt_kernel_init(&takt_policy_fp);
    create(LOW, low, (void *)(uintptr_t)act, FAR, act != nothing && act != count);
    if (act == nothing) {
        create(HIGH, high, NULL, words.number, false);
    }
    if (choice == 'P' || choice == 'L') {
        create(THIRD, high, NULL, FAR, choice == 'L');
    }
    bench_start();
    return 0;
}
