/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lists of changes, and the change of a policy; see change.h. */
#include "core/change.h"

#include "core/urgency.h"

takt_instant_t takt_change_next_release(const takt_change_t *change, takt_instant_t candidate) {
    for (; change != NULL && change->instant <= candidate; change = change->next) {
        if (change->kind == TAKT_CHANGE_LEAVE) {
            candidate = TAKT_NEVER;
        } else if (change->kind == TAKT_CHANGE_ENTER) {
            candidate = change->instant + change->first;
        }
    }
    return candidate;
}

const takt_change_t *takt_change_pass(takt_change_t **place, takt_instant_t instant,
                                      const takt_change_t *parameters) {
    takt_change_t *change = *place;
    for (; change != NULL && change->instant <= instant; change = change->next) {
        parameters = change->kind == TAKT_CHANGE_PARAMETERS ? change : parameters;
    }
    *place = change;
    return parameters;
}

void takt_change_arm_release(takt_task_t *task, takt_instant_t candidate) {
    takt_task_extension_t *extension = task->extension;
    const takt_instant_t next = takt_change_next_release(extension->ahead, candidate);
    const takt_change_t *parameters = takt_change_pass(&extension->ahead, next, NULL);
    if (parameters != NULL) {
        extension->period = parameters->period;
    }
    if (next != TAKT_NEVER) {
        takt_timers_insert(&task->entity->parent->timers, &task->timer, next);
    }
}

/* An overdue release, delayed by a server or the kernel, happens before the change. */
void takt_change_rearm_release(takt_task_t *task, takt_instant_t now) {
    const bool is_armed = takt_timer_is_armed(&task->timer);
    const takt_instant_t candidate = is_armed ? task->timer.instant : TAKT_NEVER;
    if (candidate >= now) {
        takt_timers_remove(&task->entity->parent->timers, &task->timer);
        takt_change_arm_release(task, candidate);
    }
}

static void append(takt_task_extension_t *extension, takt_change_t *change) {
    if (extension->last_change != NULL) {
        extension->last_change->next = change;
    }
    extension->last_change = change;
    extension->ahead = extension->ahead != NULL ? extension->ahead : change;
    extension->behind = extension->behind != NULL ? extension->behind : change;
}

void takt_change_hand_over(takt_task_t *task, takt_change_t *change, takt_instant_t now) {
    change->instant = now;
    change->is_handed_over = true;
    append(task->extension, change);
}

void takt_change_adopt(takt_task_t *task, takt_instant_t instant) {
    takt_task_extension_t *extension = task->extension;
    const takt_change_t *parameters = takt_change_pass(&extension->behind, instant, extension->adopted);
    if (parameters != extension->adopted) {
        extension->adopted = parameters;
        task->relative_deadline = parameters->relative_deadline;
        task->wcet = parameters->wcet;
        task->job.period = parameters->period;
        task->job.level = parameters->level;
        task->job.task_class = parameters->task_class;
    }
}

/* ---- policies ------------------------------------------------------------------------------------- */

static void write_key(takt_entity_t *entity, const takt_change_t *change) {
    if (takt_entity_is_thread(entity)) {
        takt_urgency_set_level(entity, change->level);
    } else {
        takt_urgency_write(entity, takt_entity_job(entity));
    }
}

static void move(takt_entity_t *entity, takt_ready_t *from, takt_ready_t *to, const takt_change_t *change) {
    takt_ready_remove(from, entity);
    takt_entity_clear_state(entity, TAKT_STATE_READY);
    write_key(entity, change);
    takt_ready_insert(to, entity);
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

/* In the order of the old policy, which so is the order among equals of one that has levels. A started
 * non-preemptive job keeps the key that it has. */
void takt_change_policy(takt_server_t *root, takt_change_t *change) {
    takt_ready_t old = root->ready;
    takt_entity_t *entity;
    change->is_handed_over = true;
    root->policy = change->policy;
    root->ready = change->ready;
    while ((entity = takt_ready_best(&old)) != NULL) {
        move(entity, &old, &root->ready, change);
    }
}
