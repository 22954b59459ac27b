/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Budgets of account.h. */
#include "core/account.h"

#include "core/allocator.h"
#include "core/hierarchy.h"
#include "core/record.h"
#include "core/urgency.h"

bool takt_account_is_one_charged(const takt_dispatcher_t *dispatcher) {
    uint32_t i = 0;
    while (i < dispatcher->ncpu && !takt_account_is_charged(&dispatcher->cpus[i])) {
        i++;
    }
    return i < dispatcher->ncpu;
}

/* ---- the chain of payers --------------------------------------------------------------------------- */

/* Returns the next payer of the chain: the server above `payer`; NULL at the end. */
TAKT_INLINE takt_entity_t *next_payer(const takt_entity_t *payer) {
    return takt_server_is_root(payer->parent) ? NULL : &payer->parent->entity;
}

/* Saturates at 0: a late interrupt can charge more than is left. */
TAKT_INLINE void consume(takt_job_t *job, takt_duration_t elapsed) {
    job->remaining = elapsed < job->remaining ? job->remaining - elapsed : 0u;
}

/* Charges `server`. With payback, execution beyond its budget while it holds a resource is owed. */
TAKT_RARE static void charge_server(takt_server_t *server, takt_duration_t elapsed) {
    const bool owes = server->held > 0 && takt_protocols[server->sharing]->pays_back;
    if (owes && elapsed > server->job.remaining) {
        server->overrun += elapsed - server->job.remaining;
    }
    consume(&server->job, elapsed);
}

/* A plain thread has no budget. */
TAKT_INLINE void charge_payer(takt_entity_t *payer, takt_duration_t elapsed) {
    if (takt_entity_is_server(payer)) {
        charge_server(takt_server_of(payer), elapsed);
    } else if (payer->task != NULL) {
        consume(&payer->task->job, elapsed);
    }
    if (takt_urgency_is_ageing(payer) && !takt_entity_is_thread(payer)) {
        takt_urgency_write(payer, takt_entity_job(payer));
    }
}

TAKT_RARE static void charge_chain(takt_entity_t *running, takt_duration_t elapsed) {
    for (takt_entity_t *payer = running; payer != NULL; payer = next_payer(payer)) {
        charge_payer(payer, elapsed);
    }
}

/* True if what `running`, which is charged, executes is charged to one budget: that of a server below the root, which
 * shares no resource. */
TAKT_INLINE bool is_paid_by_one_server(const takt_entity_t *running) {
    const uint32_t own = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_AGING | TAKT_ATTRIBUTE_BUDGET;
    const uint32_t others = TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING | TAKT_ATTRIBUTE_FULL_PASS;
    return (running->attributes & own) == 0 && (running->parent->entity.attributes & others) == 0;
}

TAKT_INLINE void charge_one_server(takt_entity_t *running, takt_duration_t elapsed) {
    consume(&running->parent->job, elapsed);
    if (running->task != NULL) {
        consume(&running->task->job, elapsed);
    }
}

TAKT_INLINE void charge(takt_cpu_t *cpu, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    cpu->charged_at = now;
    if (takt_account_pays_alone(cpu->running)) {
        consume(&cpu->running->task->job, elapsed);
    } else if (is_paid_by_one_server(cpu->running)) {
        charge_one_server(cpu->running, elapsed);
    } else {
        charge_chain(cpu->running, elapsed);
    }
}

void takt_account_charge(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    for (uint32_t i = 0; i < dispatcher->ncpu; i++) {
        if (takt_account_is_charged(&dispatcher->cpus[i])) {
            charge(&dispatcher->cpus[i], now);
        }
    }
}

TAKT_RARE void takt_account_exhaust_server(takt_dispatcher_t *dispatcher, takt_server_t *server,
                                           takt_instant_t now) {
    takt_instant_t next = TAKT_NEVER;
    if (takt_entity_is_ready(&server->entity) && dispatcher->trace != NULL) {
        takt_record_exhaust(dispatcher, &server->entity, now);
    }
    if (takt_entity_is_ready(&server->entity) && server->kind->exhaust != NULL) {
        next = server->kind->exhaust(server, now);
    }
    if (takt_server_has_budget(server)) {
        takt_urgency_write(&server->entity, &server->job);
        return;
    }
    if (!server->kind->runs_timers_without_budget) {
        takt_timers_remove(&takt_server_parent(server)->timers, &server->wake);
    }
    takt_hierarchy_leave(&server->entity, now);
    takt_hierarchy_replenish_at(server, next);
}

/* Handles the budget of `payer` if it is exhausted. Returns whether it was. */
TAKT_INLINE bool exhaust_payer(takt_dispatcher_t *dispatcher, takt_entity_t *payer, takt_instant_t now) {
    if (takt_entity_is_server(payer) && !takt_server_is_active(takt_server_of(payer))) {
        takt_account_exhaust_server(dispatcher, takt_server_of(payer), now);
        return true;
    }
    if (takt_entity_has_budget(payer) && payer->task->job.remaining == 0) {
        if (dispatcher->trace != NULL) {
            takt_record_exhaust(dispatcher, payer, now);
        }
        takt_task_allocator(payer->task)->exhaust(payer->task, now);
        return true;
    }
    return false;
}

