/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads of negotiation.toml that request parameters of any numbers, a request in each job, and count the answers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#include "examples/linux/example.h"

enum { REQUESTS = 30, TICK = 100000 };

static const takt_linux_transport_t *scheduler;
static uint32_t answers[5]; /* admitted, rejected, out of range, used up, none of these */

/* Returns a number below `count`, of the stream `state`. */
static uint64_t draw(uint64_t *state, uint64_t count) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % count;
}

static uint64_t draw_time(uint64_t *state) {
    static const uint64_t strange[] = {0, 1, TICK - 1, UINT64_MAX, UINT64_MAX / 2, UINT64_C(1) << 55};
    return draw(state, 12) == 0 ? strange[draw(state, 6)] : (1u + draw(state, 300)) * TICK + draw(state, 2);
}

static uint32_t place_of(takt_linux_status_t status) {
    return status == TAKT_LINUX_OK               ? 0
           : status == TAKT_LINUX_ERROR_REJECTED ? 1
           : status == TAKT_LINUX_ERROR_DEMAND   ? 2
           : status == TAKT_LINUX_ERROR_REQUESTS ? 3
                                                 : 4;
}

static void *act(void *name) {
    const takt_linux_parameters_t parameters = {.name = name};
    uint64_t state = UINT64_C(977) * SEED + (uint64_t)((const char *)name)[0];
    (void)takt_linux_join(scheduler, &parameters);
    for (uint32_t i = 0; i < REQUESTS && takt_linux_wait() >= 0; i++) {
        const uint64_t period = draw_time(&state);
        const bool has_deadline = draw(&state, 8) == 0;
        const takt_linux_demand_t demand = {period, has_deadline ? draw_time(&state) : 0,
                                            draw(&state, 2) == 0 ? 10 * TICK : draw_time(&state), 1};
        const takt_linux_status_t status = takt_linux_negotiate(&demand);
        __atomic_fetch_add(&answers[place_of(status)], 1u, __ATOMIC_RELAXED);
    }
    (void)takt_linux_leave();
    return NULL;
}

int takt_example(const takt_linux_transport_t *transport) {
    static char names[][16] = {"steering", "map", "video"};
    pthread_t threads[3];
    scheduler = transport;
    for (uint32_t i = 0; i < 3; i++) {
        (void)pthread_create(&threads[i], NULL, act, names[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)printf("%u admitted\n%u rejected\n%u out of range\n%u used up\n", answers[0], answers[1],
                 answers[2], answers[3]);
    return answers[4] != 0;
}
