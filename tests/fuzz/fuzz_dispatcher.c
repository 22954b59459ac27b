/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fuzzer of core's dispatcher: bytes choose a system and a sequence of legal calls.
 *
 * Instants never go back, but calls come late, early, twice or not at all. After every call the invariants of
 * the headers are checked, what a call did to budgets and timers is compared with what it may do, and at the
 * end the trace is replayed, which must be identical. A new kind of event is one line in `events`. */
#include <string.h>

#include "core/peek.h"
#include "sim/replay.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/lock_invariants.h"
#include "tests/fuzz/system_input.h"

enum { CALL_LIMIT = 300, RECORD_LIMIT = 65536, STEP_LIMIT = 100000, SCALES = 41 };

/* How things stood before a call. */
typedef struct picture {
    uint32_t releases;
    takt_duration_t budgets[FUZZ_SERVERS];
    takt_instant_t replenishments[FUZZ_SERVERS];
    uint32_t jobs[FUZZ_TASKS];
    bool is_suspended[FUZZ_TASKS];
} picture_t;

typedef struct run {
    fuzz_system_t description;
    takt_system_t system;
    input_t input;
    takt_instant_t now;
    takt_instant_t until;   /* of the last decision */
    uint32_t posts;         /* so far */
    uint64_t takes;         /* so far */
    picture_t before;       /* the call that is made */
    takt_entity_t *running; /* by the last decision, while nothing has ended that */
    uint32_t running_job;   /* its number */
    bool keeps_its_place;   /* no budget above `running` has been used up */
    bool is_blocked[FUZZ_ENTITIES];
    uint32_t blocked_job[FUZZ_ENTITIES]; /* its number */
    uint64_t seen;                       /* records so far that check_records has looked at */
    uint32_t holder[FUZZ_RESOURCES];     /* number of its holder, by the records; 0: none */
    takt_instant_t locked_at[FUZZ_RESOURCES];
    uint32_t reported_job[FUZZ_ENTITIES];  /* 1 + number of its job that was last reported in a cycle */
    takt_lock_wait_t waits[FUZZ_ENTITIES]; /* of threads */
    bool have_levels_changed;
    bool has_holder_blocked;
} run_t;

static uint32_t job_number(const takt_entity_t *entity) {
    return entity->task != NULL ? entity->task->job.number : 0u;
}

/* ---- trace --------------------------------------------------------------------------------------- */

static takt_record_t records[RECORD_LIMIT];
static uint64_t record_count;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    HOLDS(record_count < RECORD_LIMIT);
    records[record_count++] = *record;
}

static takt_trace_t trace = {.record = keep_record};

static void check_replay(const run_t *run) {
    takt_system_t fresh;
    if (!takt_system_create(&fresh, &run->description.spec)) {
        return;
    }
    const takt_replay_result_t result = takt_replay(&fresh, records, record_count);
    HOLDS(result.verdict == TAKT_REPLAY_IDENTICAL);
    HOLDS(result.decisions == run->takes);
    takt_system_destroy(&fresh);
}

/* ---- what one call may do ------------------------------------------------------------------------ */

static bool is_suspended(const takt_task_t *task) {
    return task->extension != NULL && takt_timer_is_armed(&task->extension->resume);
}

static void take_picture(run_t *run) {
    run->before.releases = run->system.dispatcher->releases;
    for (uint32_t i = 0; i < run->system.server_count; i++) {
        run->before.budgets[i] = budget_of(&run->system.servers[i]);
        run->before.replenishments[i] = run->system.servers[i].replenishment.instant;
    }
    for (uint32_t i = 0; i < run->system.task_count; i++) {
        run->before.jobs[i] = run->system.tasks[i].job.number;
        run->before.is_suspended[i] = is_suspended(&run->system.tasks[i]);
    }
}

static bool pays_for(const takt_server_t *server, takt_entity_t *running) {
    return running == &server->entity || member_on_the_way(server, running) != NULL;
}

/* Takes off the budgets that pay for the running entity what the time since the last call leaves of them. */
static void charge_picture(run_t *run) {
    takt_entity_t *running = run->system.cpus->running;
    const takt_duration_t elapsed = run->now - run->system.cpus->charged_at;
    for (uint32_t i = 0; i < run->system.server_count && running != NULL; i++) {
        takt_duration_t *budget = &run->before.budgets[i];
        if (pays_for(&run->system.servers[i], running)) {
            *budget -= elapsed < *budget ? elapsed : *budget;
            run->keeps_its_place = run->keeps_its_place && *budget > 0;
        }
    }
}

