/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Requests of tasks of a rate-based system for new parameters, driven call by call: when they come into force, late calls
 * and calls between the steps of an instant included. */
#include "sim/sim.h"

#include "driven.h"

enum { LESS, OTHER, TOO_MUCH, CHANGES };
enum { TASKS = 5 };
enum { ASKED = 200, CALLS = 1000, SEQUENCES = 300 };

#define WHOLE TAKT_RATE_WHOLE

static const takt_rate_settings_t settings = {.beta = WHOLE / 10u, .grid = 1, .estimate_jobs = 8};

/* A hard task with half of the processor in a window of 4. */
static const takt_task_spec_t lone = {.period = 10,
                                      .relative_deadline = 4,
                                      .wcet = 2,
                                      .level = 1,
                                      .server = TAKT_ROOT,
                                      .weight = 1,
                                      .changes = true};

static const takt_change_spec_t changes[CHANGES] = {
    [LESS] = {.kind = TAKT_CHANGE_PARAMETERS, .period = 20, .relative_deadline = 5, .wcet = 1, .weight = 1},
    [OTHER] = {.kind = TAKT_CHANGE_PARAMETERS, .period = 6, .relative_deadline = 6, .wcet = 3, .weight = 1},
    [TOO_MUCH] =
        {.kind = TAKT_CHANGE_PARAMETERS, .period = 8, .relative_deadline = 8, .wcet = 8, .weight = 1},
};

static void make_rates(const takt_task_spec_t *tasks, uint32_t count, const takt_rate_settings_t *rates,
                       const takt_change_spec_t *requests, uint32_t request_count) {
    const takt_system_spec_t spec = {.policy = &takt_policy_rate_based,
                                     .levels = 1,
                                     .tasks = tasks,
                                     .task_count = count,
                                     .rates = rates,
                                     .changes = requests,
                                     .change_count = request_count};
    make_driven(&spec);
    for (uint32_t i = 0; i < count; i++) {
        tell(TAKT_EVENT_ENTER, task_entity(i), 0);
    }
}

static void make_lone(void) { make_rates(&lone, 1, &settings, changes, CHANGES); }

static void ask(uint64_t number, takt_instant_t now) {
    tell_of(TAKT_EVENT_CHANGE, driven.changes[number].entity, now, number);
}

static const takt_rate_target_t *has(uint32_t task) { return &driven.rates[task].now; }

static void a_request_is_in_force_from_the_end_of_the_window(void) {
    make_lone();
    check_decision(pass(0), task_entity(0), 2);
    ask(LESS, 1);
    check_decision(pass(1), task_entity(0), 2);
    CHECK(has(0)->rate == WHOLE / 2 && driven.rates[0].is_asking);
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(0), 2).entity == NULL);
    pass(4);
    CHECK(has(0)->rate == WHOLE / 5 && has(0)->budget == 1 && has(0)->period == 5);
    CHECK(driven.rate_based.reserved == WHOLE / 5);
    check_decision(pass(10), task_entity(0), 11);
    CHECK(driven.rates[0].next_release == 30);
    destroy_driven();
}

static void a_request_between_windows_is_in_force_at_once(void) {
    make_lone();
    pass(0);
    tell(TAKT_EVENT_COMPLETE, task_entity(0), 2);
    pass(4);
    ask(OTHER, 7);
    pass(7);
    CHECK(has(0)->budget == 3 && has(0)->period == 6);
    CHECK(driven.rates[0].next_release == 10);
    check_decision(pass(10), task_entity(0), 13);
    CHECK(driven.rates[0].next_release == 16);
    destroy_driven();
}

static void what_does_not_fit_changes_nothing(void) {
    make_lone();
    pass(0);
    ask(TOO_MUCH, 1);
    CHECK(!driven.rates[0].is_asking && driven.rates[0].request == WHOLE / 2);
    CHECK(driven.rate_based.requested[TAKT_CLASS_HARD] == WHOLE / 2);
    destroy_driven();
}

/* The job of 0 overruns up to 20, so that those of 10 and 20 wait; from then on they come every 6. */
static void jobs_that_wait_keep_their_releases(void) {
    static const takt_instant_t expected[] = {0, 10, 20, 26, 32};
    make_lone();
    check_decision(pass(0), task_entity(0), 2);
    CHECK(pass(2).entity == NULL);
    check_decision(pass(4), task_entity(0), 6);
    CHECK(pass(6).entity == NULL);
    ask(OTHER, 12);
    check_decision(pass(14), task_entity(0), 17);
    CHECK(driven.tasks[0].waiting == 1 && driven.rates[0].next_release == 20);
    for (uint32_t job = 0; job < 5; job++) {
        takt_instant_t now = job == 0 ? 15 : driven.rates[0].deadline;
        now = now > driven.tasks[0].job.release ? now : driven.tasks[0].job.release;
        pass(now);
        CHECK(driven.tasks[0].job.number == job && driven.tasks[0].job.release == expected[job]);
        tell(TAKT_EVENT_COMPLETE, task_entity(0), now + 1u);
        pass(driven.rates[0].deadline);
        if (driven.tasks[0].waiting == 0 && (task_entity(0)->state & TAKT_STATE_ACTIVE) == 0) {
            pass(driven.rates[0].next_release);
        }
    }
    destroy_driven();
}

