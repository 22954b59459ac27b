/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads out of a memory (memory.h): object and stack are one block of it. Other objects need no call: a block has room for
 * one, which its own initialisation makes.
 *
 * When not to use it: it is known at build time how many threads there are. */
#ifndef TAKT_KERNEL_DYNAMIC_H
#define TAKT_KERNEL_DYNAMIC_H

#include "kernel/memory.h"
#include "kernel/thread.h"

TAKT_C_BEGIN

/* Creates a thread as takt_thread_create does, and writes it to `thread`. Of `parameters`, `stack` is not read and
 * `stack_bytes` are allocated. Before the start, or from a thread, which the new one may preempt. Returns as
 * takt_thread_create, TIMEOUT if there is no such block. */
takt_status_t takt_thread_create_in(takt_memory_t *memory, takt_thread_t **thread,
                                    const takt_thread_parameters_t *parameters);

/* Ends such a thread in any state, also one that has returned, and frees it. It cannot do so itself. Threads only. Returns
 * as takt_thread_delete and takt_memory_free; ERROR_OBJECT for the running thread. */
takt_status_t takt_thread_delete_in(takt_memory_t *memory, takt_thread_t *thread);

TAKT_C_END

#endif
