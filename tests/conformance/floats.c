/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads that compute keep every register of the floating-point unit and its mode of rounding: over switches of their
 * own, preemptions, handlers that compute, threads that are deleted while they compute, and jobs that are ended while
 * they do. A thread that does not compute is not taken for one that does. */
#include "kernel/job.h"
#include "tests/conformance/conformance.h"

enum {
    COMPUTING = 3,
    ROUNDS = 4000 / (1 + 3 * (CONFORMANCE_TRACED)),
    TICK_INSTRUCTIONS = 1511 + 8192 * (CONFORMANCE_TRACED),
    JOB_INSTRUCTIONS = 20011 + 40000 * (CONFORMANCE_TRACED),
};

static takt_thread_t computing[COMPUTING], plain, woken, director, victim;
static conformance_stack_t computing_stacks[COMPUTING], plain_stack, woken_stack, director_stack,
    victim_stack, job_stack;
static takt_periodic_thread_t periodic;
static takt_task_extension_t extension;
static takt_semaphore_t waking;
static uint32_t rounds[COMPUTING];
static volatile uint32_t wakings, deletions, jobs, ends;

static void tick(void) {
    board_floats_scratch();
    (void)takt_semaphore_give_from_isr(&waking);
}

static void yield(void *argument) {
    (void)argument;
    (void)takt_thread_yield();
}

/* What is computed in C and in single precision: 1 + 1/2 + 1/4 ..., which is exact. */
static __attribute__((noinline)) uint32_t sum_of_halves(void) {
    float sum = 0.0f;
    for (float part = 1.0f; part > 0.001f; part *= 0.5f) {
        sum += part;
    }
    return (uint32_t)(sum * 512.0f);
}

static void compute(void *argument) {
    const uint32_t index = (uint32_t)(uintptr_t)argument;
    check(!board_floats_are_used(), "a_new_thread_has_not_computed");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t pattern = (index << 24) + (round << 6) + index;
        check(board_floats_hold(pattern), "preemption_keeps_the_registers_of_the_unit");
        check(board_floats_survive(pattern + 1u, yield, NULL), "a_switch_keeps_the_registers_of_the_unit");
        check(sum_of_halves() == 1023u, "what_is_computed_is_right");
        rounds[index]++;
    }
    if (++ends == COMPUTING) {
        board_ticker_stop();
        check(wakings > 0 && deletions > 0 && jobs > 0, "everything_has_happened");
        board_exit(0);
    }
}

/* Integers only. */
static void go_on(void *argument) {
    (void)argument;
    for (;;) {
        check(!board_floats_are_used(), "who_does_not_compute_is_not_taken_for_one_who_does");
        check(board_registers_hold(), "preemption_keeps_the_registers");
        (void)takt_thread_yield();
    }
}

static void wake(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&waking) == TAKT_OK, "a_take_succeeds");
        wakings = wakings + 1u;
        if (wakings % 2u == 0) {
            board_floats_clobber();
        }
    }
}

static void compute_for_ever(void *argument) {
    (void)argument;
    check(!board_floats_are_used(), "a_thread_on_an_old_stack_has_not_computed");
    for (;;) {
        check(board_floats_hold(0x5A000000u), "who_will_be_deleted_computes");
    }
}

/* It deletes a thread that it has preempted, or that has yielded, or that has not run yet. */
static void direct(void *argument) {
    (void)argument;
    for (uint32_t turn = 0;; turn++) {
        thread_begin(&victim, victim_stack, 1, compute_for_ever, NULL);
        (void)takt_thread_delay(board_span(3000u + turn % 7u * 1000u));
        check(takt_thread_delete(&victim) == TAKT_OK, "a_thread_that_computes_is_deleted");
        deletions = deletions + 1u;
        (void)takt_thread_delay(board_span(30000));
    }
}

/* Each job computes until its deadline, where it is ended. */
static void work(void *argument) {
    (void)argument;
    jobs = jobs + 1u;
    check(!board_floats_are_used(), "a_new_job_has_not_computed");
    for (uint32_t round = 0; round < 8u || jobs % 2u == 0; round++) {
        check(board_floats_hold(0x77000000u), "a_job_computes");
    }
}

static void begin_job(void) {
    const takt_duration_t period = board_span(JOB_INSTRUCTIONS) * 8u;
    const takt_job_parameters_t parameters = {
        .thread = {.name = "job",
                   .entry = work,
                   .stack = job_stack,
                   .stack_bytes = sizeof job_stack,
                   .priority = 2},
        .period = period,
        .relative_deadline = period / 8u,
        .on_miss = TAKT_ON_MISS_ABORT,
        .extension = &extension,
    };
    check(takt_periodic_thread_create(&periodic, &parameters) == TAKT_OK, "a_periodic_thread_is_created");
}

int main(void) {
    board_floats_clobber();
    kernel_begin();
    semaphore_begin(&waking, 0);
    for (uintptr_t index = 0; index < COMPUTING; index++) {
        thread_begin(&computing[index], computing_stacks[index], 1, compute, (void *)index);
    }
    thread_begin(&plain, plain_stack, 1, go_on, NULL);
    thread_begin(&woken, woken_stack, 4, wake, NULL);
    thread_begin(&director, director_stack, 3, direct, NULL);
    begin_job();
    board_ticker_start(board_span(TICK_INSTRUCTIONS), tick);
    kernel_go();
}
