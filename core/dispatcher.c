/* The full pass of dispatcher.h. Steps are numbered as in SPEC.md, 2. */
#include "core/dispatcher.h"

#include "core/allocator.h"
#include "core/locks.h"
#include "core/rule.h"

/* ---- ready sets of the hierarchy ------------------------------------------------------------- */

static bool has_budget(const takt_server_t *server) { return server->job.remaining > 0; }

/* Whether `server` may run, and its events be handled. */
static bool is_active(const takt_server_t *server) {
    return has_budget(server) || takt_server_overruns(server);
}

/* The timer in the parent follows the first of the server's own timers while the server is active. */
static void rearm_wake(takt_server_t *server) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, &server->wake);
    const takt_instant_t next = takt_timers_next(&server->timers);
    if (next != TAKT_NEVER && (is_active(server) || server->kind->listens)) {
        takt_timers_insert(outer, &server->wake, next);
    }
}

static void rearm_wakes(takt_server_t *server) {
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        rearm_wake(server);
    }
}

static void arm_in_parent(takt_server_t *server, takt_timer_t *timer, takt_instant_t instant) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, timer);
    takt_timers_insert(outer, timer, instant);
    rearm_wakes(takt_server_parent(server));
}

/* Its kind has said when the budget of `server` comes back. */
static void replenish_at(takt_server_t *server, takt_instant_t instant) {
    const bool is_armed = takt_timer_is_armed(&server->replenishment);
    if (instant != TAKT_NEVER && !(is_armed && server->replenishment.instant == instant)) {
        arm_in_parent(server, &server->replenishment, instant);
    }
}

/* What happened inside `server` at `instant`, seen from outside: not before its parent's events so far. What
 * waited inside for the budget counts from when that came back. */
static takt_instant_t seen_from_outside(const takt_server_t *server, takt_instant_t instant) {
    const takt_instant_t position = takt_timers_position(&takt_server_parent(server)->timers);
    return instant > position ? instant : position;
}

/* `server` is about to have work. */
TAKT_RARE static void gain_work(takt_server_t *server, takt_instant_t instant) {
    replenish_at(server, server->kind->gain(server, instant));
    takt_server_parent(server)->policy->release(&server->entity, &server->job);
}

/* `server` has no work any more. */
TAKT_RARE static void lose_work(takt_server_t *server, takt_instant_t instant) {
    if (server->kind->lose != NULL) {
        replenish_at(server, server->kind->lose(server, instant));
    }
    if (server->kind->lapses) {
        arm_in_parent(server, &server->lapse, instant);
    }
}

TAKT_INLINE void enter_set(takt_entity_t *entity) {
    takt_ready_insert(&entity->home->ready, entity);
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

TAKT_INLINE void leave_set(takt_entity_t *entity) {
    takt_ready_remove(&entity->home->ready, entity);
    takt_entity_clear_state(entity, TAKT_STATE_READY);
}

/* `entity` is about to be ready with the key that it has: it may be one of the policy that the root had before. */
TAKT_RARE static void refresh_key(takt_entity_t *entity) {
    takt_server_t *home = entity->home;
    const bool has_job = entity->task != NULL || takt_entity_is_server(entity);
    if (has_job && takt_server_is_root(home) &&
        TAKT_CONTAINER_OF(home, takt_dispatcher_t, root)->changes != NULL) {
        takt_dispatcher_write_key(entity);
    }
}

/* As join, where the home is not ready itself. */
TAKT_RARE static void join_upwards(takt_entity_t *entity, takt_instant_t instant) {
    takt_server_t *home = entity->home;
    while (!takt_entity_is_ready(&home->entity)) {
        instant = seen_from_outside(home, instant);
        if (home->kind->gain != NULL && takt_ready_is_empty(&home->ready)) {
            gain_work(home, instant);
        }
        enter_set(entity);
        if (!has_budget(home)) {
            return;
        }
        entity = &home->entity;
        home = entity->home;
        refresh_key(entity);
    }
    enter_set(entity);
}

/* Makes `entity` ready; a server that thereby gets work becomes ready in its parent, and so on up. */
static void join(takt_entity_t *entity, takt_instant_t instant) {
    if (TAKT_LIKELY(takt_entity_is_ready(&entity->home->entity))) {
        enter_set(entity);
    } else {
        join_upwards(entity, instant);
    }
}

/* As leave, once `home` has no work any more. */
TAKT_RARE static void leave_upwards(takt_server_t *home, takt_instant_t instant) {
    while (!takt_server_is_root(home) && takt_ready_is_empty(&home->ready)) {
        instant = seen_from_outside(home, instant);
        lose_work(home, instant);
        if (home->kind->idles || !takt_entity_is_ready(&home->entity)) {
            return;
        }
        leave_set(&home->entity);
        home = takt_server_parent(home);
    }
}

/* Makes `entity` not ready; a server that thereby has no work leaves its parent, and so on up. */
static void leave(takt_entity_t *entity, takt_instant_t instant) {
    if (!takt_entity_is_ready(entity)) {
        return;
    }
    leave_set(entity);
    if (takt_ready_is_empty(&entity->home->ready)) {
        leave_upwards(entity->home, instant);
    }
}

void takt_dispatcher_join(takt_entity_t *entity, takt_instant_t instant) { join(entity, instant); }

static void rejoin(takt_entity_t *entity, takt_instant_t instant) {
    refresh_key(entity);
    join(entity, instant);
}

void takt_dispatcher_rejoin(takt_entity_t *entity, takt_instant_t instant) { rejoin(entity, instant); }

void takt_dispatcher_leave(takt_entity_t *entity, takt_instant_t instant) { leave(entity, instant); }

void takt_dispatcher_await_budget(takt_entity_t *entity, takt_instant_t now) {
    leave(entity, now);
    takt_timers_insert(&entity->home->timers, &entity->task->extension->resume,
                       entity->home->replenishment.instant);
    rearm_wakes(entity->home);
}

/* ---- what is charged ---------------------------------------------------------------------------- */

/* Whether somebody pays for what runs on `cpu`: budgets, or its own laxity. */
static bool is_charged(const takt_cpu_t *cpu) {
    return cpu->running != NULL && (cpu->running->attributes & TAKT_ATTRIBUTES_CHARGED) != 0;
}

/* What `entity` executes: a job, or the current period of a server; NULL for a plain thread. */
static takt_job_t *job_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return &takt_server_of(entity)->job;
    }
    return entity->task != NULL ? &entity->task->job : NULL;
}

