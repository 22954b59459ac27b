/* Replays the records that the sample firmware wrote, on the host, through core: the same tables of the
 * same generated file, compiled for the host. Exits with 0 if every decision is the same.
 *
 * Usage: replay_sample FILE */
#include <stdio.h>
#include <stdlib.h>

#include "firmware/geometry.h"
#include "firmware/taskset.h"
#include "sim/replay.h"

enum { SERVER_LIMIT = 16, TASK_LIMIT = 64, RECORD_LIMIT = 600000 };

static takt_server_spec_t servers[SERVER_LIMIT];
static takt_task_spec_t tasks[TASK_LIMIT];
static const takt_thread_spec_t idle = {.level = TAKT_FIRMWARE_IDLE_LEVEL};
static takt_record_t records[RECORD_LIMIT];

static void describe_servers(const takt_firmware_taskset_t *set) {
    for (uint32_t index = 0; index < set->server_count; index++) {
        const takt_firmware_server_t *of = &set->servers[index];
        servers[index] = (takt_server_spec_t){
            .kind = of->kind,
            .policy = of->policy,
            .period = of->period,
            .capacity = of->budget,
            .offset = of->offset,
            .level = of->level,
            .parent = TAKT_ROOT,
            .levels = TAKT_FIRMWARE_IDLE_LEVEL,
            .order_rows = TAKT_KERNEL_ORDER_ROWS,
            .time_rows = TAKT_KERNEL_TIME_ROWS,
        };
    }
}

static void describe_tasks(const takt_firmware_taskset_t *set) {
    for (uint32_t index = 0; index < set->task_count; index++) {
        const takt_firmware_task_t *of = &set->tasks[index];
        tasks[index] = (takt_task_spec_t){
            .period = of->period,
            .relative_deadline = of->deadline,
            .offset = of->offset,
            .demand = 1,
            .level = of->level,
            .server = of->server,
            .is_limited = of->is_limited,
            .preemption_key = of->preemption_key,
            .task_class = of->task_class,
        };
    }
}

static uint64_t read_records(const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        exit(2);
    }
    const size_t count = fread(records, sizeof *records, RECORD_LIMIT, file);
    fclose(file);
    return count;
}

int main(int count, char **arguments) {
    const takt_firmware_taskset_t *set = &takt_firmware_taskset;
    if (count != 2 || set->server_count > SERVER_LIMIT || set->task_count > TASK_LIMIT) {
        return 2;
    }
    describe_servers(set);
    describe_tasks(set);
    const takt_system_spec_t spec = {
        .policy = set->policy,
        .levels = TAKT_FIRMWARE_IDLE_LEVEL,
        .order_rows = TAKT_KERNEL_ORDER_ROWS,
        .time_rows = TAKT_KERNEL_TIME_ROWS,
        .servers = servers,
        .server_count = set->server_count,
        .tasks = tasks,
        .task_count = set->task_count,
        .threads = &idle,
        .thread_count = 1,
    };
    takt_system_t system;
    if (!takt_system_create(&system, &spec)) {
        return 2;
    }
    const takt_replay_result_t result = takt_replay(&system, records, read_records(arguments[1]));
    takt_system_destroy(&system);
    printf("verdict %d, %llu decisions, first difference at record %llu\n", (int)result.verdict,
           (unsigned long long)result.decisions, (unsigned long long)result.record);
    return result.verdict == TAKT_REPLAY_IDENTICAL && result.decisions > 0 ? 0 : 1;
}
