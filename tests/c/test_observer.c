/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The observer of remote/observer.h: logs of random correct runs break no rule, and one damage breaks exactly one. */
#include "remote/observer.h"

#include <string.h>

#include "check.h"

enum {
    TELLINGS = 4096,
    EPISODES = 40,
    MADE = 16,
    PATIENCE = 32,
    MOST_TASKS = 5,
    MOST_SERVERS = 3,
    SEQUENCES = 3000,
};

/* ---- logs ------------------------------------------------------------------------------------------ */

typedef enum source { FROM_TRACE, FROM_SWITCH, FROM_PROGRAM } source_t;

/* A switch has instant and entity, an event made also the kind. */
typedef struct telling {
    source_t source;
    takt_record_t record;
} telling_t;

typedef struct telling_log {
    uint32_t count;
    telling_t tellings[TELLINGS];
} telling_log_t;

static telling_log_t correct, damaged;
static takt_observer_setup_t setup;
static takt_made_t *made; /* memory that ends with the last place */
static takt_observer_t observer;
static uint64_t passed_on;

/* What the memory of the observer had before says nothing. */
static void init_observer(void) {
    memset(&observer, 1, sizeof observer);
    takt_observer_init(&observer, &setup);
}

static void count_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    (void)record;
    passed_on++;
}

static takt_trace_t next = {.record = count_record};

static void tell(const telling_t *telling) {
    const takt_record_t *record = &telling->record;
    if (telling->source == FROM_TRACE) {
        observer.trace.record(&observer.trace, record);
    } else if (telling->source == FROM_SWITCH) {
        takt_observer_runs(&observer, record->entity, record->now);
    } else {
        takt_observer_made(&observer, (takt_record_kind_t)record->kind, record->entity, record->now);
    }
}

static void tell_all(const telling_log_t *told) {
    passed_on = 0;
    init_observer();
    for (uint32_t i = 0; i < told->count; i++) {
        tell(&told->tellings[i]);
    }
}

static takt_instant_t end_of(const telling_log_t *told) {
    return told->count > 0 ? told->tellings[told->count - 1u].record.now : 0;
}

/* ---- a correct run --------------------------------------------------------------------------------- */

static takt_instant_t now;
static uint32_t tasks, running, jobs[MOST_SERVERS + MOST_TASKS + 1];
static takt_record_t decision;
static bool is_job_running; /* the last decision names a task, and its job has not ended */
static uint32_t in_a_row;

static const uint8_t own_kinds[] = {TAKT_RECORD_COMPLETE,       TAKT_RECORD_YIELD,   TAKT_RECORD_POINT,
                                    TAKT_RECORD_OPTIONAL_POINT, TAKT_RECORD_SUSPEND, TAKT_RECORD_LOCK,
                                    TAKT_RECORD_UNLOCK};
static const uint8_t outside_kinds[] = {TAKT_RECORD_BLOCK,    TAKT_RECORD_WAKE,     TAKT_RECORD_ARRIVAL,
                                        TAKT_RECORD_ENTER,    TAKT_RECORD_LEAVE,    TAKT_RECORD_CHANGE,
                                        TAKT_RECORD_WITHDRAW, TAKT_RECORD_PRIORITY, TAKT_RECORD_CREATE};
static const uint8_t other_kinds[] = {TAKT_RECORD_STEP,
                                      TAKT_RECORD_CHOICE,
                                      TAKT_RECORD_ABORT,
                                      TAKT_RECORD_SKIP,
                                      TAKT_RECORD_GRANT,
                                      TAKT_RECORD_REFUSE,
                                      TAKT_RECORD_FREE,
                                      TAKT_RECORD_DEADLOCK,
                                      TAKT_RECORD_ALLOCATION,
                                      TAKT_RECORD_RELEASE,
                                      TAKT_RECORD_REPLENISH,
                                      TAKT_RECORD_EXHAUST,
                                      200};