/* The innermost server whose budget pays for `entity`, or the root. */
static takt_server_t *payer_of(takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? takt_server_of(entity) : entity->home;
}

/* Whether its own job's budget pays for `entity`. */
static bool has_own_budget(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_BUDGET) != 0;
}

/* Whether no server pays for `entity`, nor does it lose its place as time goes by. */
static bool stands_alone(const takt_entity_t *entity) {
    const uint32_t others = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING;
    return (entity->attributes & others) == 0;
}

static const takt_allocator_t *allocator_of(const takt_task_t *task) {
    return task->extension->allocation->functions;
}

static bool is_started(const takt_entity_t *entity) { return (entity->state & TAKT_STATE_STARTED) != 0; }

/* Writes the key that follows from `job`; what is in force instead of it stays so. */
static void write_key(takt_entity_t *entity, const takt_job_t *job) {
    takt_server_t *home = entity->home;
    if (takt_locks_is_displaced(entity)) {
        takt_entity_t own = *entity;
        home->policy->release(&own, job);
        entity->task->own_key = own.key;
        entity->task->own_tie = own.tie;
        if (takt_entity_is_locking(entity)) {
            takt_locks_write_key(entity);
        }
        return;
    }
    home->policy->release(entity, job);
    if (home->ready.order == TAKT_ORDER_KEYS && takt_entity_is_ready(entity)) {
        takt_keys_update(&home->ready.keys, entity);
    }
}

void takt_dispatcher_write_key(takt_entity_t *entity) { write_key(entity, job_of(entity)); }

/* Whether the key of `entity` follows what it executes. */
static bool is_ageing(const takt_entity_t *entity) {
    return entity->home->policy->overtake != NULL && (entity->attributes & TAKT_ATTRIBUTE_AGING) != 0;
}

/* What time has overtaken, as a late interrupt does on hardware, ends at 0. */
TAKT_INLINE void consume(takt_job_t *job, takt_duration_t elapsed) {
    job->remaining = elapsed < job->remaining ? job->remaining - elapsed : 0u;
}

