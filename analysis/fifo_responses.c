/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times under fixed priorities among equals, in integer time.
 *
 * Source: Bedarkar, Vardishvili, Bozhko, Maida, Brandenburg 2022 (FIFO, verified); for integer time, more urgent
 * tasks and the order of equals at one instant: SPEC.md, 16. A busy interval of the level begins with the release
 * of all its tasks with the greatest jitter, right after the longest region of a less urgent one began. A job of
 * task i that is released A ticks later waits for what its equals, j in eq, released before it:
 *
 *   (1)  n(A) = floor((A + J_j) / T_j + 1) C_j over i and j before i, and ceil((A + J_j) / T_j) C_j over j behind i
 *   (2)  S'   = least x = B_i + n(A) - last + 1 + sum over hp(i) of ceil((x + J) / T) C   last region from S' - 1
 *   (3)  R    = S' - 1 + last - A + J_i                            maximised over A in [0, L), where n changes
 *   (4)  L    = least x >= 1 with x = B_i + sum over hp(i), i, eq of ceil((x + J) / T) C
 *
 * S' + last may be before A: what precedes the job is done then, so that no busy interval has such a job. R counts
 * the others. If R <= T_i, then no job of i waits behind one of its own, which would put it at the tail when that
 * one is done. If that holds for all equals, (3) is attained: by induction over the jobs in time. A backlog of
 * another equal only delays that one.
 *
 * Left out: thresholds, resources, suspension, supplies. */
#include "analysis/fifo_responses.h"

typedef struct level {
    const takt_children_t *set;
    takt_effort_t *effort;
    uint32_t first;  /* the first of the equals */
    uint32_t behind; /* the place behind the last one */
    uint32_t task;
    uint64_t blocking;
    uint64_t last;
} level_t;

static level_t level_of(const takt_children_t *set, uint32_t task, takt_effort_t *effort) {
    level_t level = {.set = set, .effort = effort, .task = task, .behind = set->above[task], .last = 1};
    for (level.first = task; level.first > 0 && set->above[level.first - 1u] == level.behind; level.first--) {
    }
    level.blocking = set->blocking != NULL ? set->blocking[task] : 0;
    if (set->ends != NULL) {
        level.last = set->ends[set->end_first != NULL ? set->end_first[task] : task].last;
    }
    return level;
}

/* How the demand of the level compares with the whole processor. GREATER: (4) has no solution; so too where the whole
 * is demanded, since blocking and jitter are never made up for. */
static takt_comparison_t compare_with_whole(const level_t *level, takt_fp_memory_t memory) {
    const takt_sporadic_t *tasks = level->set->tasks;
    bool is_delayed = level->blocking > 0;
    for (uint32_t j = 0; j < level->behind; j++) {
        memory.fractions[j] = (takt_fraction_t){tasks[j].wcet, tasks[j].period};
        is_delayed |= tasks[j].jitter > 0;
    }
    const takt_comparison_t order =
        takt_fractions_compare(memory.fractions, level->behind, memory.next, level->effort);
    return order == TAKT_EQUAL && is_delayed ? TAKT_GREATER : order;
}

/* *end = least x >= *end with x = `own` + what the first `count` tasks release in x ticks. False: it is not known. */
static bool find_fixed_point(const level_t *level, uint64_t own, uint32_t count, uint64_t *end) {
    uint64_t work = own;
    do {
        *end = work > *end ? work : *end;
        if (!takt_effort_step(level->effort)) {
            return false;
        }
        work = own;
        for (uint32_t j = 0; j < count; j++) {
            if (!takt_sporadic_requests(&level->set->tasks[j], *end, &work)) {
                return false;
            }
        }
    } while (work > *end);
    return true;
}

/* How much later than at `arrival` task `j` is counted: one that goes behind equals of its instant, by a tick. */
static uint64_t reach_of(const level_t *level, uint32_t j, uint64_t arrival) {
    return arrival + level->set->tasks[j].jitter + (j <= level->task ? 1u : 0u);
}

/* (1). False: it does not fit. */
static bool find_before(const level_t *level, uint64_t arrival, uint64_t *work) {
    bool fits = true;
    *work = 0;
    for (uint32_t j = level->first; j < level->behind && fits; j++) {
        const takt_sporadic_t *task = &level->set->tasks[j];
        uint64_t more = 0;
        fits =
            takt_checked_times(takt_ceiling(reach_of(level, j, arrival), task->period), task->wcet, &more) &&
            takt_checked_plus(*work, more, work);
    }
    return fits;
}

/* The least arrival after `arrival` at which (1) changes. */
static uint64_t next_arrival(const level_t *level, uint64_t arrival) {
    uint64_t least = UINT64_MAX;
    for (uint32_t j = level->first; j < level->behind; j++) {
        const uint64_t period = level->set->tasks[j].period;
        const uint64_t reach = reach_of(level, j, arrival);
        const uint64_t wait = takt_ceiling(reach, period) * period + 1u - reach;
        least = wait < least ? wait : least;
    }
    return arrival + least;
}

takt_response_t takt_fifo_response(const takt_children_t *set, uint32_t task, takt_fp_memory_t memory,
                                   takt_effort_t *effort) {
    const level_t level = level_of(set, task, effort);
    const takt_sporadic_t *own = &set->tasks[task];
    const takt_response_t unknown = {0, 0, false, false};
    const takt_response_t not_held = {0, 0, false, true};
    takt_response_t worst = {0, 0, true, true};
    uint64_t busy = 1;
    uint64_t begun = 1;
    const takt_comparison_t order = compare_with_whole(&level, memory);
    if (order == TAKT_GREATER || order == TAKT_ORDER_UNKNOWN) {
        return order == TAKT_GREATER ? not_held : unknown;
    }
    if (!find_fixed_point(&level, level.blocking, level.behind, &busy)) {
        return unknown;
    }
    for (uint64_t arrival = 0; arrival < busy; arrival = next_arrival(&level, arrival)) {
        uint64_t work = 0;
        if (!find_before(&level, arrival, &work) ||
            !find_fixed_point(&level, level.blocking + work - level.last + 1u, level.first, &begun)) {
            return unknown;
        }
        const uint64_t finish = begun - 1u + level.last + own->jitter;
        if (finish > arrival + own->period) {
            return not_held;
        }
        if (finish > arrival + worst.ticks) {
            worst = (takt_response_t){finish - arrival, arrival, true, true};
        }
    }
    return worst;
}
