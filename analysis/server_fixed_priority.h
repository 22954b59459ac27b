/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks and servers under fixed priorities in one dispatcher, at the root or inside a server: worst-case responses. See
 * server_fixed_priority.c. */
#ifndef TAKT_ANALYSIS_SERVER_FIXED_PRIORITY_H
#define TAKT_ANALYSIS_SERVER_FIXED_PRIORITY_H

#include "analysis/children.h"

/* Further parameters of the children, one value each; the line of a column says what NULL means. */
typedef struct takt_fp_terms {
    const takt_duration_t *blocking; /* by less urgent children, in ticks; NULL: 0 */
    const takt_duration_t *last;     /* final region, not preempted in this dispatcher, 1 .. wcet; NULL: 1 */
    const uint32_t
        *above; /* how many children, the most urgent, interfere, itself not counted: its place at least,
                            * the place behind its last equal among equals; NULL: its place */
} takt_fp_terms_t;

/* Working memory: `count` tasks and insides, and of the others `count` + 2 and one for each task that is inside. */
typedef struct takt_children_memory {
    takt_sporadic_t *seen;
    takt_fraction_t *fractions;
    uint64_t *rest;
    takt_inside_t *insides; /* not used where nothing is known of those */
} takt_children_memory_t;

/* Writes the worst-case response of each child: of a task from arrival to finish; of a server from a replenishment,
 * with work from then on, until it has received its whole budget. If that is at most P, takt_supply_periodic (or
 * _polling) with it is the supply of the server's children. Not bounded, and decided: more work than supply. No kind is
 * TAKT_CHILD_BANDWIDTH. */
void takt_children_responses(const takt_children_t *children, takt_fp_terms_t terms,
                             takt_children_memory_t memory, takt_effort_t *effort,
                             takt_response_t *responses);

/* Whether all tasks meet their deadlines and all servers have their budgets within their periods. */
takt_verdict_t takt_children_are_schedulable(const takt_children_t *children,
                                             const takt_response_t *responses);

#endif
