/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demand in an interval under EDF, of tasks and servers at the root or inside a server, and the range of interval lengths
 * to check: what QPA and response times share. */
#ifndef TAKT_ANALYSIS_DEMAND_H
#define TAKT_ANALYSIS_DEMAND_H

#include "analysis/children.h"
#include "analysis/edf_blocking.h"

TAKT_C_BEGIN

/* The parameters of a child whose demand grows by whole jobs. */
typedef struct takt_demand_line {
    uint64_t inverse; /* of the period, rounded up, in units of 2^-shift; until then down, of 2^-63 */
    int64_t ahead;    /* floor((L + ahead) / T) jobs count in an interval of length L; of a task T + J - D */
    uint64_t period;
    /* Of a sporadic server twice its budget; 0: deferrable, strict and bandwidth, see
     * takt_demand_of_servers. */
    uint64_t wcet;
} takt_demand_line_t;

/* Working memory, as many values of each as there are children, at most 2^22; under a supply one more. */
typedef struct takt_demand_room {
    takt_demand_line_t *lines;
    takt_fraction_t *shares;
    uint64_t *rests;
} takt_demand_room_t;

/* The range of interval lengths to check. */
typedef struct takt_demand_range {
    takt_verdict_t load;     /* unschedulable: U is above the share of the supply. Schedulable: it is not */
    takt_comparison_t order; /* of U and the share of the supply */
    bool is_far;             /* takt_edf_span may be shorter than... */
    bool has_servers;        /* whose demand is no line */
    /* ...this: demand fits every interval beyond it, if it fits all up to it; TAKT_ANALYSIS_LIMIT: not
     * known. It may be below the other. */
    takt_duration_t longest;
    takt_duration_t shortest; /* shorter intervals contain no deadline */
    uint64_t ahead;           /* no ahead is above it, and demand and B(L) are not more than U L and it */
    takt_duration_t blocking; /* the largest B(L) */
    takt_duration_t least_period;
} takt_demand_range_t;

/* Fills the lines and the range of interval lengths to check; only load counts unless that is schedulable. Takes steps
 * only where U is near the share of the supply. */
void takt_demand_range(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort, takt_demand_range_t *range);

/* The demand of an interval that no line has: of deferrable and bandwidth servers. */
uint64_t takt_demand_of_servers(const takt_children_t *children, takt_duration_t interval);

/* The smaller of the longest busy period and the length after which all repeats, as far as known; TAKT_ANALYSIS_LIMIT
 * if neither is. `order` compares U with the share of the supply; it is not TAKT_GREATER. Takes a step for each
 * iteration. */
takt_duration_t takt_edf_span(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                              takt_comparison_t order, takt_effort_t *effort);

/* Compares U with the share of the supply, exactly. `shares` and `rests` are as in takt_demand_room_t. */
TAKT_MUST_USE takt_comparison_t takt_demand_order(const takt_children_t *children, takt_fraction_t *shares,
                                                  uint64_t *rests, takt_effort_t *effort);

TAKT_C_END

#endif
