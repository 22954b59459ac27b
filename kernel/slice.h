/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Time slices: a thread that has used up its slice lets its equals go first.
 *
 * Equals are the ready threads of the same priority and dispatcher. A slice begins when an equal is ready beside the
 * running thread, and counts the time in which the thread is selected. When it is used up, the thread is appended to
 * the FIFO of its priority, as by takt_thread_yield, and has a new slice. So it has after a yield or a wait. A thread
 * that a more urgent one displaces keeps its place and what is left of its slice.
 *
 * There is no tick: a timeout is armed while a thread with a slice runs and has an equal, and at no other time. The
 * end of a slice is a yield event, which is recorded and replayed. Where keys order, only threads without a
 * deadline have equals. A thread without a slice is not displaced by its equals.
 *
 * Each switch to or from a thread with a slice takes the full pass. Other threads pay for slices only there.
 *
 * Invariant: the timeout is armed if and only if the last decision selected a thread with a slice and an equal.
 *
 * When not to use it: if the order of equals must be a program's own. A slice ends anywhere, so it needs more stack and
 * mutexes where a thread that yields needs none. */
#ifndef TAKT_KERNEL_SLICE_H
#define TAKT_KERNEL_SLICE_H

#include "kernel/thread.h"

TAKT_C_BEGIN

/* A plain thread with a slice: 80 bytes on a 32-bit machine. Private but for `thread`, which all calls of threads
 * take. */
typedef struct takt_sliced_thread {
    takt_thread_t thread; /* first */
    takt_duration_t slice;
    takt_duration_t left; /* of the slice, as of the last decision */
} takt_sliced_thread_t;

_Static_assert(offsetof(takt_sliced_thread_t, thread) == 0, "a sliced thread is a thread");

/* Sets the slice, in ticks, of sliced threads that are created from now on with 0. From threads, or before the start.
 * Returns ERROR_PERIOD if `slice` is 0. */
takt_status_t takt_slices_set(takt_duration_t slice);

/* Creates a plain thread with a slice of `slice` ticks; 0: that of takt_slices_set. Returns as takt_thread_create, and
 * ERROR_PERIOD if there is no slice. */
takt_status_t takt_sliced_thread_create(takt_sliced_thread_t *thread,
                                        const takt_thread_parameters_t *parameters, takt_duration_t slice);

/* Sets the slice of `thread` from its next one on. Threads only. Returns ERROR_NULL, _OBJECT if it does not exist,
 * _PERIOD if `slice` is 0, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_sliced_thread_set(takt_sliced_thread_t *thread, takt_duration_t slice);

TAKT_C_END

#endif
