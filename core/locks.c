/* Resources of locks.h. */
#include "core/locks.h"

#include "core/allocator.h"

const char *const takt_protocol_names[] = {"none", "npcs",       "pip",  "pcp",          "icpp",
                                           "srp",  "global-srp", "hsrp", "hsrp-payback", "sirap"};

/* ---- jobs and plain threads ----------------------------------------------------------------------- */

/* The last resource that `entity`, no server, holds. */
static takt_resource_t **held_by(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->held : &takt_plain_of(entity)->held;
}

/* NULL for a plain thread that wants nothing. */
static takt_lock_wait_t *wait_of(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->wait : takt_plain_of(entity)->wait;
}

static takt_resource_t *wanted_by(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_entity_is_locking(entity) ? wait_of(entity) : NULL;
    return wait != NULL ? wait->wanted : NULL;
}

/* What `entity` waits for in a circle. */
static takt_resource_t *circle_of(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = wait_of(entity);
    return wait != NULL ? wait->circle : NULL;
}

/* `entity` does not want anything any more. */
static void end_wait(takt_entity_t *entity) {
    wait_of(entity)->wanted = NULL;
    if (entity->task == NULL) {
        takt_plain_of(entity)->wait = NULL;
    }
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static bool has_keys(const takt_entity_t *entity) { return entity->home->ready.order == TAKT_ORDER_KEYS; }

static uint32_t tie_of_thread(const takt_entity_t *entity, uint32_t rank) {
    return (TAKT_CLASS_NONE + rank) << 20 | entity->id;
}

void takt_locks_write_level(takt_entity_t *entity, takt_key_t level) {
    entity->tie = has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_OWN) : (uint32_t)level;
    entity->key = has_keys(entity) ? TAKT_KEY_LEAST_URGENT : level;
}

void takt_locks_create(takt_entity_t *entity, takt_key_t level) {
    takt_locks_write_level(entity, level);
    if (has_keys(entity) && level == TAKT_KEY_LEAST_URGENT) {
        entity->tie = UINT32_MAX;
    }
}

/* The key that `entity` has, or would have if it neither held nor waited nor had started. */
static takt_key_t own_key(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return entity->task->own_key;
    }
    return has_keys(entity) ? TAKT_KEY_LEAST_URGENT : entity->tie;
}

static uint32_t own_tie(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return entity->task->own_tie;
    }
    return has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_OWN) : entity->tie;
}

/* The tie of `entity`, which holds or waits. */
static uint32_t tie_of_locking(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return takt_tie_of_locking(entity, &entity->task->job);
    }
    return has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_LOCKING) : entity->tie;
}

static void lower(takt_key_t *key, takt_key_t bound) { *key = bound < *key ? bound : *key; }

takt_key_t takt_locks_key_without_start(takt_entity_t *entity) {
    takt_key_t key = own_key(entity);
    for (const takt_resource_t *held = *held_by(entity); held != NULL; held = held->outer) {
        lower(&key, held->boost);
    }
    return key;
}

/* On a level one that has the key keeps its place, and all keep their ties: nobody goes before its equals there. */
void takt_locks_put(takt_entity_t *entity, takt_key_t key, uint32_t tie) {
    if (!takt_entity_is_ready(entity)) {
        entity->key = key;
        entity->tie = has_keys(entity) ? tie : entity->tie;
    } else if (has_keys(entity) || entity->key != key) {
        takt_ready_rekey(&entity->home->ready, entity, key, tie);
    }
}

/* Among equals who holds or waits goes first, unless a non-preemptive job has started. */
void takt_locks_write_key(takt_entity_t *entity) {
    takt_key_t key = takt_locks_key_without_start(entity);
    uint32_t tie = tie_of_locking(entity);
    if ((entity->state & TAKT_STATE_STARTED) != 0) {
        const takt_key_t started = entity->task->extension->started_key;
        lower(&key, started);
        tie = started == TAKT_KEY_MOST_URGENT ? 0 : tie;
    }
    takt_locks_put(entity, key, tie);
}

