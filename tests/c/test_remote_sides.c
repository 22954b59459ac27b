/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The scheduler side of remote/ by itself: what each message does, and what no message does. */
#include <string.h>

#include "policy/table.h"
#include "remote/scheduler.h"
#include "sim/system.h"

#include "check.h"

enum { URGENT, LONG, EVENTS, TASKS, RECORDS = 256 };

static const takt_task_spec_t tasks[TASKS] = {
    [URGENT] = {.period = 10,
                .offset = 5,
                .relative_deadline = 4,
                .wcet = 3,
                .demand = 3,
                .level = 1,
                .server = TAKT_ROOT,
                .on_miss = TAKT_ON_MISS_ABORT},
    [LONG] =
        {.period = 100, .relative_deadline = 90, .wcet = 50, .demand = 50, .level = 2, .server = TAKT_ROOT},
    [EVENTS] = {.period = 100,
                .relative_deadline = 100,
                .wcet = 1,
                .demand = 1,
                .level = 3,
                .server = TAKT_ROOT,
                .is_external = true,
                .ring = 1},
};

/* Entity numbers: the root is 0. */
static uint32_t number_of(uint32_t task) { return 1u + task; }

static takt_system_t built;
static takt_scheduler_t scheduler;
static takt_message_t deferred[TASKS];
static takt_record_t records[RECORDS];
static uint32_t count;

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(count < RECORDS);
    records[count++] = *record;
}

static uint32_t count_of(takt_record_kind_t kind) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found += records[i].kind == kind;
    }
    return found;
}

static takt_answer_t fetch(uint32_t sequence, takt_instant_t now) {
    takt_answer_t answer;
    memset(&answer, 0xA5, sizeof answer);
    takt_scheduler_fetch(&scheduler, &(takt_fetch_t){.sequence = sequence}, now, &answer);
    return answer;
}

static takt_receipt_t receive(takt_event_kind_t kind, uint32_t task, uint32_t job, takt_instant_t seen,
                              takt_instant_t now) {
    const takt_message_t message = {
        .seen = seen, .value = seen, .entity = number_of(task), .job = job, .kind = kind};
    return takt_scheduler_receive(&scheduler, &message, now);
}

static const takt_entity_t *running(void) { return built.cpus->running; }

/* The long job runs from 0 on. The memory of the scheduler need not be zeroed. */
static void begin(void) {
    static takt_trace_t trace = {.record = keep, .is_remote = true};
    static const takt_system_spec_t spec = {
        .policy = &takt_policy_fp, .levels = 3, .tasks = tasks, .task_count = TASKS};
    count = 0;
    CHECK(takt_system_create(&built, &spec));
    takt_dispatcher_record_to(built.dispatcher, &trace);
    memset(&scheduler, 0xA5, sizeof scheduler);
    takt_scheduler_init(&scheduler, &built, deferred);
    CHECK(takt_scheduler_next(&scheduler) == TAKT_NEVER && scheduler.last == TAKT_RECEIPT_RECEIVED);
    const takt_answer_t first = fetch(0, 0);
    CHECK(first.is_decision && first.entity == number_of(LONG) && first.job == 0 && first.number == 1);
    CHECK(first.until == TAKT_NOT_TOLD && first.deadline == 90 && !first.is_missed);
}

static void end(void) { takt_system_destroy(&built); }

/* A release changes nothing that runs: it signals, once, and the fetch decides. */
static void check_a_decision_takes_effect_at_the_fetch(void) {
    begin();
    const takt_entity_t *before = running();
    CHECK(takt_scheduler_next(&scheduler) == 5);
    CHECK(takt_scheduler_pass(&scheduler, 5));
    CHECK(!takt_scheduler_pass(&scheduler, 6));
    CHECK(running() == before && count_of(TAKT_RECORD_DECISION) == 1 && count_of(TAKT_RECORD_SIGNAL) == 1);
    const takt_answer_t answer = fetch(0, 7);
    CHECK(answer.entity == number_of(URGENT) && answer.release == 5 && answer.deadline == 9);
    CHECK(running() != before && records[count - 1u].now == 7);
    end();
}

/* The job ends at its deadline. What it does later is stale; the next job is not touched. */
static void check_events_of_a_job_that_has_ended_are_stale(void) {
    begin();
    CHECK(takt_scheduler_pass(&scheduler, 5));
    CHECK(fetch(0, 5).entity == number_of(URGENT));
    CHECK(takt_scheduler_pass(&scheduler, 9) && count_of(TAKT_RECORD_ABORT) == 1);
    CHECK(receive(TAKT_EVENT_COMPLETE, URGENT, 0, 8, 10) == TAKT_RECEIPT_STALE);
    const takt_record_t *last = &records[count - 1u];
    CHECK(last->kind == TAKT_RECORD_STALE && last->job == 0 && last->value == TAKT_RECORD_COMPLETE);
    CHECK(last[-1].kind == TAKT_RECORD_LATE && last[-1].value == 8 && last[-1].now == 10);
    CHECK(built.tasks[URGENT].job.number == 1 && count_of(TAKT_RECORD_COMPLETE) == 0);
    CHECK(fetch(1, 10).entity == number_of(LONG));
    end();
}

