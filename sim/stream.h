/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stream: a sequence of numbers, listed or drawn, such as the demands of a task's jobs.
 *
 * Element k is a function of (seed, task, k) alone: every policy gets the same numbers, in any order of
 * access, and no state is kept. Drawn numbers are computed with the C library's floating point and rounded
 * to ticks. No decision of the scheduler depends on floating point. */
#ifndef TAKT_SIM_STREAM_H
#define TAKT_SIM_STREAM_H

#include "system/spec.h"

/* Purpose of a stream: streams of one task for different purposes are independent. */
typedef enum takt_stream_use {
    TAKT_STREAM_DEMAND = 1,
    TAKT_STREAM_SEPARATION = 2,
    TAKT_STREAM_JITTER = 3,
} takt_stream_use_t;

/* Which stream: of which run, of which task, for what. */
typedef struct takt_stream_key {
    uint64_t seed;
    uint32_t task;
    takt_stream_use_t use;
} takt_stream_key_t;

/* Returns element `index` of `stream`; a list repeats from its start. */
uint64_t takt_stream_at(const takt_stream_t *stream, takt_stream_key_t key, uint64_t index);

#endif
