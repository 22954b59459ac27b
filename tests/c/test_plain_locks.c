/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plain threads and jobs that share resources: random programs of all that may happen to them, under every protocol;
 * after every event core says what runs, is ready, holds and waits as the model of lock_model.h does. What
 * was recorded is then replayed. */
#include "sim/replay.h"

#include <string.h>

#include "driven.h"
#include "lock_model.h"

enum { TASKS = 2, THREADS = 6, LEVELS = 4, EVENTS = 120, RECORDS = 8192 };

_Static_assert(TASKS + THREADS == MODEL_ACTORS, "the model has a record for each");

static takt_task_spec_t tasks[TASKS];
static takt_thread_spec_t threads[THREADS];
static takt_resource_spec_t resources[MODEL_RESOURCES];
static takt_system_spec_t spec;
static takt_lock_wait_t waits[THREADS];
static model_t model;
static takt_instant_t now;
static int running;

static takt_record_t records[RECORDS];
static uint32_t record_count;
static uint32_t undecided; /* beginnings of traces that end within a decision */

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

static takt_trace_t trace = {.record = keep_record};

/* ---- systems --------------------------------------------------------------------------------------------- */

/* All of one protocol that asks for ceilings of others, or any of the other ones. */
static takt_protocol_t random_protocol(uint32_t kind) {
    static const takt_protocol_t mixed[] = {TAKT_PROTOCOL_NONE, TAKT_PROTOCOL_NPCS, TAKT_PROTOCOL_PIP,
                                            TAKT_PROTOCOL_ICPP};
    return kind < TAKT_PROTOCOL_GLOBAL_SRP ? (takt_protocol_t)kind : mixed[check_below(4)];
}

static void describe_actor(uint32_t a) {
    const int level = 1 + (int)check_below(LEVELS);
    model_actor_t *actor = &model.actor[a];
    *actor = (model_actor_t){.is_task = a < TASKS,
                             .level = level,
                             .key = 10 * level,
                             .wants = MODEL_NOBODY,
                             .cycle = MODEL_NOBODY,
                             .blocked_at = MODEL_NOBODY};
    if (a < TASKS) {
        tasks[a] = (takt_task_spec_t){.relative_deadline = 10u * (uint32_t)level,
                                      .level = (uint32_t)level,
                                      .server = TAKT_ROOT,
                                      .is_external = true,
                                      .locks = true};
    } else {
        threads[a - TASKS].level = (uint32_t)level;
    }
}

static void describe(void) {
    const uint32_t kind = (uint32_t)check_below(TAKT_PROTOCOL_GLOBAL_SRP + 1);
    const bool has_keys = check_below(4) == 0;
    model = (model_t){.has_keys = has_keys, .actors = MODEL_ACTORS, .resources = MODEL_RESOURCES};
    for (uint32_t a = 0; a < MODEL_ACTORS; a++) {
        describe_actor(a);
    }
    for (uint32_t r = 0; r < MODEL_RESOURCES; r++) {
        const takt_protocol_t protocol = random_protocol(kind);
        const uint32_t ceiling = (has_keys ? 10u : 1u) * (1u + (uint32_t)check_below(LEVELS));
        resources[r] = (takt_resource_spec_t){.protocol = protocol, .ceiling = ceiling, .server = TAKT_ROOT};
        model.resource[r] = (model_resource_t){
            .protocol = (model_protocol_t)protocol, .ceiling = (int)ceiling, .holder = MODEL_NOBODY};
    }
    spec = (takt_system_spec_t){.policy = has_keys ? &takt_policy_dm : &takt_policy_fp,
                                .levels = LEVELS,
                                .tasks = tasks,
                                .task_count = TASKS,
                                .threads = threads,
                                .thread_count = THREADS,
                                .resources = resources,
                                .resource_count = MODEL_RESOURCES};
}

static bool is_task(int a) { return a < TASKS; }

static takt_entity_t *entity_of(int a) {
    return is_task(a) ? task_entity((uint32_t)a) : thread_entity((uint32_t)a - TASKS);
}

/* ---- what core says -------------------------------------------------------------------------------------- */

static const takt_resource_t *wanted_by(int a) {
    if (is_task(a)) {
        return driven.tasks[a].extension->wait.wanted;
    }
    const takt_lock_wait_t *wait = driven.threads[a - TASKS].wait;
    return wait != NULL ? wait->wanted : NULL;
}

static void check_actor(int a) {
    const model_actor_t *actor = &model.actor[a];
    CHECK(takt_entity_is_ready(entity_of(a)) == actor->is_ready);
    CHECK(takt_entity_is_locking(entity_of(a)) == model_is_involved(&model, a));
    CHECK(wanted_by(a) == (actor->wants == MODEL_NOBODY ? NULL : &driven.resources[actor->wants]));
    CHECK(model.has_keys || entity_of(a)->key == (takt_key_t)model_force(&model, a) ||
          (is_task(a) && !actor->is_ready));
}

