/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How many returns of a sporadic server wait at a time. See sporadic_returns.c. */
#ifndef TAKT_ANALYSIS_SPORADIC_RETURNS_H
#define TAKT_ANALYSIS_SPORADIC_RETURNS_H

#include "analysis/analysis.h"

/* So many returns a sporadic server of Takt keeps apart (core/server.h); of more, some come together and late. */
#define TAKT_SPORADIC_RETURNS 32u

/* A bound on how many returns of a sporadic server with these tasks wait at a time; UINT64_MAX if none up to
 * TAKT_SPORADIC_RETURNS is found. The server has its budget within each period from a replenishment on. The same for
 * times that are all multiplied. Takes a step for each look at all tasks. */
uint64_t takt_sporadic_returns(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                               takt_duration_t budget, takt_effort_t *effort);

#endif
