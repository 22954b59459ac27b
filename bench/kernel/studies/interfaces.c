/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the papers' interfaces do on the kernel. The command line chooses, and numbers are printed:
 *   yields          two threads of one priority run ROUNDS rounds each: switches with a yield after each round, and
 *                   without
 *   missed          a periodic job that is late: how often takt_wait_next_period says so, and in how many jobs
 *   rates           a rate-based thread: jobs before it asks to enter, and behind that
 *   component       two components made by one call: jobs of each thread, and the budget that each server used
 *   native | over   the completions of rate-based jobs, two bits each: as rate-based threads, or as plain threads over
 *                   fixed priorities by the adapter
 *
 * Sources: the papers on rate-based scheduling, 3.2.4 and 4; on deferred preemption, 3.1 and 3.2; on hierarchical
 * scheduling, 7. */
#include "bench/kernel/program.h"
#include "kernel/component.h"
#include "kernel/hybrid.h"
#include "kernel/rate.h"
#include "kernel/server.h"

enum {
    ROUNDS = 50,
    TASKS = 3,
    LOGGED = 16, /* completions that fit into 32 bits */
    MILLISECOND = 25000,
    JOBS = 10,
    TICKS_PER_ROUND = 70, /* of `work`: 11 instructions */
    STACK_WORDS = BENCH_STACK_BYTES / sizeof(uint64_t),
};

static bench_words_t words;
static uint64_t stacks[TASKS + 2][STACK_WORDS];

static void must(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

static __attribute__((noreturn)) void end(void) { takt_semihost_exit(0); }

/* Executes for about `ticks`, whatever else runs in between. */
static void work(uint32_t ticks) {
    for (uint32_t i = 0; i < ticks / TICKS_PER_ROUND; i++) {
        __asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop");
    }
}

static takt_thread_parameters_t thread_of(uint32_t index, void (*entry)(void *), uint32_t priority) {
    return (takt_thread_parameters_t){.name = "study",
                                      .entry = entry,
                                      .argument = (void *)(uintptr_t)index,
                                      .stack = stacks[index],
                                      .stack_bytes = BENCH_STACK_BYTES,
                                      .priority = priority};
}

/* ---- yields among equals --------------------------------------------------------------------------------- */

static uint32_t last_ran, switches, ended;
static bool yields;

static void rounds(void *argument) {
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        switches += last_ran != self;
        last_ran = self;
        if (yields) {
            (void)takt_thread_yield();
        }
    }
    ended++;
}

/* More urgent than the two: both exist before one of them runs. */
static void compare_yields(void *argument) {
    (void)argument;
    static takt_thread_t equals[2][2];
    uint32_t found[2];
    for (uint32_t round = 0; round < 2; round++) {
        yields = round == 0;
        switches = 0;
        last_ran = UINT32_MAX;
        for (uint32_t i = 0; i < 2; i++) {
            const takt_thread_parameters_t parameters = thread_of(i, rounds, 2);
            must(takt_thread_create(&equals[round][i], &parameters));
        }
        (void)takt_thread_delay(100u * MILLISECOND);
        found[round] = switches;
    }
    print_line("yields", found[0], found[1]);
    end();
}

/* ---- activations that were missed ------------------------------------------------------------------------ */

/* Every other job takes one and a half periods. */
static void late_job(void *argument) {
    (void)argument;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        work(i % 2 == 0 ? 3 * MILLISECOND / 2 : MILLISECOND / 10);
        missed += takt_wait_next_period() != TAKT_OK;
    }
    print_line("missed", missed, JOBS);
    end();
}

static void make_late_job(void) {
    static takt_periodic_thread_t thread;
    const takt_job_parameters_t parameters = {
        .thread = thread_of(0, late_job, 1), .period = MILLISECOND, .relative_deadline = MILLISECOND};
    must(takt_periodic_thread_create(&thread, &parameters));
}

/* ---- rate-based threads ---------------------------------------------------------------------------------- */

