/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of rate-based threads: when a scheduler is refused, which threads have calls answered, and what is answered a
 * thread that requests to enter. On the fake port. */
#include "check.h"
#include "kernel/mutex.h"
#include "kernel/rate.h"
#include "policy/table.h"
#include "tests/fake_port/fake_port.h"

#include <string.h>

enum { THREADS = 5, RECORDS = 2 * THREADS, SEQUENCES = 600, OPERATIONS = 40, STAGES = 4 };

static const takt_rate_settings_t right = {.grid = 1, .estimate_jobs = 1};
static const takt_rate_demand_t small = {.wcet = 1, .period = 10};

static takt_rates_t rates;
static takt_change_t changes[RECORDS];
static takt_rate_thread_t threads[THREADS];
static uint64_t stacks[THREADS + 1][TAKT_STACK_BYTES_MIN / sizeof(uint64_t)];

static void entry(void *argument) { (void)argument; }

static takt_thread_parameters_t thread_of(uint32_t index) {
    return (takt_thread_parameters_t){
        .entry = entry, .stack = stacks[index], .stack_bytes = sizeof stacks[index], .priority = 1};
}

static void begin(const takt_policy_t *policy) {
    fake_port_reset();
    memset(&rates, 0, sizeof rates);
    memset(changes, 0, sizeof changes);
    memset(threads, 0, sizeof threads);
    CHECK(policy == NULL || takt_kernel_init(policy) == TAKT_OK);
}

static void create(uint32_t index, const takt_rate_demand_t *demand) {
    const takt_rate_parameters_t parameters = {
        .thread = thread_of(index), .rates = &rates, .type = TAKT_CLASS_HARD, .demand = *demand};
    CHECK(takt_rate_thread_create(&threads[index], &parameters) == TAKT_OK);
}

/* ---- settings and phases ------------------------------------------------------------------------------- */

static takt_status_t init_with(takt_rate_settings_t settings) {
    return takt_rates_init(&rates, &settings, changes, RECORDS);
}

/* Settings at each limit, and one beyond it. */
static const struct {
    takt_rate_settings_t settings;
    takt_status_t status;
} limits[] = {
    {{.grid = 0, .estimate_jobs = 1}, TAKT_ERROR_PERIOD},
    {{.grid = TAKT_RATE_LONGEST, .estimate_jobs = 1}, TAKT_OK},
    {{.grid = TAKT_RATE_LONGEST + 1u, .estimate_jobs = 1}, TAKT_ERROR_PERIOD},
    {{.grid = 1, .estimate_jobs = 0}, TAKT_ERROR_SIZE},
    {{.grid = 1, .estimate_jobs = TAKT_RATE_JOBS}, TAKT_OK},
    {{.grid = 1, .estimate_jobs = TAKT_RATE_JOBS + 1u}, TAKT_ERROR_SIZE},
    {{.grid = 1, .estimate_jobs = 1, .beta = TAKT_RATE_WHOLE}, TAKT_OK},
    {{.grid = 1, .estimate_jobs = 1, .beta = TAKT_RATE_WHOLE + 1u}, TAKT_ERROR_BUDGET},
    {{.grid = 1, .estimate_jobs = 1, .sigma = TAKT_RATE_WHOLE}, TAKT_OK},
    {{.grid = 1, .estimate_jobs = 1, .sigma = TAKT_RATE_WHOLE + 1u}, TAKT_ERROR_BUDGET},
    {{.grid = 1, .estimate_jobs = 1, .beta = TAKT_RATE_WHOLE, .sigma = 1}, TAKT_ERROR_BUDGET},
};

static void make_thread(void) {
    static takt_thread_t thread;
    const takt_thread_parameters_t parameters = thread_of(THREADS);
    memset(&thread, 0, sizeof thread);
    CHECK(takt_thread_create(&thread, &parameters) == TAKT_OK);
}

/* What is wrong with the kernel is said with right settings and with wrong ones. */
static void check_kernel_refuses(takt_status_t status) {
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        CHECK(init_with(limits[i].settings) == status && rates.based.allocation.dispatcher == NULL);
    }
}

static void a_scheduler_is_refused_before_anything_is_made(void) {
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        begin(&takt_policy_rate_based);
        CHECK(init_with(limits[i].settings) == limits[i].status);
        CHECK((rates.based.allocation.dispatcher != NULL) == (limits[i].status == TAKT_OK));
    }
    begin(NULL);
    check_kernel_refuses(TAKT_ERROR_NOT_INITIALISED);
    begin(&takt_policy_edf);
    check_kernel_refuses(TAKT_ERROR_POLICY);
    begin(&takt_policy_rate_based);
    make_thread();
    check_kernel_refuses(TAKT_ERROR_ORDER);
    CHECK(fake_port_start_kernel() == TAKT_OK);
    check_kernel_refuses(TAKT_ERROR_STARTED);
    CHECK(takt_rates_init(NULL, &right, changes, RECORDS) == TAKT_ERROR_NULL);
    CHECK(takt_rates_init(&rates, NULL, changes, RECORDS) == TAKT_ERROR_NULL);
    CHECK(takt_rates_init(&rates, &right, NULL, RECORDS) == TAKT_ERROR_NULL);
}

