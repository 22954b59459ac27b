/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* libtakt against a script that plays the scheduler: each status, and each race of the rules of linux/slot.h. */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "core/dispatcher.h"
#include "linux/lib/takt_linux.h"
#include "linux/slot.h"
#include "policy/rate_based.h"
#include "remote/scheduler.h"

enum { PERIOD = 100, DEADLINE = 80, SECONDS = 5 };

/* ---- the kernel, as the script says ------------------------------------------------------------------- */

static takt_linux_slot_t shared; /* the slot of the thread */
static uint64_t now;
static uint32_t yields, sleeps;
static bool has_ext, has_processor, has_memory;
static int class_is_ext; /* of the last call */
static void (*at_yield)(void), (*at_sleep)(void), (*at_entry)(void);

static void nothing(void) {}

int __wrap_sched_yield(void);
int __wrap_sched_yield(void) {
    yields++;
    CHECK(yields < 100);
    at_yield();
    return 0;
}

static uint64_t slept_until;

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    (void)left;
    CHECK(clock == CLOCK_MONOTONIC && flags == TIMER_ABSTIME);
    sleeps++;
    CHECK(sleeps < 100);
    slept_until = (uint64_t)(until->tv_sec - SECONDS) * 1000000000u + (uint64_t)until->tv_nsec;
    if (slept_until > now) {
        at_sleep();
    }
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    CHECK(clock == CLOCK_MONOTONIC);
    time->tv_sec = (time_t)(SECONDS + now / 1000000000u);
    time->tv_nsec = (long)(now % 1000000000u);
    return 0;
}

bool __wrap_takt_linux_set_class(int32_t thread, bool is_ext);
bool __wrap_takt_linux_set_class(int32_t thread, bool is_ext) {
    CHECK(thread == (int32_t)getpid());
    class_is_ext = is_ext;
    if (is_ext && shared.request == TAKT_SLOT_ARRIVAL) {
        at_entry();
    }
    return has_ext;
}

bool __wrap_takt_linux_bind(int32_t cpu);
bool __wrap_takt_linux_bind(int32_t cpu) { return cpu == 3 && has_processor; }

bool __wrap_takt_linux_lock_memory(void);
bool __wrap_takt_linux_lock_memory(void) { return has_memory; }

static uint64_t instant(uint64_t ns) { return SECONDS * UINT64_C(1000000000) + ns; }

/* Job `number` of the periodic task is current from now on. */
static void release(uint32_t number) {
    shared.job = number;
    shared.state |= TAKT_SLOT_HAS_JOB;
    shared.release_ns = instant(number * PERIOD);
    shared.deadline_ns = instant(number * PERIOD + DEADLINE);
    shared.next_release_ns = instant((number + 1u) * PERIOD);
}

static uint32_t taken; /* kind of the last request */

static void answer(takt_receipt_t receipt) {
    taken = shared.request;
    CHECK(taken != TAKT_SLOT_NONE);
    shared.receipt = receipt;
    shared.answered++;
    shared.request = TAKT_SLOT_NONE;
}

/* Takes COMPLETE and releases the next job when its instant comes, as rules 2 and 3 say. */
static void complete_and_release(void) {
    if (shared.request != TAKT_SLOT_NONE) {
        CHECK(shared.request == TAKT_SLOT_COMPLETE && shared.request_job == shared.job);
        answer(TAKT_RECEIPT_RECEIVED);
    }
    now = now < (shared.job + 1u) * PERIOD ? (shared.job + 1u) * PERIOD : now;
    shared.waiting -= shared.waiting > 0;
    release(shared.job + 1u);
}

static void release_first(void) {
    now = 0;
    release(0);
}

/* ---- joining ------------------------------------------------------------------------------------------ */

static bool agrees = true;
static int32_t bound;

static bool bind(void *context, const takt_linux_place_t *place, int32_t thread, bool is_bound) {
    CHECK(place->entity == 4);
    *(int32_t *)context = is_bound ? thread : 0;
    return agrees;
}

