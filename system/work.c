/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Milestones of work.h. */
#include "system/work.h"

/* Whether nothing but unlocking and releases of tasks comes from `item` on: the end of a job does that. */
static bool is_at_end(const takt_task_spec_t *task, uint32_t item) {
    while (item < task->body_count &&
           (task->body[item].kind == TAKT_ITEM_UNLOCK || task->body[item].kind == TAKT_ITEM_RELEASE)) {
        item++;
    }
    return item >= task->body_count;
}

/* Takes the runs that come next together; what the demand has beyond the last one extends it. */
static void find_milestone(takt_work_t *work, const takt_task_spec_t *task, takt_duration_t remaining) {
    takt_duration_t run = 0;
    while (work->item < task->body_count && task->body[work->item].kind == TAKT_ITEM_RUN) {
        run += task->body[work->item].ticks;
        work->item++;
    }
    const bool is_last = run >= remaining || is_at_end(task, work->item);
    work->left = is_last ? remaining : run;
    work->after = remaining - work->left;
}

void takt_work_begin(takt_work_t *work, const takt_task_spec_t *task, takt_duration_t demand) {
    work->item = 0;
    find_milestone(work, task, demand);
}

const takt_item_t *takt_work_pass(takt_work_t *work, const takt_task_spec_t *task) {
    const takt_item_t *item = &task->body[work->item];
    work->item++;
    find_milestone(work, task, work->after);
    return item;
}
