/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The port to a Linux process in virtual time: instants are exact, runs repeat byte for byte, and random systems on the
 * kernel do what the simulator does, under every policy, and replay identically. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */

#include <string.h>
#include <sys/mman.h>

#include "posix_run.h"
#include "random_system.h"
#include "kernel/semaphore.h"
#include "sim/replay.h"
#include "sim/sim.h"

/* ---- instants --------------------------------------------------------------------------------------- */

/* Beyond 2^32. */
static const takt_duration_t long_period = UINT64_C(5000000000);

static void release_exactly(void *argument) {
    (void)argument;
    for (takt_instant_t job = 1; job <= 1000; job++) {
        CHECK(takt_kernel_now() == job * long_period);
        takt_port_work(3);
        CHECK(takt_kernel_now() == job * long_period + 3);
        CHECK(takt_wait_next_period() == TAKT_OK);
    }
    takt_posix_exit(0);
}

static void periods_are_exact_beyond_32_bits(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_periodic(release_exactly, long_period, long_period, 2);
    CHECK(takt_kernel_start() == TAKT_OK);
}

static uint32_t displacements;

/* 2 of every 10 ticks. */
static void displace(void *argument) {
    (void)argument;
    for (;;) {
        CHECK(takt_kernel_now() == 10 * (takt_instant_t)displacements++);
        takt_port_work(2);
        (void)takt_wait_next_period();
    }
}

static void carry(void *argument) {
    (void)argument;
    CHECK(takt_kernel_now() == 2);
    takt_port_work(8);
    CHECK(takt_kernel_now() == 10 && displacements == 1);
    takt_port_work(1);
    CHECK(takt_kernel_now() == 13 && displacements == 2);
    takt_port_work(7);
    CHECK(takt_kernel_now() == 20 && displacements == 2);
    takt_port_sync();
    CHECK(takt_kernel_now() == 22 && displacements == 3);
    takt_port_work(0);
    takt_port_work(8000000);
    CHECK(takt_kernel_now() == 10000020 && displacements == 1000002);
    takt_posix_exit(0);
}

