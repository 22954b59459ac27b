/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preconditions of fits.h. */
#include "system/fits.h"

#include "core/waiting.h"

/* Whether the current job of `entity` runs on one of several processors. */
static bool runs_somewhere(const takt_system_t *system, const takt_entity_t *entity) {
    bool runs = false;
    for (uint32_t cpu = 0; cpu < system->dispatcher->ncpu; cpu++) {
        runs |= system->cpus[cpu].running == entity && takt_cpu_runs(&system->cpus[cpu]);
    }
    return runs;
}

static bool has_extension(const takt_entity_t *entity) {
    return entity->task != NULL && entity->task->extension != NULL;
}

/* Returns the wait of `entity`; NULL if it cannot wait, or is a thread that does not. */
static const takt_lock_wait_t *wait_of(takt_entity_t *entity) {
    if (entity->task == NULL) {
        return takt_plain_of(entity)->wait;
    }
    return has_extension(entity) ? &entity->task->extension->wait : NULL;
}

static bool is_waiting(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = wait_of(entity);
    return wait != NULL && wait->wanted != NULL;
}

/* True if `entity` becomes ready without an event: after a suspension, or when a resource is granted. */
static bool is_away(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = wait_of(entity);
    const bool is_suspended = has_extension(entity) && takt_timer_is_armed(&entity->task->extension->resume);
    return is_suspended || (wait != NULL && wait->blocked_at != NULL);
}

/* True if the level of `entity` is not above the ceiling of `resource`, or there is no ceiling. */
static bool is_at_most_at_ceiling(takt_entity_t *entity, const takt_resource_t *resource) {
    return !resource->kind->has_ceiling ||
           (entity->parent->policy->level != NULL && takt_entity_level(entity) >= resource->ceiling);
}

/* True if `entity` may lock a resource of the kind of `resource`. */
static bool may_use(const takt_system_t *system, const takt_entity_t *entity,
                    const takt_resource_t *resource) {
    const bool is_among = resource->kind->scope == TAKT_SCOPE_SERVERS;
    return entity->task == NULL ? !is_among && system->rates == NULL : has_extension(entity);
}

/* True if `entity` may unlock `resource`: a thread what it holds, a job what it locked last. */
static bool may_unlock(takt_entity_t *entity, const takt_resource_t *resource) {
    return entity->task == NULL ? resource->holder == entity : *takt_waiting_held_by(entity) == resource;
}

/* True if `entity`, which runs, may try to lock the resource of `event`, or unlock it. */
static bool lock_fits(const takt_system_t *system, const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    const takt_resource_t *resource = event->resource;
    if (system->resource_parents[resource - system->resources] != entity->parent ||
        !may_use(system, entity, resource)) {
        return false;
    }
    const bool may_share =
        resource->among == NULL || is_at_most_at_ceiling(&entity->parent->entity, resource->among);
    const bool may_lock = resource->holder != entity && is_at_most_at_ceiling(entity, resource) && may_share;
    return !is_waiting(entity) && (event->kind == TAKT_EVENT_LOCK ? may_lock : may_unlock(entity, resource));
}

/* Likewise for a task with an allocation: the resource is free, and the task is registered as its user. */
static bool allocated_lock_fits(const takt_system_t *system, const takt_event_t *event) {
    if (system->rates == NULL) {
        return false;
    }
    const takt_task_t *task = event->entity->task;
    const takt_rate_use_t *use = takt_rate_task_of(task)->uses;
    while (use != NULL && use->resource != event->resource) {
        use = use->next;
    }
    const bool may_lock = use != NULL && event->resource->holder == NULL;
    return event->kind == TAKT_EVENT_LOCK ? may_lock : task->extension->held == event->resource;
}

/* True if `entity` waits for a resource and for no budget. */
static bool withdraw_fits(takt_entity_t *entity) {
    return is_waiting(entity) && wait_of(entity)->wanted->kind->scope == TAKT_SCOPE_LOCAL;
}

