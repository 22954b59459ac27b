/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations of windows, threads and the platform. The messages stand in check.h. */
#include "system/relations.h"

/* ---- windows ---------------------------------------------------------------------------------------- */

static bool is_allocator(takt_windows_t kind) { return kind >= TAKT_WINDOWS_TOP; }

/* Whether `policy` is one that allows no windows but its own. */
static bool is_closed(const takt_policy_t *policy) {
    return policy == &takt_policy_rate_based || is_foreign(policy);
}

static bool windows_fit(const takt_policy_t *policy, takt_windows_t kind) {
    if (is_allocator(kind)) {
        return !is_closed(policy);
    }
    if (policy == &takt_policy_time_driven) {
        return kind == TAKT_WINDOWS_TIME_DRIVEN;
    }
    if (policy == &takt_policy_imprecise) {
        return kind == TAKT_WINDOWS_IMPRECISE;
    }
    if (policy == &takt_policy_dual_priority) {
        return kind == TAKT_WINDOWS_NONE || kind == TAKT_WINDOWS_DUAL_PRIORITY;
    }
    return kind == TAKT_WINDOWS_NONE || (kind <= TAKT_WINDOWS_ABORT && !is_closed(policy));
}

bool takt_keeps_windows_go_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    bool fit = true;
    for (uint32_t i = 0; i < program->spec.task_count; i++) {
        const takt_windows_t kind =
            program->spec.windows != NULL ? program->spec.windows[i].kind : TAKT_WINDOWS_NONE;
        fit &= windows_fit(program->spec.policy, kind);
    }
    return fit;
}

bool takt_keeps_allocator_is_last(const takt_program_t *program, uint32_t row) {
    return !is_allocator(program->spec.windows[row].kind) || row + 1u == program->spec.task_count;
}

bool takt_keeps_windowed_is_plain(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return program->spec.windows[row].kind == TAKT_WINDOWS_NONE ||
           (is_plain(task) && !task->locks && task->on_miss == TAKT_ON_MISS_CONTINUE &&
            task->body_count == 0 && task->server == TAKT_ROOT);
}

bool takt_keeps_part_is_in_range(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    const takt_duration_t part = program->spec.windows[row].parameters.part;
    switch (program->spec.windows[row].kind) {
    case TAKT_WINDOWS_DUAL_PRIORITY:
        return part <= task->relative_deadline;
    case TAKT_WINDOWS_IMPRECISE:
        return part <= task->wcet;
    case TAKT_WINDOWS_TOP:
        return part >= 1 && part <= task->period;
    default:
        return part == 0;
    }
}

bool takt_keeps_windowed_deadline_is_in_period(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    const takt_windows_t kind = program->spec.windows[row].kind;
    const bool is_bound = kind == TAKT_WINDOWS_DUAL_PRIORITY || kind == TAKT_WINDOWS_IMPRECISE;
    return !is_bound || task->relative_deadline <= task->period;
}

bool takt_keeps_slots_are_of_time_driven(const takt_program_t *program, uint32_t row) {
    const takt_window_spec_t *window = &program->spec.windows[row];
    return (window->kind == TAKT_WINDOWS_TIME_DRIVEN) == (window->parameters.slot_count > 0);
}

bool takt_keeps_slots_ascend(const takt_program_t *program, uint32_t row) {
    const takt_window_parameters_t *parameters = &program->spec.windows[row].parameters;
    bool ascend = true;
    for (uint32_t i = 1; i < parameters->slot_count; i++) {
        const takt_slot_t *before = &parameters->slots[i - 1u];
        ascend &= before->start + before->length <= parameters->slots[i].start;
    }
    return ascend;
}

bool takt_keeps_slots_are_in_cycle(const takt_program_t *program, uint32_t row) {
    const takt_window_parameters_t *parameters = &program->spec.windows[row].parameters;
    bool are_in = true;
    for (uint32_t i = 0; i < parameters->slot_count; i++) {
        are_in &= parameters->slots[i].start + parameters->slots[i].length <= parameters->cycle;
    }
    return are_in;
}

bool takt_keeps_cycles_are_equal(const takt_program_t *program, uint32_t row) {
    const takt_window_spec_t *windows = program->spec.windows;
    return row == 0 || windows[row].parameters.slot_count == 0 ||
           windows[row].parameters.cycle == windows[row - 1u].parameters.cycle;
}

/* ---- threads and the platform ------------------------------------------------------------------------ */

bool takt_keeps_thread_level_exists(const takt_program_t *program, uint32_t row) {
    return program->spec.threads[row].level <= program->spec.levels;
}

bool takt_keeps_tick_has_period(const takt_program_t *program, uint32_t row) {
    return program->costs[row].tick == 0 || program->costs[row].tick_period >= 1;
}

bool takt_keeps_pull_is_without_ticks(const takt_program_t *program, uint32_t row) {
    return !program->costs[row].is_pull || program->costs[row].tick == 0;
}

bool takt_keeps_interval_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_architecture_t *architecture = &program->architecture[row];
    return architecture->model != TAKT_ARCHITECTURE_SOFTWARE || architecture->interval >= 1;
}

bool takt_keeps_architecture_has_plain_tasks(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    bool are_plain = true;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        are_plain &= is_plain(task) && !task->locks && task->server == TAKT_ROOT &&
                     task->on_miss == TAKT_ON_MISS_DROP && task->demands == NULL && task->body_count == 0 &&
                     !takt_system_has_windows(spec, i);
    }
    return are_plain;
}

bool takt_keeps_architecture_keeps_order(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.policy->overtake == NULL;
}

bool takt_keeps_architecture_has_no_changes(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.change_count == 0;
}

/* ---- several processors -------------------------------------------------------------------------------- */

bool takt_keeps_processors_stand_alone(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    return spec->cpu_count == 0 ||
           (spec->server_count == 0 && spec->resource_count == 0 && spec->thread_count == 0 &&
            spec->change_count == 0 && spec->rates == NULL);
}

bool takt_keeps_processors_have_one_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_policy_t *policy = program->spec.policy;
    return program->spec.cpu_count == 0 ||
           (policy->overtake == NULL && policy != &takt_policy_rate_based && !is_special(policy));
}

static bool is_free(const takt_sim_costs_t *costs) {
    return costs == NULL ||
           ((costs->context_switch | costs->release | costs->scheduling | costs->point | costs->tick) == 0 &&
            !costs->is_pull);
}

bool takt_keeps_processors_are_free(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.cpu_count == 0 || (is_free(program->costs) && program->architecture == NULL);
}

bool takt_keeps_processors_have_plain_tasks(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    bool are_plain = true;
    for (uint32_t i = 0; spec->cpu_count > 0 && i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        are_plain &= !task->suspends && !task->locks && task->body_count == 0 &&
                     (!task->is_limited || task->preemption_key == TAKT_KEY_MOST_URGENT) &&
                     !takt_system_has_windows(spec, i);
    }
    return are_plain;
}
