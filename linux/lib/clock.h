/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clocks of Linux in ns, which fit 64 bits. */
#ifndef TAKT_LINUX_LIB_CLOCK_H
#define TAKT_LINUX_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define TAKT_CLOCK_NS_PER_S UINT64_C(1000000000)

/* Returns what `clock` shows. */
static inline uint64_t takt_clock_read(clockid_t clock) {
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * TAKT_CLOCK_NS_PER_S + (uint64_t)time.tv_nsec;
}

/* Returns `ns` as calls of the system take it. */
static inline struct timespec takt_clock_time(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / TAKT_CLOCK_NS_PER_S),
                             .tv_nsec = (long)(ns % TAKT_CLOCK_NS_PER_S)};
}

#endif
