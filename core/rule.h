/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadline rule: how an arriving job of a task gets its start and its deadline from what arrived before.
 *
 * Source: S0 2.1.3 and the share-driven mappings of S3, Table 2. A task without a rule has one already: its jobs may
 * be released when they arrive, and their deadlines are arrival + relative deadline. A rule stands beside all else: who
 * goes first, servers, bodies, resources and preemption go on as without it. Its tasks are not periodic: it is asked
 * at every arrival, once, in the order in which arrivals are handed over, whatever the scheduler is doing then.
 * Therefore deadlines follow from the arrivals alone. */
#ifndef TAKT_CORE_RULE_H
#define TAKT_CORE_RULE_H

#include "core/task.h"

/* First member of the rule's own record, the caller's memory; of one task, or shared by several. */
typedef struct takt_rule {
    /* `arrival`, the last in the ring of `task`, has been written as without a rule. The rule may give it another
     * deadline, and a tag; and another instant, not before the one that it has nor before that of an earlier arrival
     * of the task. TAKT_NEVER: it is put off, and so are those behind it, until takt_rule_release. */
    void (*arrive)(takt_task_t *task, takt_arrival_t *arrival);
} takt_rule_t;

/* `arrival`, the first of `task` that is put off, may be released from `instant` on. */
void takt_rule_release(takt_task_t *task, takt_arrival_t *arrival, takt_instant_t instant);

/* `instant` + `duration`, or the latest deadline that there is; both are at most that. */
TAKT_INLINE takt_instant_t takt_deadline_after(takt_instant_t instant, takt_duration_t duration) {
    const takt_instant_t sum = instant + duration;
    return sum < TAKT_KEY_LEAST_URGENT ? sum : TAKT_KEY_LEAST_URGENT;
}

TAKT_INLINE takt_instant_t takt_later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

#endif