#define ANY_OF(kinds) ((kinds)[check_below(sizeof(kinds))])

static bool is_told(uint32_t kind) { return ((setup.kinds >> kind) & 1u) != 0; }

static void add(source_t source, uint32_t kind, uint32_t entity, uint32_t job, uint64_t value) {
    CHECK(correct.count < TELLINGS);
    correct.tellings[correct.count++] = (telling_t){
        source, {.now = now, .value = value, .entity = entity, .kind = (uint8_t)kind, .job = job}};
}

static uint32_t any_task(void) { return setup.servers + (uint32_t)check_below(tasks); }

static void add_noise(void) {
    if (check_below(3) == 0) {
        add(FROM_TRACE, ANY_OF(other_kinds), any_task(), (uint32_t)check_below(3), check_below(100));
    }
}

static void pass_time(uint64_t most) {
    add_noise();
    now += check_below(most + 1u);
}

static void make(uint32_t kind, uint32_t entity) {
    if (is_told(kind)) {
        add(FROM_PROGRAM, kind, entity, 0, 0);
    }
}

/* An event made at `seen` is received. */
static void receive(uint32_t kind, uint32_t entity, uint32_t job, takt_instant_t seen, bool is_stale) {
    if (seen < now) {
        add(FROM_TRACE, TAKT_RECORD_LATE, entity, job, seen);
    }
    add(FROM_TRACE, is_stale ? TAKT_RECORD_STALE : kind, entity, job, is_stale ? kind : 0);
    in_a_row = 0;
}

/* The job that runs does something; the scheduler side may have ended it meanwhile. */
static void happen_inside(void) {
    const uint32_t kind = ANY_OF(own_kinds), entity = decision.entity, job = decision.job;
    const takt_instant_t seen = now;
    const bool is_stale = jobs[entity] != job || check_below(4) == 0;
    make(kind, entity);
    pass_time(4);
    receive(kind, entity, job, seen, is_stale);
    jobs[entity] += (kind == TAKT_RECORD_COMPLETE || is_stale) && jobs[entity] == job;
    is_job_running = kind != TAKT_RECORD_COMPLETE && kind != TAKT_RECORD_SUSPEND;
}

/* Up to three events from outside, which overtake each other. */
static void happen_outside(uint32_t count) {
    uint32_t kinds[3], entities[3];
    takt_instant_t seen[3];
    for (uint32_t i = 0; i < count; i++) {
        kinds[i] = ANY_OF(outside_kinds);
        entities[i] = check_below(8) == 0 ? TAKT_NO_ENTITY : any_task();
        seen[i] = now;
        make(kinds[i], entities[i]);
        pass_time(3);
    }
    if (check_below(3) == 0) {
        add(FROM_TRACE, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0, 0);
    }
    while (count > 0) {
        const uint32_t i = (uint32_t)check_below(count--);
        pass_time(3);
        receive(kinds[i], entities[i], 0, seen[i], false);
        kinds[i] = kinds[count];
        entities[i] = entities[count];
        seen[i] = seen[count];
    }
}

static void happen(void) {
    const uint64_t which = check_below(8);
    if (which < 3 && is_job_running) {
        happen_inside();
    } else if (which < 5 || in_a_row == 2 || decision.kind == 0) {
        happen_outside(1u + (uint32_t)check_below(3));
    } else if (which < 7) {
        add(FROM_TRACE, TAKT_RECORD_SIGNAL, any_task(), 0, 0);
        in_a_row = 0;
    }
    pass_time(4);
}

static uint32_t any_choice(void) {
    return check_below(6) == 0 ? TAKT_NO_ENTITY : 1u + (uint32_t)check_below(setup.servers + tasks - 1u);
}

static uint32_t thread_of(uint32_t entity) {
    return entity == TAKT_NO_ENTITY || entity < setup.servers ? setup.idle : entity;
}

