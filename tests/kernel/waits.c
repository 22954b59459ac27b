/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What ends a wait, and what a thread may do with locks: one test after the other, by a director below the threads that
 * it starts. */
#include "kernel/condition.h"
#include "kernel/scheduler_lock.h"
#include "kernel/slice.h"
#include "tests/conformance/conformance.h"

enum { LOW = 5, HIGH = 10 };

static takt_thread_t director, other;
static conformance_stack_t director_stack, other_stack, dormant_stack;
static uint32_t done; /* by the other thread */

static void must(takt_status_t status) { check(status == TAKT_OK, "a_call_succeeds"); }

static void answer(takt_status_t status, takt_status_t expected, const char *sentence) {
    check(status == expected, sentence);
}

static void start(void (*entry)(void *argument), uint32_t priority) {
    done = 0;
    thread_begin(&other, other_stack, priority, entry, NULL);
}

/* ---- locks -------------------------------------------------------------------------------------- */

static takt_recursive_mutex_t recursive;
static takt_mutex_t lower, upper;

static void make_mutexes(void) {
    const takt_mutex_parameters_t parameters = {.protocol = TAKT_PROTOCOL_PIP};
    must(takt_recursive_mutex_init(&recursive, &parameters));
    must(takt_mutex_init(&lower, &parameters));
    must(takt_mutex_init(&upper, &parameters));
}

static void lock_once(void *argument) {
    (void)argument;
    must(takt_recursive_mutex_lock(&recursive));
    done++;
    must(takt_recursive_mutex_unlock(&recursive));
}

static void lock_again(void) {
    must(takt_recursive_mutex_lock(&recursive));
    must(takt_recursive_mutex_lock(&recursive));
    must(takt_recursive_mutex_lock_for(&recursive, 0));
    check(takt_recursive_mutex_depth(&recursive) == 3, "a_holder_locks_again");
    start(lock_once, HIGH);
    must(takt_recursive_mutex_unlock(&recursive));
    must(takt_recursive_mutex_unlock(&recursive));
    check(done == 0, "a_waiter_waits_for_the_last_unlock");
    must(takt_recursive_mutex_unlock(&recursive));
    check(done == 1, "the_last_unlock_lets_a_waiter_run");
    check(takt_recursive_mutex_depth(&recursive) == 0, "a_thread_that_does_not_hold_has_no_locks");
    answer(takt_recursive_mutex_unlock(&recursive), TAKT_ERROR_RESOURCE, "an_unlock_too_many_is_refused");
}

