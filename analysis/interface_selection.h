/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The smallest budget with which a server of a given period schedules its tasks. See interface_selection.c. */
#ifndef TAKT_ANALYSIS_INTERFACE_SELECTION_H
#define TAKT_ANALYSIS_INTERFACE_SELECTION_H

#include "analysis/qpa.h"
#include "analysis/response_times.h"

TAKT_C_BEGIN

/* The server whose budget is computed. */
typedef struct takt_interface {
    takt_duration_t period;
    takt_duration_t loss; /* reduction of its supply by payback; without payback 0 */
    bool is_polling;      /* supplied by takt_supply_polling, else by takt_supply_periodic; with R = P */
} takt_interface_t;

/* The resulting budget. */
typedef struct takt_budget {
    takt_duration_t budget; /* the least that the test accepts; 0 if it accepts none */
    takt_verdict_t verdict; /* TAKT_UNDECIDED: some budget below it was not decided */
} takt_budget_t;

/* Children under fixed priorities. The supply in `children` is not read. Takes the steps of log2(P) + 1 tests. */
takt_budget_t takt_least_budget_fixed_priority(const takt_interface_t *server,
                                               const takt_children_t *children, takt_fp_memory_t memory,
                                               takt_effort_t *effort);

/* The same for children under EDF. */
takt_budget_t takt_least_budget_edf(const takt_interface_t *server, const takt_children_t *children,
                                    const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                    takt_effort_t *effort);

TAKT_C_END

#endif
