/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the examples share. A program that has loaded the scheduler of the example's task set calls takt_example with the
 * transport to it; the example returns when its threads have ended. */
#ifndef TAKT_EXAMPLES_LINUX_EXAMPLE_H
#define TAKT_EXAMPLES_LINUX_EXAMPLE_H

#include <stdint.h>
#include <time.h>

#include "linux/lib/takt_linux.h"

#define MILLISECOND UINT64_C(1000000)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0, or 1 if a thread could not join. */
int takt_example(const takt_linux_transport_t *transport);

#ifdef __cplusplus
}
#endif

static inline uint64_t time_of(clockid_t clock) {
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* Work: `ns` of CPU time of the calling thread. */
static inline void work_for(uint64_t ns) {
    const uint64_t end = time_of(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (time_of(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

#endif
