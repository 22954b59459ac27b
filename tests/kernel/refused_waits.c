/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A job that may be ended does not wait: each call that would have to, of every object, says so and leaves nothing behind. Jobs
 * that no other ends wait as threads do. What an ended job has locked is free, and a thread that has returned does not come
 * back.
 *
 * Under fixed priorities: jobs that are aborted when they are late, released by time and by arrivals, at the root and in a server
 * with computed keys, and those of an allocator, in windows and in the background. Under the rate-based policy: of rate-based
 * threads. Also, of which of all these the priority may be changed. */
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "kernel/rate.h"
#include "kernel/sporadic.h"
#include "kernel/state.h"
#include "tests/conformance/conformance.h"

enum { WORDS = 4, DEADLINE_INSTRUCTIONS = 1000 * 1000, PERIODS = 6 };

/* ---- objects, none of which has anything -------------------------------------------------------- */

static takt_semaphore_t semaphore;
static takt_messages_t empty, full;
static takt_pool_t pool;
static takt_flags_t flags;
static takt_mutex_t mutex;
static uint32_t places[2][WORDS], message[WORDS], bits;
static void *blocks[4], *block, *no_block;

static void make_objects(void) {
    semaphore_begin(&semaphore, 0);
    check(takt_messages_init(&empty, places[0], sizeof places[0], 1) == TAKT_OK &&
              takt_messages_init(&full, places[1], sizeof places[1], 1) == TAKT_OK &&
              takt_messages_try_send(&full, message) == TAKT_OK,
          "queues_are_made");
    check(takt_pool_init(&pool, blocks, sizeof blocks, 1) == TAKT_OK &&
              takt_pool_try_allocate(&pool, &block) == TAKT_OK,
          "a_pool_is_made");
    check(takt_flags_init(&flags) == TAKT_OK, "flags_are_made");
    check(takt_mutex_init(&mutex, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}) == TAKT_OK,
          "a_mutex_is_made");
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* What each of these is called with in place of a duration. */
static takt_duration_t duration;

static takt_status_t take(void) { return takt_semaphore_take(&semaphore); }
static takt_status_t take_for(void) { return takt_semaphore_take_for(&semaphore, duration); }
static takt_status_t send(void) { return takt_messages_send(&full, message); }
static takt_status_t send_for(void) { return takt_messages_send_for(&full, message, duration); }
static takt_status_t receive(void) { return takt_messages_receive(&empty, message); }
static takt_status_t receive_for(void) { return takt_messages_receive_for(&empty, message, duration); }
static takt_status_t allocate(void) { return takt_pool_allocate(&pool, &no_block); }
static takt_status_t allocate_for(void) { return takt_pool_allocate_for(&pool, &no_block, duration); }
static takt_status_t await(void) { return takt_flags_wait(&flags, 1, TAKT_FLAGS_CLEAR, &bits); }
static takt_status_t await_for(void) {
    return takt_flags_wait_for(&flags, 1, TAKT_FLAGS_CLEAR, &bits, duration);
}
static takt_status_t listen(void) { return takt_notification_take(&bits); }
static takt_status_t listen_for(void) { return takt_notification_take_for(&bits, duration); }
static takt_status_t delay(void) { return takt_thread_delay(1000); }

typedef struct row {
    const char *name;
    takt_status_t (*wait)(void);
    takt_status_t (*wait_for)(void); /* NULL: there is none */
} row_t;

