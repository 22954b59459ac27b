/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Least budgets by bisection.
 *
 * Source: algorithms.md 6.7 (by scanning); G. Lipari and E. Bini, ECRTS 2003, for the question. With a larger budget
 * and the same period sbf is nowhere less: the gap shrinks, and between two gaps more comes. Responses, and demand
 * less supply, ascend where sbf descends, so if a test accepts Q it accepts Q + 1, and Q can be bisected (tests
 * compare with the scan).
 *
 * What a budget is worth to the parent is another question: shorter periods need less of a share, and cost more
 * switches. */
#include "analysis/interface_selection.h"

/* A test of one dispatcher, under fixed priorities, or under EDF with its blocking. */
typedef struct trial {
    const takt_interface_t *server;
    takt_children_t children;
    const takt_edf_blocking_t *blocking; /* NULL: fixed priorities */
    takt_fp_memory_t memory;             /* of that test */
    takt_demand_room_t *room;            /* or of this one */
    takt_effort_t *effort;
} trial_t;

static takt_supply_t supply_with(const takt_interface_t *server, takt_duration_t budget) {
    takt_supply_t supply = server->is_polling ? takt_supply_polling(server->period, budget, server->period)
                                              : takt_supply_periodic(server->period, budget, server->period);
    supply.loss = server->loss;
    return supply;
}

static takt_verdict_t test_budget(trial_t *trial, takt_duration_t budget) {
    const takt_supply_t supply = supply_with(trial->server, budget);
    trial->children.supply = &supply;
    const takt_verdict_t verdict =
        trial->blocking == NULL
            ? takt_fp_is_schedulable(&trial->children, trial->memory, trial->effort)
            : takt_qpa(&trial->children, trial->blocking, trial->room, trial->effort).verdict;
    trial->children.supply = NULL;
    return verdict;
}

/* Invariant: `refused` is not accepted, and `accepted` is, or is P + 1. */
static takt_budget_t bisect(trial_t *trial) {
    takt_duration_t refused = 0;
    takt_duration_t accepted = trial->server->period + 1u;
    bool is_undecided = false;
    while (refused + 1u < accepted) {
        const takt_duration_t budget = refused + (accepted - refused) / 2u;
        const takt_verdict_t verdict = test_budget(trial, budget);
        is_undecided = is_undecided || verdict == TAKT_UNDECIDED;
        *(verdict == TAKT_SCHEDULABLE ? &accepted : &refused) = budget;
    }
    const bool is_found = accepted <= trial->server->period;
    return (takt_budget_t){is_found ? accepted : 0,
                           is_undecided ? TAKT_UNDECIDED : takt_verdict_of(is_found)};
}

takt_budget_t takt_least_budget_fixed_priority(const takt_interface_t *server,
                                               const takt_children_t *children, takt_fp_memory_t memory,
                                               takt_effort_t *effort) {
    trial_t trial = {.server = server, .children = *children, .memory = memory, .effort = effort};
    return bisect(&trial);
}

takt_budget_t takt_least_budget_edf(const takt_interface_t *server, const takt_children_t *children,
                                    const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                    takt_effort_t *effort) {
    trial_t trial = {
        .server = server, .children = *children, .blocking = blocking, .room = room, .effort = effort};
    return bisect(&trial);
}