static void fetch(void) {
    const uint32_t entity = any_choice();
    const uint32_t job = entity == TAKT_NO_ENTITY ? 0 : jobs[entity];
    in_a_row++;
    add(FROM_TRACE, TAKT_RECORD_DECISION, entity, job, check_below(2) == 0 ? 0 : TAKT_NEVER);
    decision = correct.tellings[correct.count - 1u].record;
    is_job_running = entity != TAKT_NO_ENTITY && entity >= setup.servers;
}

/* The fetch that says so may overtake the event. */
static void drop(void) {
    const uint32_t kind = ANY_OF(outside_kinds), entity = any_task();
    const takt_instant_t seen = now;
    const bool is_overtaken = check_below(2) == 0;
    make(kind, entity);
    pass_time(4);
    if (is_overtaken) {
        add(FROM_TRACE, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0, 1);
        add(FROM_TRACE, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0, 0);
        pass_time(4);
    }
    receive(kind, entity, 0, seen, false);
    pass_time(4);
    if (!is_overtaken) {
        add(FROM_TRACE, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0, 1);
    }
    fetch();
}

static void carry_out(void) {
    pass_time(4);
    if (running != thread_of(decision.entity)) {
        running = thread_of(decision.entity);
        add(FROM_SWITCH, 0, running, 0, 0);
    }
}

static void run_correctly(void) {
    tasks = 1u + (uint32_t)check_below(MOST_TASKS);
    setup = (takt_observer_setup_t){.next = check_below(2) == 0 ? NULL : &next,
                                    .made = made,
                                    .made_limit = MADE,
                                    .servers = 1u + (uint32_t)check_below(MOST_SERVERS),
                                    .kinds = check_random(),
                                    .patience = PATIENCE};
    setup.idle = setup.servers + tasks;
    (void)memset(&correct, 0, sizeof correct);
    (void)memset(jobs, 0, sizeof jobs);
    (void)memset(&decision, 0, sizeof decision);
    now = 0;
    in_a_row = 0;
    running = TAKT_NO_ENTITY;
    is_job_running = false;
    for (uint32_t episode = 0; episode < EPISODES; episode++) {
        happen();
        fetch();
        if (check_below(4) == 0) {
            drop();
        }
        carry_out();
        now += check_below(3) == 0 ? check_below(100) : 0;
    }
}

/* After each telling no rule is broken, so that a run may end anywhere. */
static void correct_logs_pass(void) {
    uint64_t records = 0;
    passed_on = 0;
    takt_observer_init(&observer, &setup);
    for (uint32_t i = 0; i < correct.count; i++) {
        tell(&correct.tellings[i]);
        records += correct.tellings[i].source == FROM_TRACE;
        CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    }
    CHECK(passed_on == (setup.next == NULL ? 0 : records));
    CHECK(takt_observer_reach(&observer, end_of(&correct) + 2u * PATIENCE)->rule == TAKT_OBSERVER_OK);
}

/* ---- damages --------------------------------------------------------------------------------------- */

static telling_t *at(uint32_t place) { return &damaged.tellings[place]; }

static takt_record_t *record_at(uint32_t place) { return &at(place)->record; }

static bool is_record(uint32_t place, uint32_t kind) {
    return at(place)->source == FROM_TRACE && record_at(place)->kind == kind;
}

static void insert(uint32_t place, source_t source, takt_record_t record) {
    CHECK(damaged.count < TELLINGS);
    (void)memmove(at(place + 1u), at(place), (damaged.count - place) * sizeof *at(0));
    *at(place) = (telling_t){source, record};
    damaged.count++;
}

static void erase(uint32_t place) {
    damaged.count--;
    (void)memmove(at(place), at(place + 1u), (damaged.count - place) * sizeof *at(0));
}

static bool is_among(uint32_t kind, const uint8_t *kinds, size_t count) {
    return memchr(kinds, (int)kind, count) != NULL;
}

