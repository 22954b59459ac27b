/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A scheduler at a distance: random systems are driven by a platform whose events come late and stale.
 *
 * A twin gets the same events, never a stale one, and decides alike. The trace replays identically, also with timers
 * of other dimensions, which take other numbers of steps. A damaged one does not. */
#include "core/peek.h"
#include "core/receive.h"

#include <string.h>

#include "policy/table.h"
#include "sim/replay.h"
#include "system/fits.h"
#include "tests/fuzz/system_input.h"

#include "check.h"

enum {
    SEQUENCES = 1500,
    CALLS = 150,
    RECORDS = 8192,
    BYTES = 400,
    SCALES = 3,
    TASKS = 4,
    DAMAGES = 12,
    STALE_KINDS = 9,
};

/* ---- the two schedulers, and what they record ---------------------------------------------------------- */

typedef struct side {
    takt_trace_t trace; /* first */
    takt_system_t system;
    takt_record_t records[RECORDS];
    uint32_t count;
} side_t;

static side_t distant, twin;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    side_t *side = TAKT_CONTAINER_OF(trace, side_t, trace);
    CHECK(side->count < RECORDS);
    side->records[side->count++] = *record;
}

static bool begin(side_t *side, const takt_system_spec_t *spec) {
    side->trace = (takt_trace_t){.record = keep_record, .is_remote = true};
    side->count = 0;
    if (!takt_system_create(&side->system, spec)) {
        return false;
    }
    side->system.is_remote = true;
    takt_dispatcher_record_to(side->system.dispatcher, &side->trace);
    return true;
}

/* ---- systems ------------------------------------------------------------------------------------------- */

static fuzz_system_t drawn; /* servers of every kind, locks, aborts, suspensions, threads */
static takt_task_spec_t tasks[TASKS];
static takt_window_spec_t windows[TASKS];
static takt_change_spec_t changes[TASKS];
static takt_system_spec_t allocated; /* their allocator begins and ends the jobs */
static const takt_system_spec_t *spec;

