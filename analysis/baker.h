/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Baker's test of EDF with the stack resource policy: sufficient, by shares of the processor. */
#ifndef TAKT_ANALYSIS_BAKER_H
#define TAKT_ANALYSIS_BAKER_H

#include "analysis/fractions.h"

/* Schedulable if for every i: sum over k <= i of C_k / min(D_k - J_k, T_k), plus B_i / (D_i - J_i), <= 1, exactly.
 * Holds under EDF with SRP or with non-preemptive regions. `tasks` are ordered by D - J, shortest first. `blocking[i]`
 * is the longest section, less one tick, of tasks with later deadlines that may block task i (0 and up). `shares` and
 * `rests` have `count` + 1 values. Takes a step for each digit of each task, see fractions.h. */
takt_verdict_t takt_baker(const takt_sporadic_t *tasks, uint32_t count, const takt_duration_t *blocking,
                          takt_fraction_t *shares, uint64_t *rests, takt_effort_t *effort);

#endif