/* What has not run yet is not ahead of its share: the window goes on at once, with the period that was asked for. */
static void an_extended_window_has_the_period_of_its_target(void) {
    const takt_change_spec_t slower = {.kind = TAKT_CHANGE_PARAMETERS,
                                       .task = 1,
                                       .period = 20,
                                       .relative_deadline = 20,
                                       .wcet = 2,
                                       .weight = 1,
                                       .task_class = TAKT_CLASS_SOFT};
    takt_task_spec_t tasks[] = {lone, lone};
    tasks[1].relative_deadline = 10;
    tasks[1].task_class = TAKT_CLASS_SOFT;
    takt_rate_settings_t in_flight = settings;
    in_flight.rule = TAKT_RATE_IN_FLIGHT;
    make_rates(tasks, 2, &in_flight, &slower, 1);
    check_decision(pass(0), task_entity(0), 2);
    CHECK(has(1)->rate == WHOLE / 5 && has(1)->period == 10);
    ask(0, 1);
    pass(1);
    CHECK(has(1)->rate == WHOLE / 10 && has(1)->budget == 2 && driven.rates[1].deadline > 10);
    CHECK(has(1)->period == 20);
    destroy_driven();
}

/* The second task has used up its budget at its deadline, which is the horizon: nothing is late. */
static void a_budget_is_charged_up_to_the_horizon(void) {
    takt_sim_t sim;
    const takt_sim_sinks_t none = {.context = NULL};
    takt_task_spec_t tasks[] = {lone, lone};
    takt_rate_settings_t all = settings;
    all.beta = 0;
    const takt_change_spec_t enters[] = {{.kind = TAKT_CHANGE_ENTER}, {.kind = TAKT_CHANGE_ENTER, .task = 1}};
    for (uint32_t i = 0; i < 2; i++) {
        tasks[i].relative_deadline = 10;
        tasks[i].task_class = TAKT_CLASS_SOFT;
        tasks[i].wcet = 5;
        tasks[i].demand = 5 + 20 * i;
    }
    const takt_system_spec_t spec = {.policy = &takt_policy_rate_based,
                                     .levels = 1,
                                     .tasks = tasks,
                                     .task_count = 2,
                                     .rates = &all,
                                     .changes = enters,
                                     .change_count = 2};
    CHECK(takt_sim_create(&sim, &spec, NULL));
    takt_sim_run(&sim, 10, &none, NULL);
    CHECK(sim.statistics[0].finished == 1 && sim.statistics[1].busy == 5);
    CHECK(sim.statistics[1].finished == 0 && sim.statistics[1].missed == 0);
    takt_sim_destroy(&sim);
}

/* Of 100 ticks, 99 are left when the soft task asks for a tenth more, so that four fifths of them are the budget. */
static void a_cut_leaves_what_the_target_rate_serves(void) {
    takt_task_spec_t tasks[] = {lone, lone};
    const takt_change_spec_t more = {.kind = TAKT_CHANGE_PARAMETERS,
                                     .task = 1,
                                     .period = 10,
                                     .relative_deadline = 10,
                                     .wcet = 2,
                                     .weight = 1,
                                     .task_class = TAKT_CLASS_SOFT};
    takt_rate_settings_t in_flight = settings;
    in_flight.rule = TAKT_RATE_IN_FLIGHT;
    in_flight.has_cuts = true;
    tasks[0].period = 100;
    tasks[0].relative_deadline = 100;
    tasks[0].task_class = TAKT_CLASS_NONE;
    tasks[1].relative_deadline = 10;
    tasks[1].task_class = TAKT_CLASS_SOFT;
    tasks[1].wcet = 1;
    make_rates(tasks, 2, &in_flight, &more, 1);
    check_decision(pass(0), task_entity(1), 1);
    CHECK(has(0)->budget == 90);
    ask(0, 1);
    pass(1);
    CHECK(has(0)->budget == 79 && driven.tasks[0].job.remaining == 79);
    destroy_driven();
}

/* The hard task leaves the soft one a single unit of rate: its window becomes as long as its budget then takes. */
static void the_least_rate_there_is_extends_a_window(void) {
    takt_task_spec_t tasks[] = {lone, lone};
    const takt_change_spec_t more = {.kind = TAKT_CHANGE_PARAMETERS,
                                     .task = 1,
                                     .period = WHOLE,
                                     .relative_deadline = WHOLE,
                                     .wcet = WHOLE - 1u,
                                     .weight = 1};
    takt_rate_settings_t in_flight = settings;
    in_flight.rule = TAKT_RATE_IN_FLIGHT;
    in_flight.beta = 0;
    tasks[0].relative_deadline = 10;
    tasks[0].task_class = TAKT_CLASS_SOFT;
    make_rates(tasks, 2, &in_flight, &more, 1);
    check_decision(pass(0), task_entity(1), 2);
    ask(0, 1);
    pass(1);
    CHECK(has(0)->rate == 1 && has(0)->budget == 2 && driven.rates[0].deadline == 1 + 2 * WHOLE);
    destroy_driven();
}

