/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Seven loads after Thread-Metric's public description, written anew, with direct calls of the kernel.
 *
 * Source: Express Logic, "Measuring Real-Time Performance of an RTOS" (Thread-Metric): what each thread does, and which
 * counters make the result. Left out: the functions that the original puts between its loads and a kernel;
 * shell_loads.c has them, and those figures are the ones to compare with the original's.
 *
 * The command line names the load; load.h says what is printed. */
#include "bench/kernel/load.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"

enum { WORDS = 4, MESSAGES = 8, BLOCK_BYTES = 128, BLOCKS = 16 };

static takt_semaphore_t semaphore;

/* ---- between threads ---------------------------------------------------------------------------- */

static void cooperative(void *argument) {
    volatile uint32_t *const own = &load_iterations[(uintptr_t)argument];
    for (;;) {
        (void)takt_thread_yield();
        ++*own;
    }
}

/* Each resumes the next one, which is more urgent, and when that has suspended itself suspends itself; the first, which
 * no other resumes, starts again instead, and the last resumes none. */
static void preemptive_first(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_resume(&bench_threads[1]);
        ++load_iterations[0];
    }
}

static void preemptive_between(void *argument) {
    volatile uint32_t *const own = &load_iterations[(uintptr_t)argument];
    takt_thread_t *const self = &bench_threads[(uintptr_t)argument];
    for (;;) {
        (void)takt_thread_suspend(self);
        (void)takt_thread_resume(self + 1);
        ++*own;
    }
}

static void preemptive_last(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_suspend(&bench_threads[LOAD_THREADS - 1]);
        ++load_iterations[LOAD_THREADS - 1];
    }
}

static void synchronization(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&semaphore);
        (void)takt_semaphore_give(&semaphore);
        ++load_iterations[0];
    }
}

static takt_messages_t messages;
static uint32_t message_memory[WORDS * MESSAGES];

static void message(void *argument) {
    (void)argument;
    const uint32_t sent[WORDS] = {1, 2, 3, 4};
    uint32_t received[WORDS];
    for (;;) {
        (void)takt_messages_send(&messages, sent);
        (void)takt_messages_receive(&messages, received);
        ++load_iterations[0];
    }
}

static takt_pool_t pool;
static uint64_t pool_memory[BLOCKS][BLOCK_BYTES / sizeof(uint64_t)];

static void memory(void *argument) {
    (void)argument;
    void *block;
    for (;;) {
        (void)takt_pool_allocate(&pool, &block);
        (void)takt_pool_free(&pool, block);
        ++load_iterations[0];
    }
}

/* ---- with interrupts ---------------------------------------------------------------------------- */

static bool interrupt_resumes;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) {
    if (interrupt_resumes) {
        (void)takt_thread_resume_from_isr(&bench_threads[1]);
    } else {
        (void)takt_semaphore_give_from_isr(&semaphore);
    }
}

static void interrupt(void *argument) {
    (void)argument;
    BENCH_RAISING;
    for (;;) {
        BENCH_RAISE();
        (void)takt_semaphore_take(&semaphore);
        ++load_iterations[0];
    }
}

static void interrupted(void *argument) {
    (void)argument;
    BENCH_RAISING;
    for (;;) {
        BENCH_RAISE();
        ++load_iterations[0];
    }
}

static void resumed(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_suspend(&bench_threads[1]);
    }
}

/* ---- main --------------------------------------------------------------------------------------- */

static const load_t loads[] = {
    {"cooperative", {cooperative, cooperative, cooperative, cooperative, cooperative}, 0},
    {"preemptive",
     {preemptive_first, preemptive_between, preemptive_between, preemptive_between, preemptive_last},
     1},
    {"interrupt", {interrupt}, 0},
    {"interrupt_preemption", {interrupted, resumed}, 1},
    {"message", {message}, 0},
    {"synchronization", {synchronization}, 0},
    {"memory", {memory}, 0},
};

static void create(const load_t *load) {
    interrupt_resumes = load->entries[0] == interrupted;
    (void)takt_semaphore_init(&semaphore, load->entries[0] == synchronization);
    for (uint32_t index = 0; index < LOAD_THREADS && load->entries[index] != NULL; index++) {
        bench_create(index, load->entries[index], 5 + load->rise * index);
    }
}

int main(void) {
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_messages_init(&messages, message_memory, sizeof(uint32_t[WORDS]), MESSAGES);
    (void)takt_pool_init(&pool, pool_memory, BLOCK_BYTES, BLOCKS);
    const load_t *const load = load_named(loads, sizeof loads / sizeof *loads);
    create(load);
    load_run(load);
    return 0;
}
