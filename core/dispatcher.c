/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The full pass of dispatcher.h. Steps are numbered as in SPEC.md, 2. */
#include "core/dispatcher.h"

#include "core/account.h"
#include "core/allocator.h"
#include "core/hierarchy.h"
#include "core/jobs.h"
#include "core/locks.h"
#include "core/record.h"
#include "core/source.h"
#include "core/urgency.h"

/* ---- handlers between charging execution and handling exhausted budgets (step 2) ------------------------ */

static void complete(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_jobs_complete(dispatcher, event->entity->task, event->now);
}

static void block(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    (void)dispatcher;
    takt_urgency_end_region(event->entity);
    takt_hierarchy_leave(event->entity, event->now);
}

static void suspend(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    (void)dispatcher;
    takt_jobs_suspend(event->entity, event->now, event->nominal);
}

static void yield(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    (void)dispatcher;
    takt_ready_rotate(&event->entity->parent->ready, event->entity);
}

static void lock(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    dispatcher->locks->apply(dispatcher, event);
}

static void create(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    (void)dispatcher;
    takt_urgency_set_level(event->entity, event->nominal);
}

/* The entity is appended to the FIFO of its new level. */
static void change_level(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    const takt_key_t before = entity->key;
    takt_urgency_change_level(entity, event->nominal, event->now);
    if (takt_entity_is_ready(entity) && entity->key != before) {
        takt_ready_rotate(&entity->parent->ready, entity);
    }
    if (takt_entity_is_locking(entity)) {
        dispatcher->locks->reconsider(entity, event->now);
    }
}

/* ---- handlers that charge execution themselves, if at all ---------------------------------------------- */

static void wake(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_account(dispatcher, event->now);
    takt_hierarchy_rejoin(event->entity, event->now);
    if (TAKT_UNLIKELY(takt_entity_is_locking(event->entity))) {
        dispatcher->locks->lend(event->entity, event->now);
    }
}

static void arrive(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_task_t *task = event->entity->task;
    (void)dispatcher;
    task->extension->source->arrive(task, event->now, event->nominal);
}

/* Only a change of the policy charges execution here; a task's source charges if necessary. */
static void change(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_change_t *change = &dispatcher->changes[event->nominal];
    if (change->kind == TAKT_CHANGE_POLICY) {
        takt_account(dispatcher, event->now);
        takt_change_policy(&dispatcher->root, change);
    } else {
        takt_task_t *task = event->entity->task;
        task->extension->source->change(dispatcher, task, change, event->now);
    }
}

static void enter(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_account(dispatcher, event->now);
    takt_task_allocator(event->entity->task)->enter(event->entity->task, event->now);
}

static void leave(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_account(dispatcher, event->now);
    takt_task_allocator(event->entity->task)->leave(event->entity->task, event->now);
}

/* Call only if there is a trace. */
static void record_event(takt_dispatcher_t *dispatcher, const takt_event_t *event, uint64_t value) {
    takt_record_steps(dispatcher);
    takt_record_call(dispatcher, (takt_record_kind_t)event->kind, event->now, value, event->entity, 0);
}

/* Sets should_yield at a preemption point; the flag stays until the next take. Only a point that is not optional
 * ends the region. */
static void meet_point(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_account(dispatcher, event->now);
    const uint32_t should_yield = takt_urgency_is_exceeded(event->entity);
    takt_dispatcher_cpu_of(dispatcher, event->entity)->should_yield = should_yield;
    if (dispatcher->trace != NULL) {
        record_event(dispatcher, event, should_yield);
    }
    if (event->kind == TAKT_EVENT_POINT) {
        takt_urgency_end_region(event->entity);
    }
}

/* ---- post ------------------------------------------------------------------------------------------------ */

