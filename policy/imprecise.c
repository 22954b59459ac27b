/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* imprecise: a job has a mandatory part, and an optional part that is executed if there is time.
 *
 * Source: Liu, Lin et al. 1991, in the form of Wang and Lin 1999, 5.2. The first ticks of a job are its mandatory
 * part, at a level above all optional parts; the rest of the wcet is the optional part. A job ends at its deadline, or
 * when it has executed its wcet. If its mandatory part is done then, it was cut and has not missed.
 * Order: band, then the level given by the user. Tie: class (hard, soft, none), then file order.
 * Cost: O(log n) per event.
 * When not to use it: where a partial result is useless. */
#include "policy/table.h"
#include "policy/window.h"

#define OPTIONAL_BAND (UINT64_C(1) << 32)

/* Begins the optional part of the current job. */
static void begin_optional(takt_task_t *task) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    takt_windowed_of(task)->is_optional = true;
    task->job.level = OPTIONAL_BAND + windowed->level;
    task->job.remaining = task->wcet - windowed->parameters.part;
}

static void open_first_part(takt_task_t *task, takt_instant_t deadline, takt_instant_t now) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    task->job.level = windowed->level;
    task->job.remaining = windowed->parameters.part;
    if (task->job.remaining == 0) {
        begin_optional(task);
    }
    takt_windowed_open(task, deadline, task->job.remaining, now);
}

/* Ends the job at its deadline, with or without a window. */
static void imprecise_begin(takt_task_t *task, takt_instant_t now) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    const takt_instant_t deadline = windowed->start + task->relative_deadline;
    if (now >= deadline) {
        return;
    }
    windowed->is_optional = false;
    takt_allocator_arm_finish(task, deadline);
    if (takt_windowed_is_there(windowed)) {
        open_first_part(task, deadline, now);
    }
}

static void imprecise_complete(takt_task_t *task, takt_instant_t now) {
    takt_timers_remove(&task->entity->parent->timers, &task->extension->expiry);
    takt_windowed_complete(task, now);
}

static void end_unfinished(takt_task_t *task, takt_allocation_event_t event, takt_instant_t now) {
    takt_allocator_note(task, event, now, 0);
    imprecise_complete(task, now);
}

static void imprecise_exhaust(takt_task_t *task, takt_instant_t now) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (windowed->is_optional || windowed->parameters.part == task->wcet) {
        end_unfinished(task, TAKT_ALLOCATION_CUT, now);
    } else {
        begin_optional(task);
        takt_windowed_serve(task, now);
    }
}

static void imprecise_finish(takt_task_t *task, takt_instant_t instant) {
    const bool is_done = takt_windowed_of(task)->is_optional;
    end_unfinished(task, is_done ? TAKT_ALLOCATION_CUT : TAKT_ALLOCATION_ABORTED, instant);
}

const takt_allocator_t takt_allocator_imprecise = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "imprecise",
    .finish = imprecise_finish,
    .start = takt_windowed_start,
    .complete = imprecise_complete,
    .exhaust = imprecise_exhaust,
    .begin = imprecise_begin,
};

static void imprecise_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->level;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_imprecise = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "imprecise",
    .summary = TAKT_POLICY_LINE(
        "mandatory parts before optional ones, which are cut at the deadline: the largest priority first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = imprecise_release,
    .traits = TAKT_POLICY_MANDATORY_PARTS,
};
