/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls whose masked stretches masked.py reads from a trace of all instructions.
 *
 * A row is a function whose name begins with row_. It lasts from its entry until any thread enters rest(), and has the
 * longest stretch with interrupts masked that begins in between. Nothing is stamped: the calls are the program's own.
 *
 * The command line: the place of the threads, "fp" (the root) or "server" (a deferrable one, fp inside), and a number N
 * of others that stand beside each call: threads that wait for the same, timeouts that are armed, mutexes that are held.
 * With none of them stacks and messages are small, with some they are large. */
#include "bench/kernel/program.h"
#include "kernel/alarm.h"
#include "kernel/condition.h"
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"
#include "kernel/server.h"

enum {
    OTHERS_LIMIT = 15,
    HELPERS = OTHERS_LIMIT + 1,
    CONTROLLER = HELPERS,
    EQUAL,
    LOW,
    FAR = 1000 * 1000 * 1000, /* ticks: no wait is as long */
    SHORT = 15 * 1000,
    PERIOD = 1000 * 1000 * 1000,
    SMALL_WORDS = 4,
    LARGE_WORDS = TAKT_MESSAGE_BYTES_MAX / sizeof(uint32_t),
    SMALL_STACK = 1024,
    LARGE_STACK = 16384,
};

#define ROW(name) static __attribute__((noinline, used)) void row_##name(void)

/* Ends a row. */
static __attribute__((noinline, used)) void rest(void) { __asm volatile(""); }

static void require(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_exit(4);
    }
}

static uint32_t others;
static takt_thread_server_t bench_server, *server; /* NULL: the threads are under the root */

/* ---- objects -------------------------------------------------------------------------------------- */

static takt_semaphore_t semaphore, equal_semaphore, go[HELPERS];
static takt_mutex_t mutex, inner_mutex, ceiling_mutex, chain[HELPERS + 1];
static takt_condition_t condition;
static takt_flags_t flags;
static takt_alarm_t alarm;
static takt_messages_t messages;
static uint32_t message_memory[LARGE_WORDS], message[LARGE_WORDS];
static takt_pool_t pool;
static uint64_t pool_memory[2];
static void *block;
static uint64_t passing_stack[LARGE_STACK / sizeof(uint64_t)];
static takt_thread_t passing;

static void init_objects(void) {
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP, .server = server};
    const takt_mutex_parameters_t of_ceiling = {
        .protocol = TAKT_PROTOCOL_ICPP, .ceiling = 26, .server = server};
    require(takt_semaphore_init(&semaphore, 0));
    require(takt_semaphore_init(&equal_semaphore, 0));
    require(takt_mutex_init(&mutex, &inheritance));
    require(takt_mutex_init(&inner_mutex, &inheritance));
    require(takt_mutex_init(&ceiling_mutex, &of_ceiling));
    for (uint32_t index = 0; index <= HELPERS; index++) {
        require(takt_mutex_init(&chain[index], &inheritance));
    }
    require(takt_condition_init(&condition));
    require(takt_flags_init(&flags));
    const uint32_t words = others == 0 ? SMALL_WORDS : LARGE_WORDS;
    require(takt_messages_init(&messages, message_memory, words * (uint32_t)sizeof *message, 1));
    require(takt_pool_init(&pool, pool_memory, sizeof pool_memory, 1));
}

/* ---- helpers: they wait ---------------------------------------------------------------------------- */

static void (*job)(uint32_t index);

static void helper(void *argument) {
    const uint32_t index = (uint32_t)(uintptr_t)argument;
    for (;;) {
        (void)takt_semaphore_take(&go[index]);
        job(index);
        rest();
    }
}

/* Lets `count` helpers begin a job, in which each waits. */
static void gather(void (*of_each)(uint32_t index), uint32_t count) {
    job = of_each;
    for (uint32_t index = 0; index < count; index++) {
        (void)takt_semaphore_give(&go[index]);
    }
}

/* Lets one more do so, in the row of its job. */
static void gather_last(void (*of_last)(uint32_t index)) {
    job = of_last;
    (void)takt_semaphore_give(&go[others]);
    rest();
}

