/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A peek names the entity that a take names at the same instant, and writes nothing, whatever is locked, has left the
 * ready set, has no budget or has started. Between random events the memory of a system is kept, so that every peek is compared with a take that is
 * undone afterwards. A twin, fed the same events and never peeked at, decides alike to the end.
 *
 * It fails, or does not end, if core/peek.c leaves out one of: ceilings, ceilings of holders that have left the ready
 * set, entities that leave it before or with another one, cycles, resources without inheritance, awaited budgets, servers without a
 * child that can run, servers that idle, servers that bar others. */
#include "core/peek.h"

#include <string.h>

#include "core/waiting.h"
#include "system/fits.h"
#include "tests/fuzz/system_input.h"

#include "check.h"
#include "random_system.h"

enum { SEQUENCES = 4000, LOOKS = 80, INPUT_BYTES = 400 };

/* A system, and its memory as it was. */
typedef struct kept {
    takt_system_t system;
    takt_system_t before;
    char *bytes;
} kept_t;

/* What the peeks have met, so that none of it can get lost. */
static struct {
    uint64_t locked, blocked, none_beside_blocked, stand_ins, servers_idle, servers_left, budgets, started;
} seen;

static kept_t one;
static takt_system_t twin;
static takt_instant_t now;

/* ---- memory ------------------------------------------------------------------------------------------ */

static void make(const takt_system_spec_t *spec) {
    CHECK(takt_system_create(&one.system, spec) && takt_system_create(&twin, spec));
    one.bytes = malloc((size_t)one.system.bytes);
    CHECK(one.bytes != NULL);
    now = 0;
}

static void destroy(void) {
    free(one.bytes);
    takt_system_destroy(&one.system);
    takt_system_destroy(&twin);
}

static void keep(void) {
    one.before = one.system;
    memcpy(one.bytes, one.system.memory, (size_t)one.system.bytes);
}

static bool is_as_kept(void) {
    return memcmp(&one.before, &one.system, sizeof one.system) == 0 &&
           memcmp(one.bytes, one.system.memory, (size_t)one.system.bytes) == 0;
}

static void bring_back(void) {
    one.system = one.before;
    memcpy(one.system.memory, one.bytes, (size_t)one.system.bytes);
}

/* ---- events ------------------------------------------------------------------------------------------ */

static const takt_event_kind_t kinds[] = {
    TAKT_EVENT_COMPLETE, TAKT_EVENT_BLOCK,          TAKT_EVENT_WAKE,    TAKT_EVENT_YIELD,
    TAKT_EVENT_POINT,    TAKT_EVENT_OPTIONAL_POINT, TAKT_EVENT_SUSPEND, TAKT_EVENT_ARRIVAL,
    TAKT_EVENT_WITHDRAW, TAKT_EVENT_PRIORITY,       TAKT_EVENT_CREATE,  TAKT_EVENT_LOCK,
    TAKT_EVENT_UNLOCK,   TAKT_EVENT_ENTER,
};

/* The number of the resource that the running entity has locked last, or one that does not exist. */
static uint64_t last_locked(void) {
    takt_entity_t *running = one.system.cpus->running;
    const bool may_lock = running != NULL && !takt_entity_is_server(running) &&
                          (running->task == NULL || running->task->extension != NULL);
    const takt_resource_t *held = may_lock ? *takt_waiting_held_by(running) : NULL;
    return held != NULL ? held->number : FUZZ_RESOURCES;
}

static uint64_t random_value(takt_event_kind_t kind) {
    if (kind == TAKT_EVENT_LOCK) {
        return check_below(FUZZ_RESOURCES);
    }
    if (kind == TAKT_EVENT_UNLOCK) {
        return last_locked();
    }
    if (kind == TAKT_EVENT_PRIORITY || kind == TAKT_EVENT_CREATE) {
        return 1 + check_below(4);
    }
    return kind == TAKT_EVENT_SUSPEND ? now + check_below(16) : now - (now > 0 ? check_below(2) : 0);
}

static uint32_t random_number(void) {
    return 1u +
           (uint32_t)check_below(one.system.server_count + one.system.task_count + one.system.thread_count);
}

static uint32_t number_of(const takt_entity_t *entity) {
    return entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY;
}

static void post(takt_system_t *system, uint32_t number, takt_event_kind_t kind, uint64_t value) {
    takt_event_t event = {kind, NULL, now, {value}};
    CHECK(takt_event_of_numbers(system, number, &event) && takt_fits(system, &event));
    takt_event_give_wait(system, &event);
    takt_dispatcher_post(system->dispatcher, &event);
}