static takt_linux_place_t places[2];
static takt_linux_table_t table = {.places = places, .count = 2, .context = &bound, .bind = bind};
static takt_linux_transport_t transport;
static const takt_linux_parameters_t motor = {.name = "motor"};

static void begin_test(void) {
    (void)takt_linux_leave();
    memset(&shared, 0, sizeof shared);
    shared.state = TAKT_SLOT_ATTACHED;
    now = 0;
    yields = 0;
    sleeps = 0;
    at_yield = nothing;
    at_sleep = nothing;
    has_ext = has_processor = has_memory = agrees = true;
    places[0] = (takt_linux_place_t){.name = NULL, .entity = 3, .cpu = -1};
    places[1] = (takt_linux_place_t){.name = "motor", .entity = 4, .cpu = 3, .slot = &shared};
    transport = takt_linux_table(&table);
}

static void join(void) {
    begin_test();
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_OK);
}

static void begin_job(uint32_t number) {
    join();
    release(number);
    now = number * PERIOD;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(yields == 0 && sleeps == 0);
}

static void a_thread_joins_and_leaves(void) {
    begin_test();
    CHECK(takt_linux_self() == NULL && !takt_linux_should_yield());
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_OK);
    CHECK(bound == 0 && class_is_ext == 0 && takt_linux_self() != NULL);
    release(0);
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(bound == (int32_t)getpid() && class_is_ext == 1);
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_ERROR_JOINED);
    shared.should_yield = 1;
    CHECK(takt_linux_should_yield() && takt_linux_optional_point());
    CHECK(takt_linux_leave() == TAKT_LINUX_OK);
    CHECK(bound == 0 && class_is_ext == 0 && takt_linux_self() == NULL && !takt_linux_should_yield());
    const takt_linux_parameters_t by_number = {.entity = 4, .stack_bytes = 1000};
    CHECK(takt_linux_join(&transport, &by_number) == TAKT_LINUX_OK);
}

static void joining_is_refused(void) {
    const takt_linux_parameters_t unknown = {.name = "pump"}, number = {.entity = 5};
    begin_test();
    CHECK(takt_linux_join(NULL, &motor) == TAKT_LINUX_ERROR_NULL);
    CHECK(takt_linux_join(&transport, NULL) == TAKT_LINUX_ERROR_NULL);
    CHECK(takt_linux_join(&transport, &unknown) == TAKT_LINUX_ERROR_NAME);
    CHECK(takt_linux_join(&transport, &number) == TAKT_LINUX_ERROR_NAME);
    places[1].thread = 77;
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_ERROR_TAKEN);
    places[1].thread = 0;
    has_processor = false;
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_ERROR_PROCESSOR);
    has_processor = true;
    CHECK(places[1].thread == 0);
    has_memory = false;
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_NOT_IN_MEMORY);
    agrees = false;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED && class_is_ext == 0);
    agrees = true;
    has_ext = false;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_CLASS);
    has_ext = true;
    release(0);
    CHECK(takt_linux_wait() == TAKT_LINUX_OK && class_is_ext == 1);
}

static void a_thread_that_has_not_joined_makes_no_call(void) {
    takt_linux_job_t job;
    takt_linux_counts_t counts;
    begin_test();
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_NOT_JOINED);
    CHECK(takt_linux_leave() == TAKT_LINUX_ERROR_NOT_JOINED);
    CHECK(takt_linux_yield() == TAKT_LINUX_ERROR_NOT_JOINED);
    CHECK(takt_linux_point() == TAKT_LINUX_OK && takt_linux_meet_point() == TAKT_LINUX_ERROR_NOT_JOINED);
    CHECK(takt_linux_job(&job) == TAKT_LINUX_ERROR_NOT_JOINED &&
          takt_linux_job(NULL) == TAKT_LINUX_ERROR_NULL);
    CHECK(takt_linux_counts(&counts) == TAKT_LINUX_ERROR_NOT_JOINED);
    CHECK(takt_linux_counts(NULL) == TAKT_LINUX_ERROR_NULL && !takt_linux_is_aborted());
    join();
    CHECK(takt_linux_job(&job) == TAKT_LINUX_ERROR_NO_JOB);
    CHECK(takt_linux_yield() == TAKT_LINUX_ERROR_NO_JOB && takt_linux_lock(0) == TAKT_LINUX_ERROR_NO_JOB);
    CHECK(yields == 0 && shared.request == TAKT_SLOT_NONE);
}