/* ---- the least urgent thread: it runs while the controller waits --------------------------------- */

static void (*unblock)(void), (*spin)(void);

static void low(void *argument) {
    (void)argument;
    for (;;) {
        rest();
        void (*const row)(void) = spin;
        void (*const end)(void) = unblock;
        spin = NULL;
        unblock = NULL;
        if (row != NULL) {
            row();
        }
        if (end != NULL) {
            end();
        }
    }
}

static volatile bool has_ended;

static void until_end(void) {
    while (!has_ended) {
    }
    has_ended = false;
}

/* ---- semaphores ------------------------------------------------------------------------------------ */

ROW(give) { (void)takt_semaphore_give(&semaphore); }
ROW(take) { (void)takt_semaphore_take(&semaphore); }
ROW(give_wakes) { (void)takt_semaphore_give(&semaphore); }
ROW(give_wakes_timed) { (void)takt_semaphore_give(&semaphore); }
ROW(take_waits) { (void)takt_semaphore_take(&semaphore); }
ROW(take_for_waits) { (void)takt_semaphore_take_for(&semaphore, FAR); }
ROW(take_times_out) { until_end(); }

static void take_one(uint32_t index) {
    (void)index;
    (void)takt_semaphore_take(&semaphore);
}

static void take_one_for(uint32_t index) {
    (void)takt_semaphore_take_for(&semaphore, FAR + 12345u * (takt_duration_t)index);
}

/* The helpers are more urgent than the controller, which is served last. */
static void give_all(void) {
    for (uint32_t index = 0; index <= others; index++) {
        (void)takt_semaphore_give(&semaphore);
    }
}

static void measure_semaphores(void) {
    row_give();
    rest();
    row_take();
    rest();
    gather(take_one, others + 1);
    row_give_wakes();
    for (uint32_t index = 0; index < others; index++) {
        (void)takt_semaphore_give(&semaphore);
    }
    gather(take_one, others);
    unblock = give_all;
    row_take_waits();
    gather(take_one_for, others);
    unblock = give_all;
    row_take_for_waits();
    gather(take_one_for, others + 1);
    row_give_wakes_timed();
    spin = row_take_times_out;
    (void)takt_semaphore_take_for(&semaphore, SHORT);
    has_ended = true;
    rest();
    for (uint32_t index = 0; index < others; index++) {
        (void)takt_semaphore_give(&semaphore);
    }
}

/* ---- other objects --------------------------------------------------------------------------------- */

ROW(send) { (void)takt_messages_send(&messages, message); }
ROW(receive) { (void)takt_messages_receive(&messages, message); }
ROW(send_wakes) { (void)takt_messages_send(&messages, message); }
ROW(receive_waits) { (void)takt_messages_receive(&messages, message); }
ROW(receive_wakes) { (void)takt_messages_receive(&messages, message); }
ROW(send_waits) { (void)takt_messages_send(&messages, message); }
ROW(send_from_isr) {
    BENCH_RAISING;
    BENCH_RAISE();
    BENCH_BARRIER();
}

static uint32_t helper_message[LARGE_WORDS];

static void receive_one(uint32_t index) {
    (void)index;
    (void)takt_messages_receive(&messages, helper_message);
}

static void send_one(uint32_t index) {
    (void)index;
    (void)takt_messages_send(&messages, helper_message);
}

static void send_all(void) {
    for (uint32_t index = 0; index <= others; index++) {
        (void)takt_messages_send(&messages, message);
    }
}

static void receive_all(void) {
    for (uint32_t index = 0; index <= others + 1; index++) {
        (void)takt_messages_receive(&messages, helper_message);
    }
}

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) { (void)takt_messages_send_from_isr(&messages, message); }

