/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The sinks of the trace: statistics, to the tick, of programs in virtual time, and the ring of the last records against a
 * plain list. */
#include "kernel/job.h"
#include "kernel/ring.h"
#include "kernel/state.h"
#include "kernel/statistics.h"
#include "posix_run.h"

enum { ENTITIES = 8, RING_LENGTH = 8, SEQUENCES = 300, OPERATIONS = 200 };

static takt_statistics_t statistics;
static takt_execution_t executions[ENTITIES];
static takt_trace_ring_t ring;
static takt_record_t records[RING_LENGTH];

/* ---- programs ---------------------------------------------------------------------------------------- */

/* Whichever runs, `load` ticks of every job. */
static void work(void *argument) {
    for (;;) {
        takt_port_work(*(const takt_duration_t *)argument);
        (void)takt_wait_next_period();
    }
}

static takt_periodic_thread_t workers[2];
static uint64_t worker_stacks[2][STACK_BYTES / sizeof(uint64_t)];
static takt_duration_t loads[2] = {3, 9};

static void make_worker(uint32_t index, takt_duration_t period, uint32_t priority) {
    const takt_job_parameters_t parameters = {
        .thread = {.entry = work,
                   .argument = &loads[index],
                   .stack = worker_stacks[index],
                   .stack_bytes = STACK_BYTES,
                   .priority = priority},
        .period = period,
        .relative_deadline = period,
    };
    CHECK(takt_periodic_thread_create(&workers[index], &parameters) == TAKT_OK);
}

static void count_with(uint32_t count) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    CHECK(takt_statistics_init(&statistics, executions, count, NULL) == TAKT_OK);
    CHECK(takt_kernel_trace_to(&statistics.trace) == TAKT_OK);
}

static void check_execution(const takt_thread_t *thread, takt_duration_t executed, takt_duration_t longest,
                            uint32_t chosen, uint32_t completed) {
    takt_execution_t execution;
    CHECK(takt_statistics_read(&statistics, thread, &execution) == TAKT_OK);
    CHECK(execution.executed == executed && execution.longest == longest);
    CHECK(execution.chosen == chosen && execution.completed == completed);
}

/* ---- statistics --------------------------------------------------------------------------------------- */

/* Jobs of 3 every 10 before jobs of 9 every 20: the latter execute from 3 to 10, from 13 to 15, and so again. */
static void read_at_40(void *argument) {
    (void)argument;
    CHECK(takt_thread_delay(40) == TAKT_OK);
    check_execution(&workers[0].job.thread, 12, 3, 4, 4);
    check_execution(&workers[1].job.thread, 18, 7, 4, 2);
    check_execution(NULL, 10, 5, 2, 0);
    check_execution(takt_kernel_running(), 0, 0, 2, 0);
    takt_port_work(2);
    check_execution(takt_kernel_running(), 2, 2, 2, 0);
    check_execution(&workers[0].job.thread, 12, 3, 4, 4);
    takt_posix_exit(0);
}

static void two_workers(void) {
    count_with(ENTITIES);
    make_worker(0, 10, 2);
    make_worker(1, 20, 1);
    make_thread(read_at_40, NULL, 29);
    (void)takt_kernel_start();
}

/* A job that ends when the next one is released continues: no other executes in between. */
static void read_at_35(void *argument) {
    (void)argument;
    CHECK(takt_thread_delay(35) == TAKT_OK);
    check_execution(&workers[0].job.thread, 35, 35, 1, 3);
    takt_posix_exit(0);
}

static void one_worker_without_a_pause(void) {
    loads[0] = 10;
    count_with(ENTITIES);
    make_worker(0, 10, 2);
    make_thread(read_at_35, NULL, 29);
    (void)takt_kernel_start();
}

/* ---- statistics of servers ---------------------------------------------------------------------------- */

static takt_thread_server_t server;

static void read_server_at_25(void *argument) {
    (void)argument;
    CHECK(takt_thread_delay(25) == TAKT_OK);
    takt_execution_t execution;
    CHECK(takt_statistics_read_server(&statistics, &server, &execution) == TAKT_OK);
    CHECK(execution.executed == 12 && execution.longest == 4 && execution.chosen == 3);
    check_execution(NULL, 13, 6, 3, 0);
    takt_posix_exit(0);
}

