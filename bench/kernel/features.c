/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The price of features: two threads and a semaphore under fixed priorities, and one feature more, which FEATURE_ names.
 * The footprint links each and compares; tests run each, so that a feature without what it needs is found. */
#include "kernel/alarm.h"
#include "kernel/flags.h"
#include "kernel/kernel.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "kernel/ring.h"
#include "kernel/semaphore.h"
#include "kernel/sporadic.h"

/* A footprint is not run. */
#ifdef FEATURES_RUN
#include "tests/conformance/board.h"
#else
static volatile int outcome;
static void board_begin(void) {}
#define board_ticker_start(period, handler) (void)(handler)
#define board_ticker_stop() (void)0
static void board_exit(int status) {
    outcome = status;
    for (;;) {
    }
}
#endif

enum { STACK_BYTES = TAKT_STACK_BYTES_MIN + 1024, ROUNDS = 3, SPAN = 20000 };

static takt_semaphore_t ready;
static takt_thread_t high, low;
static uint64_t high_stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static uint64_t low_stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static volatile uint32_t taken;
static bool is_right = true;

static void must(bool holds) { is_right = is_right && holds; }

/* ---- the feature: begin, before the threads; act, in each round of the less urgent thread ------------- */

#if defined(FEATURE_DELAY)
#define ACT() must(takt_thread_delay(SPAN) == TAKT_OK)
#elif defined(FEATURE_TIMED_TAKE)
static takt_semaphore_t never;
#define BEGIN() must(takt_semaphore_init(&never, 0) == TAKT_OK)
#define ACT() must(takt_semaphore_take_for(&never, SPAN) == TAKT_TIMEOUT)
#elif defined(FEATURE_ALARM)
static takt_alarm_t alarm;
static takt_semaphore_t rung;
static void ring(void *argument) { (void)takt_semaphore_give_from_isr(argument); }
#define BEGIN()                                     \
    must(takt_semaphore_init(&rung, 0) == TAKT_OK); \
    must(takt_alarm_init(&alarm, ring, &rung) == TAKT_OK)
#define ACT()                                        \
    must(takt_alarm_start(&alarm, SPAN) == TAKT_OK); \
    must(takt_semaphore_take(&rung) == TAKT_OK)
#elif defined(FEATURE_YIELD)
#define ACT() must(takt_thread_yield() == TAKT_OK)
#elif defined(FEATURE_PRIORITY)
/* The other is the less urgent one for a while: it does not run when it is given a unit. */
#define ACT()                                                        \
    const uint32_t before = taken;                                   \
    must(takt_thread_set_priority(&high, 1) == TAKT_OK);             \
    must(takt_semaphore_give(&ready) == TAKT_OK && taken == before); \
    must(takt_thread_set_priority(&high, 6) == TAKT_OK && taken == before + 1u)
#elif defined(FEATURE_SUSPEND)
/* A unit given to a suspended thread is its own, but it does not run. */
#define ACT()                                                        \
    const uint32_t before = taken;                                   \
    must(takt_thread_suspend(&high) == TAKT_OK);                     \
    must(takt_semaphore_give(&ready) == TAKT_OK && taken == before); \
    must(takt_thread_resume(&high) == TAKT_OK && taken == before + 1u)
#elif defined(FEATURE_NOTIFY)
#define ACT()                                     \
    uint32_t bits = 0;                            \
    must(takt_thread_notify(&low, 5) == TAKT_OK); \
    must(takt_notification_take(&bits) == TAKT_OK && bits == 5u)
#elif defined(FEATURE_CREATE)
/* Created, run to its end and deleted while the kernel runs. */
static takt_thread_t third, fourth;
static uint64_t third_stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static uint64_t fourth_stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static volatile uint32_t ran;
static void run_third(void *argument) {
    (void)argument;
    ran++;
}
#define ACT()                                                                                 \
    const uint32_t before = ran;                                                              \
    takt_thread_parameters_t of_third = {                                                     \
        .entry = run_third, .stack = third_stack, .stack_bytes = STACK_BYTES, .priority = 7}; \
    must(takt_thread_create(&third, &of_third) == TAKT_OK && ran == before + 1u);             \
    of_third.stack = fourth_stack;                                                            \
    of_third.priority = 1;                                                                    \
    must(takt_thread_create(&fourth, &of_third) == TAKT_OK && takt_thread_delete(&fourth) == TAKT_OK)
#elif defined(FEATURE_MESSAGES)
static takt_messages_t messages;
static uint32_t memory[4];
#define BEGIN() must(takt_messages_init(&messages, memory, sizeof(uint32_t), 4) == TAKT_OK)
#define ACT()                                              \
    uint32_t sent = 7, received = 0;                       \
    must(takt_messages_send(&messages, &sent) == TAKT_OK); \
    must(takt_messages_receive(&messages, &received) == TAKT_OK && received == 7)
#elif defined(FEATURE_FLAGS)
/* The call that sets flags opens the lock in between; interrupts come there, too. */
enum { FLAG_ROUNDS = 100, STORM = 511 };
static takt_flags_t flags;
static takt_semaphore_t counted;
static void count(void) { (void)takt_semaphore_give_from_isr(&counted); }
#define BEGIN()                                        \
    must(takt_semaphore_init(&counted, 0) == TAKT_OK); \
    must(takt_flags_init(&flags) == TAKT_OK)
#define HIGH_ACT()      \
    uint32_t found = 0; \
    must(takt_flags_wait(&flags, 3, TAKT_FLAGS_CLEAR, &found) == TAKT_OK && found == 1u)
