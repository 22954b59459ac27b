/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A small system out of the bytes of a fuzzer: any policy, any kind of server and any protocol of the tables, as
 * far as SPEC.md lets them stand together. */
#ifndef TAKT_TESTS_FUZZ_SYSTEM_INPUT_H
#define TAKT_TESTS_FUZZ_SYSTEM_INPUT_H

#include "sim/system.h"
#include "tests/fuzz/input.h"

enum {
    FUZZ_TASKS = 12,
    FUZZ_SERVERS = 3,
    FUZZ_THREADS = 4,
    FUZZ_RESOURCES = 4,
    FUZZ_ITEMS = 8,
    FUZZ_ENTITIES = 1 + FUZZ_TASKS + FUZZ_SERVERS + FUZZ_THREADS
};

typedef struct fuzz_system {
    takt_task_spec_t tasks[FUZZ_TASKS];
    takt_item_t bodies[FUZZ_TASKS][FUZZ_ITEMS];
    takt_server_spec_t servers[FUZZ_SERVERS];
    takt_thread_spec_t threads[FUZZ_THREADS];
    takt_resource_spec_t resources[FUZZ_RESOURCES];
    takt_system_spec_t spec;        /* points to the above */
    uint32_t users[FUZZ_RESOURCES]; /* bit i: task i may lock it, bit FUZZ_TASKS + i: thread i */
    uint32_t scale;                 /* all times are multiples of 2^scale, to reach every row of the timers */
} fuzz_system_t;

/* `scale` is below `scales`, which is 1 .. 41. */
void fuzz_system_read(fuzz_system_t *system, input_t *input, uint32_t scales);

/* Whether `user`, a task or FUZZ_TASKS + a thread, is one of those that the ceiling of `resource` knows. */
static inline bool fuzz_system_may_lock(const fuzz_system_t *system, uint32_t user, uint32_t resource) {
    return (system->users[resource] >> user & 1u) != 0;
}

#endif
