/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Account: charges execution to budgets. Internal to core.
 *
 * The payers of an entity form a chain: the entity itself, if its job has a budget or a key that changes in execution,
 * then the servers above it, the innermost first. Execution is charged to all of them. */
#ifndef TAKT_CORE_ACCOUNT_H
#define TAKT_CORE_ACCOUNT_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* True if a budget is charged, or a key changes, while the entity on `cpu` runs. */
TAKT_INLINE bool takt_account_is_charged(const takt_cpu_t *cpu) {
    return cpu->running != NULL && (cpu->running->attributes & TAKT_ATTRIBUTES_CHARGED) != 0;
}

/* Likewise on any processor. */
TAKT_INLINE bool takt_account_is_any_charged(const takt_dispatcher_t *dispatcher) {
    for (uint32_t i = 0; !takt_account_is_charged(&dispatcher->cpus[i]); i++) {
        if (TAKT_LIKELY(i + 1u >= dispatcher->ncpu)) {
            return false;
        }
    }
    return true;
}

/* True if the execution of `entity` is charged to a budget of its own job. */
TAKT_INLINE bool takt_entity_has_budget(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_BUDGET) != 0;
}

/* True if the chain of `running`, which is charged, has one payer: a job whose key does not change. */
TAKT_INLINE bool takt_account_pays_alone(const takt_entity_t *running) {
    const uint32_t others = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING;
    return (running->attributes & others) == 0;
}

/* Charges execution up to `now` (step 1). */
void takt_account_charge(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* Handles the exhausted budget of `server`: unless replenished at once, it leaves the ready set and its timers wait. */
void takt_account_exhaust_server(takt_dispatcher_t *dispatcher, takt_server_t *server, takt_instant_t now);

/* Handles exhausted budgets, innermost first (step 4). */
void takt_account_exhaust(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* As takt_account, if takt_account_is_any_charged. */
void takt_account_charged(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* Charges execution up to `now` and handles exhausted budgets (steps 1 and 4). */
TAKT_INLINE void takt_account(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (TAKT_UNLIKELY(takt_account_is_any_charged(dispatcher))) {
        takt_account_charged(dispatcher, now);
    }
}

/* Replenishes `server` (step 6). */
void takt_account_replenish(takt_server_t *server);

/* Called at the end of an instant at which `server` had no work; its budget is lost if it still has none. */
void takt_account_lose_idle_budget(takt_server_t *server);

/* As takt_account_time_to_go, for a chain of any length. */
takt_duration_t takt_account_time_of_chain(takt_entity_t *entity);

/* Returns for how long `entity`, which is charged, may execute: until the first of its budgets is exhausted, or until a
 * waiting entity overtakes it or one of its servers. */
TAKT_INLINE takt_duration_t takt_account_time_to_go(takt_entity_t *entity) {
    return takt_account_pays_alone(entity) ? entity->task->job.remaining : takt_account_time_of_chain(entity);
}

/* Returns until when `entity`, charged up to `now` if it is charged, may execute: `until`, or earlier. */
TAKT_INLINE takt_instant_t takt_account_until(takt_entity_t *entity, takt_instant_t now,
                                              takt_instant_t until) {
    const bool is_charged = (entity->attributes & TAKT_ATTRIBUTES_CHARGED) != 0;
    const takt_duration_t least = is_charged ? takt_account_time_to_go(entity) : TAKT_NEVER;
    return least < TAKT_NEVER - now ? takt_least_of(now + least, until) : until;
}

TAKT_C_END

#endif
