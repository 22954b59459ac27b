/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The lock: from every level, nested, breathing, in threads and in handlers. */
#include "tests/conformance/conformance.h"

static volatile uint32_t count, urgent_count;

static void count_one(void) { count++; }
static void count_urgent(void) { urgent_count++; }

static void the_lock_works_from(uint32_t index) {
    board_level_set(index);
    const uint32_t before = board_level();
    const uint32_t expected = board_level_locked(before);
    const takt_port_level_t outer = takt_port_lock();
    check(board_level() == expected, "the_lock_never_lowers_a_level_and_always_masks_the_kernels_interrupts");
    const takt_port_level_t inner = takt_port_lock();
    check(board_level() == expected, "the_lock_nests");
    takt_port_unlock(inner);
    check(board_level() == expected, "an_inner_unlock_keeps_the_outer_lock");
    takt_port_unlock(outer);
    check(board_level() == before, "unlock_restores_the_level_before");
    board_level_set(0);
}

static void the_lock_works_from_every_level(void) {
    const uint32_t before = board_level();
    takt_port_close();
    check(board_level() == board_level_locked(before), "closing_masks");
    check(takt_port_open() == TAKT_OK && board_level() == before, "opening_undoes_closing_and_answers_ok");
    for (uint32_t index = 0; index < board_levels(); index++) {
        the_lock_works_from(index);
    }
}

static void the_lock_masks_what_may_call_the_kernel(void) {
    count = 0;
    const takt_port_level_t level = takt_port_lock();
    check(!takt_port_is_open(), "a_closed_lock_is_not_open");
    board_interrupt_pend(0);
    check(count == 0, "the_lock_masks_interrupts_that_may_call_the_kernel");
    takt_port_breathe();
    check(count == 1 && board_level() == board_level_locked(level), "breathing_lets_a_pending_interrupt_run");
    takt_port_breathe();
    check(count == 1, "an_interrupt_runs_once");
    board_interrupt_pend(0);
    takt_port_unlock(level);
    board_settle();
    check(count == 2 && takt_port_is_open(), "unlock_lets_a_pending_interrupt_run");
    board_interrupt_pend(0);
    check(count == 3, "an_open_lock_masks_nothing");
}

static void the_lock_lets_more_urgent_interrupts_pass(void) {
    const takt_port_level_t level = takt_port_lock();
    const bool is_there = board_interrupt_is_urgent(count_urgent);
    check(urgent_count == (is_there ? 1u : 0u), "the_lock_does_not_delay_more_urgent_interrupts");
    takt_port_unlock(level);
}

/* What a thread has masked stays masked in the handler of what it has not, and the other way round. */
static void lock_in_a_handler(void) {
    check(takt_port_is_in_isr() && !takt_port_is_open(), "a_handler_knows_that_it_is_one");
    const uint32_t before = board_level();
    const takt_port_level_t outer = takt_port_lock();
    const takt_port_level_t inner = takt_port_lock();
    board_interrupt_pend(0);
    takt_port_unlock(inner);
    check(count == 0, "the_lock_of_a_handler_masks");
    takt_port_unlock(outer);
    check(board_level() == before, "a_handler_gets_its_level_back");
}

static void count_and_pend_once(void) {
    count_one();
    if (count == 1) {
        board_interrupt_pend(1);
    }
}

static void the_lock_works_in_handlers(void) {
    count = 0;
    board_interrupt_enable(1, lock_in_a_handler);
    board_interrupt_pend(1);
    check(count == 1, "what_a_handler_pends_runs_after_it");
    count = 0;
    board_interrupt_enable(1, count_and_pend_once);
    board_interrupt_pend(1);
    check(count == 2, "an_interrupt_that_pends_itself_runs_again");
    check(takt_port_is_open() && !takt_port_is_in_isr(), "after_a_handler_the_lock_is_open_again");
}

static void all(void) {
    check(takt_port_is_open() && !takt_port_is_in_isr(),
          "the_lock_is_open_at_first_and_nobody_is_in_a_handler");
    the_lock_works_from_every_level();
    the_lock_masks_what_may_call_the_kernel();
    the_lock_lets_more_urgent_interrupts_pass();
    urgent_count = 0;
    the_lock_works_in_handlers();
}

static void in_a_thread(void *argument) {
    (void)argument;
    all();
    board_exit(0);
}

static takt_thread_t thread;
static conformance_stack_t stack;

/* Before the start of the kernel and after it. */
int main(void) {
    board_begin();
    board_interrupt_enable(0, count_one);
    all();
    kernel_begin();
    thread_begin(&thread, stack, 1, in_a_thread, NULL);
    kernel_go();
}
