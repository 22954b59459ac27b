/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Slot: the record that a thread on Linux and its scheduler in the kernel share in memory. One slot for each
 * entity of a domain, in a row; the index is the number of the entity.
 *
 *     thread                                              scheduler (sched_ext)
 *     request_job, request_value, then request
 *     one scheduling call: sched_yield, or one that sleeps ──► takes the request, posts the event
 *                                                         receipt, answered + 1, request = NONE; then decides
 *     runs on when its job is selected ◄──────────────── job, release_ns, ..., started + 1
 *
 * Rules:
 * 1. The thread writes `request` last, with a release store, and makes one scheduling call. A request that it has still
 *    when the call returns was not handed over: the call did not sleep, or no scheduler answers. It may be handed over
 *    by sched_yield, replaced, or withdrawn.
 * 2. A call that sleeps hands over COMPLETE and SUSPEND. Any other request stays until sched_yield, and the sleep is a
 *    BLOCK of the current job. So is a sleep without a request; with TAKT_SLOT_SLEEP_COMPLETES in `mode`, which others
 *    set for a thread that makes no requests, it is COMPLETE. So is a sleep whose request is refused: it is a BLOCK of the
 *    job that is current. The wake that ends a BLOCK is a WAKE.
 * 3. A thread is the entity's from its first wait on. While it has no current job it is not dispatched, whatever wakes
 *    it, and also after sched_yield. It runs when its next job is selected.
 *    An event-driven thread enters with the request ARRIVAL: it would not run to make it.
 * 4. A thread without a current job that wakes makes an ARRIVAL if `mode` has TAKT_SLOT_WAKE_ARRIVES, else nothing. If
 *    such a thread hands COMPLETE over by sched_yield and no job waits, its next event was there before it could
 *    sleep: the scheduler posts COMPLETE, then ARRIVAL. It also posts ARRIVAL when it ends the job of such a thread
 *    while that is runnable, so that the thread reaches its next call. A thread that gets its binding with
 *    TAKT_SLOT_SLEEP_COMPLETES counts as asleep until then.
 * 5. SUSPEND ends at `request_value`; the wake of the thread is no event.
 * 6. `job`, `waiting` and `next_release_ns` are written at decisions that name the entity, the last one last, by a release
 *    store; the thread reads it first. So it may be too early, and then a sleep ends at once; it never is the release
 *    after one that the thread does not know.
 * 7. If the scheduler ends a job, `job` changes with the next one, and a request that names the ended job is stale.
 * 8. `should_yield` is correct after each event of the domain, not only after those of this thread. It is 1 for
 *    non-preemptive jobs only: points have no effect on others.
 * 9. The scheduler reads only what the thread writes, and judges it: the memory is writable to the program.
 * 10. A job that is aborted while it suspends itself leaves its thread asleep. If the next job is selected meanwhile, its
 *    thread blocks it: BLOCK soon after it is selected, WAKE when the thread wakes. So it is with each thread that sleeps.
 * 11. CHANGE requests other parameters of the entity's task: those of `request_value` and of the three members behind
 *    `mode`. The allocator of the task decides; RECEIVED means admitted. It is handed over by sched_yield, within a job.
 *
 * Plain C without includes but <stdint.h>; a BPF program includes vmlinux.h before. */
#ifndef TAKT_LINUX_SLOT_H
#define TAKT_LINUX_SLOT_H

#ifndef __VMLINUX_H__
#include <stdint.h>
#endif

/* What a thread requests: the numbers of takt_event_kind_t. */
typedef enum takt_slot_request {
    TAKT_SLOT_NONE = 0,
    TAKT_SLOT_COMPLETE = 1,
    TAKT_SLOT_YIELD = 4,
    TAKT_SLOT_POINT = 6,
    TAKT_SLOT_SUSPEND = 8,
    TAKT_SLOT_ARRIVAL =
        9, /* of a thread with TAKT_SLOT_WAKE_ARRIVES and without a job, which did not sleep */
    TAKT_SLOT_LOCK = 10,
    TAKT_SLOT_UNLOCK = 11,
    TAKT_SLOT_CHANGE = 14,
} takt_slot_request_t;

/* A receipt beside those of takt_receipt_t: the allocator has rejected the parameters; nothing changes. */
enum { TAKT_SLOT_REJECTED = 6 };

/* The class of a thread whose slot is used: SCHED_EXT, which libraries of C do not name yet. */
enum { TAKT_SLOT_CLASS_EXT = 7 };

/* Bits of `mode`. */
enum {
    TAKT_SLOT_WAKE_ARRIVES = 1, /* what wakes the thread while it has no job is the arrival of one */
    TAKT_SLOT_SLEEP_COMPLETES =
        2, /* of a thread that makes no requests: what lets it sleep is the end of its job */
};

/* Bits of `state`. */
enum {
    TAKT_SLOT_ATTACHED =
        1, /* a scheduler answers this thread; cleared when it ends and when the thread leaves */
    TAKT_SLOT_HAS_JOB = 2, /* job number `job` is released and has not ended */
};

/* Instants are CLOCK_MONOTONIC in ns; 0: none. The first 64 bytes are written by the thread; the scheduler writes there
 * only `request`, with 0. The others are the scheduler's. */
typedef struct takt_linux_slot {
    uint32_t request; /* takt_slot_request_t */
    uint32_t request_job;
    /* LOCK, UNLOCK: number of the resource; SUSPEND: instant; CHANGE: period in ns; else 0. */
    uint64_t request_value;
    uint32_t mode;
    uint32_t request_weight;      /* CHANGE of a best-effort task: the weight */
    uint64_t request_deadline_ns; /* CHANGE: the relative deadline */
    uint64_t request_wcet_ns;     /* CHANGE of another one: the worst-case execution time */
    uint32_t unused_of_thread[6];

    uint32_t receipt;  /* takt_receipt_t, of the last request */
    uint32_t answered; /* requests answered so far */
    /* 1: an entity that is more urgent than the job's base priority waits for its point. */
    uint32_t should_yield;
    uint32_t job;       /* number of the current job; if there is none, of the last one */
    uint32_t is_missed; /* the deadline of the job had passed when it was last selected */
    uint32_t waiting;   /* jobs behind the current one */
    uint32_t started;   /* decisions that named this entity and not the one before */
    uint32_t state;
    uint64_t release_ns;  /* of the job */
    uint64_t deadline_ns; /* of the job */
    uint64_t
        next_release_ns; /* of the first job after those that are released, or an entry before; periodic tasks */
    uint32_t change;     /* one more than the number of the change whose parameters the job has; 0: none */
    uint32_t rate; /* of the task, in force, in units of 1 / 18018000 of the processor; 0: it has none */
} takt_linux_slot_t;

_Static_assert(sizeof(takt_linux_slot_t) == 128, "one slot is two cache lines");

#endif