/* A constant-bandwidth server may have a new budget at any event, and at no timer's expense. */
static uint32_t check_bandwidth_budget(const takt_server_t *server, takt_duration_t before) {
    HOLDS(budget_of(server) == before || budget_of(server) == server->capacity);
    return 0;
}

/* What it has consumed returns; the invariants say how much that can be. */
static uint32_t check_returned_budget(const takt_server_t *server, takt_duration_t before) {
    HOLDS(budget_of(server) >= before);
    return budget_of(server) > before;
}

/* The budget is what was left of it, or full because a replenishment came, or lost. */
static uint32_t check_periodic_budget(const takt_server_t *server, takt_duration_t before, bool has_come) {
    const bool is_lost = server->kind->loses_idle_budget && budget_of(server) == 0;
    HOLDS(is_lost || budget_of(server) == (has_come ? server->capacity : before));
    return has_come || budget_of(server) != before;
}

/* Budgets are what time has left of them, or have changed by a timer; gives how many such timers there were. */
static uint32_t check_budgets(const run_t *run) {
    uint32_t changes = 0;
    for (uint32_t i = 0; i < run->system.server_count; i++) {
        const takt_server_t *server = &run->system.servers[i];
        const takt_duration_t before = run->before.budgets[i];
        const bool has_come = server->replenishment.instant != run->before.replenishments[i];
        if (server->kind->runs_timers_without_budget) {
            changes += check_bandwidth_budget(server, before);
        } else if (server->kind->has_returns) {
            changes += check_returned_budget(server, before);
        } else {
            changes += check_periodic_budget(server, before, has_come);
        }
    }
    return changes;
}

/* At most `most` timers have fired, or jobs ended. */
static void check_changes(const run_t *run, uint32_t most) {
    uint32_t changes = check_budgets(run) + (run->system.dispatcher->releases - run->before.releases);
    for (uint32_t i = 0; i < run->system.task_count; i++) {
        const takt_task_t *task = &run->system.tasks[i];
        const bool has_ended = task->job.number != run->before.jobs[i];
        changes += has_ended || (run->before.is_suspended[i] && !is_suspended(task));
    }
    HOLDS(changes <= most);
}

/* ---- what can continue ------------------------------------------------------------------------------- */

static bool is_blocked(const run_t *run, const takt_entity_t *entity) {
    return run->is_blocked[takt_entity_number(entity)] &&
           run->blocked_job[takt_entity_number(entity)] == job_number(entity);
}

static void check_tasks_ready(const run_t *run) {
    for (uint32_t i = 0; i < run->system.task_count; i++) {
        const takt_task_t *task = &run->system.tasks[i];
        const bool is_active = (task->entity->state & TAKT_STATE_ACTIVE) != 0;
        const bool is_out = place_of(task->entity) != NULL;
        const bool can_go_on = !is_blocked(run, task->entity) && !is_suspended(task) && !is_out;
        HOLDS(takt_entity_is_ready(task->entity) == (is_active && can_go_on));
    }
}

static void check_threads_ready(run_t *run) {
    for (uint32_t i = 0; i < run->system.thread_count; i++) {
        takt_entity_t *entity = &run->system.threads[i].entity;
        HOLDS(takt_entity_is_ready(entity) == (!is_blocked(run, entity) && place_of(entity) == NULL));
    }
}

static void check_who_is_ready(run_t *run) {
    check_tasks_ready(run);
    check_threads_ready(run);
}

/* ---- what the records say of resources ------------------------------------------------------------- */

static takt_resource_t *resource_of(run_t *run, const takt_record_t *record) {
    HOLDS(record->value < run->system.resource_count);
    return &run->system.resources[record->value];
}

static void see_grant(run_t *run, const takt_record_t *record) {
    HOLDS(run->holder[record->value] == 0);
    run->holder[record->value] = record->entity;
    run->locked_at[record->value] = record->now;
}

static void see_free(run_t *run, const takt_record_t *record) {
    HOLDS(run->holder[record->value] == record->entity);
    run->holder[record->value] = 0;
}

/* True if a ceiling may have been of no use: levels have changed, or a holder has blocked. */
static bool may_ceilings_fail(const run_t *run) {
    return run->have_levels_changed || run->has_holder_blocked;
}

/* A running job is never refused under srp. */
static void see_refusal(run_t *run, const takt_record_t *record) {
    HOLDS(resource_of(run, record)->protocol != TAKT_PROTOCOL_SRP || may_ceilings_fail(run));
}

