/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks and servers as their less urgent neighbours see them under fixed priorities. See servers_seen.c. */
#ifndef TAKT_ANALYSIS_SERVERS_SEEN_H
#define TAKT_ANALYSIS_SERVERS_SEEN_H

#include "analysis/response_times.h"

TAKT_C_BEGIN

/* The task that is the worst case of a child for those below. `response` is its own, NULL if it is not known. */
takt_sporadic_t takt_seen_from_below(const takt_children_t *children, uint32_t child,
                                     const takt_response_t *response);

/* What a server executes at most in an interval of `length` >= 1 ticks: its own term, or that of its tasks;
 * TAKT_ANALYSIS_LIMIT if that does not fit. */
uint64_t takt_seen_requests(const takt_sporadic_t *seen, const takt_server_tasks_t *inside, uint64_t length);

/* Compares the shares of a child and of the first `above` others, as they are seen in `memory`, with that of the
 * supply. `server_tasks` are those of the children, or NULL. */
takt_comparison_t takt_seen_shares(const takt_children_t *children, const takt_server_tasks_t *server_tasks,
                                   uint32_t child, uint32_t above, takt_fp_memory_t memory,
                                   takt_effort_t *effort);

TAKT_C_END

#endif
