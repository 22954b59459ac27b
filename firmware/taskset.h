/* The task set of a firmware, as tables in one generated C file.
 *
 * The generated file includes this header and defines takt_firmware_taskset, in this form:
 *
 *     #include "firmware/taskset.h"
 *
 *     static const takt_firmware_server_t servers[] = {
 *         {.name = "S", .kind = &takt_server_deferrable, .policy = &takt_policy_fp,
 *          .period = 250000, .budget = 75000, .offset = 0, .level = 1},
 *     };
 *     static const takt_firmware_task_t tasks[] = {
 *         {.name = "a", .period = 250000, .deadline = 250000, .offset = 0, .demand_ns = 1000000,
 *          .level = 2, .server = TAKT_FIRMWARE_ROOT},
 *     };
 *     const takt_firmware_taskset_t takt_firmware_taskset = {
 *         .policy = &takt_policy_fp,
 *         .servers = servers, .server_count = 1,
 *         .tasks = tasks, .task_count = 1,
 *         .horizon = 2500000, .instruction_shift = 6, .trace_file = "trace.bin",
 *     };
 *
 * Names are C strings. Times without a unit in their name are ticks of TAKT_FIRMWARE_TICK_NS. Without
 * servers `servers` is NULL and `server_count` 0. Policies are takt_policy_<name> with "-" as "_",
 * kinds of servers takt_server_<name>.
 *
 * Entity numbers: the root 0, server i is 1 + i, task i is 1 + server_count + i, then the idle thread. */
#ifndef TAKT_FIRMWARE_TASKSET_H
#define TAKT_FIRMWARE_TASKSET_H

#include "core/server.h"
#include "policy/table.h"

/* Index of the home of what sits directly under the root. */
#define TAKT_FIRMWARE_ROOT (-1)

/* A server under the root. */
typedef struct takt_firmware_server {
    const char *name;
    const takt_server_kind_t *kind;
    const takt_policy_t *policy; /* of the tasks inside */
    uint64_t period;             /* >= 1 */
    uint64_t budget;             /* 1 .. period */
    uint64_t offset;             /* first replenishment */
    uint32_t level;              /* 1 .. TAKT_FIRMWARE_LEVELS, smaller = more urgent; 1 where keys order */
} takt_firmware_server_t;

/* A periodic task: each job executes for `demand_ns`, then waits for the next release. */
typedef struct takt_firmware_task {
    const char *name;
    uint64_t period;    /* >= 1 */
    uint64_t deadline;  /* relative, >= 1 */
    uint64_t offset;    /* first release */
    uint64_t wcet;      /* of a job; read by least laxity */
    uint64_t demand_ns; /* of execution; rounded to two instructions */
    uint32_t level;     /* as a server's */
    int32_t server;     /* index of its server, or TAKT_FIRMWARE_ROOT */
    bool is_limited;    /* a started job has a preemption level */
    /* With is_limited, 0: nobody displaces a started job; else 1 .. level, and only what is more urgent
     * displaces it. Where keys order see core/policy.h, start. */
    uint64_t preemption_key;
    takt_task_class_t task_class;
} takt_firmware_task_t;

typedef struct takt_firmware_taskset {
    const takt_policy_t *policy; /* of the root */
    const takt_firmware_server_t *servers;
    uint32_t server_count;
    const takt_firmware_task_t *tasks;
    uint32_t task_count; /* >= 1 */
    uint64_t horizon;    /* records before this instant are kept; the run ends at the first one after it */
    uint32_t instruction_shift; /* an instruction takes 2^this ns: N of the emulator's -icount shift=N */
    const char *trace_file;     /* takt_record_t after takt_record_t, little-endian, no header */
} takt_firmware_taskset_t;

extern const takt_firmware_taskset_t takt_firmware_taskset;

#endif
