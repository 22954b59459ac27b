/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay of recorded inputs; see replay.h. */
#include "sim/replay.h"

#include "core/waiting.h"

#include <string.h>

/* Core records while it is fed; each record is compared with the next one of the trace. */
typedef struct replay {
    takt_trace_t trace; /* first of all */
    takt_system_t *system;
    takt_instant_t now;
    const takt_record_t *records;
    uint64_t count;
    uint64_t next; /* the first record that is neither fed nor compared */
    takt_replay_result_t *result;
    takt_trace_t *observer; /* may be NULL */
} replay_t;

static void fail(replay_t *replay, takt_replay_verdict_t verdict, const takt_record_t *replayed) {
    takt_replay_result_t *result = replay->result;
    if (result->verdict == TAKT_REPLAY_IDENTICAL && replay->next < replay->count) {
        result->verdict = verdict;
        result->record = replay->next;
        result->recorded = replay->records[replay->next];
        result->replayed = *replayed;
    }
}

static void skip_unknown(replay_t *replay) {
    while (replay->next < replay->count && replay->records[replay->next].kind > TAKT_RECORD_LAST) {
        replay->next++;
    }
}

static void observe(const replay_t *replay, const takt_record_t *record) {
    if (replay->observer != NULL) {
        replay->observer->record(replay->observer, record);
    }
}

/* The caller counts the steps; more steps than are due are harmless. */
static void listen(takt_trace_t *trace, const takt_record_t *record) {
    replay_t *replay = TAKT_CONTAINER_OF(trace, replay_t, trace);
    observe(replay, record);
    skip_unknown(replay);
    if (record->kind == TAKT_RECORD_STEP || replay->next >= replay->count) {
        return;
    }
    if (memcmp(&replay->records[replay->next], record, sizeof *record) != 0) {
        fail(replay, TAKT_REPLAY_DIFFERENT, record);
    }
    replay->next++;
}

static bool is_event(uint8_t kind) {
    const bool is_first = kind >= TAKT_RECORD_COMPLETE && kind <= TAKT_RECORD_CHANGE;
    return (is_first && kind != TAKT_RECORD_STEP) || kind == TAKT_RECORD_WITHDRAW ||
           kind == TAKT_RECORD_PRIORITY || kind == TAKT_RECORD_CREATE;
}

/* Records that core makes by itself. */
static bool is_notice(uint8_t kind) { return kind > TAKT_RECORD_DECISION && kind < TAKT_RECORD_SETTLED; }

static bool is_global(const takt_system_t *system) { return system->is_global; }

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
    return is_suspended || (wait != NULL && wait->parked_at != NULL);
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

/* True if `entity`, which runs, may try to lock resource `number`, or unlock it. */
static bool lock_fits(const takt_system_t *system, takt_entity_t *entity, uint64_t number, bool locks) {
    if (number >= system->resource_count || system->resource_parents[number] != entity->parent ||
        !may_use(system, entity, &system->resources[number])) {
        return false;
    }
    const takt_resource_t *resource = &system->resources[number];
    const bool may_share =
        resource->among == NULL || is_at_most_at_ceiling(&entity->parent->entity, resource->among);
    const bool may_lock = resource->holder != entity && is_at_most_at_ceiling(entity, resource) && may_share;
    return !is_waiting(entity) && (locks ? may_lock : *takt_waiting_held_by(entity) == resource);
}

/* Likewise for a task with an allocation: the resource is free, and the task is registered as its user. */
static bool allocated_lock_fits(const takt_system_t *system, takt_entity_t *entity, uint64_t number,
                                bool locks) {
    if (system->rates == NULL || number >= system->resource_count) {
        return false;
    }
    const takt_resource_t *resource = &system->resources[number];
    const takt_rate_use_t *use = takt_rate_task_of(entity->task)->uses;
    while (use != NULL && use->resource != resource) {
        use = use->next;
    }
    const bool may_lock = use != NULL && resource->holder == NULL;
    return locks ? may_lock : entity->task->extension->held == resource;
}

