/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Allocators of the user's own, and threads whose jobs they begin, move and end.
 *
 * Source: S3's user-supplied allocators; core/allocator.h has the interface that an allocator fills in, and what it may
 * call. Neither core nor the kernel is touched for one: its record begins with a takt_allocation_t, what it knows of a task
 * with that task's takt_task_extension_t, and both are the caller's memory.
 *
 *     takt_kernel_init(&policy)                   a policy of the user's own works just so
 *     takt_kernel_add_allocator(&mine, &functions)
 *     takt_allocated_thread_create ...            each with its record of the task
 *
 * Jobs that an allocator ends begin anew, and none of its jobs waits, both as job.h says. They lock where the allocator has
 * `lock` and `unlock`, and sees to what they hold when it closes a window or ends one.
 *
 * When not to use it: for rate-based scheduling, see rate.h; for tasks that simply repeat. */
#ifndef TAKT_KERNEL_ALLOCATED_H
#define TAKT_KERNEL_ALLOCATED_H

#include "core/allocator.h"
#include "kernel/job.h"

/* The control block of a thread with an allocator. Private. */
typedef struct takt_allocated_thread {
    takt_job_thread_t job;
    takt_task_t task;
} takt_allocated_thread_t;

/* What a thread with an allocator is made of. */
typedef struct takt_allocated_parameters {
    takt_thread_parameters_t thread;  /* under the root */
    takt_allocation_t *allocation;    /* that was added */
    takt_task_extension_t *extension; /* zeroed; where the allocator finds its record of the task by it */
    takt_duration_t period; /* ticks, >= 1; what it means is the allocator's business, as of the next two */
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_duration_t wcet;              /* of a job */
    takt_task_class_t task_class;      /* of the jobs */
} takt_allocated_parameters_t;

/* Makes `allocation`, zeroed, one that `functions` are called for. Before the start. Returns ERROR_NULL, _POLICY if they
 * were compiled against another version of the interface, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_kernel_add_allocator(takt_allocation_t *allocation, const takt_allocator_t *functions);

/* Makes a thread whose jobs are its allocator's to begin. It exists, and is not active: its allocator starts it at a timer,
 * or once it is asked to. Returns as takt_thread_create, and ERROR_PERIOD, _DEADLINE, _OBJECT if the allocation was not
 * added, or _STARTED. */
takt_status_t takt_allocated_thread_create(takt_allocated_thread_t *thread,
                                           const takt_allocated_parameters_t *parameters);

/* Asks the allocator of `thread` that it may enter, or leave; what the allocator makes of that is its business. From
 * threads, and before the start at instant 0; the others for interrupts. Return ERROR_NULL, _OBJECT, _EXTENSION if it
 * takes no such requests, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_allocated_thread_enter(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_enter_from_isr(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_leave(takt_job_thread_t *thread);
takt_status_t takt_allocated_thread_leave_from_isr(takt_job_thread_t *thread);

#endif
