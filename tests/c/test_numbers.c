/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Numbers of threads come back: thousands of threads in fresh memory, created and deleted in random order with random
 * priorities while the kernel runs, stay within its geometry, and the trace of all of it replays identically. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */

#include <string.h>
#include <sys/mman.h>

#include "posix_run.h"
#include "kernel/numbers.h"
#include "kernel/semaphore.h"
#include "kernel/statistics.h"
#include "sim/replay.h"
#include "sim/system.h"

/* ---- the set -------------------------------------------------------------------------------------- */

static void the_set_gives_the_least_number(void) {
    takt_numbers_t numbers = {{0}};
    bool is_there[TAKT_KERNEL_ENTITY_LIMIT] = {false};
    uint32_t count = 0;
    for (uint32_t round = 0; round < 10000; round++) {
        const uint32_t number = (uint32_t)check_below(TAKT_KERNEL_ENTITY_LIMIT);
        CHECK(takt_numbers_is_empty(&numbers) == (count == 0));
        if (!is_there[number]) {
            takt_numbers_give(&numbers, number);
            is_there[number] = true;
            count++;
        } else {
            const uint32_t least = takt_numbers_take(&numbers);
            CHECK(is_there[least]);
            for (uint32_t below = 0; below < least; below++) {
                CHECK(!is_there[below]);
            }
            is_there[least] = false;
            count--;
        }
    }
}

/* ---- threads ---------------------------------------------------------------------------------------- */

enum { LIVING = 20, CYCLES = 3000, RECORDS = 1 << 17, KINDS = 4, PARENT_PRIORITY = 10 };

typedef struct run {
    uint32_t record_count;
    uint32_t most; /* number of a thread */
    takt_record_t records[RECORDS];
} run_t;

static run_t *run;
static takt_statistics_t statistics;
static takt_execution_t executions[TAKT_KERNEL_ENTITY_LIMIT];
static takt_thread_t blocks[CYCLES]; /* fresh memory for each */
static uint64_t stacks_of_living[LIVING][TAKT_STACK_BYTES_MIN / sizeof(uint64_t)];
static takt_thread_t *living[LIVING];
static takt_semaphore_t nothing;

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(run->record_count < RECORDS);
    run->records[run->record_count++] = *record;
}

static takt_trace_t trace = {.record = keep};

static void return_at_once(void *argument) {
    takt_execution_t execution;
    CHECK(takt_statistics_read(&statistics, takt_kernel_running(), &execution) == TAKT_OK);
    CHECK(execution.executed == 0 && execution.chosen == 1); /* nothing of the previous owner of the number */
    takt_port_work(1);
    (void)argument;
}

static void delete_itself(void *argument) {
    return_at_once(argument);
    (void)takt_thread_delete(takt_kernel_running());
}

static void wait_for_ever(void *argument) {
    return_at_once(argument);
    (void)takt_semaphore_take(&nothing);
}

static void sleep_and_return(void *argument) {
    return_at_once(argument);
    (void)takt_thread_delay(5);
}

static void create(uint32_t cycle, uint32_t place) {
    typedef void (*entry_t)(void *argument);
    static const entry_t entries[KINDS] = {return_at_once, delete_itself, wait_for_ever, sleep_and_return};
    takt_thread_t *thread = &blocks[cycle];
    const takt_thread_parameters_t parameters = {.entry = entries[check_below(KINDS)],
                                                 .stack = stacks_of_living[place],
                                                 .stack_bytes = TAKT_STACK_BYTES_MIN,
                                                 .priority = (uint32_t)check_below(2 * PARENT_PRIORITY)};
    CHECK(takt_thread_create(thread, &parameters) == TAKT_OK);
    living[place] = thread;
    const uint32_t number = takt_entity_number(&thread->plain.entity);
    run->most = number > run->most ? number : run->most;
}

static void create_and_delete(void *argument) {
    (void)argument;
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint32_t place = (uint32_t)check_below(LIVING);
        if (living[place] != NULL) {
            (void)takt_thread_delete(living[place]); /* ERROR_OBJECT: it has ended by itself */
        }
        create(cycle, place);
        CHECK(takt_thread_delay(check_below(3)) == TAKT_OK);
    }
    takt_posix_exit(0);
}

static void cycle(const takt_policy_t *policy) {
    CHECK(takt_kernel_init(policy) == TAKT_OK);
    CHECK(takt_statistics_init(&statistics, executions, TAKT_KERNEL_ENTITY_LIMIT, &trace) == TAKT_OK);
    CHECK(takt_kernel_trace_to(&statistics.trace) == TAKT_OK);
    CHECK(takt_semaphore_init(&nothing, 0) == TAKT_OK);
    make_thread(create_and_delete, NULL, PARENT_PRIORITY);
    CHECK(takt_kernel_start() == TAKT_OK);
}

static void cycle_by_levels(void) { cycle(&takt_policy_fp); }
static void cycle_by_keys(void) { cycle(&takt_policy_edf); }

/* ---- replay ----------------------------------------------------------------------------------------- */

/* Of threads that come later the trace says the levels, so any does here. */
static takt_replay_verdict_t replay(const takt_policy_t *policy) {
    static takt_thread_spec_t threads[LIVING + 2];
    takt_system_t system;
    takt_system_spec_t spec = {.policy = policy, .levels = TAKT_KERNEL_LEVELS, .threads = threads};
    spec.thread_count = LIVING + 2;
    for (uint32_t thread = 0; thread < spec.thread_count; thread++) {
        threads[thread].level = TAKT_KERNEL_LEVELS - 2u;
    }
    threads[0].level = (uint32_t)takt_level_from_priority(PARENT_PRIORITY, TAKT_PRIORITIES);
    threads[1].level = TAKT_KERNEL_IDLE_LEVEL;
    CHECK(takt_system_create(&system, &spec));
    const takt_replay_result_t result = takt_replay(&system, run->records, run->record_count);
    takt_system_destroy(&system);
    CHECK(result.decisions > CYCLES);
    return result.verdict;
}

static uint32_t creations(void) {
    uint32_t count = 0;
    for (uint32_t record = 0; record < run->record_count; record++) {
        count += run->records[record].kind == TAKT_RECORD_CREATE && run->records[record].entity > 2;
    }
    return count;
}

static void numbers_come_back_and_traces_replay(void (*program)(void), const takt_policy_t *policy) {
    (void)memset(run, 0, sizeof *run);
    run_until_exit(program, 0);
    CHECK(run->most <= LIVING + 2 && creations() == CYCLES);
    CHECK(replay(policy) == TAKT_REPLAY_IDENTICAL);
}

int main(void) {
    run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(run != MAP_FAILED);
    the_set_gives_the_least_number();
    numbers_come_back_and_traces_replay(cycle_by_levels, &takt_policy_fp);
    numbers_come_back_and_traces_replay(cycle_by_keys, &takt_policy_edf);
    return 0;
}
