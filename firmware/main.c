/* A task set as a program: periodic threads that burn their demand, and the trace of it as a file.
 *
 * The set is takt_firmware_taskset, from a generated file. Everything that the scheduler is told and
 * decides is recorded into the board's PSRAM and written through semihosting at the end.
 *
 * Exit status: 0 done; 1 the machine faulted; 2 the task set was refused; 4 the trace buffer was full
 * before the horizon (the file holds what came before); 5 the file could not be written. Every status
 * but 0 comes with a line of text.
 *
 * When not to use it: for cycles of silicon. A job's demand is instructions under the emulator's clock. */
#include "firmware/geometry.h"
#include "firmware/semihost.h"
#include "firmware/taskset.h"
#include "kernel/kernel.h"

_Static_assert(TAKT_FIRMWARE_LEVELS == TAKT_PRIORITIES, "levels 1 .. 30 are the kernel's priorities");
_Static_assert(TAKT_FIRMWARE_IDLE_LEVEL == TAKT_KERNEL_IDLE_LEVEL, "the host knows the idle thread's level");

enum {
    EXIT_FAULT = 1,
    EXIT_REFUSED = 2,
    EXIT_FULL = 4,
    EXIT_UNWRITTEN = 5,
    STACK_BYTES = 512,
    JOB_OVERHEAD_INSTRUCTIONS = 16, /* of a job around its loop */
    LOOP_INSTRUCTIONS = 2,
};

static __attribute__((noreturn)) void end(int status, const char *what, const char *detail) {
    takt_semihost_print("takt firmware: ");
    takt_semihost_print(what);
    takt_semihost_print(detail);
    takt_semihost_print("\n");
    takt_semihost_exit(status);
}

void takt_port_fault(void) { end(EXIT_FAULT, "the machine faulted", ""); }

/* ---- memory: the PSRAM, taken from the front; the trace has the rest ------------------------------ */

extern uint8_t takt_board_psram_start[], takt_board_psram_end[];
static uint8_t *memory_next = takt_board_psram_start;

static void *allocate(uint32_t bytes) {
    const uint32_t rounded = (bytes + 7u) & ~7u;
    if ((uint32_t)(takt_board_psram_end - memory_next) < rounded) {
        end(EXIT_REFUSED, "the task set does not fit into the board's memory", "");
    }
    uint64_t *memory = (uint64_t *)(void *)memory_next;
    memory_next += rounded;
    for (uint32_t word = 0; word < rounded / sizeof *memory; word++) {
        memory[word] = 0;
    }
    return memory;
}

/* ---- trace ---------------------------------------------------------------------------------------- */

static takt_record_t *records;
static uint32_t record_count, record_limit;

static __attribute__((noreturn)) void finish(bool is_full) {
    const char *file = takt_firmware_taskset.trace_file;
    if (!takt_semihost_save(file, records, record_count * sizeof *records)) {
        end(EXIT_UNWRITTEN, "cannot write ", file);
    }
    if (is_full) {
        end(EXIT_FULL, "the trace buffer was full before the horizon: ", file);
    }
    takt_semihost_exit(0);
}

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    if (record->now >= takt_firmware_taskset.horizon) {
        finish(false);
    }
    if (record_count == record_limit) {
        finish(true);
    }
    records[record_count++] = *record;
}

static takt_trace_t trace = {.record = keep};

/* ---- jobs ----------------------------------------------------------------------------------------- */

typedef struct worker {
    takt_periodic_thread_t thread;
    uint64_t loops; /* of each job */
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static uint64_t loops_of(uint64_t demand_ns) {
    const uint64_t instructions = demand_ns >> takt_firmware_taskset.instruction_shift;
    const uint64_t least = JOB_OVERHEAD_INSTRUCTIONS + LOOP_INSTRUCTIONS;
    return instructions > least ? (instructions - JOB_OVERHEAD_INSTRUCTIONS) / LOOP_INSTRUCTIONS : 1u;
}

static void burn(uint64_t loops) {
    while (loops > 0) {
        uint32_t chunk = loops < UINT32_MAX ? (uint32_t)loops : UINT32_MAX;
        loops -= chunk;
        __asm volatile("1: subs %0, #1\n\tbne 1b" : "+l"(chunk) : : "cc");
    }
}

static void work(void *argument) {
    const worker_t *worker = argument;
    for (;;) {
        burn(worker->loops);
        (void)takt_wait_next_period();
    }
}

/* ---- set-up --------------------------------------------------------------------------------------- */

static void require(takt_status_t status, const char *name) {
    if (status != TAKT_OK) {
        takt_semihost_print(name);
        takt_semihost_print(": ");
        end(EXIT_REFUSED, "", takt_status_message(status));
    }
}

/* The kernel's priorities count the other way; a level out of range becomes a priority out of range. */
static uint32_t priority_of(uint32_t level) { return (uint32_t)TAKT_FIRMWARE_LEVELS - level; }

static takt_thread_server_t *create_servers(void) {
    const takt_firmware_taskset_t *set = &takt_firmware_taskset;
    takt_thread_server_t *servers = allocate(set->server_count * sizeof *servers);
    for (uint32_t index = 0; index < set->server_count; index++) {
        const takt_firmware_server_t *of = &set->servers[index];
        const takt_thread_server_parameters_t parameters = {
            .kind = of->kind,
            .policy = of->policy,
            .period = of->period,
            .budget = of->budget,
            .offset = of->offset,
            .priority = priority_of(of->level),
            .returns = of->kind->has_returns ? allocate(sizeof(takt_server_returns_t)) : NULL,
        };
        require(takt_thread_server_create(&servers[index], &parameters), of->name);
    }
    return servers;
}

static takt_thread_server_t *home_of(const takt_firmware_task_t *task, takt_thread_server_t *servers) {
    if (task->server < TAKT_FIRMWARE_ROOT || task->server >= (int32_t)takt_firmware_taskset.server_count) {
        end(EXIT_REFUSED, "no such server: ", task->name);
    }
    return task->server == TAKT_FIRMWARE_ROOT ? NULL : &servers[task->server];
}

static void create_task(const takt_firmware_task_t *task, takt_thread_server_t *server) {
    worker_t *worker = allocate(sizeof *worker);
    worker->loops = loops_of(task->demand_ns);
    const takt_periodic_parameters_t parameters = {
        .thread =
            {
                .name = task->name,
                .entry = work,
                .argument = worker,
                .stack = worker->stack,
                .stack_bytes = sizeof worker->stack,
                .priority = priority_of(task->level),
                .server = server,
            },
        .period = task->period,
        .relative_deadline = task->deadline,
        .offset = task->offset,
        .wcet = task->wcet,
        .is_limited = task->is_limited,
        .preemption_key = task->preemption_key,
        .task_class = task->task_class,
    };
    require(takt_periodic_thread_create(&worker->thread, &parameters), task->name);
}

static void reserve_records(void) {
    records = (takt_record_t *)(void *)memory_next;
    record_limit = (uint32_t)(takt_board_psram_end - memory_next) / sizeof *records;
}

int main(void) {
    const takt_firmware_taskset_t *set = &takt_firmware_taskset;
    if (set->task_count == 0) {
        end(EXIT_REFUSED, "a task set has at least one task", "");
    }
    require(takt_kernel_init(set->policy), "root");
    require(takt_kernel_trace_to(&trace), "trace");
    takt_thread_server_t *servers = create_servers();
    for (uint32_t index = 0; index < set->task_count; index++) {
        create_task(&set->tasks[index], home_of(&set->tasks[index], servers));
    }
    reserve_records();
    require(takt_kernel_start(), "start");
    return 0;
}