void takt_locks_change_level(takt_entity_t *entity, takt_key_t level) {
    if (has_keys(entity)) {
        return;
    }
    entity->tie = (uint32_t)level;
    if (takt_entity_is_locking(entity)) {
        takt_locks_write_key(entity);
    } else {
        takt_locks_put(entity, level, entity->tie);
    }
}

/* All that `entity` holds is known to its dispatcher, and that it may be waited for. */
static void begin_locking(takt_entity_t *entity) {
    if (entity->task != NULL && !takt_locks_is_displaced(entity)) {
        entity->task->own_key = entity->key;
        entity->task->own_tie = entity->tie;
    }
    for (takt_resource_t *held = *held_by(entity); held != NULL && !takt_entity_is_locking(entity);
         held = held->outer) {
        held->below = entity->home->locked;
        entity->home->locked = held;
    }
    entity->attributes = (entity->attributes | TAKT_ATTRIBUTE_LOCKING) & 255u;
}

static void clear_locking(takt_entity_t *entity) {
    entity->attributes = entity->attributes & (255u - TAKT_ATTRIBUTE_LOCKING);
}

/* Its own key again, or that of a started limited job, once it neither holds nor waits. */
static void stop_locking(takt_entity_t *entity) {
    if (*held_by(entity) != NULL || wanted_by(entity) != NULL) {
        takt_locks_write_key(entity);
        return;
    }
    clear_locking(entity);
    if ((entity->state & TAKT_STATE_STARTED) != 0) {
        const takt_key_t started = entity->task->extension->started_key;
        takt_locks_put(entity, started, takt_tie_of_started(entity, &entity->task->job, started));
    } else {
        takt_locks_put(entity, own_key(entity), own_tie(entity));
    }
}

/* ---- who blocks whom --------------------------------------------------------------------------------- */

/* A plain thread, which has no job, has the level that is its own key. */
static takt_key_t level_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return entity->home->policy->level(&takt_server_of(entity)->job);
    }
    return entity->task != NULL ? entity->home->policy->level(&entity->task->job) : own_key(entity);
}

/* Whether `entity` is a plain thread that is not ready, or a job that waits for one in the end. */
static bool is_out(takt_entity_t *entity) {
    const bool may_be = !takt_entity_is_server(entity) && !takt_entity_is_ready(entity);
    return may_be && (entity->task == NULL || entity->task->extension->wait.parked_at != NULL);
}

/* Who holds something and is out bars nobody from running. */
static bool bars(const takt_resource_t *locked) {
    return locked->protocol == TAKT_PROTOCOL_PCP || !is_out(locked->holder);
}

/* What others hold under a protocol from `first` to `last` with the highest ceiling, if the level of `entity` is not
 * above it. */
