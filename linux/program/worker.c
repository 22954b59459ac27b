/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The jobs of one task. */
#include "linux/program/internal.h"
#include "system/work.h"

static bool is_over(const takt_worker_t *worker) {
    return __atomic_load_n(&worker->threads->is_over, __ATOMIC_ACQUIRE);
}

/* ---- the body of a job ------------------------------------------------------------------------------ */

/* What one job executes. */
typedef struct takt_body {
    const takt_worker_t *worker;
    const takt_task_spec_t *task;
    takt_work_t work;
    uint64_t executed_ns;       /* CPU time of the thread at which the item reached ends */
    takt_linux_status_t status; /* the first one that is not OK */
} takt_body_t;

static bool continues(const takt_body_t *body) {
    return body->status == TAKT_LINUX_OK && !is_over(body->worker) && !takt_linux_is_aborted();
}

/* Executes until the thread has used its CPU time up to `body->executed_ns`. Time passes at least as fast as CPU time:
 * what is left of that is waited for in time, and only then read again. */
static void burn(takt_body_t *body) {
    body->executed_ns += body->work.left * body->worker->threads->program.resolution_ns;
    uint64_t used = takt_program_used();
    while (used < body->executed_ns && continues(body)) {
        takt_program_spin(takt_program_now() + (body->executed_ns - used), &body->worker->threads->is_over);
        used = takt_program_used();
    }
}

static void pass_milestone(takt_body_t *body) {
    const takt_item_t *item = takt_work_pass(&body->work, body->task);
    switch (item->kind) {
    case TAKT_ITEM_POINT:
        body->status = takt_linux_point();
        break;
    case TAKT_ITEM_OPTIONAL_POINT:
        (void)takt_linux_optional_point();
        break;
    case TAKT_ITEM_SUSPEND:
        body->status = takt_linux_suspend_until(takt_program_now() +
                                                item->ticks * body->worker->threads->program.resolution_ns);
        break;
    case TAKT_ITEM_LOCK:
        body->status = takt_linux_lock((uint32_t)item->ticks);
        break;
    default:
        body->status = takt_linux_unlock((uint32_t)item->ticks);
        break;
    }
}

/* Returns what job `number` executes, in ticks. */
static takt_duration_t demand_of(const takt_program_t *program, const takt_task_spec_t *task,
                                 const takt_linux_job_t *job) {
    const takt_change_spec_t *change = job->change > 0 ? &program->spec.changes[job->change - 1u] : NULL;
    const takt_stream_t *demands = change != NULL ? change->demands : task->demands;
    if (demands == NULL) {
        return change != NULL ? change->demand : task->demand;
    }
    return demands->values[job->number % demands->count];
}

/* Executes the current job. Returns OK, ABORTED or an error. */
static takt_linux_status_t execute(const takt_worker_t *worker, const takt_linux_job_t *job) {
    const uint64_t used = takt_program_used(), overhead = worker->threads->run->overhead_ns;
    takt_body_t body = {
        .worker = worker,
        .task = &worker->threads->program.spec.tasks[worker->task],
        .executed_ns = used > overhead ? used - overhead : 0,
        .status = TAKT_LINUX_OK,
    };
    takt_work_begin(&body.work, body.task, demand_of(&worker->threads->program, body.task, job));
    burn(&body);
    while (body.work.after > 0 && continues(&body)) {
        pass_milestone(&body);
        burn(&body);
    }
    return body.status;
}

/* ---- from job to job ---------------------------------------------------------------------------------- */

static void record(const takt_worker_t *worker, const takt_linux_job_t *job, uint64_t start, uint64_t end,
                   takt_linux_status_t outcome) {
    takt_program_run_t *run = worker->threads->run;
    const uint64_t epoch = worker->threads->epoch;
    const uint32_t place = __atomic_fetch_add(&run->job_count, 1u, __ATOMIC_RELAXED);
    if (place < run->job_limit) {
        run->jobs[place] = (takt_program_job_t){
            .release = (int64_t)(job->release_ns - epoch),
            .start = (int64_t)(start - epoch),
            .end = (int64_t)(end - epoch),
            .task = worker->task,
            .number = job->number,
            .outcome = outcome,
        };
    }
}

/* Waits for the next job. Writes what became of the last one, also if no other follows: what was counted says it.
 * Writes whether it has ended. */
static takt_linux_status_t wait_for_next(takt_linux_status_t *outcome, bool *has_ended) {
    takt_linux_counts_t before, after;
    (void)takt_linux_counts(&before);
    const takt_linux_status_t status = takt_linux_wait();
    (void)takt_linux_counts(&after);
    *has_ended = after.completed + after.aborted != before.completed + before.aborted;
    *outcome = after.aborted != before.aborted     ? TAKT_LINUX_ABORTED
               : after.missed != before.missed     ? TAKT_LINUX_MISSED
               : after.overruns != before.overruns ? TAKT_LINUX_OVERRUN
                                                   : TAKT_LINUX_OK;
    return status;
}

/* Executes the job that the scheduler has selected, and waits for the next one. */
static takt_linux_status_t execute_and_wait(const takt_worker_t *worker) {
    takt_linux_job_t job;
    takt_linux_status_t outcome;
    bool has_ended;
    const uint64_t start = takt_program_now();
    (void)takt_linux_job(&job);
    const takt_linux_status_t done = execute(worker, &job);
    const uint64_t end = takt_program_now();
    if (done < 0 || is_over(worker)) {
        return done < 0 ? done : TAKT_LINUX_ERROR_DISMISSED;
    }
    const takt_linux_status_t status = wait_for_next(&outcome, &has_ended);
    if (has_ended) {
        record(worker, &job, start, end, outcome);
    }
    return status;
}

/* A job that the horizon cuts is not recorded. */
takt_linux_status_t takt_worker_execute(takt_worker_t *worker) {
    takt_linux_status_t status = takt_linux_wait();
    while (status >= 0 && !is_over(worker)) {
        status = execute_and_wait(worker);
    }
    return status;
}