static const row_t rows[] = {
    {"take", take, take_for},
    {"send", send, send_for},
    {"receive", receive, receive_for},
    {"allocate", allocate, allocate_for},
    {"await", await, await_for},
    {"listen", listen, listen_for},
    {"delay", delay, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void answers(const row_t *row, takt_status_t status, takt_status_t expected) {
    if (status != expected) {
        board_print(row->name);
        board_print(": ");
        board_print(takt_status_message(status));
        check(false, ": a_call_answers_what_it_must");
    }
}

/* ---- what a job is refused ----------------------------------------------------------------------- */

/* An empty queue is its own first place. */
static bool nobody_is_in(const takt_waiters_t *waiters, int32_t count) {
    return waiters->count == count && (const void *)waiters->queue.next == &waiters->queue;
}

static void must_be_untouched(const row_t *row) {
    const takt_thread_t *self = takt_kernel_running();
    const bool is_forgotten = self->wait == NULL && self->flags == TAKT_THREAD_EXISTS;
    const bool is_empty = nobody_is_in(&semaphore.waiters, 0) && nobody_is_in(&empty.items, 0) &&
                          nobody_is_in(&full.places, 0) && nobody_is_in(&pool.waiters, 0) &&
                          nobody_is_in(&flags.waiters, 0);
    if (!is_forgotten || !is_empty || takt_timeouts.next != TAKT_NEVER) {
        board_print(row->name);
        check(false, ": a_refused_wait_leaves_nothing_behind");
    }
}

static void refuse_row(const row_t *row) {
    static const takt_duration_t ends[] = {1, 1000, TAKT_NEVER};
    answers(row, row->wait(), TAKT_ERROR_WAITS);
    must_be_untouched(row);
    for (uint32_t i = 0; i < 3 && row->wait_for != NULL; i++) {
        duration = ends[i];
        answers(row, row->wait_for(), TAKT_ERROR_WAITS);
        must_be_untouched(row);
    }
    if (row->wait_for != NULL) {
        duration = 0;
        answers(row, row->wait_for(), TAKT_TIMEOUT);
    }
}

/* What does not wait is for jobs too. */
static void take_what_is_there(void) {
    const char *const sentence = "a_job_takes_what_is_there";
    duration = 1;
    check(takt_semaphore_give(&semaphore) == TAKT_OK && take() == TAKT_OK, sentence);
    check(takt_messages_receive(&full, message) == TAKT_OK && send_for() == TAKT_OK, sentence);
    check(takt_messages_send(&empty, message) == TAKT_OK && receive() == TAKT_OK, sentence);
    check(takt_pool_free(&pool, block) == TAKT_OK && takt_pool_allocate(&pool, &block) == TAKT_OK, sentence);
    check(takt_flags_set(&flags, 1) == TAKT_OK && await_for() == TAKT_OK, sentence);
    check(takt_thread_notify(takt_kernel_running(), 5) == TAKT_OK && listen() == TAKT_OK && bits == 5,
          sentence);
    check(takt_thread_delay(0) == TAKT_OK, "a_job_yields");
}

static void refuse_mutexes(void) {
    const char *const sentence = "a_mutex_is_for_plain_threads";
    check(takt_mutex_lock(&mutex) == TAKT_ERROR_JOBS, sentence);
    check(takt_mutex_lock_for(&mutex, 0) == TAKT_ERROR_JOBS, sentence);
    check(takt_mutex_unlock(&mutex) == TAKT_ERROR_JOBS, sentence);
    check(takt_mutex_holder(&mutex) == NULL, sentence);
}

static uint32_t refused; /* bits of kinds of jobs */

/* Executes the kind of number `argument` points to. */
static void be_refused(void *argument) {
    for (;;) {
        for (const row_t *row = rows; row < rows + ROWS; row++) {
            refuse_row(row);
        }
        take_what_is_there();
        refuse_mutexes();
        refused |= 1u << *(const uint32_t *)argument;
        (void)takt_wait_next_period();
    }
}

/* ---- waits ----------------------------------------------------------------------------------- */

enum { WAITERS = 3 }; /* a plain one, one that skips, and one in a server */

static takt_periodic_thread_t waiters[WAITERS];
static takt_task_extension_t extensions_of_waiters[WAITERS];
static takt_semaphore_t going;
static takt_messages_t letters;
static uint32_t letter_places[WAITERS][WORDS], waited;

static void wait_for_all(void *argument) {
    const char *const sentence = "a_job_that_nobody_ends_waits";
    uint32_t letter[WORDS], heard;
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&going) == TAKT_OK, sentence);
        check(takt_messages_receive(&letters, letter) == TAKT_OK, sentence);
        check(takt_notification_take(&heard) == TAKT_OK && heard == 3, sentence);
        check(takt_notification_take_for(&heard, 1) == TAKT_TIMEOUT && heard == 0, sentence);
        check(takt_thread_delay(1) == TAKT_OK, sentence);
        check(takt_semaphore_take_for(&going, 1) == TAKT_TIMEOUT, sentence);
        waited++;
        (void)takt_wait_next_period();
    }
}

