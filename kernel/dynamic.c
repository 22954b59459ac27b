/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads out of a memory; see dynamic.h. */
#include "kernel/dynamic.h"

#include "kernel/inspect.h"
#include "kernel/state.h"

/* A thread before its stack. */
typedef struct block {
    takt_thread_t thread;
    uint64_t stack[] __attribute__((aligned(TAKT_MEMORY_ALIGNMENT)));
} block_t;

/* The new thread may run, and end others, before `thread` would be written after its creation: it is written before. */
takt_status_t takt_thread_create_in(takt_memory_t *memory, takt_thread_t **thread,
                                    const takt_thread_parameters_t *parameters) {
    TAKT_REQUIRE(thread != NULL && parameters != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(parameters->stack_bytes <= TAKT_STACK_BYTES_MAX, TAKT_ERROR_STACK);
    void *found = NULL;
    takt_status_t status = takt_memory_allocate(memory, sizeof(block_t) + parameters->stack_bytes, &found);
    if (status != TAKT_OK) {
        return status;
    }
    block_t *block = found;
    takt_thread_parameters_t own = *parameters;
    own.stack = block->stack;
    block->thread = (takt_thread_t){.flags = 0};
    takt_thread_t *const before = *thread;
    *thread = &block->thread;
    status = takt_thread_create(&block->thread, &own);
    if (status != TAKT_OK) {
        *thread = before;
        (void)takt_memory_free(memory, block);
    }
    return status;
}

takt_status_t takt_thread_delete_in(takt_memory_t *memory, takt_thread_t *thread) {
    TAKT_REQUIRE(memory != NULL && thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(thread != takt_kernel_running(), TAKT_ERROR_OBJECT);
    const takt_status_t status =
        takt_thread_state(thread) == TAKT_THREAD_ENDED ? TAKT_OK : takt_thread_delete(thread);
    return status == TAKT_OK ? takt_memory_free(memory, thread) : status;
}