static void an_idling_server(void) {
    const takt_thread_server_parameters_t parameters = {
        .kind = &takt_server_idling, .policy = &takt_policy_fp, .period = 10, .budget = 4, .priority = 5};
    count_with(ENTITIES);
    CHECK(takt_thread_server_create(&server, &parameters) == TAKT_OK);
    make_thread(read_server_at_25, NULL, 29);
    (void)takt_kernel_start();
}

/* ---- statistics: entities that are not counted, and misuse --------------------------------------------------------- */

static void read_the_uncounted(void *argument) {
    (void)argument;
    takt_execution_t execution;
    CHECK(takt_thread_delay(40) == TAKT_OK);
    check_execution(&workers[0].job.thread, 12, 3, 4, 4);
    CHECK(takt_statistics_read(&statistics, &workers[1].job.thread, &execution) == TAKT_ERROR_LENGTH);
    CHECK(takt_statistics_read(&statistics, NULL, &execution) == TAKT_ERROR_LENGTH);
    CHECK(executions[2].chosen == 0);
    takt_posix_exit(0);
}

static void more_workers_than_are_counted(void) {
    count_with(2);
    make_worker(0, 10, 2);
    make_worker(1, 20, 1);
    make_thread(read_the_uncounted, NULL, 29);
    (void)takt_kernel_start();
}

static void time_before_the_first_decision_is_nobodys(void) {
    static takt_statistics_t counting;
    static takt_execution_t counted[2];
    const takt_record_t decision = {.now = 100, .entity = 1, .kind = TAKT_RECORD_DECISION};
    CHECK(takt_statistics_init(&counting, counted, 2, NULL) == TAKT_OK);
    counting.trace.record(&counting.trace, &decision);
    CHECK(counted[0].executed == 0 && counted[1].executed == 0 && counted[1].chosen == 1);
}

static void where_nobody_may_run_the_idle_thread_does(void) {
    static takt_statistics_t counting;
    static takt_execution_t counted[2];
    takt_record_t decision = {.now = 100, .entity = TAKT_NO_ENTITY, .kind = TAKT_RECORD_DECISION};
    takt_kernel.idle.plain.entity.tie = 1;
    CHECK(takt_statistics_init(&counting, counted, 2, NULL) == TAKT_OK);
    counting.trace.record(&counting.trace, &decision);
    decision.now = 107;
    decision.entity = 0;
    counting.trace.record(&counting.trace, &decision);
    CHECK(counted[1].executed == 7 && counted[1].chosen == 1 && counted[0].chosen == 1);
    takt_kernel.idle.plain.entity.tie = 0;
}

