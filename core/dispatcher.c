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
        if (home_had_work || takt_server_is_root(home) || home->job.remaining == 0) {
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

/* ---- what is charged ---------------------------------------------------------------------------- */

/* Whether somebody pays for what runs on `cpu`: budgets, or its own laxity. */
static bool is_charged(const takt_cpu_t *cpu) {
    const uint32_t charged = TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING;
    return cpu->running != NULL && (cpu->running->attributes & charged) != 0;
}

static bool is_started(const takt_entity_t *entity) { return (entity->state & TAKT_STATE_STARTED) != 0; }

/* Writes the key that follows from `job`; a started job keeps its preemption key in force. */
static void write_key(takt_entity_t *entity, const takt_job_t *job) {
    takt_server_t *home = entity->home;
    if (is_started(entity)) {
        takt_entity_t own = *entity;
        home->policy->release(&own, job);
        entity->task->own_key = own.key;
        entity->task->own_tie = own.tie;
        return;
    }
    home->policy->release(entity, job);
    if (home->ready.order == TAKT_ORDER_KEYS && takt_entity_is_ready(entity)) {
        takt_keys_update(&home->ready.keys, entity);
    }
}

/* `entity`, which executes `job`, has had the processor. What time has overtaken, as a late interrupt does
 * on hardware, ends at 0. */
static void spend(takt_entity_t *entity, takt_job_t *job, takt_duration_t elapsed) {
    job->remaining -= elapsed < job->remaining ? elapsed : job->remaining;
    if (entity->home->policy->overtake != NULL) {
        write_key(entity, job);
    }
}

/* Step 1. */
static void charge(takt_cpu_t *cpu, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    takt_entity_t *entity = cpu->running;
    cpu->charged_at = now;
    if (entity->task != NULL) {
        spend(entity, &entity->task->job, elapsed);
    }
    takt_server_t *server = entity->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        spend(&server->entity, &server->job, elapsed);
    }
}

/* The timer in the parent follows the first of the server's own timers while the server is active. */
static void rearm_wake(takt_server_t *server) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, &server->wake);
    const takt_instant_t next = takt_timers_next(&server->timers);
    if (server->job.remaining > 0 && next != TAKT_NEVER) {
        takt_timers_insert(outer, &server->wake, next);
    }
}

static void rearm_wakes(takt_server_t *server) {
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        rearm_wake(server);
    }
}

/* Step 4, innermost first: servers without budget lose their place, and their events wait. */
static void handle_exhaustion(const takt_cpu_t *cpu) {
    takt_server_t *server = cpu->running->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        if (server->job.remaining == 0) {
            takt_timers_remove(&takt_server_parent(server)->timers, &server->wake);
            leave(&server->entity);
        }
    }
}

/* Steps 1 and 4. */
static void account(takt_cpu_t *cpu, takt_instant_t now) {
    if (TAKT_UNLIKELY(is_charged(cpu))) {
        charge(cpu, now);
        handle_exhaustion(cpu);
    }
}

/* Step 6. */
TAKT_RARE static void replenish(takt_server_t *server) {
    const bool was_active = server->job.remaining > 0;
    const takt_instant_t next = server->kind->replenish(server, server->replenishment.instant);
    takt_timers_insert(&takt_server_parent(server)->timers, &server->replenishment, next);
    write_key(&server->entity, &server->job);
    if (was_active) {
        return;
    }
    rearm_wake(server);
    if (!takt_ready_is_empty(&server->ready)) {
        join(&server->entity);
    }
}

/* ---- jobs -------------------------------------------------------------------------------------- */

/* Makes the job that arrived at `nominal` the current one. */
static void write_job(takt_task_t *task, takt_instant_t nominal) {
    task->job.release = nominal;
    task->job.deadline = nominal + task->relative_deadline;
    task->job.remaining = task->wcet;
    task->entity->home->policy->release(task->entity, &task->job);
    if (task->extension != NULL && task->extension->on_miss == TAKT_ON_MISS_ABORT) {
        takt_timers_insert(&task->entity->home->timers, &task->extension->expiry, task->job.deadline);
    }
}

static void begin_job(takt_task_t *task, takt_instant_t nominal) {
    write_job(task, nominal);
    takt_entity_set_state(task->entity, TAKT_STATE_ACTIVE);
    join(task->entity);
}