static void check_a_fetch_waits_for_the_events_that_it_names(void) {
    begin();
    const takt_entity_t *before = running();
    const takt_answer_t early = fetch(1, 16);
    CHECK(!early.is_decision && early.sequence == 0);
    CHECK(running() == before && count_of(TAKT_RECORD_DECISION) == 1);
    CHECK(records[count - 1u].kind == TAKT_RECORD_DROPPED && records[count - 1u].value == 0);
    CHECK(receive(TAKT_EVENT_COMPLETE, LONG, 0, 15, 17) == TAKT_RECEIPT_RECEIVED);
    const takt_answer_t answer = fetch(1, 17);
    CHECK(answer.is_decision && answer.sequence == 1 && answer.number == 2);
    CHECK(answer.entity == number_of(URGENT) && answer.job == 1 && answer.release == 15);
    CHECK(!answer.is_missed && answer.deadline == 19);
    end();
}

static void check_a_decision_says_that_the_deadline_has_passed(void) {
    begin();
    CHECK(!fetch(0, 90).is_missed);
    const takt_answer_t answer = fetch(0, 93);
    CHECK(answer.entity == number_of(LONG) && answer.deadline == 90 && answer.is_missed);
    end();
}

static void check_a_decision_says_how_many_releases_wait(void) {
    begin();
    CHECK(fetch(0, 4).waiting == 0 && fetch(0, 93).waiting == 0);
    const takt_answer_t answer = fetch(0, 250);
    CHECK(answer.entity == number_of(LONG) && answer.job == 0 && answer.waiting == 2);
    CHECK(answer.change == TAKT_NO_CHANGE);
    end();
}

static void check_a_decision_for_nothing_tells_no_job(void) {
    begin();
    CHECK(receive(TAKT_EVENT_COMPLETE, LONG, 0, 4, 4) == TAKT_RECEIPT_RECEIVED);
    const takt_answer_t answer = fetch(1, 4);
    CHECK(answer.is_decision && answer.entity == TAKT_NO_ENTITY && answer.number == 2);
    CHECK(answer.job == 0 && answer.release == 0 && answer.deadline == 0 && answer.waiting == 0);
    CHECK(!answer.is_missed && answer.change == TAKT_NO_CHANGE && answer.until == TAKT_NOT_TOLD);
    end();
}

static void check_a_decision_that_was_dropped_is_recorded(void) {
    begin();
    takt_answer_t answer;
    takt_scheduler_fetch(&scheduler, &(takt_fetch_t){.has_dropped = true}, 1, &answer);
    CHECK(answer.is_decision && answer.number == 2 && count_of(TAKT_RECORD_DECISION) == 2);
    CHECK(count_of(TAKT_RECORD_DROPPED) == 1);
    end();
}

static void check_wrong_messages_are_refused_and_change_nothing(void) {
    begin();
    const uint32_t before = count;
    CHECK(receive(TAKT_EVENT_COMPLETE, LONG, 0, 9, 8) == TAKT_RECEIPT_AHEAD);
    CHECK(receive(TAKT_EVENT_COMPLETE, TASKS, 0, 8, 8) == TAKT_RECEIPT_UNKNOWN);
    CHECK(receive(TAKT_EVENT_TIME, LONG, 0, 8, 8) == TAKT_RECEIPT_UNKNOWN);
    CHECK(receive((takt_event_kind_t)TAKT_RECORD_DECISION, LONG, 0, 8, 8) == TAKT_RECEIPT_UNKNOWN);
    CHECK(receive(TAKT_EVENT_POINT, LONG, 0, 8, 8) == TAKT_RECEIPT_UNFIT);
    CHECK(receive(TAKT_EVENT_WAKE, LONG, 0, 8, 8) == TAKT_RECEIPT_UNFIT);
    CHECK(count == before && built.dispatcher->sequence == 0);
    CHECK(receive(TAKT_EVENT_ARRIVAL, EVENTS, 0, 8, 8) == TAKT_RECEIPT_RECEIVED);
    CHECK(receive(TAKT_EVENT_ARRIVAL, EVENTS, 0, 8, 8) == TAKT_RECEIPT_FULL);
    for (takt_receipt_t receipt = TAKT_RECEIPT_RECEIVED; receipt <= TAKT_RECEIPT_AHEAD; receipt++) {
        CHECK(takt_receipt_message(receipt) != takt_receipt_message(TAKT_RECEIPT_AHEAD + 1));
    }
    end();
}

int main(void) {
    check_a_decision_takes_effect_at_the_fetch();
    check_events_of_a_job_that_has_ended_are_stale();
    check_a_fetch_waits_for_the_events_that_it_names();
    check_a_decision_says_that_the_deadline_has_passed();
    check_a_decision_says_how_many_releases_wait();
    check_a_decision_for_nothing_tells_no_job();
    check_a_decision_that_was_dropped_is_recorded();
    check_wrong_messages_are_refused_and_change_nothing();
    return check_report("test_remote_sides");
}