static void see_deadlock(run_t *run, const takt_record_t *record) {
    HOLDS(resource_of(run, record)->protocol != TAKT_PROTOCOL_PCP || run->have_levels_changed);
    HOLDS(is_in_a_cycle(&run->system, takt_system_entity(&run->system, record->entity)));
    run->reported_job[record->entity] = 1u + record->job;
}

static void see_record(run_t *run, const takt_record_t *record) {
    if (record->kind == TAKT_RECORD_GRANT) {
        see_grant(run, record);
    } else if (record->kind == TAKT_RECORD_FREE) {
        see_free(run, record);
    } else if (record->kind == TAKT_RECORD_REFUSE) {
        see_refusal(run, record);
    } else if (record->kind == TAKT_RECORD_DEADLOCK) {
        see_deadlock(run, record);
    }
}

static void check_holder(const run_t *run, const takt_resource_t *resource) {
    const uint32_t number = resource->number;
    const takt_entity_t *holder = resource->holder;
    HOLDS(run->holder[number] == (holder != NULL ? takt_entity_number(holder) : 0u));
    if (holder != NULL && resource->protocol == TAKT_PROTOCOL_ICPP) {
        const takt_policy_t *policy = holder->parent->policy;
        const takt_key_t ceiling = resource->ceiling;
        HOLDS(resource->boost ==
              (policy->start != NULL ? policy->start(ceiling, run->locked_at[number]) : ceiling));
    }
}

/* Resources are held as the records say, and no job is in a cycle that was not reported. */
static void check_records(run_t *run) {
    for (; run->seen < record_count; run->seen++) {
        see_record(run, &records[run->seen]);
    }
    for (uint32_t i = 0; i < run->system.resource_count; i++) {
        check_holder(run, &run->system.resources[i]);
    }
    for (uint32_t i = 0; i < run->system.task_count; i++) {
        takt_entity_t *entity = run->system.tasks[i].entity;
        const bool is_reported = run->reported_job[takt_entity_number(entity)] == 1u + job_number(entity);
        HOLDS(is_reported || run->have_levels_changed || !is_in_a_cycle(&run->system, entity));
    }
}

/* ---- events -------------------------------------------------------------------------------------- */

static bool is_running(const run_t *run, const takt_entity_t *entity) {
    return entity == run->running && job_number(entity) == run->running_job;
}

static bool is_running_job(const run_t *run, takt_entity_t *entity) {
    return is_running(run, entity) && entity->task != NULL;
}

