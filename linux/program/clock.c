/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Time that passes. */
#define _GNU_SOURCE
#include <time.h>

#include "linux/program/internal.h"

static uint64_t time_of(clockid_t clock) {
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

uint64_t takt_program_now(void) { return time_of(CLOCK_MONOTONIC); }

uint64_t takt_program_used(void) { return time_of(CLOCK_THREAD_CPUTIME_ID); }

void takt_program_spin(uint64_t until_ns, const bool *is_over) {
    while (takt_program_now() < until_ns && !__atomic_load_n(is_over, __ATOMIC_ACQUIRE) &&
           !takt_linux_is_aborted()) {
    }
}
