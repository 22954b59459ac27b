/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations of rates, changes and what comes from outside. The messages stand in check.h. */
#include "system/relations.h"

/* ---- rates ------------------------------------------------------------------------------------------ */

bool takt_keeps_shares_leave_room(const takt_program_t *program, uint32_t row) {
    const takt_rate_settings_t *rates = &program->spec.rates[row];
    return rates->has_formula || rates->beta + rates->sigma <= TAKT_RATE_WHOLE;
}

bool takt_keeps_rates_go_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return (program->spec.rates != NULL) == has_any(program->spec.policy, TAKT_POLICY_RATES);
}

bool takt_keeps_use_is_of_a_locking_task(const takt_program_t *program, uint32_t row) {
    const takt_use_spec_t *use = &program->spec.uses[row];
    return use->task < program->spec.task_count && program->spec.tasks[use->task].locks;
}

bool takt_keeps_use_is_under_srp(const takt_program_t *program, uint32_t row) {
    const uint32_t resource = program->spec.uses[row].resource;
    return program->spec.rates != NULL && resource < program->spec.resource_count &&
           bars_runs(takt_protocols[program->spec.resources[resource].protocol]);
}

/* Whether one of the first `count` uses is of `task` and `resource`. */
static bool is_used(const takt_system_spec_t *spec, uint32_t count, uint32_t task, uint64_t resource) {
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++) {
        is_any |= spec->uses[i].task == task && spec->uses[i].resource == resource;
    }
    return is_any;
}

bool takt_keeps_use_is_told_once(const takt_program_t *program, uint32_t row) {
    const takt_use_spec_t *use = &program->spec.uses[row];
    return !is_used(&program->spec, row, use->task, use->resource);
}

bool takt_keeps_rated_has_weight(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || takt_rate_is_weight(program->spec.tasks[row].weight);
}

/* The parameters of a reservation: those of a task, or what a change makes of them. */
typedef struct rated {
    takt_task_class_t task_class;
    takt_duration_t period, deadline, wcet;
    bool is_greedy; /* of which the wcet does not count */
} rated_t;

static rated_t rated_at(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return (rated_t){task->task_class, task->period, task->relative_deadline, task->wcet, task->is_greedy};
}

static bool fits_class(rated_t rated) {
    return takt_rate_fits_class(rated.task_class, rated.period, rated.deadline);
}

static bool is_within_deadline(rated_t rated) {
    return rated.task_class == TAKT_CLASS_NONE || rated.is_greedy || rated.wcet <= rated.deadline;
}

static bool has_short_wcet(rated_t rated) { return rated.is_greedy || rated.wcet <= TAKT_RATE_LONGEST; }

bool takt_keeps_rated_period_is_short(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || rated_at(program, row).period <= TAKT_RATE_LONGEST;
}

bool takt_keeps_rated_wcet_is_short(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || has_short_wcet(rated_at(program, row));
}

bool takt_keeps_rated_deadline_fits_class(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || fits_class(rated_at(program, row));
}

bool takt_keeps_rated_wcet_is_within_deadline(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || is_within_deadline(rated_at(program, row));
}

bool takt_keeps_rated_body_locks_its_uses(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool are_uses = true;
    for (uint32_t i = 0; spec->rates != NULL && i < spec->tasks[row].body_count; i++) {
        const takt_item_t *item = &spec->tasks[row].body[i];
        are_uses &= item->kind == TAKT_ITEM_RUN ||
                    (names_resource(item) && is_used(spec, spec->use_count, row, item->ticks));
    }
    return are_uses;
}

bool takt_keeps_greedy_is_rated(const takt_program_t *program, uint32_t row) {
    return program->spec.rates != NULL || !program->spec.tasks[row].is_greedy;
}

bool takt_keeps_only_soft_adapts(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !task->adapts || (program->spec.rates != NULL && task->task_class == TAKT_CLASS_SOFT);
}

/* ---- changes ---------------------------------------------------------------------------------------- */