/* `entity`, which executes `job`, has had the processor. */
static void spend(takt_entity_t *entity, takt_job_t *job, takt_duration_t elapsed) {
    consume(job, elapsed);
    if (is_ageing(entity)) {
        write_key(entity, job);
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

/* Step 1. */
static void charge(takt_cpu_t *cpu, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    cpu->charged_at = now;
    if (stands_alone(cpu->running)) {
        consume(&cpu->running->task->job, elapsed);
    } else {
        charge_all(cpu, elapsed);
    }
}

/* `server`, which has no budget, loses its place, and its events wait; unless it has a new one at once. */
TAKT_RARE static void exhaust(takt_server_t *server, takt_instant_t now) {
    takt_instant_t next = TAKT_NEVER;
    if (takt_entity_is_ready(&server->entity) && server->kind->exhaust != NULL) {
        next = server->kind->exhaust(server, now);
    }
    if (has_budget(server)) {
        write_key(&server->entity, &server->job);
        return;
    }
    if (!server->kind->listens) {
        takt_timers_remove(&takt_server_parent(server)->timers, &server->wake);
    }
    leave(&server->entity, now);
    replenish_at(server, next);
}

/* Step 4, innermost first. */
static void handle_exhaustion(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_entity_t *running = dispatcher->cpus[0].running;
    takt_server_t *server = payer_of(running);
    if (has_own_budget(running) && running->task->job.remaining == 0) {
        allocator_of(running->task)->exhaust(running->task, now);
        dispatcher->fired++;
    }
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        if (!is_active(server)) {
            exhaust(server, now);
            dispatcher->fired++;
        }
    }
}

/* Whether who runs pays for itself and has budget left, so that nothing is exhausted. */
static bool is_solvent(const takt_cpu_t *cpu) {
    return has_own_budget(cpu->running) && cpu->running->task->job.remaining > 0;
}

/* As account, where somebody pays for what runs. */
TAKT_RARE static void account_charged(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    if (cpu->charged_at == now && is_solvent(cpu)) {
        return;
    }
    charge(cpu, now);
    if (!is_solvent(cpu)) {
        handle_exhaustion(dispatcher, now);
    }
}

/* Steps 1 and 4. */
TAKT_INLINE void account(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (TAKT_UNLIKELY(is_charged(&dispatcher->cpus[0]))) {
        account_charged(dispatcher, now);
    }
}

/* `server` has a full budget again, less what it owes; an overrun that was still going on is forgotten. */
static void pay_back(takt_server_t *server, bool was_overrunning) {
    const takt_duration_t owed = was_overrunning ? 0 : server->overrun;
    const takt_duration_t paid = owed < server->capacity ? owed : server->capacity;
    server->overrun = owed - paid;
    server->job.remaining -= paid;
}

/* Step 6. */
TAKT_RARE static void replenish(takt_server_t *server) {
    const takt_instant_t instant = server->replenishment.instant;
    const bool was_active = is_active(server);
    const bool was_overrunning = takt_server_overruns(server);
    replenish_at(server, server->kind->replenish(server, instant));
    if (server->overrun > 0) {
        pay_back(server, was_overrunning);
    }
    write_key(&server->entity, &server->job);
    const bool has_work = !takt_ready_is_empty(&server->ready);
    if (!was_active) {
        rearm_wake(server);
        if (has_budget(server) && (has_work || server->kind->idles)) {
            join(&server->entity, instant);
        }
    }
    if (!has_work && server->kind->lapses) {
        arm_in_parent(server, &server->lapse, instant);
    }
}

/* The end of an instant at which `server` had no work. */
TAKT_RARE static void lapse(takt_server_t *server) {
    if (takt_ready_is_empty(&server->ready)) {
        server->job.remaining = 0;
        rearm_wake(server);
    }
}

/* ---- jobs -------------------------------------------------------------------------------------- */

/* A job that was released at `instant` is about to be the current one of `task`, which has an extension. */
TAKT_INLINE void adopt_changes(takt_task_t *task, takt_instant_t instant) {
    if (TAKT_UNLIKELY(task->extension->behind != NULL)) {
        takt_change_adopt(task, instant);
    }
}

/* Makes the job that arrived at `nominal` the current one. */
TAKT_INLINE void write_job(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline) {
    task->job.release = nominal;
    task->job.deadline = deadline;
    task->job.remaining = task->wcet;
    task->entity->home->policy->release(task->entity, &task->job);
    if (task->extension != NULL && (task->extension->on_miss & TAKT_ON_MISS_ABORT) != 0) {
        takt_timers_insert(&task->entity->home->timers, &task->extension->expiry, task->job.deadline);
    }
}

/* Likewise of a task without a rule. */
TAKT_INLINE void write_plain_job(takt_task_t *task, takt_instant_t nominal) {
    write_job(task, nominal, nominal + task->relative_deadline);
}

static const takt_arrival_t *pop_arrival(takt_task_extension_t *extension) {
    const takt_arrival_t *arrival = takt_task_arrival(extension, 0);
    extension->first++;
    extension->count--;
    return arrival;
}

/* Makes the oldest job that arrived as an event the current one. */
TAKT_RARE static void write_arrived_job(takt_task_t *task) {
    takt_task_extension_t *extension = task->extension;
    adopt_changes(task, takt_task_arrival(extension, 0)->instant);
    const takt_arrival_t *arrival = pop_arrival(extension);
    extension->tag = arrival->tag;
    if (extension->rule == NULL) {
        write_plain_job(task, arrival->nominal);
    } else {
        write_job(task, arrival->nominal, arrival->deadline);
    }
}

/* The current job has been written. */
static void begin_job(takt_task_t *task, takt_instant_t instant) {
    takt_entity_set_state(task->entity, TAKT_STATE_ACTIVE);
    join(task->entity, instant);
}

/* The release timer stands at the first arrival that is neither released nor put off. */
static void arm_release(takt_task_t *task) {
    const takt_task_extension_t *extension = task->extension;
    if (extension->count > task->waiting && !takt_timer_is_armed(&task->timer)) {
        const takt_instant_t instant = takt_task_arrival(extension, task->waiting)->instant;
        if (instant != TAKT_NEVER) {
            takt_timers_insert(&task->entity->home->timers, &task->timer, instant);
        }
    }
}

/* The nominal release of the oldest job that waits, of a periodic task. */
TAKT_INLINE takt_instant_t next_release(takt_task_t *task) {
    const takt_instant_t nominal = task->job.release + task->job.period;
    return task->extension == NULL ? nominal : takt_change_next_release(task->extension->behind, nominal);
}

TAKT_INLINE void write_next_job(takt_task_t *task) {
    task->waiting--;
    if (!takt_task_is_periodic(task)) {
        write_arrived_job(task);
        return;
    }
    const takt_instant_t nominal = next_release(task);
    if (task->extension != NULL) {
        adopt_changes(task, nominal);
    }
    write_plain_job(task, nominal);
}

/* The next job takes over in place, so that the server of a task with work never leaves its parent. */
static void take_over(takt_task_t *task, takt_instant_t instant) {
    takt_entity_t *entity = task->entity;
    const bool is_ready = takt_entity_is_ready(entity);
    if (is_ready) {
        takt_ready_remove(&entity->home->ready, entity);
    }
    write_next_job(task);
    if (is_ready) {
        takt_ready_insert(&entity->home->ready, entity);
    } else {
        join(entity, instant);
    }
}

/* What the extension of a task has to do when its job ends. */
TAKT_RARE static void end_extended_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                                       takt_instant_t instant) {
    takt_timers_t *timers = &task->entity->home->timers;
    takt_timers_remove(timers, &task->extension->expiry);
    takt_timers_remove(timers, &task->extension->resume);
    if (takt_entity_is_locking(task->entity)) {
        takt_locks_end_job(dispatcher, task, now, instant);
    }
    task->job.number += 1u + task->extension->skipped;
    task->extension->skipped = 0;
}

/* Step 2, and 5 for an aborted job. */
TAKT_INLINE void end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                         takt_instant_t instant) {
    if (takt_task_is_allocated(task)) {
        if (TAKT_UNLIKELY(takt_entity_is_locking(task->entity))) {
            takt_locks_end_job(dispatcher, task, now, instant);
        }
        allocator_of(task)->complete(task, now);
        return;
    }
    takt_entity_clear_state(task->entity, TAKT_STATE_STARTED);
    if (task->extension != NULL) {
        end_extended_job(dispatcher, task, now, instant);
    } else {
        task->job.number++;
    }
    if (task->waiting > 0) {
        take_over(task, instant);
    } else {
        takt_entity_clear_state(task->entity, TAKT_STATE_ACTIVE);
        leave(task->entity, instant);
    }
}

