/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plain threads with deadlines run in the order of these, among each other and among jobs: at the root, or, with
 * DEADLINES_IN_SERVER, in a server whose parent has priorities. */
#include "kernel/condition.h"
#include "kernel/inspect.h"
#include "kernel/mutex.h"
#include "policy/table.h"
#include "tests/conformance/conformance.h"

#ifndef DEADLINES_IN_SERVER
#define DEADLINES_IN_SERVER 0
#endif

enum { THREADS = 3, LOG = 16, AHEAD = 1000000, NO_THREAD = 99, JOB = 7 };

#define MUST(call) check((call) == TAKT_OK, #call)

static takt_thread_t directing, threads[THREADS], of_priorities, no_thread;
static takt_periodic_thread_t periodic;
static conformance_stack_t directing_stack, stacks[THREADS], periodic_stack, spare_stack;
static takt_semaphore_t turns[THREADS], never;
static takt_mutex_t inherited, not_preempted;
static takt_condition_t changed;
static bool is_hurrying;
static takt_thread_server_t server;
static uint32_t log[LOG], logged;
static takt_instant_t release;
static takt_duration_t period;

static void note(uint32_t who) {
    if (logged < LOG) {
        log[logged++] = who;
    }
}

static void take_turns(void *argument) {
    const uint32_t number = (uint32_t)(uintptr_t)argument;
    for (;;) {
        MUST(takt_semaphore_take(&turns[number]));
        note(number);
        if (is_hurrying) {
            MUST(takt_thread_set_deadline(&directing, 1));
        }
    }
}

static void work(void *argument) {
    (void)argument;
    for (;;) {
        note(JOB);
        MUST(takt_wait_next_period());
    }
}

/* All get their turn while the directing thread is more urgent; then they run. */
static void give_turns(void) {
    logged = 0;
    for (uint32_t number = 0; number < THREADS; number++) {
        MUST(takt_semaphore_give(&turns[number]));
    }
    check(logged == 0, "an_earlier_deadline_is_not_displaced");
    (void)takt_semaphore_take_for(&never, board_span(60000));
}

static void was(uint32_t first, uint32_t second, uint32_t third, const char *sentence) {
    check(logged == THREADS && log[0] == first && log[1] == second && log[2] == third, sentence);
}

static takt_instant_t deadline_of(const takt_thread_t *thread) {
    takt_instant_t deadline = 0;
    MUST(takt_thread_deadline(thread, &deadline));
    return deadline;
}

/* ---- orders ------------------------------------------------------------------------------------------- */

static void order_threads(void) {
    const takt_instant_t now = takt_kernel_now();
    give_turns();
    was(0, 1, 2, "threads_without_deadlines_keep_the_order_of_their_creation");
    MUST(takt_thread_set_deadline(&threads[2], now + 4u * AHEAD));
    MUST(takt_thread_set_deadline(&threads[1], now + 5u * AHEAD));
    give_turns();
    was(2, 1, 0, "an_earlier_deadline_goes_first_and_none_goes_last");
    MUST(takt_thread_set_relative_deadline(&threads[0], 3u * AHEAD));
    check(deadline_of(&threads[0]) >= now + 3u * AHEAD && deadline_of(&threads[0]) < now + 4u * AHEAD &&
              deadline_of(&threads[1]) == now + 5u * AHEAD,
          "a_relative_deadline_counts_from_now");
    give_turns();
    was(0, 2, 1, "relative_and_absolute_deadlines_are_one_order");
    MUST(takt_thread_set_deadline(&threads[0], TAKT_NEVER));
    MUST(takt_thread_set_deadline(&threads[2], TAKT_NEVER - 1));
    check(deadline_of(&threads[0]) == TAKT_NEVER && deadline_of(&threads[2]) == TAKT_NEVER,
          "an_instant_that_never_comes_is_no_deadline");
    give_turns();
    was(1, 0, 2, "a_deadline_can_be_taken_back");
}

/* While all three are ready, one gets an earlier deadline. */
static void order_ready_threads(void) {
    logged = 0;
    MUST(takt_thread_set_deadline(&threads[0], 3));
    MUST(takt_thread_set_deadline(&threads[1], 4));
    MUST(takt_thread_set_deadline(&threads[2], 5));
    for (uint32_t number = 0; number < THREADS; number++) {
        MUST(takt_semaphore_give(&turns[number]));
    }
    MUST(takt_thread_set_deadline(&threads[2], 2));
    MUST(takt_thread_set_deadline(&threads[0], 0));
    check(deadline_of(&threads[0]) == 1 && logged == 0, "the_first_instant_is_the_earliest_deadline");
    (void)takt_semaphore_take_for(&never, board_span(60000));
    was(0, 2, 1, "a_thread_that_is_ready_takes_its_new_place");
    for (uint32_t number = 0; number < THREADS; number++) {
        MUST(takt_thread_set_deadline(&threads[number], TAKT_NEVER));
    }
}

