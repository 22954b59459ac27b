/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads that execute jobs; see job.h. */
#include "kernel/job.h"

#include "core/allocator.h"
#include "kernel/between.h"
#include "kernel/creation.h"
#include "kernel/hooks.h"
#include "kernel/request.h"
#include "kernel/state.h"

/* Checks that the running entity executes jobs. */
#define REQUIRE_JOB()                                                      \
    TAKT_REQUIRE_OPEN();                                                   \
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED); \
    TAKT_REQUIRE(takt_kernel.cpu.running->task != NULL, TAKT_ERROR_NOT_PERIODIC)

static takt_job_thread_t *job_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_job_thread_t, thread.plain.entity);
}

/* ---- contexts ------------------------------------------------------------------------------------ */

enum { RENEWAL_STACK_BYTES = 2 * TAKT_PORT_STACK_BYTES_MIN };

static takt_thread_t discarded;     /* takes a context that is never resumed */
static takt_job_thread_t *renewing; /* executes renew_itself, or was preempted there */
static uint64_t renewal_stack[RENEWAL_STACK_BYTES / sizeof(uint64_t)];

/* The ready set of `entity` would be empty, or the end of its job concerns more than that. */
static __attribute__((noinline)) void end_between(takt_entity_t *entity) {
    const takt_instant_t now = takt_port_now();
    if (takt_near_completes(entity) && takt_kernel_begins_between(entity, now)) {
        takt_between_leave(entity, now);
        takt_near_complete(entity);
        (void)takt_kernel_decide_between(now);
    } else {
        (void)takt_kernel_pass(TAKT_EVENT_COMPLETE, entity);
    }
}

TAKT_INLINE void end_near(takt_entity_t *entity, bool has_keys) {
    if (takt_near_completes(entity) && takt_near_remove(entity, has_keys, 1)) {
        takt_near_complete(entity);
        (void)takt_kernel_decide_near(entity, has_keys);
    } else {
        end_between(entity);
    }
}

/* The first thread of the tail is next. */
static __attribute__((noinline)) void end_before_tail(takt_entity_t *entity) {
    takt_near_remove_last_key(entity);
    takt_near_complete(entity);
    (void)takt_kernel_decide_across(entity, takt_near_best(&entity->parent->ready, false, 1));
}

/* A function of its own, so that levels need few registers. */
static __attribute__((noinline)) void end_by_keys(takt_entity_t *entity) {
    if (takt_near_is_last_key(entity) && takt_near_completes(entity)) {
        end_before_tail(entity);
    } else {
        end_near(entity, true);
    }
}

/* Ends the current job of `job`, which runs; returns when the next job runs. Closed; opens. */
static void end_current(takt_job_thread_t *job) {
    takt_entity_t *entity = &job->thread.plain.entity;
    job->has_ended = true;
    if (takt_near_has_keys(entity)) {
        end_by_keys(entity);
    } else {
        end_near(entity, false);
    }
}

/* The returning job may hold resources; the last one locked is unlocked first. */
static void abandon(takt_job_thread_t *job) {
    const takt_task_extension_t *extension = job->thread.plain.entity.task->extension;
    (void)takt_port_open(); /* it may have returned with the lock closed */
    if (extension != NULL && extension->held != NULL) {
        takt_hook_abandoned(&job->thread);
    }
    while (extension != NULL && extension->held != NULL) {
        (void)takt_job_unlock(extension->held);
    }
}

/* Body of such a context. A thread whose entry function has returned waits for ever. But jobs that may be ended cannot
 * wait: each ends where it begins, also in a context that is rebuilt. */
static void execute(void *argument) {
    takt_job_thread_t *job = argument;
    if ((job->thread.flags & TAKT_THREAD_EXISTS) != 0) {
        job->entry(job->argument);
        abandon(job);
    }
    job->thread.flags = 0;
    while (takt_task_may_be_ended(job->thread.plain.entity.task)) {
        takt_port_close();
        end_current(job);
    }
}