/* The key of a started job, or what is in force already if that is more urgent. */
static takt_key_t key_at_start(const takt_entity_t *entity, takt_key_t own, takt_instant_t now) {
    const takt_policy_t *policy = entity->home->policy;
    takt_key_t key = entity->task->preemption_key;
    if (policy->start != NULL && key != TAKT_KEY_MOST_URGENT) {
        key = policy->start(key, now);
    }
    return key < own ? key : own;
}

/* A limited job that starts takes its preemption key: from now on that says who may displace it. */
static void start_job(takt_entity_t *entity, takt_instant_t now) {
    takt_task_t *task = entity->task;
    if (!takt_entity_is_locking(entity)) {
        task->own_key = entity->key;
        task->own_tie = entity->tie;
    }
    const takt_key_t key = key_at_start(entity, task->own_key, now);
    takt_entity_set_state(entity, TAKT_STATE_STARTED);
    if (task->extension != NULL) {
        task->extension->started_key = key;
    }
    if (takt_entity_is_locking(entity)) {
        takt_locks_write_key(entity);
    } else {
        takt_ready_rekey(&entity->home->ready, entity, key, takt_tie_of_started(entity, &task->job, key));
    }
}

/* A started limited job competes by its own key again, ahead of its equals. */
TAKT_RARE static void end_region(takt_entity_t *entity) {
    if (!is_started(entity)) {
        return;
    }
    takt_entity_clear_state(entity, TAKT_STATE_STARTED);
    if (takt_entity_is_locking(entity)) {
        takt_locks_write_key(entity);
    } else {
        takt_ready_rekey(&entity->home->ready, entity, entity->task->own_key, entity->task->own_tie);
    }
}

void takt_dispatcher_end_region(takt_entity_t *entity) { end_region(entity); }

TAKT_RARE static void suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until) {
    end_region(entity);
    leave(entity, now);
    takt_timers_insert(&entity->home->timers, &entity->task->extension->resume, until);
}

TAKT_RARE static void arrive(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal) {
    takt_task_extension_t *extension = task->extension;
    extension->count++;
    takt_arrival_t *arrival = takt_task_arrival(extension, extension->count - 1u);
    arrival->instant = instant;
    arrival->nominal = nominal;
    arrival->deadline = nominal + task->relative_deadline;
    arrival->tag = 0;
    if (extension->rule != NULL) {
        extension->rule->arrive(task, arrival);
    }
    arm_release(task);
}

void takt_rule_release(takt_task_t *task, takt_arrival_t *arrival, takt_instant_t instant) {
    arrival->instant = instant;
    arm_release(task);
    rearm_wakes(task->entity->home);
}

/* ---- records ----------------------------------------------------------------------------------- */

static takt_record_t make_record(const takt_dispatcher_t *dispatcher, takt_record_kind_t kind,
                                 takt_instant_t now, uint64_t value, const takt_entity_t *entity,
                                 uint32_t cpu) {
    return (takt_record_t){
        .now = now,
        .value = value,
        .entity = entity != NULL ? entity->id : TAKT_NOBODY,
        .sequence = dispatcher->sequence,
        .kind = (uint8_t)kind,
        .reserved = 0,
        .cpu = (uint8_t)cpu,
        .job = entity != NULL && entity->task != NULL ? entity->task->job.number : 0,
    };
}

static void record(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now, uint64_t value,
                   const takt_entity_t *entity, uint32_t cpu) {
    const takt_record_t record = make_record(dispatcher, kind, now, value, entity, cpu);
    dispatcher->trace->record(dispatcher->trace, &record);
}

/* Consecutive steps at one instant are one record. */
static void record_steps(takt_dispatcher_t *dispatcher) {
    if (dispatcher->unrecorded_steps > 0) {
        record(dispatcher, TAKT_RECORD_STEP, dispatcher->stepped_at, dispatcher->unrecorded_steps, NULL, 0);
        dispatcher->unrecorded_steps = 0;
    }
}

/* The `ahead`th job after the current one, or the current one itself, ends without completing. */
static void record_end(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
                       uint32_t ahead, takt_instant_t now, takt_instant_t instant) {
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        takt_record_t record = make_record(dispatcher, kind, now, instant, task->entity, 0);
        record.job += ahead;
        dispatcher->trace->record(dispatcher->trace, &record);
    }
}

void takt_dispatcher_note(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                          const takt_resource_t *resource, const takt_entity_t *entity) {
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, kind, now, resource->number, entity, 0);
    }
}

void takt_dispatcher_note_allocation(takt_dispatcher_t *dispatcher, takt_instant_t now, uint64_t value,
                                     const takt_entity_t *entity) {
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, TAKT_RECORD_ALLOCATION, now, value, entity, 0);
    }
}

static void count_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (now != dispatcher->stepped_at) {
        record_steps(dispatcher);
        dispatcher->stepped_at = now;
    }
    dispatcher->unrecorded_steps++;
}

/* ---- releases and aborts ------------------------------------------------------------------------- */

/* Step 5. */
TAKT_RARE static void abort_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    record_end(dispatcher, TAKT_RECORD_ABORT, task, 0, now, task->job.deadline);
    takt_server_t *home = task->entity->home;
    end_job(dispatcher, task, now, takt_timers_position(&home->timers));
    if (TAKT_UNLIKELY(home->sharing != TAKT_PROTOCOL_NONE) && !is_active(home)) {
        exhaust(home, now);
    }
}