/* ---- threads that were made, and that were not --------------------------------------------------------- */

static takt_status_t request(takt_rate_thread_t *thread) { return takt_rate_thread_request(thread, &small); }

static takt_status_t request_from_isr(takt_rate_thread_t *thread) {
    return takt_rate_thread_request_from_isr(thread, &small);
}

static takt_status_t get(takt_rate_thread_t *thread) {
    takt_rate_state_t state;
    return takt_rate_thread_get(thread, &state);
}

/* A call, and where it may be made. */
static const struct {
    takt_status_t (*call)(takt_rate_thread_t *thread);
    bool is_of_isr, is_of_threads;
} calls[] = {
    {takt_rate_thread_enter, false, true},
    {takt_rate_thread_enter_from_isr, true, false},
    {request, false, true},
    {request_from_isr, true, false},
    {takt_rate_thread_leave, false, true},
    {takt_rate_thread_leave_from_isr, true, false},
    {get, true, true},
};

/* What a call is answered that is in place, of a thread that was made, or was not; one that leaves is rejected. */
static bool is_answer(takt_status_t status, const takt_rate_thread_t *thread, bool is_in_place) {
    if (thread == NULL || thread != &threads[0]) {
        return status == (thread == NULL ? TAKT_ERROR_NULL : TAKT_ERROR_OBJECT);
    }
    const takt_status_t elsewhere = fake_port.is_in_isr ? TAKT_ERROR_IN_ISR : TAKT_ERROR_NOT_IN_ISR;
    return is_in_place ? status == TAKT_OK || status == TAKT_REJECTED : status == elsewhere;
}

static void make_all_calls(void *thread) {
    for (uint32_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const bool is_in_place = fake_port.is_in_isr ? calls[i].is_of_isr : calls[i].is_of_threads;
        CHECK(is_answer(calls[i].call(thread), thread, is_in_place));
    }
}

static void calls_are_answered_of_threads_that_were_made(void) {
    begin(&takt_policy_rate_based);
    CHECK(init_with(right) == TAKT_OK);
    create(0, &small);
    for (uint32_t started = 0; started < 2; started++) {
        make_all_calls(NULL);
        make_all_calls(&threads[0]);
        make_all_calls(&threads[1]);
        CHECK(started == 1 || fake_port_start_kernel() == TAKT_OK);
    }
    fake_port_interrupt(make_all_calls, NULL);
    fake_port_interrupt(make_all_calls, &threads[0]);
    fake_port_interrupt(make_all_calls, &threads[1]);
}

/* ---- requests to enter ------------------------------------------------------------------------------------ */

static uint64_t answers[STAGES][2]; /* by the stage after the request; admitted or rejected */

static takt_rate_state_t state_of(uint32_t thread) {
    takt_rate_state_t state;
    CHECK(takt_rate_thread_get(&threads[thread], &state) == TAKT_OK);
    return state;
}

/* Admitted is who waits for room or has entered; all rates together are at most the processor. */
static void enter(uint32_t thread) {
    const takt_rate_stage_t before = state_of(thread).stage;
    const takt_status_t status = takt_rate_thread_enter(&threads[thread]);
    const takt_rate_stage_t stage = state_of(thread).stage;
    const bool is_admitted = stage == TAKT_RATE_WAITING || stage == TAKT_RATE_IN;
    CHECK(status == (is_admitted ? TAKT_OK : TAKT_REJECTED));
    CHECK(is_admitted || stage == before);
    answers[stage][is_admitted]++;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        sum += state_of(i).rate;
    }
    CHECK(sum <= TAKT_RATE_WHOLE);
}

static void timer_handler(void *argument) {
    (void)argument;
    takt_kernel_timer_expired();
}

static void let_time_pass(void) {
    fake_port.now += check_below(4);
    if (fake_port.now >= fake_port.until) {
        fake_port_interrupt(timer_handler, NULL);
    }
}

static void who_is_admitted_is_answered_so(void) {
    begin(&takt_policy_rate_based);
    CHECK(init_with(right) == TAKT_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        const takt_duration_t period = 4 + check_below(12);
        const takt_rate_demand_t demand = {.wcet = 1 + check_below(period - 1u), .period = period};
        create(i, &demand);
    }
    make_thread();
    CHECK(fake_port_start_kernel() == TAKT_OK);
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        const uint32_t thread = (uint32_t)check_below(THREADS);
        if (check_below(3) > 0) {
            enter(thread);
        } else {
            CHECK(takt_rate_thread_leave(&threads[thread]) == TAKT_OK);
        }
        let_time_pass();
    }
}

int main(void) {
    a_scheduler_is_refused_before_anything_is_made();
    calls_are_answered_of_threads_that_were_made();
    check_sequences(who_is_admitted_is_answered_so, SEQUENCES);
    CHECK(getenv("TAKT_SYSTEMS") != NULL || (answers[TAKT_RATE_WAITING][1] > 0 &&
                                             answers[TAKT_RATE_IN][1] > 0 && answers[TAKT_RATE_OUT][0] > 0));
    return check_report("test_rate_requests");
}
