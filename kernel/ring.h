/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Trace ring: the last records of the trace, in the caller's memory.
 *
 * A sink that never stops: when the ring is full, every new record takes the place of the oldest one, which is lost and
 * counted. Somebody with time takes records out, oldest first, or a debugger looks at the memory after a crash: the newest
 * record is at (`written` - 1) modulo the length.
 *
 * Invariant: written - taken, modulo 2^32, is the number of records that are there, at most the length.
 *
 * What it costs: as long as there is a trace, every switch takes the full pass, and every call that can change who runs
 * gives a record. On a Cortex-M3 a yield between plain threads then takes 525 instructions instead of 37, of which about 75
 * keep its two records, with interrupts masked.
 *
 * When not to use it: to prove what the scheduler did; replay needs every record, see docs/trace-format.md. The closing record counts
 * the lost records too, so replay refuses what a ring has left of a longer run. */
#ifndef TAKT_KERNEL_RING_H
#define TAKT_KERNEL_RING_H

#include "core/trace.h"
#include "kernel/errors.h"

/* A sink that keeps. Private but for `trace`. */
typedef struct takt_trace_ring {
    takt_trace_t trace; /* first: what takt_kernel_trace_to takes */
    takt_record_t *records;
    uint32_t mask;    /* length - 1 */
    uint32_t taken;   /* records that are not there any more, modulo 2^32 */
    uint64_t written; /* records that have come */
    uint32_t lost;    /* records that were overwritten before they were taken, modulo 2^32 */
} takt_trace_ring_t;

/* Makes an empty ring in `records`, memory for `length` of them, a power of two. Returns ERROR_NULL or _LENGTH. */
takt_status_t takt_trace_ring_init(takt_trace_ring_t *ring, takt_record_t *records, uint32_t length);

/* Takes the oldest record out into `record`. From anywhere that may call the kernel; the lock is closed for one copy.
 * Returns TIMEOUT if there is none; ERROR_NULL, _INTERRUPT, or _OBJECT if the ring was not initialised. */
takt_status_t takt_trace_ring_take(takt_trace_ring_t *ring, takt_record_t *record);

/* Writes the closing record of the trace into `record`; it counts all records that have come, lost ones included. `now` is the instant at
 * which recording ended. Append it behind the last record that was taken. Returns ERROR_NULL, or _OBJECT if the ring was not initialised. */
takt_status_t takt_trace_ring_end(const takt_trace_ring_t *ring, uint64_t now, takt_record_t *record);

/* How many records were lost so far, modulo 2^32. Returns 0 if `ring` is NULL. */
uint32_t takt_trace_ring_lost(const takt_trace_ring_t *ring);

#endif
