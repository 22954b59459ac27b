/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Resources of locks.h. */
#include "core/locks.h"

#include "core/allocator.h"
#include "core/deadlock.h"
#include "core/hierarchy.h"
#include "core/inheritance.h"
#include "core/blocker.h"
#include "core/blocked.h"
#include "core/record.h"
#include "core/urgency.h"
#include "core/waiting.h"

/* Ends the wait of `entity` for a resource. */
static void end_wait(takt_entity_t *entity) {
    takt_waiting_wait_of(entity)->wanted = NULL;
    if (entity->task == NULL) {
        takt_plain_of(entity)->wait = NULL;
    }
}

/* Registers all that `entity` holds with its dispatcher, and marks `entity` as locking. */
static void begin_locking(takt_entity_t *entity) {
    for (takt_resource_t *held = *takt_waiting_held_by(entity);
         held != NULL && !takt_entity_is_locking(entity); held = held->outer) {
        held->below = entity->parent->locked;
        entity->parent->locked = held;
    }
    takt_entity_set_attributes(entity, TAKT_ATTRIBUTE_LOCKING);
}

/* Called after `entity` has freed a resource or ended a wait. */
static void stop_locking(takt_entity_t *entity) {
    if (*takt_waiting_held_by(entity) == NULL && takt_waiting_wanted_by(entity) == NULL) {
        takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_LOCKING);
    }
    takt_urgency_refresh(entity);
}

static takt_key_t boost_of(const takt_resource_t *resource, const takt_entity_t *entity, takt_instant_t now) {
    const takt_protocol_kind_t *protocol = resource->kind;
    return protocol->boost != NULL ? protocol->boost(resource, entity->parent->policy, now)
                                   : TAKT_KEY_OF_NOTHING;
}

/* Locks `among`, in the parent, for `server`: a job in it has locked the resource. */
static void hold_among(takt_server_t *server, takt_resource_t *among) {
    server->held++;
    among->holder = &server->entity;
    among->below = takt_server_parent(server)->locked;
    takt_server_parent(server)->locked = among;
}

/* Returns NULL for a task without an allocation, and for a plain thread. */
static const takt_allocation_t *allocation_of(const takt_entity_t *entity) {
    return entity->task != NULL ? entity->task->extension->allocation : NULL;
}

static void note_lock(const takt_entity_t *entity, takt_resource_t *resource) {
    const takt_allocation_t *allocation = allocation_of(entity);
    if (allocation != NULL && allocation->functions->lock != NULL) {
        allocation->functions->lock(entity->task, resource);
    }
}

static void note_unlock(const takt_entity_t *entity, const takt_resource_t *resource, takt_instant_t now) {
    const takt_allocation_t *allocation = allocation_of(entity);
    if (allocation != NULL && allocation->functions->unlock != NULL) {
        allocation->functions->unlock(entity->task, resource, now);
    }
}

static void grant(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_resource_t *resource = takt_waiting_wanted_by(entity);
    resource->holder = entity;
    resource->boost = boost_of(resource, entity, now);
    resource->below = entity->parent->locked;
    resource->outer = *takt_waiting_held_by(entity);
    entity->parent->locked = resource;
    *takt_waiting_held_by(entity) = resource;
    end_wait(entity);
    if (resource->among != NULL) {
        hold_among(entity->parent, resource->among);
    }
    note_lock(entity, resource);
    takt_urgency_refresh(entity);
    takt_record_resource(dispatcher, TAKT_RECORD_GRANT, now, resource, entity);
}

static void refuse(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_resource_t *wanted = takt_waiting_wanted_by(entity);
    takt_entity_t *member = takt_deadlock_behind(entity);
    takt_record_resource(dispatcher, TAKT_RECORD_REFUSE, now, wanted, entity);
    takt_urgency_end_region(entity);
    takt_urgency_refresh(entity);
    if (takt_blocker_is_budget(entity)) {
        takt_hierarchy_await_budget(entity, now);
    } else if (member != NULL) {
        takt_deadlock_report(dispatcher, member, now);
    } else if (!wanted->kind->lends) {
        takt_blocked_add(entity, wanted, now);
    }
}

