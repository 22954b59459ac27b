/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Six of the loads of loads.c through the shell, as the peers' figures are: a function of shell.h for each operation,
 * which tests the kernel's status, a counter in the interrupt's handler, barriers after the interrupt is raised. The
 * seventh load is shell_preemption.c.
 *
 * Source: as loads.c. "_waiting" names a load whose calls would wait; those of the original never do. As there, loads
 * of one thread test what each operation returns, and loads of several threads have the counts that must be equal.
 *
 * The command line names the load; load.h says what is printed. A load of which an operation fails counts no
 * further. */
#include "bench/kernel/load.h"
#include "bench/kernel/shell.h"

/* ---- between threads ---------------------------------------------------------------------------- */

static void cooperative(void *argument) {
    volatile uint32_t *const own = &load_iterations[(uintptr_t)argument];
    for (;;) {
        shell_relinquish();
        ++*own;
    }
}

static void preemptive_first(void *argument) {
    (void)argument;
    for (;;) {
        (void)shell_resume(1);
        ++load_iterations[0];
    }
}

static void preemptive_between(void *argument) {
    const uint32_t number = (uint32_t)(uintptr_t)argument;
    volatile uint32_t *const own = &load_iterations[number];
    for (;;) {
        (void)shell_suspend(number);
        (void)shell_resume(number + 1);
        ++*own;
    }
}

static void preemptive_last(void *argument) {
    (void)argument;
    for (;;) {
        (void)shell_suspend(LOAD_THREADS - 1);
        ++load_iterations[LOAD_THREADS - 1];
    }
}

typedef shell_status_t (*take_t)(uint32_t number);

TAKT_INLINE void synchronize(take_t take) {
    while (take(0) == SHELL_SUCCESS && shell_give(0) == SHELL_SUCCESS) {
        ++load_iterations[0];
    }
}

static void synchronization(void *argument) {
    (void)argument;
    synchronize(shell_take);
}

static void synchronization_waiting(void *argument) {
    (void)argument;
    synchronize(shell_take_waiting);
}

typedef shell_status_t (*send_t)(uint32_t number, const uint32_t *message);
typedef shell_status_t (*receive_t)(uint32_t number, uint32_t *message);

/* The last word numbers the message. */
TAKT_INLINE void pass_messages(send_t send, receive_t receive) {
    uint32_t sent[SHELL_WORDS] = {1, 2, 3, 0};
    uint32_t received[SHELL_WORDS];
    while (send(0, sent) == SHELL_SUCCESS && receive(0, received) == SHELL_SUCCESS &&
           received[SHELL_WORDS - 1] == sent[SHELL_WORDS - 1]) {
        ++sent[SHELL_WORDS - 1];
        ++load_iterations[0];
    }
}

static void message(void *argument) {
    (void)argument;
    pass_messages(shell_send, shell_receive);
}

static void message_waiting(void *argument) {
    (void)argument;
    pass_messages(shell_send_waiting, shell_receive_waiting);
}

typedef shell_status_t (*allocate_t)(uint32_t number, void **block);

TAKT_INLINE void pass_blocks(allocate_t allocate) {
    void *block;
    while (allocate(0, &block) == SHELL_SUCCESS && shell_free(0, block) == SHELL_SUCCESS) {
        ++load_iterations[0];
    }
}

static void memory(void *argument) {
    (void)argument;
    pass_blocks(shell_allocate);
}

static void memory_waiting(void *argument) {
    (void)argument;
    pass_blocks(shell_allocate_waiting);
}

/* ---- with interrupts ---------------------------------------------------------------------------- */

static volatile uint32_t interrupts;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) {
    ++interrupts;
    (void)shell_give_from_isr(0);
}

/* The unit that the semaphore has at first is taken before. */
TAKT_INLINE void raise_and_take(take_t take) {
    BENCH_RAISING;
    (void)take(0);
    for (;;) {
        BENCH_RAISE();
        BENCH_BARRIER();
        if (take(0) != SHELL_SUCCESS) {
            return;
        }
        ++load_iterations[0];
    }
}

static void interrupt(void *argument) {
    (void)argument;
    raise_and_take(shell_take);
}

static void interrupt_waiting(void *argument) {
    (void)argument;
    raise_and_take(shell_take_waiting);
}

/* ---- main --------------------------------------------------------------------------------------- */

static const load_t loads[] = {
    {"cooperative", {cooperative, cooperative, cooperative, cooperative, cooperative}, 0},
    {"preemptive",
     {preemptive_first, preemptive_between, preemptive_between, preemptive_between, preemptive_last},
     1},
    {"interrupt", {interrupt}, 0},
    {"interrupt_waiting", {interrupt_waiting}, 0},
    {"message", {message}, 0},
    {"message_waiting", {message_waiting}, 0},
    {"synchronization", {synchronization}, 0},
    {"synchronization_waiting", {synchronization_waiting}, 0},
    {"memory", {memory}, 0},
    {"memory_waiting", {memory_waiting}, 0},
};

int main(void) {
    (void)shell_init();
    const load_t *const load = load_named(loads, sizeof loads / sizeof *loads);
    for (uint32_t index = 0; index < LOAD_THREADS && load->entries[index] != NULL; index++) {
        (void)shell_create(index, load->entries[index], 5 + load->rise * index);
    }
    load_run(load);
    return 0;
}
