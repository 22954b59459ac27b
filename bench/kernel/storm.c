/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How late interrupts come: a probe interrupts a busy kernel 20,000 times and keeps its least and greatest delay.
 *
 * The command line chooses what expires at one instant, again and again, N of each:
 *   periods N    the periods of N periodic threads
 *   delays N     the delays of N threads
 * or what is done besides:
 *   objects N    mutexes that are wanted, one for a while only, a queue of the longest messages, threads that are
 *                created on stacks of N bytes and deleted
 * The greatest delay is the worst latency of an interrupt, the difference of the two the longest stretch with
 * interrupts masked. */
#include "bench/kernel/program.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"

enum {
    SAMPLES = 20000,
    STORM_LIMIT = 32,
    STORM_PERIOD = 1000 * 1000, /* ticks: 40 ms */
    DELAY = 100 * 1000,
    PARTNER = 0,
    BACKGROUND = 1,
    LOCKING = 2,
    TIMED = 3,
    RECEIVING = 4,
    SENDING = 5,
    FIRST_SLEEPER = 6,
    STACK_LIMIT = 16384,
    PATIENCE = 500, /* ticks */
};

static takt_semaphore_t free_semaphore, partner_semaphore, start_semaphore;

/* ---- the probe ---------------------------------------------------------------------------------- */

static uint32_t least = UINT32_MAX, most, samples;

void BENCH_PROBE_HANDLER(void);
void BENCH_PROBE_HANDLER(void) {
    const uint32_t delay = bench_probe_delay();
    least = delay < least ? delay : least;
    most = delay > most ? delay : most;
    if (++samples == SAMPLES) {
        print_line("delay", least, most);
        takt_semihost_exit(0);
    }
}

/* ---- what expires ------------------------------------------------------------------------------- */

static uint32_t sleepers;
static volatile uint32_t woken;

static void sleeper(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        (void)takt_thread_delay(DELAY);
        ++woken;
    }
}

static void let_all_delay(void) {
    woken = 0;
    bench_clock_hold();
    for (uint32_t index = 0; index < sleepers; index++) {
        (void)takt_semaphore_give(&start_semaphore);
    }
    bench_clock_release();
}

static takt_periodic_thread_t periodic_threads[STORM_LIMIT];

static void periodic(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_wait_next_period();
    }
}

static void create_periodic(uint32_t index) {
    const takt_job_parameters_t parameters = {
        .thread = {.name = "storm",
                   .entry = periodic,
                   .stack = bench_stacks[FIRST_SLEEPER + index],
                   .stack_bytes = BENCH_STACK_BYTES,
                   .priority = 10},
        .period = STORM_PERIOD,
        .relative_deadline = STORM_PERIOD,
        .offset = STORM_PERIOD,
    };
    (void)takt_periodic_thread_create(&periodic_threads[index], &parameters);
}

/* ---- what is interrupted ------------------------------------------------------------------------ */

static void partner(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&partner_semaphore);
    }
}

static void do_some_of_each(void) {
    (void)takt_semaphore_give(&partner_semaphore);
    (void)takt_thread_yield();
    (void)takt_semaphore_give(&free_semaphore);
    (void)takt_semaphore_take(&free_semaphore);
}

/* ---- objects -------------------------------------------------------------------------------------- */

typedef uint32_t message_t[TAKT_MESSAGE_BYTES_MAX / sizeof(uint32_t)];

static uint32_t stack_bytes; /* of threads that come and go, 0: there are none */
static uint64_t passing_stack[STACK_LIMIT / sizeof(uint64_t)];
static takt_thread_t passing;
static takt_mutex_t mutex;
static takt_messages_t requests, answers;
static message_t request_memory, answer_memory;
static takt_semaphore_t lock_semaphore, timed_semaphore;
static volatile uint32_t timeouts;

static void lock_when_told(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&lock_semaphore);
        (void)takt_mutex_lock(&mutex);
        (void)takt_mutex_unlock(&mutex);
    }
}

static void lock_in_vain(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&timed_semaphore);
        if (takt_mutex_lock_for(&mutex, PATIENCE) == TAKT_TIMEOUT) {
            ++timeouts;
        }
    }
}

static void receive_all(void *argument) {
    message_t message;
    (void)argument;
    for (;;) {
        (void)takt_messages_receive(&requests, message);
    }
}

/* Its queue is full, so that each receive lets it in. */
static void send_always(void *argument) {
    message_t message = {0};
    (void)argument;
    for (;;) {
        (void)takt_messages_send(&answers, message);
    }
}

static void hold_what_is_wanted(void) {
    const uint32_t before = timeouts;
    (void)takt_mutex_lock(&mutex);
    (void)takt_semaphore_give(&lock_semaphore);
    (void)takt_semaphore_give(&timed_semaphore);
    while (timeouts == before) {
    }
    (void)takt_mutex_unlock(&mutex);
}

static void exchange_messages(void) {
    static message_t message;
    (void)takt_messages_send(&requests, message);
    (void)takt_messages_receive(&answers, message);
}

static void return_at_once(void *argument) { (void)argument; }

static void create_passing(uint32_t priority) {
    const takt_thread_parameters_t parameters = {.name = "passing",
                                                 .entry = return_at_once,
                                                 .stack = passing_stack,
                                                 .stack_bytes = stack_bytes,
                                                 .priority = priority};
    if (takt_thread_create(&passing, &parameters) != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

static void do_with_objects(void) {
    hold_what_is_wanted();
    exchange_messages();
    create_passing(20); /* runs, and ends, at once */
    create_passing(1);
    (void)takt_thread_delete(&passing);
}

static void create_objects(void) {
    const takt_mutex_parameters_t of_mutex = {.protocol = TAKT_PROTOCOL_PIP};
    (void)takt_semaphore_init(&lock_semaphore, 0);
    (void)takt_semaphore_init(&timed_semaphore, 0);
    (void)takt_mutex_init(&mutex, &of_mutex);
    (void)takt_messages_init(&requests, request_memory, sizeof(message_t), 1);
    (void)takt_messages_init(&answers, answer_memory, sizeof(message_t), 1);
    bench_create(LOCKING, lock_when_told, 11);
    bench_create(TIMED, lock_in_vain, 12);
    bench_create(RECEIVING, receive_all, 13);
    bench_create(SENDING, send_always, 14);
}

static void background(void *argument) {
    (void)argument;
    bench_probe_start();
    while (stack_bytes > 0) {
        do_with_objects();
        do_some_of_each();
    }
    for (;;) {
        let_all_delay();
        do {
            do_some_of_each();
        } while (woken < sleepers);
    }
}

/* ---- main --------------------------------------------------------------------------------------- */

int main(void) {
    bench_words_t words;
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_semaphore_init(&free_semaphore, 0);
    (void)takt_semaphore_init(&partner_semaphore, 0);
    (void)takt_semaphore_init_fifo(&start_semaphore, 0);
    bench_read_words(&words);
    const bool is_periodic = *words.choice == 'p';
    for (uint32_t index = 0; index < words.number && is_periodic; index++) {
        create_periodic(index);
    }
    bench_create(PARTNER, partner, 5);
    bench_create(BACKGROUND, background, 5);
    if (*words.choice == 'o') {
        stack_bytes = words.number;
        create_objects();
    }
    sleepers = *words.choice == 'd' ? words.number : 0;
    for (uint32_t index = 0; index < sleepers; index++) {
        bench_create(FIRST_SLEEPER + index, sleeper, 10);
    }
    bench_start();
    return 0;
}