/* Step 5, or the second timer of a task with an allocation. */
static void expire(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    if (task->extension->allocation != NULL) {
        allocator_of(task)->finish(task, task->extension->expiry.instant);
    } else {
        abort_job(dispatcher, task, now);
    }
}

TAKT_RARE static void skip_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                               takt_instant_t nominal) {
    task->extension->skipped++;
    record_end(dispatcher, TAKT_RECORD_SKIP, task, task->extension->skipped, now, nominal);
}

static bool is_to_be_skipped(const takt_task_t *task) {
    return takt_task_is_active(task) && (task->extension->on_miss & TAKT_ON_MISS_SKIP) != 0;
}

TAKT_RARE static void release_arrival(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t instant = task->timer.instant;
    if (is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, pop_arrival(task->extension)->nominal);
    } else if (takt_task_is_active(task)) {
        task->waiting++;
    } else {
        write_arrived_job(task);
        begin_job(task, instant);
    }
    arm_release(task);
}

TAKT_RARE static void release_extended(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    takt_change_arm_release(task, nominal + task->extension->period);
    if (!takt_task_is_active(task)) {
        adopt_changes(task, nominal);
        write_plain_job(task, nominal);
        begin_job(task, nominal);
    } else if (is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, nominal);
    } else {
        task->waiting++;
    }
}

static void release_periodic(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    if (TAKT_UNLIKELY(task->extension != NULL)) {
        release_extended(dispatcher, task, now);
        return;
    }
    takt_timers_insert(&task->entity->home->timers, &task->timer, nominal + task->job.period);
    if (!takt_task_is_active(task)) {
        write_plain_job(task, nominal);
        begin_job(task, nominal);
    } else {
        task->waiting++;
    }
}

/* Step 7. */
static void release_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    dispatcher->releases++;
    if (takt_task_is_periodic(task)) {
        release_periodic(dispatcher, task, now);
    } else if (task->extension->allocation != NULL) {
        allocator_of(task)->start(task, task->timer.instant);
    } else {
        release_arrival(dispatcher, task, now);
    }
}

/* ---- the interface ------------------------------------------------------------------------------ */

void takt_server_init(takt_server_t *server, const takt_policy_t *policy, const takt_ready_t *ready,
                      takt_timers_row_t *rows, uint32_t order_rows, uint32_t time_rows) {
    server->policy = policy;
    server->ready = *ready;
    takt_timers_init(&server->timers, rows, order_rows, time_rows);
}

/* What its children have in common; of the root see also takt_dispatcher_set_changes. */
static uint32_t common_attributes(const takt_server_t *home) {
    const uint32_t keyed = home->ready.order == TAKT_ORDER_KEYS ? TAKT_ATTRIBUTE_KEYED : 0u;
    const uint32_t paid = takt_server_is_root(home) ? 0u : TAKT_ATTRIBUTE_IN_SERVER;
    const uint32_t aging = home->policy->overtake != NULL ? TAKT_ATTRIBUTE_AGING : 0u;
    const uint32_t later = takt_server_is_root(home) ? home->entity.attributes : 0u;
    return keyed | paid | aging | later;
}

static void init_entity(takt_entity_t *entity, takt_server_t *home, uint32_t id, uint32_t attributes) {
    entity->home = home;
    entity->id = id & (TAKT_ENTITY_LIMIT - 1u);
    entity->attributes = (attributes | common_attributes(home)) & 255u;
}

void takt_dispatcher_init(takt_dispatcher_t *dispatcher, const takt_policy_t *policy,
                          const takt_ready_t *ready, takt_timers_row_t *rows, uint32_t order_rows,
                          uint32_t time_rows, takt_cpu_t *cpus, uint32_t ncpu) {
    dispatcher->cpus = cpus;
    dispatcher->ncpu = ncpu;
    takt_server_init(&dispatcher->root, policy, ready, rows, order_rows, time_rows);
    takt_entity_set_state(&dispatcher->root.entity, TAKT_STATE_READY);
}

void takt_dispatcher_add_server(takt_server_t *server, takt_server_t *home,
                                const takt_server_parameters_t *parameters) {
    init_entity(&server->entity, home, parameters->id, TAKT_ATTRIBUTE_SERVER);
    server->kind = parameters->kind;
    server->job.period = parameters->period;
    server->capacity = parameters->capacity;
    server->returns = parameters->returns;
    server->job.level = parameters->level;
    takt_timer_init(&server->replenishment, &home->timers, TAKT_TIMER_REPLENISHMENT, parameters->id);
    takt_timer_init(&server->wake, &home->timers, TAKT_TIMER_WAKE, parameters->id);
    takt_timer_init(&server->lapse, &home->timers, TAKT_TIMER_LAPSE, parameters->id);
    takt_timers_insert(&home->timers, &server->replenishment, parameters->offset);
    rearm_wakes(server);
}

static void add_extension(takt_task_t *task, takt_task_extension_t *extension, const takt_timers_t *timers,
                          uint32_t id) {
    task->extension = extension;
    extension->task = task;
    extension->period = task->job.period;
    takt_timer_init(&extension->expiry, timers, TAKT_TIMER_EXPIRY, id);
    takt_timer_init(&extension->resume, timers, TAKT_TIMER_RESUME, id);
}

void takt_dispatcher_add_task(takt_task_t *task, takt_entity_t *entity, takt_server_t *home,
                              const takt_task_parameters_t *parameters) {
    init_entity(entity, home, parameters->id, parameters->is_limited ? TAKT_ATTRIBUTE_LIMITED : 0u);
    entity->task = task;
    task->entity = entity;
    task->relative_deadline = parameters->relative_deadline;
    task->wcet = parameters->wcet;
    task->job.level = parameters->level;
    task->job.period = parameters->period;
    task->job.task_class = parameters->task_class;
    task->preemption_key = parameters->preemption_key;
    takt_timer_init(&task->timer, &home->timers, TAKT_TIMER_RELEASE, parameters->id);
    if (parameters->extension != NULL) {
        add_extension(task, parameters->extension, &home->timers, parameters->id);
    }
    if (takt_task_is_periodic(task) && !parameters->is_absent) {
        takt_timers_insert(&home->timers, &task->timer, parameters->offset);
        rearm_wakes(home);
    }
}

