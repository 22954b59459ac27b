/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay of recorded inputs; see replay.h. */
#include "sim/replay.h"

#include "core/receive.h"
#include "core/source_after.h"
#include "system/fits.h"

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
    uint64_t steps_left;    /* which it may still take, see MOST_STEPS */
    takt_trace_t *observer; /* may be NULL */
    bool is_past_end;       /* core has recorded more than the trace has */
} replay_t;

/* Bounds the steps of a replay by what any scheduler takes that records so many records, and by what ends in seconds: no
 * instant and no count in a short file can keep it busy. */
enum { MOST_STEPS = 1u << 24u, MOST_STEPS_PER_RECORD = 1u << 12u };

/* This version knows all kinds that there are. */
static bool is_unknown(uint8_t kind) { return kind == TAKT_RECORD_NONE || kind > TAKT_RECORD_LAST; }

static void fail(replay_t *replay, takt_replay_verdict_t verdict, const takt_record_t *replayed) {
    takt_replay_result_t *result = replay->result;
    if (result->verdict == TAKT_REPLAY_IDENTICAL && replay->next < replay->count) {
        result->verdict = is_unknown(replay->records[replay->next].kind) ? TAKT_REPLAY_INVALID : verdict;
        result->record = replay->next;
        result->recorded = replay->records[replay->next];
        result->replayed = *replayed;
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
    if (record->kind == TAKT_RECORD_STEP) {
        return;
    }
    if (replay->next >= replay->count) {
        replay->is_past_end = true;
        return;
    }
    if (memcmp(&replay->records[replay->next], record, sizeof *record) != 0) {
        fail(replay, TAKT_REPLAY_DIFFERENT, record);
    }
    replay->next++;
}

/* Records that core makes by itself. */
static bool is_notice(uint8_t kind) {
    return (kind > TAKT_RECORD_DECISION && kind < TAKT_RECORD_SETTLED) ||
           (kind >= TAKT_RECORD_RELEASE && kind <= TAKT_RECORD_EXHAUST);
}

/* Inputs that are recorded after their effects. */
static bool is_recorded_last(uint8_t kind) {
    return kind == TAKT_RECORD_DECISION || kind == TAKT_RECORD_POINT || kind == TAKT_RECORD_OPTIONAL_POINT;
}

static bool is_global(const takt_system_t *system) { return system->is_global; }

static bool make_room(takt_system_t *system, const takt_entity_t *entity) {
    return takt_system_reserve(system, (uint32_t)(entity->task - system->tasks));
}

static bool choose(const replay_t *replay, const takt_record_t *record) {
    if (is_global(replay->system) || replay->system->resource_count == 0) {
        return false;
    }
    const takt_entity_t *chosen = takt_dispatcher_choose(replay->system->dispatcher, record->now);
    (void)chosen; /* a decision has it */
    return true;
}

/* `late` is what the trace says of an event that was received late; else NULL. */
static bool post(const replay_t *replay, const takt_record_t *record, const takt_record_t *late) {
    takt_system_t *system = replay->system;
    takt_event_t event = {(takt_event_kind_t)record->kind, NULL, record->now, {record->value}};
    if (!takt_event_of_numbers(system, record->entity, &event) || !takt_fits(system, &event)) {
        return false;
    }
    if (record->kind == TAKT_RECORD_ARRIVAL && !make_room(system, event.entity)) {
        return false;
    }
    takt_event_give_wait(system, &event);
    if (late != NULL) {
        (void)takt_dispatcher_receive(system->dispatcher, &event, late->job, late->value);
    } else {
        takt_dispatcher_post(system->dispatcher, &event);
    }
    return true;
}

static bool receive_stale(const replay_t *replay, const takt_record_t *record, const takt_record_t *late) {
    takt_event_t event = {(takt_event_kind_t)record->value, NULL, record->now, {0}};
    return record->value <= TAKT_EVENT_CREATE &&
           takt_event_of_numbers(replay->system, record->entity, &event) &&
           takt_dispatcher_is_stale(&event, record->job) &&
           !takt_dispatcher_receive(replay->system->dispatcher, &event, record->job,
                                    late != NULL ? late->value : record->now);
}

/* Returns false if no scheduler can have taken so many steps. */
static bool step_once(replay_t *replay, takt_instant_t now) {
    if (replay->steps_left == 0) {
        return false;
    }
    replay->steps_left--;
    takt_dispatcher_step(replay->system->dispatcher, now);
    return true;
}

/* Steps after one that found nothing more change nothing. */
static bool step(replay_t *replay, const takt_record_t *record) {
    bool is_more_due = true, may_step = true;
    for (uint64_t i = 0; i < record->value && is_more_due && may_step; i++) {
        may_step = step_once(replay, record->now);
        is_more_due = takt_dispatcher_is_due(replay->system->dispatcher, record->now);
    }
    return may_step;
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

/* Returns the input at the record with index `at`, or the one whose effects begin there. */
static const takt_record_t *input_at(const replay_t *replay, uint64_t at) {
    uint64_t last = at;
    while (last + 1u < replay->count && is_notice(replay->records[last].kind)) {
        last++;
    }
    return &replay->records[is_recorded_last(replay->records[last].kind) ? last : at];
}

/* Feeds an event, or a stale one, that was received late. */
static bool feed_late(replay_t *replay, const takt_record_t *late) {
    if (replay->next + 1u == replay->count) {
        return false;
    }
    const takt_record_t *record = input_at(replay, replay->next + 1u);
    return record->now == late->now &&
           (record->kind == TAKT_RECORD_STALE ? receive_stale(replay, record, late)
                                              : post(replay, record, late));
}

/* Feeds what only a remote scheduler records. */
static bool feed_remote(replay_t *replay, const takt_record_t *record) {
    takt_dispatcher_t *dispatcher = replay->system->dispatcher;
    switch (record->kind) {
    case TAKT_RECORD_LATE:
        return feed_late(replay, record);
    case TAKT_RECORD_STALE:
        return receive_stale(replay, record, NULL);
    case TAKT_RECORD_DROPPED:
        if (record->value > 1) {
            return false;
        }
        takt_dispatcher_drop(dispatcher, record->now, record->value == 1);
        return true;
    case TAKT_RECORD_SIGNAL:
        takt_dispatcher_signal(dispatcher, record->now);
        return true;
    default:
        return false;
    }
}

/* As takt_dispatcher_settle of a remote scheduler, but only as long as its records are those of the trace. */
static bool settle(replay_t *replay, takt_instant_t now) {
    takt_dispatcher_t *dispatcher = replay->system->dispatcher;
    bool has_more = true, may_step = true;
    while (has_more && may_step && !replay->is_past_end && replay->result->verdict == TAKT_REPLAY_IDENTICAL) {
        has_more = takt_dispatcher_is_due(dispatcher, now);
        may_step = step_once(replay, now);
        has_more |= takt_dispatcher_is_due(dispatcher, now);
    }
    return may_step;
}

/* Returns the last event that core counts when it records these steps. A remote scheduler records them at once, others
 * when they are called next: for more steps, or when the event or the decision that follows has been counted. Nothing
 * reports what followed the last record. */
static uint32_t sequence_of_steps(const replay_t *replay, const takt_record_t *record) {
    const bool is_last = replay->next + 1u == replay->count;
    if (replay->trace.is_remote || (!is_last && record[1].kind == TAKT_RECORD_STEP)) {
        return replay->system->dispatcher->sequence;
    }
    return is_last ? record->sequence : record[1].sequence;
}

/* True if core records steps so; how many they are is the caller's. */
static bool is_step(const replay_t *replay, const takt_record_t *record) {
    const takt_record_t expected = {.now = record->now,
                                    .value = record->value,
                                    .entity = TAKT_NO_ENTITY,
                                    .sequence = sequence_of_steps(replay, record),
                                    .kind = TAKT_RECORD_STEP};
    return memcmp(record, &expected, sizeof expected) == 0 && (record->value == 0) == replay->trace.is_remote;
}

static bool feed_step(replay_t *replay, const takt_record_t *record) {
    const uint64_t at = replay->next;
    if (!is_step(replay, record)) {
        return false;
    }
    replay->next++;
    if (!(replay->trace.is_remote ? settle(replay, record->now) : step(replay, record))) {
        replay->next = at;
        return false;
    }
    return true;
}

/* True if a record says something of a job that other tasks have released, which is in the ring of `task`. */
static bool is_of_arrived(const takt_task_t *task, const takt_record_t *record) {
    if (task == NULL || takt_task_is_periodic(task) || takt_task_is_allocated(task) ||
        task->extension->rule != NULL) {
        return false;
    }
    const uint64_t most = record->kind == TAKT_RECORD_ORIGIN ? record->now : UINT32_MAX;
    const uint64_t place = record->kind == TAKT_RECORD_DROP ? record->value : 0;
    return place < task->extension->count && record->value <= most;
}

static bool feed_arrived(const replay_t *replay, const takt_record_t *record) {
    const takt_entity_t *entity = takt_system_entity(replay->system, record->entity);
    takt_task_t *task = entity != NULL ? entity->task : NULL;
    takt_dispatcher_t *dispatcher = replay->system->dispatcher;
    if (!is_of_arrived(task, record)) {
        return false;
    }
    if (record->kind == TAKT_RECORD_ORIGIN) {
        takt_after_set_origin(dispatcher, task, record->now, record->value);
    } else if (record->kind == TAKT_RECORD_DROP) {
        takt_after_drop(dispatcher, task, record->now, (uint32_t)record->value);
    } else {
        takt_after_pass(dispatcher, task, record->now, (uint32_t)record->value);
    }
    return true;
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
        return feed_step(replay, record);
    }
    if (record->kind == TAKT_RECORD_CHOICE) {
        return choose(replay, record);
    }
    if (record->kind >= TAKT_RECORD_ORIGIN) {
        return feed_arrived(replay, record);
    }
    if (record->kind > TAKT_RECORD_CREATE) {
        return replay->trace.is_remote && feed_remote(replay, record);
    }
    return is_decision(replay->system, record->kind) ? decide(replay, record) : post(replay, record, NULL);
}

/* Feeds the next record; core has then recorded it and its effects. */
static void replay_next(replay_t *replay) {
    const takt_record_t *record = input_at(replay, replay->next);
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
    replay_t replay = {.trace = {.record = listen, .is_remote = system->is_remote},
                       .system = system,
                       .records = records,
                       .count = count,
                       .steps_left = MOST_STEPS + MOST_STEPS_PER_RECORD * count,
                       .result = &result,
                       .observer = observer};
    takt_dispatcher_record_to(system->dispatcher, &replay.trace);
    while (replay.next < count && result.verdict == TAKT_REPLAY_IDENTICAL) {
        replay_next(&replay);
    }
    takt_dispatcher_record_to(system->dispatcher, NULL);
    return result;
}

takt_replay_result_t takt_replay(takt_system_t *system, const takt_record_t *records, uint64_t count) {
    return takt_replay_observed(system, records, count, NULL);
}