static void the_child_of_fork_has_not_joined(void) {
    begin_job(0);
    shared.should_yield = 1;
    const pid_t child = fork();
    if (child == 0) {
        _exit(takt_linux_wait() == TAKT_LINUX_ERROR_NOT_JOINED && !takt_linux_should_yield() ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(takt_linux_self() != NULL && takt_linux_should_yield());
}

/* ---- from job to job ---------------------------------------------------------------------------------- */

static void check_counts(uint32_t completed, uint32_t missed, uint32_t overruns, uint32_t aborted,
                         uint32_t lost) {
    takt_linux_counts_t counts;
    CHECK(takt_linux_counts(&counts) == TAKT_LINUX_OK);
    CHECK(counts.completed == completed && counts.missed == missed && counts.overruns == overruns);
    CHECK(counts.aborted == aborted && counts.lost == lost);
}

static void check_job(uint32_t number) {
    takt_linux_job_t job;
    CHECK(takt_linux_job(&job) == TAKT_LINUX_OK);
    CHECK(job.number == number && job.release_ns == instant(number * PERIOD));
    CHECK(job.deadline_ns == job.release_ns + DEADLINE && job.next_release_ns == job.release_ns + PERIOD);
    CHECK(!job.is_aborted && job.is_missed == (now > number * PERIOD + DEADLINE));
    CHECK(job.waiting == shared.waiting && job.change == shared.change);
}

static void the_first_job_may_be_released_later(void) {
    join();
    at_yield = release_first;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(yields == 1 && sleeps == 0);
    check_job(0);
    join();
    shared.next_release_ns = instant(PERIOD);
    at_sleep = complete_and_release;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(yields == 0 && sleeps == 1 && slept_until == PERIOD);
}

static void a_job_ends_in_its_sleep(void) {
    begin_job(0);
    at_sleep = complete_and_release;
    now = 80;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(sleeps == 1 && yields == 0 && slept_until == PERIOD && shared.answered == 1);
    check_job(1);
    now = 190;
    check_job(1);
    CHECK(takt_linux_wait() == TAKT_LINUX_MISSED);
    check_counts(2, 1, 0, 0, 0);
}

static void a_job_that_waits_begins_without_a_sleep(void) {
    begin_job(0);
    shared.waiting = 1;
    shared.deadline_ns = 0;
    shared.next_release_ns = instant(2 * PERIOD);
    now = 120;
    at_yield = complete_and_release;
    check_counts(0, 0, 0, 0, 0);
    CHECK(takt_linux_wait() == TAKT_LINUX_OVERRUN);
    CHECK(sleeps == 0 && yields == 1);
    check_job(1);
    check_counts(1, 0, 1, 0, 0);
}

/* The release came, and the scheduler has not written it yet. */
static void a_sleep_that_did_not_sleep_hands_over_by_a_yield(void) {
    begin_job(0);
    shared.deadline_ns = 0;
    now = 101;
    at_yield = complete_and_release;
    CHECK(takt_linux_wait() == TAKT_LINUX_OVERRUN);
    CHECK(sleeps == 1 && yields == 1);
    check_job(1);
}

static void fall_asleep(void) {
    if (shared.request != TAKT_SLOT_NONE) {
        answer(TAKT_RECEIPT_RECEIVED);
        shared.state = TAKT_SLOT_ATTACHED;
    }
    now += 10;
    if (now >= PERIOD) {
        release(1);
    }
}

static void a_sleep_may_end_early(void) {
    begin_job(0);
    at_sleep = fall_asleep;
    now = 75;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    CHECK(sleeps == 3 && yields == 0 && shared.answered == 1);
    check_job(1);
}

static void a_signal_may_come_before_the_sleep(void) {
    begin_job(0);
    at_yield = complete_and_release;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK); /* the sleep returned with the request */
    CHECK(sleeps == 1 && yields == 1);
    check_job(1);
}

/* ---- jobs that the scheduler ends --------------------------------------------------------------------- */

static void a_job_that_was_ended_is_not_completed(void) {
    begin_job(0);
    release(1);
    CHECK(takt_linux_is_aborted());
    CHECK(takt_linux_yield() == TAKT_LINUX_ABORTED && takt_linux_lock(0) == TAKT_LINUX_ABORTED);
    CHECK(takt_linux_suspend_until(instant(500)) == TAKT_LINUX_ABORTED);
    takt_linux_job_t job;
    CHECK(takt_linux_job(&job) == TAKT_LINUX_OK && job.is_aborted && job.number == 0);
    CHECK(takt_linux_wait() == TAKT_LINUX_ABORTED);
    CHECK(yields == 0 && sleeps == 0 && shared.answered == 0);
    check_job(1);
    check_counts(0, 0, 0, 1, 0);
    release(4);
    CHECK(takt_linux_wait() == TAKT_LINUX_ABORTED);
    check_counts(0, 0, 0, 2, 2);
}

static void a_job_that_was_ended_may_have_no_successor_yet(void) {
    begin_job(0);
    shared.state = TAKT_SLOT_ATTACHED;
    now = 85;
    CHECK(takt_linux_is_aborted());
    at_sleep = complete_and_release;
    CHECK(takt_linux_wait() == TAKT_LINUX_ABORTED);
    CHECK(sleeps == 1 && yields == 0 && shared.answered == 0);
    check_job(1);
}

static void end_before(void) {
    answer(TAKT_RECEIPT_STALE);
    now = PERIOD;
    release(1);
}

static void a_job_may_be_ended_before_its_completion_is_received(void) {
    begin_job(0);
    at_sleep = end_before;
    CHECK(takt_linux_wait() == TAKT_LINUX_ABORTED);
    check_job(1);
    check_counts(0, 0, 0, 1, 0);
}

static void a_job_may_be_ended_while_it_waits(void) {
    begin_job(0);
    at_yield = end_before;
    CHECK(takt_linux_lock(1) == TAKT_LINUX_ABORTED);
    CHECK(takt_linux_wait() == TAKT_LINUX_ABORTED);
    check_job(1);
}

/* ---- what a job does ---------------------------------------------------------------------------------- */

static void receive(void) { answer(TAKT_RECEIPT_RECEIVED); }

static void receive_late(void) {
    now += 30;
    answer(TAKT_RECEIPT_RECEIVED);
}

static void refuse(void) { answer(TAKT_RECEIPT_UNFIT); }

static void fill(void) { answer(TAKT_RECEIPT_FULL); }

static void find_unknown(void) { answer(TAKT_RECEIPT_UNKNOWN); }

static void resources_are_locked(void) {
    begin_job(0);
    at_yield = receive_late;
    CHECK(takt_linux_lock(7) == TAKT_LINUX_OK);
    CHECK(now == 30 && taken == TAKT_SLOT_LOCK && shared.request_value == 7 && shared.request_job == 0);
    CHECK(takt_linux_unlock(7) == TAKT_LINUX_OK && taken == TAKT_SLOT_UNLOCK);
    at_yield = find_unknown;
    CHECK(takt_linux_lock(70) == TAKT_LINUX_ERROR_RESOURCE);
    at_yield = refuse;
    CHECK(takt_linux_unlock(7) == TAKT_LINUX_ERROR_RESOURCE);
    CHECK(takt_linux_yield() == TAKT_LINUX_ERROR_REFUSED && taken == TAKT_SLOT_YIELD);
    CHECK(sleeps == 0 && shared.answered == 5);
}

static void points_make_no_call_while_no_entity_waits(void) {
    begin_job(0);
    const volatile uint32_t *flag = takt_linux_flag;
    CHECK(takt_linux_point() == TAKT_LINUX_OK && !takt_linux_optional_point());
    CHECK(takt_linux_point_by(flag) == TAKT_LINUX_OK && yields == 0);
    shared.should_yield = 1;
    at_yield = receive;
    CHECK(takt_linux_optional_point() && yields == 0);
    CHECK(takt_linux_point() == TAKT_LINUX_OK && taken == TAKT_SLOT_POINT && yields == 1);
    CHECK(shared.request == TAKT_SLOT_NONE); /* it says POINT only around the call */
    CHECK(takt_linux_point_by(flag) == TAKT_LINUX_OK && yields == 2);
    at_yield = refuse;
    CHECK(takt_linux_point() == TAKT_LINUX_ERROR_REFUSED);
}

static void admit(void) {
    CHECK(shared.request_value == 40 && shared.request_deadline_ns == 40 && shared.request_wcet_ns == 8);
    CHECK(shared.request_weight == 3 && shared.request_job == 0);
    shared.rate = TAKT_LINUX_RATE_WHOLE / 5;
    answer(TAKT_RECEIPT_RECEIVED);
}

static void reject(void) {
    CHECK(shared.request_deadline_ns == 30);
    answer((takt_receipt_t)TAKT_SLOT_REJECTED);
}

static void a_rate_is_negotiated(void) {
    takt_linux_demand_t demand = {.period_ns = 40, .wcet_ns = 8, .weight = 3};
    uint32_t rate = 0;
    begin_job(0);
    at_yield = admit;
    CHECK(takt_linux_negotiate(&demand) == TAKT_LINUX_OK && taken == TAKT_SLOT_CHANGE && yields == 1);
    CHECK(takt_linux_rate(&rate) == TAKT_LINUX_OK && rate == TAKT_LINUX_RATE_WHOLE / 5);
    demand.deadline_ns = 30;
    at_yield = reject;
    CHECK(takt_linux_negotiate(&demand) == TAKT_LINUX_ERROR_REJECTED);
    at_yield = refuse;
    CHECK(takt_linux_negotiate(&demand) == TAKT_LINUX_ERROR_DEMAND);
    at_yield = find_unknown;
    CHECK(takt_linux_negotiate(&demand) == TAKT_LINUX_ERROR_ALLOCATOR);
    at_yield = fill;
    CHECK(takt_linux_negotiate(&demand) == TAKT_LINUX_ERROR_REQUESTS);
    CHECK(takt_linux_negotiate(NULL) == TAKT_LINUX_ERROR_NULL &&
          takt_linux_rate(NULL) == TAKT_LINUX_ERROR_NULL);
}

static void wake_at_the_end(void) {
    CHECK(shared.request == TAKT_SLOT_SUSPEND && shared.request_value == instant(60));
    answer(TAKT_RECEIPT_RECEIVED);
    now = slept_until;
}

static void a_job_suspends_itself(void) {
    begin_job(0);
    at_sleep = wake_at_the_end;
    CHECK(takt_linux_suspend_until(instant(60)) == TAKT_LINUX_OK);
    CHECK(now == 60 && yields == 0);
    at_yield = receive;
    CHECK(takt_linux_suspend_until(instant(50)) == TAKT_LINUX_OK); /* it has passed */
    CHECK(yields == 1 && taken == TAKT_SLOT_SUSPEND);
    at_yield = refuse;
    CHECK(takt_linux_suspend_until(instant(50)) == TAKT_LINUX_ERROR_REFUSED);
}

static void refuse_what_is_asked(void) {
    if (shared.request != TAKT_SLOT_NONE) {
        refuse();
    }
}

static void refuse_and_detach(void) {
    if (shared.request == TAKT_SLOT_NONE) {
        shared.state = 0;
    } else {
        refuse();
    }
}

static void a_completion_is_refused_while_the_scheduler_is_detached(void) {
    begin_job(0);
    at_sleep = refuse_and_detach;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED && sleeps == 2);
}