static void draw_any_system(void) {
    uint8_t bytes[BYTES];
    for (uint32_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    input_t input = {bytes, BYTES};
    fuzz_system_read(&drawn, &input, SCALES);
    spec = &drawn.spec;
}

static void draw_task(uint32_t index) {
    const takt_duration_t period = 10 + check_below(40);
    const takt_duration_t wcet = 1 + check_below(8);
    tasks[index] = (takt_task_spec_t){
        .period = period,
        .relative_deadline = period,
        .wcet = wcet,
        .demand = wcet,
        .level = 1 + (uint32_t)check_below(TASKS),
        .server = TAKT_ROOT,
        .weight = 1,
        .task_class = (takt_task_class_t)check_below(3),
    };
    windows[index] = (takt_window_spec_t){.kind = TAKT_WINDOWS_NONE};
}

/* Budgets of an allocator with windows, in which a job waits, ends or becomes optional when they are used up. */
static void draw_windows(void) {
    static const struct {
        const takt_policy_t *policy;
        takt_windows_t kind;
    } pairs[] = {
        {&takt_policy_fp, TAKT_WINDOWS_SUSPEND},
        {&takt_policy_edf, TAKT_WINDOWS_ABORT},
        {&takt_policy_imprecise, TAKT_WINDOWS_IMPRECISE},
        {&takt_policy_dual_priority, TAKT_WINDOWS_DUAL_PRIORITY},
        {&takt_policy_edf, TAKT_WINDOWS_SUSPEND},
    };
    const uint64_t pair = check_below(sizeof pairs / sizeof pairs[0]);
    allocated.policy = pairs[pair].policy;
    allocated.windows = windows;
    for (uint32_t i = 0; i < TASKS; i++) {
        const bool has_part = pairs[pair].kind >= TAKT_WINDOWS_DUAL_PRIORITY;
        windows[i].kind = pairs[pair].kind;
        windows[i].parameters.part = has_part ? check_below(1 + tasks[i].wcet) : 0;
    }
}

/* Rates: all tasks ask to enter, some to leave again. */
static void draw_rates(void) {
    static const takt_rate_settings_t settings = {
        .beta = TAKT_RATE_WHOLE / 20, .grid = 1, .estimate_jobs = 2};
    allocated.policy = &takt_policy_rate_based;
    allocated.rates = &settings;
    allocated.changes = changes;
    allocated.change_count = TASKS;
    for (uint32_t i = 0; i < TASKS; i++) {
        changes[i] = (takt_change_spec_t){.kind = TAKT_CHANGE_ENTER, .task = i};
    }
}

static void draw_allocated_system(void) {
    allocated = (takt_system_spec_t){.levels = TASKS, .tasks = tasks, .task_count = TASKS};
    for (uint32_t i = 0; i < TASKS; i++) {
        draw_task(i);
    }
    if (check_below(2) == 0) {
        draw_windows();
    } else {
        draw_rates();
    }
    spec = &allocated;
}

/* ---- the platform ---------------------------------------------------------------------------------------- */

static takt_instant_t now;
static uint32_t running, running_job; /* by the last decision */
static uint32_t decision_count;

static takt_entity_t *entity_of(side_t *side, uint32_t number) {
    return takt_system_entity(&side->system, number);
}

static uint32_t random_number(void) {
    const uint32_t count =
        1u + distant.system.server_count + distant.system.task_count + distant.system.thread_count;
    return (uint32_t)check_below(count);
}

/* What the event says; false if there is no such one. */
static bool read_event(side_t *side, uint32_t number, takt_event_kind_t kind, uint64_t value,
                       takt_event_t *event) {
    *event = (takt_event_t){kind, NULL, now, {value}};
    return takt_event_of_numbers(&side->system, number, event);
}

static bool has_room(side_t *side, const takt_event_t *event) {
    return event->kind != TAKT_EVENT_ARRIVAL ||
           takt_system_reserve(&side->system, (uint32_t)(event->entity->task - side->system.tasks));
}

/* The twin is handed over what is not stale, at once. */
static void hand_over_to_twin(uint32_t number, takt_event_kind_t kind, uint64_t value) {
    takt_event_t event;
    CHECK(read_event(&twin, number, kind, value, &event) && takt_fits(&twin.system, &event));
    CHECK(has_room(&twin, &event));
    takt_event_give_wait(&twin.system, &event);
    takt_dispatcher_post(twin.system.dispatcher, &event);
}

/* True of an event of a job that is over: by the numbers, independently of core. */
static bool is_over(const takt_event_t *event, uint32_t job) {
    const takt_task_t *task = event->entity->task;
    const bool is_other = event->kind == TAKT_EVENT_WAKE || event->kind == TAKT_EVENT_ARRIVAL ||
                          event->kind == TAKT_EVENT_ENTER || event->kind == TAKT_EVENT_LEAVE ||
                          event->kind == TAKT_EVENT_PRIORITY || event->kind == TAKT_EVENT_CREATE;
    return task != NULL && !is_other && (!takt_task_is_active(task) || task->job.number != job);
}

static void check_received(uint32_t first, const takt_event_t *event, uint32_t job, takt_instant_t seen,
                           bool is_stale) {
    const takt_record_t *record = &distant.records[first];
    if (seen < now) {
        CHECK(record->kind == TAKT_RECORD_LATE && record->value == seen && record->now == now);
        CHECK(record->entity == takt_entity_number(event->entity));
        CHECK(record->sequence == distant.system.dispatcher->sequence && (!is_stale || record->job == job));
        record++;
    }
    while (record->kind == TAKT_RECORD_EXHAUST) {
        record++; /* before a point */
    }
    CHECK(record->kind == (is_stale ? TAKT_RECORD_STALE : (uint8_t)event->kind));
    CHECK(record->entity == takt_entity_number(event->entity) && record->now == now);
    CHECK(record->sequence == distant.system.dispatcher->sequence);
    CHECK(!is_stale || (record->value == event->kind && record->job == job));
    CHECK(!is_stale || record + 1 == &distant.records[distant.count]);
}

/* The platform has observed an event of job `job` some time ago. */
static void receive(uint32_t number, takt_event_kind_t kind, uint64_t value, uint32_t job) {
    takt_event_t event;
    if (!read_event(&distant, number, kind, value, &event)) {
        return;
    }
    const bool is_stale = is_over(&event, job);
    if (!is_stale && (!takt_fits(&distant.system, &event) || !has_room(&distant, &event))) {
        return;
    }
    const uint32_t first = distant.count;
    const uint32_t sequence = distant.system.dispatcher->sequence;
    const takt_duration_t late = check_below(3) == 0 ? 0 : check_below(4);
    const takt_instant_t seen = now > late ? now - late : 0;
    CHECK(takt_dispatcher_is_stale(&event, job) == is_stale);
    if (!is_stale) {
        takt_event_give_wait(&distant.system, &event);
    }
    CHECK(takt_dispatcher_receive(distant.system.dispatcher, &event, job, seen) == !is_stale);
    CHECK(distant.system.dispatcher->sequence == sequence + 1u);
    check_received(first, &event, job, seen, is_stale);
    if (!is_stale) {
        hand_over_to_twin(number, kind, value);
    }
}

/* What the value of an event of `kind` means. */
static uint64_t random_value(takt_event_kind_t kind) {
    switch (kind) {
    case TAKT_EVENT_SUSPEND:
        return now + check_below(20);
    case TAKT_EVENT_LOCK:
    case TAKT_EVENT_UNLOCK:
        return check_below(1 + distant.system.resource_count);
    case TAKT_EVENT_PRIORITY:
        return 1 + check_below(4);
    default:
        return now - check_below(2) * (now > 0);
    }
}

static const takt_event_kind_t of_jobs[STALE_KINDS] = {
    TAKT_EVENT_COMPLETE, TAKT_EVENT_YIELD,  TAKT_EVENT_POINT, TAKT_EVENT_OPTIONAL_POINT, TAKT_EVENT_SUSPEND,
    TAKT_EVENT_LOCK,     TAKT_EVENT_UNLOCK, TAKT_EVENT_BLOCK, TAKT_EVENT_WITHDRAW,
};

/* The job of the last decision does something, although it may be over by now. */
static void the_running_job_does_something(void) {
    const takt_event_kind_t kind =
        check_below(2) == 0 ? TAKT_EVENT_COMPLETE : of_jobs[check_below(STALE_KINDS)];
    if (running != TAKT_NO_ENTITY) {
        receive(running, kind, random_value(kind), running_job);
    }
}

/* Any event, of the current job or of one that is over. */
static void something_happens(void) {
    static const takt_event_kind_t kinds[] = {TAKT_EVENT_WAKE,  TAKT_EVENT_WAKE,     TAKT_EVENT_ARRIVAL,
                                              TAKT_EVENT_BLOCK, TAKT_EVENT_PRIORITY, TAKT_EVENT_WITHDRAW,
                                              TAKT_EVENT_ENTER, TAKT_EVENT_LEAVE};
    const takt_event_kind_t kind = kinds[check_below(sizeof kinds / sizeof kinds[0])];
    const uint32_t number = random_number();
    const takt_entity_t *entity = entity_of(&distant, number);
    if (entity != NULL) {
        receive(number, kind, random_value(kind), entity->task != NULL ? entity->task->job.number : 0);
    }
}

static void something_stale_comes(void) {
    const takt_event_kind_t kind = of_jobs[check_below(STALE_KINDS)];
    receive(random_number(), kind, random_value(kind), (uint32_t)check_below(4));
}

static void settle(void) {
    takt_dispatcher_settle(distant.system.dispatcher, now);
    takt_dispatcher_settle(twin.system.dispatcher, now);
}

static void decide(void) {
    settle();
    const takt_decision_t decision = takt_dispatcher_take(distant.system.dispatcher, now, 0);
    const takt_decision_t expected = takt_dispatcher_take(twin.system.dispatcher, now, 0);
    CHECK((decision.entity == NULL) == (expected.entity == NULL) && decision.until == expected.until);
    running = TAKT_NO_ENTITY;
    running_job = 0;
    if (decision.entity != NULL) {
        CHECK(takt_entity_number(decision.entity) == takt_entity_number(expected.entity));
        if (!takt_entity_is_server(decision.entity)) {
            running = takt_entity_number(decision.entity);
            running_job = decision.entity->task != NULL ? decision.entity->task->job.number : 0;
        }
    }
    decision_count++;
}

static void drop(void) { takt_dispatcher_drop(distant.system.dispatcher, now, check_below(2) == 0); }

/* The signal names what a take would, as of the twin. */
static void send_signal(void) {
    settle();
    takt_dispatcher_signal(distant.system.dispatcher, now);
    const takt_record_t *record = &distant.records[distant.count - 1u];
    const takt_entity_t *chosen = takt_dispatcher_peek(twin.system.dispatcher);
    CHECK(record->kind == TAKT_RECORD_SIGNAL && record->now == now && record->value == 0);
    CHECK(record->entity == (chosen != NULL ? takt_entity_number(chosen) : TAKT_NO_ENTITY));
    CHECK(record->job == (chosen != NULL && chosen->task != NULL ? chosen->task->job.number : 0));
}

static void (*const calls[])(void) = {
    the_running_job_does_something,
    the_running_job_does_something,
    the_running_job_does_something,
    something_happens,
    something_happens,
    something_stale_comes,
    settle,
    decide,
    decide,
    decide,
    drop,
    send_signal,
};

static void drive(void) {
    now = 0;
    running = TAKT_NO_ENTITY;
    decision_count = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        calls[check_below(sizeof calls / sizeof calls[0])]();
        now += check_below(3) == 0 ? check_below(12) : 0;
    }
}

