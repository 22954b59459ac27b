/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* dual-priority: hard tasks wait at a low level, below all others, until the last moment that their deadlines allow.
 *
 * Source: Davis and Wellings 1995, in the form of Wang and Lin 1999, 5.2.1, with one budget for both levels. A job of
 * a hard task begins in the lower band. From its promotion on it competes in the upper band. The promotion is at the
 * deadline less the worst-case response time in the upper band. All others, soft tasks and servers, are in the middle.
 * Order: band, then the level given by the user. Tie: class (hard, soft, none), then file order. A window is from the
 * release to the deadline, with the wcet as budget; a job unfinished then waits for the next window.
 * Cost: O(log n) per event, with one more event per job than other policies.
 * When not to use it: without soft work, where it only preempts more often than fixed priorities. */
#include "policy/table.h"
#include "policy/window.h"

#define MIDDLE_BAND (UINT64_C(1) << 32)
#define LOWER_BAND (UINT64_C(2) << 32)

/* Moves the current window to the band that begins with `band`. */
static void write_level(takt_task_t *task, takt_key_t band) {
    task->job.level = band + takt_windowed_of(task)->level;
}

static void dual_priority_begin(takt_task_t *task, takt_instant_t now) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    const takt_instant_t promotion = windowed->start + windowed->parameters.part;
    const takt_instant_t deadline = windowed->start + task->relative_deadline;
    if (takt_windowed_is_there(windowed) && now < deadline) {
        write_level(task, now < promotion ? LOWER_BAND : 0u);
        takt_allocator_arm_finish(task, now < promotion ? promotion : deadline);
        takt_windowed_open(task, deadline, task->wcet, now);
    }
}

/* The promotion is due, or the deadline. */
static void dual_priority_finish(takt_task_t *task, takt_instant_t instant) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (instant >= windowed->deadline) {
        takt_windowed_close(task, instant);
        return;
    }
    write_level(task, 0);
    takt_allocator_arm_finish(task, windowed->deadline);
    takt_windowed_serve(task, instant);
}

const takt_allocator_t takt_allocator_dual_priority = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "dual-priority",
    .finish = dual_priority_finish,
    .start = takt_windowed_start,
    .complete = takt_windowed_complete,
    .exhaust = takt_windowed_suspend,
    .begin = dual_priority_begin,
};

static bool is_dual(const takt_entity_t *entity) {
    return entity->task != NULL && takt_task_is_allocated(entity->task);
}

static void dual_priority_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = is_dual(entity) ? job->level : MIDDLE_BAND + job->level;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_dual_priority = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "dual-priority",
    .summary = TAKT_POLICY_LINE(
        "hard tasks below soft ones until their promotion, then above: the largest priority first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = dual_priority_release,
    .traits = TAKT_POLICY_PROMOTIONS,
};
