/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls beside those of operations.c, measured as there. The command line chooses:
 *   plain       notifications, delays until an instant, aborted waits
 *   turns       yield of threads with time slices
 *   locks       recursive mutexes, scheduler locks, condition variables
 *   deadlines   deadlines of plain threads, under edf
 *   sleep       from an interrupt while the processor idles until a thread runs */
#include "bench/kernel/program.h"
#include "kernel/condition.h"
#include "kernel/hooks.h"
#include "kernel/recursive.h"
#include "kernel/scheduler_lock.h"
#include "kernel/semaphore.h"
#include "kernel/sleep.h"
#include "kernel/slice.h"

enum { ROUNDS = 32, FAR = 1 << 29 /* ticks: no wait is as long */ };

typedef enum operation {
    NOTIFY_RUNS,
    NOTIFICATION_BLOCKS,
    DELAY_UNTIL,
    ABORT_RUNS,
    SLICED_YIELD,
    RECURSIVE_LOCK,
    RECURSIVE_LOCK_AGAIN,
    RECURSIVE_UNLOCK,
    SCHEDULER_LOCK,
    SCHEDULER_UNLOCK,
    CONDITION_BLOCKS,
    CONDITION_RUNS,
    SET_OWN_DEADLINE,
    SET_DEADLINE,
    IDLE_RUNS,
    SLEEP_RUNS,
    STOPPED_RUNS,
    OPERATIONS
} operation_t;

static const char *const names[OPERATIONS] = {
    [NOTIFY_RUNS] = "notify_runs",
    [NOTIFICATION_BLOCKS] = "notification_blocks",
    [DELAY_UNTIL] = "delay_until",
    [ABORT_RUNS] = "abort_runs",
    [SLICED_YIELD] = "sliced_yield",
    [RECURSIVE_LOCK] = "recursive_lock",
    [RECURSIVE_LOCK_AGAIN] = "recursive_lock_again",
    [RECURSIVE_UNLOCK] = "recursive_unlock",
    [SCHEDULER_LOCK] = "scheduler_lock",
    [SCHEDULER_UNLOCK] = "scheduler_unlock",
    [CONDITION_BLOCKS] = "condition_blocks",
    [CONDITION_RUNS] = "condition_runs",
    [SET_OWN_DEADLINE] = "set_own_deadline",
    [SET_DEADLINE] = "set_deadline",
    [IDLE_RUNS] = "idle_runs",
    [SLEEP_RUNS] = "sleep_runs",
    [STOPPED_RUNS] = "stopped_runs",
};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

enum { HIGH, CONTROLLER, OTHER };

static takt_semaphore_t semaphore;

static void finish(void) {
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        if (bench_samples[operation].most != 0) {
            print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
        }
    }
    takt_semihost_exit(0);
}

/* ---- plain threads ------------------------------------------------------------------------------------------ */

static void listen(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t bits = 0;
        BENCH_BEGIN();
        (void)takt_notification_take(&bits);
        BENCH_END(NOTIFY_RUNS);
    }
}

static void delay(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const takt_instant_t far = takt_kernel_now() + FAR;
        BENCH_BEGIN();
        (void)takt_thread_delay_until(far);
        BENCH_END(ABORT_RUNS);
    }
}

static void high_plain(void *argument) {
    (void)argument;
    listen();
    delay();
    (void)takt_semaphore_take(&semaphore);
}

static void measure_notify(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_notify(&bench_threads[HIGH], 1);
        BENCH_END(round + 1u < ROUNDS ? NOTIFICATION_BLOCKS : DELAY_UNTIL);
    }
}

static void measure_abort(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_abort_wait(&bench_threads[HIGH]);
        if (round + 1u < ROUNDS) {
            BENCH_END(DELAY_UNTIL);
        }
    }
}

static void control_plain(void *argument) {
    (void)argument;
    bench_start_word = *BENCH_COUNTER;
    measure_notify();
    measure_abort();
    finish();
}

/* ---- time slices --------------------------------------------------------------------------------------------- */

static takt_sliced_thread_t sliced[2];

/* Two by turns; the first one ends the program. */
static void yield(void *argument) {
    BENCH_MEASURING;
    for (uint32_t round = 0; argument == NULL || round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_yield();
        BENCH_END(SLICED_YIELD);
    }
    finish();
}

