/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Durations with units are what the board's tick makes of them, in constants and in calls. */
#include "kernel/units.h"

#include <takt_board.h>

#include "tests/conformance/conformance.h"

static const takt_duration_t whole[] = {TAKT_S(3), TAKT_MS(5), TAKT_US(250u), TAKT_S(0), TAKT_MS(INT32_MAX)};
static const uint64_t nanoseconds[] = {UINT64_C(3000000000), 5000000, 250000, 0,
                                       INT32_MAX *UINT64_C(1000000)};

enum { STEP = TAKT_US(100) };

/* The largest count: more seconds than a lifetime of a star, and 2^63 ticks at most. */
static const takt_duration_t largest = TAKT_S(INT64_MAX / TAKT_TICK_HZ - 1);

static takt_thread_t thread;
static conformance_stack_t stack;

static void wait(void *argument) {
    (void)argument;
    const takt_instant_t before = takt_kernel_now();
    check(takt_thread_delay(TAKT_MS(2)) == TAKT_OK, "a_delay_succeeds");
    const takt_duration_t waited = takt_kernel_now() - before;
    check(waited >= 20 * (takt_duration_t)STEP && waited < TAKT_MS(4),
          "a_delay_lasts_as_long_as_its_unit_says");
    board_exit(0);
}

int main(void) {
    for (uint32_t row = 0; row < sizeof whole / sizeof *whole; row++) {
        check(whole[row] * TAKT_BOARD_TICK_NS == nanoseconds[row],
              "a_unit_is_as_many_ticks_as_the_board_says");
    }
    check(largest < (UINT64_C(1) << 63) && largest > (UINT64_C(1) << 62),
          "the_largest_count_is_near_2_to_63_ticks");
    kernel_begin();
    thread_begin(&thread, stack, 1, wait, NULL);
    kernel_go();
}
