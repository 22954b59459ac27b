/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What all tests share: sporadic tasks, verdicts, checked arithmetic, effort.
 *
 * Conditions of every function here, unless it says otherwise: times are whole ticks, 1 .. TAKT_ANALYSIS_TIME_MAX
 * (jitter, blocking and offsets from 0); arrays of tasks are ordered most urgent first where order matters; inputs are
 * never written; working memory is the caller's, of the length that the function says, and needs no initial value.
 *
 * A verdict has three values, because a fixed point may exceed 64 bits, or need more steps than the caller grants. Such
 * a result is TAKT_UNDECIDED, never a guess. Sums of checked arithmetic stay below 2^63. */
#ifndef TAKT_ANALYSIS_ANALYSIS_H
#define TAKT_ANALYSIS_ANALYSIS_H

#include "core/bits.h"

#define TAKT_ANALYSIS_TIME_MAX ((UINT64_C(1) << 62) - 1u)

/* Upper bound of every computed value: a sum that reaches it is reported. */
#define TAKT_ANALYSIS_LIMIT (UINT64_C(1) << 63)

/* A task whose jobs arrive at least `period` apart, the first at any instant (C, T, D, J). */
typedef struct takt_sporadic {
    takt_duration_t wcet;     /* C: the longest execution of a job */
    takt_duration_t period;   /* T: the minimum separation of two arrivals */
    takt_duration_t deadline; /* D: counted from the arrival, in any relation to the period */
    takt_duration_t jitter;   /* J: a job is released at most this after its arrival; 0 and up */
} takt_sporadic_t;

typedef enum takt_verdict {
    TAKT_UNSCHEDULABLE = 0, /* the test fails; if it is exact, some legal arrivals miss a deadline */
    TAKT_SCHEDULABLE = 1,   /* no legal arrivals miss a deadline */
    TAKT_UNDECIDED = 2,     /* the effort is used up, or a number reached TAKT_ANALYSIS_LIMIT */
} takt_verdict_t;

/* A worst-case response time, or why there is none. */
typedef struct takt_response {
    takt_duration_t ticks; /* from the arrival to the finish; 0 unless `is_bounded` */
    uint64_t job;    /* which job of the longest busy period it is, counted from 0; 0 unless `is_bounded` */
    bool is_bounded; /* false: the demand exceeds the processor, or undecided */
    bool is_decided; /* false: the effort is used up, or a number reached TAKT_ANALYSIS_LIMIT */
} takt_response_t;

/* The remaining steps of fixed points: each step decrements it, and a call ends undecided at 0. A step visits each task
 * at most once. Calls share it, so that one bound holds for a whole analysis. */
typedef uint64_t takt_effort_t;

/* Takes one step; false if none is left. */
TAKT_INLINE TAKT_MUST_USE bool takt_effort_step(takt_effort_t *effort) {
    if (*effort == 0) {
        return false;
    }
    *effort -= 1;
    return true;
}

/* *sum = a + b; false if that is not below TAKT_ANALYSIS_LIMIT. Both are below it. */
TAKT_INLINE TAKT_MUST_USE bool takt_checked_plus(uint64_t a, uint64_t b, uint64_t *sum) {
    *sum = a + b;
    return *sum < TAKT_ANALYSIS_LIMIT;
}

/* *product = a b; false if that is not below TAKT_ANALYSIS_LIMIT. */
TAKT_INLINE TAKT_MUST_USE bool takt_checked_times(uint64_t a, uint64_t b, uint64_t *product) {
    const bool is_out = a != 0 && b > (TAKT_ANALYSIS_LIMIT - 1u) / a;
    *product = is_out ? 0 : a * b;
    return !is_out;
}

/* *multiple = the least common multiple of a and b, 1 and up; false if that is not below TAKT_ANALYSIS_LIMIT. */
TAKT_INLINE TAKT_MUST_USE bool takt_checked_multiple(uint64_t a, uint64_t b, uint64_t *multiple) {
    uint64_t divisor = a;
    for (uint64_t rest = b; rest != 0;) {
        const uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return takt_checked_times(a, b / divisor, multiple);
}

/* Makes *common the least common multiple of itself and of all periods; false if that is not below
 * TAKT_ANALYSIS_LIMIT. */
TAKT_INLINE TAKT_MUST_USE bool takt_common_period(const takt_sporadic_t *tasks, uint32_t count,
                                                  uint64_t *common) {
    bool is_known = true;
    for (uint32_t i = 0; i < count && is_known; i++) {
        is_known = takt_checked_multiple(*common, tasks[i].period, common);
    }
    return is_known;
}

/* a / b, rounded up, without overflow. b >= 1. */
TAKT_INLINE uint64_t takt_ceiling(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1u : 0u); }

/* *work += C ceil((L + J) / T): the execution of all jobs that a task releases in an interval of L = `length` >= 1
 * ticks that begins with a release; false if a number reaches TAKT_ANALYSIS_LIMIT. */
TAKT_INLINE TAKT_MUST_USE bool takt_sporadic_requests(const takt_sporadic_t *task, takt_duration_t length,
                                                      uint64_t *work) {
    uint64_t reach = 0;
    uint64_t more = 0;
    return takt_checked_plus(length, task->jitter, &reach) &&
           takt_checked_times(takt_ceiling(reach, task->period), task->wcet, &more) &&
           takt_checked_plus(*work, more, work);
}

/* The number of bits of `value`, without leading zeros; 0 for 0. */
TAKT_INLINE uint32_t takt_bits_of(uint64_t value) {
    const uint32_t high = (uint32_t)(value >> 32);
    const uint32_t word = high != 0 ? high : (uint32_t)value;
    return (high != 0 ? 32u : 0) + (word != 0 ? 32u - takt_leading_zeros(word) : 0);
}

TAKT_INLINE takt_verdict_t takt_verdict_of(bool is_schedulable) {
    return is_schedulable ? TAKT_SCHEDULABLE : TAKT_UNSCHEDULABLE;
}

#endif