static void measure_messages(void) {
    row_send();
    rest();
    row_receive();
    rest();
    gather(receive_one, others + 1);
    row_send_wakes();
    for (uint32_t index = 0; index < others; index++) {
        (void)takt_messages_send(&messages, message);
    }
    gather(receive_one, others);
    unblock = send_all;
    row_receive_waits();
    (void)takt_messages_send(&messages, message);
    gather(send_one, others + 1);
    row_receive_wakes();
    for (uint32_t index = 0; index <= others; index++) {
        (void)takt_messages_receive(&messages, message);
    }
    (void)takt_messages_send(&messages, message);
    gather(send_one, others);
    unblock = receive_all;
    row_send_waits();
    gather(receive_one, others + 1);
    row_send_from_isr();
    for (uint32_t index = 0; index < others; index++) {
        (void)takt_messages_send(&messages, message);
    }
}

/* ---- flags, pools, conditions, alarms ---------------------------------------------------------------- */

ROW(flags_set) { (void)takt_flags_set(&flags, 1); }
ROW(pool_free_wakes) { (void)takt_pool_free(&pool, block); }
ROW(condition_wait) { (void)takt_condition_wait(&condition, &mutex); }
ROW(condition_notify_all) { (void)takt_condition_notify_all(&condition); }
ROW(alarm_start) { (void)takt_alarm_start(&alarm, SHORT); }
ROW(alarm_expires) { until_end(); }
ROW(alarm_stop) { (void)takt_alarm_stop(&alarm); }

static void wait_for_flags(uint32_t index) {
    uint32_t bits;
    (void)index;
    (void)takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, &bits);
}

static void allocate_one(uint32_t index) {
    void *own;
    (void)index;
    (void)takt_pool_allocate(&pool, &own);
    (void)takt_pool_free(&pool, own);
}

static void wait_for_condition(uint32_t index) {
    (void)index;
    (void)takt_mutex_lock(&mutex);
    (void)takt_condition_wait(&condition, &mutex);
    (void)takt_mutex_unlock(&mutex);
}

static void wait_last_for_condition(uint32_t index) {
    (void)index;
    (void)takt_mutex_lock(&mutex);
    row_condition_wait();
    (void)takt_mutex_unlock(&mutex);
}

static void end_spinning(void *argument) {
    (void)argument;
    has_ended = true;
}

static void measure_objects(void) {
    gather(wait_for_flags, others + 1);
    row_flags_set();
    rest();
    (void)takt_flags_clear(&flags, 1);
    (void)takt_pool_allocate(&pool, &block);
    gather(allocate_one, others + 1);
    row_pool_free_wakes();
    gather(wait_for_condition, others);
    gather_last(wait_last_for_condition);
    row_condition_notify_all();
    require(takt_alarm_init(&alarm, end_spinning, NULL));
    gather(take_one_for, others);
    row_alarm_start();
    rest();
    row_alarm_expires();
    rest();
    (void)takt_alarm_start(&alarm, SHORT);
    row_alarm_stop();
    rest();
    give_all();
    (void)takt_semaphore_take(&semaphore);
}

/* ---- mutexes --------------------------------------------------------------------------------------- */

ROW(lock) { (void)takt_mutex_lock(&mutex); }
ROW(unlock) { (void)takt_mutex_unlock(&mutex); }
ROW(lock_ceiling) { (void)takt_mutex_lock(&ceiling_mutex); }
ROW(unlock_ceiling) { (void)takt_mutex_unlock(&ceiling_mutex); }
ROW(lock_waits) { (void)takt_mutex_lock(&mutex); }
ROW(unlock_wakes) { (void)takt_mutex_unlock(&mutex); }
ROW(lock_for_waits) { (void)takt_mutex_lock_for(&mutex, FAR); }
ROW(unlock_wakes_timed) { (void)takt_mutex_unlock(&mutex); }
ROW(lock_times_out) { until_end(); }
ROW(give_as_holder) { (void)takt_semaphore_give(&equal_semaphore); }
ROW(lock_chain) { (void)takt_mutex_lock(&chain[others]); }
ROW(unlock_chain) { (void)takt_mutex_unlock(&chain[0]); }

static void lock_one(uint32_t index) {
    (void)index;
    (void)takt_mutex_lock(&mutex);
    rest();
    (void)takt_mutex_unlock(&mutex);
}

static void lock_last(uint32_t index) {
    (void)index;
    row_lock_waits();
    rest();
    (void)takt_mutex_unlock(&mutex);
}

