/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The density test of EDF: sufficient, in one pass over the tasks. */
#ifndef TAKT_ANALYSIS_DENSITY_H
#define TAKT_ANALYSIS_DENSITY_H

#include "analysis/fractions.h"

TAKT_C_BEGIN

/* Schedulable under preemptive EDF if sum C / min(D - J, T) <= 1, exactly. Otherwise unschedulable if D - J >= T for
 * all tasks; else nothing is known. `shares` and `rests` have `count` values. Takes a step for each digit, see
 * fractions.h. */
takt_verdict_t takt_density(const takt_sporadic_t *tasks, uint32_t count, takt_fraction_t *shares,
                            uint64_t *rests, takt_effort_t *effort);

TAKT_C_END

#endif
