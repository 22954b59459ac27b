/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Audsley's optimal priority assignment.
 *
 * Sources: Audsley 1991, 2001; Davis and Burns 2011 for the conditions on a test: (1) it depends on the set of more
 * urgent tasks, not on their order; (2) the same holds for less urgent tasks; (3) a task that passes at a level passes
 * at a higher one. From the lowest level up, a task that passes takes the level: by (3) later choices stay as good.
 *
 * Left out: orders that are best beyond being schedulable (Davis and Burns 2007). When not to use it: D <= T, no jitter and
 * no blocking, where deadline monotonic is optimal without a single test. */
#include "analysis/priority_assignment.h"

/* Moves the task at `level` to the front; those before it move back by one. */
static void move_to_front(uint32_t *order, uint32_t level) {
    const uint32_t moved = order[level];
    for (uint32_t i = level; i > 0; i--) {
        order[i] = order[i - 1u];
    }
    order[0] = moved;
}

/* Assigns `level` to the last task up to it that passes there. */
static takt_verdict_t assign_level(uint32_t count, takt_level_test_t test, void *context, uint32_t *order,
                                   uint32_t level) {
    takt_verdict_t none = TAKT_UNSCHEDULABLE;
    for (uint32_t tried = 0; tried <= level; tried++) {
        const takt_verdict_t verdict = test(context, order, count, level);
        if (verdict == TAKT_SCHEDULABLE) {
            return TAKT_SCHEDULABLE;
        }
        none = verdict == TAKT_UNDECIDED ? TAKT_UNDECIDED : none;
        move_to_front(order, level);
    }
    return none;
}

takt_verdict_t takt_priorities_assign(uint32_t count, takt_level_test_t test, void *context,
                                      uint32_t *order) {
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t level = count; level-- > 0 && verdict == TAKT_SCHEDULABLE;) {
        verdict = assign_level(count, test, context, order, level);
    }
    return verdict;
}

/* ---- fixed priorities ------------------------------------------------------------------------------------------ */

static uint64_t value_of(const uint64_t *column, uint32_t task, uint64_t otherwise) {
    return column != NULL ? column[task] : otherwise;
}

takt_verdict_t takt_fp_level_test(void *context, const uint32_t *order, uint32_t count, uint32_t level) {
    const takt_fp_choice_t *choice = context;
    const uint32_t task = order[level];
    takt_duration_t longest = 1;
    for (uint32_t i = level + 1u; i < count; i++) {
        const takt_duration_t region = value_of(choice->longest, order[i], 1);
        longest = region > longest ? region : longest;
    }
    for (uint32_t i = 0; i <= level; i++) {
        choice->draft.tasks[i] = choice->tasks[order[i]];
    }
    choice->draft.blocking[level] = value_of(choice->blocking, task, 0) + (longest - 1u);
    choice->draft.ends[level] = (takt_fp_end_t){choice->tasks[task].wcet, value_of(choice->last, task, 1), 0};
    return takt_draft_is_schedulable(&choice->draft, level, choice->effort);
}