TAKT_RARE static void exhaust_payers(takt_dispatcher_t *dispatcher, takt_entity_t *running,
                                     takt_instant_t now) {
    for (takt_entity_t *payer = running; payer != NULL; payer = next_payer(payer)) {
        dispatcher->expired += exhaust_payer(dispatcher, payer, now);
    }
}

TAKT_INLINE void exhaust_chain(takt_dispatcher_t *dispatcher, takt_entity_t *running, takt_instant_t now) {
    if (!is_paid_by_one_server(running) || !takt_server_has_budget(running->parent)) {
        exhaust_payers(dispatcher, running, now);
    }
}

TAKT_RARE void takt_account_exhaust(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    for (uint32_t i = 0; i < dispatcher->ncpu; i++) {
        if (takt_account_is_charged(&dispatcher->cpus[i])) {
            exhaust_chain(dispatcher, dispatcher->cpus[i].running, now);
        }
    }
}

TAKT_INLINE void account_for(takt_dispatcher_t *dispatcher, takt_cpu_t *cpu, takt_instant_t now) {
    const bool is_alone = takt_account_pays_alone(cpu->running);
    charge(cpu, now);
    if (!is_alone || cpu->running->task->job.remaining == 0) {
        exhaust_chain(dispatcher, cpu->running, now);
    }
}

TAKT_RARE void takt_account_charged(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_cpu_t *cpu = dispatcher->cpus;
    for (uint32_t left = dispatcher->ncpu; left > 0; left--) {
        if (takt_account_is_charged(cpu)) {
            account_for(dispatcher, cpu, now);
        }
        cpu++;
    }
}

/* Returns the time until the budget of `payer` is exhausted; TAKT_NEVER if it has none. */
static takt_duration_t time_to_exhaust(takt_entity_t *payer) {
    if (takt_entity_is_server(payer)) {
        const takt_server_t *server = takt_server_of(payer);
        return takt_server_has_budget(server) ? server->job.remaining : TAKT_NEVER;
    }
    return takt_entity_has_budget(payer) ? payer->task->job.remaining : TAKT_NEVER;
}

/* True if `entity`, which runs, is selected by its base key: not by a threshold, a boost or an entity it blocks. */
static bool competes_by_base_key(takt_entity_t *entity) {
    if (takt_entity_is_started(entity) || entity != takt_ready_best(&entity->parent->ready)) {
        return false;
    }
    return !takt_entity_is_locking(entity) || entity->key == entity->task->base_key;
}

/* Returns the time until a waiting entity becomes more urgent than `payer`, whose key changes as it executes. */
static takt_duration_t time_to_age(takt_entity_t *payer) {
    takt_server_t *parent = payer->parent;
    const takt_job_t *job = takt_entity_job(payer);
    if (job == NULL || !competes_by_base_key(payer)) {
        return TAKT_NEVER;
    }
    const takt_entity_t *waiting = takt_ready_second(&parent->ready, payer);
    return waiting != NULL ? parent->policy->overtake(payer, job, waiting) : TAKT_NEVER;
}

TAKT_RARE takt_duration_t takt_account_time_of_chain(takt_entity_t *entity) {
    takt_duration_t least = TAKT_NEVER;
    if (is_paid_by_one_server(entity)) {
        return time_to_exhaust(&entity->parent->entity);
    }
    for (takt_entity_t *payer = entity; payer != NULL; payer = next_payer(payer)) {
        least = takt_least_of(least, time_to_exhaust(payer));
        if (takt_urgency_is_ageing(payer)) {
            least = takt_least_of(least, time_to_age(payer));
        }
    }
    return least;
}

/* ---- replenishments ---------------------------------------------------------------------------------- */

/* Reduces the full budget of `server` by what it owes. An overrun that was still going on is not owed. */
static void pay_back(takt_server_t *server, bool was_overrunning) {
    const takt_duration_t owed = was_overrunning ? 0 : server->overrun;
    const takt_duration_t paid = owed < server->capacity ? owed : server->capacity;
    server->overrun = owed - paid;
    server->job.remaining -= paid;
}

TAKT_RARE void takt_account_replenish(takt_server_t *server) {
    const takt_instant_t instant = server->replenishment.instant;
    const bool was_active = takt_server_is_active(server);
    const bool was_overrunning = takt_server_overruns(server);
    takt_hierarchy_replenish_at(server, server->kind->replenish(server, instant));
    if (server->overrun > 0) {
        pay_back(server, was_overrunning);
    }
    takt_urgency_write(&server->entity, &server->job);
    const bool has_work = !takt_ready_is_empty(&server->ready);
    if (!was_active) {
        takt_hierarchy_rearm_wake(server);
        if (takt_server_has_budget(server) && (has_work || server->kind->idles)) {
            takt_hierarchy_join(&server->entity, instant);
        }
    }
    if (!has_work && server->kind->loses_idle_budget) {
        takt_hierarchy_arm_in_parent(server, &server->instant_end, instant);
    }
}

TAKT_RARE void takt_account_lose_idle_budget(takt_server_t *server) {
    if (takt_ready_is_empty(&server->ready)) {
        server->job.remaining = 0;
        takt_hierarchy_rearm_wake(server);
    }
}