static void a_completion_may_be_refused(void) {
    begin_job(0);
    at_sleep = refuse_what_is_asked;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_REFUSED);
    check_job(0);
    check_counts(0, 0, 0, 0, 0);
}

/* ---- without a scheduler ------------------------------------------------------------------------------- */

static void the_scheduler_ends(void) {
    begin_job(0);
    shared.state = 0;
    shared.should_yield = 1;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED && takt_linux_point() == TAKT_LINUX_ERROR_DETACHED);
    CHECK(!takt_linux_is_aborted() && yields == 0 && sleeps == 0);
}

static void no_scheduler_answers(void) {
    begin_job(0);
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED);
    CHECK(sleeps == 1 && yields == 1 && shared.request == TAKT_SLOT_NONE);
    check_job(0);
    CHECK(takt_linux_lock(0) == TAKT_LINUX_ERROR_DETACHED && shared.request == TAKT_SLOT_NONE);
    join();
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED);
    CHECK(yields == 1);
}

static void end_in_the_call(void) {
    answer(TAKT_RECEIPT_RECEIVED);
    shared.state = 0;
}

static void the_scheduler_ends_during_a_call(void) {
    begin_job(0);
    at_yield = end_in_the_call;
    CHECK(takt_linux_yield() == TAKT_LINUX_ERROR_DETACHED);
    begin_job(0);
    at_sleep = end_in_the_call;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED);
}

