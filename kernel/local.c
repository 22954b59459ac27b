/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words of threads; see local.h. */
#include "kernel/local.h"

#include "kernel/creation.h"

static void **word_after(void *stack, uint32_t bytes) { return (void **)(void *)((char *)stack + bytes); }

static bool is_large_enough(const takt_thread_parameters_t *parameters) {
    return (uintptr_t)parameters->stack % 8u == 0 && parameters->stack_bytes % 8u == 0 &&
           parameters->stack_bytes >= takt_creation_stack_bytes_min() + TAKT_THREAD_WORD_BYTES;
}

takt_status_t takt_thread_reserve_word(takt_thread_t *thread, takt_thread_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->stack == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!is_large_enough(parameters)) {
        return TAKT_ERROR_STACK;
    }
    if ((thread->flags & (TAKT_THREAD_EXISTS | TAKT_THREAD_HAS_WORD)) != 0) {
        return TAKT_ERROR_EXISTS;
    }
    parameters->stack_bytes -= TAKT_THREAD_WORD_BYTES;
    *word_after(parameters->stack, parameters->stack_bytes) = NULL;
    thread->flags |= TAKT_THREAD_HAS_WORD;
    return TAKT_OK;
}

void **takt_thread_word(const takt_thread_t *thread) {
    const uint32_t needed = TAKT_THREAD_EXISTS | TAKT_THREAD_HAS_WORD;
    const takt_thread_t *whose = thread != NULL ? thread : takt_kernel_running();
    const bool has_word = whose != NULL && (whose->flags & needed) == needed;
    return has_word ? word_after(whose->stack, whose->stack_bytes) : NULL;
}
