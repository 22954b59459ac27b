/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* State of a rate-based task, as all parts of the scheduler ask for it. Each function costs O(1). */
#ifndef TAKT_POLICY_RATE_TASK_H
#define TAKT_POLICY_RATE_TASK_H

#include "policy/rate_based.h"

/* Returns the scheduler of `rate`. */
TAKT_INLINE takt_rate_based_t *takt_rate_based_of(const takt_rate_task_t *rate) {
    return TAKT_CONTAINER_OF(rate->extension.allocation, takt_rate_based_t, allocation);
}

TAKT_INLINE takt_task_class_t takt_rate_class_of(const takt_rate_task_t *rate) {
    return (takt_task_class_t)rate->extension.task->job.task_class;
}

TAKT_INLINE bool takt_rate_is_hard(const takt_rate_task_t *rate) {
    return takt_rate_class_of(rate) == TAKT_CLASS_HARD;
}

/* True if `rate` gives up rate at once, by TAKT_RATE_NAIVE. */
TAKT_INLINE bool takt_rate_is_naive(const takt_rate_task_t *rate) {
    return takt_rate_based_of(rate)->settings.rule == TAKT_RATE_NAIVE;
}

/* True if the sums of admitted tasks contain `rate`. */
TAKT_INLINE bool takt_rate_is_admitted(const takt_rate_task_t *rate) {
    return rate->stage == TAKT_RATE_WAITING || rate->stage == TAKT_RATE_IN;
}

/* True if a window of `rate` is open: its execution is charged to the budget. */
TAKT_INLINE bool takt_rate_is_open(const takt_rate_task_t *rate) {
    return takt_task_is_open(rate->extension.task);
}

/* True if no window is open, and the last one has reached its deadline. */
TAKT_INLINE bool takt_rate_is_at_boundary(const takt_rate_task_t *rate, takt_instant_t now) {
    return !takt_rate_is_open(rate) && now >= rate->deadline;
}

/* True if `rate` holds a resource. */
TAKT_INLINE bool takt_rate_is_holding(const takt_rate_task_t *rate) { return rate->extension.held != NULL; }

/* True if a job of `rate` is unfinished. */
TAKT_INLINE bool takt_rate_has_work(const takt_rate_task_t *rate) {
    return takt_task_is_active(rate->extension.task) || rate->extension.task->waiting > 0;
}

/* Records what happened to `rate`, with its rate. */
TAKT_INLINE void takt_rate_note(const takt_rate_task_t *rate, takt_allocation_event_t event,
                                takt_instant_t now) {
    takt_allocator_note(rate->extension.task, event, now, rate->now.rate);
}

#endif