static void statistics_refuse_misuse(void) {
    takt_execution_t execution;
    static takt_thread_t never_created;
    CHECK(takt_statistics_init(NULL, executions, 1, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_init(&statistics, NULL, 1, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_init(&statistics, executions, 0, NULL) == TAKT_ERROR_LENGTH);
    CHECK(takt_statistics_init(&statistics, executions, ENTITIES, NULL) == TAKT_OK);
    CHECK(takt_statistics_read(NULL, &never_created, &execution) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_read(&statistics, &never_created, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_read(&statistics, &never_created, &execution) == TAKT_ERROR_OBJECT);
    CHECK(takt_statistics_read(&statistics, NULL, &execution) == TAKT_ERROR_OBJECT);
    CHECK(takt_statistics_read_server(NULL, &server, &execution) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_read_server(&statistics, NULL, &execution) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_read_server(&statistics, &server, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_statistics_read_server(&statistics, &server, &execution) == TAKT_ERROR_OBJECT);
}

/* ---- the ring ----------------------------------------------------------------------------------------- */

static uint32_t written, taken;

static void write_one(takt_trace_t *trace) {
    const takt_record_t record = {.now = written, .value = 7, .entity = 3, .kind = TAKT_RECORD_YIELD};
    trace->record(trace, &record);
    written++;
}

static void take_one(void) {
    takt_record_t record;
    if (written == taken) {
        CHECK(takt_trace_ring_take(&ring, &record) == TAKT_TIMEOUT);
        return;
    }
    CHECK(takt_trace_ring_take(&ring, &record) == TAKT_OK);
    CHECK(record.now == taken && record.value == 7 && record.entity == 3 && record.kind == TAKT_RECORD_YIELD);
    taken++;
}

/* Also where the counts of the ring overflow. */
static void the_ring_keeps_the_last_records(void) {
    const uint32_t length = 1u << check_below(4);
    uint32_t lost = 0;
    written = 0;
    taken = 0;
    CHECK(takt_trace_ring_init(&ring, records, length) == TAKT_OK);
    ring.written -= OPERATIONS / 4;
    ring.taken -= OPERATIONS / 4;
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        if (check_below(2) == 0) {
            take_one();
            continue;
        }
        write_one(&ring.trace);
        const uint32_t too_many = written - taken > length;
        taken += too_many;
        lost += too_many;
        CHECK(takt_trace_ring_lost(&ring) == lost);
    }
}

/* The closing record counts what was taken, what is there and what was lost. Of a ring that lost records it says so. */
static void the_end_of_a_ring_counts_all_that_came(void) {
    takt_record_t end;
    CHECK(takt_trace_ring_init(&ring, records, RING_LENGTH) == TAKT_OK);
    written = 0;
    taken = 0;
    for (uint32_t count = 0; count <= 3 * RING_LENGTH; count++) {
        CHECK(takt_trace_ring_end(&ring, 9, &end) == TAKT_OK);
        const bool is_whole = count <= RING_LENGTH + (count > 1);
        CHECK(end.kind == (is_whole ? TAKT_RECORD_END : TAKT_RECORD_OVERFLOW));
        CHECK(end.value == count && end.now == 9);
        CHECK(end.entity == TAKT_NO_ENTITY && end.sequence == 0 && end.cpu == 0 && end.reserved == 0 &&
              end.job == 0);
        write_one(&ring.trace);
        if (count == 1) {
            take_one();
        }
    }
    CHECK(takt_trace_ring_lost(&ring) == 3 * RING_LENGTH + 1 - RING_LENGTH - 1);
    ring.written = UINT64_C(1) << 32;
    CHECK(takt_trace_ring_end(&ring, 9, &end) == TAKT_OK);
    CHECK(end.value == UINT64_C(1) << 32);
}

static void statistics_hand_every_record_on(void) {
    static takt_statistics_t forwarding;
    CHECK(takt_trace_ring_init(&ring, records, RING_LENGTH) == TAKT_OK);
    CHECK(takt_statistics_init(&forwarding, executions, ENTITIES, &ring.trace) == TAKT_OK);
    written = 0;
    taken = 0;
    write_one(&forwarding.trace);
    write_one(&forwarding.trace);
    take_one();
    take_one();
    take_one();
}

static void the_ring_refuses_misuse(void) {
    static takt_trace_ring_t never_initialised;
    takt_record_t record;
    CHECK(takt_trace_ring_init(NULL, records, 8) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_init(&ring, NULL, 8) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_init(&ring, records, 0) == TAKT_ERROR_LENGTH);
    CHECK(takt_trace_ring_init(&ring, records, 6) == TAKT_ERROR_LENGTH);
    CHECK(takt_trace_ring_take(NULL, &record) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_take(&ring, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_take(&never_initialised, &record) == TAKT_ERROR_OBJECT);
    CHECK(takt_trace_ring_lost(NULL) == 0);
    CHECK(takt_trace_ring_end(NULL, 0, &record) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_end(&ring, 0, NULL) == TAKT_ERROR_NULL);
    CHECK(takt_trace_ring_end(&never_initialised, 0, &record) == TAKT_ERROR_OBJECT);
}

int main(void) {
    run_until_exit(two_workers, 0);
    run_until_exit(one_worker_without_a_pause, 0);
    run_until_exit(an_idling_server, 0);
    run_until_exit(more_workers_than_are_counted, 0);
    time_before_the_first_decision_is_nobodys();
    where_nobody_may_run_the_idle_thread_does();
    statistics_refuse_misuse();
    the_ring_refuses_misuse();
    the_end_of_a_ring_counts_all_that_came();
    check_sequences(the_ring_keeps_the_last_records, SEQUENCES);
    statistics_hand_every_record_on();
    return check_report("test_sinks");
}
