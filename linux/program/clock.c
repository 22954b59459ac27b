/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Time that passes. */
#define _GNU_SOURCE
#include "linux/lib/clock.h"
#include "linux/program/internal.h"

uint64_t takt_program_now(void) { return takt_clock_read(CLOCK_MONOTONIC); }

uint64_t takt_program_used(void) { return takt_clock_read(CLOCK_THREAD_CPUTIME_ID); }

void takt_program_spin(uint64_t until_ns, const bool *is_over) {
    while (takt_program_now() < until_ns && !__atomic_load_n(is_over, __ATOMIC_ACQUIRE) &&
           !takt_linux_is_aborted()) {
    }
}
