/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preemption keeps registers, flags, reservations and stacks, wherever it comes. */
#include "tests/conformance/conformance.h"

enum { PREEMPTIONS = 20000, PERIOD_INSTRUCTIONS = 1021 + 4096 * (CONFORMANCE_TRACED) };

static takt_semaphore_t waking;
static volatile uint32_t preemptions, increments;
static uint32_t of_preempted, deepest;
static conformance_stack_t stacks[2];
static takt_thread_t threads[2];

static void wake(void) { (void)takt_semaphore_give_from_isr(&waking); }

/* By compare and swap, which others must be able to break; under the lock where the machine has none. */
static void increment(void) {
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
    uint32_t seen = increments;
    while (!__atomic_compare_exchange_n(&increments, &seen, seen + 1u, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
#else
    const takt_port_level_t level = takt_port_lock();
    increments++;
    takt_port_unlock(level);
#endif
    of_preempted++;
}

static void preempted(void *argument) {
    (void)argument;
    board_ticker_start(board_span(PERIOD_INSTRUCTIONS), wake);
    while (preemptions < PREEMPTIONS) {
        check(board_registers_hold(), "registers_and_flags_survive_preemption_at_every_instruction");
        check(!board_reservation_survives(&preemptions), "a_preemption_breaks_a_reservation");
        increment();
        board_pass();
    }
    board_ticker_stop();
    check(increments == of_preempted + preemptions, "an_update_by_compare_and_swap_loses_nothing");
    /* What grows uses up the rest; where the stack is deepest an interrupt may have come late, once. */
    const bool has_grown = takt_thread_stack_unused(&threads[0]) < deepest / 2u;
    check(!(has_grown && board_is_punctual()) && deepest > 0, "preemption_does_not_grow_the_stack");
    board_exit(0);
}

/* A plain store between another thread's load-reserved and its store-conditional. */
static void preempting(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&waking);
        increments = increments + 1u;
        preemptions = preemptions + 1u;
        if (preemptions == PREEMPTIONS / 2) {
            deepest = takt_thread_stack_unused(&threads[0]);
        }
        board_registers_clobber();
    }
}

int main(void) {
    kernel_begin();
    semaphore_begin(&waking, 0);
    thread_begin(&threads[1], stacks[1], 2, preempting, NULL);
    thread_begin(&threads[0], stacks[0], 1, preempted, NULL);
    kernel_go();
}
