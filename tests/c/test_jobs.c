/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads that execute jobs of a system built elsewhere: jobs that the scheduler ends, points, suspensions, locks,
 * arrivals, and every misuse. On Linux in virtual time. */
#include "kernel/semaphore.h"
#include "posix_run.h"
#include "system/build.h"

enum { ENDED = 0, PLAIN = 1, EVENTS = 2, TASKS = 3, RING = 2, INTERRUPT = 0, LAST = 60 };

typedef struct worker {
    takt_job_thread_t job;
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static worker_t workers[TASKS];
static takt_system_t built;
static char memory[1 << 20] __attribute__((aligned(16)));
static takt_resource_spec_t resource_spec = {.protocol = TAKT_PROTOCOL_PIP, .server = TAKT_ROOT};
static takt_thread_spec_t idle_spec = {4, 0};

/* ENDED is aborted 4 after each release; EVENTS suspends, locks and does not let itself be displaced. */
static const takt_task_spec_t tasks[TASKS] = {
    [ENDED] = {.period = 10,
               .relative_deadline = 4,
               .level = 1,
               .server = TAKT_ROOT,
               .on_miss = TAKT_ON_MISS_ABORT},
    [PLAIN] = {.period = 20, .relative_deadline = 20, .level = 3, .server = TAKT_ROOT},
    [EVENTS] = {.relative_deadline = 50,
                .level = 2,
                .server = TAKT_ROOT,
                .is_external = true,
                .ring = RING,
                .suspends = true,
                .locks = true,
                .is_limited = true},
};

static void build(const takt_system_spec_t *spec) {
    takt_kernel_places_t places;
    CHECK(takt_kernel_borrow(NULL) == TAKT_ERROR_NULL);
    CHECK(takt_kernel_borrow(&places) == TAKT_OK);
    built.dispatcher = places.dispatcher;
    built.cpus = places.cpu;
    built.threads = places.idle;
    built.entities = &workers[0].job.thread.plain.entity;
    built.stride = sizeof *workers;
    CHECK(takt_system_size(&built, spec) <= sizeof memory);
    takt_system_build(&built, spec, memory);
}

static void attach(uint32_t task, void (*entry)(void *argument)) {
    takt_thread_parameters_t parameters = {
        .entry = entry, .stack = workers[task].stack, .stack_bytes = sizeof workers[task].stack};
    CHECK(takt_job_thread_attach(NULL, &parameters) == TAKT_ERROR_NULL);
    CHECK(takt_job_thread_attach(&workers[task].job, NULL) == TAKT_ERROR_NULL);
    parameters.stack_bytes = 8;
    CHECK(takt_job_thread_attach(&workers[task].job, &parameters) == TAKT_ERROR_STACK);
    parameters.stack_bytes = sizeof workers[task].stack;
    CHECK(takt_job_thread_attach(&workers[task].job, &parameters) == TAKT_OK);
}

/* ---- what jobs do ----------------------------------------------------------------------------------- */

static uint32_t begun;

static takt_semaphore_t nothing;

/* Every job is ended at its deadline, also one that waits for itself only; so it does not wait for others. */
static void never_end(void *argument) {
    (void)argument;
    CHECK(takt_kernel_now() / 10 == begun);
    CHECK(takt_semaphore_take(&nothing) == TAKT_ERROR_WAITS && takt_thread_delay(1) == TAKT_ERROR_WAITS);
    begun++;
    CHECK(takt_job_settle() == TAKT_OK);
    takt_port_work(1000);
    CHECK(false);
}

static void do_little(void *argument) {
    (void)argument;
    for (;;) {
        CHECK(takt_job_lock(built.resources) == TAKT_ERROR_EXTENSION);
        CHECK(takt_job_unlock(built.resources) == TAKT_ERROR_EXTENSION);
        CHECK(takt_job_suspend(1) == TAKT_ERROR_EXTENSION);
        CHECK(takt_job_point() == TAKT_OK && takt_job_optional_point() == TAKT_OK);
        CHECK(takt_job_arrive_from_isr(&workers[EVENTS].job, 0) == TAKT_ERROR_NOT_IN_ISR);
        CHECK(takt_job_change_from_isr(NULL, 0) == TAKT_ERROR_NOT_IN_ISR);
        takt_port_work(1);
        (void)takt_wait_next_period();
    }
}

static uint32_t served;

static void share(void) {
    takt_resource_t *resource = built.resources;
    CHECK(takt_job_lock(NULL) == TAKT_ERROR_NULL && takt_job_unlock(NULL) == TAKT_ERROR_NULL);
    CHECK(takt_job_unlock(resource) == TAKT_ERROR_RESOURCE);
    CHECK(takt_job_unlock_first(resource) == TAKT_ERROR_RESOURCE);
    CHECK(takt_job_lock(resource) == TAKT_OK);
    CHECK(takt_job_lock(resource) == TAKT_ERROR_RESOURCE);
    CHECK(takt_job_unlock_first(resource) == TAKT_OK);
    CHECK(takt_job_lock(resource) == TAKT_OK && takt_job_unlock(resource) == TAKT_OK);
}

/* Arrives twice at 5, while ENDED is away until 10. */
static void serve(void *argument) {
    (void)argument;
    for (;;) {
        const takt_instant_t start = takt_kernel_now();
        share();
        takt_port_work(6);
        CHECK(takt_kernel_now() == start + 6); /* no job displaces it, though ENDED is released meanwhile */
        CHECK(takt_job_optional_point() == TAKT_OK);
        CHECK(takt_job_should_yield());
        CHECK(takt_job_point() == TAKT_OK); /* ENDED goes first, until it is ended */
        const takt_instant_t before = takt_kernel_now();
        CHECK(before % 10 == 4);
        CHECK(takt_job_suspend(2) == TAKT_OK);
        CHECK(takt_kernel_now() == before + 2);
        served++;
        (void)takt_wait_next_period();
    }
}

/* ---- from outside ----------------------------------------------------------------------------------- */

static void end(void) {
    CHECK(begun == LAST / 10 && served == 2);
    takt_posix_exit(0);
}

static void misuse_in_interrupt(void) {
    CHECK(takt_job_point() == TAKT_ERROR_IN_ISR && takt_job_settle() == TAKT_ERROR_IN_ISR);
    CHECK(takt_job_suspend(1) == TAKT_ERROR_IN_ISR && takt_wait_next_period() == TAKT_ERROR_IN_ISR);
    CHECK(takt_job_lock(built.resources) == TAKT_ERROR_IN_ISR);
    CHECK(takt_job_arrive_from_isr(NULL, 0) == TAKT_ERROR_NULL);
    CHECK(takt_job_arrive_from_isr(&workers[PLAIN].job, 0) == TAKT_ERROR_ARRIVALS);
}

/* The ring is full of what has arrived and not begun. */
static void arrive(void) {
    const takt_instant_t now = takt_kernel_now();
    if (now >= LAST - 1) {
        end();
    }
    misuse_in_interrupt();
    CHECK(takt_job_arrive_from_isr(&workers[EVENTS].job, now) == TAKT_OK);
    CHECK(takt_job_arrive_from_isr(&workers[EVENTS].job, now) == TAKT_OK);
    CHECK(takt_job_arrive_from_isr(&workers[EVENTS].job, now) == TAKT_ERROR_ARRIVALS);
    takt_posix_interrupt_announce(INTERRUPT, LAST - 1);
}

static void run_jobs(void) {
    build(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                .levels = 4,
                                .tasks = tasks,
                                .task_count = TASKS,
                                .threads = &idle_spec,
                                .thread_count = 1,
                                .resources = &resource_spec,
                                .resource_count = 1});
    CHECK(takt_semaphore_init(&nothing, 0) == TAKT_OK);
    CHECK(takt_job_thread_attach(&workers[0].job, &(takt_thread_parameters_t){.entry = never_end,
                                                                              .stack = workers[0].stack,
                                                                              .stack_bytes = STACK_BYTES}) ==
          TAKT_ERROR_NOT_INITIALISED);
    CHECK(takt_kernel_adopt() == TAKT_OK && takt_kernel_adopt() == TAKT_ERROR_STARTED);
    attach(ENDED, never_end);
    attach(PLAIN, do_little);
    attach(EVENTS, serve);
    CHECK(takt_job_point() == TAKT_ERROR_NOT_STARTED);
    (void)takt_port_lock();
    takt_posix_interrupt_enable(INTERRUPT, arrive);
    takt_posix_interrupt_announce(INTERRUPT, 5);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- changes before the start ------------------------------------------------------------------------ */

static void count_job(void *argument) {
    (void)argument;
    for (;;) {
        begun++;
        takt_port_work(1);
        (void)takt_wait_next_period();
    }
}

static void end_changed(void) {
    CHECK(begun == 3);
    takt_posix_exit(0);
}

/* The first change makes the idle thread ready, which the second one finds so. */
static void run_changed_twice(void) {
    static const takt_change_spec_t changes[] = {{.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_rm},
                                                 {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_edf}};
    build(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                .levels = 4,
                                .tasks = &tasks[PLAIN],
                                .task_count = 1,
                                .threads = &idle_spec,
                                .thread_count = 1,
                                .changes = changes,
                                .change_count = 2});
    CHECK(takt_kernel_adopt() == TAKT_OK);
    attach(0, count_job);
    CHECK(takt_job_change_from_isr(NULL, 0) == TAKT_OK && takt_job_change_from_isr(NULL, 1) == TAKT_OK);
    CHECK(built.dispatcher->root.ready.keys.count == 0 &&
          !takt_ready_is_empty(&built.dispatcher->root.ready));
    (void)takt_port_lock();
    takt_posix_interrupt_enable(INTERRUPT, end_changed);
    takt_posix_interrupt_announce(INTERRUPT, 45);
    CHECK(takt_kernel_start() == TAKT_OK);
}

int main(void) {
    run_until_exit(run_jobs, 0);
    run_until_exit(run_changed_twice, 0);
    return check_report("test_jobs");
}
