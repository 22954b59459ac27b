/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The shell on this kernel; see shell.h. */
#include "bench/kernel/shell.h"

#include "kernel/kernel.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"
#include "policy/table.h"

enum { THREADS = 5, STACK_BYTES = 1024, SEMAPHORES = 2, QUEUES = 2, MESSAGES = 8, POOLS = 2, BLOCKS = 16 };

static takt_thread_t threads[THREADS];
static uint64_t stacks[THREADS][STACK_BYTES / sizeof(uint64_t)];
static takt_semaphore_t semaphores[SEMAPHORES];
static takt_messages_t queues[QUEUES];
static uint32_t queue_memory[MESSAGES][SHELL_WORDS];
static takt_pool_t pools[POOLS];
static uint64_t pool_memory[BLOCKS][SHELL_BLOCK_BYTES / sizeof(uint64_t)];

static inline shell_status_t shell_status_of(takt_status_t status) {
    return status == TAKT_OK ? SHELL_SUCCESS : SHELL_ERROR;
}

/* ---- threads ------------------------------------------------------------------------------------ */

shell_status_t shell_init(void) {
    const bool is_made =
        takt_kernel_init(&takt_policy_fp) == TAKT_OK && takt_semaphore_init(&semaphores[0], 1) == TAKT_OK &&
        takt_messages_init(&queues[0], queue_memory, sizeof *queue_memory, MESSAGES) == TAKT_OK &&
        takt_pool_init(&pools[0], pool_memory, SHELL_BLOCK_BYTES, BLOCKS) == TAKT_OK;
    return is_made ? SHELL_SUCCESS : SHELL_ERROR;
}

shell_status_t shell_create(uint32_t number, void (*entry)(void *), uint32_t priority) {
    const takt_thread_parameters_t parameters = {.name = "load",
                                                 .entry = entry,
                                                 .argument = (void *)(uintptr_t)number,
                                                 .stack = stacks[number],
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = priority};
    return shell_status_of(takt_thread_create(&threads[number], &parameters));
}

void shell_relinquish(void) { (void)takt_thread_yield(); }

shell_status_t shell_resume(uint32_t number) { return shell_status_of(takt_thread_resume(&threads[number])); }

shell_status_t shell_resume_from_isr(uint32_t number) {
    return shell_status_of(takt_thread_resume_from_isr(&threads[number]));
}

shell_status_t shell_suspend(uint32_t number) {
    return shell_status_of(takt_thread_suspend(&threads[number]));
}

/* ---- semaphores --------------------------------------------------------------------------------- */

shell_status_t shell_take(uint32_t number) {
    return shell_status_of(takt_semaphore_try_take(&semaphores[number]));
}

shell_status_t shell_take_waiting(uint32_t number) {
    return shell_status_of(takt_semaphore_take(&semaphores[number]));
}

shell_status_t shell_give(uint32_t number) {
    return shell_status_of(takt_semaphore_give(&semaphores[number]));
}

shell_status_t shell_give_from_isr(uint32_t number) {
    return shell_status_of(takt_semaphore_give_from_isr(&semaphores[number]));
}

/* ---- messages ----------------------------------------------------------------------------------- */

shell_status_t shell_send(uint32_t number, const uint32_t *message) {
    return shell_status_of(takt_messages_try_send(&queues[number], message));
}

shell_status_t shell_send_waiting(uint32_t number, const uint32_t *message) {
    return shell_status_of(takt_messages_send(&queues[number], message));
}

shell_status_t shell_receive(uint32_t number, uint32_t *message) {
    return shell_status_of(takt_messages_try_receive(&queues[number], message));
}

shell_status_t shell_receive_waiting(uint32_t number, uint32_t *message) {
    return shell_status_of(takt_messages_receive(&queues[number], message));
}

/* ---- blocks ------------------------------------------------------------------------------------- */

shell_status_t shell_allocate(uint32_t number, void **block) {
    return shell_status_of(takt_pool_try_allocate(&pools[number], block));
}

shell_status_t shell_allocate_waiting(uint32_t number, void **block) {
    return shell_status_of(takt_pool_allocate(&pools[number], block));
}

shell_status_t shell_free(uint32_t number, void *block) {
    return shell_status_of(takt_pool_free(&pools[number], block));
}