/* Children of a root that may get another policy are as attentive as the strictest of its policies wants. */
void takt_dispatcher_set_changes(takt_dispatcher_t *dispatcher, takt_change_t *changes, uint32_t count) {
    uint32_t attributes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (changes[i].kind == TAKT_CHANGE_POLICY) {
            attributes |= TAKT_ATTRIBUTE_KEYED;
            attributes |= changes[i].policy->overtake != NULL ? TAKT_ATTRIBUTE_AGING : 0u;
        }
    }
    dispatcher->changes = changes;
    dispatcher->root.entity.attributes = attributes & 255u;
}

void takt_resource_init(takt_resource_t *resource, uint32_t number, takt_protocol_t protocol,
                        takt_key_t ceiling) {
    resource->number = number;
    resource->protocol = (uint32_t)protocol;
    resource->ceiling = ceiling;
    resource->boost = TAKT_KEY_LEAST_URGENT;
}

void takt_resource_share(takt_resource_t *resource, takt_resource_t *among, takt_server_t *server,
                         takt_duration_t longest) {
    resource->among = among;
    resource->longest = longest;
    server->sharing = resource->protocol;
}

void takt_dispatcher_add_thread(takt_plain_t *thread, takt_server_t *home, takt_key_t level, uint32_t id) {
    init_entity(&thread->entity, home, id, 0);
    takt_locks_write_level(&thread->entity, level);
}

/* Whether somebody in the dispatcher of `entity`, a started job, is more urgent than its own key. The best is
 * another one if that is blocked and `entity` runs instead. */
static uint32_t somebody_waits(takt_entity_t *entity) {
    takt_ready_t *ready = &entity->home->ready;
    const takt_entity_t *best = takt_ready_best(ready);
    const takt_entity_t *waiting = best != entity ? best : takt_ready_second(ready, entity);
    takt_key_t key = entity->task->own_key;
    uint32_t tie = entity->task->own_tie;
    if (takt_entity_is_locking(entity)) {
        key = takt_locks_key_without_start(entity);
        tie = ready->order == TAKT_ORDER_KEYS ? takt_tie_of_locking(entity, &entity->task->job) : 0u;
    }
    return waiting != NULL && takt_is_more_urgent(waiting->key, waiting->tie, key, tie);
}

/* As rewrite_key, for a started limited job. */
static void rewrite_started_key(takt_entity_t *entity, takt_instant_t now) {
    takt_task_t *task = entity->task;
    const takt_key_t key = key_at_start(entity, task->own_key, now);
    if (task->extension != NULL) {
        task->extension->started_key = key;
    }
    if (!takt_entity_is_locking(entity)) {
        takt_locks_put(entity, key, takt_tie_of_started(entity, &task->job, key));
    }
}

/* The key that follows from the job of `entity`, where levels order; what is in force stays so. */
static takt_key_t key_of_job(takt_entity_t *entity) {
    const takt_key_t key_in_force = entity->key;
    const uint32_t tie_in_force = entity->tie;
    entity->home->policy->release(entity, &entity->task->job);
    const takt_key_t own = entity->key;
    entity->key = key_in_force;
    entity->tie = tie_in_force;
    return own;
}

/* The level of the current job of `entity` has changed; what is in force instead of its own key follows. */
static void rewrite_key(takt_entity_t *entity, takt_instant_t now) {
    const takt_key_t own = key_of_job(entity);
    if (!takt_locks_is_displaced(entity)) {
        takt_locks_put(entity, own, entity->tie);
        return;
    }
    entity->task->own_key = own;
    if (is_started(entity)) {
        rewrite_started_key(entity, now);
    }
    if (takt_entity_is_locking(entity)) {
        takt_locks_write_key(entity);
    }
}

/* Among its new equals it is the last one. */
TAKT_RARE static void change_level(takt_entity_t *entity, takt_key_t level, takt_instant_t now) {
    const takt_key_t before = entity->key;
    if (entity->task == NULL) {
        takt_locks_change_level(entity, level);
    } else {
        entity->task->job.level = level;
        if (takt_task_is_active(entity->task)) {
            rewrite_key(entity, now);
        }
    }
    if (takt_entity_is_ready(entity) && entity->key != before) {
        takt_ready_rotate(&entity->home->ready, entity);
    }
    if (takt_entity_is_locking(entity)) {
        takt_locks_reconsider(entity, now);
    }
}

/* Step 2, and its like. */
TAKT_INLINE void apply(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    switch (event->kind) {
    case TAKT_EVENT_COMPLETE:
        end_job(dispatcher, entity->task, event->now, event->now);
        break;
    case TAKT_EVENT_BLOCK:
        end_region(entity);
        leave(entity, event->now);
        break;
    case TAKT_EVENT_SUSPEND:
        suspend(entity, event->now, event->nominal);
        break;
    case TAKT_EVENT_YIELD:
        takt_ready_rotate(&entity->home->ready, entity);
        break;
    case TAKT_EVENT_LOCK:
    case TAKT_EVENT_UNLOCK:
    case TAKT_EVENT_WITHDRAW:
        takt_locks_apply(dispatcher, event);
        break;
    case TAKT_EVENT_CREATE:
        takt_locks_create(entity, event->nominal);
        break;
    case TAKT_EVENT_PRIORITY:
        change_level(entity, event->nominal, event->now);
        break;
    default:
        break;
    }
}

