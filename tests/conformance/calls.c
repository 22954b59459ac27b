/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interrupts during every kernel call: each call of the table is made again and again while a storm of interrupts that
 * drifts through it gives semaphores. No wake is lost, counts add up, every call answers what it should.
 *
 * A new call gets a row: a function that makes it once, as the thread under test, and checks what it did. Its partners
 * are `served` (more urgent) and `serving` (less urgent), which answer a request each. */
#include "kernel/alarm.h"
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "tests/conformance/conformance.h"

enum {
    INTERRUPTS_FOR_EACH = 1000,
    INTERRUPTS_IN_REAL_TIME = 250,
    PERIOD_INSTRUCTIONS = 2503,
    JOB_INSTRUCTIONS = 17011,
    PATIENCE = 10, /* times as many interrupts, and a call never comes back */
};

typedef struct call {
    const char *sentence; /* what does not hold if the call never comes back */
    void (*make)(void);
} call_t;

static volatile const call_t *current;
static volatile uint32_t interrupts, interrupts_before;

/* ---- the storm --------------------------------------------------------------------------------------- */

static takt_semaphore_t storm, from_interrupt;
static volatile uint32_t storm_taken, from_interrupt_given;
static volatile uint32_t notifications;
static volatile bool is_wanted_from_interrupt, is_notification_wanted, is_resumption_wanted;
static takt_thread_t testing; /* calls all of the table */
static takt_messages_t messages;
static takt_flags_t flags;
static uint32_t message_of_interrupt;
static volatile bool is_message_wanted, are_flags_wanted;

static void send_if_wanted(void) {
    if (is_message_wanted) {
        is_message_wanted = false;
        message_of_interrupt++;
        check(takt_messages_send_from_isr(&messages, &message_of_interrupt) == TAKT_OK,
              "a_message_of_an_interrupt_is_sent");
    }
    if (are_flags_wanted) {
        are_flags_wanted = false;
        check(takt_flags_set_from_isr(&flags, 5) == TAKT_OK, "flags_are_set_by_an_interrupt");
    }
}

static void interrupt(void) {
    interrupts = interrupts + 1u;
    check(interrupts - interrupts_before < PATIENCE * INTERRUPTS_FOR_EACH, current->sentence);
    check(takt_semaphore_give_from_isr(&storm) == TAKT_OK, "a_give_of_an_interrupt_succeeds");
    if (is_wanted_from_interrupt) {
        is_wanted_from_interrupt = false;
        from_interrupt_given = from_interrupt_given + 1u;
        check(takt_semaphore_give_from_isr(&from_interrupt) == TAKT_OK, "a_give_of_an_interrupt_succeeds");
    }
    if (is_notification_wanted) {
        is_notification_wanted = false;
        notifications = notifications + 1u;
        check(takt_thread_notify_from_isr(&testing, 1) == TAKT_OK, "a_notification_of_an_interrupt_succeeds");
    }
    send_if_wanted();
    if (is_resumption_wanted && takt_thread_resume_from_isr(&testing) == TAKT_OK) {
        is_resumption_wanted = false;
    }
}

/* Shared by a thread that interrupts wake and the thread under test, while that wants it so. */
static takt_mutex_t mutex;
static volatile uint32_t guarded;
static volatile bool is_guarded, is_contention_wanted;

static void enter_and_leave(void) {
    check(takt_mutex_lock(&mutex) == TAKT_OK, "a_lock_succeeds");
    check(!is_guarded, "a_mutex_excludes");
    is_guarded = true;
    guarded = guarded + 1u;
    board_pass();
    is_guarded = false;
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
}

static void take_storm(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&storm) == TAKT_OK, "a_take_succeeds");
        storm_taken = storm_taken + 1u;
        if (is_contention_wanted && storm_taken % 4u == 0) { /* not so often that nobody else gets on */
            enter_and_leave();
        }
        board_registers_clobber();
    }
}

/* ---- partners ------------------------------------------------------------------------------------------ */

typedef struct partner {
    takt_semaphore_t asked;
    takt_semaphore_t answered;
    volatile uint32_t answers;
} partner_t;

static partner_t served, serving;

static void answer(void *argument) {
    partner_t *self = argument;
    for (;;) {
        check(takt_semaphore_take(&self->asked) == TAKT_OK, "a_take_succeeds");
        self->answers = self->answers + 1u;
        check(takt_semaphore_give(&self->answered) == TAKT_OK, "a_give_succeeds");
    }
}

/* An equal of the thread under test, which lets that go first each time. */
static takt_semaphore_t yielding;
static volatile uint32_t yields;

static void yield_when_told(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&yielding) == TAKT_OK, "a_take_succeeds");
        check(takt_thread_yield() == TAKT_OK, "a_yield_succeeds");
        yields = yields + 1u;
    }
}

