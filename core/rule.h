/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadline rule: assigns release and deadline to an arriving job of a task, from the arrivals so far.
 *
 * Source: Springer and Zhao 2024, 2.1.3, and the share-driven mappings of Wang and Lin 1999, Table 2. The default
 * without a rule: a job may be released when it arrives, and its deadline is arrival + relative deadline. A rule is
 * independent of all else: order, servers, bodies, resources and preemption are as without it. Its tasks are not
 * periodic. It is called once at every arrival, in the order in which arrivals are handed over, whatever the scheduler
 * is doing then. Therefore deadlines follow from the arrivals alone. */
#ifndef TAKT_CORE_RULE_H
#define TAKT_CORE_RULE_H

#include "core/task.h"

TAKT_C_BEGIN

/* First member of the rule's own record, the caller's memory; of one task, or shared by several. */
typedef struct takt_rule {
    /* Called with `arrival`, the last in the ring of `task`, written as without a rule. The rule may change deadline,
     * tag and instant. The instant must not be before the present one, nor before that of an earlier arrival of the
     * task. TAKT_NEVER: it and those behind it are postponed until takt_rule_release. */
    void (*arrive)(takt_task_t *task, takt_arrival_t *arrival);
} takt_rule_t;

/* Lets `arrival`, the first postponed one of `task`, be released from `instant` on. */
void takt_rule_release(takt_task_t *task, takt_arrival_t *arrival, takt_instant_t instant);

/* Returns `instant` + `duration`, saturated at the latest deadline, TAKT_KEY_LEAST_URGENT. Neither may exceed it. */
TAKT_INLINE takt_instant_t takt_deadline_after(takt_instant_t instant, takt_duration_t duration) {
    const takt_instant_t sum = instant + duration;
    return sum < TAKT_KEY_LEAST_URGENT ? sum : TAKT_KEY_LEAST_URGENT;
}

TAKT_C_END

#endif