/* Posts an event to both, if it fits. */
static void try(uint32_t number, takt_event_kind_t kind) {
    const uint64_t value = random_value(kind);
    takt_event_t event = {kind, NULL, now, {value}};
    if (takt_event_of_numbers(&one.system, number, &event) && takt_fits(&one.system, &event) &&
        (kind != TAKT_EVENT_ARRIVAL || takt_task_has_room(event.entity->task))) {
        post(&one.system, number, kind, value);
        post(&twin, number, kind, value);
    }
}

static void stop_or_wake(const takt_entity_t *entity) {
    try(takt_entity_number(entity), takt_entity_is_ready(entity) ? TAKT_EVENT_BLOCK : TAKT_EVENT_WAKE);
}

/* A thread blocks, whatever it holds, or another one wakes; likewise a job. */
static void try_to_stop(void) {
    if (one.system.thread_count > 0) {
        stop_or_wake(&one.system.threads[check_below(one.system.thread_count)].entity);
    }
    if (check_below(2) == 0) {
        stop_or_wake(one.system.tasks[check_below(one.system.task_count)].entity);
    }
}

static void try_any(void) {
    static const takt_event_kind_t of_running[] = {TAKT_EVENT_LOCK, TAKT_EVENT_LOCK, TAKT_EVENT_LOCK,
                                                   TAKT_EVENT_UNLOCK, TAKT_EVENT_COMPLETE};
    const uint64_t choice = check_below(10);
    if (choice < 5) {
        try(number_of(one.system.cpus->running), of_running[choice]);
    } else if (choice < 7) {
        try_to_stop();
    } else if (choice == 7) {
        try(random_number(), TAKT_EVENT_PRIORITY);
    } else {
        try(choice == 8 ? number_of(one.system.cpus->running) : random_number(),
            kinds[check_below(sizeof kinds / sizeof kinds[0])]);
    }
}

/* ---- peeks ------------------------------------------------------------------------------------------- */

/* True if a server that was ready has left its parent in the take. */
static bool has_server_left(void) {
    bool has_left = false;
    for (uint32_t i = 0; i < one.system.server_count; i++) {
        const size_t at = (size_t)((char *)&one.system.servers[i] - one.system.memory);
        const takt_server_t *before = (const takt_server_t *)(const void *)(one.bytes + at);
        has_left |=
            takt_entity_is_ready(&before->entity) && !takt_entity_is_ready(&one.system.servers[i].entity);
    }
    return has_left;
}

