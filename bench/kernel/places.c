/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Switches where threads are not plain: under keys, in servers, between servers, and of jobs.
 *
 * The command line chooses a place by its number:
 *   threads N    operations.c's switches among plain threads of one ready set: `places`
 *   keyed N      the same where keys order, of threads with deadlines
 *   across N     the same, and only the woken thread has a deadline
 *   between N    the same, the woken thread in another ready set than the one that wakes it: `places_between`
 *   jobs N       from the end of a job until the next job runs: 0 under edf, 1 under fp, 2 and 3 the same in a server;
 *                and from the timer's interrupt until the first of two released jobs runs
 *   one N        likewise if one job is released
 * Budgets are never exhausted here. Output as of operations.c. */
#include "bench/kernel/program.h"
#include "kernel/semaphore.h"

enum { ROUNDS = 64, SERVERS = 2, PERIOD = 1000 * 1000 * 1000, BUDGET = PERIOD / 2, JOB_PERIOD = 1 << 17 };

typedef enum operation {
    NOTHING,
    YIELD,
    GIVE_RUNS,
    TAKE_BLOCKS,
    INTERRUPT_RUNS,
    JOB_END,
    TIMER_RUNS,
    OPERATIONS,
} operation_t;

static const char *const names[OPERATIONS] = {
    [NOTHING] = "nothing",
    [YIELD] = "yield",
    [GIVE_RUNS] = "give_runs",
    [TAKE_BLOCKS] = "take_blocks",
    [INTERRUPT_RUNS] = "interrupt_runs",
    [JOB_END] = "job_end",
    [TIMER_RUNS] = "timer_runs",
};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

static takt_thread_server_t servers[SERVERS];
static takt_server_returns_t returns[SERVERS];

static void require(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_exit(4);
    }
}

static void make_server(uint32_t number, const takt_server_kind_t *kind, const takt_policy_t *policy,
                        takt_thread_server_t *parent) {
    const takt_thread_server_parameters_t parameters = {
        .kind = kind,
        .policy = policy,
        .period = (takt_duration_t)PERIOD * (1u + number),
        .budget = BUDGET,
        .priority = 20u - number,
        .returns = kind->has_returns ? &returns[number] : NULL,
        .parent = parent,
    };
    require(takt_thread_server_create(&servers[number], &parameters));
}

static void print_and_exit(void) {
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        if (bench_samples[operation].most != 0) {
            print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
        }
    }
    takt_semihost_exit(0);
}

/* ---- threads ------------------------------------------------------------------------------------ */

enum { HIGH, PARTNER, CONTROLLER };

static takt_semaphore_t high_semaphore, partner_semaphore;
static operation_t high_measures;
static bool has_partner;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) { (void)takt_semaphore_give_from_isr(&high_semaphore); }

static void high(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (;;) {
        BENCH_BEGIN();
        (void)takt_semaphore_take(&high_semaphore);
        BENCH_END(high_measures);
    }
}

static void partner(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    (void)takt_semaphore_take(&partner_semaphore);
    for (;;) {
        BENCH_BEGIN();
        (void)takt_thread_yield();
        BENCH_END(YIELD);
    }
}

static void measure_wake(void) {
    BENCH_MEASURING;
    high_measures = GIVE_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        bench_keep(&bench_samples[NOTHING], bench_nothing(counter, start));
        BENCH_BEGIN();
        (void)takt_semaphore_give(&high_semaphore);
        BENCH_END(TAKE_BLOCKS);
    }
}

static void measure_interrupt(void) {
    BENCH_MEASURING;
    BENCH_RAISING;
    high_measures = INTERRUPT_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        BENCH_RAISE();
        BENCH_BARRIER();
    }
}

/* Deadlines have no equals: there the yield finds no other thread, and the partner stays away. */
static void measure_yield(void) {
    BENCH_MEASURING;
    if (has_partner) {
        (void)takt_semaphore_give(&partner_semaphore);
        (void)takt_thread_yield();
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_thread_yield();
        BENCH_END(YIELD);
    }
}

static void controller(void *argument) {
    (void)argument;
    bench_interrupt_enable();
    measure_wake();
    measure_interrupt();
    measure_yield();
    print_and_exit();
}

static void create(uint32_t index, void (*entry)(void *), uint32_t priority, takt_thread_server_t *server) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .stack = bench_stacks[index],
                                                 .stack_bytes = BENCH_STACK_BYTES,
                                                 .priority = priority,
                                                 .server = server};
    require(takt_thread_create(&bench_threads[index], &parameters));
}

static void create_threads(takt_thread_server_t *of_high, takt_thread_server_t *of_others) {
    require(takt_semaphore_init(&high_semaphore, 0));
    require(takt_semaphore_init(&partner_semaphore, 0));
    create(HIGH, high, 20, of_high);
    create(PARTNER, partner, 5, of_others);
    create(CONTROLLER, controller, 5, of_others);
}

typedef struct place {
    const takt_policy_t *root, *inner;
    const takt_server_kind_t *kind; /* NULL: the threads are under the root */
    uint32_t depth;                 /* of servers */
} place_t;

