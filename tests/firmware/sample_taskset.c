/* A generated file as firmware/taskset.h describes it, written by hand: two tasks under the root beside
 * a deferrable server with two tasks, one of them non-preemptive, 100 ms. */
#include "firmware/taskset.h"

static const takt_firmware_server_t servers[] = {
    {.name = "media",
     .kind = &takt_server_deferrable,
     .policy = &takt_policy_edf,
     .period = 250000,
     .budget = 75000,
     .offset = 0,
     .level = 2},
};

static const takt_firmware_task_t tasks[] = {
    {.name = "control",
     .period = 125000,
     .deadline = 125000,
     .offset = 0,
     .demand_ns = 1000000,
     .level = 1,
     .server = TAKT_FIRMWARE_ROOT},
    {.name = "audio",
     .period = 250000,
     .deadline = 250000,
     .offset = 12500,
     .demand_ns = 1500000,
     .level = 1,
     .server = 0},
    {.name = "video",
     .period = 500000,
     .deadline = 500000,
     .offset = 50000,
     .demand_ns = 4000000,
     .level = 2,
     .server = 0,
     .is_limited = true,
     .preemption_key = 0},
    {.name = "logging",
     .period = 625000,
     .deadline = 625000,
     .offset = 0,
     .demand_ns = 5000000,
     .level = 3,
     .server = TAKT_FIRMWARE_ROOT},
};

const takt_firmware_taskset_t takt_firmware_taskset = {
    .policy = &takt_policy_fp,
    .servers = servers,
    .server_count = 1,
    .tasks = tasks,
    .task_count = 4,
    .horizon = 2500000,
    .instruction_shift = 6,
    .trace_file = "sample_trace.bin",
};