/* ---- what is recorded --------------------------------------------------------------------------------------- */

static bool is_only_of_the_distant_one(uint8_t kind) {
    return kind == TAKT_RECORD_LATE || kind == TAKT_RECORD_STALE || kind == TAKT_RECORD_DROPPED ||
           kind == TAKT_RECORD_SIGNAL;
}

/* Besides what the twin never saw, and besides numbers of events, the traces are one. */
static void both_record_the_same(void) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < distant.count; i++) {
        takt_record_t record = distant.records[i];
        if (!is_only_of_the_distant_one(record.kind)) {
            CHECK(at < twin.count);
            record.sequence = twin.records[at].sequence;
            CHECK(memcmp(&record, &twin.records[at], sizeof record) == 0);
            at++;
        }
    }
    CHECK(at == twin.count);
}

static takt_replay_result_t replay(const takt_system_spec_t *of, bool is_remote) {
    takt_system_t fresh;
    CHECK(takt_system_create(&fresh, of));
    fresh.is_remote = is_remote;
    const takt_replay_result_t result = takt_replay(&fresh, distant.records, distant.count);
    takt_system_destroy(&fresh);
    return result;
}

/* Timers of other dimensions take other numbers of steps, of which nothing is recorded. */
static void it_replays(void) {
    const takt_replay_result_t result = replay(spec, true);
    CHECK(result.verdict == TAKT_REPLAY_IDENTICAL && result.decisions == decision_count);
    takt_system_spec_t other = *spec;
    other.time_rows = 1 + (uint32_t)check_below(16);
    CHECK(replay(&other, true).verdict == TAKT_REPLAY_IDENTICAL);
}

