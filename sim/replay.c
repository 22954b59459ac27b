/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay of recorded inputs; see replay.h. */
#include "sim/replay.h"

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

/* Records that core makes by itself. */
static bool is_notice(uint8_t kind) { return kind > TAKT_RECORD_DECISION && kind < TAKT_RECORD_SETTLED; }

static bool is_global(const takt_system_t *system) { return system->is_global; }

static bool make_room(takt_system_t *system, const takt_entity_t *entity) {
    return takt_system_reserve(system, (uint32_t)(entity->task - system->tasks));
}

static bool choose(const replay_t *replay, const takt_record_t *record) {
    if (is_global(replay->system) || replay->system->resource_count == 0) {
        return false;
    }
    const takt_entity_t *chosen = takt_dispatcher_choose(replay->system->dispatcher, record->now);
    (void)chosen; /* a decision tells */
    return true;
}

static bool post(replay_t *replay, const takt_record_t *record) {
    takt_system_t *system = replay->system;
    takt_event_t event = {(takt_event_kind_t)record->kind, NULL, record->now, {record->value}};
    if (!takt_event_of_numbers(system, record->entity, &event) || !takt_fits(system, &event)) {
        return false;
    }
    if (record->kind == TAKT_RECORD_ARRIVAL && !make_room(system, event.entity)) {
        return false;
    }
    takt_event_give_wait(system, &event);
    takt_dispatcher_post(system->dispatcher, &event);
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
    return is_decision(replay->system, record->kind) ? decide(replay, record) : post(replay, record);
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
    replay_t replay = {.trace = {.record = listen},
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
