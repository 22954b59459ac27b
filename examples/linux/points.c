/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deferred preemption (Bergsma et al. 2009, libfpds) on a stock kernel: a long job keeps its caches, and yields only
 * between two blocks. A point costs one load while no more urgent job waits. The task set is points.toml. */
#define _GNU_SOURCE
#include "example.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { BLOCKS = 8, JOBS = 30 };

static const takt_linux_transport_t *scheduler;
static bool is_over;

static bool join(const char *name) {
    const takt_linux_parameters_t parameters = {.name = name};
    const takt_linux_status_t status = takt_linux_join(scheduler, &parameters);
    if (status != TAKT_LINUX_OK) {
        (void)fprintf(stderr, "%s: %s\n", name, takt_linux_message(status));
    }
    return status >= 0;
}

/* Sorts 8 blocks; nothing preempts it within a block. */
static void *sort(void *failed) {
    if (!join("sort")) {
        return failed;
    }
    while (takt_linux_wait() >= 0 && !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        for (uint32_t block = 0; block < BLOCKS; block++) {
            work_for(2 * MILLISECOND);
            (void)takt_linux_point();
        }
    }
    (void)takt_linux_leave();
    return NULL;
}

/* Returns how long the current job has waited for the processor. */
static uint64_t delay_of_start(void) {
    takt_linux_job_t job;
    (void)takt_linux_job(&job);
    return time_of(CLOCK_MONOTONIC) - job.release_ns;
}

static void *control(void *failed) {
    uint64_t longest = 0;
    if (!join("control")) {
        return failed;
    }
    for (uint32_t number = 0; takt_linux_wait() >= 0 && number < JOBS; number++) {
        const uint64_t delay = delay_of_start();
        longest = delay > longest ? delay : longest;
        work_for(MILLISECOND);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    (void)takt_linux_leave();
    (void)printf("control began at most %.1f ms after its release\n", (double)longest / (double)MILLISECOND);
    return NULL;
}

int takt_example(const takt_linux_transport_t *transport) {
    static char failure;
    pthread_t threads[2];
    void *results[2];
    scheduler = transport;
    (void)pthread_create(&threads[0], NULL, sort, &failure);
    (void)pthread_create(&threads[1], NULL, control, &failure);
    (void)pthread_join(threads[0], &results[0]);
    (void)pthread_join(threads[1], &results[1]);
    return results[0] != NULL || results[1] != NULL;
}