/* True if `entity` waits for a resource and for no budget. */
static bool withdraw_fits(takt_entity_t *entity) {
    return is_waiting(entity) && wait_of(entity)->wanted->kind->scope == TAKT_SCOPE_LOCAL;
}

/* Whether `entity` has a level, and may have `level`. */
static bool level_fits(const takt_system_t *system, const takt_entity_t *entity, uint64_t level) {
    const takt_server_t *parent = entity->parent;
    const uint32_t place =
        takt_server_is_root(parent) ? 0 : 1u + (uint32_t)(parent - (const takt_server_t *)system->servers);
    const bool has_levels = parent->ready.order == TAKT_ORDER_LEVELS;
    return takt_entity_has_level(entity) && level > 0 &&
           (entity->task != NULL || level <= TAKT_PLAIN_LEVELS_MOST || level == TAKT_KEY_LEAST_URGENT) &&
           level <= (has_levels ? system->levels[place] : TAKT_KEY_LEAST_URGENT);
}

/* As event_fits, on several processors. */
static bool event_fits_several(const takt_system_t *system, const takt_record_t *record,
                               const takt_entity_t *entity) {
    if (record->kind == TAKT_RECORD_ARRIVAL) {
        return !takt_task_is_periodic(entity->task) && record->value <= record->now;
    }
    return record->kind == TAKT_RECORD_COMPLETE && runs_somewhere(system, entity);
}

/* As event_fits, of a task with an allocation, which `runs` or not. Requests that make no sense are ignored. */
static bool allocated_event_fits(const takt_system_t *system, const takt_record_t *record,
                                 takt_entity_t *entity, bool runs) {
    switch (record->kind) {
    case TAKT_RECORD_ENTER:
    case TAKT_RECORD_LEAVE:
        return entity->task->extension->allocation->functions->enter != NULL;
    case TAKT_RECORD_COMPLETE:
        return runs;
    case TAKT_RECORD_YIELD:
        return runs && !takt_entity_is_locking(entity);
    case TAKT_RECORD_LOCK:
    case TAKT_RECORD_UNLOCK:
        return runs && allocated_lock_fits(system, entity, record->value, record->kind == TAKT_RECORD_LOCK);
    default:
        return false;
    }
}

static bool wake_fits(takt_entity_t *entity) {
    return !takt_entity_is_ready(entity) && !is_away(entity) &&
           (entity->task == NULL || (entity->state & TAKT_STATE_ACTIVE) != 0);
}

static bool create_fits(const takt_system_t *system, const takt_entity_t *entity, uint64_t level) {
    return entity->task == NULL && !takt_entity_is_ready(entity) && !takt_entity_is_locking(entity) &&
           level_fits(system, entity, level);
}