/* The kind of the event that is received at `place`, 0 for none. */
static uint32_t received_at(uint32_t place) {
    const takt_record_t *record = record_at(place);
    const uint32_t kind = record->kind == TAKT_RECORD_STALE ? (uint32_t)record->value : record->kind;
    const bool is_event =
        is_among(kind, own_kinds, sizeof own_kinds) || is_among(kind, outside_kinds, sizeof outside_kinds);
    return at(place)->source == FROM_TRACE && is_event ? kind : 0;
}

static bool is_switch(uint32_t place) { return at(place)->source == FROM_SWITCH; }
static bool is_drop(uint32_t place) {
    return is_record(place, TAKT_RECORD_DROPPED) && record_at(place)->value == 1;
}
static bool is_signal(uint32_t place) { return is_record(place, TAKT_RECORD_SIGNAL); }
static bool is_own_event(uint32_t place) { return is_among(received_at(place), own_kinds, sizeof own_kinds); }
static bool is_end(uint32_t place) {
    return received_at(place) == TAKT_RECORD_COMPLETE || received_at(place) == TAKT_RECORD_SUSPEND;
}
static bool is_told_event(uint32_t place) { return received_at(place) != 0 && is_told(received_at(place)); }
static bool is_told_outside(uint32_t place) { return is_told_event(place) && !is_own_event(place); }
static bool is_anything(uint32_t place) { return place < damaged.count; }

/* Returns one of the places, `damaged.count` if there is none. */
static uint32_t pick(bool (*is_such)(uint32_t place)) {
    uint32_t picked = damaged.count;
    uint64_t count = 0;
    for (uint32_t place = 0; place < damaged.count; place++) {
        if (is_such(place) && check_below(++count) == 0) {
            picked = place;
        }
    }
    return picked;
}

static uint32_t last_before(uint32_t place, bool (*is_such)(uint32_t place)) {
    while (place > 0 && !is_such(place - 1u)) {
        place--;
    }
    return place > 0 ? place - 1u : damaged.count;
}

static bool is_decision(uint32_t place) { return is_record(place, TAKT_RECORD_DECISION); }

static bool run_another_thread(uint32_t place) {
    record_at(place)->entity = record_at(place)->entity == setup.idle ? any_task() : setup.idle;
    return true;
}

static bool run_after_a_drop(uint32_t place) {
    const takt_record_t decided = *record_at(last_before(place, is_decision));
    insert(place + 1u, FROM_SWITCH,
           (takt_record_t){.now = record_at(place)->now, .entity = thread_of(decided.entity)});
    return true;
}

static bool do_not_switch(uint32_t place) {
    erase(place);
    return true;
}

/* The run ends before the switch, later than is allowed. */
static bool stop_before_switch(uint32_t place) {
    damaged.count = last_before(place, is_decision) + 1u;
    return true;
}

/* What a dropped decision names runs, told at `before` and not before `instant`. False if it runs anyway. */
static bool carry_out_dropped(uint32_t dropped, uint32_t before, takt_instant_t instant) {
    const uint32_t last_switch = last_before(dropped, is_switch);
    const uint32_t thread = thread_of(record_at(dropped)->entity);
    if (last_switch != damaged.count && record_at(last_switch)->entity == thread) {
        return false;
    }
    insert(before, FROM_SWITCH, (takt_record_t){.now = instant, .entity = thread});
    return true;
}

static bool carry_out_and_drop(uint32_t place) {
    const uint32_t dropped = last_before(place, is_decision);
    return carry_out_dropped(dropped, dropped + 1u, record_at(dropped)->now);
}

/* Of an event that was made while the answer was under way. */
static bool is_late_after(uint32_t event, uint32_t dropped) {
    return event != damaged.count && event > dropped + 1u && is_record(event - 1u, TAKT_RECORD_LATE) &&
           record_at(event - 1u)->value < record_at(event)->now;
}