static void check_state(void) {
    for (int a = 0; a < model.actors; a++) {
        check_actor(a);
    }
    for (int r = 0; r < model.resources; r++) {
        const int holder = model.resource[r].holder;
        CHECK(driven.resources[r].holder == (holder == MODEL_NOBODY ? NULL : entity_of(holder)));
    }
}

static void decide(void) {
    const takt_decision_t decision = pass(now);
    running = model_choose(&model);
    CHECK(decision.entity == (running == MODEL_NOBODY ? NULL : entity_of(running)));
    check_state();
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static bool is_running(int a) { return a == running; }

static bool may_lock(int a, int resource) {
    const model_resource_t *it = &model.resource[resource];
    const bool has_ceiling = it->protocol >= MODEL_PCP;
    return is_running(a) && it->holder != a && (!has_ceiling || model_level(&model, a) >= it->ceiling);
}

static bool try_lock(int a) {
    const int resource = (int)check_below(MODEL_RESOURCES);
    if (!may_lock(a, resource)) {
        return false;
    }
    if (!is_task(a)) {
        waits[a - TASKS] = (takt_lock_wait_t){.wanted = NULL};
        driven.threads[a - TASKS].wait = &waits[a - TASKS];
    }
    tell_lock(TAKT_EVENT_LOCK, entity_of(a), now, (uint32_t)resource);
    model_lock(&model, a, resource);
    return true;
}

static bool try_unlock(int a) {
    const int resource = is_running(a) ? model_last_locked(&model, a) : MODEL_NOBODY;
    if (resource == MODEL_NOBODY) {
        return false;
    }
    tell_lock(TAKT_EVENT_UNLOCK, entity_of(a), now, (uint32_t)resource);
    model_unlock(&model, a);
    return true;
}

/* One that runs, or that another one stops, whatever it waits for. */
static bool try_block(int a) {
    if (is_task(a) || !model.actor[a].is_ready || (!is_running(a) && check_below(3) != 0)) {
        return false;
    }
    tell(TAKT_EVENT_BLOCK, entity_of(a), now);
    model_block(&model, a);
    return true;
}

static bool try_wake(int a) {
    if (is_task(a) || model.actor[a].is_ready || model.actor[a].is_out) {
        return false;
    }
    tell(TAKT_EVENT_WAKE, entity_of(a), now);
    model_wake(&model, a);
    return true;
}

static bool try_yield(int a) {
    if (!is_running(a) || (is_task(a) && model_is_involved(&model, a))) {
        return false;
    }
    tell(TAKT_EVENT_YIELD, entity_of(a), now);
    model_yield(&model, a);
    return true;
}

static bool try_withdraw(int a) {
    if (model.actor[a].wants == MODEL_NOBODY) {
        return false;
    }
    tell(TAKT_EVENT_WITHDRAW, entity_of(a), now);
    model_withdraw(&model, a);
    return true;
}

static bool try_priority(int a) {
    const int level = 1 + (int)check_below(LEVELS);
    if (is_task(a) && model.has_keys) {
        return false;
    }
    tell_of(TAKT_EVENT_PRIORITY, entity_of(a), now, (takt_instant_t)level);
    model_change_level(&model, a, level);
    return true;
}

static bool try_job(int a) {
    if (!is_task(a)) {
        return false;
    }
    if (is_running(a)) {
        tell(TAKT_EVENT_COMPLETE, entity_of(a), now);
        model_complete(&model, a);
        return true;
    }
    if (takt_task_is_active(&driven.tasks[a])) {
        return false;
    }
    CHECK(takt_system_reserve(&driven, (uint32_t)a));
    tell(TAKT_EVENT_ARRIVAL, entity_of(a), now);
    takt_dispatcher_step(driven.dispatcher, now);
    CHECK(!takt_dispatcher_is_due(driven.dispatcher, now));
    model_arrive(&model, a);
    return true;
}

typedef bool (*try_t)(int actor);

/* Events are likelier that bring something about. */
static bool try_something(int a) {
    static const try_t tries[] = {try_lock,  try_lock, try_lock,     try_lock,     try_unlock, try_block,
                                  try_yield, try_wake, try_withdraw, try_priority, try_job};
    return tries[check_below(sizeof tries / sizeof tries[0])](a);
}

/* Half of what happens, the running one does. */
static int random_actor(void) {
    const bool is_own = running != MODEL_NOBODY && check_below(2) == 0;
    return is_own ? running : (int)check_below(MODEL_ACTORS);
}

/* Several events may come before it is decided; the one that ran does nothing after one of its own. */
static void do_something(void) {
    while (!try_something(random_actor())) {
    }
    now += check_below(2);
    if (check_below(4) != 0) {
        decide();
    } else {
        running = MODEL_NOBODY;
    }
}

static takt_replay_result_t replay(const takt_record_t *of, uint64_t count) {
    destroy_driven();
    make_driven(&spec);
    return takt_replay(&driven, of, count);
}

static void check_replay(void) { CHECK(replay(records, record_count).verdict == TAKT_REPLAY_IDENTICAL); }

/* The beginning of a trace is replayed alike whether its memory ends there or other records follow. Without the decision
 * that refused resources before, a refusal at the end is different from nothing. */
static void check_beginning(uint32_t count) {
    takt_record_t *alone = malloc(count * sizeof *alone);
    CHECK(alone != NULL);
    memcpy(alone, records, count * sizeof *alone);
    const takt_replay_result_t result = replay(alone, count), before_others = replay(records, count);
    CHECK(result.verdict == before_others.verdict && result.decisions == before_others.decisions);
    CHECK(result.record == before_others.record && result.record < count);
    CHECK(result.verdict != TAKT_REPLAY_INVALID);
    undecided += result.verdict == TAKT_REPLAY_DIFFERENT;
    free(alone);
}

static uint32_t count_of(takt_record_kind_t kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        count += records[i].kind == kind;
    }
    return count;
}

