/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations of windows, threads and the platform. The messages stand in check.h. */
#include "system/relations.h"

/* ---- windows ---------------------------------------------------------------------------------------- */

static bool is_allocator(takt_windows_t kind) { return kind >= TAKT_WINDOWS_TOP; }

/* Whether `policy` is one that allows no windows but its own. */
static bool is_closed(const takt_policy_t *policy) {
    return has_any(policy, TAKT_POLICY_RATES) || is_foreign(policy);
}

static bool windows_fit(const takt_policy_t *policy, takt_windows_t kind) {
    if (is_allocator(kind)) {
        return !is_closed(policy);
    }
    if (has_any(policy, TAKT_POLICY_SLOTS)) {
        return kind == TAKT_WINDOWS_TIME_DRIVEN;
    }
    if (has_any(policy, TAKT_POLICY_MANDATORY_PARTS)) {
        return kind == TAKT_WINDOWS_IMPRECISE;
    }
    if (has_any(policy, TAKT_POLICY_PROMOTIONS)) {
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

/* A task of the lower band at the root, which promoted jobs preempt at any instant. */
bool takt_keeps_soft_does_not_obstruct(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    const bool is_lower = has_any(program->spec.policy, TAKT_POLICY_PROMOTIONS) &&
                          task->server == TAKT_ROOT && !takt_system_has_windows(&program->spec, row);
    return !is_lower || (!task->is_limited && !task->locks);
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

/* Whether one of the ascending slots of `parameters` overlaps `slot`. */
static bool overlaps(const takt_window_parameters_t *parameters, const takt_slot_t *slot) {
    uint32_t first = 0; /* slot that ends after the start of `slot` */
    uint32_t count = parameters->slot_count;
    while (count > 0) {
        const takt_slot_t *middle = &parameters->slots[first + count / 2u];
        const bool is_before = middle->start + middle->length <= slot->start;
        first += is_before ? count / 2u + 1u : 0;
        count = is_before ? (count - 1u) / 2u : count / 2u;
    }
    return first < parameters->slot_count && parameters->slots[first].start < slot->start + slot->length;
}

bool takt_keeps_slots_do_not_overlap(const takt_program_t *program, uint32_t row) {
    const takt_window_spec_t *windows = program->spec.windows;
    bool overlap = false;
    for (uint32_t i = 0; i < windows[row].parameters.slot_count; i++) {
        for (uint32_t other = 0; other < row; other++) {
            overlap |= overlaps(&windows[other].parameters, &windows[row].parameters.slots[i]);
        }
    }
    return !overlap;
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

bool takt_keeps_thread_server_exists(const takt_program_t *program, uint32_t row) {
    return program->spec.threads[row].server <= program->spec.server_count;
}

bool takt_keeps_thread_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_thread_spec_t *thread = &program->spec.threads[row];
    return thread->level <= levels_at(&program->spec, (int32_t)thread->server - 1);
}

bool takt_keeps_tick_has_period(const takt_program_t *program, uint32_t row) {
    return program->costs[row].tick == 0 || program->costs[row].tick_period >= 1;
}

bool takt_keeps_architecture_ends_in_wcet(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return program->architecture == NULL || task->demand <= task->wcet;
}

bool takt_keeps_interval_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_architecture_t *architecture = &program->architecture[row];
    return architecture->interval >= 1 || !takt_architecture_kinds[architecture->model].is_entered;
}

bool takt_keeps_architecture_has_such_times(const takt_program_t *program, uint32_t row) {
    const takt_architecture_t *architecture = &program->architecture[row];
    const takt_architecture_kind_t *kind = &takt_architecture_kinds[architecture->model];
    const bool has_timer = architecture->interval > 0 || architecture->is_fixed;
    return (kind->is_entered || !has_timer) && (kind->has_latency || architecture->latency == 0);
}

bool takt_keeps_architecture_drops_late_jobs(const takt_program_t *program, uint32_t row) {
    return program->architecture == NULL || program->spec.tasks[row].on_miss == TAKT_ON_MISS_DROP;
}
