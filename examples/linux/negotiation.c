/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Negotiation of rates (Springer and Zhao 2024) on a stock kernel: threads request other periods and execution times while
 * they run, and the allocator of the task set negotiation.toml decides in the kernel. In gusts `steering` requests twice its rate,
 * and has it. `map` requests more than there is, is rejected, and continues as before. `video` is soft and never rejected:
 * it gives up half its rate while the radio link is poor. */
#define _GNU_SOURCE
#include "example.h"

#include <pthread.h>
#include <stdio.h>

enum { JOBS = 9 };

typedef struct activity {
    const char *name;
    uint64_t work_ns;
    uint32_t asks_at; /* job that requests `demand` */
    takt_linux_demand_t demand;
    takt_linux_status_t answer;
    uint32_t before, after; /* rates, in 1/1000 of the processor */
} activity_t;

static const takt_linux_transport_t *scheduler;

static uint32_t rate_now(void) {
    uint32_t rate = 0;
    (void)takt_linux_rate(&rate);
    return (uint32_t)(rate * UINT64_C(1000) / TAKT_LINUX_RATE_WHOLE);
}

static void *act(void *argument) {
    activity_t *activity = argument;
    const takt_linux_parameters_t parameters = {.name = activity->name};
    activity->answer = takt_linux_join(scheduler, &parameters);
    for (uint32_t job = 0; takt_linux_wait() >= 0 && job < JOBS; job++) {
        work_for(activity->work_ns);
        if (job == activity->asks_at) {
            activity->before = rate_now();
            activity->answer = takt_linux_negotiate(&activity->demand);
        }
        activity->after = rate_now();
    }
    (void)takt_linux_leave();
    return NULL;
}

int takt_example(const takt_linux_transport_t *transport) {
    activity_t activities[] = {
        {.name = "steering",
         .work_ns = MILLISECOND,
         .asks_at = 3,
         .demand = {.period_ns = 5 * MILLISECOND, .wcet_ns = 2 * MILLISECOND}},
        {.name = "map",
         .work_ns = 5 * MILLISECOND,
         .asks_at = 2,
         .demand = {.period_ns = 50 * MILLISECOND, .wcet_ns = 40 * MILLISECOND}},
        {.name = "video",
         .work_ns = 4 * MILLISECOND,
         .asks_at = 4,
         .demand = {.period_ns = 40 * MILLISECOND, .wcet_ns = 8 * MILLISECOND}},
    };
    enum { COUNT = sizeof activities / sizeof activities[0] };
    pthread_t threads[COUNT];
    int failed = 0;
    scheduler = transport;
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)pthread_create(&threads[i], NULL, act, &activities[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const activity_t *activity = &activities[i];
        (void)pthread_join(threads[i], NULL);
        (void)printf("%s: rate 0.%03u, then 0.%03u: %s\n", activity->name, activity->before, activity->after,
                     takt_linux_message(activity->answer));
        failed |= activity->answer < 0 && activity->answer != TAKT_LINUX_ERROR_REJECTED;
    }
    return failed;
}
