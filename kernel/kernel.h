/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel: one processor, threads, and the scheduler of core/ that selects among them.
 *
 *     takt_kernel_init(policy)       selects the policy of the root
 *     takt_thread_server_create ...  servers first
 *     takt_thread_create ...         then threads
 *     takt_kernel_start()            the first thread runs; does not return
 *
 * There is one kernel per program; its data is one object. Every policy is linked. The root's policy is selected here,
 * a server's policy when the server is created. */
#ifndef TAKT_KERNEL_KERNEL_H
#define TAKT_KERNEL_KERNEL_H

#include "core/trace.h"
#include "kernel/job.h"
#include "kernel/server.h"
#include "kernel/thread.h"
#include "policy/table.h"

TAKT_C_BEGIN

/* Private, as the next. `expect` is called if it is not NULL; only a policy that orders by levels can do without.
 * Returns ERROR_NULL, _POLICY or _STARTED. */
takt_status_t takt_kernel_init_expecting(const takt_policy_t *policy, void (*expect)(void));
void takt_kernel_expect_keys(void);

/* Initialises an empty kernel, once, before every other call. Returns ERROR_NULL, _POLICY or _STARTED. Inline, so that a
 * program of plain threads that names takt_policy_fp here is linked without the full pass. */
TAKT_INLINE takt_status_t takt_kernel_init(const takt_policy_t *policy) {
    return takt_kernel_init_expecting(policy, policy == &takt_policy_fp ? NULL : takt_kernel_expect_keys);
}

/* Writes every input and decision to `trace` from now on. Every switch then takes the full pass, so that the trace is
 * complete; for the cost see kernel/statistics.h. After init, before servers and threads. Returns ERROR_NULL, _ORDER or
 * _NOT_INITIALISED. */
takt_status_t takt_kernel_trace_to(takt_trace_t *trace);

/* Starts the clock and the threads. Returns only on an error: ERROR_FULL, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_kernel_start(void);

/* A scheduler at a distance signals that another job would be chosen: the kernel asks for the decision. For a backend,
 * from an interrupt that may call the kernel. */
void takt_kernel_signal_from_isr(void);

/* The current instant in ticks since the start; 0 before it. From anywhere that may call the kernel. In an interrupt
 * that the lock does not mask the result may be wrong. */
takt_instant_t takt_kernel_now(void);

/* The running thread, NULL before the start. In an interrupt: the interrupted one. */
takt_thread_t *takt_kernel_running(void);

TAKT_C_END

#endif
