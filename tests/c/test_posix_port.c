/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The contract of the port to a Linux process: lock, interrupts, contexts, end of the program. In virtual time, where
 * it repeats; test_posix_preemption.c is the same in real time. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fenv.h>
#include <signal.h>

#include "posix_run.h"
#include "kernel/semaphore.h"

/* ---- lock ----------------------------------------------------------------------------------------- */

static void lock_from(uint32_t before) {
    takt_posix_set_state(before);
    const takt_port_level_t level = takt_port_lock();
    const uint32_t closed = takt_posix_state;
    CHECK(takt_posix_is_masked(closed) && (closed & before) == before);
    const takt_port_level_t inner = takt_port_lock();
    CHECK(takt_posix_state == closed);
    takt_port_unlock(inner);
    CHECK(takt_posix_state == closed);
    takt_port_unlock(level);
    CHECK(takt_posix_state == before);
    CHECK(takt_port_is_open() == (before == 0));
    CHECK(takt_port_is_in_isr() == (before > TAKT_POSIX_CLOSED));
    takt_posix_set_state(0);
}

static void the_lock_nests_from_every_state(void) {
    for (uint32_t state = 0; state < 2 * TAKT_POSIX_PREEMPTING; state++) {
        lock_from(state);
    }
}

/* ---- interrupts ----------------------------------------------------------------------------------- */

enum { LATE = 9, FIRST = 3, SECOND = 4, PENDING = 5 };

static uint32_t taken[16];
static uint32_t taken_count;

static void take(uint32_t number) {
    CHECK(takt_port_is_in_isr() && !takt_port_is_open());
    CHECK(taken_count < 16);
    taken[taken_count++] = number;
}

static void take_late(void) { take(LATE); }
static void take_first(void) { take(FIRST); }
static void take_second(void) { take(SECOND); }

/* Neither pending nor locking lets another interrupt in. */
static void take_and_pend(void) {
    take(PENDING);
    takt_posix_interrupt_pend(FIRST);
    takt_port_unlock(takt_port_lock());
    CHECK(taken[taken_count - 1] == PENDING && takt_port_is_in_isr());
}

static void expect_taken(uint32_t count, const uint32_t *numbers) {
    CHECK(taken_count == count);
    for (uint32_t index = 0; index < count; index++) {
        CHECK(taken[index] == numbers[index]);
    }
    taken_count = 0;
}

static void interrupts_wait_until_the_lock_opens(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_posix_interrupt_pend(LATE);
    const takt_port_level_t inner = takt_port_lock();
    takt_port_unlock(inner);
    expect_taken(0, NULL);
    takt_port_breathe();
    CHECK(!takt_port_is_open());
    expect_taken(1, (uint32_t[]){LATE});
    takt_posix_interrupt_pend(LATE);
    takt_port_unlock(level);
    expect_taken(1, (uint32_t[]){LATE});
    takt_port_close();
    takt_posix_interrupt_pend(LATE);
    CHECK(takt_port_open() == TAKT_OK && takt_port_is_open());
    expect_taken(1, (uint32_t[]){LATE});
    takt_posix_interrupt_pend(LATE);
    expect_taken(1, (uint32_t[]){LATE});
}

static void interrupts_are_taken_by_number_and_do_not_nest(void) {
    takt_port_close();
    takt_posix_interrupt_pend(LATE);
    takt_posix_interrupt_pend(PENDING);
    takt_posix_interrupt_pend(SECOND);
    (void)takt_port_open();
    expect_taken(4, (uint32_t[]){SECOND, PENDING, FIRST, LATE});
}

static void an_interrupt_that_is_pended_twice_is_taken_once(void) {
    takt_port_close();
    takt_posix_interrupt_pend(FIRST);
    takt_posix_interrupt_pend(FIRST);
    takt_posix_interrupt_raise(FIRST);
    (void)takt_port_open();
    expect_taken(1, (uint32_t[]){FIRST});
}

static void check_interrupts(void *argument) {
    (void)argument;
    the_lock_nests_from_every_state();
    takt_posix_interrupt_enable(LATE, take_late);
    takt_posix_interrupt_enable(FIRST, take_first);
    takt_posix_interrupt_enable(SECOND, take_second);
    takt_posix_interrupt_enable(PENDING, take_and_pend);
    interrupts_wait_until_the_lock_opens();
    interrupts_are_taken_by_number_and_do_not_nest();
    an_interrupt_that_is_pended_twice_is_taken_once();
    takt_posix_exit(0);
}

