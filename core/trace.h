/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Trace: the inputs that a platform passed to the scheduler and the decisions that it received.
 *
 * Rule 5 of DESIGN.md. Every call that can change the scheduler's state is one record, in the order
 * of the calls; replaying the inputs must give the decisions bit for bit. */
#ifndef TAKT_CORE_TRACE_H
#define TAKT_CORE_TRACE_H

#include "core/types.h"

enum { TAKT_TRACE_VERSION = 8 /* of files with these records */ };

/* What a record says. */
typedef enum takt_record_kind {
    TAKT_RECORD_NONE = 0, /* nothing: no record has it */
    /* inputs: `entity` is the one concerned */
    TAKT_RECORD_COMPLETE = 1, /* the running job of a task has done its work */
    TAKT_RECORD_BLOCK = 2,    /* a ready entity blocks */
    TAKT_RECORD_WAKE = 3,     /* a blocked entity becomes ready */
    TAKT_RECORD_YIELD = 4,    /* the running entity moves behind its equals */
    TAKT_RECORD_STEP = 5,     /* `value` steps at `now`; 0, if the scheduler is remote: all that is due */
    TAKT_RECORD_POINT = 6,    /* the running non-preemptive job is at a preemption point;
                                       `value`: whether it should yield */
    TAKT_RECORD_OPTIONAL_POINT = 7, /* likewise; the job only reads the flag */
    TAKT_RECORD_SUSPEND = 8,        /* the running job suspends itself until `value` */
    TAKT_RECORD_ARRIVAL = 9,        /* a job of a task that is not periodic arrives, nominally at `value` */
    TAKT_RECORD_LOCK = 10,          /* the running job tries to lock resource number `value` */
    TAKT_RECORD_UNLOCK = 11,        /* the running job or thread unlocks resource number `value` */
    TAKT_RECORD_ENTER = 12,         /* a task with an allocation requests to enter */
    TAKT_RECORD_LEAVE = 13,         /* a task with an allocation requests to leave */
    TAKT_RECORD_CHANGE = 14, /* change number `value` is made, of a task, or of no entity: the policy */
    TAKT_RECORD_CHOICE = 15, /* the entity to run is selected; the decision follows later */
    /* outputs */
    /* `entity` runs on `cpu` until `value` at the latest; of a remote scheduler 0: not known */
    TAKT_RECORD_DECISION = 16,
    TAKT_RECORD_ABORT = 17,    /* the job is aborted at its deadline `value` */
    TAKT_RECORD_SKIP = 18,     /* the job, released at `value`, is dropped: its predecessor is unfinished */
    TAKT_RECORD_GRANT = 19,    /* the job holds resource number `value` from now on */
    TAKT_RECORD_REFUSE = 20,   /* the job waits for resource number `value` */
    TAKT_RECORD_FREE = 21,     /* the job has freed resource number `value` */
    TAKT_RECORD_DEADLOCK = 22, /* the job waits for resource number `value` and is deadlocked; one record for
                                  each job of the cycle, first the job that closed it */
    TAKT_RECORD_ALLOCATION = 23, /* what happened to a task, see takt_allocator_note */
    TAKT_RECORD_SETTLED =
        24, /* on several processors: no further change; running jobs continue until `value` at
                                  the latest */
    /* inputs again */
    TAKT_RECORD_WITHDRAW = 25, /* an entity stops waiting for a resource; `value` as of 2 to 4 */
    TAKT_RECORD_PRIORITY = 26, /* the level of a thread or of a task is `value` from now on; with
                                  TAKT_LEVEL_IS_DEADLINE: the deadline of a plain thread */
    /* neither: the end of a trace */
    TAKT_RECORD_END = 27, /* nothing follows; `value` records came before, see takt_trace_end */
    /* an input again */
    TAKT_RECORD_CREATE = 28, /* the number is that of a new thread of level `value` from now on */
    /* inputs of a remote scheduler, see receive.h */
    TAKT_RECORD_LATE = 29, /* the platform observed the event of the next input at `value`, before `now` */
    /* an event of kind `value` of a job that has ended, or waits for its next budget; no effect */
    TAKT_RECORD_STALE = 30,
    /* a decision is dropped: value 0, it is not made, because an event that the platform posted has not arrived; 1, the
     * last one, because of an event that it does not consider. No effect */
    TAKT_RECORD_DROPPED = 31,
    TAKT_RECORD_SIGNAL = 32, /* `entity` would be selected, and does not run; no effect */
    /* outputs of a remote scheduler: what it does by itself, before the effects */
    /* a release timer, of nominal instant `value`, has expired; `job` is the job released */
    TAKT_RECORD_RELEASE = 33,
    TAKT_RECORD_REPLENISH = 34, /* the replenishment of a server at the nominal instant `value` */
    TAKT_RECORD_EXHAUST = 35,   /* the budget of a server or of a job is exhausted */
    /* neither: the end of a trace that overflowed */
    TAKT_RECORD_OVERFLOW = 36, /* as END; later records are lost, see takt_trace_overflow */
    /* inputs again: of a job that other tasks have released, and that has arrived; see source_after.h */
    TAKT_RECORD_ORIGIN = 37, /* the deadline of the task's last arrival counts from `value` */
    TAKT_RECORD_DROP = 38, /* the job at place `value` of those that have arrived and not begun is dropped */
    TAKT_RECORD_PASS = 39, /* `value` jobs right before the task's last arrival have been dropped */
    TAKT_RECORD_LAST = 39, /* the largest of these numbers */
} takt_record_kind_t;

/* One call that could change the scheduler's state, or its result. */
typedef struct takt_record {
    uint64_t now;      /* the instant passed to the call */
    uint64_t value;    /* as the kind says; nominal instant of other events */
    uint32_t entity;   /* number in the entity table, TAKT_NO_ENTITY for none */
    uint32_t sequence; /* of the event; of a decision: of the last event it considers */
    uint8_t kind;      /* takt_record_kind_t */
    uint8_t cpu;       /* the processor, 0 if there is one */
    uint16_t reserved; /* 0 */
    uint32_t job;      /* number of the job concerned, 0 for a plain thread */
} takt_record_t;

_Static_assert(sizeof(takt_record_t) == 32, "a record is 32 bytes in memory and in files");

/* The sink of records. `record` may be called with interrupts masked and must not call core. */
typedef struct takt_trace {
    void (*record)(struct takt_trace *trace, const takt_record_t *record); /* takes one */
    /* The scheduler acts by itself, at a distance: the records say what it does instead of how many steps that takes. Then
     * takt_dispatcher_settle is called, and takt_dispatcher_step is not. */
    bool is_remote;
} takt_trace_t;

/* Returns the closing record of a trace of `count` records, recorded up to `now`.
 *
 * Core never makes one: the owner of the sink appends it when recording has ended. A trace that lost its tail does not
 * end with it, and one that lost its beginning has fewer than `count` records. */
static inline takt_record_t takt_trace_end(uint64_t now, uint64_t count) {
    const takt_record_t end = {now, count, TAKT_NO_ENTITY, 0, TAKT_RECORD_END, 0, 0, 0};
    return end;
}

/* Likewise of a trace whose sink was full after `count` records, at `now`. */
static inline takt_record_t takt_trace_overflow(uint64_t now, uint64_t count) {
    takt_record_t end = takt_trace_end(now, count);
    end.kind = TAKT_RECORD_OVERFLOW;
    return end;
}

#endif