static takt_resource_t *ceiling_over(takt_entity_t *entity, takt_protocol_t first, takt_protocol_t last) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->home->locked; locked != NULL; locked = locked->below) {
        const bool is_asked = locked->protocol >= (uint32_t)first && locked->protocol <= (uint32_t)last;
        const bool counts = is_asked && locked->holder != entity && bars(locked);
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
static bool is_short_of_budget(takt_entity_t *entity) {
    const takt_resource_t *wanted = wanted_by(entity);
    return wanted != NULL && wanted->protocol == TAKT_PROTOCOL_SIRAP && *held_by(entity) == NULL &&
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

static void stand_at(takt_entity_t *entity, takt_resource_t *resource) {
    append(&resource->parked, entity);
    wait_of(entity)->parked_at = resource;
}

static void park(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now) {
    takt_dispatcher_leave(entity, now);
    stand_at(entity, resource);
}

static takt_entity_t *take_parked(takt_entity_t **list) {
    takt_entity_t *entity = *list;
    if (entity != NULL) {
        detach(list, entity);
        wait_of(entity)->parked_at = NULL;
    }
    return entity;
}

/* Takes all that stand in `from` over to `list`. */
static void move_parked(takt_entity_t **list, takt_resource_t *from) {
    takt_entity_t *entity;
    while ((entity = take_parked(&from->parked)) != NULL) {
        append(list, entity);
    }
}

static void gather(takt_entity_t **list, takt_entity_t *entity) {
    for (takt_resource_t *held = *held_by(entity); held != NULL; held = held->outer) {
        move_parked(list, held);
    }
}

/* Who waits under `none` lends nothing, and is not ready as long as somebody else holds that. */
static bool stays_parked(takt_entity_t *entity) {
    const takt_resource_t *wanted = wanted_by(entity);
    return wanted != NULL && wanted->protocol == TAKT_PROTOCOL_NONE && wanted->holder != NULL;
}

/* All in `list` are ready again, and all that wait for them, so that they lend them their urgency. */
static void come_back(takt_entity_t *list, takt_instant_t instant) {
    takt_entity_t *entity;
    while ((entity = list) != NULL) {
        detach(&list, entity);
        if (stays_parked(entity)) {
            stand_at(entity, wanted_by(entity));
        } else {
            takt_dispatcher_rejoin(entity, instant);
        }
        gather(&list, entity);
    }
}

void takt_locks_lend(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *list = NULL;
    gather(&list, entity);
    come_back(list, now);
}

/* All that wait at `resource` are ready again. */
static void unpark(takt_resource_t *resource, takt_instant_t instant) {
    takt_entity_t *list = NULL;
    move_parked(&list, resource);
    come_back(list, instant);
}

/* ---- deadlock --------------------------------------------------------------------------------------- */

/* Who holds what `entity` waits for; NULL if it does not wait, or in a circle that is known. */
static takt_entity_t *next_in_chain(takt_entity_t *entity) {
    const takt_resource_t *obstacle = obstacle_to(entity);
    return obstacle != NULL && circle_of(entity) == NULL ? obstacle->holder : NULL;
}

/* One of the circle to which the chain behind `entity` leads, itself if it is one; NULL: it leads to none. */
static takt_entity_t *circle_behind(takt_entity_t *entity) {
    takt_entity_t *slow = entity;
    takt_entity_t *fast = entity;
    do {
        slow = next_in_chain(slow);
        fast = next_in_chain(fast);
        fast = fast != NULL ? next_in_chain(fast) : NULL;
    } while (fast != NULL && fast != slow);
    return fast;
}

static void note_circle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = obstacle_to(member);
        takt_dispatcher_note(dispatcher, TAKT_RECORD_DEADLOCK, now, wanted_by(member), member);
        wait_of(member)->circle = obstacle;
        member = obstacle->holder;
    } while (member != entity);
}

/* The jobs of the circle wait where they are blocked. */
TAKT_RARE static void report_deadlock(takt_dispatcher_t *dispatcher, takt_entity_t *entity,
                                      takt_instant_t now) {
    note_circle(dispatcher, entity, now);
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = circle_of(member);
        if (takt_entity_is_ready(member)) {
            park(member, obstacle, now);
        }
        member = obstacle->holder;
    } while (member != entity);
}

