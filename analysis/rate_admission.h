/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Admission and allocation of the rate-based scheduler, of a whole task set at once. */
#ifndef TAKT_ANALYSIS_RATE_ADMISSION_H
#define TAKT_ANALYSIS_RATE_ADMISSION_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* One whole processor, in units of rate; and the longest period, wcet and grid, as policy/rate_based.h has them. */
#define TAKT_ADMISSION_WHOLE UINT64_C(18018000)
#define TAKT_ADMISSION_LONGEST (UINT64_C(1) << 37)

/* As takt_task_class_t of core, which has the same numbers. */
typedef enum takt_admission_class {
    TAKT_ADMISSION_HARD = 0,
    TAKT_ADMISSION_SOFT = 1,
    TAKT_ADMISSION_NONE = 2,
} takt_admission_class_t;

/* The request of a task. There are fewer than 2^20. */
typedef struct takt_rate_request {
    takt_admission_class_t task_class;
    takt_duration_t wcet; /* up to the window; not read for best-effort tasks */
    /* The period, or of a hard task the relative deadline; 1 .. TAKT_ADMISSION_LONGEST. */
    takt_duration_t window;
    uint64_t weight; /* 1 .. 2^16 - 1; read for best-effort tasks only */
    /* B / D of this task, as a rate; B is the longest blocking by one section of another task. */
    uint64_t longest;
    uint64_t excess; /* what its own sections may execute beyond budgets, as a rate */
} takt_rate_request_t;

typedef struct takt_admission_settings {
    uint64_t beta;  /* share kept for best-effort tasks, as a rate; not read if it follows from formula (3) */
    uint64_t sigma; /* least share of all soft tasks */
    takt_duration_t grid; /* 1 .. TAKT_ADMISSION_LONGEST: stretched periods are multiples of it */
    bool has_formula;
} takt_admission_settings_t;

/* The rate and the reservation granted to a task. All zero: not admitted, or suspended because its rate rounds to 0. */
typedef struct takt_rate_grant {
    bool is_admitted;
    uint64_t rate;
    takt_duration_t budget;
    takt_duration_t period; /* of a hard task its window */
} takt_rate_grant_t;

/* How the processor is divided among the classes, in units of rate. */
typedef struct takt_rate_division {
    uint64_t capacity; /* what blocking leaves of the whole */
    uint64_t hard;
    uint64_t soft_asked;
    uint64_t soft;
    uint64_t none;
} takt_rate_division_t;

/* Admits the tasks in their order, a hard task if it fits with those before, and writes their grants while all are
 * present. Hard tasks within their wcets then meet all deadlines, soft tasks those of `period`. */
takt_rate_division_t takt_rate_admission(const takt_rate_request_t *requests, uint32_t count,
                                         const takt_admission_settings_t *settings,
                                         takt_rate_grant_t *grants);

TAKT_C_END

#endif
