/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The job of the general framework (Wang and Lin 1999) on a stock kernel: the task set framework.toml gives it a priority,
 * a start, a finish and a budget, and the program has only its work. Every third frame takes longer than the budget. It is
 * late, as it learns; `control` never is, although it is less urgent. */
#define _GNU_SOURCE
#include "example.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { FRAMES = 9 };

typedef struct activity {
    const takt_linux_transport_t *transport;
    const char *name;
    takt_linux_counts_t counts;
    takt_linux_status_t status;
} activity_t;

static bool is_over;

static bool join(activity_t *activity) {
    const takt_linux_parameters_t parameters = {.name = activity->name};
    activity->status = takt_linux_join(activity->transport, &parameters);
    if (activity->status != TAKT_LINUX_OK) {
        (void)fprintf(stderr, "%s: %s\n", activity->name, takt_linux_message(activity->status));
    }
    return activity->status >= 0;
}

static void end(activity_t *activity) {
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    (void)takt_linux_counts(&activity->counts);
    (void)takt_linux_leave();
}

static void *player(void *argument) {
    activity_t *activity = argument;
    if (!join(activity)) {
        return NULL;
    }
    for (uint32_t frame = 0; takt_linux_wait() >= 0 && frame < FRAMES; frame++) {
        work_for((frame % 3 == 2 ? 12 : 3) * MILLISECOND);
    }
    end(activity);
    return NULL;
}

static void *control(void *argument) {
    activity_t *activity = argument;
    if (!join(activity)) {
        return NULL;
    }
    while (takt_linux_wait() >= 0 && !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        work_for(3 * MILLISECOND);
    }
    end(activity);
    return NULL;
}

static void report(const activity_t *activity) {
    (void)printf("%s: %u jobs, %u late\n", activity->name, activity->counts.completed,
                 activity->counts.missed);
}

int takt_example(const takt_linux_transport_t *transport) {
    activity_t media = {.transport = transport, .name = "player"};
    activity_t controller = {.transport = transport, .name = "control"};
    pthread_t threads[2];
    (void)pthread_create(&threads[0], NULL, player, &media);
    (void)pthread_create(&threads[1], NULL, control, &controller);
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    report(&media);
    report(&controller);
    return media.status < 0 || controller.status < 0;
}