static takt_rates_t rates;
static takt_rate_thread_t rate_threads[TASKS];
static uint32_t jobs_done[TASKS];
static const takt_rate_settings_t settings = {.beta = 0, .grid = 1, .estimate_jobs = 8};
static const takt_rate_demand_t demands[TASKS] = {
    {.wcet = 2 * MILLISECOND, .period = 8 * MILLISECOND, .relative_deadline = 8 * MILLISECOND},
    {.wcet = 3 * MILLISECOND, .period = 12 * MILLISECOND, .relative_deadline = 12 * MILLISECOND},
    {.wcet = 6 * MILLISECOND, .period = 20 * MILLISECOND, .relative_deadline = 20 * MILLISECOND},
};

static uint32_t logged, log_bits;

/* Keeps whose job has ended, and prints all when there are enough. */
static void log_completion(uint32_t task) {
    log_bits |= task << 2u * logged;
    if (++logged == LOGGED) {
        print_line("completions", log_bits, logged);
        end();
    }
}

static void rate_job(void *argument) {
    const uint32_t task = (uint32_t)(uintptr_t)argument;
    for (;;) {
        work((uint32_t)demands[task].wcet / 2u);
        jobs_done[task]++;
        if (*words.choice == 'n') {
            log_completion(task);
        }
        (void)takt_wait_next_period();
    }
}

static void make_rates(void) {
    must(takt_rates_init(&rates, &settings, NULL, 0));
    for (uint32_t i = 0; i < TASKS; i++) {
        const takt_rate_parameters_t parameters = {.thread = thread_of(i, rate_job, 0),
                                                   .rates = &rates,
                                                   .type = TAKT_CLASS_HARD,
                                                   .demand = demands[i]};
        must(takt_rate_thread_create(&rate_threads[i], &parameters));
    }
}

/* Before anybody has asked to enter, and behind that. */
static void enter_late(void *argument) {
    (void)argument;
    (void)takt_thread_delay(50u * MILLISECOND);
    const uint32_t before = jobs_done[0];
    must(takt_rate_thread_enter(&rate_threads[0]));
    (void)takt_thread_delay(50u * MILLISECOND);
    print_line("rates", before, jobs_done[0]);
    end();
}

static void make_late_entry(void) {
    static takt_thread_t thread;
    make_rates();
    const takt_thread_parameters_t parameters = thread_of(TASKS, enter_late, 0);
    must(takt_thread_create(&thread, &parameters));
}

static void make_native(void) {
    make_rates();
    for (uint32_t i = 0; i < TASKS; i++) {
        must(takt_rate_thread_enter(&rate_threads[i]));
    }
}

/* ---- the same over fixed priorities ---------------------------------------------------------------------- */

enum { MANAGER_PRIORITY = TAKT_PRIORITIES - 1 };

static takt_hybrid_t hybrid;
static takt_hybrid_task_t hybrid_tasks[TASKS];
static takt_thread_t plain_threads[TASKS], manager, idler;

static void set_priority(void *thread, uint32_t priority) {
    must(takt_thread_set_priority(thread, priority));
}

static const takt_hybrid_host_t host = {.set_priority = set_priority};

static void plain_job(void *argument) {
    const uint32_t task = (uint32_t)(uintptr_t)argument;
    for (;;) {
        work((uint32_t)demands[task].wcet / 2u);
        log_completion(task);
        must(takt_thread_notify(&manager, 1u << task));
    }
}

static void manage(void *argument) {
    (void)argument;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        must(takt_hybrid_enter(&hybrid, &hybrid_tasks[i], takt_kernel_now()));
    }
    for (;;) {
        const takt_instant_t now = takt_kernel_now();
        for (uint32_t i = 0; i < TASKS; i++) {
            if ((bits & 1u << i) != 0) {
                takt_hybrid_complete(&hybrid, &hybrid_tasks[i], now);
            }
        }
        const takt_instant_t until = takt_hybrid_step(&hybrid, now);
        bits = 0;
        (void)takt_notification_take_for(&bits, until == TAKT_NEVER ? TAKT_NEVER : until - now);
    }
}