static bool is_running_limited(const run_t *run, takt_entity_t *entity) {
    return is_running(run, entity) && (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
}

/* Threads may lock, and tasks with an extension. */
static bool is_running_locker(const run_t *run, takt_entity_t *entity) {
    return is_running(run, entity) && (entity->task == NULL || entity->task->extension != NULL);
}

/* A job that holds or waits for a resource neither suspends nor yields in between. */
static bool may_stop(takt_entity_t *entity) { return entity->task == NULL || !is_locking(entity); }

static bool is_running_free(const run_t *run, takt_entity_t *entity) {
    return is_running(run, entity) && may_stop(entity);
}

static bool is_running_extended_free(const run_t *run, takt_entity_t *entity) {
    return is_running_job(run, entity) && entity->task->extension != NULL && may_stop(entity);
}

static bool is_external(const run_t *run, takt_entity_t *entity) {
    (void)run;
    return entity->task != NULL && !takt_task_is_periodic(entity->task);
}

static bool holds_among_servers(takt_entity_t *entity) {
    bool is_shared = false;
    for (const takt_resource_t *held = last_locked_by(entity); held != NULL; held = held->outer) {
        is_shared = is_shared || held->kind->scope == TAKT_SCOPE_SERVERS;
    }
    return is_shared;
}

/* A job that waits for a resource does not block, nor one that holds a resource that servers share. */
static bool may_block(const run_t *run, takt_entity_t *entity) {
    (void)run;
    const bool is_held_back = !may_stop(entity) && (wanted_by(entity) != NULL || holds_among_servers(entity));
    return takt_entity_is_ready(entity) && !is_held_back;
}

/* A thread is not ready until it is woken for the first time. */
static bool is_to_be_woken(const run_t *run, takt_entity_t *entity) {
    return !takt_entity_is_ready(entity) && is_blocked(run, entity);
}

static bool is_waiting(const run_t *run, takt_entity_t *entity) {
    (void)run;
    return wanted_by(entity) != NULL;
}

/* Jobs have other keys than levels where keys order. */
static bool may_change_level(const run_t *run, takt_entity_t *entity) {
    (void)run;
    return entity->task == NULL || entity->parent->ready.order == TAKT_ORDER_LEVELS;
}

static takt_instant_t read_past(run_t *run, takt_entity_t *entity) {
    const takt_duration_t late = (uint64_t)input_below(&run->input, 4) << run->description.scale;
    (void)entity;
    return run->now > late ? run->now - late : 0;
}

static takt_instant_t read_future(run_t *run, takt_entity_t *entity) {
    (void)entity;
    return run->now + ((uint64_t)input_below(&run->input, 16) << run->description.scale);
}

/* The bit of `entity` among the users of a resource. */
static uint32_t user_of(const run_t *run, const takt_entity_t *entity) {
    const uint32_t index = takt_entity_number(entity) - 1u - run->system.server_count;
    return entity->task != NULL ? index : FUZZ_TASKS + index - run->system.task_count;
}

/* Whether the level of `entity`, which may have changed, is not above the ceiling of `resource`. */
static bool is_below_ceiling(takt_entity_t *entity, const takt_resource_t *resource) {
    return resource->protocol < TAKT_PROTOCOL_PCP || level_of(entity) >= resource->ceiling;
}

/* A resource that it may lock and does not hold; TAKT_NEVER if there is none. */
static takt_instant_t read_lockable(run_t *run, takt_entity_t *entity) {
    const uint32_t user = user_of(run, entity);
    const uint32_t first = input_byte(&run->input);
    for (uint32_t i = 0; i < run->system.resource_count; i++) {
        const uint32_t number = (first + i) % run->system.resource_count;
        const takt_resource_t *resource = &run->system.resources[number];
        const bool is_user = fuzz_system_may_lock(&run->description, user, number);
        if (is_user && resource->holder != entity && is_below_ceiling(entity, resource)) {
            return number;
        }
    }
    return TAKT_NEVER;
}

static takt_instant_t find_last_locked(run_t *run, takt_entity_t *entity) {
    const takt_resource_t *held = last_locked_by(entity);
    (void)run;
    return held != NULL ? held->number : TAKT_NEVER;
}

/* A level that the parent of `entity` has; where keys order, any. */
static takt_instant_t read_new_level(run_t *run, takt_entity_t *entity) {
    const takt_server_t *parent = entity->parent;
    const takt_system_spec_t *spec = &run->description.spec;
    const uint32_t levels = takt_server_is_root(parent)
                                ? spec->levels
                                : spec->servers[parent - (const takt_server_t *)run->system.servers].levels;
    return 1u + input_below(&run->input, levels);
}

typedef struct event_row {
    takt_event_kind_t kind;
    bool (*is_legal)(const run_t *run, takt_entity_t *entity);
    takt_instant_t (*read_nominal)(run_t *run, takt_entity_t *entity); /* TAKT_NEVER: no event */
    bool accounts;                                                     /* for the time since the last call */
    bool ends_running; /* its entity does not continue without another decision */
} event_row_t;

static const event_row_t events[] = {
    {TAKT_EVENT_COMPLETE, is_running_job, read_past, true, true},
    {TAKT_EVENT_BLOCK, may_block, read_past, true, true},
    {TAKT_EVENT_WAKE, is_to_be_woken, read_past, true, false},
    {TAKT_EVENT_YIELD, is_running_free, read_past, true, true},
    {TAKT_EVENT_POINT, is_running_limited, read_past, true, true},
    {TAKT_EVENT_OPTIONAL_POINT, is_running_limited, read_past, true, false},
    {TAKT_EVENT_SUSPEND, is_running_extended_free, read_future, true, true},
    {TAKT_EVENT_ARRIVAL, is_external, read_past, false, false},
    {TAKT_EVENT_WITHDRAW, is_waiting, read_past, true, false},
    {TAKT_EVENT_PRIORITY, may_change_level, read_new_level, true, true},
    {TAKT_EVENT_UNLOCK, is_running_locker, find_last_locked, true, false}, /* the last two: sections */
    {TAKT_EVENT_LOCK, is_running_locker, read_lockable, true, false},
};

enum { EVENTS = sizeof events / sizeof events[0], STOP = 1, START = 2, WITHDRAWAL = 8 };

/* What the event says of the entity, in the words of this file. */
static void note_event(run_t *run, const event_row_t *row, takt_entity_t *entity) {
    run->posts++;
    if (row->kind == TAKT_EVENT_BLOCK || row->kind == TAKT_EVENT_WAKE) {
        run->is_blocked[takt_entity_number(entity)] = row->kind == TAKT_EVENT_BLOCK;
        run->blocked_job[takt_entity_number(entity)] = job_number(entity);
    }
    run->have_levels_changed |= row->kind == TAKT_EVENT_PRIORITY;
    run->has_holder_blocked |= row->kind == TAKT_EVENT_BLOCK && is_locking(entity);
    const bool is_refused = row->kind == TAKT_EVENT_LOCK && wanted_by(entity) != NULL;
    if ((row->ends_running || is_refused) && entity == run->running) {
        run->running = NULL;
    }
}

/* Whether the limited job that runs should yield is as of the last look. */
static void check_flag(run_t *run, takt_entity_t *chosen) {
    const bool is_limited = chosen != NULL && (chosen->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
    HOLDS(!is_limited || run->system.cpus->should_yield == somebody_is_more_urgent(&run->system, chosen));
}

static bool has_room(run_t *run, const takt_entity_t *entity) {
    const uint32_t index = takt_entity_number(entity) - 1u - run->system.server_count;
    return entity->task == NULL || takt_task_is_periodic(entity->task) ||
           takt_system_reserve(&run->system, index);
}

/* A thread that locks hands in where it waits. */
static void hand_in_wait(run_t *run, takt_entity_t *entity) {
    if (entity->task == NULL) {
        run->waits[takt_entity_number(entity)] = (takt_lock_wait_t){.wanted = NULL};
        takt_plain_of(entity)->wait = &run->waits[takt_entity_number(entity)];
    }
}

static void post(run_t *run, const event_row_t *row, takt_entity_t *entity) {
    takt_event_t event = {row->kind, entity, run->now, {row->read_nominal(run, entity)}};
    if (event.nominal == TAKT_NEVER) {
        return;
    }
    if (takt_event_is_lock(&event)) {
        event.resource = &run->system.resources[event.nominal];
    }
    if (row->kind == TAKT_EVENT_LOCK) {
        hand_in_wait(run, entity);
    }
    if (row->accounts) {
        charge_picture(run);
    }
    takt_dispatcher_post(run->system.dispatcher, &event);
    note_event(run, row, entity);
    check_changes(run, row->kind == TAKT_EVENT_COMPLETE);
    if (row->kind == TAKT_EVENT_POINT || row->kind == TAKT_EVENT_OPTIONAL_POINT) {
        check_flag(run, entity);
    }
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* The running entity, or any. */
static takt_entity_t *read_entity(run_t *run) {
    if (input_below(&run->input, 2) == 0) {
        return run->running;
    }
    return takt_system_entity(&run->system, input_below(&run->input, FUZZ_ENTITIES));
}

static void post_if_legal(run_t *run, const event_row_t *row, takt_entity_t *entity) {
    if (entity != NULL && !takt_entity_is_server(entity) && row->is_legal(run, entity) &&
        has_room(run, entity)) {
        post(run, row, entity);
    }
}

static void call_post(run_t *run) {
    const event_row_t *row = &events[input_below(&run->input, EVENTS)];
    post_if_legal(run, row, read_entity(run));
}

/* The running one locks or unlocks: cycles need many of these. */
static void call_lock_or_unlock(run_t *run) {
    post_if_legal(run, &events[EVENTS - 1u - input_below(&run->input, 4) / 3u], run->running);
}

/* A thread that waits for a resource withdraws or is stopped, another one stops or goes on: waiting chains need many of
 * these. */
static void call_thread(run_t *run) {
    const uint32_t choice = input_byte(&run->input);
    if (run->system.thread_count > 0) {
        takt_entity_t *entity = &run->system.threads[choice % run->system.thread_count].entity;
        const bool withdraws = wanted_by(entity) != NULL && choice >= 128;
        const bool stops = takt_entity_is_ready(entity);
        post_if_legal(run, &events[withdraws ? WITHDRAWAL : stops ? STOP : START], entity);
    }
}

static void check_all(run_t *run) {
    check_invariants(&run->system, &run->description.spec, run->now, run->have_levels_changed);
}

static bool step(run_t *run) {
    take_picture(run);
    charge_picture(run);
    takt_dispatcher_step(run->system.dispatcher, run->now);
    check_changes(run, 1);
    return takt_dispatcher_is_due(run->system.dispatcher, run->now);
}

static void call_step(run_t *run) {
    if (!step(run)) {
        check_nothing_due(&run->system, &run->description.spec, run->now);
    }
}

static void call_steps(run_t *run) {
    uint32_t steps = 1;
    while (step(run)) {
        HOLDS(steps < STEP_LIMIT);
        check_all(run);
        steps++;
    }
    check_nothing_due(&run->system, &run->description.spec, run->now);
}

/* An equal never displaces the running one: another is chosen only if more urgent where their ways part. What is
 * locked there may keep the most urgent one from running, and an idling server has nothing to lose. */
static void check_displacement(const run_t *run, takt_entity_t *before, takt_entity_t *after) {
    const takt_server_t *parent = &run->system.dispatcher->root;
    const takt_entity_t *left = member_on_the_way(parent, before);
    takt_entity_t *taken = member_on_the_way(parent, after);
    while (left == taken && taken != before && taken != after) {
        parent = takt_server_of(taken);
        left = member_on_the_way(parent, before);
        taken = member_on_the_way(parent, after);
    }
    HOLDS(left == taken || parent->locked != NULL || goes_first(parent, taken, left));
}

/* Not one that runs instead of another. */
static bool is_best_of_its_parent(const takt_entity_t *entity) {
    return takt_ready_best(&entity->parent->ready) == entity;
}

static void call_take(run_t *run) {
    const bool goes_on = run->running != NULL && is_running(run, run->running);
    takt_entity_t *before = goes_on ? run->running : NULL;
    const takt_entity_t *seen = takt_dispatcher_peek(run->system.dispatcher);
    const takt_entity_t *best = takt_dispatcher_choose(run->system.dispatcher, run->now);
    const takt_decision_t decision = takt_dispatcher_take(run->system.dispatcher, run->now, 0);
    run->takes++;
    check_changes(run, 0);
    check_decision(&run->system, &decision, run->now);
    check_flag(run, decision.entity);
    HOLDS(decision.entity == best && best == seen && decision.cpu == 0 && decision.sequence == run->posts);
    if (before != NULL && run->keeps_its_place) {
        HOLDS(decision.entity != NULL);
        check_displacement(run, before, decision.entity);
    }
    run->until = decision.until;
    run->running = decision.entity;
    run->running_job = decision.entity != NULL ? job_number(decision.entity) : 0u;
    run->keeps_its_place = decision.entity == NULL || is_best_of_its_parent(decision.entity);
}

static void call_nothing_until_due(run_t *run) {
    const bool is_far = run->until > run->now + ((takt_duration_t)64 << run->description.scale);
    run->now = run->until > run->now && !is_far ? run->until : run->now;
}

static void call_nothing_for_some_time(run_t *run) {
    const takt_duration_t units = input_below(&run->input, 16);
    run->now += (units << run->description.scale) + input_below(&run->input, 2);
}

/* The last row is what a good platform does at an instant. */
static void call_steps_and_take(run_t *run) {
    call_steps(run);
    take_picture(run);
    call_take(run);
}

static void (*const calls[])(run_t *) = {
    call_post,
    call_post,
    call_step,
    call_steps,
    call_take,
    call_nothing_until_due,
    call_nothing_for_some_time,
    call_steps_and_take,
    call_lock_or_unlock,
    call_lock_or_unlock,
    call_thread,
    call_thread,
    call_steps_and_take,
};

enum { CALLS = sizeof calls / sizeof calls[0] };

/* No thread is ready before it is woken. */
static void block_threads(run_t *run) {
    for (uint32_t i = 0; i < run->system.thread_count; i++) {
        run->is_blocked[takt_entity_number(&run->system.threads[i].entity)] = true;
    }
}

static void drive(run_t *run) {
    takt_dispatcher_record_to(run->system.dispatcher, &trace);
    block_threads(run);
    check_all(run);
    for (uint32_t i = 0; i < CALL_LIMIT && run->input.left > 0; i++) {
        take_picture(run);
        calls[input_below(&run->input, CALLS)](run);
        check_who_is_ready(run);
        check_records(run);
        check_all(run);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static run_t run;
    memset(&run, 0, sizeof run);
    record_count = 0;
    run.input = (input_t){data, size};
    fuzz_system_read(&run.description, &run.input, SCALES);
    if (!takt_system_create(&run.system, &run.description.spec)) {
        return 0;
    }
    drive(&run);
    check_replay(&run);
    takt_system_destroy(&run.system);
    return 0;
}
