/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The density test of EDF: sufficient, in one look at each task. */
#ifndef TAKT_ANALYSIS_DENSITY_H
#define TAKT_ANALYSIS_DENSITY_H

#include "analysis/fractions.h"

/* Whether sum C / min(D - J, T) <= 1, exactly. Schedulable then, under preemptive EDF; where D - J >= T for all tasks, also
 * unschedulable otherwise, and in any other case not known. `shares` and `rests` have `count` values. Takes a step for
 * each digit, see fractions.h. */
takt_verdict_t takt_density(const takt_sporadic_t *tasks, uint32_t count, takt_fraction_t *shares,
                            uint64_t *rests, takt_effort_t *effort);

#endif
