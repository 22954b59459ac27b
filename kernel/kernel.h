/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel: one processor, threads, and the scheduler of core/ under them.
 *
 *     takt_kernel_init(policy)       which policy orders what sits at the root
 *     takt_thread_server_create ...  servers first
 *     takt_thread_create ...         then threads
 *     takt_kernel_start()            the first thread runs; does not return
 *
 * There is one kernel per program: what it owns is one object. Every policy is linked; the root's is
 * chosen here, a server's where the server is made. */
#ifndef TAKT_KERNEL_KERNEL_H
#define TAKT_KERNEL_KERNEL_H

#include "core/trace.h"
#include "kernel/job.h"
#include "kernel/server.h"
#include "kernel/thread.h"

/* Makes an empty kernel, once, before every other call. Returns ERROR_NULL, _POLICY or _STARTED. */
takt_status_t takt_kernel_init(const takt_policy_t *policy);

/* From now on every input and decision goes to `trace`, and every switch takes the full pass, so that
 * nothing is missing; kernel/statistics.h says what that costs. After init, before servers and threads. Returns ERROR_NULL, _ORDER or
 * _NOT_INITIALISED. */
takt_status_t takt_kernel_trace_to(takt_trace_t *trace);

/* Starts clock and threads. Returns only if there is an error: ERROR_FULL, _STARTED or
 * _NOT_INITIALISED. */
takt_status_t takt_kernel_start(void);

/* The instant now, in ticks since the start, 0 before it. From anywhere that may call the kernel: in
 * an interrupt that the lock does not mask the answer may be wrong. */
takt_instant_t takt_kernel_now(void);

/* The running thread, NULL before the start. In an interrupt: the interrupted one. */
takt_thread_t *takt_kernel_running(void);

#endif