/* The deadline of the job that is released meanwhile is one tick behind one thread's and equal to another's. */
static void order_with_a_job(void) {
    while (takt_kernel_now() < release) {
        board_pass();
    }
    MUST(takt_thread_set_deadline(&threads[0], release + period));
    MUST(takt_thread_set_deadline(&threads[1], release + period - 1));
    logged = 0;
    MUST(takt_semaphore_give(&turns[0]));
    MUST(takt_semaphore_give(&turns[1]));
    (void)takt_semaphore_take_for(&never, board_span(60000));
    was(1, JOB, 0, "threads_with_deadlines_compete_with_jobs_and_of_equals_jobs_go_first");
}

/* A thread gets its deadline from an interrupt, and runs at once. */
static bool is_relative;

static void hurry(void) {
    const takt_instant_t deadline = 1;
    MUST(is_relative ? takt_thread_set_relative_deadline_from_isr(&threads[2], 0)
                     : takt_thread_set_deadline_from_isr(&threads[2], deadline));
    check(takt_thread_set_deadline(&threads[2], 1) == TAKT_ERROR_IN_ISR, "interrupts_have_their_own_call");
}

static void hurry_from_an_interrupt(bool relative) {
    is_relative = relative;
    logged = 0;
    MUST(takt_thread_set_deadline(&directing, takt_kernel_now() + AHEAD));
    MUST(takt_thread_set_deadline(&threads[2], TAKT_NEVER));
    MUST(takt_semaphore_give(&turns[2]));
    check(logged == 0, "a_thread_without_a_deadline_waits");
    board_interrupt_pend(0);
    board_pass();
    check(logged == 1 && log[0] == 2, "an_earlier_deadline_from_an_interrupt_displaces");
    check(deadline_of(&threads[2]) <= takt_kernel_now(), "an_interrupt_sets_a_deadline");
    MUST(takt_thread_set_deadline(&directing, 1));
}

/* ---- with mutexes ----------------------------------------------------------------------------------------- */

static void lock_with_a_deadline(void) {
    check(takt_mutex_lock(&not_preempted) == TAKT_ERROR_DEADLINES &&
              takt_mutex_lock_for(&not_preempted, 5) == TAKT_ERROR_DEADLINES,
          "a_mutex_that_raises_its_holder_has_none_with_a_deadline");
    MUST(takt_mutex_lock(&inherited));
    check(deadline_of(&directing) == 1, "a_holder_keeps_its_deadline");
    MUST(takt_thread_set_deadline(&directing, 2));
    MUST(takt_mutex_unlock(&inherited));
    check(deadline_of(&directing) == 2, "a_deadline_that_is_set_in_a_section_stays");
    MUST(takt_thread_set_deadline(&directing, TAKT_NEVER));
    MUST(takt_mutex_lock(&not_preempted));
    check(takt_thread_set_deadline(&directing, 1) == TAKT_ERROR_DEADLINES,
          "a_raised_holder_gets_no_deadline");
    MUST(takt_mutex_unlock(&not_preempted));
    MUST(takt_thread_set_deadline(&directing, 1));
}

/* A thread gets a deadline while it waits for a condition: a mutex under npcs is not locked again. */
static void wait_for_a_condition(void) {
    MUST(takt_condition_init(&changed));
    MUST(takt_thread_set_deadline(&directing, TAKT_NEVER));
    MUST(takt_mutex_lock(&not_preempted));
    is_hurrying = true;
    MUST(takt_semaphore_give(&turns[0]));
    check(takt_condition_wait_for(&changed, &not_preempted, board_span(60000)) == TAKT_ERROR_DEADLINES,
          "a_wait_says_that_it_does_not_hold_the_mutex");
    is_hurrying = false;
    MUST(takt_thread_set_deadline(&directing, TAKT_NEVER));
    MUST(takt_mutex_lock(&not_preempted));
    MUST(takt_mutex_unlock(&not_preempted));
    MUST(takt_thread_set_deadline(&directing, 1));
}

/* ---- misuse ------------------------------------------------------------------------------------------------ */