static bool carry_out_before_receipt(uint32_t place) {
    const uint32_t dropped = last_before(place, is_decision), event = last_before(place, is_told_event);
    return is_late_after(event, dropped) && carry_out_dropped(dropped, event - 1u, record_at(event)->now);
}

static bool carry_out_after_receipt(uint32_t place) {
    const uint32_t dropped = last_before(place, is_decision), event = last_before(place, is_told_event);
    return is_late_after(event, dropped) && carry_out_dropped(dropped, event + 1u, record_at(event)->now);
}

static bool name_another_job(uint32_t place) {
    record_at(place)->job++;
    return true;
}

static bool name_another_entity(uint32_t place) {
    record_at(place)->entity++;
    return true;
}

static bool repeat(uint32_t place) {
    insert(place, FROM_TRACE, *record_at(place));
    return true;
}

/* The job of a dropped decision does not run. */
static bool complete_dropped(uint32_t place) {
    takt_record_t event = *record_at(last_before(place, is_decision));
    event.kind = TAKT_RECORD_COMPLETE;
    event.now = record_at(place)->now;
    insert(place + 1u, FROM_TRACE, event);
    return true;
}

static bool fetch_often(uint32_t place) {
    takt_record_t again = *record_at(last_before(place, is_decision));
    again.now = record_at(place)->now;
    again.value = 0;
    for (uint32_t i = 0; i < 3; i++) {
        insert(place + 1u, FROM_TRACE, again);
    }
    return true;
}

/* A signal in its place gives cause for the fetch. */
static bool lose(uint32_t place) {
    *record_at(place) =
        (takt_record_t){.now = record_at(place)->now, .kind = TAKT_RECORD_SIGNAL, .entity = TAKT_NO_ENTITY};
    return true;
}

/* The instant at which an event was seen is before it was made. */
static bool claim_early(uint32_t place) {
    insert(place, FROM_TRACE,
           (takt_record_t){.now = record_at(place)->now, .kind = TAKT_RECORD_LATE, .value = 0});
    return true;
}

static bool is_told_outside_later(uint32_t place) {
    return is_told_outside(place) && record_at(place)->now > 100;
}

static bool stop_after(uint32_t place) {
    damaged.count = place + 1u;
    return true;
}

static bool go_back(uint32_t place) {
    if (place == 0 || record_at(place - 1u)->now == 0) {
        return false;
    }
    record_at(place)->now = record_at(place - 1u)->now - 1u;
    return true;
}

static bool overflow(uint32_t place) {
    insert(place, FROM_TRACE, (takt_record_t){.now = record_at(place)->now, .kind = TAKT_RECORD_OVERFLOW});
    return true;
}

typedef struct damage {
    takt_observer_rule_t rule;
    bool (*is_place)(uint32_t place);
    bool (*apply)(uint32_t place); /* false: not possible there */
} damage_t;

static const damage_t damages[] = {
    {TAKT_OBSERVER_SWITCH, is_switch, run_another_thread},
    {TAKT_OBSERVER_SWITCH, is_drop, run_after_a_drop},
    {TAKT_OBSERVER_IGNORED, is_switch, do_not_switch},
    {TAKT_OBSERVER_IGNORED, is_switch, stop_before_switch},
    {TAKT_OBSERVER_DROPPED, is_drop, carry_out_and_drop},
    {TAKT_OBSERVER_OUTDATED, is_drop, carry_out_before_receipt},
    {TAKT_OBSERVER_OUTDATED, is_drop, carry_out_after_receipt},
    {TAKT_OBSERVER_JOB, is_own_event, name_another_job},
    {TAKT_OBSERVER_JOB, is_own_event, name_another_entity},
    {TAKT_OBSERVER_JOB, is_end, repeat},
    {TAKT_OBSERVER_JOB, is_drop, complete_dropped},
    {TAKT_OBSERVER_FETCHES, is_switch, fetch_often},
    {TAKT_OBSERVER_LOST, is_told_event, lose},
    {TAKT_OBSERVER_INVENTED, is_told_outside, repeat},
    {TAKT_OBSERVER_INVENTED, is_told_outside_later, claim_early},
    {TAKT_OBSERVER_SIGNAL, is_signal, stop_after},
    {TAKT_OBSERVER_CLOCK, is_anything, go_back},
    {TAKT_OBSERVER_OVERFLOW, is_anything, overflow},
};

