/* A small system out of the bytes of a fuzzer: any policy and any kind of server of the tables. */
#ifndef TAKT_TESTS_FUZZ_SYSTEM_INPUT_H
#define TAKT_TESTS_FUZZ_SYSTEM_INPUT_H

#include "sim/system.h"
#include "tests/fuzz/input.h"

enum { FUZZ_TASKS = 12, FUZZ_SERVERS = 3, FUZZ_THREADS = 2, FUZZ_ITEMS = 3, FUZZ_ENTITIES = 1 + 12 + 3 + 2 };

typedef struct fuzz_system {
    takt_task_spec_t tasks[FUZZ_TASKS];
    takt_item_t bodies[FUZZ_TASKS][FUZZ_ITEMS];
    takt_server_spec_t servers[FUZZ_SERVERS];
    takt_thread_spec_t threads[FUZZ_THREADS];
    takt_system_spec_t spec; /* points to the above */
    uint32_t scale;          /* all times are multiples of 2^scale, to reach every row of the timers */
} fuzz_system_t;

/* `scale` is below `scales`, which is 1 .. 41. */
void fuzz_system_read(fuzz_system_t *system, input_t *input, uint32_t scales);

#endif
