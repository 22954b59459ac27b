/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Questions about threads: state, priorities, server, budget, stack; and the list of all threads.
 *
 * An answer is of the instant of the call; interrupts and other threads may change it at once. The thread of a question
 * exists, or its memory is zeroed or that of a deleted thread. Questions may be asked from anywhere that may call the
 * kernel: threads, with the lock open or closed, interrupts that the lock masks, and before the start. Its name is
 * `thread->name`, never NULL once it was created; the running thread is takt_kernel_running().
 *
 *     for (uint32_t number = 0; number < TAKT_KERNEL_ENTITY_LIMIT; number++) {
 *         takt_thread_t *thread = takt_kernel_thread(number);
 *         ...
 *     }
 *
 * When not to use it: to decide whether to wait. Make the call with 0 ticks. */
#ifndef TAKT_KERNEL_INSPECT_H
#define TAKT_KERNEL_INSPECT_H

#include "kernel/server.h"

TAKT_C_BEGIN

/* What a thread does. */
typedef enum takt_thread_state {
    TAKT_THREAD_ENDED,   /* deleted, returned, or not created yet */
    TAKT_THREAD_RUNNING, /* it runs; in an interrupt: it was interrupted */
    TAKT_THREAD_READY,   /* it can run, or will when its server has budget or the kernel starts */
    TAKT_THREAD_WAITING, /* for an object, a mutex, time or a notification; a job thread: for its next job */
    TAKT_THREAD_IS_SUSPENDED /* until it is resumed; it may wait too */
} takt_thread_state_t;

/* Returns what `thread` does; TAKT_THREAD_ENDED if it is NULL. */
takt_thread_state_t takt_thread_state(const takt_thread_t *thread);

/* Returns a word for `state`, for people: "running", "ready", "waiting", "suspended", "ended". */
const char *takt_thread_state_name(takt_thread_state_t state);

/* Writes to `priority` the base priority of `thread`, the one that it was created with or that was set last. Returns
 * ERROR_NULL, _OBJECT, _INTERRUPT, or _KEY for the idle thread and for
 * jobs under keys or of allocators, which have none. */
takt_status_t takt_thread_priority(const takt_thread_t *thread, uint32_t *priority);

/* Likewise the priority in force, which mutexes, ceilings and thresholds may raise, up to TAKT_PRIORITIES: above all
 * priorities. O(more urgent ready threads) with interrupts masked. Returns the same, and ERROR_KEY for every thread whose ready set is ordered by keys. */
takt_status_t takt_thread_effective_priority(takt_thread_t *thread, uint32_t *priority);

/* Returns the server of `thread`, in which its dispatcher is; NULL: the root, or `thread` is NULL or has ended. */
takt_thread_server_t *takt_thread_server(const takt_thread_t *thread);

/* Writes to `ticks` the least remaining budget of the servers that pay for `thread`, less the execution in progress;
 * TAKT_NEVER: none pays. O(depth). Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_thread_budget(const takt_thread_t *thread, takt_duration_t *ticks);

/* ---- all threads --------------------------------------------------------------------------------- */

/* Lists threads from now on in `threads`, zeroed memory for TAKT_KERNEL_ENTITY_LIMIT pointers. After takt_kernel_init,
 * before servers and threads. Returns ERROR_NULL, _ORDER or _NOT_INITIALISED. */
takt_status_t takt_kernel_list_to(takt_thread_t **threads);

/* Returns thread number `number`, below TAKT_KERNEL_ENTITY_LIMIT; NULL: no thread has it, or none is listed. Numbers are
 * those of takt_thread_number: the order is that of creation, the idle thread stands after those of before the start,
 * and a thread keeps its number. So a loop over all numbers sees each thread that exists meanwhile once. */
takt_thread_t *takt_kernel_thread(uint32_t number);

/* Returns the number of `thread`, not NULL, which exists: that of its records in a trace. */
uint32_t takt_thread_number(const takt_thread_t *thread);

/* Prints by takt_port_print a line for each listed thread: name, state, priority in force or -, bytes of its stack, and
 * how many of these were never used. No listed thread may be deleted meanwhile. Threads only, or before the start. */
void takt_kernel_report(void);

TAKT_C_END

#endif