/* What is due when a load ends waits until time would pass again. */
static void loads_are_displaced_and_end_before_what_is_due(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_periodic(displace, 10, 0, 2);
    make_thread(carry, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- announced interrupts ------------------------------------------------------------------------------ */

enum { ONCE = 3, AGAIN = 4, LATER = 5, NEVER = 6 };

static takt_instant_t instants[8];
static uint32_t counts[8];

static void note(uint32_t number) {
    instants[number] = takt_kernel_now();
    counts[number]++;
}

static void once(void) { note(ONCE); }
static void later(void) { note(LATER); }
static void never(void) { note(NEVER); }

static void again(void) {
    note(AGAIN);
    takt_posix_interrupt_announce(AGAIN, instants[AGAIN] + 7);
}

static void expect_note(uint32_t number, uint32_t count, takt_instant_t instant) {
    CHECK(counts[number] == count && instants[number] == instant);
}

static void work_under_the_lock(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_port_work(100);
    CHECK(counts[LATER] == 0);
    takt_port_unlock(level);
    expect_note(LATER, 1, 200);
}

static void announce(void *argument) {
    (void)argument;
    takt_posix_interrupt_announce(ONCE, 30);
    takt_posix_interrupt_announce(AGAIN, 1);
    takt_posix_interrupt_announce(LATER, 150);
    takt_posix_interrupt_announce(NEVER, 60);
    takt_posix_interrupt_announce(NEVER, TAKT_NEVER);
    takt_port_work(30);
    expect_note(AGAIN, 5, 29);
    expect_note(ONCE, 0, 0);
    takt_port_sync();
    expect_note(ONCE, 1, 30);
    takt_port_work(70);
    expect_note(AGAIN, 15, 99);
    work_under_the_lock();
    CHECK(counts[NEVER] == 0);
    takt_posix_interrupt_announce(ONCE, 20);
    takt_port_sync();
    expect_note(ONCE, 2, 200);
    takt_posix_exit(0);
}

static void enable_all(void) {
    takt_posix_interrupt_enable(ONCE, once);
    takt_posix_interrupt_enable(AGAIN, again);
    takt_posix_interrupt_enable(LATER, later);
    takt_posix_interrupt_enable(NEVER, never);
}

static void interrupts_come_at_the_announced_instants(void) {
    enable_all();
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_thread(announce, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

static takt_semaphore_t waking;

static void give(void) { CHECK(takt_semaphore_give_from_isr(&waking) == TAKT_OK); }

static void wait_while_nobody_runs(void *argument) {
    (void)argument;
    takt_posix_interrupt_announce(ONCE, UINT64_C(1) << 40);
    CHECK(takt_semaphore_take(&waking) == TAKT_OK);
    CHECK(takt_kernel_now() == UINT64_C(1) << 40);
    (void)takt_semaphore_take(&waking);
}

void takt_posix_stalled(void) {
    if (takt_kernel_now() == UINT64_C(1) << 40) {
        takt_posix_exit(77);
    }
}

/* And then there is nothing to wait for. */
static void waiting_ends_at_the_announced_instant(void) {
    takt_posix_interrupt_enable(ONCE, give);
    CHECK(takt_semaphore_init(&waking, 0) == TAKT_OK);
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_thread(wait_while_nobody_runs, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- random systems --------------------------------------------------------------------------------------- */

enum {
    HORIZON = 400,
    RECORD_LIMIT = 1 << 14,
    SEGMENT_LIMIT = HORIZON,
    TASK_LIMIT = 8,
    SERVER_LIMIT = 3,
    SYSTEMS = 150,
    IDLE_TASK = TASK_LIMIT + SERVER_LIMIT,
};

typedef struct segment {
    takt_instant_t start, end;
    uint32_t task; /* as the simulator numbers them: after the tasks, servers that idle */
    uint32_t job;
} segment_t;

typedef struct run {
    takt_record_t records[RECORD_LIMIT];
    uint32_t record_count;
} run_t;

static takt_task_spec_t tasks[TASK_LIMIT];
static takt_server_spec_t servers[SERVER_LIMIT];
static const takt_thread_spec_t idle = {.level = TAKT_KERNEL_IDLE_LEVEL};
static takt_system_spec_t spec;
static run_t *run; /* shared with the child */

/* A kind that wants deadlines stands under edf only; one that keeps returns wants memory for them. */
static const takt_server_kind_t *draw_kind(void) {
    const takt_server_kind_t *kind = takt_server_kinds[check_below(takt_server_kind_count)];
    const bool fits = !kind->has_returns && (!kind->wants_deadline || spec.policy == &takt_policy_edf);
    return fits ? kind : draw_kind();
}

static takt_server_spec_t draw_server(void) {
    const takt_duration_t period = 2 + check_below(30);
    return (takt_server_spec_t){
        .kind = draw_kind(),
        .policy = random_policy(),
        .period = period,
        .capacity = 1 + check_below(period),
        .offset = check_below(20),
        .level = 1 + (uint32_t)check_below(RANDOM_LEVELS),
        .parent = TAKT_ROOT,
        .levels = TAKT_KERNEL_IDLE_LEVEL,
        .order_rows = TAKT_KERNEL_ORDER_ROWS,
        .time_rows = TAKT_KERNEL_TIME_ROWS,
    };
}

static void draw_system(void) {
    spec = (takt_system_spec_t){
        .policy = random_policy(),
        .levels = TAKT_KERNEL_IDLE_LEVEL,
        .order_rows = TAKT_KERNEL_ORDER_ROWS,
        .time_rows = TAKT_KERNEL_TIME_ROWS,
        .servers = servers,
        .server_count = (uint32_t)check_below(1 + SERVER_LIMIT),
        .tasks = tasks,
        .task_count = 1 + (uint32_t)check_below(TASK_LIMIT),
    };
    for (uint32_t index = 0; index < spec.server_count; index++) {
        servers[index] = draw_server();
    }
    for (uint32_t index = 0; index < spec.task_count; index++) {
        tasks[index] = random_task(spec.server_count);
    }
}

/* ---- the system on the kernel -------------------------------------------------------------------------------- */

static takt_thread_server_t kernel_servers[SERVER_LIMIT];
static takt_periodic_thread_t kernel_threads[TASK_LIMIT];
static uint64_t kernel_stacks[TASK_LIMIT][STACK_BYTES / sizeof(uint64_t)];

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    if (record->now >= HORIZON) {
        takt_posix_exit(0);
    }
    CHECK(run->record_count < RECORD_LIMIT);
    run->records[run->record_count++] = *record;
}

static void execute_jobs(void *argument) {
    const takt_task_spec_t *task = argument;
    for (;;) {
        takt_port_work(task->demand);
        (void)takt_wait_next_period();
    }
}

static uint32_t priority_of(uint32_t level) { return TAKT_PRIORITIES - level; }

static void create_server(uint32_t index) {
    const takt_server_spec_t *of = &servers[index];
    const takt_thread_server_parameters_t parameters = {
        .kind = of->kind,
        .policy = of->policy,
        .period = of->period,
        .budget = of->capacity,
        .offset = of->offset,
        .priority = priority_of(of->level),
    };
    CHECK(takt_thread_server_create(&kernel_servers[index], &parameters) == TAKT_OK);
}

static void create_task(uint32_t index) {
    takt_task_spec_t *of = &tasks[index];
    const takt_job_parameters_t parameters = {
        .thread = {.entry = execute_jobs,
                   .argument = of,
                   .stack = kernel_stacks[index],
                   .stack_bytes = sizeof kernel_stacks[index],
                   .priority = priority_of(of->level),
                   .server = of->server == TAKT_ROOT ? NULL : &kernel_servers[of->server]},
        .period = of->period,
        .relative_deadline = of->relative_deadline,
        .offset = of->offset,
        .wcet = of->wcet,
        .is_limited = of->is_limited,
        .preemption_key = of->preemption_key,
        .task_class = of->task_class,
    };
    CHECK(takt_periodic_thread_create(&kernel_threads[index], &parameters) == TAKT_OK);
}

static void execute_on_the_kernel(void) {
    static takt_trace_t trace = {.record = keep_record};
    CHECK(takt_kernel_init(spec.policy) == TAKT_OK);
    CHECK(takt_kernel_trace_to(&trace) == TAKT_OK);
    for (uint32_t index = 0; index < spec.server_count; index++) {
        create_server(index);
    }
    for (uint32_t index = 0; index < spec.task_count; index++) {
        create_task(index);
    }
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- segments of both ------------------------------------------------------------------------------------------ */

typedef struct segments {
    segment_t of[SEGMENT_LIMIT];
    uint32_t count;
} segments_t;

static segments_t simulated, executed;

static void append(segments_t *segments, const segment_t *segment) {
    segment_t *last = segments->count == 0 ? NULL : &segments->of[segments->count - 1];
    if (segment->end == segment->start || segment->task == IDLE_TASK) {
        return;
    }
    if (last != NULL && last->end == segment->start && last->task == segment->task &&
        last->job == segment->job) {
        last->end = segment->end;
        return;
    }
    CHECK(segments->count < SEGMENT_LIMIT);
    segments->of[segments->count++] = *segment;
}

static void see_segment(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                        uint32_t job) {
    (void)cpu;
    append(context, &(segment_t){start, end, task, job});
}

static void simulate(void) {
    takt_sim_t sim;
    const takt_sim_sinks_t sinks = {.context = &simulated, .segment = see_segment};
    simulated.count = 0;
    CHECK(takt_sim_create(&sim, &spec, NULL));
    takt_sim_run(&sim, HORIZON, &sinks, NULL);
    takt_sim_destroy(&sim);
}

/* Of an entity of the kernel: the root 0, servers, tasks, the idle thread. */
static uint32_t task_of(uint32_t entity) {
    const uint32_t first_task = 1 + spec.server_count;
    if (entity < first_task) {
        return spec.task_count + entity - 1;
    }
    return entity - first_task < spec.task_count ? entity - first_task : IDLE_TASK;
}

static void see_decisions(void) {
    segment_t current = {.task = IDLE_TASK};
    executed.count = 0;
    for (uint32_t index = 0; index < run->record_count; index++) {
        const takt_record_t *record = &run->records[index];
        if (record->kind == TAKT_RECORD_DECISION) {
            current.end = record->now;
            append(&executed, &current);
            current = (segment_t){record->now, record->now, task_of(record->entity), record->job};
        }
    }
    current.end = HORIZON;
    append(&executed, &current);
}

static void expect_equal_segments(void) {
    CHECK(executed.count == simulated.count);
    for (uint32_t index = 0; index < executed.count; index++) {
        const segment_t *one = &executed.of[index], *other = &simulated.of[index];
        CHECK(one->start == other->start && one->end == other->end);
        CHECK(one->task == other->task && one->job == other->job);
    }
}

static void expect_identical_replay(void) {
    takt_system_t system;
    takt_system_spec_t with_idle = spec;
    with_idle.threads = &idle;
    with_idle.thread_count = 1;
    CHECK(takt_system_create(&system, &with_idle));
    const takt_replay_result_t result = takt_replay(&system, run->records, run->record_count);
    takt_system_destroy(&system);
    CHECK(result.verdict == TAKT_REPLAY_IDENTICAL && result.decisions > 0);
}

static void the_kernel_does_what_the_simulator_does(void) {
    draw_system();
    run->record_count = 0;
    run_until_exit(execute_on_the_kernel, 0);
    simulate();
    see_decisions();
    expect_equal_segments();
    expect_identical_replay();
}

static void runs_repeat_byte_for_byte(void) {
    static run_t first;
    draw_system();
    run->record_count = 0;
    run_until_exit(execute_on_the_kernel, 0);
    first = *run;
    memset(run, 0, sizeof *run);
    run_until_exit(execute_on_the_kernel, 0);
    CHECK(first.record_count == run->record_count && first.record_count > 0);
    CHECK(memcmp(first.records, run->records, first.record_count * sizeof *first.records) == 0);
}

static void share_the_records(void) {
    run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(run != MAP_FAILED);
}

int main(void) {
    share_the_records();
    run_until_exit(periods_are_exact_beyond_32_bits, 0);
    run_until_exit(loads_are_displaced_and_end_before_what_is_due, 0);
    run_until_exit(interrupts_come_at_the_announced_instants, 0);
    run_until_exit(waiting_ends_at_the_announced_instant, 77);
    check_sequences(the_kernel_does_what_the_simulator_does, SYSTEMS);
    check_sequences(runs_repeat_byte_for_byte, SYSTEMS / 10);
    return check_report("test_posix_virtual");
}