/* Counts what this take, of `entity`, has met. */
static void note(uint32_t removals, takt_entity_t *entity) {
    const bool has_blocked = one.system.dispatcher->blocked_removals != removals;
    seen.blocked += has_blocked;
    seen.none_beside_blocked += has_blocked && entity == NULL;
    seen.servers_left += has_server_left();
    seen.locked += one.system.dispatcher->root.locked != NULL;
    seen.servers_idle += entity != NULL && takt_entity_is_server(entity);
    seen.stand_ins += entity != NULL && takt_ready_best(&entity->parent->ready) != entity;
    seen.started += entity != NULL && (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
    seen.budgets += entity != NULL && (entity->attributes & TAKT_ATTRIBUTES_CHARGED) != 0;
}

/* Compares a peek with a take; `now` may be later than the last step. */
static void peek(void) {
    takt_dispatcher_t *dispatcher = one.system.dispatcher;
    keep();
    const uint32_t removals = dispatcher->blocked_removals;
    const takt_entity_t *entity = takt_dispatcher_peek(dispatcher);
    const takt_instant_t next = takt_dispatcher_next(dispatcher);
    CHECK(is_as_kept());
    CHECK(next <= takt_timers_next(&dispatcher->root.timers));
    const takt_decision_t decision = takt_dispatcher_take(dispatcher, now, 0);
    CHECK(number_of(entity) == number_of(decision.entity));
    CHECK(takt_dispatcher_next(dispatcher) == decision.until);
    note(removals, decision.entity);
    bring_back();
}

static void take_both(void) {
    const takt_decision_t decision = takt_dispatcher_take(one.system.dispatcher, now, 0);
    const takt_decision_t other = takt_dispatcher_take(twin.dispatcher, now, 0);
    CHECK(number_of(decision.entity) == number_of(other.entity));
    CHECK(decision.until == other.until && decision.sequence == other.sequence);
}

static void settle_both(void) {
    takt_dispatcher_settle(one.system.dispatcher, now);
    takt_dispatcher_settle(twin.dispatcher, now);
}

/* Some events, and a peek after each; a step between them and the peek, or none. */
static void drive(void) {
    for (uint32_t i = 0; i < LOOKS; i++) {
        now += check_below(2) == 0 ? check_below(8) : 0;
        settle_both();
        peek();
        if (check_below(3) != 0) {
            take_both();
        }
        for (uint64_t events = check_below(3); events > 0; events--) {
            try_any();
            peek();
        }
    }
}

/* ---- systems ----------------------------------------------------------------------------------------- */

static fuzz_system_t any;

/* Policies with levels, so that all protocols go with them. */
static const takt_policy_t *policy_with_levels(void) {
    static const takt_policy_t *const policies[] = {&takt_policy_fp, &takt_policy_fp, &takt_policy_edf,
                                                    &takt_policy_dm};
    return policies[check_below(4)];
}

/* Tasks of few levels, all of which lock and most of whose jobs arrive as events. */
static void make_tasks_alike(int32_t servers) {
    for (uint32_t i = 0; i < any.spec.task_count; i++) {
        takt_task_spec_t *task = &any.tasks[i];
        task->level = 1 + (uint32_t)check_below(RANDOM_LEVELS);
        task->relative_deadline = 1 + check_below(20);
        task->server = (int32_t)check_below(1 + (uint64_t)servers) - 1;
        task->preemption_key = 0;
        task->locks = true;
        task->is_external = check_below(3) != 0;
    }
    for (uint32_t i = 0; i < any.spec.thread_count; i++) {
        any.threads[i].level = 1 + (uint32_t)check_below(RANDOM_LEVELS);
    }
}

static takt_key_t ceiling_under(const takt_policy_t *policy) {
    return 1 + check_below(policy->order == TAKT_ORDER_LEVELS ? RANDOM_LEVELS - 1 : 12);
}

static takt_server_spec_t sharing_server(int32_t parent) {
    const takt_duration_t period = 8 + check_below(20);
    return (takt_server_spec_t){.kind = check_below(4) ? &takt_server_deferrable : &takt_server_idling,
                                .policy = policy_with_levels(),
                                .period = period,
                                .capacity = period / 2 + check_below(period / 2),
                                .level = 1 + (uint32_t)check_below(RANDOM_LEVELS),
                                .parent = parent,
                                .levels = 40,
                                .time_rows = 4};
}

/* The first two servers share the first resource; the last resource is of one of them alone. */
static void share(void) {
    static const takt_protocol_t protocols[] = {TAKT_PROTOCOL_SIRAP, TAKT_PROTOCOL_GLOBAL_SRP,
                                                TAKT_PROTOCOL_HSRP, TAKT_PROTOCOL_HSRP_PAYBACK};
    const takt_protocol_t protocol = protocols[check_below(6) % 4];
    any.spec.policy = policy_with_levels();
    any.spec.levels = RANDOM_LEVELS;
    any.spec.server_count = FUZZ_SERVERS;
    any.spec.resource_count = protocol == TAKT_PROTOCOL_SIRAP ? FUZZ_RESOURCES - 1 : FUZZ_RESOURCES;
    for (uint32_t i = 0; i < FUZZ_SERVERS; i++) {
        any.servers[i] = sharing_server(i < 2 ? TAKT_ROOT : (int32_t)check_below(3) - 1);
    }
    any.resources[0] = (takt_resource_spec_t){
        .protocol = protocol, .ceiling = ceiling_under(any.spec.policy), .server = TAKT_ROOT};
    for (uint32_t i = 1; i < FUZZ_RESOURCES; i++) {
        const uint32_t server = i < 3 ? i - 1u : (uint32_t)check_below(2);
        const takt_duration_t capacity = any.servers[server].capacity;
        any.resources[i] = (takt_resource_spec_t){.protocol = i < 3 ? protocol : TAKT_PROTOCOL_SRP,
                                                  .ceiling = ceiling_under(any.servers[server].policy),
                                                  .server = (int32_t)server,
                                                  .is_shared = i < 3,
                                                  .longest = 1 + capacity / 2 + check_below(capacity / 2)};
    }
    make_tasks_alike(FUZZ_SERVERS);
}

/* Puts threads into servers that levels order, as a kernel may. */
static void move_threads(takt_system_t *system) {
    for (uint32_t i = 0; i < system->thread_count && system->server_count > 0; i++) {
        takt_server_t *server = &system->servers[i % 2u % system->server_count];
        takt_plain_t *thread = &system->threads[i];
        if (server->ready.order == TAKT_ORDER_LEVELS) {
            takt_dispatcher_add_thread(thread, server, thread->entity.level,
                                       takt_entity_number(&thread->entity));
        }
    }
}

/* Puts all at the root. */
static void crowd(void) {
    static const takt_protocol_t protocols[] = {TAKT_PROTOCOL_PCP, TAKT_PROTOCOL_SRP, TAKT_PROTOCOL_SRP};
    const uint64_t choice = check_below(6);
    any.spec.policy = policy_with_levels();
    any.spec.levels = RANDOM_LEVELS;
    any.spec.server_count = 0;
    any.spec.resource_count = FUZZ_RESOURCES;
    any.spec.thread_count = FUZZ_THREADS;
    for (uint32_t i = 0; i < FUZZ_RESOURCES; i++) {
        any.resources[i] = (takt_resource_spec_t){
            .protocol = choice < 3 ? protocols[choice] : random_protocol(TAKT_PROTOCOL_NONE),
            .ceiling = ceiling_under(any.spec.policy),
            .server = TAKT_ROOT};
    }
    make_tasks_alike(0);
}

static void peek_at_any_system(void) {
    uint8_t bytes[INPUT_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    memset(&any, 0, sizeof any);
    fuzz_system_read(&any, &(input_t){bytes, sizeof bytes}, 1);
    const uint64_t choice = check_below(3);
    if (choice == 0) {
        share();
    } else if (choice == 1) {
        crowd();
    }
    make(&any.spec);
    if (choice == 0 && check_below(2) == 0) {
        move_threads(&one.system);
        move_threads(&twin);
    }
    drive();
    destroy();
}

static void peek_at_random_system(void) {
    static random_system_t drawn;
    memset(&drawn, 0, sizeof drawn);
    random_system_make(&drawn);
    make(&drawn.spec);
    drive();
    destroy();
}

static void peek_at_systems(void) {
    peek_at_random_system();
    peek_at_any_system();
}

/* ---- what random events meet too rarely ---------------------------------------------------------------- */

static takt_entity_t *task(uint32_t i) { return takt_system_entity_of(&one.system, i); }

static takt_entity_t *thread(uint32_t i) { return &one.system.threads[i].entity; }

static void tell(takt_event_kind_t kind, const takt_entity_t *entity, uint64_t value) {
    post(&one.system, takt_entity_number(entity), kind, value);
}

static void take(const takt_entity_t *expected) {
    CHECK(takt_dispatcher_take(one.system.dispatcher, now, 0).entity == expected);
}

/* A peek finds `expected`, and so does a take. */
static void peek_for(const takt_entity_t *expected) {
    CHECK(takt_dispatcher_peek(one.system.dispatcher) == expected);
    take(expected);
}

/* A job at `now` that locks, as an event; relative deadlines are levels under edf. */
static takt_task_spec_t job_of(takt_duration_t deadline, int32_t server) {
    return (takt_task_spec_t){.relative_deadline = deadline,
                              .wcet = 1,
                              .level = 1,
                              .server = server,
                              .locks = true,
                              .is_external = true};
}

static void arrive(uint32_t i) {
    tell(TAKT_EVENT_ARRIVAL, task(i), now);
    takt_dispatcher_settle(one.system.dispatcher, now);
}

/* A thread locks `resource` and blocks. */
static void hold_and_block(const takt_entity_t *holder, uint32_t resource) {
    tell(TAKT_EVENT_WAKE, holder, now);
    take(holder);
    tell(TAKT_EVENT_LOCK, holder, resource);
    tell(TAKT_EVENT_BLOCK, holder, now);
}

/* Task 1 waits for thread 0, as task 0 does, which takes it along, since it holds a resource whose ceiling bars task 0.
 * So it is not its turn any more, at which thread 1 would run, but that of task 2. */
static void a_holder_that_is_out_has_no_turn(void) {
    const takt_task_spec_t tasks[] = {job_of(5, TAKT_ROOT), job_of(20, TAKT_ROOT), job_of(5, TAKT_ROOT)};
    static const takt_thread_spec_t threads[] = {{.level = 1}, {.level = 1}};
    static const takt_resource_spec_t resources[] = {
        {.protocol = TAKT_PROTOCOL_SRP, .ceiling = 5, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_SRP, .ceiling = 5, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_SRP, .ceiling = 10, .server = TAKT_ROOT}};
    make(&(takt_system_spec_t){.policy = &takt_policy_edf,
                               .levels = 1,
                               .time_rows = 4,
                               .tasks = tasks,
                               .task_count = 3,
                               .threads = threads,
                               .thread_count = 2,
                               .resources = resources,
                               .resource_count = 3});
    hold_and_block(thread(0), 0);
    hold_and_block(thread(1), 2);
    arrive(0);
    take(task(0));
    tell(TAKT_EVENT_LOCK, task(0), 0);
    take(NULL);
    arrive(1);
    take(task(1));
    tell(TAKT_EVENT_LOCK, task(1), 1);
    tell(TAKT_EVENT_LOCK, task(1), 0);
    tell(TAKT_EVENT_WAKE, thread(0), now);
    tell(TAKT_EVENT_BLOCK, thread(0), now);
    tell(TAKT_EVENT_WAKE, thread(1), now);
    now = 16;
    arrive(2);
    peek_for(task(2));
    destroy();
}

/* Threads 0 and 1 wait for thread 2, by its ceiling; when that unlocks, each waits for the other one. */
static void a_cycle_that_an_unlock_closes(void) {
    static const takt_thread_spec_t threads[] = {{.level = 5}, {.level = 4}, {.level = 2}};
    static const takt_resource_spec_t resources[] = {
        {.protocol = TAKT_PROTOCOL_PCP, .ceiling = 5, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_PCP, .ceiling = 4, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_PCP, .ceiling = 2, .server = TAKT_ROOT}};
    const takt_task_spec_t none = job_of(5, TAKT_ROOT);
    make(&(takt_system_spec_t){.policy = &takt_policy_fp,
                               .levels = 5,
                               .time_rows = 4,
                               .tasks = &none,
                               .task_count = 1,
                               .threads = threads,
                               .thread_count = 3,
                               .resources = resources,
                               .resource_count = 3});
    hold_and_block(thread(0), 0);
    hold_and_block(thread(1), 1);
    hold_and_block(thread(2), 2);
    tell(TAKT_EVENT_WAKE, thread(0), now);
    peek_for(thread(0));
    tell(TAKT_EVENT_LOCK, thread(0), 2);
    tell(TAKT_EVENT_WAKE, thread(1), now);
    peek_for(thread(1));
    tell(TAKT_EVENT_PRIORITY, thread(1), 5);
    tell(TAKT_EVENT_LOCK, thread(1), 0);
    peek_for(NULL);
    tell(TAKT_EVENT_WAKE, thread(2), now);
    peek_for(thread(2));
    tell(TAKT_EVENT_UNLOCK, thread(2), 2);
    tell(TAKT_EVENT_BLOCK, thread(2), now);
    peek_for(NULL);
    destroy();
}

/* The server runs for a job that it bars, and has no child that could run: then none runs, not the job after it. */
static void a_server_that_bars_and_cannot_run(void) {
    static const takt_server_spec_t server = {.kind = &takt_server_deferrable,
                                              .policy = &takt_policy_fp,
                                              .period = 100,
                                              .capacity = 100,
                                              .level = 1,
                                              .parent = TAKT_ROOT,
                                              .levels = 2,
                                              .time_rows = 4};
    const takt_task_spec_t tasks[] = {job_of(1, 0), job_of(60, TAKT_ROOT), job_of(10, TAKT_ROOT)};
    static const takt_thread_spec_t threads[] = {{.level = 2}};
    static const takt_resource_spec_t resources[] = {
        {.protocol = TAKT_PROTOCOL_GLOBAL_SRP, .ceiling = 60, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_GLOBAL_SRP, .ceiling = 1, .server = 0, .is_shared = true},
        {.protocol = TAKT_PROTOCOL_SRP, .ceiling = 1, .server = 0}};
    make(&(takt_system_spec_t){.policy = &takt_policy_edf,
                               .levels = 1,
                               .time_rows = 4,
                               .servers = &server,
                               .server_count = 1,
                               .tasks = tasks,
                               .task_count = 3,
                               .threads = threads,
                               .thread_count = 1,
                               .resources = resources,
                               .resource_count = 3});
    move_threads(&one.system);
    takt_dispatcher_settle(one.system.dispatcher, now);
    hold_and_block(thread(0), 2);
    arrive(0);
    take(task(0));
    tell(TAKT_EVENT_LOCK, task(0), 1);
    tell(TAKT_EVENT_LOCK, task(0), 2);
    arrive(1);
    now = 95;
    arrive(2);
    peek_for(NULL);
    destroy();
}

int main(void) {
    a_holder_that_is_out_has_no_turn();
    a_cycle_that_an_unlock_closes();
    a_server_that_bars_and_cannot_run();
    check_sequences(peek_at_systems, SEQUENCES);
    if (getenv("TAKT_SYSTEMS") == NULL) {
        CHECK(seen.locked > 0 && seen.blocked > 0 && seen.none_beside_blocked > 0 && seen.stand_ins > 0);
        CHECK(seen.servers_idle > 0 && seen.servers_left > 0 && seen.budgets > 0 && seen.started > 0);
    }
    return check_report("test_peek");
}