static void misuse(void) {
    takt_instant_t deadline;
    check(takt_thread_set_deadline(NULL, 1) == TAKT_ERROR_NULL &&
              takt_thread_set_relative_deadline(NULL, 1) == TAKT_ERROR_NULL &&
              takt_thread_deadline(NULL, &deadline) == TAKT_ERROR_NULL &&
              takt_thread_deadline(&directing, NULL) == TAKT_ERROR_NULL,
          "a_deadline_is_of_a_thread");
    check(takt_thread_set_deadline(&no_thread, 1) == TAKT_ERROR_OBJECT &&
              takt_thread_set_relative_deadline_from_isr(&no_thread, 1) == TAKT_ERROR_OBJECT,
          "a_deadline_is_of_a_thread_that_exists");
    check(takt_thread_set_deadline(&periodic.job.thread, 1) == TAKT_ERROR_JOBS &&
              takt_thread_deadline(&periodic.job.thread, &deadline) == TAKT_ERROR_JOBS,
          "jobs_have_their_own_deadlines");
    check(takt_thread_set_deadline_from_isr(&directing, 1) == TAKT_ERROR_NOT_IN_ISR &&
              takt_thread_set_relative_deadline_from_isr(&directing, 1) == TAKT_ERROR_NOT_IN_ISR,
          "threads_have_their_own_call");
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = takt_thread_set_deadline(&directing, 1);
    takt_port_unlock(level);
    check(status == TAKT_ERROR_LOCKED, "a_deadline_is_set_with_the_lock_open");
    if ((DEADLINES_IN_SERVER) != 0) {
        check(takt_thread_set_deadline(&of_priorities, 1) == TAKT_ERROR_DEADLINES &&
                  takt_thread_set_relative_deadline(&of_priorities, 1) == TAKT_ERROR_DEADLINES &&
                  deadline_of(&of_priorities) == TAKT_NEVER,
              "priorities_order_by_no_deadline");
    }
}

/* ---- main ---------------------------------------------------------------------------------------------------- */

static void direct(void *argument) {
    (void)argument;
    board_interrupt_enable(0, hurry);
    check(deadline_of(&directing) == 1, "a_deadline_can_be_set_before_the_start");
    order_threads();
    order_ready_threads();
    hurry_from_an_interrupt(false);
    hurry_from_an_interrupt(true);
    order_with_a_job();
    lock_with_a_deadline();
    wait_for_a_condition();
    misuse();
    board_exit(0);
}

static void wait(void *argument) {
    (void)argument;
    (void)takt_semaphore_take(&never);
}

static void create(takt_thread_t *thread, conformance_stack_t stack, void (*entry)(void *), uint32_t number,
                   takt_thread_server_t *parent) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .argument = (void *)(uintptr_t)number,
                                                 .stack = stack,
                                                 .stack_bytes = sizeof(conformance_stack_t),
                                                 .server = parent};
    MUST(takt_thread_create(thread, &parameters));
}

static void create_job(takt_thread_server_t *parent) {
    period = board_span(40000000);
    release = board_span(4000000);
    const takt_job_parameters_t parameters = {
        .thread = {.entry = work,
                   .stack = periodic_stack,
                   .stack_bytes = sizeof periodic_stack,
                   .server = parent},
        .period = period,
        .relative_deadline = period,
        .offset = release,
    };
    MUST(takt_periodic_thread_create(&periodic, &parameters));
}

static takt_thread_server_t *create_server(void) {
    const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                        .policy = &takt_policy_edf,
                                                        .period = board_span(400000000),
                                                        .budget = board_span(400000000),
                                                        .priority = 9};
    MUST(takt_thread_server_create(&server, &parameters));
    return &server;
}

int main(void) {
    kernel_begin_under((DEADLINES_IN_SERVER) != 0 ? &takt_policy_fp : &takt_policy_edf,
                       (CONFORMANCE_TRACED) != 0);
    takt_thread_server_t *parent = (DEADLINES_IN_SERVER) != 0 ? create_server() : NULL;
    semaphore_begin(&never, 0);
    MUST(takt_mutex_init(&inherited,
                         &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP, .server = parent}));
    MUST(takt_mutex_init(&not_preempted,
                         &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_NPCS, .server = parent}));
    create(&directing, directing_stack, direct, NO_THREAD, parent);
    for (uint32_t number = 0; number < THREADS; number++) {
        semaphore_begin(&turns[number], 0);
        create(&threads[number], stacks[number], take_turns, number, parent);
    }
    create(&of_priorities, spare_stack, wait, NO_THREAD, NULL);
    create_job(parent);
    MUST(takt_thread_set_deadline(&directing, 1));
    kernel_go();
}