static void let_them_go(void) {
    check(waited == 0, "who_waits_lets_others_go_on");
    for (uint32_t i = 0; i < WAITERS; i++) {
        check(takt_semaphore_give(&going) == TAKT_OK, "a_unit_is_given");
        check(takt_messages_send(&letters, message) == TAKT_OK, "a_message_is_sent");
        check(takt_thread_notify(&waiters[i].job.thread, 3) == TAKT_OK, "a_job_is_notified");
    }
    while (waited < WAITERS) {
        board_pass();
    }
}

/* ---- an allocator: a job in each period, in the background if it says so ------------------------- */

enum { LOW = 1, MIDDLE = 4, HIGH = 9 }; /* priorities */

/* In the background it is less urgent than all but plain threads, so that what it waits for could be had inline. */
typedef struct windowed {
    takt_task_extension_t extension; /* first */
    bool is_in_background;
} windowed_t;

static void windows_start(takt_task_t *task, takt_instant_t instant) {
    const windowed_t *of = TAKT_CONTAINER_OF(task->extension, windowed_t, extension);
    if (takt_task_is_active(task)) {
        takt_allocator_end_job(task, instant);
    }
    takt_allocator_begin_job(task, instant);
    takt_allocator_open(task, instant + task->job.period, task->job.period, instant);
    if (of->is_in_background) {
        takt_allocator_run_in_background(task, takt_level_from_priority(LOW + 1, TAKT_PRIORITIES));
    }
    takt_allocator_arm_start(task, instant + task->job.period);
}

static void windows_end(takt_task_t *task, takt_instant_t now) { takt_allocator_end_job(task, now); }
static void windows_enter(takt_task_t *task, takt_instant_t now) { takt_allocator_arm_start(task, now); }

static const takt_allocator_t windows = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "windows",
    .enter = windows_enter,
    .start = windows_start,
    .complete = windows_end,
    .exhaust = windows_end,
};

/* ---- the kinds of jobs that are refused ---------------------------------------------------------- */

enum { LATE, LATE_IN_SERVER, ARRIVING, WINDOWED, IN_BACKGROUND, KINDS, RATED = KINDS, THREADS };
enum {
    OF_WAITERS = THREADS,
    OF_RETURNED = OF_WAITERS + WAITERS,
    OF_SHARERS = OF_RETURNED + 2,
    STACKS = OF_SHARERS + 3
};

static const uint32_t numbers[THREADS] = {0, 1, 2, 3, 4, 5};
static conformance_stack_t stacks[STACKS];
static takt_thread_server_t server;
static takt_allocation_t allocation;
static takt_periodic_thread_t late[2];
static takt_task_extension_t extensions_of_late[2];
static takt_sporadic_thread_t arriving;
static takt_arrival_t arrivals[1];
static takt_allocated_thread_t windowed[2];
static windowed_t windows_of[2];
static takt_duration_t deadline, period;

static takt_thread_parameters_t thread_of(uint32_t number, void (*entry)(void *argument), uint32_t priority) {
    return (takt_thread_parameters_t){.entry = entry,
                                      .argument = (void *)(uintptr_t)&numbers[number % THREADS],
                                      .stack = stacks[number],
                                      .stack_bytes = STACK_BYTES,
                                      .priority = priority};
}