#define ACT()                                                                \
    board_ticker_start(board_span(STORM), count);                            \
    for (uint32_t i = 0; i < FLAG_ROUNDS; i++) {                             \
        const uint32_t earlier = taken;                                      \
        must(takt_semaphore_give(&ready) == TAKT_OK && taken == earlier);    \
        must(takt_flags_set(&flags, 1) == TAKT_OK && taken == earlier + 1u); \
    }                                                                        \
    board_ticker_stop();                                                     \
    must(takt_flags_set(&flags, 1) == TAKT_OK)
#elif defined(FEATURE_POOL)
static takt_pool_t pool;
static uint64_t blocks[8];
#define BEGIN() must(takt_pool_init(&pool, blocks, 32, 2) == TAKT_OK)
#define ACT()                                           \
    void *block = NULL;                                 \
    must(takt_pool_allocate(&pool, &block) == TAKT_OK); \
    must(takt_pool_free(&pool, block) == TAKT_OK)
#elif defined(FEATURE_MUTEX) || defined(FEATURE_CEILING) || defined(FEATURE_TIMED_LOCK)
#if defined(FEATURE_CEILING)
#define PROTOCOL TAKT_PROTOCOL_ICPP
#else
#define PROTOCOL TAKT_PROTOCOL_PIP
#endif
#if defined(FEATURE_TIMED_LOCK)
#define LOCK(mutex) takt_mutex_lock_for(mutex, SPAN)
#else
#define LOCK(mutex) takt_mutex_lock(mutex)
#endif
static takt_mutex_t mutex;
#define BEGIN()                                                                    \
    const takt_mutex_parameters_t of_mutex = {.protocol = PROTOCOL, .ceiling = 6}; \
    must(takt_mutex_init(&mutex, &of_mutex) == TAKT_OK)
/* The more urgent thread locks it too, and waits for this one, unless a ceiling keeps it from running. */
#define HIGH_ACT()                 \
    must(LOCK(&mutex) == TAKT_OK); \
    must(takt_mutex_unlock(&mutex) == TAKT_OK)
#define ACT()                                                      \
    const uint32_t before = taken;                                 \
    must(LOCK(&mutex) == TAKT_OK);                                 \
    must(takt_semaphore_give(&ready) == TAKT_OK);                  \
    must(taken == before && takt_mutex_unlock(&mutex) == TAKT_OK); \
    must(taken == before + 1u)
#elif defined(FEATURE_KEYS)
#define POLICY takt_policy_edf
#elif defined(FEATURE_SERVER)
static takt_thread_server_t server;
#define BEGIN()                                                                         \
    const takt_thread_server_parameters_t of_server = {.kind = &takt_server_deferrable, \
                                                       .policy = &takt_policy_fp,       \
                                                       .period = 1000000,               \
                                                       .budget = 900000,                \
                                                       .priority = 8};                  \
    must(takt_thread_server_create(&server, &of_server) == TAKT_OK)
#define SERVER &server
#elif defined(FEATURE_PERIODIC)
static takt_periodic_thread_t job;
static uint64_t job_stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static takt_semaphore_t ended;
static void work(void *argument) {
    for (;;) {
        (void)takt_semaphore_give(argument);
        (void)takt_wait_next_period();
    }
}
#define BEGIN()                                                                  \
    const takt_job_parameters_t of_job = {.thread = {.entry = work,              \
                                                     .argument = &ended,         \
                                                     .stack = job_stack,         \
                                                     .stack_bytes = STACK_BYTES, \
                                                     .priority = 9},             \
                                          .period = SPAN,                        \
                                          .relative_deadline = SPAN};            \
    must(takt_semaphore_init(&ended, 0) == TAKT_OK);                             \
    must(takt_periodic_thread_create(&job, &of_job) == TAKT_OK)
#define ACT() must(takt_semaphore_take(&ended) == TAKT_OK)
#elif defined(FEATURE_TRACE)
static takt_trace_ring_t traced;
static takt_record_t records[8];
#define BEGIN()                                                 \
    must(takt_trace_ring_init(&traced, records, 8) == TAKT_OK); \
    must(takt_kernel_trace_to(&traced.trace) == TAKT_OK)
#endif

#ifndef BEGIN
#define BEGIN() (void)0
#endif
#ifndef ACT
#define ACT() (void)0
#endif
#ifndef HIGH_ACT
#define HIGH_ACT() (void)0
#endif
#ifndef POLICY
#define POLICY takt_policy_fp
#endif
#ifndef SERVER
#define SERVER NULL
#endif

/* ---- the program --------------------------------------------------------------------------------------- */

static void run_high(void *argument) {
    (void)argument;
    for (;;) {
        must(takt_semaphore_take(&ready) == TAKT_OK);
        HIGH_ACT();
        taken++;
    }
}

static void act(void) { ACT(); }

static void run_low(void *argument) {
    (void)argument;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        act();
        const uint32_t before = taken;
        must(takt_semaphore_give(&ready) == TAKT_OK);
        must(taken == before + 1u);
    }
    board_exit(is_right ? 0 : 1);
}

static void create(takt_thread_t *thread, void *stack, uint32_t priority, void (*entry)(void *)) {
    const takt_thread_parameters_t parameters = {
        .entry = entry, .stack = stack, .stack_bytes = STACK_BYTES, .priority = priority, .server = SERVER};
    must(takt_thread_create(thread, &parameters) == TAKT_OK);
}

int main(void) {
    board_begin();
    must(takt_kernel_init(&POLICY) == TAKT_OK);
    must(takt_semaphore_init(&ready, 0) == TAKT_OK);
    BEGIN();
    create(&high, high_stack, 6, run_high);
    create(&low, low_stack, 5, run_low);
    (void)takt_kernel_start();
    return 1;
}
