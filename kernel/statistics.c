/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The sink of statistics.h. */
#include "kernel/statistics.h"

#include "kernel/state.h"

/* ---- counting: locked -------------------------------------------------------------------------- */

/* Adds `stretch`, which has just ended, to `execution`. */
static void add_stretch(takt_execution_t *execution, takt_duration_t stretch) {
    execution->executed += stretch;
    if (stretch > execution->longest) {
        execution->longest = stretch;
    }
}

/* If ceilings bar all entities, none is selected, and the idle thread executes. */
static uint32_t chosen_by(const takt_record_t *decision) {
    return decision->entity != TAKT_NO_ENTITY ? decision->entity
                                              : takt_entity_number(&takt_kernel.idle.plain.entity);
}

/* Starts a stretch of `number` at `now`. */
static void turn(takt_statistics_t *statistics, uint32_t number, takt_instant_t now) {
    if (statistics->running < statistics->count) {
        add_stretch(&statistics->executions[statistics->running], now - statistics->since);
    }
    if (number < statistics->count) {
        statistics->executions[number].chosen++;
    }
    statistics->running = number;
    statistics->since = now;
}

static void count(takt_trace_t *trace, const takt_record_t *record) {
    takt_statistics_t *statistics = TAKT_CONTAINER_OF(trace, takt_statistics_t, trace);
    if (record->kind == TAKT_RECORD_DECISION && chosen_by(record) != statistics->running) {
        turn(statistics, chosen_by(record), record->now);
    } else if (record->kind == TAKT_RECORD_COMPLETE && record->entity < statistics->count) {
        statistics->executions[record->entity].completed++;
    } else if (record->kind == TAKT_RECORD_CREATE && record->entity < statistics->count) {
        statistics->executions[record->entity] = (takt_execution_t){0};
    }
    if (statistics->next != NULL) {
        statistics->next->record(statistics->next, record);
    }
}

takt_status_t takt_statistics_init(takt_statistics_t *statistics, takt_execution_t *executions,
                                   uint32_t length, takt_trace_t *next) {
    if (statistics == NULL || executions == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (length == 0) {
        return TAKT_ERROR_LENGTH;
    }
    statistics->trace = (takt_trace_t){.record = count};
    statistics->next = next;
    statistics->executions = executions;
    statistics->count = length;
    statistics->running = TAKT_NO_ENTITY;
    return TAKT_OK;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static takt_status_t read(const takt_statistics_t *statistics, uint32_t number, takt_execution_t *execution) {
    TAKT_REQUIRE(number < statistics->count, TAKT_ERROR_LENGTH);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    *execution = statistics->executions[number];
    if (number == statistics->running) {
        add_stretch(execution, takt_port_now() - statistics->since);
    }
    takt_port_unlock(level);
    return TAKT_OK;
}

takt_status_t takt_statistics_read(const takt_statistics_t *statistics, const takt_thread_t *thread,
                                   takt_execution_t *execution) {
    TAKT_REQUIRE(statistics != NULL && execution != NULL, TAKT_ERROR_NULL);
    const takt_thread_t *whose = thread != NULL ? thread : &takt_kernel.idle;
    TAKT_REQUIRE((whose->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT);
    return read(statistics, takt_entity_number(&whose->plain.entity), execution);
}

takt_status_t takt_statistics_read_server(const takt_statistics_t *statistics,
                                          const takt_thread_server_t *server, takt_execution_t *execution) {
    TAKT_REQUIRE(statistics != NULL && server != NULL && execution != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(server->server.entity.parent != NULL, TAKT_ERROR_OBJECT);
    return read(statistics, takt_entity_number(&server->server.entity), execution);
}