/* Whether `entity` has a level that events change: also as its key. */
static bool has_level(const takt_entity_t *entity) {
    const bool is_key = entity->task != NULL && !takt_task_is_allocated(entity->task) &&
                        (entity->parent->policy->traits & TAKT_POLICY_OUTSIDE_KEYS) != 0;
    return is_key || takt_entity_has_level(entity);
}

/* Whether `entity` is a plain thread that may have the deadline in `level`. */
static bool deadline_fits(const takt_entity_t *entity, uint64_t level) {
    return entity->task == NULL && level != TAKT_LEVEL_IS_DEADLINE &&
           (entity->parent->policy->traits & TAKT_POLICY_DEADLINE_KEYS) != 0;
}

/* Returns the last level that a plain thread may have under `parent`. */
static uint64_t last_plain_level(const takt_server_t *parent) {
    const bool has_one_row = parent->ready.order == TAKT_ORDER_KEYS && parent->ready.levels.depth == 1;
    return has_one_row ? 31u : TAKT_PLAIN_LEVELS_MOST;
}

/* Whether `entity` has a level, and may have `level`. */
static bool level_fits(const takt_system_t *system, const takt_entity_t *entity, uint64_t level) {
    const takt_server_t *parent = entity->parent;
    if ((level & TAKT_LEVEL_IS_DEADLINE) != 0) {
        return deadline_fits(entity, level);
    }
    const uint32_t place =
        takt_server_is_root(parent) ? 0 : 1u + (uint32_t)(parent - (const takt_server_t *)system->servers);
    const bool has_levels = parent->ready.order == TAKT_ORDER_LEVELS;
    return has_level(entity) && level > 0 && (entity->task != NULL || level <= last_plain_level(parent)) &&
           level <= (has_levels ? system->levels[place] : TAKT_KEY_LEAST_URGENT);
}

static bool arrival_fits(const takt_event_t *event) {
    const takt_task_t *task = event->entity->task;
    return task != NULL && !takt_task_is_periodic(task) && event->nominal <= event->now;
}

/* As takt_fits, on several processors. */
static bool fits_several(const takt_system_t *system, const takt_event_t *event) {
    switch (event->kind) {
    case TAKT_EVENT_ARRIVAL:
        return arrival_fits(event);
    case TAKT_EVENT_PRIORITY:
        return level_fits(system, event->entity, event->nominal);
    default:
        return event->kind == TAKT_EVENT_COMPLETE && runs_somewhere(system, event->entity);
    }
}

/* As takt_fits, of a task with an allocation, which `runs` or not. Requests that make no sense are ignored. */
static bool fits_allocated(const takt_system_t *system, const takt_event_t *event, bool runs) {
    const takt_entity_t *entity = event->entity;
    switch (event->kind) {
    case TAKT_EVENT_ENTER:
    case TAKT_EVENT_LEAVE:
        return entity->task->extension->allocation->functions->enter != NULL;
    case TAKT_EVENT_COMPLETE:
        return takt_task_is_active(entity->task) &&
               takt_dispatcher_cpu_of(system->dispatcher, entity) != NULL;
    case TAKT_EVENT_YIELD:
        return runs && !takt_entity_is_locking(entity);
    case TAKT_EVENT_LOCK:
    case TAKT_EVENT_UNLOCK:
        return runs && allocated_lock_fits(system, event);
    default:
        return false;
    }
}

static bool wake_fits(takt_entity_t *entity) {
    return !takt_entity_is_ready(entity) && !is_away(entity) &&
           (entity->task == NULL || (entity->state & TAKT_STATE_ACTIVE) != 0);
}

/* True if `entity` holds a resource that servers share: its server would bar others while it has blocked. */
static bool holds_among_servers(takt_entity_t *entity) {
    const takt_resource_t *held = *takt_waiting_held_by(entity);
    while (held != NULL && held->kind->scope != TAKT_SCOPE_SERVERS) {
        held = held->outer;
    }
    return held != NULL;
}