static void start_with(void (*entry)(void *argument)) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_thread(entry, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

static void interrupts(void) { start_with(check_interrupts); }

/* ---- preemption ------------------------------------------------------------------------------------ */

static takt_semaphore_t waking;
static uint32_t woken;

static void give(void) {
    CHECK(takt_semaphore_give_from_isr(&waking) == TAKT_OK);
    takt_posix_interrupt_pend(LATE);
    CHECK(woken == 0);
}

/* Runs when the last handler has ended, in the state of a thread. */
static void wait_for_wake(void *argument) {
    (void)argument;
    CHECK(takt_semaphore_take(&waking) == TAKT_OK);
    CHECK(takt_port_is_open());
    expect_taken(1, (uint32_t[]){LATE});
    woken++;
    CHECK(takt_semaphore_take(&waking) == TAKT_OK);
}

static void wake(void *argument) {
    (void)argument;
    takt_posix_interrupt_enable(FIRST, give);
    takt_posix_interrupt_enable(LATE, take_late);
    takt_port_close();
    takt_posix_interrupt_pend(FIRST);
    CHECK(woken == 0);
    (void)takt_port_open();
    CHECK(woken == 1 && takt_port_is_open());
    takt_posix_exit(0);
}

static void preemption_follows_the_last_handler(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    CHECK(takt_semaphore_init(&waking, 0) == TAKT_OK);
    make_thread(wait_for_wake, NULL, 2);
    make_thread(wake, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- contexts -------------------------------------------------------------------------------------- */

static uint32_t beginnings;
static int numbers[2] = {17, 42};

static bool is_on(const takt_thread_t *thread, const void *place) {
    const char *bottom = thread->stack;
    return (const char *)place >= bottom && (const char *)place < bottom + thread->stack_bytes;
}

/* Each with its own argument, stack, errno and direction of rounding. */
__attribute__((no_sanitize_address)) static void keep_state(void *argument) {
    const int *number = argument;
    const int rounding = *number == 17 ? FE_UPWARD : FE_DOWNWARD;
    CHECK(takt_port_is_open() && is_on(takt_kernel_running(), &number));
    CHECK(fegetround() == FE_TONEAREST);
    CHECK(fesetround(rounding) == 0);
    for (int turn = 0; turn < 1000; turn++) {
        errno = *number + turn;
        CHECK(takt_thread_yield() == TAKT_OK);
        CHECK(errno == *number + turn && fegetround() == rounding);
    }
    beginnings++;
}

static void finish_after_both(void *argument) {
    (void)argument;
    CHECK(beginnings == 2);
    takt_posix_exit(0);
}

static void threads_keep_what_a_call_keeps(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_thread(keep_state, &numbers[0], 2);
    make_thread(keep_state, &numbers[1], 2);
    make_thread(finish_after_both, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* Begins again on the stack that it executes on, as a job does whose predecessor was ended. */
static void begin_again(void *argument) {
    takt_thread_t *self = takt_kernel_running();
    CHECK(takt_port_is_open());
    if (++beginnings == 1000) {
        takt_posix_exit(0);
    }
    takt_port_close();
    self->sp = takt_port_context_create(self->stack, self->stack_bytes, begin_again, argument);
    (void)takt_port_switch(self, self);
    CHECK(false);
}

static void a_context_is_built_anew_below_its_own_thread(void) { start_with(begin_again); }

/* ---- end ------------------------------------------------------------------------------------------- */

static void leave(void *argument) {
    (void)argument;
    takt_posix_exit(23);
}

static void a_thread_leaves(void) { start_with(leave); }

static void leave_by_handler(void) { takt_posix_exit(24); }

static void pend_leaving(void *argument) {
    (void)argument;
    takt_posix_interrupt_enable(FIRST, leave_by_handler);
    takt_posix_interrupt_pend(FIRST);
}

static void a_handler_leaves(void) { start_with(pend_leaving); }

static void nobody_starts(void) { takt_posix_exit(25); }

static void do_nothing(void *argument) { (void)argument; }

static void everybody_ends(void) { start_with(do_nothing); }

static void pend_unknown(void) { takt_posix_interrupt_pend(FIRST); }

static void pend_beyond(void) { takt_posix_interrupt_pend(TAKT_POSIX_INTERRUPTS); }

static void expect_fault(void (*program)(void)) {
    const int outcome = outcome_of(program);
    CHECK(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGABRT);
}

int main(void) {
    run_until_exit(interrupts, 0);
    run_until_exit(preemption_follows_the_last_handler, 0);
    run_until_exit(threads_keep_what_a_call_keeps, 0);
    run_until_exit(a_context_is_built_anew_below_its_own_thread, 0);
    run_until_exit(a_thread_leaves, 23);
    run_until_exit(a_handler_leaves, 24);
    run_until_exit(nobody_starts, 25);
    run_until_exit(everybody_ends, TAKT_POSIX_EXIT_STALLED);
    expect_fault(pend_unknown);
    expect_fault(pend_beyond);
    CHECK(takt_posix_use_real_time(0) == TAKT_ERROR_PERIOD);
    return check_report("test_posix_port");
}
