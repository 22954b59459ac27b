/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a section of one rate-based task takes from the processor by blocking another one: SPEC.md, 10, after Baker. The
 * kernel and the descriptions of task sets take it from here. */
#ifndef TAKT_POLICY_RATE_SHARING_H
#define TAKT_POLICY_RATE_SHARING_H

#include "core/wide.h"
#include "policy/rate_based.h"

/* The most: no task can get more than the whole. */
#define TAKT_RATE_TAKEN (2u * TAKT_RATE_WHOLE)

typedef struct takt_rate_sharer {
    takt_duration_t window; /* the shortest relative deadline: 1 .. TAKT_RATE_LONGEST */
    takt_duration_t period; /* of its releases, as requested */
    bool is_hard;           /* its deadlines are fixed; else it gets later ones when it overruns */
} takt_rate_sharer_t;

/* A section of `longest` ticks, less the tick in which it begins, as a rate by `window`, rounded up. */
TAKT_INLINE uint64_t takt_rate_of_section(takt_duration_t longest, takt_duration_t window) {
    const takt_duration_t ticks = longest > 0 ? longest - 1u : 0;
    return ticks < 2u * window ? takt_quotient_up(ticks * TAKT_RATE_WHOLE, window) : TAKT_RATE_TAKEN;
}

/* The blocking of a task by a section of another one, as a rate by the deadline: 0 if no window of the other that begins
 * before one of the task may end after it, or the ceiling is below the task. `ceiling` is the shortest window of the
 * users of the resource. */
TAKT_INLINE uint64_t takt_rate_blocking_by(const takt_rate_sharer_t *task, const takt_rate_sharer_t *other,
                                           takt_duration_t longest, takt_duration_t ceiling) {
    const bool may_end_after = !other->is_hard || other->period > task->window;
    const bool is_above = task->is_hard && task->window < ceiling;
    const takt_duration_t window = task->window > ceiling ? task->window : ceiling;
    return may_end_after && !is_above ? takt_rate_of_section(longest, window) : 0;
}

#endif
