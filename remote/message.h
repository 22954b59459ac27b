/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Messages between the application side, where jobs run, and the scheduler side, where core stands. Entities, jobs and
 * resources cross by their numbers: each side has records of its own. */
#ifndef TAKT_REMOTE_MESSAGE_H
#define TAKT_REMOTE_MESSAGE_H

#include "core/dispatcher.h"

/* An event. */
typedef struct takt_message {
    takt_instant_t seen;    /* by the application side */
    uint64_t value;         /* as in takt_event_t; of a lock or unlock the number of the resource */
    uint32_t entity;        /* TAKT_NO_ENTITY for the root */
    uint32_t job;           /* that the event is about; 0 for a plain thread */
    takt_event_kind_t kind; /* not TAKT_EVENT_TIME */
} takt_message_t;

/* The application side asks for the decision. */
typedef struct takt_fetch {
    uint32_t sequence; /* events that it has posted so far */
    bool has_dropped;  /* the last decision was not carried out: it did not consider the last posted event */
} takt_fetch_t;

/* The decision, with all that the application side needs. */
typedef struct takt_answer {
    /* False: events that the fetch names are under way; nothing was decided, and only `sequence` is set. */
    bool is_decision;
    bool is_missed;          /* the deadline of the job has passed */
    bool should_yield;       /* as in takt_cpu_t */
    uint32_t entity;         /* TAKT_NO_ENTITY: idle; a server: idle, at its cost */
    uint32_t job;            /* of the entity, 0 for none */
    uint32_t waiting;        /* jobs that wait behind it */
    uint32_t change;         /* number of the change whose parameters the job has, TAKT_NO_CHANGE for none */
    uint32_t sequence;       /* events that the decision considers */
    uint32_t number;         /* of the decision, from 1 */
    takt_instant_t release;  /* of the job */
    takt_instant_t deadline; /* of the job */
    takt_instant_t until;    /* the next call at the latest; TAKT_NOT_TOLD: the scheduler side signals */
} takt_answer_t;

#define TAKT_NO_CHANGE UINT32_MAX

/* No decision ends at 0, so that it is never taken for an instant. */
#define TAKT_NOT_TOLD ((takt_instant_t)0)

#endif