static void make_context(takt_job_thread_t *job) {
    takt_thread_t *thread = &job->thread;
    thread->sp = takt_port_context_create(thread->stack, thread->stack_bytes, execute, job);
}

/* Rebuilds the context for the current job. */
static void renew(takt_job_thread_t *job) {
    job->number = job->thread.plain.entity.task->job.number;
    renewing = job == renewing ? NULL : renewing;
    make_context(job);
}

/* Executes in the place of a thread, on another stack: a thread cannot rebuild the stack on which it executes. */
static void renew_itself(void *argument) {
    takt_job_thread_t *job = argument;
    takt_port_close();
    renew(job);
    (void)takt_port_switch(&discarded, &job->thread);
}

static takt_thread_t *begin_renewal(takt_job_thread_t *job) {
    if (renewing == job) {
        return &job->thread;
    }
    renewing = job;
    job->thread.sp = takt_port_context_create(renewal_stack, sizeof renewal_stack, renew_itself, job);
    return &discarded;
}

takt_thread_t *takt_job_choose(takt_thread_t *self, takt_thread_t *next) {
    takt_job_thread_t *job = job_of(&next->plain.entity);
    const uint32_t number = next->plain.entity.task->job.number;
    if (job->has_ended || job->number == number) {
        job->has_ended = false;
        job->number = number;
        return self;
    }
    if (next == self) {
        return begin_renewal(job);
    }
    renew(job);
    return self;
}

/* Only the full pass selects jobs that the scheduler may end, because it checks their contexts, and in levels that have
 * more than one row, which only a system that the program builds has. */
void takt_job_fill(takt_job_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_kernel_expect_pass();
    takt_kernel_expect_releases();
    thread->entry = parameters->entry;
    thread->argument = parameters->argument;
    takt_kernel_fill_thread(&thread->thread, parameters);
    make_context(thread);
    takt_entity_t *entity = &thread->thread.plain.entity;
    if (takt_task_may_be_ended(entity->task) || takt_kernel_has_rows(&entity->parent->ready)) {
        entity->attributes |= TAKT_ATTRIBUTE_FULL_PASS;
    }
}

/* ---- what a job does ------------------------------------------------------------------------------- */

/* True if a release of `task` came before the end of its current job: it is pending, was dropped, or is due. */
static bool is_overtaken(const takt_task_t *task, takt_instant_t now) {
    const bool is_dropped = task->extension != NULL && task->extension->skipped > 0;
    const bool is_due = takt_timer_is_armed(&task->timer) && task->timer.instant < now;
    return task->waiting > 0 || is_dropped || is_due;
}

/* Promised end of the job. A hard job that overran has a later window, but its first deadline counts. */
static takt_instant_t promised_to(const takt_task_t *task) {
    const bool has_windows = takt_task_is_allocated(task) && task->job.task_class == TAKT_CLASS_HARD;
    return has_windows ? task->job.release + task->relative_deadline : task->job.deadline;
}

/* The result of the current job of `task`, which ends `now`. */
static takt_status_t missed_by(const takt_task_t *task, takt_instant_t now) {
    if (now > promised_to(task)) {
        return TAKT_DEADLINE_MISSED;
    }
    return is_overtaken(task, now) ? TAKT_ACTIVATION_MISSED : TAKT_OK;
}

takt_status_t takt_wait_next_period(void) {
    REQUIRE_JOB();
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_port_close();
    /* Before the pass, which overwrites this job with the next one. */
    const takt_status_t status = missed_by(running->task, takt_port_now());
    end_current(job_of(running));
    return status;
}

uint32_t takt_job_number(void) { return takt_entity_job_number(takt_kernel.cpu.running); }

static bool is_non_preemptive(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 &&
           entity->task->preemption_key == TAKT_KEY_MOST_URGENT;
}

static takt_status_t pass_point(takt_event_kind_t kind) {
    REQUIRE_JOB();
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!is_non_preemptive(running)) {
        return TAKT_OK;
    }
    takt_port_close();
    return takt_kernel_pass(kind, running);
}