static void (*const handlers[TAKT_EVENT_CREATE + 1])(takt_dispatcher_t *, const takt_event_t *) = {
    [TAKT_EVENT_COMPLETE] = complete,
    [TAKT_EVENT_BLOCK] = block,
    [TAKT_EVENT_WAKE] = wake,
    [TAKT_EVENT_YIELD] = yield,
    [TAKT_EVENT_SUSPEND] = suspend,
    [TAKT_EVENT_ARRIVAL] = arrive,
    [TAKT_EVENT_LOCK] = lock,
    [TAKT_EVENT_UNLOCK] = lock,
    [TAKT_EVENT_ENTER] = enter,
    [TAKT_EVENT_LEAVE] = leave,
    [TAKT_EVENT_CHANGE] = change,
    [TAKT_EVENT_WITHDRAW] = lock,
    [TAKT_EVENT_PRIORITY] = change_level,
    [TAKT_EVENT_CREATE] = create,
    [TAKT_EVENT_POINT] = meet_point,
    [TAKT_EVENT_OPTIONAL_POINT] = meet_point,
};

bool takt_event_is_kind(uint32_t kind) {
    return kind < sizeof handlers / sizeof handlers[0] && handlers[kind] != NULL;
}

enum {
    SELF_CHARGING = 1 << TAKT_EVENT_WAKE | 1 << TAKT_EVENT_ARRIVAL | 1 << TAKT_EVENT_ENTER |
                    1 << TAKT_EVENT_LEAVE | 1 << TAKT_EVENT_CHANGE | 1 << TAKT_EVENT_POINT |
                    1 << TAKT_EVENT_OPTIONAL_POINT,
};

/* True if the handler may arm a timer of the server that `event` concerns. */
TAKT_INLINE bool arms_timer(const takt_event_t *event) {
    return event->entity != NULL && event->entity->task != NULL && event->entity->task->extension != NULL;
}

TAKT_RARE static void handle_around(takt_dispatcher_t *dispatcher, const takt_event_t *event,
                                    bool is_charged) {
    if (is_charged) {
        takt_account_charge(dispatcher, event->now);
    }
    handlers[event->kind](dispatcher, event);
    if (is_charged) {
        takt_account_exhaust(dispatcher, event->now);
    }
    if (arms_timer(event)) {
        takt_hierarchy_rearm_wakes(event->entity->parent);
    }
}

/* Ends with a tail call, so that its frame is not below that of the handler. */
TAKT_INLINE void handle(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    const bool charges_itself = ((uint32_t)SELF_CHARGING >> event->kind & 1u) != 0;
    const bool is_charged = !charges_itself && takt_account_is_any_charged(dispatcher);
    if (TAKT_UNLIKELY(is_charged || arms_timer(event))) {
        handle_around(dispatcher, event, is_charged);
    } else {
        handlers[event->kind](dispatcher, event);
    }
}

static uint64_t value_of(const takt_event_t *event) {
    return takt_event_is_lock(event) ? event->resource->number : event->nominal;
}

/* Points are recorded by their handler, with its result. */
TAKT_RARE static void post_recorded(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    if (!takt_event_is_point(event)) {
        record_event(dispatcher, event, value_of(event));
    }
    handle(dispatcher, event);
}

void takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    dispatcher->sequence++;
    if (TAKT_UNLIKELY(dispatcher->trace != NULL)) {
        post_recorded(dispatcher, event);
    } else {
        handle(dispatcher, event);
    }
}

TAKT_RARE static void allocate(takt_allocation_t *allocation) {
    allocation->functions->timer(allocation, allocation->timer.instant);
}

TAKT_RARE static void expire(takt_dispatcher_t *dispatcher, const takt_task_extension_t *extension,
                             takt_instant_t now) {
    extension->source->expire(dispatcher, extension->task, now);
}