static bool is_of_policy(const takt_program_t *program, uint32_t row) {
    return program->spec.changes[row].kind == TAKT_CHANGE_POLICY;
}

static bool is_of_parameters(const takt_program_t *program, uint32_t row) {
    return program->spec.changes[row].kind == TAKT_CHANGE_PARAMETERS;
}

static const takt_task_spec_t *changed_by(const takt_program_t *program, uint32_t row) {
    return &program->spec.tasks[program->spec.changes[row].task];
}

bool takt_keeps_change_is_of_a_task(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) || program->spec.changes[row].task < program->spec.task_count;
}

bool takt_keeps_changes_ascend(const takt_program_t *program, uint32_t row) {
    const takt_change_spec_t *changes = program->spec.changes;
    return row == 0 || changes[row - 1u].instant <= changes[row].instant;
}

bool takt_keeps_policy_change_has_policy(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) == (program->spec.changes[row].policy != NULL);
}

bool takt_keeps_changed_has_no_windows(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) ||
           !takt_system_has_windows(&program->spec, program->spec.changes[row].task);
}

bool takt_keeps_changed_has_no_rule(const takt_program_t *program, uint32_t row) {
    return !is_of_parameters(program, row) || !has_rule(&program->spec, changed_by(program, row));
}

/* The longest sections of a server that shares under sirap count all its tasks. Ceilings are checked where a job
 * locks. */
bool takt_keeps_changed_is_unmeasured(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool is_unmeasured = true;
    for (uint32_t i = 0; is_of_parameters(program, row) && i < spec->resource_count; i++) {
        const takt_resource_spec_t *resource = &spec->resources[i];
        is_unmeasured &= !resource->is_shared || !takt_protocols[resource->protocol]->awaits_budget ||
                         resource->server != changed_by(program, row)->server;
    }
    return is_unmeasured;
}

bool takt_keeps_changed_period_is_positive(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) || changed_by(program, row)->is_external ||
           program->spec.changes[row].period >= 1;
}

bool takt_keeps_changed_level_exists(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) ||
           program->spec.changes[row].level <= levels_at(&program->spec, changed_by(program, row)->server);
}

bool takt_keeps_changed_demand_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *demands = program->spec.changes[row].demands;
    return demands == NULL || demands->least >= 1;
}

/* Whether row `row` is of the parameters of a reservation. */
static bool is_of_rate(const takt_program_t *program, uint32_t row) {
    return program->spec.rates != NULL && is_of_parameters(program, row);
}

/* The reservation after the change. */
static rated_t rated_by(const takt_program_t *program, uint32_t row) {
    const takt_change_spec_t *change = &program->spec.changes[row];
    return (rated_t){change->task_class, change->period, change->relative_deadline, change->wcet,
                     changed_by(program, row)->is_greedy};
}

bool takt_keeps_changed_rate_keeps_class(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) ||
           program->spec.changes[row].task_class == changed_by(program, row)->task_class;
}

bool takt_keeps_changed_rate_has_weight(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) || takt_rate_is_weight(program->spec.changes[row].weight);
}

bool takt_keeps_changed_period_is_short(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) || rated_by(program, row).period <= TAKT_RATE_LONGEST;
}

bool takt_keeps_changed_wcet_is_short(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) || has_short_wcet(rated_by(program, row));
}

bool takt_keeps_changed_deadline_fits_class(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) || fits_class(rated_by(program, row));
}

bool takt_keeps_changed_wcet_is_within_deadline(const takt_program_t *program, uint32_t row) {
    return !is_of_rate(program, row) || is_within_deadline(rated_by(program, row));
}

/* ---- what comes from outside ------------------------------------------------------------------------- */

bool takt_keeps_input_has_a_receiver(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_input_t *input = &program->inputs[row];
    return input->kind == TAKT_INPUT_CHANGE
               ? input->index < spec->change_count
               : input->index < spec->task_count && spec->tasks[input->index].is_external;
}