static void be_dismissed(void) {
    if (shared.request != TAKT_SLOT_NONE) {
        answer(TAKT_RECEIPT_RECEIVED);
    }
    shared.state = TAKT_SLOT_ATTACHED;
    takt_linux_dismiss(takt_linux_self());
}

static void a_thread_is_dismissed(void) {
    begin_job(0);
    at_sleep = be_dismissed;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DISMISSED);
    CHECK(class_is_ext == 0 && sleeps == 1 && yields == 0);
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DISMISSED &&
          takt_linux_yield() == TAKT_LINUX_ERROR_DISMISSED);
    join();
    at_yield = be_dismissed;
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DISMISSED);
    CHECK(takt_linux_leave() == TAKT_LINUX_OK);
    join();
    takt_linux_dismiss(takt_linux_self());
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DISMISSED && bound == 0 && class_is_ext == 0);
}

/* ---- event-driven jobs -------------------------------------------------------------------------------- */

static uint32_t calls, arrivals;

static void arrive(void) {
    CHECK(shared.mode == TAKT_SLOT_WAKE_ARRIVES);
    arrivals++;
    release(shared.job + (arrivals > 1 ? 1u : 0u));
    shared.next_release_ns = 0;
}

/* It sleeps: what wakes it is the arrival. */
static void read_later(void *argument) {
    *(uint32_t *)argument += 1;
    if (class_is_ext == 0) {
        return; /* the first event: the thread enters afterwards */
    }
    if (shared.request != TAKT_SLOT_NONE) {
        CHECK(shared.request == TAKT_SLOT_COMPLETE);
        answer(TAKT_RECEIPT_RECEIVED);
        shared.state = TAKT_SLOT_ATTACHED;
    }
    if ((shared.state & TAKT_SLOT_HAS_JOB) == 0) {
        arrive();
    }
}

