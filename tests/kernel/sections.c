/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based threads that share resources: every misuse is told by its code, and makes nothing; and a job in a section is not
 * displaced by one that is more urgent and uses what it holds.
 *
 * What is wrong is one field at a time of parameters that are right; at the end they are used as they are. */
#include "kernel/mutex.h"
#include "kernel/rate.h"
#include "tests/conformance/conformance.h"

enum { HIGH, LOW, THREADS };

static takt_rates_t rates, with_records, not_made;
static takt_change_t changes[1];
static takt_resource_t resources[2], foreign;
static takt_rate_share_t shares[2];
static takt_rate_thread_t threads[THREADS], no_thread;
static takt_rate_section_t sections[THREADS];
static conformance_stack_t stacks[THREADS];
static takt_duration_t period;
static volatile uint32_t jobs;

static const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 1};

static void answer(takt_status_t status, takt_status_t expected, const char *what) {
    if (status != expected) {
        board_print(takt_status_message(status));
        board_print(", ");
        check(false, what);
    }
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

static void do_high(void *argument) {
    (void)argument;
    for (;;) {
        answer(takt_job_lock(&resources[0]), TAKT_OK, "what_is_locked_by_who_may_run_is_free");
        jobs++;
        answer(takt_job_unlock(&resources[0]), TAKT_OK, "it_is_unlocked");
        (void)takt_wait_next_period();
    }
}

static void wait_until(takt_instant_t instant) {
    while (takt_kernel_now() < instant) {
        board_pass();
    }
}

/* The next release of the more urgent thread. */
static takt_instant_t next_release(void) {
    takt_rate_state_t state;
    answer(takt_rate_thread_get(&threads[HIGH], &state), TAKT_OK, "a_state_is_told");
    return state.deadline;
}

static void refuse_locks(void) {
    answer(takt_job_lock(NULL), TAKT_ERROR_NULL, "a_lock_of_nothing");
    answer(takt_job_lock(&foreign), TAKT_ERROR_RESOURCE, "a_lock_of_what_is_not_shared");
    answer(takt_job_lock(&resources[1]), TAKT_ERROR_RESOURCE, "a_lock_without_a_section");
    answer(takt_job_unlock(&resources[0]), TAKT_ERROR_RESOURCE, "an_unlock_of_what_is_free");
    answer(takt_rates_share(&rates, resources, shares, 2), TAKT_ERROR_STARTED, "sharing_after_the_start");
}

static void be_displaced(void) {
    const takt_instant_t release = next_release();
    const uint32_t before = jobs;
    wait_until(release + period / 8);
    check(jobs > before, "outside_of_a_section_the_more_urgent_job_displaces");
}

static void hold(void) {
    const takt_instant_t release = next_release();
    wait_until(release - period / 8);
    answer(takt_job_lock(&resources[0]), TAKT_OK, "it_locks");
    answer(takt_job_lock(&resources[0]), TAKT_ERROR_RESOURCE, "it_locks_twice");
    const uint32_t before = jobs;
    wait_until(release + period / 8);
    check(jobs == before, "in_a_section_the_more_urgent_job_waits");
    answer(takt_job_unlock(&resources[0]), TAKT_OK, "it_unlocks");
    check(jobs == before + 1, "after_the_section_it_runs_at_once");
}

static void do_low(void *argument) {
    (void)argument;
    refuse_locks();
    be_displaced();
    hold();
    board_exit(0);
}

/* ---- set-up ----------------------------------------------------------------------------------------- */

#define WRONG_SETTINGS(field, value, expected)                                             \
    do {                                                                                   \
        takt_rate_settings_t wrong = settings;                                             \
        wrong.field = (value);                                                             \
        answer(takt_rates_init(&not_made, &wrong, NULL, 0), expected, "settings " #field); \
    } while (0)

static void refuse_rates(void) {
    answer(takt_rates_init(NULL, &settings, NULL, 0), TAKT_ERROR_NULL, "no_rates");
    answer(takt_rates_init(&not_made, NULL, NULL, 0), TAKT_ERROR_NULL, "no_settings");
    answer(takt_rates_init(&not_made, &settings, NULL, 1), TAKT_ERROR_NULL, "no_records");
    WRONG_SETTINGS(grid, 0, TAKT_ERROR_PERIOD);
    WRONG_SETTINGS(grid, TAKT_RATE_LONGEST + 1u, TAKT_ERROR_PERIOD);
    WRONG_SETTINGS(estimate_jobs, 0, TAKT_ERROR_SIZE);
    WRONG_SETTINGS(estimate_jobs, TAKT_RATE_JOBS + 1, TAKT_ERROR_SIZE);
    WRONG_SETTINGS(beta, TAKT_RATE_WHOLE + 1u, TAKT_ERROR_BUDGET);
}

static void make_shared(void) {
    answer(takt_rates_init(&with_records, &settings, changes, 1), TAKT_OK, "rates_with_records");
    answer(takt_rates_init(&rates, &settings, NULL, 0), TAKT_OK, "rates");
    answer(takt_rates_share(NULL, resources, shares, 2), TAKT_ERROR_NULL, "sharing_without_rates");
    answer(takt_rates_share(&rates, NULL, shares, 2), TAKT_ERROR_NULL, "sharing_without_resources");
    answer(takt_rates_share(&rates, resources, NULL, 2), TAKT_ERROR_NULL, "sharing_without_shares");
    answer(takt_rates_share(&rates, resources, shares, 0), TAKT_ERROR_LENGTH, "sharing_of_nothing");
    answer(takt_rates_share(&not_made, resources, shares, 2), TAKT_ERROR_OBJECT, "sharing_before_rates");
    answer(takt_rates_share(&with_records, resources, shares, 2), TAKT_ERROR_CHANGES, "sharing_with_records");
    answer(takt_rates_share(&rates, resources, shares, 2), TAKT_OK, "resources_are_shared");
    answer(takt_rates_share(&rates, resources, shares, 2), TAKT_ERROR_ORDER, "sharing_twice");
}

/* ---- threads ---------------------------------------------------------------------------------------- */

/* Half a period of the more urgent thread may be in a section, and a quarter is its own; the other one executes for 2 1/8 of
 * them. */
static takt_rate_parameters_t right(uint32_t number) {
    const takt_duration_t of_thread = number == HIGH ? period : 16 * period;
    sections[number].resource = &resources[0];
    sections[number].longest = number == HIGH ? period / 8 : period / 2;
    return (takt_rate_parameters_t){
        .thread = {.entry = number == HIGH ? do_high : do_low,
                   .stack = stacks[number],
                   .stack_bytes = STACK_BYTES},
        .rates = &rates,
        .type = TAKT_CLASS_HARD,
        .demand = {.wcet = number == HIGH ? period / 4 : 3 * period, .period = of_thread},
        .sections = &sections[number],
        .section_count = 1,
    };
}

#define WRONG(field, value, expected)                                                  \
    do {                                                                               \
        takt_rate_parameters_t wrong = right(HIGH);                                    \
        wrong.field = (value);                                                         \
        answer(takt_rate_thread_create(&no_thread, &wrong), expected, "rate " #field); \
    } while (0)

static void refuse_threads(void) {
    const takt_rate_parameters_t parameters = right(HIGH);
    answer(takt_rate_thread_create(NULL, &parameters), TAKT_ERROR_NULL, "no_thread");
    answer(takt_rate_thread_create(&no_thread, NULL), TAKT_ERROR_NULL, "no_parameters");
    WRONG(rates, NULL, TAKT_ERROR_NULL);
    WRONG(rates, &not_made, TAKT_ERROR_OBJECT);
    WRONG(thread.stack_bytes, 8, TAKT_ERROR_STACK);
    WRONG(demand.period, 0, TAKT_ERROR_PERIOD);
    WRONG(demand.relative_deadline, period + 1u, TAKT_ERROR_DEADLINE);
    WRONG(demand.wcet, 0, TAKT_ERROR_BUDGET);
    WRONG(type, TAKT_CLASS_NONE, TAKT_ERROR_BUDGET);
    WRONG(sections, NULL, TAKT_ERROR_NULL);
    WRONG(sections[0].resource, NULL, TAKT_ERROR_NULL);
    WRONG(sections[0].resource, &foreign, TAKT_ERROR_OBJECT);
    WRONG(sections[0].longest, 0, TAKT_ERROR_BUDGET);
    WRONG(sections[0].longest, period + 1u, TAKT_ERROR_BUDGET);
}

static void make_threads(void) {
    for (uint32_t number = HIGH; number < THREADS; number++) {
        const takt_rate_parameters_t parameters = right(number);
        answer(takt_rate_thread_create(&threads[number], &parameters), TAKT_OK, "a_thread_is_made");
    }
    const takt_rate_demand_t demand = right(HIGH).demand;
    answer(takt_rate_thread_request(&threads[HIGH], &demand), TAKT_ERROR_CHANGES,
           "who_shares_keeps_its_rate");
    answer(takt_rate_thread_enter(&threads[HIGH]), TAKT_OK, "one_enters");
    WRONG(section_count, 1, TAKT_ERROR_ORDER);
    answer(takt_rate_thread_enter(&threads[LOW]), TAKT_OK, "the_other_one_enters");
    answer(takt_rates_init(&not_made, &settings, NULL, 0), TAKT_ERROR_ORDER, "rates_after_threads");
}

int main(void) {
    board_begin();
    period = board_span(400 * 1000);
    answer(takt_rates_share(&not_made, resources, shares, 2), TAKT_ERROR_OBJECT, "before_init");
    kernel_begin_under(&takt_policy_rate_based, (CONFORMANCE_TRACED) != 0);
    refuse_rates();
    make_shared();
    refuse_threads();
    make_threads();
    kernel_go();
}