/* ---- at random ------------------------------------------------------------------------------------------- */

/* 0 .. most. */
static uint64_t draw(uint64_t most) { return check_below(most + 1u); }

static const takt_task_class_t classes[TASKS] = {TAKT_CLASS_HARD, TAKT_CLASS_SOFT, TAKT_CLASS_NONE,
                                                 TAKT_CLASS_HARD, TAKT_CLASS_SOFT};

static takt_change_spec_t any_request(uint32_t task) {
    const takt_duration_t period = 2u + draw(18);
    const takt_duration_t wcet = 1u + draw(period / 2u);
    const bool is_hard = classes[task] == TAKT_CLASS_HARD;
    return (takt_change_spec_t){.kind = TAKT_CHANGE_PARAMETERS,
                                .task = task,
                                .period = period,
                                .relative_deadline = is_hard ? wcet + draw(period - wcet) : period,
                                .wcet = wcet,
                                .level = 1,
                                .weight = 1u + draw(3),
                                .task_class = classes[task]};
}

static void make_any(takt_change_spec_t *requests) {
    takt_task_spec_t tasks[TASKS];
    for (uint32_t i = 0; i < ASKED; i++) {
        requests[i] = any_request((uint32_t)draw(TASKS - 1));
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        const takt_change_spec_t first = any_request(i);
        tasks[i] = lone;
        tasks[i].period = first.period;
        tasks[i].relative_deadline = first.relative_deadline;
        tasks[i].wcet = first.wcet;
        tasks[i].task_class = first.task_class;
        tasks[i].adapts = first.task_class == TAKT_CLASS_SOFT && draw(1) == 1;
    }
    const takt_rate_settings_t any = {.grid = 1,
                                      .rule = draw(1) == 0 ? TAKT_RATE_BOUNDARY : TAKT_RATE_IN_FLIGHT,
                                      .estimate_jobs = 2,
                                      .beta = draw(1) * WHOLE / 10u,
                                      .has_background = draw(1) == 1,
                                      .has_compression = draw(1) == 1,
                                      .has_cuts = draw(1) == 1};
    make_rates(tasks, TASKS, &any, requests, ASKED);
}

/* The ledger is the sum of what all have; a window of a hard task has the rate that its budget needs. */
static void check_ledger(void) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        sum += has(i)->rate;
        CHECK(classes[i] != TAKT_CLASS_HARD || driven.rates[i].stage != TAKT_RATE_IN ||
              has(i)->budget * WHOLE <= has(i)->rate * has(i)->period);
    }
    CHECK(driven.rate_based.reserved == sum && sum <= WHOLE);
}

static void call_any(takt_instant_t now, uint64_t *asked) {
    const uint64_t what = draw(9);
    takt_entity_t *running = driven.cpus->running;
    if (what == 0 && *asked < ASKED) {
        ask((*asked)++, now);
    } else if (what == 1) {
        tell(draw(2) > 0 ? TAKT_EVENT_ENTER : TAKT_EVENT_LEAVE, task_entity((uint32_t)draw(TASKS - 1)), now);
    } else if (what < 6 && running != NULL && takt_entity_is_ready(running)) {
        tell(TAKT_EVENT_COMPLETE, running, now);
    }
}

static void the_ledger_is_kept_whatever_comes_when(void) {
    static takt_change_spec_t requests[ASKED];
    uint64_t asked = 0;
    takt_instant_t now = 0;
    make_any(requests);
    for (uint32_t call = 0; call < CALLS; call++) {
        now += draw(2) > 0 ? draw(2) : draw(30);
        call_any(now, &asked);
        bool is_more_due = true;
        for (uint64_t steps = draw(6); steps > 0 && is_more_due; steps--) {
            takt_dispatcher_step(driven.dispatcher, now);
            is_more_due = takt_dispatcher_is_due(driven.dispatcher, now);
            check_ledger();
        }
        if (draw(3) > 0) {
            pass(now);
        }
        check_ledger();
    }
    destroy_driven();
}

int main(void) {
    a_request_is_in_force_from_the_end_of_the_window();
    a_request_between_windows_is_in_force_at_once();
    what_does_not_fit_changes_nothing();
    jobs_that_wait_keep_their_releases();
    an_extended_window_has_the_period_of_its_target();
    a_budget_is_charged_up_to_the_horizon();
    a_cut_leaves_what_the_target_rate_serves();
    the_least_rate_there_is_extends_a_window();
    check_sequences(the_ledger_is_kept_whatever_comes_when, SEQUENCES);
    return check_report("test_rates");
}
