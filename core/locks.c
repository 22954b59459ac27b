/* Resources of locks.h. */
#include "core/locks.h"

#include "core/allocator.h"

const char *const takt_protocol_names[] = {"none", "npcs",       "pip",  "pcp",          "icpp",
                                           "srp",  "global-srp", "hsrp", "hsrp-payback", "sirap"};

static takt_task_extension_t *extension_of(const takt_entity_t *entity) { return entity->task->extension; }

static takt_resource_t *wanted_by(const takt_entity_t *entity) {
    return takt_entity_is_locking(entity) ? extension_of(entity)->wanted : NULL;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static void lower(takt_key_t *key, takt_key_t bound) { *key = bound < *key ? bound : *key; }

takt_key_t takt_locks_key_without_start(const takt_entity_t *entity) {
    const takt_task_t *task = entity->task;
    takt_key_t key = task->own_key;
    for (const takt_resource_t *held = task->extension->held; held != NULL; held = held->outer) {
        lower(&key, held->boost);
    }
    return key;
}

/* Among equals who holds or waits goes first, unless a non-preemptive job has started. */
void takt_locks_write_key(takt_entity_t *entity) {
    takt_key_t key = takt_locks_key_without_start(entity);
    uint32_t tie = takt_tie_of_locking(entity, &entity->task->job);
    if ((entity->state & TAKT_STATE_STARTED) != 0) {
        const takt_key_t started = entity->task->extension->started_key;
        lower(&key, started);
        tie = started == TAKT_KEY_MOST_URGENT ? 0 : tie;
    }
    if (takt_entity_is_ready(entity)) {
        takt_ready_rekey(&entity->home->ready, entity, key, tie);
    } else {
        entity->key = key;
        entity->tie = tie;
    }
}

static void begin_locking(takt_entity_t *entity) {
    if (!takt_locks_is_displaced(entity)) {
        entity->task->own_key = entity->key;
        entity->task->own_tie = entity->tie;
    }
    entity->attributes = (entity->attributes | TAKT_ATTRIBUTE_LOCKING) & 255u;
}

static void clear_locking(takt_entity_t *entity) {
    entity->attributes = entity->attributes & (255u - TAKT_ATTRIBUTE_LOCKING);
}

/* Its own key again, or that of a started limited job, once it neither holds nor waits. */
static void stop_locking(takt_entity_t *entity) {
    const takt_task_t *task = entity->task;
    if (task->extension->held != NULL || task->extension->wanted != NULL) {
        takt_locks_write_key(entity);
        return;
    }
    const bool is_started = (entity->state & TAKT_STATE_STARTED) != 0;
    clear_locking(entity);
    takt_ready_rekey(
        &entity->home->ready, entity, is_started ? task->extension->started_key : task->own_key,
        is_started ? takt_tie_of_started(entity, &task->job, task->extension->started_key) : task->own_tie);
}

/* ---- who blocks whom --------------------------------------------------------------------------------- */

/* A plain thread, which has no job, has the level that is its key. */
static takt_key_t level_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return entity->home->policy->level(&takt_server_of(entity)->job);
    }
    return entity->task != NULL ? entity->home->policy->level(&entity->task->job) : entity->key;
}

/* What others hold under a protocol from `first` to `last` with the highest ceiling, if the level of `entity` is not
 * above it. */
static takt_resource_t *ceiling_over(takt_entity_t *entity, takt_protocol_t first, takt_protocol_t last) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->home->locked; locked != NULL; locked = locked->below) {
        const bool is_asked = locked->protocol >= (uint32_t)first && locked->protocol <= (uint32_t)last;
        const bool counts = is_asked && locked->holder != entity;
        if (counts && (highest == NULL || locked->ceiling < highest->ceiling)) {
            highest = locked;
        }
    }
    return highest != NULL && highest->ceiling <= level_of(entity) ? highest : NULL;
}

/* What keeps `entity` from the resource that it wants: that itself, or a ceiling; NULL if nothing does. */
static takt_resource_t *obstacle_to(takt_entity_t *entity) {
    takt_resource_t *wanted = wanted_by(entity);
    if (wanted == NULL) {
        return NULL;
    }
    takt_resource_t *ceiling = wanted->protocol == TAKT_PROTOCOL_PCP
                                   ? ceiling_over(entity, TAKT_PROTOCOL_PCP, TAKT_PROTOCOL_PCP)
                                   : NULL;
    if (ceiling != NULL) {
        return ceiling;
    }
    return wanted->holder != NULL ? wanted : NULL;
}

/* Whether `entity` has to wait for the budget that its section may need. What it locks inside of a section is a part
 * of that. */
static bool is_short_of_budget(const takt_entity_t *entity) {
    const takt_resource_t *wanted = wanted_by(entity);
    return wanted != NULL && wanted->protocol == TAKT_PROTOCOL_SIRAP && extension_of(entity)->held == NULL &&
           entity->home->job.remaining < wanted->longest;
}

/* ---- jobs that are not ready ---------------------------------------------------------------------------- */

