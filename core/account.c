/* Budgets of account.h. */
#include "core/account.h"

#include "core/allocator.h"
#include "core/hierarchy.h"
#include "core/urgency.h"

/* The innermost server whose budget pays for `entity`, or the root. */
static takt_server_t *payer_of(takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? takt_server_of(entity) : entity->home;
}

/* Whether no server pays for `entity`, nor does it lose its place as time goes by. */
static bool stands_alone(const takt_entity_t *entity) {
    const uint32_t others = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING;
    return (entity->attributes & others) == 0;
}

/* What time has overtaken, as a late interrupt does on hardware, ends at 0. */
TAKT_INLINE void consume(takt_job_t *job, takt_duration_t elapsed) {
    job->remaining = elapsed < job->remaining ? job->remaining - elapsed : 0u;
}

/* `entity`, which executes `job`, has had the processor. */
static void spend(takt_entity_t *entity, takt_job_t *job, takt_duration_t elapsed) {
    consume(job, elapsed);
    if (takt_urgency_is_ageing(entity)) {
        takt_urgency_write(entity, job);
    }
}

/* `server`, which holds something, has run; what is beyond its budget it may owe. */
TAKT_RARE static void note_overrun(takt_server_t *server, takt_duration_t elapsed) {
    if (server->sharing == TAKT_PROTOCOL_HSRP_PAYBACK && elapsed > server->job.remaining) {
        server->overrun += elapsed - server->job.remaining;
    }
}

TAKT_RARE static void charge_all(const takt_cpu_t *cpu, takt_duration_t elapsed) {
    if (cpu->running->task != NULL) {
        spend(cpu->running, &cpu->running->task->job, elapsed);
    }
    takt_server_t *server = payer_of(cpu->running);
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        if (TAKT_UNLIKELY(server->held > 0)) {
            note_overrun(server, elapsed);
        }
        spend(&server->entity, &server->job, elapsed);
    }
}

void takt_account_charge(takt_cpu_t *cpu, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    cpu->charged_at = now;
    if (stands_alone(cpu->running)) {
        consume(&cpu->running->task->job, elapsed);
    } else {
        charge_all(cpu, elapsed);
    }
}

TAKT_RARE void takt_account_exhaust(takt_server_t *server, takt_instant_t now) {
    takt_instant_t next = TAKT_NEVER;
    if (takt_entity_is_ready(&server->entity) && server->kind->exhaust != NULL) {
        next = server->kind->exhaust(server, now);
    }
    if (takt_server_has_budget(server)) {
        takt_urgency_write(&server->entity, &server->job);
        return;
    }
    if (!server->kind->listens) {
        takt_timers_remove(&takt_server_parent(server)->timers, &server->wake);
    }
    takt_hierarchy_leave(&server->entity, now);
    takt_hierarchy_replenish_at(server, next);
}

void takt_account_handle_exhaustion(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_entity_t *running = dispatcher->cpus[0].running;
    takt_server_t *server = payer_of(running);
    if (takt_entity_has_budget(running) && running->task->job.remaining == 0) {
        takt_task_allocator(running->task)->exhaust(running->task, now);
        dispatcher->fired++;
    }
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        if (!takt_server_is_active(server)) {
            takt_account_exhaust(server, now);
            dispatcher->fired++;
        }
    }
}

/* Whether who runs pays for itself and has budget left, so that nothing is exhausted. */
static bool is_solvent(const takt_cpu_t *cpu) {
    return takt_entity_has_budget(cpu->running) && cpu->running->task->job.remaining > 0;
}

TAKT_RARE void takt_account_charged(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    if (cpu->charged_at == now && is_solvent(cpu)) {
        return;
    }
    takt_account_charge(cpu, now);
    if (!is_solvent(cpu)) {
        takt_account_handle_exhaustion(dispatcher, now);
    }
}

/* `server` has a full budget again, less what it owes; an overrun that was still going on is forgotten. */
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
    if (!has_work && server->kind->lapses) {
        takt_hierarchy_arm_in_parent(server, &server->lapse, instant);
    }
}

TAKT_RARE void takt_account_lapse(takt_server_t *server) {
    if (takt_ready_is_empty(&server->ready)) {
        server->job.remaining = 0;
        takt_hierarchy_rearm_wake(server);
    }
}

/* Whether who runs, `entity`, runs because of its own key: not a preemption key, nor what it holds, nor whom it
 * blocks. */
static bool competes_by_its_own_key(takt_entity_t *entity) {
    if (takt_entity_is_started(entity) || entity != takt_ready_best(&entity->home->ready)) {
        return false;
    }
    return !takt_entity_is_locking(entity) || entity->key == entity->task->base_key;
}

/* As time_to_overtake, where the order changes while jobs wait. */
static takt_duration_t time_to_age(takt_entity_t *entity, const takt_job_t *job) {
    takt_server_t *home = entity->home;
    if (job == NULL || !competes_by_its_own_key(entity)) {
        return TAKT_NEVER;
    }
    const takt_entity_t *waiting = takt_ready_second(&home->ready, entity);
    return waiting != NULL ? home->policy->overtake(entity, job, waiting) : TAKT_NEVER;
}

/* For how long `entity`, the best of its home, may execute until a waiting one goes first. */
TAKT_INLINE takt_duration_t time_to_overtake(takt_entity_t *entity) {
    return takt_urgency_is_ageing(entity) ? time_to_age(entity, takt_urgency_job_of(entity)) : TAKT_NEVER;
}

takt_duration_t takt_account_time_to_go(takt_entity_t *entity) {
    takt_duration_t least = takt_entity_has_budget(entity) ? entity->task->job.remaining : TAKT_NEVER;
    if (stands_alone(entity)) {
        return least;
    }
    least = takt_least_of(least, time_to_overtake(entity));
    takt_server_t *server = payer_of(entity);
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        least = takt_server_has_budget(server) ? takt_least_of(least, server->job.remaining) : least;
        least = takt_least_of(least, time_to_overtake(&server->entity));
    }
    return least;
}
