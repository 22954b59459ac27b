/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* User-supplied allocators, and threads whose jobs they begin, move and end.
 *
 * Source: user-supplied allocators of Wang and Lin 1999. core/allocator.h has the interface that an allocator
 * implements, and what it may call. An allocator changes neither core nor the kernel. Its record begins with a
 * takt_allocation_t, its record of a task with that task's takt_task_extension_t; both are the caller's memory.
 *
 *     takt_kernel_init(&policy)                   may also be a user's policy
 *     takt_kernel_add_allocator(&mine, &functions)
 *     takt_allocated_thread_create ...            each with its record of the task
 *
 * Jobs that an allocator ends restart, and none of its jobs waits, both as job.h says. They may lock if the
 * allocator has `lock` and `unlock`; it handles what a job holds when it closes a window or ends the job.
 *
 * When not to use it: for rate-based scheduling, see rate.h; for tasks that simply repeat. */
#ifndef TAKT_KERNEL_ALLOCATED_H
#define TAKT_KERNEL_ALLOCATED_H

#include "core/allocator.h"
#include "kernel/job.h"

TAKT_C_BEGIN

/* Control block of a thread with an allocator. Private. */
typedef takt_periodic_thread_t takt_allocated_thread_t;

/* Parameters of a thread with an allocator, by their older name. */
typedef takt_job_parameters_t takt_allocated_parameters_t;

/* Initialises `allocation`, zeroed, with `functions`. Before the start. Returns ERROR_NULL, _POLICY if they were
 * compiled against another version of the interface, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_kernel_add_allocator(takt_allocation_t *allocation, const takt_allocator_t *functions);

/* Creates a thread whose jobs its allocator begins. It is not active yet: its allocator starts it at a timer, or when
 * requested. Returns as takt_thread_create, and ERROR_PERIOD, _DEADLINE, _OBJECT if the allocation was not added,
 * _EXTENSION for members of another kind, or _STARTED. */
takt_status_t takt_allocated_thread_create(takt_allocated_thread_t *thread,
                                           const takt_job_parameters_t *parameters);

/* Requests from the allocator of `thread` that it enters, or leaves; the allocator defines the effect. From threads,
 * and before the start at instant 0; the others for interrupts. Return ERROR_NULL, _OBJECT, _EXTENSION if it takes no
 * such requests, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_allocated_thread_enter(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_enter_from_isr(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_leave(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_leave_from_isr(takt_job_thread_t *thread);

TAKT_C_END

#endif