TAKT_RARE static void break_circle(takt_entity_t *entity) {
    takt_entity_t *member = entity;
    do {
        const takt_resource_t *obstacle = circle_of(member);
        wait_of(member)->circle = NULL;
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

/* NULL for a task without one, and for a plain thread. */
static const takt_allocation_t *allocation_of(const takt_entity_t *entity) {
    return entity->task != NULL ? entity->task->extension->allocation : NULL;
}

static void tell_lock(const takt_entity_t *entity, takt_resource_t *resource) {
    const takt_allocation_t *allocation = allocation_of(entity);
    if (allocation != NULL && allocation->functions->lock != NULL) {
        allocation->functions->lock(entity->task, resource);
    }
}

static void tell_unlock(const takt_entity_t *entity, const takt_resource_t *resource, takt_instant_t now) {
    const takt_allocation_t *allocation = allocation_of(entity);
    if (allocation != NULL && allocation->functions->unlock != NULL) {
        allocation->functions->unlock(entity->task, resource, now);
    }
}

static void grant(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_resource_t *resource = wanted_by(entity);
    resource->holder = entity;
    resource->boost = boost_of(resource, entity, now);
    resource->below = entity->home->locked;
    resource->outer = *held_by(entity);
    entity->home->locked = resource;
    *held_by(entity) = resource;
    end_wait(entity);
    if (resource->among != NULL) {
        hold_among(entity->home, resource->among);
    }
    tell_lock(entity, resource);
    takt_locks_write_key(entity);
    takt_dispatcher_note(dispatcher, TAKT_RECORD_GRANT, now, resource, entity);
}

static void refuse(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_resource_t *wanted = wanted_by(entity);
    takt_entity_t *member = circle_behind(entity);
    takt_dispatcher_note(dispatcher, TAKT_RECORD_REFUSE, now, wanted, entity);
    takt_dispatcher_end_region(entity);
    takt_locks_write_key(entity);
    if (is_short_of_budget(entity)) {
        takt_dispatcher_await_budget(entity, now);
    } else if (member != NULL) {
        report_deadlock(dispatcher, member, now);
    } else if (wanted->protocol == TAKT_PROTOCOL_NONE) {
        park(entity, wanted, now);
    }
}

/* What was locked without a word to the dispatcher, of `pip`, is known to it from the first one on that wants it. The
 * holder's place is what it would be if it had been known. */
static void discover_holder(takt_entity_t *holder) {
    if (holder != NULL && takt_entity_is_thread(holder) && !takt_entity_is_locking(holder)) {
        begin_locking(holder);
    }
}

static void lock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_resource_t *resource,
                 takt_instant_t now) {
    discover_holder(resource->holder);
    begin_locking(entity);
    wait_of(entity)->wanted = resource;
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
    takt_resource_t *resource = *held_by(entity);
    unlink_locked(entity->home, resource);
    *held_by(entity) = resource->outer;
    resource->holder = NULL;
    if (resource->among != NULL) {
        free_among(entity->home, resource->among);
    }
    takt_dispatcher_note(dispatcher, TAKT_RECORD_FREE, now, resource, entity);
    tell_unlock(entity, resource, now);
    unpark(resource, instant);
}

/* `entity` does not stand in a circle any more, nor in a list. Returns whether it did in one. */
static bool leave_queue(takt_entity_t *entity) {
    takt_lock_wait_t *wait = wait_of(entity);
    if (wait == NULL) {
        return false;
    }
    if (wait->circle != NULL) {
        break_circle(entity);
    }
    takt_resource_t *place = wait->parked_at;
    if (place != NULL) {
        detach(&place->parked, entity);
        wait->parked_at = NULL;
    }
    return place != NULL;
}

static void unlock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    begin_locking(entity);
    free_last(dispatcher, entity, now, now);
    stop_locking(entity);
}

/* `entity`, which stood in a list, competes again. */
static void compete_again(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *list = NULL;
    append(&list, entity);
    come_back(list, now);
}

/* `entity` does not want anything any more. */
static void withdraw(takt_entity_t *entity, takt_instant_t now) {
    const bool was_parked = leave_queue(entity);
    end_wait(entity);
    stop_locking(entity);
    if (was_parked) {
        compete_again(entity, now);
    }
}

void takt_locks_reconsider(takt_entity_t *entity, takt_instant_t now) {
    const takt_resource_t *circle = circle_of(entity);
    const bool stays = stays_parked(entity) || (circle != NULL && circle == obstacle_to(entity));
    if (!stays && leave_queue(entity)) {
        compete_again(entity, now);
    }
}

void takt_locks_apply(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_LOCK) {
        lock(dispatcher, event->entity, event->resource, event->now);
    } else if (event->kind == TAKT_EVENT_UNLOCK) {
        unlock(dispatcher, event->entity, event->now);
    } else {
        withdraw(event->entity, event->now);
    }
}