/* Less urgent than all others, and suspended while the thread under test does not look at it. */
static takt_thread_t spinning;
static volatile uint32_t spinning_rounds;

static void spin(void *argument) {
    (void)argument;
    check(takt_thread_suspend(&spinning) == TAKT_OK, "a_suspend_succeeds");
    for (;;) {
        spinning_rounds = spinning_rounds + 1u;
        board_pass();
    }
}

static takt_thread_t passing;
static conformance_stack_t passing_stack;
static volatile uint32_t passing_runs;

static void run_once(void *argument) {
    (void)argument;
    passing_runs = passing_runs + 1u;
    (void)takt_thread_suspend(&passing);
}

/* Its jobs are counted against the time. */
static takt_duration_t period, storm_period;
static volatile uint32_t jobs;

static void work_periodically(void *argument) {
    (void)argument;
    for (;;) {
        jobs = jobs + 1u;
        check(takt_kernel_now() >= jobs * period, "no_job_starts_before_its_release");
        const takt_status_t status = takt_wait_next_period();
        check(status == TAKT_OK || !board_is_punctual(), "a_job_in_time_is_told_so");
    }
}

/* ---- the calls ------------------------------------------------------------------------------------------- */

static takt_semaphore_t unit, nothing;

static void yield(void) {
    check(takt_semaphore_give(&yielding) == TAKT_OK, "a_give_succeeds");
    check(takt_thread_yield() == TAKT_OK, "a_yield_succeeds");
}

static void take_and_give(void) {
    check(takt_semaphore_take(&unit) == TAKT_OK, "a_take_succeeds");
    check(takt_semaphore_give(&unit) == TAKT_OK, "a_give_succeeds");
}

static void ask(partner_t *partner) {
    const uint32_t answers = partner->answers;
    check(takt_semaphore_give(&partner->asked) == TAKT_OK, "a_give_succeeds");
    check(takt_semaphore_take(&partner->answered) == TAKT_OK, "a_take_succeeds");
    check(partner->answers == answers + 1u, "each_request_is_answered_once");
}

static void give_to_a_more_urgent_thread(void) { ask(&served); }

static void take_from_a_less_urgent_thread(void) { ask(&serving); }

static void take_from_an_interrupt(void) {
    const uint32_t given = from_interrupt_given;
    is_wanted_from_interrupt = true;
    check(takt_semaphore_take(&from_interrupt) == TAKT_OK, "a_take_succeeds");
    check(from_interrupt_given == given + 1u, "each_unit_is_taken_once");
}

static void try_take(void) {
    check(takt_semaphore_try_take(&unit) == TAKT_OK, "a_take_succeeds");
    check(takt_semaphore_try_take(&unit) == TAKT_TIMEOUT, "a_unit_is_taken_once");
    check(takt_semaphore_signal(&unit) == TAKT_OK && takt_semaphore_signal(&unit) == TAKT_OK,
          "a_signal_succeeds");
    check(takt_semaphore_try_take(&unit) == TAKT_OK, "a_signal_gives_a_unit");
    check(takt_semaphore_try_take(&unit) == TAKT_TIMEOUT, "two_signals_give_one_unit");
    check(takt_semaphore_give(&unit) == TAKT_OK, "a_give_succeeds");
}

static void delay(void) {
    const takt_instant_t before = takt_kernel_now();
    check(takt_thread_delay(period / 8u) == TAKT_OK, "a_delay_succeeds");
    check(takt_kernel_now() - before >= period / 8u, "a_delay_is_not_too_short");
}

static void take_in_vain(void) {
    const takt_instant_t before = takt_kernel_now();
    check(takt_semaphore_take_for(&nothing, period / 8u) == TAKT_TIMEOUT, "nothing_comes_from_nothing");
    check(takt_kernel_now() - before >= period / 8u, "a_wait_is_not_too_short");
}

/* The unit and the end of the wait come close to each other: one of them it is. */
static void take_just_in_time(void) {
    const uint32_t given = from_interrupt_given;
    is_wanted_from_interrupt = true;
    takt_status_t status = takt_semaphore_take_for(&from_interrupt, storm_period);
    if (status == TAKT_TIMEOUT) {
        check(takt_semaphore_take(&from_interrupt) == TAKT_OK, "a_take_succeeds");
    } else {
        check(status == TAKT_OK, "a_take_with_an_end_succeeds_or_ends");
    }
    check(from_interrupt_given == given + 1u, "each_unit_is_taken_once");
    check(takt_semaphore_try_take(&from_interrupt) == TAKT_TIMEOUT, "each_unit_is_taken_once");
}