/* To be called if anybody records. */
static void record_event(takt_dispatcher_t *dispatcher, const takt_event_t *event, uint64_t value) {
    record_steps(dispatcher);
    record(dispatcher, (takt_record_kind_t)event->kind, event->now, value, event->entity, 0);
}

static uint64_t value_of(const takt_event_t *event) {
    return takt_event_is_lock(event) ? event->resource->number : event->nominal;
}

/* At a point the scheduler looks whether the job should yield; at an optional one that is all. The flag
 * stays until the next take. */
TAKT_RARE static void meet_point(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    account(dispatcher, event->now);
    cpu->should_yield = somebody_waits(event->entity);
    if (dispatcher->trace != NULL) {
        record_event(dispatcher, event, cpu->should_yield);
    }
    if (event->kind == TAKT_EVENT_POINT) {
        end_region(event->entity);
    }
}

/* A request to an allocator; or a change, of which only one of the policy is anything to account for. */
TAKT_RARE static void meet_request(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_change_t *change = NULL;
    if (event->kind == TAKT_EVENT_CHANGE) {
        change = &dispatcher->changes[event->nominal];
    }
    const bool is_of_task = change != NULL && change->kind != TAKT_CHANGE_POLICY;
    if (is_of_task && !takt_task_is_allocated(event->entity->task)) {
        takt_change_hand_over(event->entity->task, change, event->now);
        rearm_wakes(event->entity->home);
        return;
    }
    account(dispatcher, event->now);
    if (is_of_task) {
        change->is_handed_over = true;
        allocator_of(event->entity->task)->request(event->entity->task, change, event->now);
    } else if (change != NULL) {
        takt_change_policy(&dispatcher->root, change);
    } else if (event->kind == TAKT_EVENT_ENTER) {
        allocator_of(event->entity->task)->enter(event->entity->task, event->now);
    } else {
        allocator_of(event->entity->task)->leave(event->entity->task, event->now);
    }
}

void takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    dispatcher->sequence++;
    if (TAKT_UNLIKELY(takt_event_is_point(event))) {
        meet_point(dispatcher, event);
        return;
    }
    if (dispatcher->trace != NULL) {
        record_event(dispatcher, event, value_of(event));
    }
    if (event->kind == TAKT_EVENT_ARRIVAL) {
        arrive(event->entity->task, event->now, event->nominal);
    } else if (event->kind == TAKT_EVENT_WAKE) {
        account(dispatcher, event->now);
        rejoin(event->entity, event->now);
        if (TAKT_UNLIKELY(takt_entity_is_locking(event->entity))) {
            takt_locks_lend(event->entity, event->now);
        }
    } else if (takt_event_is_request(event)) {
        meet_request(dispatcher, event);
        return;
    } else {
        const bool is_paid = is_charged(cpu);
        if (TAKT_UNLIKELY(is_paid)) {
            charge(cpu, event->now);
        }
        apply(dispatcher, event);
        if (TAKT_UNLIKELY(is_paid) && is_charged(cpu)) {
            handle_exhaustion(dispatcher, event->now);
        }
    }
    if (event->entity->task != NULL && event->entity->task->extension != NULL) {
        rearm_wakes(event->entity->home);
    }
}

TAKT_RARE static void allocate(takt_allocation_t *allocation) {
    allocation->functions->timer(allocation, allocation->timer.instant);
}

static void fire(takt_dispatcher_t *dispatcher, takt_timer_t *timer, takt_instant_t now) {
    dispatcher->fired++;
    switch ((takt_timer_kind_t)timer->kind) {
    case TAKT_TIMER_RELEASE:
        release_job(dispatcher, TAKT_CONTAINER_OF(timer, takt_task_t, timer), now);
        break;
    case TAKT_TIMER_REPLENISHMENT:
        replenish(TAKT_CONTAINER_OF(timer, takt_server_t, replenishment));
        break;
    case TAKT_TIMER_EXPIRY:
        expire(dispatcher, TAKT_CONTAINER_OF(timer, takt_task_extension_t, expiry)->task, now);
        break;
    case TAKT_TIMER_LAPSE:
        dispatcher->fired--; /* the end of an instant is a part of what came before */
        lapse(TAKT_CONTAINER_OF(timer, takt_server_t, lapse));
        break;
    case TAKT_TIMER_ALLOCATION:
        allocate(TAKT_CONTAINER_OF(timer, takt_allocation_t, timer));
        break;
    default:
        rejoin(TAKT_CONTAINER_OF(timer, takt_task_extension_t, resume)->task->entity, timer->instant);
        break;
    }
}

/* Fires or moves one timer of the root or, where a wake fires, of the server that it wakes; the wakes on
 * the way back follow. A server is looked into as of the instant of its wake: what is due later in it comes
 * after what is due before in its parent, however much of both has waited. */
static void fire_one(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_server_t *server = &dispatcher->root;
    takt_timer_t *timer = takt_timers_take(&server->timers, now);
    while (timer != NULL && timer->kind == TAKT_TIMER_WAKE) {
        server = TAKT_CONTAINER_OF(timer, takt_server_t, wake);
        timer = takt_timers_take(&server->timers, timer->instant);
    }
    if (timer != NULL) {
        fire(dispatcher, timer, now);
    }
    rearm_wakes(server);
}

bool takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL) {
        count_step(dispatcher, now);
    }
    account(dispatcher, now);
    fire_one(dispatcher, now);
    return takt_dispatcher_is_due(dispatcher, now);
}

