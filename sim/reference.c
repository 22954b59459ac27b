/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reference of reference.h: an observer of a replay, which asks core between two instants. */
#include "sim/reference.h"

#include "core/peek.h"
#include "core/urgency.h"

typedef struct reference {
    takt_trace_t trace; /* first of all */
    takt_system_t *system;
    takt_reference_row_t row;
    takt_reference_sink_t sink;
    void *context;
    bool has_begun;
} reference_t;

static bool should_yield(takt_entity_t *running) {
    return running != NULL && running->task != NULL && takt_entity_is_ready(running) &&
           (running->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 &&
           running->task->preemption_key == TAKT_KEY_MOST_URGENT && takt_urgency_is_exceeded(running) != 0;
}

static bool is_task(const takt_entity_t *entity) { return entity != NULL && entity->task != NULL; }

static void ask(reference_t *reference) {
    const takt_dispatcher_t *dispatcher = reference->system->dispatcher;
    const takt_entity_t *entity = takt_dispatcher_peek(dispatcher);
    reference->row.selected = is_task(entity) ? takt_entity_number(entity) : TAKT_NO_ENTITY;
    reference->row.job = is_task(entity) ? takt_entity_job_number(entity) : 0;
    reference->row.due = takt_dispatcher_next(dispatcher);
    reference->row.should_yield = should_yield(reference->system->cpus->running);
    reference->sink(reference->context, &reference->row);
}

/* Core is asked before the first record of a later instant only: within a call it is not consistent. */
static void observe(takt_trace_t *trace, const takt_record_t *record) {
    reference_t *reference = TAKT_CONTAINER_OF(trace, reference_t, trace);
    if (record->kind == TAKT_RECORD_NONE) {
        if (reference->has_begun) {
            ask(reference);
        }
        reference->row.now = record->now;
    }
    reference->has_begun = true;
    if (record->kind == TAKT_RECORD_DECISION) {
        reference->row.decided =
            is_task(takt_system_entity(reference->system, record->entity)) ? record->entity : TAKT_NO_ENTITY;
        reference->row.decided_job = record->job;
    }
}

takt_replay_result_t takt_sim_reference(takt_system_t *system, const takt_record_t *records, uint64_t count,
                                        takt_reference_sink_t sink, void *context) {
    reference_t reference = {.trace = {.record = observe},
                             .system = system,
                             .row = {.decided = TAKT_NO_ENTITY},
                             .sink = sink,
                             .context = context};
    const takt_replay_result_t result = takt_replay_observed(system, records, count, &reference.trace);
    if (reference.has_begun && result.verdict == TAKT_REPLAY_IDENTICAL) {
        ask(&reference);
    }
    return result;
}
