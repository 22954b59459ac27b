/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Final non-preemptive regions.
 *
 * Source: Davis and Bertogna 2012 (algorithms FNR and FNR-PA, Theorems 2 and 3). The response of a task does not grow
 * with its final region F, so bisection finds the smallest F. It does not shrink with the blocking, max F - 1 of the
 * less urgent tasks. So from the lowest level up the smallest F is best for the tasks above; and at each level the task
 * that needs the smallest F is the best choice.
 *
 * Bound: log2(C) + 1 tests for a task at a level. Left out: regions before the last one (point_placement.h). When not to use it:
 * where code cannot be made non-preemptive anywhere, only between given points. */
#include "analysis/final_regions.h"

/* Whether the task at `place` meets its deadline if its final region is `region` long. */
static takt_verdict_t test(const takt_draft_t *draft, uint32_t place, takt_duration_t region,
                           takt_effort_t *effort) {
    draft->ends[place] = (takt_fp_end_t){draft->tasks[place].wcet, region, 0};
    return takt_draft_is_schedulable(draft, place, effort);
}

/* The smallest final region, at most `most`, with which it meets its deadline. */
static takt_verdict_t find_smallest(const takt_draft_t *draft, uint32_t place, takt_duration_t *region,
                                    takt_effort_t *effort) {
    takt_duration_t too_small = 0;
    takt_duration_t enough = draft->tasks[place].wcet;
    takt_verdict_t verdict = test(draft, place, enough, effort);
    if (verdict != TAKT_SCHEDULABLE) {
        return verdict;
    }
    while (enough - too_small > 1u && verdict != TAKT_UNDECIDED) {
        const takt_duration_t middle = too_small + (enough - too_small) / 2u;
        verdict = test(draft, place, middle, effort);
        *(verdict == TAKT_SCHEDULABLE ? &enough : &too_small) = middle;
    }
    *region = enough;
    return verdict == TAKT_UNDECIDED ? TAKT_UNDECIDED : TAKT_SCHEDULABLE;
}

takt_verdict_t takt_final_regions_find(const takt_sporadic_t *tasks, uint32_t count,
                                       const takt_draft_t *draft, takt_duration_t *regions,
                                       takt_effort_t *effort) {
    takt_duration_t longest = 1;
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t i = 0; i < count; i++) {
        draft->tasks[i] = tasks[i];
    }
    for (uint32_t i = count; i-- > 0 && verdict == TAKT_SCHEDULABLE;) {
        draft->blocking[i] = longest - 1u;
        verdict = find_smallest(draft, i, &regions[i], effort);
        longest = regions[i] > longest ? regions[i] : longest;
    }
    return verdict;
}

/* ---- priorities too ---------------------------------------------------------------------------------------------- */

/* The best of those that could take a level so far. */
typedef struct candidate {
    uint32_t place;
    takt_duration_t region;
    takt_verdict_t verdict;
} candidate_t;

static void swap(uint32_t *order, uint32_t a, uint32_t b) {
    const uint32_t other = order[a];
    order[a] = order[b];
    order[b] = other;
}

/* Copies tasks order[0 .. level] so that the one at `place` is the least urgent. */
static void lay_out(const takt_sporadic_t *tasks, const takt_draft_t *draft, const uint32_t *order,
                    uint32_t place, uint32_t level) {
    for (uint32_t i = 0; i <= level; i++) {
        draft->tasks[i] = tasks[order[i]];
    }
    draft->tasks[place] = tasks[order[level]];
    draft->tasks[level] = tasks[order[place]];
}

/* Of the tasks up to `level` the one that needs the smallest region there. */
static candidate_t best_for(const takt_sporadic_t *tasks, const takt_draft_t *draft, const uint32_t *order,
                            uint32_t level, takt_effort_t *effort) {
    candidate_t best = {level, 0, TAKT_UNSCHEDULABLE};
    for (uint32_t place = level + 1u; place-- > 0 && best.verdict != TAKT_UNDECIDED;) {
        takt_duration_t region = 0;
        lay_out(tasks, draft, order, place, level);
        const takt_verdict_t verdict = find_smallest(draft, level, &region, effort);
        const bool is_better = best.verdict == TAKT_UNSCHEDULABLE || region < best.region;
        if (verdict == TAKT_UNDECIDED || (verdict == TAKT_SCHEDULABLE && is_better)) {
            best = (candidate_t){place, region, verdict};
        }
    }
    return best;
}

takt_verdict_t takt_final_regions_assign(const takt_sporadic_t *tasks, uint32_t count,
                                         const takt_draft_t *draft, uint32_t *order, takt_duration_t *regions,
                                         takt_effort_t *effort) {
    takt_duration_t longest = 1;
    for (uint32_t level = count; level-- > 0;) {
        draft->blocking[level] = longest - 1u;
        const candidate_t best = best_for(tasks, draft, order, level, effort);
        if (best.verdict != TAKT_SCHEDULABLE) {
            return best.verdict;
        }
        swap(order, best.place, level);
        regions[order[level]] = best.region;
        longest = best.region > longest ? best.region : longest;
    }
    return TAKT_SCHEDULABLE;
}
