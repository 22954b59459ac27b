/* Replay of recorded inputs; see replay.h. */
#include "sim/replay.h"

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

/* Steps are counted by who calls, and more of them than are due do no harm. */
static void listen(takt_trace_t *trace, const takt_record_t *record) {
    replay_t *replay = TAKT_CONTAINER_OF(trace, replay_t, trace);
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
    return kind >= TAKT_RECORD_COMPLETE && kind <= TAKT_RECORD_CHANGE && kind != TAKT_RECORD_STEP;
}

/* What core says by itself. */
static bool is_notice(uint8_t kind) { return kind > TAKT_RECORD_DECISION && kind < TAKT_RECORD_SETTLED; }

static bool is_global(const takt_system_t *system) { return system->is_global; }

/* Whether the current job of `entity` runs on one of several processors. */
static bool runs_somewhere(const takt_system_t *system, const takt_entity_t *entity) {
    bool runs = false;
    for (uint32_t cpu = 0; cpu < system->dispatcher->ncpu; cpu++) {
        runs |= system->cpus[cpu].running == entity && takt_global_runs(&system->cpus[cpu]);
    }
    return runs;
}

static bool has_extension(const takt_entity_t *entity) {
    return entity->task != NULL && entity->task->extension != NULL;
}

/* Whether a job comes back by itself: from a suspension, or when it gets a resource. */
static bool is_away(const takt_entity_t *entity) {
    return has_extension(entity) && (takt_timer_is_armed(&entity->task->extension->resume) ||
                                     entity->task->extension->wait.parked_at != NULL);
}

static const takt_job_t *job_of(takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? &takt_server_of(entity)->job : &entity->task->job;
}

/* Whether `entity` is one of the users that the ceiling of `resource` knows, if that has one. */
static bool is_at_most_at_ceiling(takt_entity_t *entity, const takt_resource_t *resource) {
    const takt_policy_t *policy = entity->home->policy;
    const bool has_ceiling = resource->protocol >= TAKT_PROTOCOL_PCP;
    return !has_ceiling || (policy->level != NULL && policy->level(job_of(entity)) >= resource->ceiling);
}

/* Whether `entity`, which runs, may try to lock resource `number`, or unlock it. */
static bool lock_fits(const takt_system_t *system, takt_entity_t *entity, uint64_t number, bool locks) {
    if (!has_extension(entity) || number >= system->resource_count ||
        system->resource_homes[number] != entity->home) {
        return false;
    }
    const takt_resource_t *resource = &system->resources[number];
    const takt_task_extension_t *extension = entity->task->extension;
    const bool may_share =
        resource->among == NULL || is_at_most_at_ceiling(&entity->home->entity, resource->among);
    const bool may_lock = resource->holder != entity && extension->wait.wanted == NULL &&
                          is_at_most_at_ceiling(entity, resource) && may_share;
    return locks ? may_lock : extension->held == resource;
}

/* Likewise of a task with an allocation: what it locks is free then, and it is known to share that. */
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

/* Requests that make no sense are ignored. */
static bool is_request(uint8_t kind) { return kind == TAKT_RECORD_ENTER || kind == TAKT_RECORD_LEAVE; }

/* As event_fits, on several processors. */
static bool event_fits_several(const takt_system_t *system, const takt_record_t *record,
                               const takt_entity_t *entity) {
    if (record->kind == TAKT_RECORD_ARRIVAL) {
        return !takt_task_is_periodic(entity->task) && record->value <= record->now;
    }
    return record->kind == TAKT_RECORD_COMPLETE && runs_somewhere(system, entity);
}

