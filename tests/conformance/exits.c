/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads whose entry function returns: they are gone, and all others go on. */
#include "tests/conformance/conformance.h"

enum { THREADS = 5, PERIOD_INSTRUCTIONS = 2003, INTERRUPTS = 50 };

static takt_thread_t threads[THREADS], last_thread;
static conformance_stack_t stacks[THREADS], last_stack;
static takt_semaphore_t going, interrupted;
static uint32_t ended, entered;
static void *given;

static void interrupt(void) { (void)takt_semaphore_give_from_isr(&interrupted); }

static void end_at_once(void *argument) {
    (void)argument;
    entered++;
    ended++;
}

static void end_after_waiting(void *argument) {
    (void)argument;
    entered++;
    (void)takt_semaphore_take(&going);
    ended++;
}

/* The least urgent of all, so that whoever may still run runs first. */
static void look(void *argument) {
    given = argument;
    check(given == &last_thread, "an_entry_function_gets_its_argument");
    check(entered == THREADS && ended == 3, "a_thread_that_returns_leaves_the_processor_to_the_others");
    (void)takt_semaphore_give(&going);
    (void)takt_semaphore_give(&going);
    check(ended == THREADS, "a_thread_that_has_waited_returns_like_any_other");
    board_ticker_start(board_span(PERIOD_INSTRUCTIONS), interrupt);
    for (uint32_t count = 0; count < INTERRUPTS; count++) {
        check(takt_semaphore_take(&interrupted) == TAKT_OK,
              "when_all_others_are_gone_the_machine_idles_and_wakes");
    }
    check(entered == THREADS && ended == THREADS, "a_thread_that_is_gone_does_not_come_back");
    board_exit(0);
}

int main(void) {
    kernel_begin();
    semaphore_begin(&going, 0);
    semaphore_begin(&interrupted, 0);
    for (uint32_t index = 0; index < THREADS; index++) {
        thread_begin(&threads[index], stacks[index], 1u + index,
                     index % 2u == 0 ? end_at_once : end_after_waiting, NULL);
    }
    thread_begin(&last_thread, last_stack, 0, look, &last_thread);
    kernel_go();
}
