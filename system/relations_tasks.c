/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations of tasks, what they draw and what they do. The messages stand in check.h. */
#include "system/relations.h"

/* ---- tasks ------------------------------------------------------------------------------------------ */

bool takt_keeps_periodic_has_period(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || task->period >= 1;
}

bool takt_keeps_jitter_is_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || task->jitter == 0;
}

bool takt_keeps_rule_server_holds_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || !is_in_rule_server(&program->spec, task->server);
}

bool takt_keeps_task_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->level <= levels_at(&program->spec, task->server);
}

bool takt_keeps_preemption_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !has_levels_at(&program->spec, task->server) ||
           task->preemption_key <= levels_at(&program->spec, task->server);
}

bool takt_keeps_ring_is_power_of_two(const takt_program_t *program, uint32_t row) {
    const uint32_t ring = program->spec.tasks[row].ring;
    return ring == 0 || takt_is_power_of_two(ring);
}

bool takt_keeps_one_deadline_rule(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->events == 0 || !is_in_rule_server(&program->spec, task->server);
}

bool takt_keeps_rule_is_of_events(const takt_program_t *program, uint32_t row) {
    return program->spec.tasks[row].events == 0 || program->spec.tasks[row].is_external;
}

bool takt_keeps_rule_has_interval(const takt_program_t *program, uint32_t row) {
    return program->spec.tasks[row].events == 0 || program->spec.tasks[row].interval >= 1;
}

bool takt_keeps_share_goes_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.has_shares == has_any(program->spec.policy, TAKT_POLICY_VIRTUAL_TIME);
}

bool takt_keeps_share_is_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !program->spec.has_shares || (task->is_external && task->events == 0);
}

bool takt_keeps_share_has_weight(const takt_program_t *program, uint32_t row) {
    const uint64_t weight = program->spec.tasks[row].weight;
    return !program->spec.has_shares || (weight >= 1 && weight <= TAKT_SHARE_WEIGHTS);
}

bool takt_keeps_share_wcet_is_short(const takt_program_t *program, uint32_t row) {
    return !program->spec.has_shares || program->spec.tasks[row].wcet <= TAKT_SHARE_LONGEST;
}

/* ---- streams ---------------------------------------------------------------------------------------- */

static const takt_stream_t *stream_at(const takt_program_t *program, uint32_t row) {
    return &program->streams[row];
}

static bool is_listed(const takt_stream_t *stream) { return stream->kind == TAKT_STREAM_LISTED; }

/* In the order of the numbers, which are not negative. */
static uint64_t bits_of(double value) {
    const union {
        double value;
        uint64_t bits;
    } both = {value};
    return both.bits;
}

bool takt_keeps_stream_has_range(const takt_program_t *program, uint32_t row) {
    return stream_at(program, row)->least <= stream_at(program, row)->most;
}

bool takt_keeps_list_is_not_empty(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return is_listed(stream) == (stream->count > 0);
}

bool takt_keeps_list_is_in_range(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    bool is_in = true;
    for (uint64_t i = 0; i < stream->count; i++) {
        is_in &= stream->values[i] >= stream->least;
    }
    return is_in;
}

bool takt_keeps_uniform_ascends(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return stream->kind != TAKT_STREAM_UNIFORM || bits_of(stream->a) <= bits_of(stream->b);
}

bool takt_keeps_shape_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return stream->kind != TAKT_STREAM_WEIBULL || bits_of(stream->b) > 0;
}

bool takt_keeps_demand_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *demands = program->spec.tasks[row].demands;
    return demands == NULL || demands->least >= 1;
}

bool takt_keeps_arrivals_are_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->arrivals == NULL || (task->is_external && task->jitter == 0);
}

bool takt_keeps_arrivals_ascend(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *arrivals = program->spec.tasks[row].arrivals;
    bool ascend = true;
    for (uint64_t i = 1; arrivals != NULL && i < arrivals->count; i++) {
        ascend &= arrivals->values[i - 1u] <= arrivals->values[i];
    }
    return ascend;
}