/* The event is there. */
static void read_at_once(void *argument) {
    (void)argument;
    calls++;
}

static void complete_and_arrive(void) {
    answer(TAKT_RECEIPT_RECEIVED);
    arrive();
}

static void begin_events(void) {
    join();
    at_entry = complete_and_arrive;
    calls = 0;
    arrivals = 0;
}

static void a_wake_is_an_arrival(void) {
    begin_events();
    for (uint32_t job = 0; job < 3; job++) {
        CHECK(takt_linux_wait_in(read_later, &calls) == TAKT_LINUX_OK);
        CHECK(calls == job + 1u && arrivals == calls && shared.job == job);
    }
    CHECK(yields == 0 && sleeps == 0);
    check_counts(2, 0, 0, 0, 0);
    CHECK(takt_linux_wait_in(NULL, NULL) == TAKT_LINUX_ERROR_NULL);
}

static void an_event_that_is_there_is_an_arrival(void) {
    begin_events();
    at_yield = complete_and_arrive;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_OK && taken == TAKT_SLOT_ARRIVAL);
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_OK && taken == TAKT_SLOT_COMPLETE);
    CHECK(yields == 1 && calls == 2 && arrivals == 2 && shared.job == 1);
}

static void a_job_that_arrived_otherwise_waits_within_itself(void) {
    begin_events();
    CHECK(takt_linux_wait_in(read_later, &calls) == TAKT_LINUX_OK);
    shared.waiting = 1;
    at_yield = complete_and_release;
    CHECK(takt_linux_wait_in(read_later, &calls) == TAKT_LINUX_OVERRUN);
    CHECK(yields == 1 && calls == 2 && arrivals == 1);
    release(2);
    CHECK(takt_linux_wait_in(read_later, &calls) == TAKT_LINUX_ABORTED);
    CHECK(calls == 3 && arrivals == 1);
}