static void append(takt_entity_t **list, takt_entity_t *entity) {
    takt_entity_t *first = *list;
    if (first == NULL) {
        entity->next = entity;
        entity->prev = entity;
        *list = entity;
        return;
    }
    entity->next = first;
    entity->prev = first->prev;
    first->prev->next = entity;
    first->prev = entity;
}

static void detach(takt_entity_t **list, takt_entity_t *entity) {
    if (entity->next == entity) {
        *list = NULL;
        return;
    }
    entity->prev->next = entity->next;
    entity->next->prev = entity->prev;
    if (*list == entity) {
        *list = entity->next;
    }
}

static void park(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now) {
    takt_dispatcher_leave(entity, now);
    append(&resource->parked, entity);
    extension_of(entity)->parked_at = resource;
}

static takt_entity_t *take_parked(takt_entity_t **list) {
    takt_entity_t *entity = *list;
    if (entity != NULL) {
        detach(list, entity);
        extension_of(entity)->parked_at = NULL;
    }
    return entity;
}

/* Those that wait for what `entity` holds lend it their urgency again. */
static void gather(takt_entity_t **list, const takt_entity_t *entity) {
    for (takt_resource_t *held = extension_of(entity)->held; held != NULL; held = held->outer) {
        takt_entity_t *waiting;
        while (held->protocol != TAKT_PROTOCOL_NONE && (waiting = take_parked(&held->parked)) != NULL) {
            append(list, waiting);
        }
    }
}

/* All that wait at `resource` are ready again, and all that wait for them. */
static void unpark(takt_resource_t *resource, takt_instant_t instant) {
    takt_entity_t *list = NULL;
    takt_entity_t *entity;
    while ((entity = take_parked(&resource->parked)) != NULL) {
        append(&list, entity);
    }
    while ((entity = list) != NULL) {
        detach(&list, entity);
        takt_dispatcher_rejoin(entity, instant);
        gather(&list, entity);
    }
}

/* ---- deadlock --------------------------------------------------------------------------------------- */

/* Who holds what `entity` waits for; NULL if it does not wait, or in a circle that is known. */
static takt_entity_t *next_in_chain(takt_entity_t *entity) {
    const takt_resource_t *obstacle = obstacle_to(entity);
    return obstacle != NULL && extension_of(entity)->circle == NULL ? obstacle->holder : NULL;
}

static bool closes_a_circle(takt_entity_t *entity) {
    takt_entity_t *next = next_in_chain(entity);
    while (next != NULL && next != entity) {
        next = next_in_chain(next);
    }
    return next == entity;
}

static void note_circle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = obstacle_to(member);
        takt_dispatcher_note(dispatcher, TAKT_RECORD_DEADLOCK, now, wanted_by(member), member);
        extension_of(member)->circle = obstacle;
        member = obstacle->holder;
    } while (member != entity);
}

/* The jobs of the circle wait where they are blocked. */
TAKT_RARE static void report_deadlock(takt_dispatcher_t *dispatcher, takt_entity_t *entity,
                                      takt_instant_t now) {
    note_circle(dispatcher, entity, now);
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = extension_of(member)->circle;
        if (takt_entity_is_ready(member)) {
            park(member, obstacle, now);
        }
        member = obstacle->holder;
    } while (member != entity);
}

TAKT_RARE static void break_circle(takt_entity_t *entity) {
    takt_entity_t *member = entity;
    do {
        const takt_resource_t *obstacle = extension_of(member)->circle;
        extension_of(member)->circle = NULL;
        member = obstacle->holder;
    } while (member != entity);
}

/* ---- lock and unlock ---------------------------------------------------------------------------------- */

static takt_key_t boost_of(const takt_resource_t *resource, const takt_entity_t *entity, takt_instant_t now) {
    const takt_policy_t *policy = entity->home->policy;
    switch (resource->protocol) {
    case TAKT_PROTOCOL_NPCS:
        return TAKT_KEY_MOST_URGENT;
    case TAKT_PROTOCOL_ICPP:
        return policy->start != NULL ? policy->start(resource->ceiling, now) : resource->ceiling;
    default:
        return TAKT_KEY_LEAST_URGENT;
    }
}

/* `server` holds what a job in it has locked. */
static void hold_among(takt_server_t *server, takt_resource_t *among) {
    server->held++;
    among->holder = &server->entity;
    among->below = takt_server_parent(server)->locked;
    takt_server_parent(server)->locked = among;
}

static void tell_lock(const takt_entity_t *entity, takt_resource_t *resource) {
    const takt_allocation_t *allocation = extension_of(entity)->allocation;
    if (allocation != NULL && allocation->functions->lock != NULL) {
        allocation->functions->lock(entity->task, resource);
    }
}

static void tell_unlock(const takt_entity_t *entity, const takt_resource_t *resource, takt_instant_t now) {
    const takt_allocation_t *allocation = extension_of(entity)->allocation;
    if (allocation != NULL && allocation->functions->unlock != NULL) {
        allocation->functions->unlock(entity->task, resource, now);
    }
}