static void be_notified_by_an_interrupt(void) {
    const uint32_t sent = notifications;
    uint32_t bits = 0;
    is_notification_wanted = true;
    check(takt_notification_take(&bits) == TAKT_OK && bits == 1, "a_notification_has_the_bits_of_its_sender");
    check(notifications == sent + 1u, "a_notification_comes_once");
}

/* Until less urgent threads have changed `*count`. */
static void wait_for_change(const volatile uint32_t *count, uint32_t before) {
    while (*count == before) {
        check(takt_thread_delay(period / 20u) == TAKT_OK, "a_delay_succeeds");
    }
}

static void suspend_another(void) {
    const uint32_t rounds = spinning_rounds;
    check(takt_thread_resume(&spinning) == TAKT_OK, "a_resume_succeeds");
    wait_for_change(&spinning_rounds, rounds);
    check(takt_thread_suspend(&spinning) == TAKT_OK, "a_suspend_succeeds");
    const uint32_t stopped = spinning_rounds;
    check(takt_thread_delay(period / 3u) == TAKT_OK, "a_delay_succeeds");
    check(spinning_rounds == stopped, "a_suspended_thread_does_not_run");
}

static void be_resumed_by_an_interrupt(void) {
    is_resumption_wanted = true;
    check(takt_thread_suspend(&testing) == TAKT_OK, "a_suspend_succeeds");
    check(!is_resumption_wanted, "a_suspended_thread_does_not_run");
}

static void create_and_delete(void) {
    const uint32_t runs = passing_runs;
    thread_begin(&passing, passing_stack, 5, run_once, NULL);
    wait_for_change(&passing_runs, runs);
    check(passing_runs == runs + 1u, "a_new_thread_runs_once");
    check(takt_thread_delete(&passing) == TAKT_OK, "a_delete_succeeds");
}

static void lock_and_unlock(void) {
    is_contention_wanted = true;
    const uint32_t before = guarded;
    enter_and_leave();
    check(guarded > before, "a_mutex_lets_in");
    is_contention_wanted = false;
}

/* Less urgent than the thread that yields, and back. */
static void change_priority(void) {
    check(takt_thread_set_priority(&testing, 2) == TAKT_OK, "a_change_of_priority_succeeds");
    check(takt_thread_set_priority(&testing, 3) == TAKT_OK, "a_change_of_priority_succeeds");
}

static void send_and_receive(void) {
    static uint32_t sent;
    uint32_t received = 0;
    sent++;
    check(takt_messages_send(&messages, &sent) == TAKT_OK, "a_message_is_sent");
    check(takt_messages_receive(&messages, &received) == TAKT_OK && received == sent,
          "a_message_is_received");
}

static void receive_from_an_interrupt(void) {
    const uint32_t before = message_of_interrupt;
    uint32_t received = 0;
    is_message_wanted = true;
    check(takt_messages_receive(&messages, &received) == TAKT_OK && received == before + 1u,
          "a_message_of_an_interrupt_is_received_once");
    check(takt_messages_try_receive(&messages, &received) == TAKT_TIMEOUT, "a_message_comes_once");
}

static void wait_for_flags(void) {
    uint32_t bits = 0;
    are_flags_wanted = true;
    check(takt_flags_wait(&flags, 5, TAKT_FLAGS_ALL | TAKT_FLAGS_CLEAR, &bits) == TAKT_OK && bits == 5,
          "who_waits_for_flags_gets_them");
    check(takt_flags_wait_for(&flags, 5, TAKT_FLAGS_ANY, &bits, 0) == TAKT_TIMEOUT,
          "flags_that_are_cleared_are_gone");
}

static takt_pool_t pool;

static void allocate_and_free(void) {
    void *block = NULL;
    check(takt_pool_allocate(&pool, &block) == TAKT_OK && block != NULL, "a_block_is_allocated");
    check(takt_pool_free(&pool, block) == TAKT_OK, "a_block_is_freed");
}

static takt_alarm_t alarm;
static takt_semaphore_t alarmed;

static void be_alarmed(void *argument) {
    (void)argument;
    check(takt_semaphore_give_from_isr(&alarmed) == TAKT_OK, "a_give_of_an_alarm_succeeds");
}

static void wait_for_an_alarm(void) {
    check(takt_alarm_start(&alarm, period / 8u) == TAKT_OK, "an_alarm_is_started");
    check(takt_semaphore_take(&alarmed) == TAKT_OK, "a_take_succeeds");
    check(takt_semaphore_try_take(&alarmed) == TAKT_TIMEOUT, "an_alarm_comes_once");
}

