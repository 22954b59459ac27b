/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the number of servers costs: task switch, choice of a server, scheduler and tick; after Inam et al. 2011.
 *
 * The command line chooses the kind of servers and where their periods begin, and says how many there are:
 *   idling N | deferrable N             each at an offset of its own
 *   Idling N | Deferrable N             all at instant 0, so that they are replenished together
 * Periods are of four lengths, so that phases drift. Each server has a periodic thread, which needs half of its
 * budget; where there are few servers a second one. The first server has two plain threads more, which yield to each
 * other for as long as there is budget: they measure the task switch, from the decision to the next thread's first
 * instruction. The program ends after as many ticks as the paper took values. */
#include "bench/kernel/studies/phases.h"

enum {
    MOST_SERVERS = 400,
    FEW_SERVERS = 10,
    YIELDERS = 2,
    VALUES = 1000,
    SLOT = 125000, /* ticks: 5 ms, about 19500 instructions */
    WORK_ROUNDS = SLOT / 128,
};

typedef struct worker {
    takt_periodic_thread_t thread;
    uint64_t stack[BENCH_STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static takt_thread_server_t servers[MOST_SERVERS];
static worker_t workers[MOST_SERVERS + FEW_SERVERS];
static phase_t task_switch;

static void phases_end(void) {
    phase_print("task_switch", &task_switch);
    phase_print("choose", &phases.choose);
    phase_print("scheduler", &phases.scheduler);
    phase_print("step", &phases.step);
    phase_print("tick", &phases.tick);
    print_line("steps_of_tick", phases.steps_of_tick.least, phases.steps_of_tick.most);
    print_line("server_bytes", sizeof(takt_thread_server_t), TAKT_KERNEL_ROWS);
    takt_semihost_exit(0);
}

/* Nothing is kept if another thread was selected meanwhile. */
static void keep_task_switch(void) {
    const bench_stamp_t decision = bench_in_register(&phases_took_at);
    const uint32_t took_at = *decision;
    const uint32_t now = *BENCH_COUNTER;
    if (*decision == took_at) {
        phase_keep(&task_switch, bench_elapsed(took_at, now));
    }
}

static void yielder(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_yield();
        keep_task_switch();
    }
}

static void work(void *argument) {
    (void)argument;
    for (;;) {
        for (volatile uint32_t round = 0; round < WORK_ROUNDS; round++) {
        }
        (void)takt_wait_next_period();
    }
}

static void require(takt_status_t status) {
    if (status != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

/* ---- set-up --------------------------------------------------------------------------------------------- */

static takt_duration_t period_of(uint32_t server, uint32_t count) {
    return (takt_duration_t)count * (SLOT + SLOT / 4 + (server % 4u) * (SLOT / 8));
}

static takt_instant_t offset_of(uint32_t server, bool is_together) {
    return is_together ? 0 : (takt_instant_t)server * (SLOT + SLOT / 4);
}

static void create_server(uint32_t index, uint32_t count, const takt_server_kind_t *kind, bool is_together) {
    const takt_thread_server_parameters_t parameters = {.kind = kind,
                                                        .policy = &takt_policy_fp,
                                                        .period = period_of(index, count),
                                                        .budget = SLOT,
                                                        .offset = offset_of(index, is_together),
                                                        .priority = index % (TAKT_PRIORITIES - 1u) + 1u};
    require(takt_thread_server_create(&servers[index], &parameters));
}

static void create_worker(uint32_t index, uint32_t server, uint32_t count, bool is_together) {
    const takt_job_parameters_t parameters = {.thread = {.name = "worker",
                                                         .entry = work,
                                                         .stack = workers[index].stack,
                                                         .stack_bytes = BENCH_STACK_BYTES,
                                                         .priority = 2,
                                                         .server = &servers[server]},
                                              .period = period_of(server, count),
                                              .relative_deadline = period_of(server, count),
                                              .offset = offset_of(server, is_together)};
    require(takt_periodic_thread_create(&workers[index].thread, &parameters));
    phases_measure(&workers[index].thread.job.thread);
}

static void create_yielder(uint32_t index) {
    const takt_thread_parameters_t parameters = {.name = "yielder",
                                                 .entry = yielder,
                                                 .stack = bench_stacks[index],
                                                 .stack_bytes = BENCH_STACK_BYTES,
                                                 .priority = 1,
                                                 .server = &servers[0]};
    require(takt_thread_create(&bench_threads[index], &parameters));
    phases_measure(&bench_threads[index]);
}

static void create(uint32_t count, const takt_server_kind_t *kind, bool is_together) {
    for (uint32_t index = 0; index < count; index++) {
        create_server(index, count, kind, is_together);
    }
    for (uint32_t index = 0; index < count; index++) {
        create_worker(index, index, count, is_together);
    }
    for (uint32_t index = 1; count < FEW_SERVERS && index < count; index++) {
        create_worker(count + index, index, count, is_together);
    }
    for (uint32_t index = 0; index < YIELDERS; index++) {
        create_yielder(index);
    }
}

int main(void) {
    bench_words_t words;
    bench_read_words(&words);
    const char kind = *words.choice;
    phases.values = VALUES;
    require(takt_kernel_init(&takt_policy_fp));
    create(words.number, kind == 'i' || kind == 'I' ? &takt_server_idling : &takt_server_deferrable,
           kind == 'I' || kind == 'D');
    bench_start();
    return 0;
}