static bool block_fits(takt_entity_t *entity) {
    const bool is_free_job = entity->task != NULL && !takt_entity_is_locking(entity);
    return takt_entity_is_ready(entity) &&
           (entity->task == NULL || is_free_job || (!is_waiting(entity) && !holds_among_servers(entity)));
}

static bool create_fits(const takt_system_t *system, const takt_entity_t *entity, uint64_t level) {
    return entity->task == NULL && !takt_entity_is_ready(entity) && !takt_entity_is_locking(entity) &&
           level_fits(system, entity, level);
}

/* As takt_fits, without an allocation. */
static bool fits_plain(const takt_system_t *system, const takt_event_t *event, bool runs) {
    takt_entity_t *entity = event->entity;
    const bool is_locking = takt_entity_is_locking(entity);
    const bool is_thread = entity->task == NULL;
    switch (event->kind) {
    case TAKT_EVENT_COMPLETE:
        return runs && entity->task != NULL;
    case TAKT_EVENT_YIELD:
        return runs && (!is_locking || (is_thread && !is_waiting(entity)));
    case TAKT_EVENT_POINT:
    case TAKT_EVENT_OPTIONAL_POINT:
        return runs && (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
    case TAKT_EVENT_SUSPEND:
        return runs && !is_locking && has_extension(entity) && event->nominal >= event->now;
    case TAKT_EVENT_LOCK:
    case TAKT_EVENT_UNLOCK:
        return runs && lock_fits(system, event);
    case TAKT_EVENT_ARRIVAL:
        return arrival_fits(event);
    case TAKT_EVENT_BLOCK:
        return block_fits(entity);
    case TAKT_EVENT_WITHDRAW:
        return withdraw_fits(entity);
    case TAKT_EVENT_PRIORITY:
        return level_fits(system, entity, event->nominal);
    case TAKT_EVENT_CREATE:
        return create_fits(system, entity, event->nominal);
    case TAKT_EVENT_WAKE:
        return wake_fits(entity);
    default:
        return false;
    }
}

/* To enter and to leave are requests of their own of a task with an allocation. */
static bool takes_change(const takt_task_t *task, takt_change_kind_t kind) {
    return !takt_task_is_allocated(task) ||
           (task->extension->allocation->functions->request != NULL && kind == TAKT_CHANGE_PARAMETERS);
}

/* True if a change is made for the first time, and for the entity in the table. */
static bool change_fits(const takt_system_t *system, const takt_event_t *event) {
    const takt_change_t *change = &system->changes[event->nominal];
    return !change->is_handed_over && change->entity == event->entity &&
           (event->entity == NULL || takes_change(event->entity->task, change->kind));
}

bool takt_fits(const takt_system_t *system, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_CHANGE) {
        return change_fits(system, event);
    }
    if (system->is_global) {
        return fits_several(system, event);
    }
    takt_entity_t *entity = event->entity;
    const bool runs =
        takt_entity_is_ready(entity) && takt_dispatcher_cpu_of(system->dispatcher, entity) != NULL;
    const bool is_allocated = entity->task != NULL && takt_task_is_allocated(entity->task);
    return (is_allocated ? fits_allocated : fits_plain)(system, event, runs);
}

bool takt_event_of_numbers(takt_system_t *system, uint32_t number, takt_event_t *event) {
    const uint64_t value = event->nominal;
    if (!takt_event_is_kind(event->kind)) {
        return false;
    }
    event->entity = takt_system_entity(system, number);
    if (event->kind == TAKT_EVENT_CHANGE) {
        return value < system->change_count && (event->entity != NULL || number == TAKT_NO_ENTITY);
    }
    if (takt_event_is_lock(event)) {
        if (value >= system->resource_count) {
            return false;
        }
        event->resource = &system->resources[value];
    }
    return event->entity != NULL && !takt_entity_is_server(event->entity);
}

void takt_event_give_wait(const takt_system_t *system, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_LOCK && event->entity->task == NULL) {
        takt_plain_t *thread = takt_plain_of(event->entity);
        thread->wait = &system->waits[thread - system->threads];
    }
}