static void grant(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_task_extension_t *extension = extension_of(entity);
    takt_resource_t *resource = extension->wanted;
    resource->holder = entity;
    resource->boost = boost_of(resource, entity, now);
    resource->below = entity->home->locked;
    resource->outer = extension->held;
    entity->home->locked = resource;
    extension->held = resource;
    extension->wanted = NULL;
    if (resource->among != NULL) {
        hold_among(entity->home, resource->among);
    }
    tell_lock(entity, resource);
    takt_locks_write_key(entity);
    takt_dispatcher_note(dispatcher, TAKT_RECORD_GRANT, now, resource, entity);
}

static void refuse(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_resource_t *wanted = extension_of(entity)->wanted;
    takt_dispatcher_note(dispatcher, TAKT_RECORD_REFUSE, now, wanted, entity);
    takt_dispatcher_end_region(entity);
    takt_locks_write_key(entity);
    if (is_short_of_budget(entity)) {
        takt_dispatcher_await_budget(entity, now);
    } else if (closes_a_circle(entity)) {
        report_deadlock(dispatcher, entity, now);
    } else if (wanted->protocol == TAKT_PROTOCOL_NONE) {
        park(entity, wanted, now);
    }
}

static void lock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_resource_t *resource,
                 takt_instant_t now) {
    begin_locking(entity);
    extension_of(entity)->wanted = resource;
    if (obstacle_to(entity) != NULL || is_short_of_budget(entity)) {
        refuse(dispatcher, entity, now);
    } else {
        grant(dispatcher, entity, now);
    }
}

static void unlink_locked(takt_server_t *home, const takt_resource_t *resource) {
    takt_resource_t **link = &home->locked;
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

/* The last one that `entity` locked is free, nominally at `instant`; its key is not written yet. */
static void free_last(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now,
                      takt_instant_t instant) {
    takt_resource_t *resource = extension_of(entity)->held;
    unlink_locked(entity->home, resource);
    extension_of(entity)->held = resource->outer;
    resource->holder = NULL;
    if (resource->among != NULL) {
        free_among(entity->home, resource->among);
    }
    takt_dispatcher_note(dispatcher, TAKT_RECORD_FREE, now, resource, entity);
    tell_unlock(entity, resource, now);
    unpark(resource, instant);
}

void takt_locks_apply(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_LOCK) {
        lock(dispatcher, event->entity, &dispatcher->resources[event->nominal], event->now);
    } else {
        free_last(dispatcher, event->entity, event->now, event->now);
        stop_locking(event->entity);
    }
}

void takt_locks_end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                        takt_instant_t instant) {
    takt_task_extension_t *extension = task->extension;
    if (extension->circle != NULL) {
        break_circle(task->entity);
    }
    if (extension->parked_at != NULL) {
        detach(&extension->parked_at->parked, task->entity);
        extension->parked_at = NULL;
    }
    extension->wanted = NULL;
    while (extension->held != NULL) {
        free_last(dispatcher, task->entity, now, instant);
    }
    if (takt_entity_is_ready(task->entity)) {
        stop_locking(task->entity);
    } else {
        clear_locking(task->entity);
    }
}

/* ---- who runs ------------------------------------------------------------------------------------------- */

/* Who runs instead of one that `obstacle` blocks: who holds it, or who blocks that one, and so on; NULL if that
 * is a circle, or a server without budget. */
static takt_entity_t *end_of_chain(takt_resource_t *obstacle) {
    takt_entity_t *entity = obstacle->holder;
    if (takt_entity_is_server(entity)) {
        return takt_entity_is_ready(entity) ? entity : NULL;
    }
    while (extension_of(entity)->circle == NULL) {
        obstacle = obstacle_to(entity);
        if (obstacle == NULL) {
            return entity;
        }
        entity = obstacle->holder;
    }
    return NULL;
}

/* `entity`, the best of its home, cannot go on, and nobody may run instead of it. */
static void take_out(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    takt_server_t *root = entity->home;
    while (!takt_server_is_root(root)) {
        root = takt_server_parent(root);
    }
    TAKT_CONTAINER_OF(root, takt_dispatcher_t, root)->taken_out++;
    if (obstacle != NULL) {
        park(entity, obstacle, now);
    } else {
        takt_dispatcher_await_budget(entity, now);
    }
}

takt_entity_t *takt_locks_choose(takt_server_t *home, takt_instant_t now) {
    takt_entity_t *best;
    while ((best = takt_ready_best(&home->ready)) != NULL) {
        takt_resource_t *obstacle = ceiling_over(best, TAKT_PROTOCOL_SRP, TAKT_PROTOCOL_SIRAP);
        if (obstacle == NULL) {
            obstacle = obstacle_to(best);
        }
        if (obstacle == NULL && !is_short_of_budget(best)) {
            return best;
        }
        takt_entity_t *other =
            obstacle != NULL && obstacle->protocol != TAKT_PROTOCOL_NONE ? end_of_chain(obstacle) : NULL;
        if (other != NULL || (obstacle != NULL && takt_entity_is_server(obstacle->holder))) {
            return other;
        }
        take_out(best, obstacle, now);
    }
    return NULL;
}

void takt_locks_settle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    if (wanted_by(entity) != NULL) {
        grant(dispatcher, entity, now);
    }
}
