/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An allocator that the user writes, in the split of the general framework (Wang and Lin 1999): it runs in the program, fills
 * parameters in and hands them over by takt_linux_negotiate; core's dispatcher in the kernel obeys them. This one keeps each task at
 * 0.4 of the processor whatever its jobs execute: a task whose work doubles has a period that doubles. Core's own allocator
 * admits its requests, so an error here harms no other task. */
#define _GNU_SOURCE
#include "example.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { JOBS = 9, LIGHT = 7, HEAVY = 14, ROOM = 8 /* ms: a budget for light work */ };

typedef struct activity {
    const char *name;
    bool becomes_heavy;
    uint32_t jobs;
    uint64_t budget_ns;
    uint64_t period_ns;
    takt_linux_status_t status;
} activity_t;

static const takt_linux_transport_t *scheduler;

/* The allocator: called after each job with what it executed. */
static void allocate(activity_t *activity, uint64_t executed_ns) {
    const uint64_t needed_ns =
        executed_ns <= ROOM * MILLISECOND ? ROOM * MILLISECOND : 2 * ROOM * MILLISECOND;
    const takt_linux_demand_t demand = {.period_ns = needed_ns * 10 / 4, .wcet_ns = needed_ns};
    if (needed_ns != activity->budget_ns && takt_linux_negotiate(&demand) == TAKT_LINUX_OK) {
        activity->budget_ns = needed_ns;
        activity->period_ns = demand.period_ns;
    }
}

static void *act(void *argument) {
    activity_t *activity = argument;
    const takt_linux_parameters_t parameters = {.name = activity->name};
    activity->status = takt_linux_join(scheduler, &parameters);
    while (takt_linux_wait() >= 0 && activity->jobs < JOBS) {
        const uint64_t begun = time_of(CLOCK_THREAD_CPUTIME_ID);
        work_for((activity->becomes_heavy && activity->jobs >= 3 ? HEAVY : LIGHT) * MILLISECOND);
        allocate(activity, time_of(CLOCK_THREAD_CPUTIME_ID) - begun);
        activity->jobs++;
    }
    (void)takt_linux_leave();
    return NULL;
}

int takt_example(const takt_linux_transport_t *transport) {
    activity_t left = {.name = "left",
                       .becomes_heavy = true,
                       .budget_ns = ROOM * MILLISECOND,
                       .period_ns = 20 * MILLISECOND};
    activity_t right = {.name = "right", .budget_ns = ROOM * MILLISECOND, .period_ns = 20 * MILLISECOND};
    pthread_t threads[2];
    scheduler = transport;
    (void)pthread_create(&threads[0], NULL, act, &left);
    (void)pthread_create(&threads[1], NULL, act, &right);
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    (void)printf("left: %u jobs, period %u ms\n", left.jobs, (uint32_t)(left.period_ns / MILLISECOND));
    (void)printf("right: %u jobs, period %u ms\n", right.jobs, (uint32_t)(right.period_ns / MILLISECOND));
    return left.status < 0 || right.status < 0;
}