TAKT_INLINE takt_entity_t *choose_in(takt_server_t *home, takt_instant_t now) {
    return TAKT_UNLIKELY(home->locked != NULL) ? takt_locks_choose(home, now) : takt_ready_best(&home->ready);
}

/* Likewise in a server, where somebody may have to wait for budget although nothing is locked. */
TAKT_INLINE takt_entity_t *choose_in_server(takt_server_t *server, takt_instant_t now) {
    return TAKT_UNLIKELY(server->sharing == TAKT_PROTOCOL_SIRAP) ? takt_locks_choose(server, now)
                                                                 : choose_in(server, now);
}

/* The most urgent one. A server that has nothing to run idles; one whose children were all found blocked has
 * left its parent meanwhile, so that all is chosen anew. */
TAKT_INLINE takt_entity_t *select_entity(takt_server_t *root, takt_instant_t now) {
    takt_entity_t *entity = choose_in(root, now);
    while (entity != NULL && takt_entity_is_server(entity)) {
        takt_entity_t *inner = choose_in_server(takt_server_of(entity), now);
        if (inner == NULL && takt_entity_is_ready(entity)) {
            break;
        }
        entity = inner != NULL ? inner : choose_in(root, now);
    }
    return entity;
}

takt_entity_t *takt_dispatcher_choose(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL && dispatcher->expects_locks) {
        record_steps(dispatcher);
        record(dispatcher, TAKT_RECORD_CHOICE, now, 0, NULL, 0);
    }
    return select_entity(&dispatcher->root, now);
}

/* Whether who runs, `entity`, runs because of its own key: not a preemption key, nor what it holds, nor whom it
 * blocks. */
static bool competes_by_its_own_key(takt_entity_t *entity) {
    if (is_started(entity) || entity != takt_ready_best(&entity->home->ready)) {
        return false;
    }
    return !takt_entity_is_locking(entity) || entity->key == entity->task->own_key;
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
    return is_ageing(entity) ? time_to_age(entity, job_of(entity)) : TAKT_NEVER;
}

static takt_duration_t least_of(takt_duration_t a, takt_duration_t b) { return a < b ? a : b; }

/* For how long `entity` may execute: until the first of the budgets that pay for it is used up, or until
 * a waiting entity overtakes it or one of its servers. */
static takt_duration_t time_to_go(takt_entity_t *entity) {
    takt_duration_t least = has_own_budget(entity) ? entity->task->job.remaining : TAKT_NEVER;
    if (stands_alone(entity)) {
        return least;
    }
    least = least_of(least, time_to_overtake(entity));
    takt_server_t *server = payer_of(entity);
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        least = has_budget(server) ? least_of(least, server->job.remaining) : least;
        least = least_of(least, time_to_overtake(&server->entity));
    }
    return least;
}

/* `entity` holds or wants something, or is limited. */
TAKT_RARE static void obey_locks_and_limit(takt_dispatcher_t *dispatcher, takt_cpu_t *cpu,
                                           takt_entity_t *entity, takt_instant_t now) {
    if (takt_entity_is_locking(entity)) {
        takt_locks_settle(dispatcher, entity, now);
    }
    if ((entity->attributes & TAKT_ATTRIBUTE_LIMITED) == 0) {
        return;
    }
    if (!is_started(entity)) {
        start_job(entity, now);
    }
    cpu->should_yield = somebody_waits(entity);
}

/* `entity`, whose job has a budget, has been chosen: tells whoever else of that kind has run. Returns when the
 * timers want to be looked at. */
TAKT_INLINE takt_instant_t displace(takt_dispatcher_t *dispatcher, const takt_cpu_t *cpu,
                                    const takt_entity_t *entity, takt_instant_t now, takt_instant_t next) {
    takt_entity_t *last = cpu->running;
    if (last == NULL || last == entity || !has_own_budget(last) || allocator_of(last->task)->stop == NULL) {
        return next;
    }
    allocator_of(last->task)->stop(last->task, now);
    return takt_timers_next(&dispatcher->root.timers);
}

/* What the attributes of the chosen entity ask for; returns until when it may run at the latest. */
static takt_instant_t obey_attributes(takt_dispatcher_t *dispatcher, takt_cpu_t *cpu, takt_entity_t *entity,
                                      takt_instant_t now, takt_instant_t until) {
    if ((entity->attributes & (TAKT_ATTRIBUTE_LOCKING | TAKT_ATTRIBUTE_LIMITED)) != 0) {
        obey_locks_and_limit(dispatcher, cpu, entity, now);
    }
    if (has_own_budget(entity)) {
        until = displace(dispatcher, cpu, entity, now, until);
    }
    const takt_duration_t least = time_to_go(entity);
    return least < TAKT_NEVER - now ? least_of(now + least, until) : until;
}

takt_decision_t takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu) {
    const uint32_t special = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_LIMITED |
                             TAKT_ATTRIBUTE_AGING | TAKT_ATTRIBUTE_LOCKING | TAKT_ATTRIBUTE_BUDGET;
    takt_entity_t *entity = select_entity(&dispatcher->root, now);
    takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    if (entity != NULL && (entity->attributes & special) != 0) {
        until = obey_attributes(dispatcher, &dispatcher->cpus[cpu], entity, now, until);
    }
    dispatcher->cpus[cpu].running = entity;
    dispatcher->cpus[cpu].charged_at = now;
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, TAKT_RECORD_DECISION, now, until, entity, cpu);
    }
    return (takt_decision_t){entity, until, cpu, dispatcher->sequence};
}

void takt_dispatcher_note_decision(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                   const takt_decision_t *decision, bool is_change) {
    record_steps(dispatcher);
    record(dispatcher, is_change ? TAKT_RECORD_DECISION : TAKT_RECORD_SETTLED, now, decision->until,
           decision->entity, decision->cpu);
}
