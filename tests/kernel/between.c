/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What comes between two looks of a set of flags: an interrupt that clears, sets or takes flags, or the end of a wait.
 *
 * All is traced, and the sink of the trace makes the interrupt pending, or lets time pass, at the n-th record of a set, for n
 * = 1, 2, ... until the set has fewer records: so it comes between any two looks, and before and after them. Five threads wait, all
 * more urgent than the one that sets. */
#include "kernel/flags.h"
#include "tests/conformance/conformance.h"

enum { WAITERS = 5, A = 1, B = 2, TICKS_OF_A_WAIT = 200 * 1000 };

typedef struct waiter {
    takt_thread_t thread;
    conformance_stack_t stack;
    takt_semaphore_t again;
    uint32_t mask, how;
    takt_duration_t duration;
    uint32_t ends; /* of waits */
    takt_status_t status;
} waiter_t;

/* How the waiters wait, and what comes in between. */
typedef struct scene {
    uint32_t masks[WAITERS];
    uint32_t how;
    bool is_timed; /* every other one */
    void (*interrupt)(void);
    void (*judge)(bool has_come);
} scene_t;

static waiter_t waiters[WAITERS];
static takt_flags_t flags;
static const scene_t *scene;
static uint32_t records_left; /* until something comes in between; 0: nothing will */
static bool has_come;
static takt_instant_t end_of_waits;

/* ---- what comes in between ---------------------------------------------------------------------- */

static void interrupt(void) {
    has_come = true;
    scene->interrupt();
}

/* The lock is closed. */
static void record(takt_trace_t *trace, const takt_record_t *of) {
    (void)trace;
    (void)of;
    if (records_left == 0 || --records_left != 0) {
        return;
    }
    board_interrupt_pend(0);
    while (scene->is_timed && takt_port_now() <= end_of_waits) {
        board_pass();
    }
}

static takt_trace_t trace = {.record = record};

static void do_nothing(void) {}
static void clear(void) { check(takt_flags_clear(&flags, A | B) == TAKT_OK, "an_interrupt_clears_flags"); }
static void set_b(void) { check(takt_flags_set_from_isr(&flags, B) == TAKT_OK, "an_interrupt_sets_flags"); }
static void set_a(void) { check(takt_flags_set_from_isr(&flags, A) == TAKT_OK, "an_interrupt_sets_flags"); }

/* ---- what must have happened -------------------------------------------------------------------- */

/* How many have been woken, if those are the first ones; else more than all. */
static uint32_t first_ones(void) {
    uint32_t count = 0;
    while (count < WAITERS && waiters[count].ends == 1) {
        count++;
    }
    for (uint32_t number = count; number < WAITERS; number++) {
        if (waiters[number].ends != 0) {
            return WAITERS + 1;
        }
    }
    return count;
}

static void judge_clear(bool came) {
    const uint32_t count = first_ones();
    check(count >= 1 && count <= WAITERS, "those_who_are_looked_at_before_a_clear_are_woken_and_nobody_else");
    check(came || count == WAITERS, "without_a_clear_all_are_woken");
}

static void judge_set(bool came) {
    for (uint32_t number = 0; number < WAITERS; number++) {
        const bool is_of_a = (waiters[number].mask & A) != 0;
        check(waiters[number].ends == (is_of_a || came), "each_is_woken_once_by_the_set_that_is_for_it");
    }
}

static void judge_take(bool came) {
    check(first_ones() == (came ? 2 : 1), "each_set_wakes_the_next_one_who_takes_it");
}

static void judge_time(bool came) {
    (void)came;
    check(first_ones() == WAITERS, "each_wait_ends_once");
    for (uint32_t number = 0; number < WAITERS; number += 2) {
        check(waiters[number].status == TAKT_OK, "who_waits_for_ever_is_woken_by_the_set");
    }
}

static const scene_t scenes[] = {
    {{A, B, A, B, A | B}, TAKT_FLAGS_ALL, false, clear, judge_clear},
    {{A, B, A, B, A}, TAKT_FLAGS_ANY, false, set_b, judge_set},
    {{A, A, A, A, A}, TAKT_FLAGS_CLEAR, false, set_a, judge_take},
    {{A, A, A, A, A}, TAKT_FLAGS_ANY, true, do_nothing, judge_time},
};

/* ---- threads ------------------------------------------------------------------------------------ */

static void wait_again_and_again(void *argument) {
    waiter_t *self = argument;
    for (;;) {
        uint32_t bits;
        check(takt_semaphore_take(&self->again) == TAKT_OK, "a_take_succeeds");
        self->status = takt_flags_wait_for(&flags, self->mask, self->how, &bits, self->duration);
        check((bits != 0) == (self->status == TAKT_OK), "bits_tell_why_a_wait_has_ended");
        check(takt_queue_is_empty(&flags.waiters.queue), "nobody_runs_before_all_have_been_looked_at");
        self->ends++;
    }
}

static void let_all_wait(void) {
    for (uint32_t number = 0; number < WAITERS; number++) {
        waiter_t *waiter = &waiters[number];
        waiter->mask = scene->masks[number];
        waiter->how = scene->how;
        waiter->duration = scene->is_timed && number % 2 == 1 ? TICKS_OF_A_WAIT : TAKT_NEVER;
        waiter->ends = 0;
        check(takt_semaphore_give(&waiter->again) == TAKT_OK, "a_give_succeeds");
    }
    end_of_waits = takt_kernel_now() + TICKS_OF_A_WAIT;
}

/* Every waiting thread is woken, so that the next round finds none. */
static void let_nobody_wait(void) {
    for (uint32_t number = 0; number < WAITERS; number++) {
        check(takt_flags_set(&flags, A | B) == TAKT_OK, "a_set_succeeds");
    }
    check(takt_flags_clear(&flags, A | B) == TAKT_OK, "a_clear_succeeds");
    check(flags.waiters.count == 0, "nobody_waits");
    for (uint32_t number = 0; number < WAITERS; number++) {
        check(waiters[number].ends == 1, "each_wait_ends_once");
    }
}

/* Whether something came in between at record `n` of a set. */
static bool play(uint32_t n) {
    let_all_wait();
    has_come = false;
    records_left = n;
    check(takt_flags_set(&flags, scene->how == TAKT_FLAGS_ALL ? A | B : A) == TAKT_OK, "a_set_succeeds");
    records_left = 0;
    scene->judge(has_come);
    let_nobody_wait();
    return has_come;
}

static void direct(void *argument) {
    (void)argument;
    board_interrupt_enable(0, interrupt);
    for (scene = scenes; scene < scenes + sizeof scenes / sizeof *scenes; scene++) {
        uint32_t n = 1;
        while (play(n)) {
            n++;
        }
        check(n > 2, "something_comes_between_two_looks");
    }
    board_exit(0);
}

static takt_thread_t director;
static conformance_stack_t director_stack;

int main(void) {
    board_begin();
    check(takt_kernel_init(&takt_policy_fp) == TAKT_OK, "a_kernel_is_made");
    check(takt_kernel_trace_to(&trace) == TAKT_OK, "a_kernel_is_traced");
    check(takt_flags_init(&flags) == TAKT_OK, "flags_are_made");
    thread_begin(&director, director_stack, 5, direct, NULL);
    for (uint32_t number = 0; number < WAITERS; number++) {
        semaphore_begin(&waiters[number].again, 0);
        thread_begin(&waiters[number].thread, waiters[number].stack, 10, wait_again_and_again,
                     &waiters[number]);
    }
    kernel_go();
}
