/* The full pass of dispatcher.h. Steps are numbered as in SPEC.md, 2. */
#include "core/dispatcher.h"

/* ---- ready sets of the hierarchy ------------------------------------------------------------- */

/* Makes `entity` ready; a server that thereby gets work becomes ready in its parent, and so on up. */
static void join(takt_entity_t *entity) {
    for (;;) {
        takt_server_t *home = entity->home;
        const bool home_had_work = !takt_ready_is_empty(&home->ready);
        takt_ready_insert(&home->ready, entity);
        takt_entity_set_state(entity, TAKT_STATE_READY);
        if (home_had_work || takt_server_is_root(home) || home->budget == 0) {
            return;
        }
        entity = &home->entity;
    }
}

/* Makes `entity` not ready; a server that thereby has no work leaves its parent, and so on up. */
static void leave(takt_entity_t *entity) {
    while (takt_entity_is_ready(entity)) {
        takt_server_t *home = entity->home;
        takt_ready_remove(&home->ready, entity);
        takt_entity_clear_state(entity, TAKT_STATE_READY);
        if (takt_server_is_root(home) || !takt_ready_is_empty(&home->ready)) {
            return;
        }
        entity = &home->entity;
    }
}

/* ---- budgets ----------------------------------------------------------------------------------- */

/* Whether budgets pay for what runs on `cpu`. */
static bool runs_in_server(const takt_cpu_t *cpu) {
    return cpu->running != NULL && (cpu->running->attributes & TAKT_ATTRIBUTE_IN_SERVER) != 0;
}

/* Step 1. A budget that time has overtaken, as a late interrupt does on hardware, ends at 0. */
static void charge(takt_cpu_t *cpu, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    cpu->charged_at = now;
    takt_server_t *server = cpu->running->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        server->budget -= elapsed < server->budget ? elapsed : server->budget;
    }
}

/* The timer in the parent follows the first of the server's own timers while the server is active. */
static void rearm_wake(takt_server_t *server) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, &server->wake);
    const takt_instant_t next = takt_timers_next(&server->timers);
    if (server->budget > 0 && next != TAKT_NEVER) {
        takt_timers_insert(outer, &server->wake, next);
    }
}

/* Step 4, innermost first: servers without budget lose their place, and their events wait. */
static void handle_exhaustion(const takt_cpu_t *cpu) {
    takt_server_t *server = cpu->running->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        if (server->budget == 0) {
            takt_timers_remove(&takt_server_parent(server)->timers, &server->wake);
            leave(&server->entity);
        }
    }
}

/* Steps 1 and 4. */
static void account(takt_cpu_t *cpu, takt_instant_t now) {
    if (TAKT_UNLIKELY(runs_in_server(cpu))) {
        charge(cpu, now);
        handle_exhaustion(cpu);
    }
}

static void write_server_key(takt_server_t *server) {
    takt_server_t *home = takt_server_parent(server);
    home->policy->release(&server->entity, &server->job);
    if (home->ready.order == TAKT_ORDER_KEYS && takt_entity_is_ready(&server->entity)) {
        takt_keys_update(&home->ready.keys, &server->entity);
    }
}

/* Step 6. */
static void replenish(takt_server_t *server) {
    const bool was_active = server->budget > 0;
    const takt_instant_t next = server->kind->replenish(server, server->replenishment.instant);
    takt_timers_insert(&takt_server_parent(server)->timers, &server->replenishment, next);
    write_server_key(server);
    if (was_active) {
        return;
    }
    rearm_wake(server);
    if (!takt_ready_is_empty(&server->ready)) {
        join(&server->entity);
    }
}

/* ---- jobs -------------------------------------------------------------------------------------- */

static void write_job(takt_task_t *task, takt_instant_t release) {
    task->job.release = release;
    task->job.deadline = release + task->relative_deadline;
    task->entity->home->policy->release(task->entity, &task->job);
}

/* Step 7. */
static void release_job(takt_task_t *task) {
    const takt_instant_t nominal = task->timer.instant;
    takt_entity_t *entity = task->entity;
    takt_timers_insert(&entity->home->timers, &task->timer, nominal + task->period);
    if ((entity->state & TAKT_STATE_ACTIVE) != 0) {
        task->waiting++;
        return;
    }
    write_job(task, nominal);
    takt_entity_set_state(entity, TAKT_STATE_ACTIVE);
    join(entity);
}