static void lock_one_for(uint32_t index) {
    (void)takt_mutex_lock_for(&mutex, FAR + 12345u * (takt_duration_t)index);
    rest();
    (void)takt_mutex_unlock(&mutex);
}

static void lock_last_for(uint32_t index) {
    (void)index;
    row_lock_for_waits();
    rest();
    (void)takt_mutex_unlock(&mutex);
}

static void lock_in_vain(uint32_t index) {
    (void)index;
    has_ended = takt_mutex_lock_for(&mutex, SHORT) == TAKT_TIMEOUT;
}

/* Each holds one, and waits for that of the one before. */
static void lock_link(uint32_t index) {
    (void)takt_mutex_lock(&chain[index + 1]);
    if (index < others) {
        (void)takt_mutex_lock(&chain[index]);
        (void)takt_mutex_unlock(&chain[index]);
    } else {
        row_lock_chain();
        rest();
        (void)takt_mutex_unlock(&chain[others]);
    }
    (void)takt_mutex_unlock(&chain[index + 1]);
}

static void measure_contended(void) {
    (void)takt_mutex_lock(&mutex);
    gather(lock_one, others);
    gather_last(lock_last);
    row_give_as_holder();
    rest();
    row_unlock_wakes();
    (void)takt_mutex_lock(&mutex);
    gather(lock_one_for, others);
    gather_last(lock_last_for);
    row_unlock_wakes_timed();
    (void)takt_mutex_lock(&mutex);
    gather(lock_one, others);
    gather_last(lock_in_vain);
    row_lock_times_out();
    (void)takt_mutex_unlock(&mutex);
}

static void measure_mutexes(void) {
    row_lock();
    rest();
    row_unlock();
    rest();
    row_lock_ceiling();
    rest();
    row_unlock_ceiling();
    rest();
    measure_contended();
    (void)takt_mutex_lock(&chain[0]);
    gather(lock_link, others + 1);
    row_unlock_chain();
}

/* ---- threads --------------------------------------------------------------------------------------- */

ROW(yield) { (void)takt_thread_yield(); }
ROW(set_priority) { (void)takt_thread_set_priority(&bench_threads[LOW], 2); }
ROW(set_priority_waiting) { (void)takt_thread_set_priority(&bench_threads[others], 25); }
ROW(suspend) { (void)takt_thread_suspend(&bench_threads[LOW]); }
ROW(resume) { (void)takt_thread_resume(&bench_threads[LOW]); }
ROW(suspend_waiting) { (void)takt_thread_suspend(&bench_threads[others]); }
ROW(resume_waiting) { (void)takt_thread_resume(&bench_threads[others]); }
ROW(abort_wait) { (void)takt_thread_abort_wait(&bench_threads[others]); }
ROW(delay) { (void)takt_thread_delay(FAR); }
ROW(delay_ends) {
    bench_clock_release();
    until_end();
}
/* Each is called right before the thread returns. */
ROW(returns) { __asm volatile(""); }
ROW(returns_holding) { __asm volatile(""); }
ROW(delete_ready) { (void)takt_thread_delete(&passing); }
ROW(delete_waiting) { (void)takt_thread_delete(&passing); }
ROW(delete_waiting_timed) { (void)takt_thread_delete(&passing); }
ROW(delete_delaying) { (void)takt_thread_delete(&passing); }
ROW(delete_locking) { (void)takt_thread_delete(&passing); }

static void create_passing(void (*entry)(void *argument), uint32_t priority) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .stack = passing_stack,
                                                 .stack_bytes = others == 0 ? SMALL_STACK : LARGE_STACK,
                                                 .priority = priority,
                                                 .server = server};
    require(takt_thread_create(&passing, &parameters));
}

static void return_at_once(void *argument) {
    (void)argument;
    rest();
    row_returns();
}

ROW(create) { create_passing(return_at_once, 2); }
ROW(create_runs) { create_passing(return_at_once, 24); }

static void return_holding(void *argument) {
    (void)argument;
    for (uint32_t index = 0; index <= others; index++) {
        (void)takt_mutex_lock(&chain[index]);
    }
    row_returns_holding();
}

