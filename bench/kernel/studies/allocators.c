/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a dispatcher, an allocator and a single module cost, after the measurements of Wang and Lin 1999: its eleven
 * tasks, one of 1 ms in 13 ms and ten of 1 ms in 20 ms.
 *
 * The command line chooses:
 *   fp            fixed priorities, with the policy's release in the pass: the single module
 *   rm            the same by computed keys
 *   suspend       rm with an allocator that enforces wcets
 *   dual          dual-priority, promoted halfway to the deadline
 *   imprecise     of each job half must be done
 * "pass" is everything from an event, or the end of a decision, to the next decision, but for the calls of the
 * allocator; "allocator" is one such call, from core to its return, whatever it calls itself. Its functions are put
 * around the real ones in a table of the same kind, so nothing is wrapped in core. With a number after the word,
 * "release" is the policy's, likewise; the pass then has the stamps in it. */
#include "bench/kernel/studies/phases.h"
#include "policy/window.h"

enum {
    TASKS = 11,
    MILLISECOND = 25000, /* ticks: about 3900 instructions */
    WORK_ROUNDS = 300,
    VALUES = 1000,
};

typedef struct worker {
    takt_job_thread_t job;
    takt_task_t task;
    takt_windowed_t windowed;
    uint64_t stack[BENCH_STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static worker_t workers[TASKS];
static phase_t allocator_call, release;
static uint32_t jobs_done;

static void phases_end(void) {
    phase_print("pass", &phases.pass);
    phase_print("post", &phases.post);
    phase_print("step", &phases.step);
    phase_print("allocator", &allocator_call);
    phase_print("release", &release);
    print_line("jobs", jobs_done, 0);
    takt_semihost_exit(0);
}

/* ---- the allocator, stamped ------------------------------------------------------------------------------ */

static const takt_allocator_t *real;
static uint32_t depth; /* an allocator may call itself through core; the outermost call counts */

/* The whole of `outer` is left out of the phase that core is in, the measurement itself included. */
#define STAMPED(call)                                               \
    do {                                                            \
        const uint32_t outer = *BENCH_COUNTER;                      \
        depth++;                                                    \
        const uint32_t begin = *BENCH_COUNTER;                      \
        call;                                                       \
        const uint32_t end = *BENCH_COUNTER;                        \
        depth--;                                                    \
        if (depth == 0) {                                           \
            phase_keep(&allocator_call, bench_elapsed(begin, end)); \
            phases_leave_out(bench_elapsed(outer, *BENCH_COUNTER)); \
        }                                                           \
    } while (0)

static void finish(takt_task_t *task, takt_instant_t instant) { STAMPED(real->finish(task, instant)); }
static void start(takt_task_t *task, takt_instant_t instant) { STAMPED(real->start(task, instant)); }
static void complete(takt_task_t *task, takt_instant_t now) { STAMPED(real->complete(task, now)); }
static void exhaust(takt_task_t *task, takt_instant_t now) { STAMPED(real->exhaust(task, now)); }
static void begin(takt_task_t *task, takt_instant_t now) { STAMPED(real->begin(task, now)); }

static takt_allocator_t stamped;

static void stamp_allocator(const takt_allocator_t *allocator) {
    real = allocator;
    stamped = *allocator;
    stamped.finish = allocator->finish != NULL ? finish : NULL;
    stamped.start = start;
    stamped.complete = complete;
    stamped.exhaust = exhaust;
    stamped.begin = begin;
}

/* ---- the policy, stamped --------------------------------------------------------------------------------- */

static takt_policy_t policy;
static void (*real_release)(takt_entity_t *entity, const takt_job_t *job);

static void release_stamped(takt_entity_t *entity, const takt_job_t *job) {
    const uint32_t begin_of_release = *BENCH_COUNTER;
    real_release(entity, job);
    const uint32_t end = *BENCH_COUNTER;
    phase_keep(&release, bench_elapsed(begin_of_release, end));
}

static void stamp_policy(const takt_policy_t *of) {
    policy = *of;
    real_release = of->release;
    policy.release = release_stamped;
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

static void work(void *argument) {
    (void)argument;
    for (;;) {
        for (volatile uint32_t round = 0; round < WORK_ROUNDS; round++) {
        }
        jobs_done++;
        (void)takt_wait_next_period();
    }
}

static void require(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

/* ---- set-up ---------------------------------------------------------------------------------------------- */

typedef struct paradigm {
    const takt_policy_t *policy;
    const takt_allocator_t *allocator; /* NULL: tasks release their jobs themselves */
    takt_duration_t part;
} paradigm_t;

static takt_duration_t period_of(uint32_t index) { return (index == 0 ? 13u : 20u) * MILLISECOND; }

static paradigm_t paradigm_of(char choice) {
    switch (choice) {
    case 'f':
        return (paradigm_t){.policy = &takt_policy_fp};
    case 'r':
        return (paradigm_t){.policy = &takt_policy_rm};
    case 's':
        return (paradigm_t){.policy = &takt_policy_rm, .allocator = &takt_allocator_suspend};
    case 'd':
        return (paradigm_t){&takt_policy_dual_priority, &takt_allocator_dual_priority, 5 * MILLISECOND};
    default:
        return (paradigm_t){&takt_policy_imprecise, &takt_allocator_imprecise, MILLISECOND / 2};
    }
}

static takt_allocation_t allocation;
static takt_calls_t calls = {.bulk = 1};

static void add_task(uint32_t index, const paradigm_t *paradigm, takt_dispatcher_t *dispatcher) {
    worker_t *worker = &workers[index];
    takt_entity_t *entity = &worker->job.thread.plain.entity;
    const takt_window_parameters_t windows = {.part = paradigm->part};
    takt_task_parameters_t parameters = {.period = period_of(index),
                                         .relative_deadline = period_of(index),
                                         .wcet = MILLISECOND,
                                         .level = index + 1u,
                                         .id = index + 1u};
    if (paradigm->allocator != NULL) {
        parameters.extension = &worker->windowed.extension;
        takt_windowed_add(&allocation, &calls, &worker->windowed, &worker->task, entity, &parameters,
                          &windows);
    } else {
        takt_dispatcher_add_task(&worker->task, entity, &dispatcher->root, &parameters);
    }
}

static void add_tasks(const paradigm_t *paradigm, takt_dispatcher_t *dispatcher) {
    if (paradigm->allocator != NULL) {
        stamp_allocator(paradigm->allocator);
        takt_allocation_init(&allocation, &stamped, dispatcher);
    }
    for (uint32_t index = 0; index < TASKS; index++) {
        add_task(index, paradigm, dispatcher);
    }
}

static takt_entity_t *heap[TAKT_KERNEL_HEAP_SLOTS];

static void build(const paradigm_t *paradigm) {
    takt_kernel_places_t places;
    require(takt_kernel_borrow(&places));
    takt_ready_t ready = takt_kernel_ready(&policy, takt_kernel.levels);
    takt_kernel_add_heap(&ready, heap);
    takt_dispatcher_init(places.dispatcher, &policy, &ready, takt_kernel_rows, TAKT_KERNEL_ORDER_ROWS,
                         TAKT_KERNEL_TIME_ROWS, places.cpu, 1);
    add_tasks(paradigm, places.dispatcher);
    takt_dispatcher_add_thread(places.idle, &places.dispatcher->root, TAKT_KERNEL_IDLE_LEVEL, TASKS + 1u);
    require(takt_kernel_adopt());
}

static void attach(uint32_t index) {
    const takt_thread_parameters_t parameters = {
        .entry = work, .stack = workers[index].stack, .stack_bytes = BENCH_STACK_BYTES};
    require(takt_job_thread_attach(&workers[index].job, &parameters));
    phases_measure(&workers[index].job.thread);
}

int main(void) {
    bench_words_t words;
    bench_read_words(&words);
    const paradigm_t paradigm = paradigm_of(*words.choice);
    phases.values = VALUES;
    policy = *paradigm.policy;
    if (words.number > 0) {
        stamp_policy(paradigm.policy);
    }
    build(&paradigm);
    for (uint32_t index = 0; index < TASKS; index++) {
        attach(index);
    }
    bench_start();
    return 0;
}