void takt_locks_end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                        takt_instant_t instant) {
    leave_queue(task->entity);
    task->extension->wait.wanted = NULL;
    while (task->extension->held != NULL) {
        free_last(dispatcher, task->entity, now, instant);
    }
    if (takt_entity_is_ready(task->entity)) {
        stop_locking(task->entity);
    } else {
        clear_locking(task->entity);
    }
}

/* ---- who runs ------------------------------------------------------------------------------------------- */

/* Whether `entity` is not ready, and not because of a resource. */
static bool is_away(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = wait_of(entity);
    return !takt_entity_is_ready(entity) && (wait == NULL || wait->parked_at == NULL);
}

/* Who runs instead of one that `obstacle` blocks: who holds it, or who blocks that one, and so on; NULL if that
 * is a circle, a server without budget, or a thread that is not ready. */
static takt_entity_t *end_of_chain(takt_resource_t *obstacle) {
    takt_entity_t *entity = obstacle->holder;
    if (takt_entity_is_server(entity)) {
        return takt_entity_is_ready(entity) ? entity : NULL;
    }
    while (circle_of(entity) == NULL && !is_away(entity)) {
        obstacle = obstacle_to(entity);
        if (obstacle == NULL) {
            return takt_entity_is_ready(entity) ? entity : NULL;
        }
        entity = obstacle->holder;
    }
    return NULL;
}

static takt_dispatcher_t *dispatcher_of(const takt_entity_t *entity) {
    takt_server_t *root = entity->home;
    while (!takt_server_is_root(root)) {
        root = takt_server_parent(root);
    }
    return TAKT_CONTAINER_OF(root, takt_dispatcher_t, root);
}

/* `entity`, which `obstacle` blocks, cannot go on, and nobody may run instead of it, nor do those between. Whom only
 * a ceiling keeps from running goes on once the holder does not. */
static void take_out(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    const bool is_barred = obstacle != obstacle_to(entity) && takt_entity_is_ready(obstacle->holder);
    dispatcher_of(entity)->taken_out++;
    if (!is_barred) {
        park(entity, obstacle, now);
    }
    if (obstacle->protocol == TAKT_PROTOCOL_NONE) {
        return;
    }
    for (entity = obstacle->holder; takt_entity_is_ready(entity); entity = obstacle->holder) {
        obstacle = obstacle_to(entity);
        park(entity, obstacle, now);
    }
}

/* Reports a circle that nobody closed by a lock: levels have changed. Returns whether there was one. */
static bool finds_deadlock(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = circle_behind(entity);
    if (member != NULL) {
        report_deadlock(dispatcher_of(entity), member, now);
    }
    return member != NULL;
}

/* Who runs instead of `entity`, the best of its home; NULL if that is nobody, and `entity` may not be the best any
 * more. */
static takt_entity_t *stand_in(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    takt_entity_t *other = NULL;
    if (obstacle->protocol != TAKT_PROTOCOL_NONE && !finds_deadlock(entity, now)) {
        other = end_of_chain(obstacle);
    }
    if (other == NULL && !takt_entity_is_server(obstacle->holder) && takt_entity_is_ready(entity)) {
        take_out(entity, obstacle, now);
    }
    return other;
}

takt_entity_t *takt_locks_choose(takt_server_t *home, takt_instant_t now) {
    takt_entity_t *best;
    while ((best = takt_ready_best(&home->ready)) != NULL) {
        takt_resource_t *obstacle = ceiling_over(best, TAKT_PROTOCOL_SRP, TAKT_PROTOCOL_SIRAP);
        if (obstacle == NULL) {
            obstacle = obstacle_to(best);
        }
        if (obstacle != NULL) {
            takt_entity_t *other = stand_in(best, obstacle, now);
            if (other != NULL || takt_entity_is_server(obstacle->holder)) {
                return other;
            }
        } else if (is_short_of_budget(best)) {
            dispatcher_of(best)->taken_out++;
            takt_dispatcher_await_budget(best, now);
        } else {
            return best;
        }
    }
    return NULL;
}

void takt_locks_settle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    if (wanted_by(entity) != NULL) {
        grant(dispatcher, entity, now);
    }
}