/* Handles an expired timer that is neither a release nor a wake. */
static void fire(takt_dispatcher_t *dispatcher, takt_timer_t *timer, takt_instant_t now) {
    switch ((takt_timer_kind_t)timer->kind) {
    case TAKT_TIMER_REPLENISHMENT:
        takt_account_replenish(TAKT_CONTAINER_OF(timer, takt_server_t, replenishment));
        break;
    case TAKT_TIMER_EXPIRY:
        expire(dispatcher, TAKT_CONTAINER_OF(timer, takt_task_extension_t, expiry), now);
        break;
    case TAKT_TIMER_INSTANT_END:
        dispatcher->expired--; /* the end of an instant is part of the preceding item */
        takt_account_lose_idle_budget(TAKT_CONTAINER_OF(timer, takt_server_t, instant_end));
        break;
    case TAKT_TIMER_ALLOCATION:
        allocate(TAKT_CONTAINER_OF(timer, takt_allocation_t, timer));
        break;
    default:
        takt_hierarchy_rejoin(TAKT_CONTAINER_OF(timer, takt_task_extension_t, resume)->task->entity,
                              timer->instant);
        break;
    }
}

/* Handles or moves one timer of the root or, if that is a wake, of the server that it wakes; the wakes of
 * the servers above are then rearmed. A server's timers are processed up to its wake-up instant, not up to
 * now: what is due later in it follows what is due earlier in its parent, even if both are overdue. */
TAKT_INLINE void fire_one(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_server_t *server = &dispatcher->root;
    takt_timer_t *timer = takt_timers_take(&server->timers, now);
    while (timer != NULL && timer->kind == TAKT_TIMER_WAKE) {
        server = TAKT_CONTAINER_OF(timer, takt_server_t, wake);
        timer = takt_timers_take(&server->timers, timer->instant);
    }
    dispatcher->expired += timer != NULL;
    if (timer != NULL && TAKT_LIKELY(timer->kind == TAKT_TIMER_RELEASE)) {
        takt_jobs_release(dispatcher, TAKT_CONTAINER_OF(timer, takt_task_t, timer), now);
    } else if (timer != NULL) {
        fire(dispatcher, timer, now);
    }
    takt_hierarchy_rearm_wakes(server);
}

TAKT_INLINE void step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_account(dispatcher, now);
    fire_one(dispatcher, now);
}

void takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL) {
        takt_record_step(dispatcher, now);
    }
    step(dispatcher, now);
}

/* Of a remote scheduler no number of steps is recorded, so that it must not matter: the last step finds nothing due, and
 * charges what execution a window has been opened for too late. */
TAKT_RARE static void settle_recorded(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    const bool is_remote = dispatcher->trace->is_remote;
    bool has_more;
    if (is_remote) {
        takt_record_call(dispatcher, TAKT_RECORD_STEP, now, 0, NULL, 0);
    }
    do {
        has_more = is_remote && takt_dispatcher_is_due(dispatcher, now);
        takt_dispatcher_step(dispatcher, now);
    } while (has_more || takt_dispatcher_is_due(dispatcher, now));
}

void takt_dispatcher_settle(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (TAKT_UNLIKELY(dispatcher->trace != NULL)) {
        settle_recorded(dispatcher, now);
        return;
    }
    do {
        step(dispatcher, now);
    } while (takt_dispatcher_is_due(dispatcher, now));
}

TAKT_INLINE takt_entity_t *choose_in(const takt_dispatcher_t *dispatcher, takt_server_t *parent,
                                     takt_instant_t now) {
    return TAKT_UNLIKELY(parent->locked != NULL) ? dispatcher->locks->choose(parent, now)
                                                 : takt_ready_best(&parent->ready);
}

/* Likewise in a server, where a job may have to wait for budget although nothing is locked. */
TAKT_INLINE takt_entity_t *choose_in_server(const takt_dispatcher_t *dispatcher, takt_server_t *server,
                                            takt_instant_t now) {
    return TAKT_UNLIKELY(takt_protocols[server->sharing]->awaits_budget)
               ? dispatcher->locks->choose(server, now)
               : choose_in(dispatcher, server, now);
}

/* As select_entity, when `entity`, a server, has been selected at the root. A selected server without work idles. A
 * server whose children were all found blocked has left its parent meanwhile; the selection then starts again at the
 * root. */