/* What is there besides threads and semaphores. */
static void objects_begin(void) {
    static uint32_t message_memory[4];
    static uint64_t pool_memory[8];
    check(takt_mutex_init(&mutex, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}) == TAKT_OK &&
              takt_messages_init(&messages, message_memory, sizeof(uint32_t), 4) == TAKT_OK &&
              takt_flags_init(&flags) == TAKT_OK && takt_pool_init(&pool, pool_memory, 32, 2) == TAKT_OK &&
              takt_alarm_init(&alarm, be_alarmed, NULL) == TAKT_OK,
          "creation_succeeds");
    semaphore_begin(&alarmed, 0);
}

static void read_the_time(void) {
    static takt_instant_t last;
    const takt_instant_t now = takt_kernel_now();
    check(now >= last, "time_does_not_go_back");
    last = now;
}

static const call_t calls[] = {
    {"a_yield_comes_back", yield},
    {"a_unit_that_is_there_is_taken", take_and_give},
    {"a_give_that_a_more_urgent_thread_waits_for_comes_back", give_to_a_more_urgent_thread},
    {"a_take_that_a_less_urgent_thread_gives_for_comes_back", take_from_a_less_urgent_thread},
    {"a_take_that_an_interrupt_gives_for_comes_back", take_from_an_interrupt},
    {"a_try_comes_back", try_take},
    {"a_delay_ends", delay},
    {"a_take_in_vain_ends", take_in_vain},
    {"a_take_with_an_end_comes_back", take_just_in_time},
    {"an_interrupt_notifies", be_notified_by_an_interrupt},
    {"another_thread_is_suspended_and_resumed", suspend_another},
    {"an_interrupt_resumes", be_resumed_by_an_interrupt},
    {"threads_come_and_go", create_and_delete},
    {"a_mutex_is_locked_and_unlocked", lock_and_unlock},
    {"a_priority_changes", change_priority},
    {"a_message_goes_and_comes", send_and_receive},
    {"an_interrupt_sends_a_message", receive_from_an_interrupt},
    {"an_interrupt_sets_flags", wait_for_flags},
    {"a_block_comes_and_goes", allocate_and_free},
    {"an_alarm_comes", wait_for_an_alarm},
    {"the_time_can_be_read", read_the_time},
};

static void storm_over(const call_t *call) {
    current = call;
    interrupts_before = interrupts;
    const uint32_t enough = board_is_punctual() ? INTERRUPTS_FOR_EACH : INTERRUPTS_IN_REAL_TIME;
    while (interrupts - interrupts_before < enough) {
        call->make();
        board_pass();
    }
}

/* ---- the thread under test ---------------------------------------------------------------------------------- */

static uint32_t difference(uint64_t a, uint64_t b) { return (uint32_t)(a > b ? a - b : b - a); }

static void look(void) {
    const uint32_t by_the_time = (uint32_t)(takt_kernel_now() / period);
    check(difference(by_the_time, jobs) <= 1 || !board_is_punctual(), "every_job_is_released_once");
    check(storm_taken == interrupts, "no_wake_is_lost");
    check(yields != 0 && served.answers != 0 && serving.answers != 0 && from_interrupt_given != 0,
          "every_partner_has_answered");
}

static void test(void *argument) {
    (void)argument;
    current = &calls[0];
    board_ticker_start(storm_period, interrupt);
    for (uint32_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        storm_over(&calls[index]);
    }
    board_ticker_stop();
    look();
    board_exit(0);
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static takt_periodic_thread_t periodic_thread;
static takt_thread_t threads[4];
static conformance_stack_t stacks[7];

static void create(takt_thread_t *thread, uint32_t stack, uint32_t priority, void (*entry)(void *argument),
                   void *argument) {
    thread_begin(thread, stacks[stack], priority, entry, argument);
}

int main(void) {
    period = board_span(JOB_INSTRUCTIONS);
    storm_period = board_span(PERIOD_INSTRUCTIONS);
    kernel_begin();
    objects_begin();
    semaphore_begin(&storm, 0);
    semaphore_begin(&from_interrupt, 0);
    semaphore_begin(&unit, 1);
    semaphore_begin(&nothing, 0);
    semaphore_begin(&yielding, 0);
    semaphore_begin(&served.asked, 0);
    semaphore_begin(&served.answered, 0);
    semaphore_begin(&serving.asked, 0);
    semaphore_begin(&serving.answered, 0);
    periodic_begin(&periodic_thread, stacks[5], 8, work_periodically, period, period);
    create(&threads[0], 0, 7, take_storm, NULL);
    create(&threads[1], 1, 6, answer, &served);
    create(&testing, 2, 3, test, NULL);
    create(&threads[2], 3, 3, yield_when_told, NULL);
    create(&threads[3], 4, 1, answer, &serving);
    create(&spinning, 6, 0, spin, NULL);
    kernel_go();
}
