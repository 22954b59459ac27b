/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reference: what core selects by the inputs of a trace, at each of their instants, whenever a decision was taken.
 *
 * A replay proves that each recorded decision is core's. It does not say whether a decision was taken in time, or whether
 * the scheduler was called when a timer or a budget ended. Here the same inputs are fed, and core is asked after each
 * instant.
 *
 * When not to use it: for traces of several processors. */
#ifndef TAKT_SIM_REFERENCE_H
#define TAKT_SIM_REFERENCE_H

#include "sim/replay.h"

/* What holds from the last record of an instant to the next record. */
typedef struct takt_reference_row {
    takt_instant_t now;
    /* Core is to be called then at the latest, if the last decision continues; TAKT_NEVER: never. */
    takt_instant_t due;
    uint32_t selected; /* the task that a decision would name; TAKT_NO_ENTITY: none, or a server that idles */
    uint32_t job;      /* of it */
    uint32_t decided;  /* the task that the last decision names; likewise, and before the first one */
    uint32_t decided_job;
    bool should_yield; /* the job of the last decision is to yield at its next preemption point */
} takt_reference_row_t;

typedef void (*takt_reference_sink_t)(void *context, const takt_reference_row_t *row);

/* Replays as takt_replay_observed, and passes a row for each instant to `sink`. */
takt_replay_result_t takt_sim_reference(takt_system_t *system, const takt_record_t *records, uint64_t count,
                                        takt_reference_sink_t sink, void *context);

#endif
