/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Scheduler side: core behind messages. It has the state of the system; no other side writes it.
 *
 *     receive(message, now)     an event has come; stamped `now`
 *     fetch(fetch, now, &answer)
 *                               the decision is taken now, and only now, if all events that the fetch names have come
 *     pass(now)                 handles what is due; true: raise a signal, another job would be chosen
 *     next()                    call pass no later than this
 *
 * Between two fetches it only compares. It signals once for each decision; the signal's number is the number of that
 * decision, and any later decision answers it.
 *
 * The budget of a job may end while its events are under way. A completion counts all the same: the work is done. A lock
 * waits until the job is selected again, because a job without budget must not hold a resource.
 *
 * Both sides read one clock. `now` never decreases.
 *
 * Source: docs/explanation/remote.md. When not to use it: for more than one processor. */
#ifndef TAKT_REMOTE_SCHEDULER_H
#define TAKT_REMOTE_SCHEDULER_H

#include "remote/message.h"
#include "system/build.h"

/* X(constant, message): what became of a message. All but the first two show that the application side is wrong. */
#define TAKT_RECEIPTS(X)                                                          \
    X(RECEIVED, "received")                                                       \
    X(STALE, "about a job that has ended; without effect")                        \
    X(UNKNOWN, "an event of a kind, an entity or a resource that does not exist") \
    X(UNFIT, "an event that cannot happen in this state")                         \
    X(FULL, "an arrival for which there is no room")                              \
    X(AHEAD, "an event that was seen after it was received: there are two clocks")

#define TAKT_RECEIPT(constant, message) TAKT_RECEIPT_##constant,
typedef enum takt_receipt { TAKT_RECEIPTS(TAKT_RECEIPT) } takt_receipt_t;
#undef TAKT_RECEIPT

/* The message of `receipt`, for people. */
const char *takt_receipt_message(takt_receipt_t receipt);

typedef struct takt_scheduler {
    takt_system_t *system;
    /* Locks of jobs that have no budget any more; caller's memory, one for each task. */
    takt_message_t *deferred;
    uint32_t deferred_count;
    uint32_t received; /* events, deferred ones included */
    /* End of the budgets of the job that runs, or the first timer, as of the last call. */
    takt_instant_t next;
    uint32_t number;     /* of the last decision */
    uint32_t job;        /* that it named */
    bool is_signalled;   /* since then */
    takt_receipt_t last; /* of the last event, also of one that was deferred until a fetch */
} takt_scheduler_t;

/* Makes a scheduler of a built system that has seen no event. It may be recorded to a trace with `is_remote`. `deferred`
 * is memory for as many messages as there are tasks. */
void takt_scheduler_init(takt_scheduler_t *scheduler, takt_system_t *system, takt_message_t *deferred);

/* An event has come. */
TAKT_MUST_USE takt_receipt_t takt_scheduler_receive(takt_scheduler_t *scheduler,
                                                    const takt_message_t *message, takt_instant_t now);

/* The application side asks. Writes the answer. */
void takt_scheduler_fetch(takt_scheduler_t *scheduler, const takt_fetch_t *fetch, takt_instant_t now,
                          takt_answer_t *answer);

/* The part of a fetch after takt_dispatcher_settle: takes the decision, and writes the answer. Returns false if the decision
 * was dropped, because a lock was deferred until its job is selected; settle and take again. What has passed since the last
 * settle is charged to no budget. */
TAKT_MUST_USE bool takt_scheduler_take(takt_scheduler_t *scheduler, takt_instant_t now,
                                       takt_answer_t *answer);

/* Handles what is due. Returns true if a signal is to be raised, with scheduler->number. */
TAKT_MUST_USE bool takt_scheduler_pass(takt_scheduler_t *scheduler, takt_instant_t now);

/* When the scheduler acts next if no message comes; TAKT_NEVER for never. */
TAKT_INLINE takt_instant_t takt_scheduler_next(const takt_scheduler_t *scheduler) { return scheduler->next; }

#endif
