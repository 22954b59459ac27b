/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads whose jobs arrive as events; see sporadic.h. */
#include "kernel/sporadic.h"

#include "kernel/creation.h"

/* An arrival is too early if its nominal instant is before the end of the separation. */
static void keep_apart(takt_task_t *task, takt_arrival_t *arrival) {
    takt_separation_t *separation = TAKT_CONTAINER_OF(task->extension->rule, takt_separation_t, rule);
    const takt_instant_t release = takt_later_of(arrival->nominal, separation->next);
    arrival->instant = takt_later_of(arrival->instant, release);
    arrival->deadline = takt_deadline_after(release, task->relative_deadline);
    separation->next = release + separation->least;
}

static takt_status_t check_task(const takt_sporadic_parameters_t *parameters) {
    if (parameters->relative_deadline == 0) {
        return TAKT_ERROR_DEADLINE;
    }
    if (parameters->capacity == 0 || (parameters->capacity & (parameters->capacity - 1u)) != 0) {
        return TAKT_ERROR_LENGTH;
    }
    return takt_creation_check_threshold(&parameters->thread, parameters->is_limited,
                                         parameters->preemption_key);
}

static void fill_extension(takt_sporadic_thread_t *thread, const takt_sporadic_parameters_t *parameters) {
    thread->extension.arrivals = parameters->arrivals;
    thread->extension.capacity = parameters->capacity;
    thread->extension.on_miss = parameters->on_miss;
    thread->separation.rule.arrive = keep_apart;
    thread->separation.least = parameters->separation;
    thread->extension.rule = parameters->separation > 0 ? &thread->separation.rule : NULL;
}

static void add_task(takt_sporadic_thread_t *thread, const takt_sporadic_parameters_t *parameters) {
    takt_server_t *home = takt_creation_home(parameters->thread.server);
    const takt_task_parameters_t task = {
        .period = parameters->separation,
        .relative_deadline = parameters->relative_deadline,
        .wcet = parameters->wcet,
        .level = takt_creation_level(parameters->thread.priority),
        .task_class = parameters->task_class,
        .preemption_key = parameters->preemption_key,
        .is_limited = parameters->is_limited,
        .id = takt_creation_number(home),
        .extension = &thread->extension,
    };
    takt_dispatcher_add_task(&thread->task, &thread->job.thread.plain.entity, home, &task);
}

takt_status_t takt_sporadic_thread_create(takt_sporadic_thread_t *thread,
                                          const takt_sporadic_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->arrivals == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_job(&thread->job, &parameters->thread);
    if (status == TAKT_OK) {
        status = check_task(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    fill_extension(thread, parameters);
    add_task(thread, parameters);
    takt_job_fill(&thread->job, &parameters->thread);
    return TAKT_OK;
}