static void core_decides_as_the_model_does(void) {
    describe();
    make_driven(&spec);
    record_count = 0;
    now = 0;
    takt_dispatcher_record_to(driven.dispatcher, &trace);
    decide();
    for (uint32_t i = 0; i < EVENTS; i++) {
        do_something();
    }
    decide();
    CHECK((count_of(TAKT_RECORD_DEADLOCK) > 0) == (model.deadlocks > 0));
    check_replay();
    check_beginning(1u + (uint32_t)check_below(record_count));
    destroy_driven();
}

/* ---- single promises ------------------------------------------------------------------------------------- */

/* Threads 0, 1, 2 ... of levels 1, 2, 3 ..., and resources under `protocol` with these ceilings. */
static void make(takt_protocol_t protocol, uint32_t count, const uint32_t *ceilings) {
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].level = 1 + i;
        waits[i] = (takt_lock_wait_t){.wanted = NULL};
    }
    for (uint32_t i = 0; i < count; i++) {
        resources[i] =
            (takt_resource_spec_t){.protocol = protocol, .ceiling = ceilings[i], .server = TAKT_ROOT};
    }
    spec = (takt_system_spec_t){.policy = &takt_policy_fp,
                                .levels = THREADS,
                                .threads = threads,
                                .thread_count = THREADS,
                                .resources = resources,
                                .resource_count = count};
    make_driven(&spec);
    record_count = 0;
    takt_dispatcher_record_to(driven.dispatcher, &trace);
}

static const takt_entity_t *wake(uint32_t thread) {
    return post(TAKT_EVENT_WAKE, thread_entity(thread), 0).entity;
}

static const takt_entity_t *block(uint32_t thread) {
    return post(TAKT_EVENT_BLOCK, thread_entity(thread), 0).entity;
}

static const takt_entity_t *lock(uint32_t thread, uint32_t resource) {
    driven.threads[thread].wait = &waits[thread];
    tell_lock(TAKT_EVENT_LOCK, thread_entity(thread), 0, resource);
    return take(0).entity;
}

static const takt_entity_t *unlock(uint32_t thread, uint32_t resource) {
    tell_lock(TAKT_EVENT_UNLOCK, thread_entity(thread), 0, resource);
    return take(0).entity;
}

#define RUNS(thread, call) CHECK((call) == thread_entity(thread))
#define NOBODY_RUNS(call) CHECK((call) == NULL)

static void end(void) {
    check_replay();
    destroy_driven();
}

/* What an inline layer does for a thread without attributes, of a resource under none or pip. */
static void lock_without_a_word(uint32_t thread, uint32_t resource) {
    takt_plain_t *of = &driven.threads[thread];
    driven.resources[resource].holder = &of->entity;
    driven.resources[resource].outer = of->held;
    of->held = &driven.resources[resource];
}