static void wait_to_be_deleted(void *argument) {
    (void)argument;
    take_one(0);
}

static void wait_timed_to_be_deleted(void *argument) {
    (void)argument;
    take_one_for(0);
}

static void delay_to_be_deleted(void *argument) {
    (void)argument;
    (void)takt_thread_delay(FAR);
}

static void lock_to_be_deleted(void *argument) {
    (void)argument;
    lock_one(0);
}

static void measure_deletion(void (*entry)(void *argument), void (*row)(void)) {
    create_passing(entry, 24);
    row();
    rest();
}

static void measure_life(void) {
    row_create();
    rest();
    row_delete_ready();
    rest();
    row_create_runs();
    rest();
    create_passing(return_holding, 24);
    rest();
    gather(take_one, others);
    measure_deletion(wait_to_be_deleted, row_delete_waiting);
    give_all();
    (void)takt_semaphore_take(&semaphore);
    gather(take_one_for, others);
    measure_deletion(wait_timed_to_be_deleted, row_delete_waiting_timed);
    measure_deletion(delay_to_be_deleted, row_delete_delaying);
    give_all();
    (void)takt_semaphore_take(&semaphore);
    (void)takt_mutex_lock(&mutex);
    gather(lock_one, others);
    measure_deletion(lock_to_be_deleted, row_delete_locking);
    (void)takt_mutex_unlock(&mutex);
}

static void delay_one(uint32_t index) {
    (void)index;
    (void)takt_thread_delay(SHORT);
}

static void abort_delay(void) { (void)takt_thread_abort_wait(&bench_threads[CONTROLLER]); }

static void measure_delays(void) {
    gather(take_one_for, others);
    unblock = abort_delay;
    row_delay();
    give_all();
    (void)takt_semaphore_take(&semaphore);
    bench_clock_hold();
    gather(delay_one, others);
    spin = row_delay_ends;
    (void)takt_thread_delay(SHORT);
    has_ended = true;
    rest();
}

static void equal(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&equal_semaphore);
        rest();
    }
}

static void measure_threads(void) {
    row_set_priority();
    rest();
    gather(take_one_for, others + 1);
    row_set_priority_waiting();
    rest();
    row_suspend_waiting();
    rest();
    row_resume_waiting();
    rest();
    row_abort_wait();
    give_all();
    (void)takt_semaphore_take(&semaphore);
    row_suspend();
    rest();
    row_resume();
    rest();
    (void)takt_semaphore_give(&equal_semaphore);
    row_yield();
}

/* ---- main -------------------------------------------------------------------------------------------- */

static void controller(void *argument) {
    (void)argument;
    measure_semaphores();
    measure_messages();
    measure_objects();
    measure_mutexes();
    measure_life();
    measure_delays();
    measure_threads();
    takt_semihost_exit(0);
}

static void create(uint32_t index, void (*entry)(void *argument), uint32_t priority) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .argument = (void *)(uintptr_t)index,
                                                 .stack = bench_stacks[index],
                                                 .stack_bytes = BENCH_STACK_BYTES,
                                                 .priority = priority,
                                                 .server = server};
    require(takt_thread_create(&bench_threads[index], &parameters));
}

static void create_server(void) {
    const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                        .policy = &takt_policy_fp,
                                                        .period = PERIOD,
                                                        .budget = PERIOD / 2,
                                                        .priority = 20};
    require(takt_thread_server_create(&bench_server, &parameters));
    server = &bench_server;
}

int main(void) {
    bench_words_t words;
    bench_read_words(&words);
    others = words.number;
    require(takt_kernel_init(&takt_policy_fp));
    if (*words.choice == 's') {
        create_server();
    }
    init_objects();
    for (uint32_t index = 0; index < HELPERS; index++) {
        require(takt_semaphore_init(&go[index], 0));
        create(index, helper, 8 + index);
    }
    create(CONTROLLER, controller, 5);
    create(EQUAL, equal, 5);
    create(LOW, low, 1);
    bench_interrupt_enable();
    bench_start();
    return 0;
}
