/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay: passes recorded inputs to a newly built system and compares its decisions with the recorded ones,
 * bit for bit. */
#ifndef TAKT_SIM_REPLAY_H
#define TAKT_SIM_REPLAY_H

#include "sim/system.h"

typedef enum takt_replay_verdict {
    TAKT_REPLAY_IDENTICAL = 0,
    TAKT_REPLAY_DIFFERENT = 1, /* a decision or the job of an input differs */
    TAKT_REPLAY_INVALID =
        2, /* a record that cannot have been recorded: unknown entity or kind, time going back, steps without end */
} takt_replay_verdict_t;

typedef struct takt_replay_result {
    takt_replay_verdict_t verdict;
    uint64_t decisions;     /* compared, or up to the first difference */
    uint64_t record;        /* index of the first difference */
    takt_record_t recorded; /* as the trace has it */
    takt_record_t replayed; /* as core decides it */
} takt_replay_result_t;

/* Replays `count` records through `system`, which has seen no event yet. Ends for any records. */
takt_replay_result_t takt_replay(takt_system_t *system, const takt_record_t *records, uint64_t count);

/* Likewise, and passes every record of core to `observer` at once; and before the first one of a later instant is fed,
 * one of kind TAKT_RECORD_NONE. */
takt_replay_result_t takt_replay_observed(takt_system_t *system, const takt_record_t *records, uint64_t count,
                                          takt_trace_t *observer);

#endif