takt_status_t takt_job_point(void) { return pass_point(TAKT_EVENT_POINT); }

takt_status_t takt_job_optional_point(void) { return pass_point(TAKT_EVENT_OPTIONAL_POINT); }

/* Windows do not consider suspensions: the next window would make the job ready. */
static bool may_suspend(const takt_task_t *task) {
    return task->extension != NULL && !takt_task_is_allocated(task);
}

takt_status_t takt_job_suspend(takt_duration_t duration) {
    REQUIRE_JOB();
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(may_suspend(running->task), TAKT_ERROR_EXTENSION);
    takt_port_close();
    const takt_instant_t now = takt_port_now();
    takt_kernel_post_at(TAKT_EVENT_SUSPEND, running, now, now + duration);
    return takt_kernel_dispatch_charged();
}

takt_status_t takt_job_settle(void) {
    REQUIRE_JOB();
    takt_port_close();
    return takt_kernel_dispatch();
}

/* An allocator without lock functions ends jobs that hold a resource, and the resource would stay locked. */
static bool has_locks(const takt_task_t *task) {
    return takt_task_is_allocated(task) ? task->extension->allocation->functions->lock != NULL
                                        : task->extension != NULL;
}

/* Checks that the running job may lock or unlock. */
#define REQUIRE_LOCKING(resource)                      \
    REQUIRE_JOB();                                     \
    takt_entity_t *running = takt_kernel.cpu.running;  \
    TAKT_REQUIRE((resource) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE(has_locks(running->task), TAKT_ERROR_EXTENSION)

/* True unless the allocator of `task` checks locks and has no record that its jobs lock `resource`. */
static bool may_lock(const takt_task_t *task, const takt_resource_t *resource) {
    const takt_allocation_t *allocation = task->extension->allocation;
    return allocation == NULL || allocation->functions->may_lock == NULL ||
           allocation->functions->may_lock(task, resource);
}

takt_status_t takt_job_lock(takt_resource_t *resource) {
    REQUIRE_LOCKING(resource);
    TAKT_REQUIRE(resource->holder != running && may_lock(running->task, resource), TAKT_ERROR_RESOURCE);
    takt_port_close();
    takt_kernel_post_lock(TAKT_EVENT_LOCK, running, resource);
    return takt_kernel_dispatch_charged();
}

takt_status_t takt_job_unlock_first(takt_resource_t *resource) {
    REQUIRE_LOCKING(resource);
    TAKT_REQUIRE(running->task->extension->held == resource, TAKT_ERROR_RESOURCE);
    takt_port_close();
    takt_kernel_post_lock(TAKT_EVENT_UNLOCK, running, resource);
    return takt_port_open();
}

takt_status_t takt_job_unlock(takt_resource_t *resource) {
    REQUIRE_LOCKING(resource);
    TAKT_REQUIRE(running->task->extension->held == resource, TAKT_ERROR_RESOURCE);
    takt_port_close();
    takt_kernel_post_lock(TAKT_EVENT_UNLOCK, running, resource);
    return takt_kernel_dispatch_charged();
}

/* ---- from outside ------------------------------------------------------------------------------------- */

/* An interrupt that may call the kernel, or the program before the start. */
#define REQUIRE_OUTSIDE()                                                                                  \
    TAKT_REQUIRE(takt_port_is_kernel_isr() || (takt_kernel.cpu.running == NULL && !takt_port_is_in_isr()), \
                 takt_port_is_in_isr() ? TAKT_ERROR_INTERRUPT : TAKT_ERROR_NOT_IN_ISR)

/* Called under the lock: until then a more urgent interrupt may take the last place. */
static bool takes_one_more(const takt_task_t *task) {
    return !takt_task_is_periodic(task) && takt_task_has_room(task);
}

takt_status_t takt_job_arrive_from_isr(takt_job_thread_t *thread, takt_instant_t nominal) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    REQUIRE_OUTSIDE();
    takt_entity_t *entity = &thread->thread.plain.entity;
    const takt_port_level_t level = takt_port_lock();
    const bool is_taken = takes_one_more(entity->task);
    if (is_taken) {
        takt_kernel_post_at(TAKT_EVENT_ARRIVAL, entity, takt_request_now(), nominal);
        takt_kernel_ask_for_pass();
    }
    takt_port_unlock(level);
    return is_taken ? TAKT_OK : TAKT_ERROR_ARRIVALS;
}