static const place_t places[] = {
    {&takt_policy_edf, NULL, NULL, 0},
    {&takt_policy_fp, &takt_policy_fp, &takt_server_deferrable, 1},
    {&takt_policy_fp, &takt_policy_edf, &takt_server_deferrable, 1},
    {&takt_policy_fp, &takt_policy_fp, &takt_server_sporadic, 1},
    {&takt_policy_fp, &takt_policy_edf, &takt_server_sporadic, 1},
    {&takt_policy_edf, &takt_policy_fp, &takt_server_cbs, 1},
    {&takt_policy_edf, &takt_policy_edf, &takt_server_cbs, 1},
    {&takt_policy_fp, &takt_policy_fp, &takt_server_deferrable, 2},
    {&takt_policy_edf, &takt_policy_edf, &takt_server_cbs, 2},
};

static void set_deadline(uint32_t index) {
    require(takt_thread_set_deadline(&bench_threads[index], ((takt_instant_t)1 << 40) + index));
}

/* `deadlines`: how many threads have one, the most urgent one first. */
static void start_threads(const place_t *place, uint32_t deadlines) {
    require(takt_kernel_init(place->root));
    for (uint32_t depth = 0; depth < place->depth; depth++) {
        make_server(depth, place->kind, place->inner, depth > 0 ? &servers[depth - 1u] : NULL);
    }
    takt_thread_server_t *const server = place->depth > 0 ? &servers[place->depth - 1u] : NULL;
    has_partner = deadlines == 0;
    create_threads(server, server);
    for (uint32_t index = 0; index < deadlines; index++) {
        set_deadline(index);
    }
    bench_start();
}

/* `depth` is the number of servers: with one, the thread that wakes is under the root. */
static const place_t places_between[] = {
    {&takt_policy_fp, &takt_policy_fp, &takt_server_deferrable, 2},
    {&takt_policy_fp, &takt_policy_fp, &takt_server_sporadic, 2},
    {&takt_policy_edf, &takt_policy_edf, &takt_server_cbs, 2},
    {&takt_policy_fp, &takt_policy_fp, &takt_server_deferrable, 1},
};

static void start_between(const place_t *place) {
    require(takt_kernel_init(place->root));
    for (uint32_t number = 0; number < place->depth; number++) {
        make_server(number, place->kind, place->inner, NULL);
    }
    create_threads(&servers[0], place->depth > 1 ? &servers[1] : NULL);
    bench_start();
}

/* ---- jobs --------------------------------------------------------------------------------------- */

static takt_periodic_thread_t jobs[2];
static uint32_t jobs_ended; /* of the second one, or of the only one */
static bool is_alone;

/* Both are released at one instant; the first one is more urgent, and measures its release. */
static void first(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    (void)takt_wait_next_period();
    for (;;) {
        BENCH_END(TIMER_RUNS);
        BENCH_BEGIN();
        (void)takt_wait_next_period();
    }
}

static void second(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (;;) {
        (void)takt_wait_next_period();
        BENCH_END(JOB_END);
        jobs_ended++;
    }
}

/* Waits closed for each release, so that its interrupt is taken at the opening. */
static void background(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    takt_port_close();
    while (jobs_ended < ROUNDS) {
        const takt_instant_t release = (takt_port_now() / JOB_PERIOD + 1u) * JOB_PERIOD;
        bench_keep(&bench_samples[NOTHING], bench_nothing(counter, start));
        while (takt_port_now() <= release) {
        }
        BENCH_BEGIN();
        (void)takt_port_open();
        jobs_ended += is_alone;
        takt_port_close();
    }
    (void)takt_port_open();
    print_and_exit();
}

static void create_job(uint32_t index, void (*entry)(void *), takt_thread_server_t *server) {
    const takt_job_parameters_t parameters = {.thread = {.entry = entry,
                                                         .stack = bench_stacks[index],
                                                         .stack_bytes = BENCH_STACK_BYTES,
                                                         .priority = 20u - index,
                                                         .server = server},
                                              .period = JOB_PERIOD,
                                              .relative_deadline = JOB_PERIOD / 2u + index};
    require(takt_periodic_thread_create(&jobs[index], &parameters));
}

static void start_jobs(const takt_policy_t *policy, bool is_in_server) {
    require(takt_kernel_init(policy));
    if (is_in_server) {
        make_server(0, &takt_server_deferrable, policy, NULL);
    }
    takt_thread_server_t *const server = is_in_server ? &servers[0] : NULL;
    create_job(0, first, server);
    if (!is_alone) {
        create_job(1, second, server);
    }
    create(CONTROLLER, background, 5, server);
    bench_start();
}

/* ---- main --------------------------------------------------------------------------------------- */

int main(void) {
    bench_words_t words;
    bench_read_words(&words);
    if (*words.choice == 't') {
        start_threads(&places[words.number], 0);
    } else if (*words.choice == 'k') {
        start_threads(&places[words.number], CONTROLLER + 1);
    } else if (*words.choice == 'a') {
        start_threads(&places[words.number], HIGH + 1);
    } else if (*words.choice == 'b') {
        start_between(&places_between[words.number]);
    }
    is_alone = words.choice[0] == 'o';
    start_jobs(words.number % 2u == 0 ? &takt_policy_edf : &takt_policy_fp, words.number >= 2u);
    return 0;
}