static void create_sliced(uint32_t index, void *argument) {
    const takt_thread_parameters_t parameters = {.entry = yield,
                                                 .argument = argument,
                                                 .stack = bench_stacks[index],
                                                 .stack_bytes = BENCH_STACK_BYTES,
                                                 .priority = 5};
    if (takt_sliced_thread_create(&sliced[index], &parameters, FAR) != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

/* ---- locks --------------------------------------------------------------------------------------------------- */

static takt_recursive_mutex_t recursive;
static takt_scheduler_lock_t scheduler;
static takt_condition_t condition;
static takt_mutex_t mutex;

static void high_locks(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    (void)takt_semaphore_take(&semaphore);
    (void)takt_mutex_lock(&mutex);
    for (;;) {
        BENCH_BEGIN();
        (void)takt_condition_wait(&condition, &mutex);
        BENCH_END(CONDITION_RUNS);
    }
}

static void measure_recursive(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_recursive_mutex_lock(&recursive);
        BENCH_END(RECURSIVE_LOCK);
        BENCH_BEGIN();
        (void)takt_recursive_mutex_lock(&recursive);
        BENCH_END(RECURSIVE_LOCK_AGAIN);
        (void)takt_recursive_mutex_unlock(&recursive);
        BENCH_BEGIN();
        (void)takt_recursive_mutex_unlock(&recursive);
        BENCH_END(RECURSIVE_UNLOCK);
    }
}

static void measure_scheduler(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_scheduler_lock(&scheduler);
        BENCH_END(SCHEDULER_LOCK);
        BENCH_BEGIN();
        (void)takt_scheduler_unlock(&scheduler);
        BENCH_END(SCHEDULER_UNLOCK);
    }
}

static void measure_condition(void) {
    BENCH_MEASURING;
    (void)takt_semaphore_give(&semaphore);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_condition_notify_one(&condition);
        BENCH_END(CONDITION_BLOCKS);
    }
}

static void control_locks(void *argument) {
    (void)argument;
    measure_recursive();
    measure_scheduler();
    measure_condition();
    finish();
}

static void begin_locks(void) {
    const takt_mutex_parameters_t pip = {.protocol = TAKT_PROTOCOL_PIP};
    (void)takt_mutex_init(&mutex, &pip);
    (void)takt_recursive_mutex_init(&recursive, &pip);
    (void)takt_scheduler_lock_init(&scheduler, NULL);
    (void)takt_condition_init(&condition);
}

/* ---- deadlines ----------------------------------------------------------------------------------------------- */

static void control_deadlines(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    takt_thread_t *const self = &bench_threads[CONTROLLER];
    takt_thread_t *const other = &bench_threads[OTHER];
    const takt_instant_t near = takt_kernel_now() + FAR;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_set_deadline(self, near + round);
        BENCH_END(SET_OWN_DEADLINE);
        BENCH_BEGIN();
        (void)takt_thread_set_deadline(other, near + FAR - round);
        BENCH_END(SET_DEADLINE);
    }
    finish();
}

/* Ready, and never chosen before the end. */
static void wait_in_vain(void *argument) { (void)argument; }

/* ---- sleep --------------------------------------------------------------------------------------------------- */

static operation_t measured = IDLE_RUNS;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) { (void)takt_semaphore_give_from_isr(&semaphore); }

/* The interrupt comes as the processor begins to wait. */
static takt_duration_t be_woken(takt_duration_t ticks) {
    (void)ticks;
    BENCH_MEASURING;
    BENCH_RAISING;
    BENCH_BEGIN();
    BENCH_RAISE();
    takt_port_sleep_wait();
    return measured == STOPPED_RUNS ? 1000u : 0u;
}

void takt_hook_idle(void) {
    if (measured == IDLE_RUNS) {
        BENCH_MEASURING;
        BENCH_RAISING;
        BENCH_BEGIN();
        BENCH_RAISE();
        BENCH_BARRIER();
    } else {
        (void)takt_kernel_sleep(be_woken);
    }
}

/* A skip of the clock moves the counter, too. */
static void await_interrupts(operation_t operation, uint32_t skipped) {
    BENCH_MEASURING;
    measured = operation;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_semaphore_take(&semaphore);
        const uint32_t now = *counter;
        bench_keep(&bench_samples[operation], bench_elapsed(*start, now) - skipped);
    }
}

static void control_sleep(void *argument) {
    (void)argument;
    bench_interrupt_enable();
    await_interrupts(IDLE_RUNS, 0);
    await_interrupts(SLEEP_RUNS, 0);
    await_interrupts(STOPPED_RUNS, BENCH_COUNTER_SKIPS ? 1000u : 0u);
    finish();
}

/* ---- main ---------------------------------------------------------------------------------------------------- */

int main(void) {
    bench_words_t words;
    bench_read_words(&words);
    const char choice = words.choice[0];
    (void)takt_kernel_init(choice == 'd' ? &takt_policy_edf : &takt_policy_fp);
    (void)takt_semaphore_init(&semaphore, 0);
    if (choice == 'p') {
        bench_create(HIGH, high_plain, 20);
        bench_create(CONTROLLER, control_plain, 5);
    } else if (choice == 't') {
        create_sliced(HIGH, (void *)&semaphore);
        create_sliced(CONTROLLER, NULL);
    } else if (choice == 'l') {
        begin_locks();
        bench_create(HIGH, high_locks, 20);
        bench_create(CONTROLLER, control_locks, 5);
    } else if (choice == 'd') {
        bench_create(HIGH, wait_in_vain, 20);
        bench_create(CONTROLLER, control_deadlines, 5);
        bench_create(OTHER, wait_in_vain, 5);
    } else {
        bench_create(CONTROLLER, control_sleep, 5);
    }
    bench_start();
    return 1;
}