/* Registers uncontended `pip` locks of `holder` lazily, on first contention. The holder's place is the same as if they
 * had been registered from the start. */
static void discover_holder(takt_entity_t *holder) {
    if (holder != NULL && takt_entity_is_thread(holder) && !takt_entity_is_locking(holder)) {
        begin_locking(holder);
    }
}

static void lock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_resource_t *resource,
                 takt_instant_t now) {
    discover_holder(resource->holder);
    begin_locking(entity);
    takt_waiting_wait_of(entity)->wanted = resource;
    if (takt_blocker_of(entity) != NULL || takt_blocker_is_budget(entity)) {
        refuse(dispatcher, entity, now);
    } else {
        grant(dispatcher, entity, now);
    }
}

static void unlink_locked(takt_server_t *parent, const takt_resource_t *resource) {
    takt_resource_t **link = &parent->locked;
    while (*link != resource) {
        link = &(*link)->below;
    }
    *link = resource->below;
}

static void free_among(takt_server_t *server, takt_resource_t *among) {
    server->held--;
    unlink_locked(takt_server_parent(server), among);
    among->holder = NULL;
}

/* Frees `resource`, which `entity` holds, at the nominal `instant`. The entity's key is not written yet. */
static void free_held(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_resource_t *resource,
                      takt_instant_t now, takt_instant_t instant) {
    unlink_locked(entity->parent, resource);
    takt_waiting_unlink(takt_waiting_held_by(entity), resource);
    resource->holder = NULL;
    if (resource->among != NULL) {
        free_among(entity->parent, resource->among);
    }
    takt_record_resource(dispatcher, TAKT_RECORD_FREE, now, resource, entity);
    note_unlock(entity, resource, now);
    takt_blocked_unblock(resource, instant);
}

/* As takt_deadlock_leave_queue, if `entity` waits at all. */
static bool leave_queue(takt_entity_t *entity) {
    takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return wait != NULL && takt_deadlock_leave_queue(entity, wait);
}

/* A job unlocks what it locked last, whatever is said. */
static void unlock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_resource_t *resource,
                   takt_instant_t now) {
    begin_locking(entity);
    free_held(dispatcher, entity, entity->task == NULL ? resource : *takt_waiting_held_by(entity), now, now);
    stop_locking(entity);
}

/* Lets `entity` compete again. */
static void compete_again(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *list = NULL;
    takt_blocked_append(&list, entity);
    takt_blocked_come_back(list, now);
}

/* Withdraws the lock that `entity` waits for. */
static void withdraw(takt_entity_t *entity, takt_instant_t now) {
    const bool was_out = leave_queue(entity);
    end_wait(entity);
    stop_locking(entity);
    if (was_out) {
        compete_again(entity, now);
    }
}

static void locks_reconsider(takt_entity_t *entity, takt_instant_t now) {
    const takt_resource_t *deadlock = takt_waiting_deadlock_of(entity);
    const bool stays =
        takt_blocked_stays(entity) || (deadlock != NULL && deadlock == takt_blocker_of(entity));
    if (!stays && leave_queue(entity)) {
        compete_again(entity, now);
    }
}

static void locks_apply(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_LOCK) {
        lock(dispatcher, event->entity, event->resource, event->now);
    } else if (event->kind == TAKT_EVENT_UNLOCK) {
        unlock(dispatcher, event->entity, event->resource, event->now);
    } else {
        withdraw(event->entity, event->now);
    }
}

static void locks_end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                          takt_instant_t instant) {
    leave_queue(task->entity);
    task->extension->wait.wanted = NULL;
    while (task->extension->held != NULL) {
        free_held(dispatcher, task->entity, task->extension->held, now, instant);
    }
    stop_locking(task->entity);
}

static void locks_settle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    if (takt_waiting_wanted_by(entity) != NULL) {
        grant(dispatcher, entity, now);
    }
}

static const takt_locks_t locks = {
    .choose = takt_inheritance_choose,
    .settle = locks_settle,
    .apply = locks_apply,
    .end_job = locks_end_job,
    .lend = takt_blocked_lend,
    .reconsider = locks_reconsider,
};

void takt_dispatcher_expect_locks(takt_dispatcher_t *dispatcher) { dispatcher->locks = &locks; }