enum { DAMAGES = sizeof damages / sizeof damages[0] };

static uint64_t found[DAMAGES];

static void a_damage_is_found(uint32_t index) {
    const damage_t *damage = &damages[index];
    damaged = correct;
    const uint32_t place = pick(damage->is_place);
    if (place == damaged.count || !damage->apply(place)) {
        return;
    }
    tell_all(&damaged);
    const takt_finding_t *finding = takt_observer_reach(&observer, end_of(&damaged) + PATIENCE + 1u);
    if (finding->rule != damage->rule) {
        fprintf(stderr, "damage %u: %s\n", index, takt_observer_message(finding->rule));
    }
    CHECK(finding->rule == damage->rule);
    found[index]++;
}

static void one_log(void) {
    run_correctly();
    correct_logs_pass();
    for (uint32_t index = 0; index < DAMAGES; index++) {
        a_damage_is_found(index);
    }
}

/* ---- bounds, by hand ------------------------------------------------------------------------------- */

enum { IDLE = 3, TASK = 2, OTHER = 1 };

static void begin(void) {
    setup = (takt_observer_setup_t){.made = made,
                                    .made_limit = MADE,
                                    .servers = 1,
                                    .idle = IDLE,
                                    .kinds = UINT64_C(1) << TAKT_RECORD_ARRIVAL,
                                    .patience = PATIENCE};
    init_observer();
}

static void record(takt_instant_t instant, uint32_t kind, uint32_t entity, uint64_t value) {
    const takt_record_t told = {
        .now = instant, .kind = (uint8_t)kind, .entity = entity, .value = value, .job = 7};
    observer.trace.record(&observer.trace, &told);
}

static void decide(takt_instant_t instant, uint32_t entity) {
    record(instant, TAKT_RECORD_DECISION, entity, 0);
}

static bool is_fine_until(takt_instant_t last, takt_observer_rule_t rule) {
    return takt_observer_reach(&observer, last)->rule == TAKT_OBSERVER_OK &&
           takt_observer_reach(&observer, last + 1u)->rule == rule;
}

static void a_decision_may_take_its_time(void) {
    begin();
    decide(10, TASK);
    CHECK(is_fine_until(10 + PATIENCE, TAKT_OBSERVER_IGNORED));
    CHECK(observer.finding.since == 10 && observer.finding.now == 11 + PATIENCE);
    CHECK(observer.finding.decided == TASK && observer.finding.decided_job == 7);
}

static void an_event_may_take_its_time(void) {
    begin();
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, OTHER, 5);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, 6);
    record(7, TAKT_RECORD_ARRIVAL, TASK, 6);
    CHECK(is_fine_until(5 + PATIENCE, TAKT_OBSERVER_LOST));
    CHECK(observer.finding.since == 5 && observer.finding.entity == OTHER);
}

/* Of two events that are alike the one is lost that was not seen when the record says. */
static void the_lost_event_is_the_right_one(void) {
    begin();
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, 5);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, 9);
    record(12, TAKT_RECORD_LATE, TASK, 5);
    record(12, TAKT_RECORD_ARRIVAL, TASK, 5);
    CHECK(is_fine_until(9 + PATIENCE, TAKT_OBSERVER_LOST));
    CHECK(observer.finding.since == 9 && observer.finding.entity == TASK);
}

static void an_event_received_has_been_made(uint32_t kind, uint32_t entity, takt_observer_rule_t rule) {
    begin();
    observer.setup.kinds |= UINT64_C(1) << TAKT_RECORD_WAKE;
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, 5);
    record(5, kind, entity, 0);
    CHECK(observer.finding.rule == rule);
}