static bool is_active(const takt_task_t *task) { return (task->entity->state & TAKT_STATE_ACTIVE) != 0; }

static takt_instant_t pop_arrival(takt_task_extension_t *extension) {
    const takt_instant_t nominal = takt_task_arrival(extension, 0)->nominal;
    extension->first++;
    extension->count--;
    return nominal;
}

/* The release timer stands at the first arrival that is not released. */
static void arm_release(takt_task_t *task) {
    const takt_task_extension_t *extension = task->extension;
    if (extension->count > task->waiting && !takt_timer_is_armed(&task->timer)) {
        const takt_instant_t instant = takt_task_arrival(extension, task->waiting)->instant;
        takt_timers_insert(&task->entity->home->timers, &task->timer, instant);
    }
}

static takt_instant_t next_waiting(takt_task_t *task) {
    task->waiting--;
    if (takt_task_is_periodic(task)) {
        return task->job.release + task->job.period;
    }
    return pop_arrival(task->extension);
}

/* The next job takes over in place, so that the server of a task with work never leaves its parent. */
static void take_over(takt_task_t *task) {
    takt_entity_t *entity = task->entity;
    const takt_instant_t nominal = next_waiting(task);
    if (!takt_entity_is_ready(entity)) {
        write_job(task, nominal);
        join(entity);
        return;
    }
    takt_ready_remove(&entity->home->ready, entity);
    write_job(task, nominal);
    takt_ready_insert(&entity->home->ready, entity);
}

/* What the extension of a task has to do when its job ends. */
TAKT_RARE static void end_extended_job(takt_task_t *task) {
    takt_timers_t *timers = &task->entity->home->timers;
    takt_timers_remove(timers, &task->extension->expiry);
    takt_timers_remove(timers, &task->extension->resume);
    task->job.number += task->extension->skipped;
    task->extension->skipped = 0;
}

/* Step 2, and 5 for an aborted job. */
static void end_job(takt_task_t *task) {
    takt_entity_clear_state(task->entity, TAKT_STATE_STARTED);
    task->job.number++;
    if (task->extension != NULL) {
        end_extended_job(task);
    }
    if (task->waiting > 0) {
        take_over(task);
    } else {
        takt_entity_clear_state(task->entity, TAKT_STATE_ACTIVE);
        leave(task->entity);
    }
}

/* A limited job that starts takes its preemption key: from now on that says who may displace it. */
static void start_job(takt_entity_t *entity, takt_instant_t now) {
    takt_task_t *task = entity->task;
    const takt_policy_t *policy = entity->home->policy;
    takt_key_t key = task->preemption_key;
    if (policy->start != NULL && key != TAKT_KEY_MOST_URGENT) {
        key = policy->start(key, now);
    }
    task->own_key = entity->key;
    task->own_tie = entity->tie;
    takt_entity_set_state(entity, TAKT_STATE_STARTED);
    takt_ready_rekey(&entity->home->ready, entity, key < entity->key ? key : entity->key, 0);
}

/* A started limited job competes by its own key again, ahead of its equals. */
TAKT_RARE static void end_region(takt_entity_t *entity) {
    if (is_started(entity)) {
        takt_entity_clear_state(entity, TAKT_STATE_STARTED);
        takt_ready_rekey(&entity->home->ready, entity, entity->task->own_key, entity->task->own_tie);
    }
}

TAKT_RARE static void suspend(takt_entity_t *entity, takt_instant_t until) {
    end_region(entity);
    leave(entity);
    takt_timers_insert(&entity->home->timers, &entity->task->extension->resume, until);
}

TAKT_RARE static void arrive(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal) {
    task->extension->count++;
    *takt_task_arrival(task->extension, task->extension->count - 1u) = (takt_arrival_t){instant, nominal};
    arm_release(task);
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
    end_job(task);
}

TAKT_RARE static void skip_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                               takt_instant_t nominal) {
    task->extension->skipped++;
    record_end(dispatcher, TAKT_RECORD_SKIP, task, task->extension->skipped, now, nominal);
}

static bool is_to_be_skipped(const takt_task_t *task) {
    return is_active(task) && task->extension->on_miss == TAKT_ON_MISS_SKIP;
}