static bool is_notice(uint8_t kind) {
    return (kind > TAKT_RECORD_DECISION && kind < TAKT_RECORD_SETTLED) ||
           (kind >= TAKT_RECORD_RELEASE && kind <= TAKT_RECORD_EXHAUST);
}

static void remove_record(uint32_t at) {
    distant.count--;
    memmove(&distant.records[at], &distant.records[at + 1], (distant.count - at) * sizeof distant.records[0]);
}

static bool swap_with_next(takt_record_t *record) {
    const takt_record_t first = record[0];
    const bool is_other = is_notice(record[1].kind) && memcmp(&first, &record[1], sizeof first) != 0;
    if (is_other) {
        record[0] = record[1];
        record[1] = first;
    }
    return is_other;
}

/* Another order, another job, another instant, or nothing of it. */
static bool damage_notice(uint32_t at) {
    takt_record_t *record = &distant.records[at];
    switch (check_below(5)) {
    case 0:
        record->job++;
        return true;
    case 1:
        record->value++;
        return true;
    case 2:
        record->entity++;
        return true;
    case 3:
        remove_record(at);
        return at < distant.count;
    default:
        return at + 1u < distant.count && swap_with_next(record);
    }
}

/* Damages the record with index `at` in a way that must be found. Returns false if there is none. */
static bool damage(uint32_t at) {
    takt_record_t *record = &distant.records[at];
    const bool is_one = check_below(2) == 0;
    if (is_notice(record->kind)) {
        return damage_notice(at);
    }
    switch (record->kind) {
    case TAKT_RECORD_STEP: /* counted, or left out although something was due */
        record->value = 1;
        if (is_one) {
            remove_record(at);
        }
        return !is_one || (at < distant.count && is_notice(record->kind));
    case TAKT_RECORD_DECISION: /* told until when */
        record->value = now + 1;
        return true;
    case TAKT_RECORD_LATE: /* not late, or of another event */
        record->value = is_one ? record->now : record->value;
        record->job += !is_one;
        return true;
    case TAKT_RECORD_STALE: /* of another number, or of a kind that never is stale */
        record->sequence += is_one;
        record->value = is_one ? record->value : TAKT_RECORD_ARRIVAL;
        return true;
    case TAKT_RECORD_DROPPED:
        record->value = 2;
        return true;
    case TAKT_RECORD_SIGNAL: /* not of what would be selected */
        record->entity += is_one;
        record->job += !is_one;
        return true;
    default:
        return false;
    }
}