/* The earlier of two that overtake each other is received last. */
static void the_earliest_event_makes_a_decision_outdated(void) {
    begin();
    decide(0, TASK);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, OTHER, 2);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, 3);
    record(3, TAKT_RECORD_LATE, OTHER, 2);
    record(3, TAKT_RECORD_ARRIVAL, OTHER, 2);
    record(3, TAKT_RECORD_ARRIVAL, TASK, 3);
    takt_observer_runs(&observer, TASK, 3);
    CHECK(observer.finding.rule == TAKT_OBSERVER_OUTDATED && observer.finding.since == 2);
}

/* An operating system runs threads of its own in between. */
static void a_thread_may_resume(void) {
    begin();
    decide(0, TASK);
    takt_observer_runs(&observer, TASK, 0);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, OTHER, 2);
    takt_observer_runs(&observer, TASK, 3);
    record(4, TAKT_RECORD_ARRIVAL, OTHER, 2);
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
}

/* A fetch that decides nothing shows that the signal was heard. */
static void a_fetch_in_vain_prolongs_a_signal(void) {
    begin();
    decide(0, TASK);
    takt_observer_runs(&observer, TASK, 0);
    record(10, TAKT_RECORD_SIGNAL, OTHER, 0);
    record(10 + PATIENCE, TAKT_RECORD_SIGNAL, OTHER, 0);
    record(10 + PATIENCE, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0);
    CHECK(is_fine_until(10 + 2 * PATIENCE, TAKT_OBSERVER_SIGNAL));
    CHECK(observer.finding.since == 10 + PATIENCE);
}

static void a_second_signal_does_not_prolong_the_first(void) {
    begin();
    decide(0, TASK);
    takt_observer_runs(&observer, TASK, 0);
    record(10, TAKT_RECORD_SIGNAL, OTHER, 0);
    record(20, TAKT_RECORD_SIGNAL, OTHER, 0);
    CHECK(is_fine_until(10 + PATIENCE, TAKT_OBSERVER_SIGNAL));
}

/* Also a fetch that decides nothing shows that the last decision was ignored. */
static void a_fetch_follows_what_was_carried_out(void) {
    begin();
    decide(0, TASK);
    record(1, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 0);
    CHECK(observer.finding.rule == TAKT_OBSERVER_IGNORED && observer.finding.since == 0);
}

/* The sink in front is of the kind of the one behind. */
static void a_sink_is_remote_if_the_next_one_is(void) {
    begin();
    CHECK(observer.trace.is_remote);
    setup.next = &next;
    for (uint32_t is_remote = 0; is_remote < 2; is_remote++) {
        next.is_remote = is_remote != 0;
        takt_observer_init(&observer, &setup);
        CHECK(observer.trace.is_remote == next.is_remote);
    }
}

static void the_program_may_ask(void) {
    begin();
    for (takt_instant_t instant = 0; instant < 5; instant++) {
        decide(instant, TAKT_NO_ENTITY);
        takt_observer_runs(&observer, IDLE, instant);
        takt_observer_asks(&observer, instant);
    }
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    takt_observer_asks(&observer, 3);
    CHECK(observer.finding.rule == TAKT_OBSERVER_CLOCK);
}

/* An application side that was told until when a decision holds fetches then. */
static void fetches_at_the_end_of_decisions_are_asked_for(void) {
    begin();
    for (takt_instant_t instant = 0; instant < 50; instant += 10) {
        record(instant, TAKT_RECORD_DECISION, TAKT_NO_ENTITY, instant + 10);
        takt_observer_runs(&observer, IDLE, instant);
    }
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    decide(45, TAKT_NO_ENTITY);
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    decide(46, TAKT_NO_ENTITY);
    CHECK(observer.finding.rule == TAKT_OBSERVER_FETCHES);
}

