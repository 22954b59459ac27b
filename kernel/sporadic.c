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

static takt_status_t check_sporadic(const takt_job_parameters_t *parameters) {
    if (parameters->extension != NULL || parameters->allocation != NULL || parameters->offset != 0) {
        return TAKT_ERROR_EXTENSION;
    }
    return takt_is_power_of_two(parameters->capacity) ? TAKT_OK : TAKT_ERROR_LENGTH;
}

static void fill_extension(takt_sporadic_thread_t *thread, const takt_job_parameters_t *parameters) {
    thread->extension.arrivals = parameters->arrivals;
    thread->extension.capacity = parameters->capacity;
    thread->separation.rule.arrive = keep_apart;
    thread->separation.least = parameters->separation;
    thread->extension.rule = parameters->separation > 0 ? &thread->separation.rule : NULL;
}

takt_status_t takt_sporadic_thread_create(takt_sporadic_thread_t *thread,
                                          const takt_job_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->arrivals == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_task(&thread->job, parameters);
    if (status == TAKT_OK) {
        status = check_sporadic(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    fill_extension(thread, parameters);
    return takt_creation_add_task(&thread->job, &thread->task, parameters, &thread->extension);
}
