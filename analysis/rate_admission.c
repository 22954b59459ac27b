/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Admission and allocation of the rate-based scheduler.
 *
 * Source: Springer and Zhao 2024, equations (3) to (7), (13), (14), in integers; SPEC.md, 10, says
 * what sharing takes. Rates of hard and soft tasks are rounded up, what is handed out is rounded down: the sum of all is
 * never above the whole. policy/rate_based.c decides the same task by task while the system runs; here is the verdict over the
 * whole set, for admission beforehand. Left out: when a change comes into force, estimates, and tasks that leave. */
#include "analysis/rate_admission.h"

#include "core/wide.h"

#define WHOLE TAKT_ADMISSION_WHOLE

/* Sums over the admitted tasks. */
typedef struct admitted {
    uint64_t count[3];
    uint64_t requested[3];
    uint64_t weights;
    uint64_t longest;
    uint64_t excess;
} admitted_t;

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t less_by(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* The rate that a hard or soft task asks for; up to 2^37 times the whole is below 2^62. */
static uint64_t rate_of(const takt_rate_request_t *request) {
    const bool is_none = request->task_class == TAKT_ADMISSION_NONE;
    return is_none ? 0 : takt_ceiling(request->wcet * WHOLE, request->window);
}

static admitted_t with(admitted_t sums, const takt_rate_request_t *request) {
    sums.count[request->task_class]++;
    sums.requested[request->task_class] += rate_of(request);
    sums.weights += request->task_class == TAKT_ADMISSION_NONE ? request->weight : 0;
    sums.longest = larger_of(sums.longest, request->longest);
    sums.excess += request->excess;
    return sums;
}

static uint64_t taken_by(const admitted_t *sums) { return sums->longest + sums->excess; }

static uint64_t capacity_of(const admitted_t *sums) { return less_by(WHOLE, taken_by(sums)); }

/* Formula (3), corrected: none / (none + soft (1 + U_S)^2) (1 - U_H), rounded up. Below 2^(20 + 90). */
static uint64_t formula(const admitted_t *sums) {
    const uint64_t left = less_by(capacity_of(sums), sums->requested[TAKT_ADMISSION_HARD]);
    const uint64_t stretched = WHOLE + sums->requested[TAKT_ADMISSION_SOFT];
    const takt_wide_t own =
        takt_wide_times(takt_wide_product(WHOLE, WHOLE), larger_of(sums->count[TAKT_ADMISSION_NONE], 1u));
    const takt_wide_t others =
        takt_wide_times(takt_wide_product(stretched, stretched), sums->count[TAKT_ADMISSION_SOFT]);
    const takt_wide_t divisor = takt_wide_plus(own, others);
    const takt_wide_t last = takt_wide_minus(divisor, (takt_wide_t){0, 1});
    return takt_wide_quotient(takt_wide_plus(takt_wide_times(own, left), last), divisor);
}

static uint64_t beta_of(const admitted_t *sums, const takt_admission_settings_t *settings) {
    return settings->has_formula ? formula(sums) : settings->beta;
}

/* Hard tasks never get the share beta, even while no best-effort task is present. */
static bool fits(const admitted_t *sums, const takt_admission_settings_t *settings) {
    return sums->requested[TAKT_ADMISSION_HARD] + beta_of(sums, settings) + settings->sigma +
               taken_by(sums) <=
           WHOLE;
}

/* Only a hard task, or one that lengthens the blocking of others, may be refused. */
static bool is_admissible(const admitted_t *before, const admitted_t *after,
                          const takt_admission_settings_t *settings) {
    const bool asks = after->count[TAKT_ADMISSION_HARD] > before->count[TAKT_ADMISSION_HARD] ||
                      taken_by(after) > taken_by(before);
    return !asks || fits(after, settings);
}

/* Equations (4) and (5). */
static takt_rate_division_t divide(const admitted_t *sums, const takt_admission_settings_t *settings) {
    const uint64_t beta = sums->count[TAKT_ADMISSION_NONE] > 0 ? beta_of(sums, settings) : 0;
    const uint64_t hard = sums->requested[TAKT_ADMISSION_HARD];
    const uint64_t asked = sums->requested[TAKT_ADMISSION_SOFT];
    const uint64_t capacity = capacity_of(sums);
    const uint64_t soft = smaller_of(asked, less_by(capacity, hard + beta));
    return (takt_rate_division_t){capacity, hard, asked, soft, capacity - hard - soft};
}

/* Equations (6) and (7). */
static takt_rate_grant_t grant_soft(const takt_rate_request_t *request, const takt_rate_division_t *division,
                                    takt_duration_t grid) {
    if (division->soft == division->soft_asked) {
        return (takt_rate_grant_t){true, rate_of(request), request->wcet, request->window};
    }
    const uint64_t rate = rate_of(request) * division->soft / division->soft_asked;
    if (rate == 0) {
        return (takt_rate_grant_t){true, 0, 0, 0};
    }
    const takt_duration_t period = takt_ceiling(request->wcet * WHOLE, rate);
    return (takt_rate_grant_t){true, rate, request->wcet, takt_ceiling(period, grid) * grid};
}

/* Equations (13) and (14); where not even one tick fits, the period becomes longer. */
static takt_rate_grant_t grant_none(const takt_rate_request_t *request, uint64_t share, uint64_t weights) {
    const uint64_t rate = share * request->weight / weights;
    if (rate == 0) {
        return (takt_rate_grant_t){true, 0, 0, 0};
    }
    const takt_duration_t budget = rate * request->window / WHOLE;
    return budget > 0 ? (takt_rate_grant_t){true, rate, budget, request->window}
                      : (takt_rate_grant_t){true, rate, 1, takt_ceiling(WHOLE, rate)};
}

static takt_rate_grant_t grant(const takt_rate_request_t *request, const takt_rate_division_t *division,
                               uint64_t weights, takt_duration_t grid) {
    if (request->task_class == TAKT_ADMISSION_HARD) {
        return (takt_rate_grant_t){true, rate_of(request), request->wcet, request->window};
    }
    return request->task_class == TAKT_ADMISSION_SOFT ? grant_soft(request, division, grid)
                                                      : grant_none(request, division->none, weights);
}

takt_rate_division_t takt_rate_admission(const takt_rate_request_t *requests, uint32_t count,
                                         const takt_admission_settings_t *settings,
                                         takt_rate_grant_t *grants) {
    admitted_t sums = {{0}, {0}, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const admitted_t after = with(sums, &requests[i]);
        const bool is_admitted = is_admissible(&sums, &after, settings);
        grants[i] = (takt_rate_grant_t){is_admitted, 0, 0, 0};
        sums = is_admitted ? after : sums;
    }
    const takt_rate_division_t division = divide(&sums, settings);
    for (uint32_t i = 0; i < count; i++) {
        if (grants[i].is_admitted) {
            grants[i] = grant(&requests[i], &division, sums.weights, settings->grid);
        }
    }
    return division;
}