static void an_event_may_be_refused(void) {
    begin_events();
    at_entry = nothing;
    at_yield = fill;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_ERROR_REFUSED);
    at_yield = receive;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_ERROR_DETACHED);
    at_yield = nothing;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_ERROR_DETACHED);
    at_yield = complete_and_arrive;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_OK);
    at_yield = refuse;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_ERROR_REFUSED);
    shared.state = 0;
    CHECK(takt_linux_wait_in(read_at_once, NULL) == TAKT_LINUX_ERROR_DETACHED);
}

/* ---- names -------------------------------------------------------------------------------------------- */

#define CHECK_SENTENCE(name, value, message) \
    CHECK(strcmp(takt_linux_message(TAKT_LINUX_##name), message) == 0);

static void numbers_are_those_of_core(void) {
    CHECK(TAKT_SLOT_COMPLETE == (int)TAKT_EVENT_COMPLETE && TAKT_SLOT_YIELD == (int)TAKT_EVENT_YIELD);
    CHECK(TAKT_SLOT_POINT == (int)TAKT_EVENT_POINT && TAKT_SLOT_SUSPEND == (int)TAKT_EVENT_SUSPEND);
    CHECK(TAKT_SLOT_ARRIVAL == (int)TAKT_EVENT_ARRIVAL && TAKT_SLOT_LOCK == (int)TAKT_EVENT_LOCK);
    CHECK(TAKT_SLOT_UNLOCK == (int)TAKT_EVENT_UNLOCK && TAKT_SLOT_CHANGE == (int)TAKT_EVENT_CHANGE);
    CHECK(TAKT_SLOT_REJECTED == TAKT_RECEIPT_AHEAD + 1 && TAKT_LINUX_RATE_WHOLE == TAKT_RATE_WHOLE);
    CHECK(TAKT_RECEIPT_UNFIT == 3 && TAKT_RECEIPT_FULL == 4);
    CHECK(TAKT_RECEIPT_RECEIVED == 0 && TAKT_RECEIPT_STALE == 1);
    TAKT_LINUX_STATUSES(CHECK_SENTENCE)
    CHECK(strcmp(takt_linux_message((takt_linux_status_t)99), "no status") == 0);
}

int main(void) {
    a_thread_joins_and_leaves();
    joining_is_refused();
    a_thread_that_has_not_joined_makes_no_call();
    the_child_of_fork_has_not_joined();
    the_first_job_may_be_released_later();
    a_job_ends_in_its_sleep();
    a_job_that_waits_begins_without_a_sleep();
    a_sleep_that_did_not_sleep_hands_over_by_a_yield();
    a_sleep_may_end_early();
    a_signal_may_come_before_the_sleep();
    a_job_that_was_ended_is_not_completed();
    a_job_that_was_ended_may_have_no_successor_yet();
    a_job_may_be_ended_before_its_completion_is_received();
    a_job_may_be_ended_while_it_waits();
    resources_are_locked();
    points_make_no_call_while_no_entity_waits();
    a_rate_is_negotiated();
    a_job_suspends_itself();
    a_completion_may_be_refused();
    a_completion_is_refused_while_the_scheduler_is_detached();
    the_scheduler_ends();
    no_scheduler_answers();
    the_scheduler_ends_during_a_call();
    a_thread_is_dismissed();
    a_wake_is_an_arrival();
    an_event_that_is_there_is_an_arrival();
    a_job_that_arrived_otherwise_waits_within_itself();
    an_event_may_be_refused();
    numbers_are_those_of_core();
    return check_report("linux slot");
}
