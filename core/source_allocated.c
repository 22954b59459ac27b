/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs that an allocator begins, moves and ends; see source.h and allocator.h. */
#include "core/account.h"
#include "core/allocator.h"
#include "core/locks.h"
#include "core/source.h"

static void allocated_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    (void)dispatcher;
    (void)now;
    takt_task_allocator(task)->start(task, task->timer.instant);
}

static void allocated_expire(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    (void)dispatcher;
    (void)now;
    takt_task_allocator(task)->finish(task, task->extension->expiry.instant);
}

static void allocated_end(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                          takt_instant_t instant) {
    if (takt_entity_is_locking(task->entity)) {
        dispatcher->locks->end_job(dispatcher, task, now, instant);
    }
    takt_task_allocator(task)->complete(task, now);
}

static void allocated_change(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_change_t *change,
                             takt_instant_t now) {
    takt_account(dispatcher, now);
    change->is_handed_over = true;
    takt_task_allocator(task)->request(task, change, now);
}

const takt_job_source_t takt_source_allocated = {
    .release = allocated_release,
    .expire = allocated_expire,
    .end = allocated_end,
    .change = allocated_change,
};