static void make_periodic(takt_periodic_thread_t *thread, const takt_thread_parameters_t *parameters,
                          takt_on_miss_t on_miss, takt_task_extension_t *extension) {
    const takt_job_parameters_t of = {.thread = *parameters,
                                      .period = period,
                                      .relative_deadline = deadline,
                                      .on_miss = on_miss,
                                      .extension = extension};
    check(takt_periodic_thread_create(thread, &of) == TAKT_OK, "a_periodic_thread_is_made");
}

static void make_late(void) {
    for (uint32_t i = 0; i < 2; i++) {
        takt_thread_parameters_t parameters = thread_of(LATE + i, be_refused, HIGH);
        parameters.server = i == 0 ? NULL : &server;
        make_periodic(&late[i], &parameters, i == 0 ? TAKT_ON_MISS_ABORT : TAKT_ON_MISS_DROP,
                      &extensions_of_late[i]);
    }
}

static void make_arriving(void) {
    const takt_job_parameters_t parameters = {.thread = thread_of(ARRIVING, be_refused, HIGH),
                                              .relative_deadline = deadline,
                                              .arrivals = arrivals,
                                              .capacity = 1,
                                              .on_miss = TAKT_ON_MISS_ABORT};
    check(takt_sporadic_thread_create(&arriving, &parameters) == TAKT_OK, "a_sporadic_thread_is_made");
}

static void make_allocated(takt_allocated_thread_t *thread, windowed_t *of,
                           const takt_thread_parameters_t *what) {
    const takt_job_parameters_t parameters = {.thread = *what,
                                              .allocation = &allocation,
                                              .extension = &of->extension,
                                              .period = period,
                                              .relative_deadline = period,
                                              .wcet = period};
    check(takt_allocated_thread_create(thread, &parameters) == TAKT_OK, "an_allocated_thread_is_made");
    check(takt_allocated_thread_enter(&thread->job) == TAKT_OK, "it_enters");
}

static void make_windowed(void) {
    for (uint32_t i = 0; i < 2; i++) {
        const takt_thread_parameters_t parameters = thread_of(WINDOWED + i, be_refused, HIGH);
        windows_of[i].is_in_background = i == 1;
        make_allocated(&windowed[i], &windows_of[i], &parameters);
    }
}

static void make_waiters(void) {
    for (uint32_t i = 0; i < WAITERS; i++) {
        takt_thread_parameters_t parameters = thread_of(OF_WAITERS + i, wait_for_all, MIDDLE);
        parameters.server = i == 2 ? &server : NULL;
        make_periodic(&waiters[i], &parameters, i == 1 ? TAKT_ON_MISS_SKIP : TAKT_ON_MISS_CONTINUE,
                      &extensions_of_waiters[i]);
    }
}

/* ---- threads that have returned ------------------------------------------------------------------ */

static takt_periodic_thread_t returned_late;
static takt_task_extension_t extension_of_returned;
static takt_allocated_thread_t returned_windowed;
static windowed_t windows_of_returned;
static uint32_t returned;

static void give_back(void *argument) {
    (void)argument;
    returned++;
}

static void make_returned(void) {
    takt_thread_parameters_t parameters = thread_of(OF_RETURNED, give_back, MIDDLE);
    make_periodic(&returned_late, &parameters, TAKT_ON_MISS_ABORT, &extension_of_returned);
    parameters = thread_of(OF_RETURNED + 1, give_back, MIDDLE);
    make_allocated(&returned_windowed, &windows_of_returned, &parameters);
}

/* Once, when such a job has been chosen, so much time passes that it is ended, where it can be interrupted, before it has ended
 * itself: then its context is built anew. */
static void let_it_be_late(takt_trace_t *trace, const takt_record_t *record) {
    static bool has_been;
    const bool is_chosen = record->kind == TAKT_RECORD_DECISION &&
                           record->entity == takt_entity_number(&returned_late.job.thread.plain.entity);
    (void)trace;
    if (is_chosen && !has_been && takt_port_now() >= 2 * period) {
        has_been = true;
        while (takt_port_now() <= returned_late.task.job.deadline) {
            board_pass();
        }
    }
}