TAKT_RARE static void release_arrival(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    if (is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, pop_arrival(task->extension));
    } else if (is_active(task)) {
        task->waiting++;
    } else {
        begin_job(task, pop_arrival(task->extension));
    }
    arm_release(task);
}

static void release_periodic(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    takt_timers_insert(&task->entity->home->timers, &task->timer, nominal + task->job.period);
    if (!is_active(task)) {
        begin_job(task, nominal);
    } else if (task->extension != NULL && is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, nominal);
    } else {
        task->waiting++;
    }
}

/* Step 7. */
static void release_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    dispatcher->releases++;
    if (takt_task_is_periodic(task)) {
        release_periodic(dispatcher, task, now);
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

static void init_entity(takt_entity_t *entity, takt_server_t *home, uint32_t id, uint32_t attributes) {
    const uint32_t keyed = home->ready.order == TAKT_ORDER_KEYS ? TAKT_ATTRIBUTE_KEYED : 0u;
    const uint32_t paid = takt_server_is_root(home) ? 0u : TAKT_ATTRIBUTE_IN_SERVER;
    const uint32_t aging = home->policy->overtake != NULL ? TAKT_ATTRIBUTE_AGING : 0u;
    entity->home = home;
    entity->id = id & (TAKT_ENTITY_LIMIT - 1u);
    entity->attributes = (attributes | keyed | paid | aging) & 255u;
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
    server->job.period = parameters->period;
    server->capacity = parameters->capacity;
    server->job.level = parameters->level;
    takt_timer_init(&server->replenishment, &home->timers, TAKT_TIMER_REPLENISHMENT, parameters->id);
    takt_timer_init(&server->wake, &home->timers, TAKT_TIMER_WAKE, parameters->id);
    takt_timers_insert(&home->timers, &server->replenishment, parameters->offset);
}

static void add_extension(takt_task_t *task, takt_task_extension_t *extension, const takt_timers_t *timers,
                          uint32_t id) {
    task->extension = extension;
    extension->task = task;
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
    if (takt_task_is_periodic(task)) {
        takt_timers_insert(&home->timers, &task->timer, parameters->offset);
    }
}

void takt_dispatcher_add_thread(takt_entity_t *entity, takt_server_t *home, takt_key_t level, uint32_t id) {
    takt_job_t background;
    background.level = level;
    background.period = TAKT_KEY_LEAST_URGENT;
    background.remaining = 0;
    background.release = 0;
    background.deadline = TAKT_KEY_LEAST_URGENT;
    background.number = 0;
    background.task_class = TAKT_CLASS_NONE;
    init_entity(entity, home, id, 0);
    home->policy->release(entity, &background);
}

/* Whether somebody in the dispatcher of `entity`, a started job, is more urgent than its own key. */
static uint32_t somebody_waits(takt_entity_t *entity) {
    const takt_task_t *task = entity->task;
    const takt_entity_t *waiting = takt_ready_second(&entity->home->ready, entity);
    return waiting != NULL && takt_is_more_urgent(waiting->key, waiting->tie, task->own_key, task->own_tie);
}

/* Step 2, and its like. */
static void apply(const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    switch (event->kind) {
    case TAKT_EVENT_COMPLETE:
        end_job(entity->task);
        break;
    case TAKT_EVENT_BLOCK:
        end_region(entity);
        leave(entity);
        break;
    case TAKT_EVENT_SUSPEND:
        suspend(entity, event->nominal);
        break;
    case TAKT_EVENT_YIELD:
        takt_ready_rotate(&entity->home->ready, entity);
        break;
    default:
        break;
    }
}

static void record_event(takt_dispatcher_t *dispatcher, const takt_event_t *event, uint64_t value) {
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, (takt_record_kind_t)event->kind, event->now, value, event->entity, 0);
    }
}

/* At a point the scheduler looks whether the job should yield; at an optional one that is all. The flag
 * stays until the next take. */
TAKT_RARE static void meet_point(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    account(cpu, event->now);
    cpu->should_yield = somebody_waits(event->entity);
    record_event(dispatcher, event, cpu->should_yield);
    if (event->kind == TAKT_EVENT_POINT) {
        end_region(event->entity);
    }
}

void takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_cpu_t *cpu = &dispatcher->cpus[0];
    dispatcher->sequence++;
    if (TAKT_UNLIKELY(takt_event_is_point(event))) {
        meet_point(dispatcher, event);
        return;
    }
    record_event(dispatcher, event, event->nominal);
    if (event->kind == TAKT_EVENT_ARRIVAL) {
        arrive(event->entity->task, event->now, event->nominal);
    } else if (event->kind == TAKT_EVENT_WAKE) {
        account(cpu, event->now);
        join(event->entity);
    } else {
        const bool is_paid = is_charged(cpu);
        if (TAKT_UNLIKELY(is_paid)) {
            charge(cpu, event->now);
        }
        apply(event);
        if (TAKT_UNLIKELY(is_paid)) {
            handle_exhaustion(cpu);
        }
    }
    if (event->entity->task != NULL && event->entity->task->extension != NULL) {
        rearm_wakes(event->entity->home);
    }
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
        abort_job(dispatcher, TAKT_CONTAINER_OF(timer, takt_task_extension_t, expiry)->task, now);
        break;
    default:
        join(TAKT_CONTAINER_OF(timer, takt_task_extension_t, resume)->task->entity);
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
    account(&dispatcher->cpus[0], now);
    fire_one(dispatcher, now);
    return takt_dispatcher_is_due(dispatcher, now);
}

TAKT_INLINE takt_entity_t *select_entity(const takt_server_t *root) {
    takt_entity_t *entity = takt_ready_best(&root->ready);
    while (entity != NULL && takt_entity_is_server(entity)) {
        entity = takt_ready_best(&takt_server_of(entity)->ready);
    }
    return entity;
}

takt_entity_t *takt_dispatcher_best(const takt_dispatcher_t *dispatcher) {
    return select_entity(&dispatcher->root);
}

/* For how long `entity`, the best of its home, may execute `job` until a waiting one goes first. */
static takt_duration_t time_to_overtake(takt_entity_t *entity, const takt_job_t *job) {
    takt_server_t *home = entity->home;
    if (home->policy->overtake == NULL || job == NULL || is_started(entity)) {
        return TAKT_NEVER;
    }
    const takt_entity_t *waiting = takt_ready_second(&home->ready, entity);
    return waiting != NULL ? home->policy->overtake(entity, job, waiting) : TAKT_NEVER;
}

static takt_duration_t least_of(takt_duration_t a, takt_duration_t b) { return a < b ? a : b; }

/* For how long `entity` may execute: until the first of the budgets that pay for it is used up, or until
 * a waiting entity overtakes it or one of its servers. */
static takt_duration_t time_to_go(takt_entity_t *entity) {
    const takt_job_t *job = entity->task != NULL ? &entity->task->job : NULL;
    takt_duration_t least = time_to_overtake(entity, job);
    takt_server_t *server = entity->home;
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        least = least_of(least, server->job.remaining);
        least = least_of(least, time_to_overtake(&server->entity, &server->job));
    }
    return least;
}

TAKT_RARE static void obey_limit(takt_cpu_t *cpu, takt_entity_t *entity, takt_instant_t now) {
    if (!is_started(entity)) {
        start_job(entity, now);
    }
    cpu->should_yield = somebody_waits(entity);
}

/* What the attributes of the chosen entity ask for; returns until when it may run at the latest. */
static takt_instant_t obey_attributes(takt_cpu_t *cpu, takt_entity_t *entity, takt_instant_t now,
                                      takt_instant_t until) {
    if ((entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0) {
        obey_limit(cpu, entity, now);
    }
    const takt_duration_t least = time_to_go(entity);
    return least < TAKT_NEVER - now ? least_of(now + least, until) : until;
}

takt_decision_t takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu) {
    const uint32_t special = TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_LIMITED | TAKT_ATTRIBUTE_AGING;
    takt_entity_t *entity = select_entity(&dispatcher->root);
    takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    if (entity != NULL && (entity->attributes & special) != 0) {
        until = obey_attributes(&dispatcher->cpus[cpu], entity, now, until);
    }
    dispatcher->cpus[cpu].running = entity;
    dispatcher->cpus[cpu].charged_at = now;
    if (dispatcher->trace != NULL) {
        record_steps(dispatcher);
        record(dispatcher, TAKT_RECORD_DECISION, now, until, entity, cpu);
    }
    return (takt_decision_t){entity, until, cpu, dispatcher->sequence};
}