static void who_holds_without_a_word_is_known_from_the_first_refusal_on(void) {
    static const uint32_t ceilings[] = {1, 1};
    make(TAKT_PROTOCOL_PIP, 2, ceilings);
    RUNS(2, wake(2));
    lock_without_a_word(2, 0);
    lock_without_a_word(2, 1);
    CHECK(thread_entity(2)->attributes == 0);
    RUNS(1, wake(1));
    RUNS(0, wake(0));
    RUNS(2, lock(0, 0));
    CHECK(takt_entity_is_locking(thread_entity(2)));
    RUNS(2, unlock(2, 1));
    RUNS(0, unlock(2, 0));
    CHECK(thread_entity(2)->attributes == 0 && driven.dispatcher->root.locked == &driven.resources[0]);
    destroy_driven();
}

static void a_thread_that_holds_without_a_word_may_block_and_be_waited_for(void) {
    static const uint32_t ceilings[] = {1};
    make(TAKT_PROTOCOL_PIP, 1, ceilings);
    RUNS(2, wake(2));
    lock_without_a_word(2, 0);
    NOBODY_RUNS(block(2));
    RUNS(0, wake(0));
    NOBODY_RUNS(lock(0, 0));
    RUNS(1, wake(1));
    RUNS(2, wake(2));
    RUNS(0, unlock(2, 0));
    destroy_driven();
}

/* 2 holds P, 1 holds Q and then becomes less urgent, 0 holds R, has the highest ceiling and is away: so both wait for
 * that one. When R is free they wait for one another, although nothing is locked. */
static void a_cycle_that_a_change_of_levels_has_made_is_found_when_it_matters(void) {
    enum { P, Q, R, X };
    static const uint32_t ceilings[] = {3, 2, 1, 3};
    make(TAKT_PROTOCOL_PCP, 4, ceilings);
    RUNS(2, wake(2));
    RUNS(2, lock(2, P));
    RUNS(1, wake(1));
    RUNS(1, lock(1, Q));
    RUNS(0, wake(0));
    RUNS(0, lock(0, R));
    tell_of(TAKT_EVENT_PRIORITY, thread_entity(1), 0, 4);
    RUNS(2, block(0));
    RUNS(1, lock(2, X));
    NOBODY_RUNS(lock(1, X));
    RUNS(0, wake(0));
    RUNS(0, unlock(0, R));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 0);
    NOBODY_RUNS(block(0));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 2);
    RUNS(2, post(TAKT_EVENT_WITHDRAW, thread_entity(2), 0).entity);
    end();
}

/* ---- traces that cannot have been recorded ---------------------------------------------------------------- */

/* Thread 1 holds the one resource and is away, 0 waits for that and is not ready. */
static void make_a_wait_of_one_that_is_away(void) {
    static const uint32_t ceilings[] = {1};
    make(TAKT_PROTOCOL_PIP, 1, ceilings);
    RUNS(1, wake(1));
    RUNS(1, lock(1, 0));
    NOBODY_RUNS(block(1));
    RUNS(0, wake(0));
    NOBODY_RUNS(lock(0, 0));
}

static takt_replay_verdict_t verdict_on(takt_record_kind_t kind, uint32_t thread, uint64_t value) {
    make_a_wait_of_one_that_is_away();
    records[record_count++] = (takt_record_t){.value = value,
                                              .entity = takt_entity_number(thread_entity(thread)),
                                              .sequence = driven.dispatcher->sequence + 1u,
                                              .kind = (uint8_t)kind};
    destroy_driven();
    make_driven(&spec);
    const takt_replay_verdict_t verdict = takt_replay(&driven, records, record_count).verdict;
    destroy_driven();
    return verdict;
}

static void only_what_a_thread_can_do_can_have_been_recorded(void) {
    CHECK(verdict_on(TAKT_RECORD_WITHDRAW, 0, 0) == TAKT_REPLAY_IDENTICAL);
    CHECK(verdict_on(TAKT_RECORD_WITHDRAW, 1, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_WITHDRAW, 2, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_WAKE, 1, 0) == TAKT_REPLAY_IDENTICAL);
    CHECK(verdict_on(TAKT_RECORD_WAKE, 0, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_BLOCK, 0, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_UNLOCK, 1, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_LOCK, 0, 0) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_PRIORITY, 0, THREADS) == TAKT_REPLAY_IDENTICAL);
    CHECK(verdict_on(TAKT_RECORD_PRIORITY, 0, THREADS + 1) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on(TAKT_RECORD_PRIORITY, 0, 0) == TAKT_REPLAY_INVALID);
}

int main(void) {
    who_holds_without_a_word_is_known_from_the_first_refusal_on();
    a_thread_that_holds_without_a_word_may_block_and_be_waited_for();
    a_cycle_that_a_change_of_levels_has_made_is_found_when_it_matters();
    only_what_a_thread_can_do_can_have_been_recorded();
    check_sequences(core_decides_as_the_model_does, 1500);
    CHECK(getenv("TAKT_SYSTEMS") != NULL || undecided > 0);
    return check_report("test_plain_locks");
}