static void refuse_recursive(void) {
    const char *const sentence = "null_is_refused";
    answer(takt_recursive_mutex_init(NULL, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_recursive_mutex_init(&recursive, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_recursive_mutex_lock(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_recursive_mutex_lock_for(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_recursive_mutex_unlock(NULL), TAKT_ERROR_NULL, sentence);
    check(takt_recursive_mutex_depth(NULL) == 0, "null_has_no_locks");
    must(takt_recursive_mutex_lock(&recursive));
    const takt_port_level_t level = takt_port_lock();
    answer(takt_recursive_mutex_lock(&recursive), TAKT_ERROR_LOCKED, "a_masked_caller_is_refused");
    answer(takt_recursive_mutex_unlock(&recursive), TAKT_ERROR_LOCKED, "a_masked_caller_is_refused");
    takt_port_unlock(level);
    recursive.depth = UINT32_MAX;
    answer(takt_recursive_mutex_lock(&recursive), TAKT_ERROR_COUNT, "a_lock_too_many_is_refused");
    recursive.depth = 1;
    must(takt_recursive_mutex_unlock(&recursive));
}

static void lock_first_then_second(void *argument) {
    (void)argument;
    must(takt_mutex_lock(&lower));
    done = 1;
    must(takt_mutex_lock(&upper));
    done = 2;
    must(takt_mutex_unlock(&lower));
    must(takt_mutex_unlock(&upper));
}

static void unlock_in_any_order(void) {
    must(takt_mutex_lock(&lower));
    must(takt_mutex_lock(&upper));
    must(takt_mutex_unlock(&lower));
    check(takt_mutex_holder(&lower) == NULL && takt_mutex_holder(&upper) == &director,
          "the_outer_one_is_unlocked_alone");
    answer(takt_mutex_unlock(&lower), TAKT_ERROR_RESOURCE, "what_is_not_held_is_not_unlocked");
    must(takt_mutex_unlock(&upper));
    must(takt_mutex_lock(&lower));
    must(takt_mutex_lock(&upper));
    start(lock_first_then_second, HIGH);
    must(takt_mutex_unlock(&lower));
    check(done == 1, "a_waiter_gets_the_outer_one");
    must(takt_mutex_unlock(&upper));
    check(done == 2, "a_waiter_gets_the_inner_one");
}

static void lock_one(void *argument) {
    (void)argument;
    must(takt_mutex_lock(&lower));
    done++;
    must(takt_mutex_unlock(&lower));
}

static void lock_for_a_while(void *argument) {
    (void)argument;
    answer(takt_mutex_lock_for(&lower, board_span(2000)), TAKT_TIMEOUT, "the_time_of_a_request_goes_by");
    done++;
}

/* A request that a suspension puts off is made again; until then the mutex is others', and its holder inherits nothing. */
static void suspend_one_that_waits(void (*entry)(void *argument), bool is_timed) {
    must(takt_mutex_lock(&lower));
    start(entry, HIGH);
    must(takt_thread_suspend(&other));
    answer(takt_thread_suspend(&other), TAKT_ERROR_SUSPENDED, "it_is_suspended");
    must(takt_mutex_unlock(&lower));
    check(done == 0 && takt_mutex_holder(&lower) == NULL, "a_suspended_thread_gets_no_mutex");
    must(takt_mutex_lock(&lower));
    const takt_instant_t end = takt_kernel_now() + board_span(4000);
    while (is_timed && takt_kernel_now() < end) {
        board_pass();
    }
    must(takt_thread_resume(&other));
    check(done == is_timed, "a_resumed_thread_waits_again_within_its_time");
    must(takt_mutex_unlock(&lower));
    check(done == 1, "a_resumed_thread_gets_the_mutex");
}

static void delete_one_that_is_put_off(void) {
    must(takt_mutex_lock(&lower));
    start(lock_for_a_while, HIGH);
    must(takt_thread_suspend(&other));
    must(takt_thread_delete(&other));
    must(takt_mutex_unlock(&lower));
    must(takt_thread_delay(board_span(8000)));
    check(done == 0 && takt_mutex_holder(&lower) == NULL, "a_request_ends_with_its_thread");
}

/* ---- waits that another thread ends --------------------------------------------------------------- */

static takt_semaphore_t semaphore;
static uint32_t bits;

static takt_status_t delay(void) { return takt_thread_delay(board_span(1000 * 1000)); }
static takt_status_t delay_for_ever(void) { return takt_thread_delay_until(TAKT_NEVER); }
static takt_status_t take(void) { return takt_semaphore_take(&semaphore); }
static takt_status_t take_for_ever(void) { return takt_semaphore_take_for(&semaphore, TAKT_NEVER); }
static takt_status_t listen(void) { return takt_notification_take(&bits); }
static takt_status_t listen_for(void) { return takt_notification_take_for(&bits, board_span(1000 * 1000)); }
static takt_status_t lock(void) { return takt_mutex_lock(&lower); }
static takt_status_t lock_for(void) { return takt_mutex_lock_for(&lower, board_span(1000 * 1000)); }
static takt_status_t relock(void) { return takt_recursive_mutex_lock(&recursive); }

static takt_status_t (*const waits_with_an_end[])(void) = {delay,      delay_for_ever, take_for_ever, listen,
                                                           listen_for, lock,           lock_for,      relock};
static takt_status_t (*wait_once)(void);
static takt_status_t ended;

static void wait_and_tell(void *argument) {
    (void)argument;
    ended = wait_once();
    done++;
}

static void abort_one(takt_status_t (*wait)(void), bool is_suspended) {
    wait_once = wait;
    must(takt_mutex_lock(&lower));
    must(takt_recursive_mutex_lock(&recursive));
    start(wait_and_tell, HIGH);
    if (is_suspended) {
        must(takt_thread_suspend(&other));
    }
    must(takt_thread_abort_wait(&other));
    if (is_suspended) {
        check(done == 0, "a_suspended_thread_stays_suspended");
        must(takt_thread_resume(&other));
    }
    check(done == 1 && ended == TAKT_ABORTED, "a_wait_that_is_ended_says_so");
    must(takt_recursive_mutex_unlock(&recursive));
    must(takt_mutex_unlock(&lower));
    check(takt_mutex_holder(&lower) == NULL && takt_recursive_mutex_depth(&recursive) == 0,
          "a_thread_whose_wait_is_ended_has_no_mutex");
    must(takt_semaphore_give(&semaphore));
    answer(takt_semaphore_try_take(&semaphore), TAKT_OK, "a_thread_whose_wait_is_ended_takes_no_unit");
    answer(takt_thread_abort_wait(&other), TAKT_ERROR_OBJECT, "a_thread_that_has_ended_does_not_wait");
}

static void refuse_to_abort(void) {
    wait_once = take;
    start(wait_and_tell, HIGH);
    answer(takt_thread_abort_wait(&other), TAKT_REJECTED, "a_take_without_end_is_not_ended");
    must(takt_semaphore_give(&semaphore));
    check(done == 1 && ended == TAKT_OK, "it_goes_on_waiting");
    start(wait_and_tell, LOW);
    answer(takt_thread_abort_wait(&other), TAKT_REJECTED, "a_ready_thread_does_not_wait");
    must(takt_thread_suspend(&other));
    answer(takt_thread_abort_wait(&other), TAKT_REJECTED, "a_suspension_is_no_wait");
    must(takt_thread_delete(&other));
    answer(takt_thread_abort_wait(&director), TAKT_REJECTED, "a_running_thread_does_not_wait");
    answer(takt_thread_abort_wait(NULL), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_thread_abort_wait(&other), TAKT_ERROR_OBJECT, "a_thread_that_was_deleted_is_refused");
    const takt_port_level_t level = takt_port_lock();
    answer(takt_thread_abort_wait(&director), TAKT_ERROR_LOCKED, "a_masked_caller_is_refused");
    takt_port_unlock(level);
}

static void abort_waits(void) {
    const uint32_t count = sizeof waits_with_an_end / sizeof *waits_with_an_end;
    semaphore_begin(&semaphore, 0);
    for (uint32_t number = 0; number < 2 * count; number++) {
        abort_one(waits_with_an_end[number / 2], number % 2 == 1);
    }
    refuse_to_abort();
}

/* ---- condition variables -------------------------------------------------------------------------- */

static takt_condition_t condition, no_condition;
static bool has_item;

static void await_item(void *argument) {
    (void)argument;
    must(takt_mutex_lock(&lower));
    while (!has_item) {
        must(takt_condition_wait(&condition, &lower));
        check(takt_mutex_holder(&lower) == &other, "a_wait_returns_with_the_mutex");
    }
    has_item = false;
    done++;
    must(takt_mutex_unlock(&lower));
}

static void notify_in_isr(void) {
    must(takt_condition_notify_one_from_isr(&condition));
    must(takt_condition_notify_all_from_isr(&condition));
}

/* The notification comes with the mutex held, from a thread or an interrupt, once in vain. */
static void notify(bool is_in_isr, takt_status_t (*call)(takt_condition_t *of)) {
    has_item = false;
    must(call(&condition));
    start(await_item, HIGH);
    check(takt_mutex_holder(&lower) == NULL, "a_wait_unlocks_the_mutex");
    must(call(&condition));
    check(done == 0, "a_notification_that_finds_nothing_is_waited_for_again");
    must(takt_mutex_lock(&lower));
    has_item = true;
    if (is_in_isr) {
        board_interrupt_enable(1, notify_in_isr);
        board_interrupt_pend(1);
    } else {
        must(call(&condition));
    }
    check(done == 0, "a_woken_thread_waits_for_the_mutex");
    must(takt_mutex_unlock(&lower));
    check(done == 1 && !has_item, "it_gets_the_mutex");
}

static void refuse_conditions(void) {
    const char *const sentence = "a_misuse_is_refused";
    answer(takt_condition_init(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_init_fifo(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_wait(NULL, &lower), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_wait(&condition, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_wait(&no_condition, &lower), TAKT_ERROR_OBJECT, sentence);
    answer(takt_condition_wait(&condition, &lower), TAKT_ERROR_RESOURCE, "a_mutex_that_is_free_is_refused");
    answer(takt_condition_notify_one(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_notify_all(&no_condition), TAKT_ERROR_OBJECT, sentence);
    answer(takt_condition_notify_one_from_isr(&condition), TAKT_ERROR_NOT_IN_ISR, sentence);
    answer(takt_condition_notify_all_from_isr(&condition), TAKT_ERROR_NOT_IN_ISR, sentence);
    must(takt_mutex_lock(&lower));
    const takt_port_level_t level = takt_port_lock();
    answer(takt_condition_wait(&condition, &lower), TAKT_ERROR_LOCKED, sentence);
    answer(takt_condition_notify_one(&condition), TAKT_ERROR_LOCKED, sentence);
    answer(takt_condition_notify_all(&condition), TAKT_ERROR_LOCKED, sentence);
    takt_port_unlock(level);
    answer(takt_condition_wait_for(&condition, &lower, 0), TAKT_TIMEOUT, "0_does_not_wait");
    answer(takt_condition_wait_for(&condition, &lower, board_span(1000)), TAKT_TIMEOUT,
           "a_wait_ends_by_time");
    check(takt_mutex_holder(&lower) == &director, "it_ends_with_the_mutex");
    must(takt_mutex_unlock(&lower));
}

static void use_conditions(void) {
    must(takt_condition_init_fifo(&condition));
    notify(false, takt_condition_notify_one);
    must(takt_condition_init(&condition));
    notify(false, takt_condition_notify_one);
    notify(false, takt_condition_notify_all);
    notify(true, takt_condition_notify_all);
    refuse_conditions();
}

/* ---- scheduler locks ------------------------------------------------------------------------------ */

static takt_scheduler_lock_t of_root, of_island;
static takt_thread_server_t island;
static takt_thread_t insider, above;
static conformance_stack_t insider_stack, above_stack;
static takt_semaphore_t outside, inside, for_insider;
static uint32_t island_step, outside_step;

static void give_in_isr(void) { must(takt_semaphore_give_from_isr(&semaphore)); }

static void take_once(void *argument) {
    (void)argument;
    must(takt_semaphore_take(&semaphore));
    done++;
}

static void lock_the_root(void) {
    semaphore_begin(&semaphore, 0);
    start(take_once, HIGH);
    board_interrupt_enable(1, give_in_isr);
    must(takt_scheduler_lock(&of_root));
    must(takt_scheduler_lock(&of_root));
    board_interrupt_pend(1);
    must(takt_scheduler_unlock(&of_root));
    check(done == 0, "a_more_urgent_thread_waits_for_the_last_unlock");
    must(takt_scheduler_unlock(&of_root));
    check(done == 1, "it_runs_then");
    answer(takt_scheduler_unlock(&of_root), TAKT_ERROR_RESOURCE, "an_unlock_too_many_is_refused");
    answer(takt_scheduler_lock(&of_island), TAKT_ERROR_RESOURCE, "the_lock_of_another_dispatcher_is_refused");
    answer(takt_scheduler_lock(NULL), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_scheduler_unlock(NULL), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_scheduler_lock_init(NULL, NULL), TAKT_ERROR_NULL, "null_is_refused");
}

/* The less urgent of two threads in a server locks it, and wakes the other one and the director. */
static void act_inside(void *argument) {
    (void)argument;
    must(takt_semaphore_take(&for_insider));
    must(takt_scheduler_lock(&of_island));
    must(takt_semaphore_give(&inside));
    check(island_step == 0, "no_thread_of_the_server_runs");
    must(takt_semaphore_give(&outside));
    check(outside_step == 1, "a_thread_outside_runs_at_once");
    check(island_step == 0, "no_thread_of_the_server_runs");
    must(takt_scheduler_unlock(&of_island));
    check(island_step == 1, "a_thread_of_the_server_runs_after_the_unlock");
    must(takt_semaphore_give(&outside));
}

static void act_above(void *argument) {
    (void)argument;
    must(takt_semaphore_take(&inside));
    island_step++;
}

static void lock_a_server(void) {
    must(takt_semaphore_give(&for_insider));
    must(takt_semaphore_take(&outside));
    outside_step++;
    must(takt_semaphore_take(&outside));
    check(island_step == 1, "a_thread_of_the_server_has_run");
}

static void create_inside(takt_thread_t *thread, conformance_stack_t stack, uint32_t priority,
                          void (*entry)(void *)) {
    const takt_thread_parameters_t parameters = {
        .entry = entry, .stack = stack, .stack_bytes = STACK_BYTES, .priority = priority, .server = &island};
    must(takt_thread_create(thread, &parameters));
}

static void make_island(void) {
    const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                        .policy = &takt_policy_fp,
                                                        .period = 1000 * 1000 * 1000,
                                                        .budget = 1000 * 1000 * 1000,
                                                        .priority = 1};
    must(takt_thread_server_create(&island, &parameters));
    must(takt_scheduler_lock_init(&of_root, NULL));
    must(takt_scheduler_lock_init(&of_island, &island));
    semaphore_begin(&outside, 0);
    semaphore_begin(&inside, 0);
    semaphore_begin(&for_insider, 0);
    create_inside(&insider, insider_stack, 2, act_inside);
    create_inside(&above, above_stack, 4, act_above);
}

/* ---- time slices ---------------------------------------------------------------------------------- */

static takt_sliced_thread_t spinners[2];
static volatile bool is_over;
static volatile uint32_t turns; /* how often the spinning thread has changed */
static volatile uint32_t last_spinner;

static void spin(void *argument) {
    const uint32_t self = *(const uint32_t *)argument;
    while (!is_over) {
        if (last_spinner != self) {
            last_spinner = self;
            turns = turns + 1u;
        }
        board_pass();
    }
}

static takt_thread_parameters_t spinner_of(uint32_t number) {
    static uint32_t numbers[] = {0, 1};
    return (takt_thread_parameters_t){.entry = spin,
                                      .argument = &numbers[number],
                                      .stack = number == 0 ? other_stack : dormant_stack,
                                      .stack_bytes = STACK_BYTES,
                                      .priority = LOW - 1};
}

static void let_equals_spin(void) {
    const takt_thread_parameters_t first_one = spinner_of(0), second_one = spinner_of(1);
    must(takt_slices_set(board_span(3000)));
    must(takt_sliced_thread_create(&spinners[0], &first_one, 0));
    must(takt_sliced_thread_create(&spinners[1], &second_one, board_span(5000)));
    must(takt_sliced_thread_set(&spinners[1], board_span(4000)));
    must(takt_thread_delay(board_span(100 * 1000)));
    check(turns > 16, "equals_take_turns");
    is_over = true;
    must(takt_thread_delay(board_span(20 * 1000)));
    answer(takt_sliced_thread_set(&spinners[0], 1), TAKT_ERROR_OBJECT,
           "a_thread_that_has_ended_has_no_slice");
}

static void refuse_slices(void) {
    const takt_thread_parameters_t parameters = spinner_of(0);
    answer(takt_slices_set(0), TAKT_ERROR_PERIOD, "a_slice_of_0_is_refused");
    answer(takt_sliced_thread_create(&spinners[0], &parameters, 0), TAKT_ERROR_PERIOD, "no_slice_is_refused");
    answer(takt_sliced_thread_create(NULL, &parameters, 1), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_sliced_thread_create(&spinners[0], NULL, 1), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_sliced_thread_set(NULL, 1), TAKT_ERROR_NULL, "null_is_refused");
    answer(takt_sliced_thread_set(&spinners[0], 1), TAKT_ERROR_OBJECT,
           "a_thread_that_was_not_created_is_refused");
}

/* ---- threads that begin suspended, and delays until an instant ----------------------------------- */

static takt_thread_t dormant;
static uint32_t begun; /* by the dormant thread */

static void begin(void *argument) {
    (void)argument;
    begun++;
}

static takt_status_t create_dormant(void) {
    const takt_thread_parameters_t parameters = {.entry = begin,
                                                 .stack = dormant_stack,
                                                 .stack_bytes = sizeof dormant_stack,
                                                 .priority = HIGH,
                                                 .is_suspended = true};
    return takt_thread_create(&dormant, &parameters);
}

/* It was created before the start. */
static void resume_dormant(void) {
    check(begun == 0, "a_thread_that_is_created_suspended_does_not_begin");
    answer(takt_thread_suspend(&dormant), TAKT_ERROR_SUSPENDED, "it_is_suspended");
    must(takt_thread_resume(&dormant));
    check(begun == 1, "it_begins_when_it_is_resumed");
    must(create_dormant());
    check(begun == 1, "a_thread_that_is_created_suspended_does_not_begin");
    must(takt_thread_notify(&dormant, 1));
    must(takt_thread_set_priority(&dormant, LOW + 1));
    check(begun == 1, "only_a_resumption_lets_it_begin");
    must(takt_thread_delete(&dormant));
    must(create_dormant());
    must(takt_thread_resume(&dormant));
    check(begun == 2, "memory_of_one_that_was_deleted_is_used_again");
}

static void refuse_dormant_jobs(void) {
    static takt_periodic_thread_t periodic;
    const takt_job_parameters_t parameters = {.thread = {.entry = begin,
                                                         .stack = other_stack,
                                                         .stack_bytes = sizeof other_stack,
                                                         .is_suspended = true},
                                              .period = 1000,
                                              .relative_deadline = 1000};
    answer(takt_periodic_thread_create(&periodic, &parameters), TAKT_ERROR_JOBS,
           "a_thread_of_jobs_does_not_begin_suspended");
}

static void delay_until(void) {
    const takt_duration_t period = board_span(20000);
    const takt_instant_t began = takt_kernel_now();
    for (uint32_t cycle = 1; cycle <= 4; cycle++) {
        board_pass();
        must(takt_thread_delay_until(began + cycle * period));
        const takt_instant_t now = takt_kernel_now();
        check(now >= began + cycle * period && now < began + (cycle + 1) * period, "a_loop_does_not_drift");
    }
    const takt_instant_t before = takt_kernel_now();
    answer(takt_thread_delay_until(before), TAKT_TIMEOUT, "now_is_not_in_the_future");
    answer(takt_thread_delay_until(0), TAKT_TIMEOUT, "the_past_is_not_waited_for");
    const takt_port_level_t level = takt_port_lock();
    answer(takt_thread_delay_until(0), TAKT_ERROR_LOCKED, "a_masked_caller_is_refused");
    takt_port_unlock(level);
}

/* ---- the program -------------------------------------------------------------------------------- */

static void in_an_interrupt(void) {
    const char *const sentence = "an_interrupt_is_refused";
    answer(takt_recursive_mutex_lock(&recursive), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_recursive_mutex_lock_for(&recursive, 1), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_recursive_mutex_unlock(&recursive), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_delay_until(TAKT_NEVER), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_abort_wait(&director), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_scheduler_lock(&of_root), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_scheduler_unlock(&of_root), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_condition_wait(&condition, &lower), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_condition_notify_one(&condition), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_condition_notify_all(&condition), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_condition_notify_one_from_isr(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_condition_notify_all_from_isr(&no_condition), TAKT_ERROR_OBJECT, sentence);
    done++;
}

static void direct(void *argument) {
    (void)argument;
    lock_again();
    refuse_recursive();
    unlock_in_any_order();
    suspend_one_that_waits(lock_one, false);
    suspend_one_that_waits(lock_for_a_while, true);
    delete_one_that_is_put_off();
    abort_waits();
    use_conditions();
    lock_the_root();
    lock_a_server();
    resume_dormant();
    delay_until();
    let_equals_spin();
    done = 0;
    board_interrupt_enable(0, in_an_interrupt);
    board_interrupt_pend(0);
    check(done == 1, "an_interrupt_has_come");
    board_exit(0);
}

int main(void) {
    board_begin();
    kernel_begin();
    make_island();
    make_mutexes();
    answer(takt_recursive_mutex_lock(&recursive), TAKT_ERROR_NOT_STARTED, "no_thread_locks_before_the_start");
    answer(takt_recursive_mutex_unlock(&recursive), TAKT_ERROR_NOT_STARTED,
           "no_thread_unlocks_before_the_start");
    answer(takt_thread_delay_until(1), TAKT_ERROR_NOT_STARTED, "no_thread_waits_before_the_start");
    must(takt_condition_init(&condition));
    answer(takt_scheduler_lock(&of_root), TAKT_ERROR_NOT_STARTED, "no_thread_locks_before_the_start");
    answer(takt_condition_wait(&condition, &lower), TAKT_ERROR_NOT_STARTED,
           "no_thread_waits_before_the_start");
    answer(takt_thread_abort_wait(&director), TAKT_ERROR_OBJECT, "a_thread_that_was_not_created_is_refused");
    refuse_slices();
    refuse_dormant_jobs();
    must(create_dormant());
    thread_begin(&director, director_stack, LOW, direct, NULL);
    kernel_go();
}
