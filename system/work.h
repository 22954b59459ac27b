/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Work: the rest of the body of a job. For the executor of jobs: the simulator, or a thread of a firmware.
 *
 *     begin --> execute `left` --> the end if `after` is 0
 *                   ^                  else pass: the item that comes then
 *                   +--------------------------------+
 *
 * A shorter demand truncates the body, a longer one extends its last run; what only unlocks at the end is left out,
 * because the end of a job unlocks. */
#ifndef TAKT_SYSTEM_WORK_H
#define TAKT_SYSTEM_WORK_H

#include "system/spec.h"

typedef struct takt_work {
    takt_duration_t left;  /* to be executed until the next milestone: an item of the body, or the end */
    takt_duration_t after; /* of the demand, beyond that milestone; 0: it is the end */
    uint32_t item;         /* the first item of the body that has not begun */
} takt_work_t;

/* Begins a job of `task` that executes for `demand` ticks, >= 1. */
void takt_work_begin(takt_work_t *work, const takt_task_spec_t *task, takt_duration_t demand);

/* Returns the kind of the item at the milestone reached, which is not the end. */
TAKT_INLINE takt_item_kind_t takt_work_kind(const takt_work_t *work, const takt_task_spec_t *task) {
    return task->body[work->item].kind;
}

/* Returns that item and advances to the next milestone. */
const takt_item_t *takt_work_pass(takt_work_t *work, const takt_task_spec_t *task);

/* True if the job is at an unlock, with nothing to execute before it. */
TAKT_INLINE bool takt_work_unlocks_now(const takt_work_t *work, const takt_task_spec_t *task) {
    return work->left == 0 && takt_work_kind(work, task) == TAKT_ITEM_UNLOCK;
}

#endif
