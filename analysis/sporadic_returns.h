/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The number of pending replenishments (returns) of a sporadic server. See sporadic_returns.c. */
#ifndef TAKT_ANALYSIS_SPORADIC_RETURNS_H
#define TAKT_ANALYSIS_SPORADIC_RETURNS_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* The number of returns that a sporadic server of Takt keeps apart (core/server.h); of more, some are merged, late. */
#define TAKT_SPORADIC_RETURNS 32u

/* An upper bound of the pending returns of a sporadic server with these tasks; UINT64_MAX if none up to
 * TAKT_SPORADIC_RETURNS is found. `is_strict`: the server keeps uses apart (TAKT_KIND_SEPARATES). Precondition: the server gets its budget within each period from a replenishment on.
 * The result does not change if all times are multiplied. Takes a step for each pass over all tasks. */
uint64_t takt_sporadic_returns(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                               takt_duration_t budget, bool is_strict, takt_effort_t *effort);

TAKT_C_END

#endif