TAKT_RARE static takt_entity_t *select_below(takt_dispatcher_t *dispatcher, takt_entity_t *entity,
                                             takt_instant_t now) {
    do {
        takt_entity_t *inner = choose_in_server(dispatcher, takt_server_of(entity), now);
        if (inner == NULL && takt_entity_is_ready(entity)) {
            break;
        }
        entity = inner != NULL ? inner : choose_in(dispatcher, &dispatcher->root, now);
    } while (entity != NULL && takt_entity_is_server(entity));
    return entity;
}

/* Returns the most urgent entity; NULL if there is none. */
TAKT_INLINE takt_entity_t *select_entity(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_entity_t *entity = choose_in(dispatcher, &dispatcher->root, now);
    const bool is_server = entity != NULL && takt_entity_is_server(entity);
    return TAKT_UNLIKELY(is_server) ? select_below(dispatcher, entity, now) : entity;
}

takt_entity_t *takt_dispatcher_choose(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL && dispatcher->locks != NULL) {
        takt_record_steps(dispatcher);
        takt_record_call(dispatcher, TAKT_RECORD_CHOICE, now, 0, NULL, 0);
    }
    return select_entity(dispatcher, now);
}

/* Handles a selected `entity` that holds or requests a resource, or has a preemption threshold. */
TAKT_RARE static void obey_locks_and_limit(takt_dispatcher_t *dispatcher, takt_cpu_t *cpu,
                                           takt_entity_t *entity, takt_instant_t now) {
    if (takt_entity_is_locking(entity)) {
        dispatcher->locks->settle(dispatcher, entity, now);
    }
    if ((entity->attributes & TAKT_ATTRIBUTE_LIMITED) == 0) {
        return;
    }
    if (!takt_entity_is_started(entity)) {
        takt_urgency_start(entity, now);
    }
    cpu->should_yield = takt_urgency_is_exceeded(entity);
}

/* `entity`, whose job has a budget, has been selected: calls `stop` for the task with a budget that ran before.
 * Returns the instant of the next timer. */
TAKT_INLINE takt_instant_t displace(takt_dispatcher_t *dispatcher, const takt_cpu_t *cpu,
                                    const takt_entity_t *entity, takt_instant_t now, takt_instant_t next) {
    takt_entity_t *last = cpu->running;
    if (last == NULL || last == entity || !takt_entity_has_budget(last) ||
        takt_task_allocator(last->task)->stop == NULL) {
        return next;
    }
    takt_task_allocator(last->task)->stop(last->task, now);
    return takt_timers_next(&dispatcher->root.timers);
}

/* Handles the attributes of the selected entity. Returns until when it may run at the latest. */
static takt_instant_t obey_attributes(takt_dispatcher_t *dispatcher, takt_cpu_t *cpu, takt_entity_t *entity,
                                      takt_instant_t now, takt_instant_t until) {
    if ((entity->attributes & (TAKT_ATTRIBUTE_LOCKING | TAKT_ATTRIBUTE_LIMITED)) != 0) {
        obey_locks_and_limit(dispatcher, cpu, entity, now);
    }
    if (takt_entity_has_budget(entity)) {
        until = displace(dispatcher, cpu, entity, now, until);
    }
    return takt_account_until(entity, now, until);
}

/* `inline` is a hint to the linker of the simulator. */
inline takt_decision_t takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu) {
    const uint32_t special = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_LIMITED |
                             TAKT_ATTRIBUTE_AGING | TAKT_ATTRIBUTE_LOCKING | TAKT_ATTRIBUTE_BUDGET;
    takt_entity_t *entity = select_entity(dispatcher, now);
    takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    if (entity != NULL && (entity->attributes & special) != 0) {
        until = obey_attributes(dispatcher, &dispatcher->cpus[cpu], entity, now, until);
    }
    dispatcher->cpus[cpu].running = entity;
    dispatcher->cpus[cpu].charged_at = now;
    if (dispatcher->trace != NULL) {
        takt_record_steps(dispatcher);
        takt_record_call(dispatcher, TAKT_RECORD_DECISION, now, dispatcher->trace->is_remote ? 0 : until,
                         entity, cpu);
    }
    return (takt_decision_t){entity, until, cpu, dispatcher->sequence};
}
