/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A policy and an allocator of the program's own, on the kernel as it is: neither core nor the kernel is touched.
 *
 * The policy orders by remaining budget, the least first, equals by number. The allocator gives each thread a window
 * per period: a job begins with it, has the thread's share of the period as its budget, and is cut when that is used
 * up, so that its thread restarts with the next one.
 *
 *     cmake -S examples/own_policy -B build/own_policy --toolchain $PWD/cmake/toolchain-arm-none-eabi.cmake
 *     cmake --build build/own_policy --target run
 *
 * It prints the thread that executed in the middle of each slot of time: a demands 3 of its 3, b 9 and gets 4 of each
 * 10, c the rest. */
#include "firmware/load.h"
#include "firmware/semihost.h"
#include "kernel/allocated.h"
#include "kernel/kernel.h"

/* A slot is so long that the kernel's own work does not show. It is executed in parts; after each the thread reads the
 * clock. */
enum { SLOTS = 40, SLOT = 100000, PARTS = 16, STACK_BYTES = TAKT_STACK_BYTES_MIN + 4096 };

/* ---- the policy: keys are written when a window opens ----------------------------------------------- */

static void least_budget_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->remaining > 0 ? job->remaining : TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

static const takt_policy_t least_budget = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "least-budget",
    .summary = "the smallest budget of a window first",
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = least_budget_release,
};

/* ---- the allocator ---------------------------------------------------------------------------------- */

/* What it knows of a task: the extension first, by which it is found. */
typedef struct share {
    takt_task_extension_t extension;
    takt_duration_t budget;
} share_t;

static void open_window(takt_task_t *task, takt_instant_t instant) {
    const share_t *share = TAKT_CONTAINER_OF(task->extension, share_t, extension);
    takt_allocator_begin_job(task, instant);
    takt_allocator_open(task, instant + task->job.period, share->budget, instant);
}

/* The start timer: what is left of the last window is given up. */
static void shares_start(takt_task_t *task, takt_instant_t instant) {
    if (takt_task_is_active(task)) {
        takt_allocator_end_job(task, instant);
    }
    open_window(task, instant);
    takt_allocator_arm_start(task, instant + task->job.period);
}

static void shares_end(takt_task_t *task, takt_instant_t now) { takt_allocator_end_job(task, now); }

static void shares_enter(takt_task_t *task, takt_instant_t now) { takt_allocator_arm_start(task, now); }

static const takt_allocator_t shares = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "shares",
    .enter = shares_enter,
    .start = shares_start,
    .complete = shares_end,
    .exhaust = shares_end,
};

/* ---- the program ------------------------------------------------------------------------------------ */

typedef struct worker {
    takt_allocated_thread_t thread;
    share_t share;
    char name;
    uint32_t wanted;
    _Alignas(8) uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static takt_allocation_t allocation;
static worker_t workers[2];
static takt_thread_t rest;
static uint64_t rest_stack[STACK_BYTES / sizeof(uint64_t)];
static char executed[SLOTS + 2];

static void require(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_print(takt_status_message(status));
        takt_semihost_exit(1);
    }
}

static bool is_in_the_middle(takt_instant_t now) {
    const uint32_t part = (uint32_t)(now % SLOT / (SLOT / PARTS));
    return part == PARTS / 2 || part == PARTS / 2 + 1;
}

/* Executes for a slot. */
static void work(char name) {
    for (uint32_t part = 0; part < PARTS; part++) {
        takt_port_work(SLOT / PARTS);
        const takt_instant_t now = takt_kernel_now();
        if (now >= (takt_instant_t)SLOTS * SLOT) {
            executed[SLOTS] = '\n';
            takt_semihost_print(executed);
            takt_semihost_exit(0);
        }
        if (is_in_the_middle(now)) {
            executed[now / SLOT] = name;
        }
    }
}

static void work_in_windows(void *argument) {
    const worker_t *worker = argument;
    for (;;) {
        for (uint32_t i = 0; i < worker->wanted; i++) {
            work(worker->name);
        }
        (void)takt_wait_next_period();
    }
}

static void work_in_the_rest(void *argument) {
    (void)argument;
    for (;;) {
        work('c');
    }
}

static void make_worker(worker_t *worker, char name, takt_duration_t period, takt_duration_t budget,
                        uint32_t wanted) {
    const takt_job_parameters_t parameters = {
        .thread = {.entry = work_in_windows,
                   .argument = worker,
                   .stack = worker->stack,
                   .stack_bytes = STACK_BYTES},
        .allocation = &allocation,
        .extension = &worker->share.extension,
        .period = period * SLOT,
        .relative_deadline = period * SLOT,
        .wcet = budget * SLOT,
    };
    worker->name = name;
    worker->wanted = wanted;
    worker->share.budget = budget * SLOT;
    require(takt_allocated_thread_create(&worker->thread, &parameters));
    require(takt_allocated_thread_enter(&worker->thread.job));
}

int main(void) {
    const takt_thread_parameters_t parameters = {
        .entry = work_in_the_rest, .stack = rest_stack, .stack_bytes = STACK_BYTES};
    require(takt_kernel_init(&least_budget));
    require(takt_kernel_add_allocator(&allocation, &shares));
    make_worker(&workers[0], 'a', 8, 3, 3);
    make_worker(&workers[1], 'b', 10, 4, 9);
    require(takt_thread_create(&rest, &parameters));
    require(takt_kernel_start());
}