/* The next job takes over in place, so that the server of a task with work never leaves its parent. */
static void take_over(takt_task_t *task) {
    takt_entity_t *entity = task->entity;
    takt_ready_t *ready = &entity->home->ready;
    task->waiting--;
    takt_ready_remove(ready, entity);
    write_job(task, task->job.release + task->period);
    takt_ready_insert(ready, entity);
}

/* Step 2. */
static void complete_job(takt_entity_t *entity) {
    takt_task_t *task = entity->task;
    takt_entity_clear_state(entity, TAKT_STATE_STARTED);
    task->job.number++;
    if (task->waiting > 0) {
        take_over(task);
    } else {
        takt_entity_clear_state(entity, TAKT_STATE_ACTIVE);
        leave(entity);
    }
}

/* A limited job that starts takes its preemption key: from now on that says who may displace it. */
static void start_job(takt_entity_t *entity) {
    takt_entity_set_state(entity, TAKT_STATE_STARTED);
    takt_ready_raise(&entity->home->ready, entity, entity->task->preemption_key);
}

/* ---- records ----------------------------------------------------------------------------------- */

static void record(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now, uint64_t value,
                   const takt_entity_t *entity, uint32_t cpu) {
    const takt_record_t record = {
        .now = now,
        .value = value,
        .entity = entity != NULL ? entity->id : TAKT_NOBODY,
        .sequence = dispatcher->sequence,
        .kind = (uint8_t)kind,
        .cpu = (uint8_t)cpu,
        .job = entity != NULL && entity->task != NULL ? entity->task->job.number : 0,
    };
    dispatcher->trace->record(dispatcher->trace, &record);
}

/* Consecutive steps at one instant are one record. */
static void record_steps(takt_dispatcher_t *dispatcher) {
    if (dispatcher->unrecorded_steps > 0) {
        record(dispatcher, TAKT_RECORD_STEP, dispatcher->stepped_at, dispatcher->unrecorded_steps, NULL, 0);
        dispatcher->unrecorded_steps = 0;
    }
}

static void count_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (now != dispatcher->stepped_at) {
        record_steps(dispatcher);
        dispatcher->stepped_at = now;
    }
    dispatcher->unrecorded_steps++;
}

/* ---- the interface ------------------------------------------------------------------------------ */

void takt_server_init(takt_server_t *server, const takt_policy_t *policy, const takt_ready_t *ready,
                      takt_timers_row_t *rows, uint32_t order_rows, uint32_t time_rows) {
    server->policy = policy;
    server->ready = *ready;
    takt_timers_init(&server->timers, rows, order_rows, time_rows);
}

static void init_entity(takt_entity_t *entity, takt_server_t *home, uint32_t id, uint32_t attributes) {
    const uint32_t keyed = home->ready.order == TAKT_ORDER_KEYS ? TAKT_ATTRIBUTE_KEYED : 0u;
    const uint32_t paid = takt_server_is_root(home) ? 0u : TAKT_ATTRIBUTE_IN_SERVER;
    entity->home = home;
    entity->id = id & (TAKT_ENTITY_LIMIT - 1u);
    entity->attributes = (attributes | keyed | paid) & 255u;
}

void takt_dispatcher_init(takt_dispatcher_t *dispatcher, const takt_policy_t *policy,
                          const takt_ready_t *ready, takt_timers_row_t *rows, uint32_t order_rows,
                          uint32_t time_rows, takt_cpu_t *cpus, uint32_t ncpu) {
    dispatcher->cpus = cpus;
    dispatcher->ncpu = ncpu;
    takt_server_init(&dispatcher->root, policy, ready, rows, order_rows, time_rows);
}

void takt_dispatcher_add_server(takt_server_t *server, takt_server_t *home,
                                const takt_server_parameters_t *parameters) {
    init_entity(&server->entity, home, parameters->id, TAKT_ATTRIBUTE_SERVER);
    server->kind = parameters->kind;
    server->period = parameters->period;
    server->capacity = parameters->capacity;
    server->job.level = parameters->level;
    takt_timer_init(&server->replenishment, &home->timers, TAKT_TIMER_REPLENISHMENT, parameters->id);
    takt_timer_init(&server->wake, &home->timers, TAKT_TIMER_WAKE, parameters->id);
    takt_timers_insert(&home->timers, &server->replenishment, parameters->offset);
}