static void look_at_returned(void) {
    const takt_thread_parameters_t parameters = thread_of(OF_RETURNED, give_back, MIDDLE);
    check(returned == 2, "who_has_returned_does_not_come_back");
    check(takt_thread_create(&returned_late.job.thread, &parameters) == TAKT_ERROR_EXISTS,
          "memory_of_jobs_is_not_that_of_a_deleted_thread");
    check(takt_thread_set_priority(&returned_late.job.thread, LOW) == TAKT_ERROR_OBJECT,
          "who_has_returned_is_no_thread");
}

/* ---- what an ended job has locked ---------------------------------------------------------------- */

static takt_periodic_thread_t holder, taker;
static takt_task_extension_t extension_of_holder, extension_of_taker;
static takt_allocated_thread_t unaware;
static windowed_t windows_of_unaware;
static takt_resource_t resource;
static uint32_t held, taken, told;

/* Its first job is ended while it holds the resource, and another one waits for that. */
static void hold(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_job_lock(&resource) == TAKT_OK, "a_job_locks");
        check(resource.holder == &holder.job.thread.plain.entity, "a_job_holds_what_it_locked");
        held++;
        while (takt_job_number() == 0) {
            board_pass();
        }
        check(takt_job_unlock(&resource) == TAKT_OK, "a_job_unlocks");
        (void)takt_wait_next_period();
    }
}

static void take_from_holder(void *argument) {
    (void)argument;
    for (;;) {
        const bool is_first = taken++ == 0;
        check(!is_first || resource.holder == &holder.job.thread.plain.entity, "the_resource_is_held");
        check(takt_job_lock(&resource) == TAKT_OK, "what_an_ended_job_has_locked_is_free");
        check(!is_first || (held == 1 && takt_kernel_now() >= deadline), "it_is_free_when_the_job_is_ended");
        check(resource.holder == &taker.job.thread.plain.entity, "who_has_waited_holds_it");
        check(takt_job_unlock(&resource) == TAKT_OK, "a_job_unlocks");
        (void)takt_wait_next_period();
    }
}

/* Its allocator would end it with all that it holds, and end its suspension without a word. */
static void be_refused_locks(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_job_lock(&resource) == TAKT_ERROR_EXTENSION, "an_allocator_without_locks_has_none");
        check(takt_job_unlock(&resource) == TAKT_ERROR_EXTENSION, "an_allocator_without_locks_has_none");
        check(takt_job_suspend(1) == TAKT_ERROR_EXTENSION, "a_job_with_windows_does_not_suspend_itself");
        told++;
        (void)takt_wait_next_period();
    }
}

static void make_sharers(void) {
    const takt_job_parameters_t of_taker = {.thread = thread_of(OF_SHARERS + 1, take_from_holder, HIGH),
                                            .period = period,
                                            .relative_deadline = period,
                                            .offset = deadline / 2,
                                            .extension = &extension_of_taker};
    const takt_thread_parameters_t of_holder = thread_of(OF_SHARERS, hold, MIDDLE - 1);
    const takt_thread_parameters_t of_unaware = thread_of(OF_SHARERS + 2, be_refused_locks, HIGH);
    takt_resource_init(&resource, 0, TAKT_PROTOCOL_PIP, 0);
    make_periodic(&holder, &of_holder, TAKT_ON_MISS_ABORT, &extension_of_holder);
    check(takt_periodic_thread_create(&taker, &of_taker) == TAKT_OK, "a_periodic_thread_is_made");
    make_allocated(&unaware, &windows_of_unaware, &of_unaware);
}

/* ---- priorities ---------------------------------------------------------------------------------- */

static takt_thread_t test_thread;
static takt_rate_thread_t rated;

static void change(takt_thread_t *thread, takt_status_t expected, const char *sentence) {
    check(takt_thread_set_priority(thread, MIDDLE) == expected, sentence);
}