takt_status_t takt_job_arrive(takt_job_thread_t *thread) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE((thread->thread.flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_OPEN();
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED);
    takt_entity_t *entity = &thread->thread.plain.entity;
    takt_port_close();
    if (!takes_one_more(entity->task)) {
        return takt_kernel_refuse(TAKT_ERROR_ARRIVALS);
    }
    const takt_instant_t now = takt_port_now();
    takt_kernel_post_at(TAKT_EVENT_ARRIVAL, entity, now, now);
    return takt_kernel_dispatch();
}

static void post_change(takt_entity_t *entity, uint32_t number, takt_instant_t now) {
    const takt_event_kind_t kind = takt_event_of_change(entity, takt_kernel.dispatcher.changes[number].kind);
    takt_kernel_post_at(kind, entity, now, kind == TAKT_EVENT_CHANGE ? number : now);
}

/* A change of policy moves the ready entities, and the idle thread is always ready: from now on, if not yet. */
static void wake_idle(void) {
    takt_entity_t *idle = &takt_kernel.idle.plain.entity;
    if (takt_kernel.cpu.running == NULL && !takt_entity_is_ready(idle)) {
        takt_kernel_post_at(TAKT_EVENT_WAKE, idle, 0, 0);
    }
}

takt_status_t takt_job_change_from_isr(takt_job_thread_t *thread, uint32_t number) {
    REQUIRE_OUTSIDE();
    const takt_port_level_t level = takt_port_lock();
    wake_idle();
    post_change(thread != NULL ? &thread->thread.plain.entity : NULL, number, takt_request_now());
    takt_kernel_ask_for_pass();
    takt_port_unlock(level);
    return TAKT_OK;
}

/* ---- a system that the program builds -------------------------------------------------------------------- */

takt_status_t takt_kernel_borrow(takt_kernel_places_t *places) {
    if (places == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (takt_kernel.entity_count != 0) {
        return TAKT_ERROR_STARTED;
    }
    places->dispatcher = &takt_kernel.dispatcher;
    places->cpu = &takt_kernel.cpu;
    places->idle = &takt_kernel.idle.plain;
    return TAKT_OK;
}

takt_status_t takt_kernel_adopt(void) {
    if (takt_kernel.entity_count != 0) {
        return TAKT_ERROR_STARTED;
    }
    takt_kernel_begin();
    takt_kernel_expect_pass();
    takt_ready_t *ready = &takt_kernel.dispatcher.root.ready;
    if (takt_kernel_has_rows(ready)) {
        takt_kernel.full_pass = TAKT_ATTRIBUTE_FULL_PASS;
    } else if (ready->levels.heads != NULL) {
        takt_kernel_add_heap(ready, ready->keys.slots);
    }
    return TAKT_OK;
}

takt_status_t takt_job_thread_attach(takt_job_thread_t *thread, const takt_thread_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->entry == NULL || parameters->stack == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!takt_creation_is_stack(parameters)) {
        return TAKT_ERROR_STACK;
    }
    if (takt_kernel.entity_count == 0) {
        return TAKT_ERROR_NOT_INITIALISED;
    }
    if (thread->thread.plain.entity.task == NULL) {
        return TAKT_ERROR_NOT_PERIODIC;
    }
    if (takt_kernel.cpu.running != NULL) {
        return TAKT_ERROR_STARTED;
    }
    takt_job_fill(thread, parameters);
    return TAKT_OK;
}