void takt_dispatcher_add_task(takt_task_t *task, takt_entity_t *entity, takt_server_t *home,
                              const takt_task_parameters_t *parameters) {
    init_entity(entity, home, parameters->id, parameters->is_limited ? TAKT_ATTRIBUTE_LIMITED : 0u);
    entity->task = task;
    task->entity = entity;
    task->period = parameters->period;
    task->relative_deadline = parameters->relative_deadline;
    task->job.level = parameters->level;
    task->job.task_class = parameters->task_class;
    task->preemption_key = parameters->preemption_key;
    takt_timer_init(&task->timer, &home->timers, TAKT_TIMER_RELEASE, parameters->id);
    takt_timers_insert(&home->timers, &task->timer, parameters->offset);
}

void takt_dispatcher_add_thread(takt_entity_t *entity, takt_server_t *home, takt_key_t level, uint32_t id) {
    const takt_job_t background = {.level = level, .deadline = TAKT_KEY_LEAST_URGENT};
    init_entity(entity, home, id, 0);
    home->policy->release(entity, &background);
}

/* Step 2, and its like for threads. */
static void apply(takt_event_kind_t kind, takt_entity_t *entity) {
    if (kind == TAKT_EVENT_COMPLETE) {
        complete_job(entity);
    } else if (kind == TAKT_EVENT_BLOCK) {
        leave(entity);
    } else {
        takt_ready_rotate(&entity->home->ready, entity);
    }
}

void takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    dispatcher->sequence++;
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, (takt_record_kind_t)event->kind, event->now, event->nominal, entity, 0);
    }
    if (event->kind == TAKT_EVENT_WAKE) {
        account(cpu, event->now);
        join(entity);
    } else if (TAKT_UNLIKELY(runs_in_server(cpu))) {
        charge(cpu, event->now);
        apply(event->kind, entity);
        handle_exhaustion(cpu);
    } else {
        apply(event->kind, entity);
    }
}

/* Fires or moves one timer of `server` or, where a wake fires, of the server that it wakes; the wakes
 * on the way back follow. */
static void fire_one(takt_server_t *server, takt_instant_t now) {
    takt_timer_t *timer = takt_timers_take(&server->timers, now);
    while (timer != NULL && timer->kind == TAKT_TIMER_WAKE) {
        server = TAKT_CONTAINER_OF(timer, takt_server_t, wake);
        timer = takt_timers_take(&server->timers, now);
    }
    if (timer != NULL && timer->kind == TAKT_TIMER_RELEASE) {
        release_job(TAKT_CONTAINER_OF(timer, takt_task_t, timer));
    } else if (timer != NULL) {
        replenish(TAKT_CONTAINER_OF(timer, takt_server_t, replenishment));
    }
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        rearm_wake(server);
    }
}

bool takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL) {
        count_step(dispatcher, now);
    }
    account(&dispatcher->cpus[0], now);
    fire_one(&dispatcher->root, now);
    return takt_dispatcher_is_due(dispatcher, now);
}

static takt_entity_t *select_entity(const takt_server_t *root) {
    takt_entity_t *entity = takt_ready_best(&root->ready);
    while (entity != NULL && takt_entity_is_server(entity)) {
        entity = takt_ready_best(&takt_server_of(entity)->ready);
    }
    return entity;
}

/* The instant at which the first of the budgets that pay for `entity` is used up. */
static takt_instant_t end_of_budgets(const takt_entity_t *entity, takt_instant_t now) {
    takt_duration_t least = TAKT_NEVER - now;
    const takt_server_t *server = entity->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        least = server->budget < least ? server->budget : least;
    }
    return now + least;
}

/* What the attributes of the chosen entity ask for; returns until when it may run at the latest. */
static takt_instant_t obey_attributes(takt_entity_t *entity, takt_instant_t now, takt_instant_t until) {
    const bool is_unstarted = (entity->state & TAKT_STATE_STARTED) == 0;
    if ((entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 && is_unstarted) {
        start_job(entity);
    }
    const takt_instant_t end = end_of_budgets(entity, now);
    return end < until ? end : until;
}

takt_decision_t takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu) {
    const uint32_t special = TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_LIMITED;
    takt_entity_t *entity = select_entity(&dispatcher->root);
    takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    if (entity != NULL && (entity->attributes & special) != 0) {
        until = obey_attributes(entity, now, until);
    }
    dispatcher->cpus[cpu].running = entity;
    dispatcher->cpus[cpu].charged_at = now;
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, TAKT_RECORD_DECISION, now, until, entity, cpu);
    }
    return (takt_decision_t){entity, until, cpu, dispatcher->sequence};
}