static void change_priorities(void) {
    change(&test_thread, TAKT_OK, "a_plain_thread_has_a_priority");
    change(&late[0].job.thread, TAKT_OK, "jobs_under_fixed_priorities_have_one");
    change(&arriving.job.thread, TAKT_OK, "jobs_that_arrive_have_one");
    change(&late[1].job.thread, TAKT_ERROR_KEY, "jobs_under_computed_keys_have_none");
    change(&waiters[2].job.thread, TAKT_ERROR_KEY, "jobs_under_computed_keys_have_none");
    change(&windowed[0].job.thread, TAKT_ERROR_KEY, "jobs_in_windows_have_none");
    change(&windowed[1].job.thread, TAKT_ERROR_KEY, "jobs_in_the_background_have_none");
}

/* ---- the program --------------------------------------------------------------------------------- */

static void test(void *argument) {
    (void)argument;
    check(takt_job_arrive(&arriving.job) == TAKT_OK, "a_job_arrives");
    let_them_go();
    while (takt_kernel_now() < PERIODS * period) {
        board_pass();
    }
    check(refused == (1u << KINDS) - 1u, "jobs_of_all_kinds_have_been_refused");
    check(held > 1 && taken > 1 && told > 1, "who_shares_goes_on");
    look_at_returned();
    change_priorities();
    board_exit(0);
}

static void test_rated(void *argument) {
    (void)argument;
    check(refused == 1u << RATED, "a_rate_based_job_has_been_refused");
    change(&test_thread, TAKT_OK, "the_priority_of_a_plain_thread_is_of_no_account");
    change(&rated.job.thread, TAKT_ERROR_KEY, "a_rate_based_thread_has_no_priority");
    board_exit(0);
}

static void make_rated(void) {
    static takt_rates_t rates;
    const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 1};
    const takt_rate_parameters_t parameters = {.thread = thread_of(RATED, be_refused, 0),
                                               .rates = &rates,
                                               .type = TAKT_CLASS_HARD,
                                               .demand = {.wcet = deadline, .period = period}};
    check(takt_rates_init(&rates, &settings, NULL, 0) == TAKT_OK, "rates_are_made");
    check(takt_rate_thread_create(&rated, &parameters) == TAKT_OK, "a_rate_based_thread_is_made");
    check(takt_rate_thread_enter(&rated) == TAKT_OK, "it_is_admitted");
    thread_begin(&test_thread, stacks[0], LOW, test_rated, NULL);
}

static void make_all(void) {
    const takt_thread_server_parameters_t of_server = {.kind = &takt_server_deferrable,
                                                       .policy = &takt_policy_edf,
                                                       .period = period,
                                                       .budget = period,
                                                       .priority = HIGH};
    check(takt_thread_server_create(&server, &of_server) == TAKT_OK, "a_server_is_made");
    check(takt_kernel_add_allocator(&allocation, &windows) == TAKT_OK, "an_allocator_is_added");
    semaphore_begin(&going, 0);
    check(takt_messages_init(&letters, letter_places, sizeof letter_places[0], WAITERS) == TAKT_OK,
          "a_queue_is_made");
    make_late();
    make_arriving();
    make_windowed();
    make_waiters();
    make_returned();
    make_sharers();
    thread_begin(&test_thread, stacks[RATED], LOW, test, NULL);
}

int main(void) {
    static takt_trace_t trace = {.record = let_it_be_late};
    board_begin();
    check(takt_kernel_init(&CONFORMANCE_POLICY) == TAKT_OK, "a_kernel_is_made");
    check((CONFORMANCE_TRACED) == 0 || takt_kernel_trace_to(&trace) == TAKT_OK, "it_is_traced");
    deadline = board_span(DEADLINE_INSTRUCTIONS);
    period = 2 * deadline;
    make_objects();
    if (CONFORMANCE_POLICY.order == TAKT_ORDER_LEVELS) {
        make_all();
    } else {
        make_rated();
    }
    kernel_go();
}