bool takt_keeps_arrivals_keep_distance(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    bool keep = true;
    for (uint64_t i = 1; task->arrivals != NULL && i < task->arrivals->count; i++) {
        const uint64_t before = task->arrivals->values[i - 1u];
        const uint64_t after = task->arrivals->values[i];
        keep &= after < before || after - before >= task->period;
    }
    return keep;
}

bool takt_keeps_arrivals_have_separation(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *arrivals = program->spec.tasks[row].arrivals;
    if (arrivals == NULL || is_listed(arrivals)) {
        return true;
    }
    const double typical = arrivals->kind == TAKT_STREAM_UNIFORM ? arrivals->b : arrivals->a;
    return arrivals->most >= 1 && (arrivals->least >= 1 || bits_of(typical) >= bits_of(1.0));
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

bool takt_keeps_item_takes_time(const takt_program_t *program, uint32_t row) {
    const takt_item_t *item = &program->items[row];
    return (item->kind != TAKT_ITEM_RUN && item->kind != TAKT_ITEM_SUSPEND) || item->ticks >= 1;
}

/* Whether each item of the body of task `row` keeps a relation. */
static bool body_keeps(const takt_program_t *program, uint32_t row,
                       bool (*keeps)(const takt_program_t *, uint32_t, const takt_item_t *)) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    bool is_kept = true;
    for (uint32_t i = 0; i < task->body_count; i++) {
        is_kept &= keeps(program, row, &task->body[i]);
    }
    return is_kept;
}

static bool may_suspend(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    return item->kind != TAKT_ITEM_SUSPEND || program->spec.tasks[row].suspends;
}

static bool may_lock(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    return !names_resource(item) || program->spec.tasks[row].locks;
}

static bool is_where_the_task_is(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    const takt_system_spec_t *spec = &program->spec;
    return !names_resource(item) ||
           (item->ticks < spec->resource_count &&
            spec->resources[item->ticks].server == takt_system_place(spec, spec->tasks[row].server));
}

static bool has_no_ceiling(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    const takt_system_spec_t *spec = &program->spec;
    return !names_resource(item) || !is_in_rule_server(spec, spec->tasks[row].server) ||
           !has_ceiling(&spec->resources[item->ticks]);
}

bool takt_keeps_suspensions_are_told(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, may_suspend);
}

bool takt_keeps_locks_are_told(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, may_lock);
}

bool takt_keeps_locked_resource_is_there(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, is_where_the_task_is);
}

bool takt_keeps_rule_locks_without_ceiling(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, has_no_ceiling);
}

/* What is held: of each resource, in scratch memory, one more than the place below it in the stack; 0: it is free. The
 * places of resources count from 1, and 0 is the bottom. */
typedef struct held {
    uint32_t *below;
    uint32_t top;
} held_t;

static bool push(held_t *held, uint32_t resource) {
    if (held->below[resource] != 0) {
        return false;
    }
    held->below[resource] = held->top + 1u;
    held->top = resource + 1u;
    return true;
}

static void pop(held_t *held) {
    uint32_t *below = &held->below[held->top - 1u];
    held->top = *below - 1u;
    *below = 0;
}

static bool pop_this(held_t *held, uint32_t resource) {
    if (held->top != resource + 1u) {
        return false;
    }
    pop(held);
    return true;
}

static bool pass_item(held_t *held, const takt_item_t *item) {
    switch (item->kind) {
    case TAKT_ITEM_LOCK:
        return push(held, (uint32_t)item->ticks);
    case TAKT_ITEM_UNLOCK:
        return pop_this(held, (uint32_t)item->ticks);
    default:
        return item->kind != TAKT_ITEM_SUSPEND || held->top == 0;
    }
}

/* No resource is locked twice, and no job suspends itself in a section. */
bool takt_keeps_sections_nest(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    held_t held = {program->scratch + program->spec.server_count, 0};
    bool nest = true;
    for (uint32_t i = 0; i < task->body_count && nest; i++) {
        nest = pass_item(&held, &task->body[i]);
    }
    while (held.top != 0) {
        pop(&held);
    }
    return nest;
}