/* Whether `entity` is in the state that `record`, an event, presupposes. */
static bool event_fits(const takt_system_t *system, const takt_record_t *record, takt_entity_t *entity) {
    if (is_global(system)) {
        return event_fits_several(system, record, entity);
    }
    const bool runs = takt_entity_is_ready(entity) && system->dispatcher->cpus[0].running == entity;
    const bool is_locking = takt_entity_is_locking(entity);
    if (entity->task != NULL && takt_task_is_allocated(entity->task)) {
        const bool takes_requests = entity->task->extension->allocation->functions->enter != NULL;
        const bool is_lock = record->kind == TAKT_RECORD_LOCK;
        const bool fits = record->kind == TAKT_RECORD_COMPLETE ||
                          ((is_lock || record->kind == TAKT_RECORD_UNLOCK) &&
                           allocated_lock_fits(system, entity, record->value, is_lock));
        return (is_request(record->kind) && takes_requests) || (runs && fits);
    }
    switch (record->kind) {
    case TAKT_RECORD_COMPLETE:
        return runs && entity->task != NULL;
    case TAKT_RECORD_YIELD:
        return runs && !is_locking;
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
        return takt_entity_is_ready(entity) && !is_locking;
    case TAKT_RECORD_ENTER:
    case TAKT_RECORD_LEAVE:
    case TAKT_RECORD_CHANGE:
        return false;
    default:
        return !takt_entity_is_ready(entity) && !is_away(entity) &&
               (entity->task == NULL || (entity->state & TAKT_STATE_ACTIVE) != 0);
    }
}

static bool make_room(takt_system_t *system, const takt_entity_t *entity) {
    return takt_system_reserve(system, (uint32_t)(entity->task - system->tasks));
}

/* To enter and to leave are requests of their own of a task with an allocation. */
static bool takes_change(const takt_task_t *task, takt_change_kind_t kind) {
    return !takt_task_is_allocated(task) ||
           (task->extension->allocation->functions->request != NULL && kind == TAKT_CHANGE_PARAMETERS);
}

/* Each change is made once, and is of who the table says. */
static bool change(const replay_t *replay, const takt_record_t *record) {
    takt_system_t *system = replay->system;
    const takt_change_t *of = record->value < system->change_count ? &system->changes[record->value] : NULL;
    takt_entity_t *entity = takt_system_entity(system, record->entity);
    if (of == NULL || of->is_handed_over || of->entity != entity ||
        (entity == NULL) != (record->entity == TAKT_NOBODY) ||
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
    const takt_event_t event = event_of(replay->system, record, entity);
    takt_dispatcher_post(dispatcher, &event);
    return true;
}

/* Steps after one that found nothing more change nothing, so that no count can keep a replay busy. */
static void step(replay_t *replay, const takt_record_t *record) {
    bool is_more_due = true;
    for (uint64_t i = 0; i < record->value && is_more_due; i++) {
        is_more_due = takt_dispatcher_step(replay->system->dispatcher, record->now);
    }
}

static bool decide_several(replay_t *replay, const takt_record_t *record) {
    takt_decision_t decision; /* it arrives as a record, and so does that there is none */
    replay->result->decisions += takt_global_take_next(&replay->system->global, record->now, &decision);
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

/* The record to feed next: a decision is recorded after what it brings about. */
static const takt_record_t *input_at(const replay_t *replay) {
    uint64_t at = replay->next;
    while (at + 1u < replay->count && is_notice(replay->records[at].kind)) {
        at++;
    }
    const bool is_before_decision = replay->records[at].kind == TAKT_RECORD_DECISION;
    return &replay->records[is_before_decision ? at : replay->next];
}

/* Feeds the next record; core then has had its say about it, and about what follows from it. */
static void replay_next(replay_t *replay) {
    const takt_record_t *record = input_at(replay);
    const takt_record_t nothing = {.entity = TAKT_NOBODY};
    if (is_notice(record->kind)) {
        fail(replay, TAKT_REPLAY_DIFFERENT, &nothing);
    } else if (!feed(replay, record)) {
        fail(replay, TAKT_REPLAY_INVALID, &nothing);
    }
}

takt_replay_result_t takt_replay(takt_system_t *system, const takt_record_t *records, uint64_t count) {
    takt_replay_result_t result = {.verdict = TAKT_REPLAY_IDENTICAL};
    replay_t replay = {
        .trace = {listen}, .system = system, .records = records, .count = count, .result = &result};
    takt_dispatcher_record_to(system->dispatcher, &replay.trace);
    skip_unknown(&replay);
    while (replay.next < count && result.verdict == TAKT_REPLAY_IDENTICAL) {
        replay_next(&replay);
        skip_unknown(&replay);
    }
    takt_dispatcher_record_to(system->dispatcher, NULL);
    return result;
}
