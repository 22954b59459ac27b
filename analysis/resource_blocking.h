/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocking by less urgent jobs that hold shared resources, by protocol, in one dispatcher. See
 * resource_blocking.c. */
#ifndef TAKT_ANALYSIS_RESOURCE_BLOCKING_H
#define TAKT_ANALYSIS_RESOURCE_BLOCKING_H

#include "analysis/edf_blocking.h"

TAKT_C_BEGIN

/* A critical section of a task; nested sections are in the list as well. */
typedef struct takt_section {
    uint32_t task;         /* its place, below `tasks` */
    uint32_t resource;     /* its number, below `resources` */
    takt_duration_t ticks; /* cs: executed from the lock to the unlock, 1 .. wcet */
} takt_section_t;

/* Which sections count, and how they add up. Not for `none`: there jobs without resources prolong the blocking without
 * bound. */
typedef enum takt_locking {
    TAKT_LOCKING_NPCS = 0, /* holders are not preempted: the longest section of all */
    TAKT_LOCKING_CEILING =
        1, /* pcp, srp, icpp (under EDF without jitter only): the longest on resources that matter */
    TAKT_LOCKING_PIP =
        2, /* and any of these together: with a section of 1 tick for each task that may raise a holder */
} takt_locking_t;

/* Sections, and urgency as numbers: smaller is more urgent. */
typedef struct takt_sharing {
    const takt_section_t *sections;
    uint32_t count;        /* of sections */
    const uint64_t *late;  /* of each task its rank under fixed priorities, equals alike; under EDF D */
    const uint64_t *early; /* likewise; under EDF D - J, 0 if that is negative; at most `late` */
    uint32_t tasks;
    uint32_t resources;
    takt_locking_t locking;
} takt_sharing_t;

/* Working memory: one value for each resource, each task, each resource. */
typedef struct takt_sharing_memory {
    uint64_t *ceilings;
    uint64_t *by_task;
    uint64_t *by_resource;
} takt_sharing_memory_t;

/* For how long, in all, tasks with `late` > `at` can delay those with `early` <= `at`: B_i with the rank of i (or,
 * for Baker's test, its deadline); B(L) with the length of an interval. False: it does not fit. */
TAKT_MUST_USE bool takt_sharing_blocking(const takt_sharing_t *sharing, uint64_t at,
                                         takt_sharing_memory_t memory, takt_duration_t *blocking);

/* Writes B(L) as steps, at most 2 `tasks` + 1 of them, and how many. `regions`: of each task the longest part in which it
 * is not displaced, 1 and up, where a job may wait for the longest of a task below, and then for sections; or NULL. False:
 * one does not fit. */
TAKT_MUST_USE bool takt_sharing_steps(const takt_sharing_t *sharing, const takt_duration_t *regions,
                                      takt_sharing_memory_t memory, takt_blocking_step_t *steps,
                                      uint32_t *count);

TAKT_C_END

#endif