static void it_is_refused_when_damaged(void) {
    static takt_record_t whole[RECORDS];
    const uint32_t count = distant.count;
    memcpy(whole, distant.records, count * sizeof whole[0]);
    for (uint32_t i = 0; i < DAMAGES && count > 0; i++) {
        if (damage((uint32_t)check_below(count))) {
            CHECK(replay(spec, true).verdict != TAKT_REPLAY_IDENTICAL);
        }
        memcpy(distant.records, whole, count * sizeof whole[0]);
        distant.count = count;
    }
}

/* What only a remote scheduler records cannot be of another one. */
static void it_is_no_record_of_another_scheduler(void) {
    distant.count = 1;
    distant.records[0] = (takt_record_t){.entity = TAKT_NO_ENTITY, .kind = TAKT_RECORD_DROPPED};
    CHECK(replay(spec, true).verdict == TAKT_REPLAY_IDENTICAL);
    CHECK(replay(spec, false).verdict == TAKT_REPLAY_INVALID);
}

static uint64_t
    recorded; /* bit i: something of kind i has been recorded; the last bits: a budget of a job, of a server */

static void note_kinds(void) {
    for (uint32_t i = 0; i < distant.count; i++) {
        const takt_record_t *record = &distant.records[i];
        const bool is_server = record->entity <= spec->server_count;
        recorded |= UINT64_C(1) << record->kind;
        recorded |= (uint64_t)(record->kind == TAKT_RECORD_EXHAUST) << (62 + is_server);
    }
}

/* Jobs that are skipped count. Of an allocator's tasks windows are released, not jobs. */
static void releases_number_the_jobs(void) {
    uint32_t next[FUZZ_ENTITIES] = {0};
    for (uint32_t i = 0; i < distant.count && spec == &drawn.spec; i++) {
        const takt_record_t *record = &distant.records[i];
        if (record->kind == TAKT_RECORD_RELEASE) {
            CHECK(record->job == next[record->entity]);
            next[record->entity]++;
        }
    }
}

/* In a short run not everything comes. */
static void everything_has_been_recorded(void) {
    const uint64_t all = (UINT64_C(1) << TAKT_RECORD_OVERFLOW) - (UINT64_C(1) << TAKT_RECORD_LATE);
    CHECK(((recorded & all) == all && recorded >> 62 == 3) ||
          check_number_from("TAKT_SYSTEMS", SEQUENCES) < SEQUENCES);
}

static void drive_one(void) {
    if (check_below(3) == 0) {
        draw_allocated_system();
    } else {
        draw_any_system();
    }
    CHECK(begin(&distant, spec) && begin(&twin, spec));
    drive();
    takt_system_destroy(&distant.system);
    takt_system_destroy(&twin.system);
    note_kinds();
    releases_number_the_jobs();
    both_record_the_same();
    it_replays();
    it_is_refused_when_damaged();
    it_is_no_record_of_another_scheduler();
}

int main(void) {
    check_sequences(drive_one, SEQUENCES);
    everything_has_been_recorded();
    return check_report("test_receive");
}