static void idle(void *argument) {
    (void)argument;
    for (;;) {
    }
}

static void make_over(void) {
    must(takt_hybrid_init(&hybrid, &host, &settings, MANAGER_PRIORITY - 1, NULL, 0));
    for (uint32_t i = 0; i < TASKS; i++) {
        const takt_thread_parameters_t parameters = thread_of(i, plain_job, TAKT_HYBRID_BARRED);
        must(takt_thread_create(&plain_threads[i], &parameters));
        must(takt_hybrid_add(&hybrid, &hybrid_tasks[i], &plain_threads[i], TAKT_CLASS_HARD, &demands[i]));
    }
    const takt_thread_parameters_t idling = thread_of(TASKS, idle, TAKT_HYBRID_IDLE);
    must(takt_thread_create(&idler, &idling));
    const takt_thread_parameters_t managing = thread_of(TASKS + 1, manage, MANAGER_PRIORITY);
    must(takt_thread_create(&manager, &managing));
}

/* ---- components ------------------------------------------------------------------------------------------ */

static takt_thread_server_t servers[2];
static takt_periodic_thread_t inside[2];

static void inside_job(void *argument) {
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    for (;;) {
        work(MILLISECOND);
        jobs_done[self]++;
        (void)takt_wait_next_period();
    }
}

/* Between the third and the fourth release of both. */
static void read_components(void *argument) {
    (void)argument;
    takt_duration_t left[2];
    (void)takt_thread_delay(25u * MILLISECOND);
    for (uint32_t i = 0; i < 2; i++) {
        must(takt_thread_server_budget(&servers[i], &left[i]));
    }
    print_line("jobs", jobs_done[0], jobs_done[1]);
    print_line("left", (uint32_t)left[0], (uint32_t)left[1]);
    end();
}

static void make_components(void) {
    static takt_thread_t reader;
    takt_component_thread_t threads[2];
    takt_component_t components[2];
    for (uint32_t i = 0; i < 2; i++) {
        threads[i] = (takt_component_thread_t){.thread = &inside[i],
                                               .parameters = {.thread = thread_of(i, inside_job, 1),
                                                              .period = 10u * MILLISECOND,
                                                              .relative_deadline = 10u * MILLISECOND}};
        components[i] = (takt_component_t){.server = &servers[i],
                                           .parameters = {.kind = &takt_server_deferrable,
                                                          .policy = &takt_policy_fp,
                                                          .period = 10u * MILLISECOND,
                                                          .budget = (i + 2u) * MILLISECOND,
                                                          .priority = i + 1u},
                                           .threads = &threads[i],
                                           .thread_count = 1};
    }
    must(takt_components_create(components, 2));
    const takt_thread_parameters_t reading = thread_of(TASKS, read_components, MANAGER_PRIORITY);
    must(takt_thread_create(&reader, &reading));
}

/* ---- set-up ---------------------------------------------------------------------------------------------- */

static void make_yields(void) {
    static takt_thread_t thread;
    const takt_thread_parameters_t parameters = thread_of(TASKS, compare_yields, 3);
    must(takt_thread_create(&thread, &parameters));
}

static void make(char choice) {
    switch (choice) {
    case 'y':
        make_yields();
        break;
    case 'm':
        make_late_job();
        break;
    case 'r':
        make_late_entry();
        break;
    case 'c':
        make_components();
        break;
    case 'n':
        make_native();
        break;
    default:
        make_over();
    }
}

int main(void) {
    bench_read_words(&words);
    const char choice = *words.choice;
    must(takt_kernel_init(choice == 'r' || choice == 'n' ? &takt_policy_rate_based : &takt_policy_fp));
    make(choice);
    bench_start();
    return 0;
}
