/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stream: a sequence of numbers, listed or drawn, such as the demands of a task's jobs.
 *
 * Element k is a function of (seed, task, k) alone, so that every policy meets the same numbers whatever
 * order it asks in, and nothing is kept. Drawn numbers are made with the C library's floating point and
 * rounded to ticks; nothing that the scheduler decides depends on floating point. */
#ifndef TAKT_SIM_STREAM_H
#define TAKT_SIM_STREAM_H

#include "system/spec.h"

/* What a stream is for: streams of one task for different ends are independent. */
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

/* Element `index` of `stream`; a list is repeated from its start. */
uint64_t takt_stream_at(const takt_stream_t *stream, takt_stream_key_t key, uint64_t index);

#endif