/* As event_fits, without an allocation. */
static bool plain_event_fits(const takt_system_t *system, const takt_record_t *record, takt_entity_t *entity,
                             bool runs) {
    const bool is_locking = takt_entity_is_locking(entity);
    const bool is_thread = entity->task == NULL;
    switch (record->kind) {
    case TAKT_RECORD_COMPLETE:
        return runs && entity->task != NULL;
    case TAKT_RECORD_YIELD:
        return runs && (!is_locking || (is_thread && !is_waiting(entity)));
    case TAKT_RECORD_POINT:
    case TAKT_RECORD_OPTIONAL_POINT:
        return runs && (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
    case TAKT_RECORD_SUSPEND:
        return runs && !is_locking && has_extension(entity) && record->value >= record->now;
    case TAKT_RECORD_LOCK:
    case TAKT_RECORD_UNLOCK:
        return runs && lock_fits(system, entity, record->value, record->kind == TAKT_RECORD_LOCK);
    case TAKT_RECORD_ARRIVAL:
        return entity->task != NULL && !takt_task_is_periodic(entity->task) && record->value <= record->now;
    case TAKT_RECORD_BLOCK:
        return takt_entity_is_ready(entity) && (is_thread || !is_locking);
    case TAKT_RECORD_WITHDRAW:
        return withdraw_fits(entity);
    case TAKT_RECORD_PRIORITY:
        return level_fits(system, entity, record->value);
    case TAKT_RECORD_CREATE:
        return create_fits(system, entity, record->value);
    case TAKT_RECORD_ENTER:
    case TAKT_RECORD_LEAVE:
    case TAKT_RECORD_CHANGE:
        return false;
    default:
        return wake_fits(entity);
    }
}

/* True if `entity` is in the state that `record`, an event, requires. */
static bool event_fits(const takt_system_t *system, const takt_record_t *record, takt_entity_t *entity) {
    if (is_global(system)) {
        return event_fits_several(system, record, entity);
    }
    const bool runs =
        takt_entity_is_ready(entity) && takt_dispatcher_cpu_of(system->dispatcher, entity) != NULL;
    const bool is_allocated = entity->task != NULL && takt_task_is_allocated(entity->task);
    return (is_allocated ? allocated_event_fits : plain_event_fits)(system, record, entity, runs);
}

static bool make_room(takt_system_t *system, const takt_entity_t *entity) {
    return takt_system_reserve(system, (uint32_t)(entity->task - system->tasks));
}

/* To enter and to leave are requests of their own of a task with an allocation. */
static bool takes_change(const takt_task_t *task, takt_change_kind_t kind) {
    return !takt_task_is_allocated(task) ||
           (task->extension->allocation->functions->request != NULL && kind == TAKT_CHANGE_PARAMETERS);
}

/* True if a change is made for the first time, and for the entity in the table. */
static bool change(const replay_t *replay, const takt_record_t *record) {
    takt_system_t *system = replay->system;
    const takt_change_t *of = record->value < system->change_count ? &system->changes[record->value] : NULL;
    takt_entity_t *entity = takt_system_entity(system, record->entity);
    if (of == NULL || of->is_handed_over || of->entity != entity ||
        (entity == NULL) != (record->entity == TAKT_NO_ENTITY) ||
        (entity != NULL && !takes_change(entity->task, of->kind))) {
        return false;
    }
    takt_dispatcher_post(system->dispatcher,
                         &(takt_event_t){TAKT_EVENT_CHANGE, entity, record->now, {record->value}});
    return true;
}

static bool choose(const replay_t *replay, const takt_record_t *record) {
    if (is_global(replay->system) || replay->system->resource_count == 0) {
        return false;
    }
    const takt_entity_t *chosen = takt_dispatcher_choose(replay->system->dispatcher, record->now);
    (void)chosen; /* a decision tells */
    return true;
}

/* Gives a thread that is about to lock the memory for its wait. */
static void make_wait(takt_system_t *system, const takt_record_t *record, takt_entity_t *entity) {
    if (record->kind == TAKT_RECORD_LOCK && entity->task == NULL) {
        takt_plain_t *thread = takt_plain_of(entity);
        thread->wait = &system->waits[thread - system->threads];
    }
}

static takt_event_t event_of(const takt_system_t *system, const takt_record_t *record,
                             takt_entity_t *entity) {
    takt_event_t event = {(takt_event_kind_t)record->kind, entity, record->now, {record->value}};
    if (takt_event_is_lock(&event)) {
        event.resource = &system->resources[record->value];
    }
    return event;
}

static bool post(replay_t *replay, const takt_record_t *record) {
    takt_dispatcher_t *dispatcher = replay->system->dispatcher;
    takt_entity_t *entity = takt_system_entity(replay->system, record->entity);
    if (entity == NULL || takt_entity_is_server(entity) || !event_fits(replay->system, record, entity)) {
        return false;
    }
    if (record->kind == TAKT_RECORD_ARRIVAL && !make_room(replay->system, entity)) {
        return false;
    }
    make_wait(replay->system, record, entity);
    const takt_event_t event = event_of(replay->system, record, entity);
    takt_dispatcher_post(dispatcher, &event);
    return true;
}

/* Steps after one that found nothing more change nothing, so that no count can keep a replay busy. */
static void step(replay_t *replay, const takt_record_t *record) {
    bool is_more_due = true;
    for (uint64_t i = 0; i < record->value && is_more_due; i++) {
        takt_dispatcher_step(replay->system->dispatcher, record->now);
        is_more_due = takt_dispatcher_is_due(replay->system->dispatcher, record->now);
    }
}

static bool decide_several(replay_t *replay, const takt_record_t *record) {
    takt_decision_t decision; /* it arrives as a record, and so does that there is none */
    replay->result->decisions +=
        takt_dispatcher_take_next(replay->system->dispatcher, record->now, &decision);
    return true;
}

static bool decide(replay_t *replay, const takt_record_t *record) {
    if (record->cpu >= replay->system->dispatcher->ncpu) {
        return false;
    }
    if (is_global(replay->system)) {
        return decide_several(replay, record);
    }
    const takt_decision_t decision =
        takt_dispatcher_take(replay->system->dispatcher, record->now, record->cpu);
    (void)decision; /* it arrives as a record */
    replay->result->decisions++;
    return true;
}

static bool is_decision(const takt_system_t *system, uint8_t kind) {
    return kind == TAKT_RECORD_DECISION || (kind == TAKT_RECORD_SETTLED && is_global(system));
}

static bool feed(replay_t *replay, const takt_record_t *record) {
    if (record->now < replay->now) {
        return false;
    }
    if (record->now > replay->now) {
        observe(replay, &(takt_record_t){.now = record->now, .entity = TAKT_NO_ENTITY});
    }
    replay->now = record->now;
    if (record->kind == TAKT_RECORD_STEP) {
        replay->next++;
        step(replay, record);
        return true;
    }
    if (record->kind == TAKT_RECORD_CHOICE) {
        return choose(replay, record);
    }
    if (record->kind == TAKT_RECORD_CHANGE) {
        return change(replay, record);
    }
    if (is_event(record->kind)) {
        return post(replay, record);
    }
    return is_decision(replay->system, record->kind) && decide(replay, record);
}

/* Returns the record to feed next: a decision is recorded after its effects. */
static const takt_record_t *input_at(const replay_t *replay) {
    uint64_t at = replay->next;
    while (at + 1u < replay->count && is_notice(replay->records[at].kind)) {
        at++;
    }
    const bool is_before_decision = replay->records[at].kind == TAKT_RECORD_DECISION;
    return &replay->records[is_before_decision ? at : replay->next];
}

/* Feeds the next record; core has then recorded it and its effects. */
static void replay_next(replay_t *replay) {
    const takt_record_t *record = input_at(replay);
    const takt_record_t nothing = {.entity = TAKT_NO_ENTITY};
    if (is_notice(record->kind)) {
        fail(replay, TAKT_REPLAY_DIFFERENT, &nothing);
    } else if (!feed(replay, record)) {
        fail(replay, TAKT_REPLAY_INVALID, &nothing);
    }
}

takt_replay_result_t takt_replay_observed(takt_system_t *system, const takt_record_t *records, uint64_t count,
                                          takt_trace_t *observer) {
    takt_replay_result_t result = {.verdict = TAKT_REPLAY_IDENTICAL};
    replay_t replay = {.trace = {listen},
                       .system = system,
                       .records = records,
                       .count = count,
                       .result = &result,
                       .observer = observer};
    takt_dispatcher_record_to(system->dispatcher, &replay.trace);
    skip_unknown(&replay);
    while (replay.next < count && result.verdict == TAKT_REPLAY_IDENTICAL) {
        replay_next(&replay);
        skip_unknown(&replay);
    }
    takt_dispatcher_record_to(system->dispatcher, NULL);
    return result;
}

takt_replay_result_t takt_replay(takt_system_t *system, const takt_record_t *records, uint64_t count) {
    return takt_replay_observed(system, records, count, NULL);
}
