/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Observer: compares what a scheduler at a distance decided with what the application side did.
 *
 * A replay proves the decisions, not that they were carried out: the transport between the sides is in no trace. The
 * observer has three sources, and none of them is the transport:
 *
 *     trace                            records of the scheduler side; the observer is a sink in front of another one
 *     takt_observer_runs(entity, now)  a thread runs from `now` on, as the port's switch or the operating system sees it
 *     takt_observer_made(kind, entity, now)
 *                                      the program makes an event, before it is handed to the transport
 *
 *     takt_observer_asks(now)          the program asks for a decision by itself, without an event
 *
 * All are posted in the order in which they happen; instants never decrease. The first broken rule is the finding, and
 * what is posted after it is not judged. One processor.
 *
 * A decision is in force from its record until the next one, unless a record says that it was dropped. It is carried out
 * later, when the answer has arrived, and a switch is seen only if it names another thread than the one that runs.
 * What is under way for no longer than `patience` breaks no rule, also at the end.
 *
 * Cost: a record takes constant time, and the receipt of an event a pass over the events that are under way.
 *
 * Source: docs/explanation/remote.md. Left out: that a job is not executed after it has ended, when the next job of the
 * same task follows at once; no switch shows it. */
#ifndef TAKT_REMOTE_OBSERVER_H
#define TAKT_REMOTE_OBSERVER_H

#include "core/trace.h"

/* X(constant, message): the rules, and that none is broken. */
#define TAKT_OBSERVER_RULES(X)                                                                 \
    X(OK, "no rule is broken")                                                                 \
    X(SWITCH, "a thread runs that the last decision does not name")                            \
    X(IGNORED, "a decision was neither carried out nor dropped")                               \
    X(DROPPED, "a decision was carried out and dropped")                                       \
    X(OUTDATED, "a decision was carried out that does not consider an event made before")      \
    X(JOB, "an event is about another job than the last decision names, or the job has ended") \
    X(FETCHES, "more than two decisions were fetched in a row without a cause")                \
    X(LOST, "an event that the program made was not received")                                 \
    X(INVENTED, "an event was received that the program did not make")                         \
    X(SIGNAL, "a signal was not answered by a fetch")                                          \
    X(CLOCK, "an instant is before the last one: there are two clocks")                        \
    X(FULL, "more events are under way than the observer has memory for: give it more")        \
    X(OVERFLOW, "records of the trace are lost")

#define TAKT_OBSERVER_RULE(constant, message) TAKT_OBSERVER_##constant,
typedef enum takt_observer_rule { TAKT_OBSERVER_RULES(TAKT_OBSERVER_RULE) } takt_observer_rule_t;
#undef TAKT_OBSERVER_RULE

/* The message of `rule`, for people. */
const char *takt_observer_message(takt_observer_rule_t rule);

/* An event that is under way. */
typedef struct takt_made {
    takt_instant_t now; /* when it was made */
    uint32_t entity;
    uint8_t kind;    /* takt_record_kind_t */
    bool is_passed;  /* a later switch carried out a decision that does not consider it */
    bool is_put_off; /* a stale lock: it is received again if its job is selected again */
} takt_made_t;

typedef struct takt_observer_setup {
    takt_trace_t *next;  /* takes the records afterwards; NULL for none */
    takt_made_t *made;   /* caller's memory for events under way */
    uint32_t made_limit; /* of these */
    uint32_t servers;    /* entities below this number are servers, the root among them */
    uint32_t idle;       /* the thread that runs when a decision names no entity, or a server */
    uint64_t kinds;      /* bit 1 << kind: all events of this kind are posted when made */
    /* The longest time from an event until it is received, from a decision until it is carried out or dropped, and from a
     * signal, or the last fetch since, until a decision. */
    takt_duration_t patience;
    takt_duration_t slack; /* from carrying out a decision until the switch is seen; 0 in virtual time */
} takt_observer_setup_t;

typedef struct takt_finding {
    takt_observer_rule_t rule;
    takt_instant_t now;   /* when it was found */
    takt_instant_t since; /* instant of the event, of the decision or of the signal that it is about */
    uint32_t entity;      /* that runs, or that the event is about; else TAKT_NO_ENTITY */
    uint32_t job;         /* of an event that was received, else 0 */
    uint32_t decided;     /* entity that the last decision names, TAKT_NO_ENTITY for none */
    uint32_t decided_job; /* of it */
} takt_finding_t;

typedef struct takt_observer {
    takt_trace_t trace; /* the sink */
    takt_observer_setup_t setup;
    takt_finding_t finding;
    takt_instant_t now;  /* last instant posted */
    takt_instant_t seen; /* latest instant at which the next event was seen */
    uint32_t runs;       /* thread that runs, TAKT_NO_ENTITY before the first */
    uint32_t made_count;

    takt_record_t decision; /* the last one */
    bool is_in_force;       /* there is one, and it was not dropped */
    bool is_switched_to;    /* a switch has carried it out */
    bool is_over;           /* its job has ended, or suspended itself, by an event */
    uint32_t fetched; /* decisions since the last cause: an event, a signal or a question of the program */
    bool is_unconsidered;     /* an event has been received since, */
    takt_made_t unconsidered; /* the one that was made first */

    bool is_signalled;           /* and no decision has answered */
    takt_instant_t signalled_at; /* or the last fetch since, which decided nothing */
} takt_observer_t;

/* Starts with nothing decided and no thread running. `setup` is copied, not its memory. */
void takt_observer_init(takt_observer_t *observer, const takt_observer_setup_t *setup);

/* The program makes an event, of a kind in `kinds`. */
void takt_observer_made(takt_observer_t *observer, takt_record_kind_t kind, uint32_t entity,
                        takt_instant_t now);

/* The program asks for a decision without an event, as before a lock. */
void takt_observer_asks(takt_observer_t *observer, takt_instant_t now);

/* `entity` runs from `now` on. Threads that the scheduler does not know are not posted. */
void takt_observer_runs(takt_observer_t *observer, uint32_t entity, takt_instant_t now);

/* Time has passed up to `now`, as at the end of a run. Returns the finding so far. */
const takt_finding_t *takt_observer_reach(takt_observer_t *observer, takt_instant_t now);

#endif