static void an_observer_begins_alike_in_any_memory(void) {
    takt_observer_t other;
    begin();
    memset(&other, 0, sizeof other);
    takt_observer_init(&other, &setup);
    CHECK(observer.now == other.now && observer.seen == other.seen && observer.runs == other.runs);
    CHECK(memcmp(&observer.decision, &other.decision, sizeof other.decision) == 0);
    CHECK(observer.made_count == other.made_count && observer.fetched == other.fetched);
    CHECK(observer.is_in_force == other.is_in_force && observer.is_over == other.is_over);
    CHECK(observer.is_switched_to == other.is_switched_to && observer.is_signalled == other.is_signalled);
    CHECK(observer.is_unconsidered == other.is_unconsidered);
    CHECK(observer.finding.rule == other.finding.rule);
}

static void nothing_is_dropped_before_the_first_decision(void) {
    begin();
    record(0, TAKT_RECORD_DROPPED, TAKT_NO_ENTITY, 1);
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
}

/* An interrupt between the decision and the port's switch is no reason to drop it. */
static void slack_is_allowed_before_a_switch(takt_duration_t slack, takt_observer_rule_t rule) {
    begin();
    observer.setup.slack = slack;
    decide(0, TASK);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, OTHER, 1);
    takt_observer_runs(&observer, TASK, 4);
    record(5, TAKT_RECORD_LATE, OTHER, 1);
    record(5, TAKT_RECORD_ARRIVAL, OTHER, 1);
    CHECK(observer.finding.rule == rule);
}

static void memory_is_bounded(void) {
    begin();
    for (uint32_t i = 0; i < MADE; i++) {
        takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, TASK, i);
        CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    }
    decide(MADE, TASK);
    takt_observer_runs(&observer, TASK, MADE);
    CHECK(observer.finding.rule == TAKT_OBSERVER_OK);
    takt_observer_made(&observer, TAKT_RECORD_ARRIVAL, OTHER, MADE);
    CHECK(observer.finding.rule == TAKT_OBSERVER_FULL && observer.finding.entity == OTHER);
}

#define CHECK_MESSAGE(constant, message) \
    CHECK(strcmp(takt_observer_message(TAKT_OBSERVER_##constant), message) == 0);

int main(void) {
    made = malloc(MADE * sizeof *made);
    CHECK(made != NULL);
    a_decision_may_take_its_time();
    an_event_may_take_its_time();
    the_lost_event_is_the_right_one();
    an_event_received_has_been_made(TAKT_RECORD_ARRIVAL, TASK, TAKT_OBSERVER_OK);
    an_event_received_has_been_made(TAKT_RECORD_ARRIVAL, OTHER, TAKT_OBSERVER_INVENTED);
    an_event_received_has_been_made(TAKT_RECORD_WAKE, TASK, TAKT_OBSERVER_INVENTED);
    the_earliest_event_makes_a_decision_outdated();
    a_thread_may_resume();
    a_fetch_in_vain_prolongs_a_signal();
    a_second_signal_does_not_prolong_the_first();
    a_fetch_follows_what_was_carried_out();
    a_sink_is_remote_if_the_next_one_is();
    the_program_may_ask();
    fetches_at_the_end_of_decisions_are_asked_for();
    slack_is_allowed_before_a_switch(2, TAKT_OBSERVER_OUTDATED);
    slack_is_allowed_before_a_switch(3, TAKT_OBSERVER_OK);
    memory_is_bounded();
    an_observer_begins_alike_in_any_memory();
    nothing_is_dropped_before_the_first_decision();
    TAKT_OBSERVER_RULES(CHECK_MESSAGE)
    check_sequences(one_log, SEQUENCES);
    for (uint32_t index = 0; index < DAMAGES; index++) {
        CHECK(getenv("TAKT_SYSTEMS") != NULL || found[index] > SEQUENCES / 20);
    }
    free(made);
    return check_report("test_observer");
}
