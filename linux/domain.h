/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Domain: the scheduler of one processor under Linux, in one block of memory that the kernel and the daemon share.
 *
 *     takt_domain_build(memory, bytes, order)   the daemon, once
 *
 *     takt_domain_post(event)                   the kernel: an event of a thread
 *     takt_domain_peek(now)                     handles what is due; the entity that would run
 *     takt_domain_take(now)                     a thread begins to run: the decision takes effect
 *     takt_domain_next()                        call peek no later than this
 *
 *     takt_domain_end(now)                      the daemon, after the last of these calls: closes the log
 *
 * It is a scheduler at a distance (remote/scheduler.h): jobs run elsewhere, an event names its job, and a decision takes
 * effect when it is taken. The image's inputs, which are arrivals and changes, are posted by peek, after the events of jobs
 * and before timers, as on boards.
 *
 * All functions have numbers as arguments, because the same code is called from BPF. `domain` is the address of a
 * takt_domain_t. Callers are serialised, in the kernel by the lock of the processor's run queue. An instant before the last
 * one counts as the last one.
 *
 * Nothing that a thread can send breaks the domain: takt_domain_post judges it, and answers with a receipt. The thread of a
 * selected job can be absent all the same; then the caller posts BLOCK or, if that is refused, takes the decision and
 * posts COMPLETE in time.
 *
 * Source: docs/explanation/remote.md. When not to use it: where core can be called directly; see core/dispatcher.h. */
#ifndef TAKT_LINUX_DOMAIN_H
#define TAKT_LINUX_DOMAIN_H

#include "remote/scheduler.h"
#include "system/check.h"

/* ---- building ----------------------------------------------------------------------------------------- */

/* X(constant, message): what became of a domain that was to be built. */
#define TAKT_DOMAIN_STATUSES(X)                                                        \
    X(OK, "done")                                                                      \
    X(MEMORY, "too little memory for the task set")                                    \
    X(IMAGE, "the image cannot be read")                                               \
    X(RELATION, "the image contradicts itself")                                        \
    X(NOT_REMOTE, "the image is of a scheduler that stands where the jobs run")        \
    X(DELAYS, "the image has delays of messages; under Linux they are what they are")  \
    X(COSTS, "the image has costs of a simulated kernel; Linux has its own")           \
    X(ARCHITECTURE, "the image has a simulated architecture; Linux is one of its own") \
    X(THREADS, "the image has plain threads; under Linux those are of the fair class") \
    X(RECORDS, "the log has room for 1 to 2^32 - 1 records, the closing one included")

#define TAKT_DOMAIN_STATUS(constant, message) TAKT_DOMAIN_##constant,
typedef enum takt_domain_status { TAKT_DOMAIN_STATUSES(TAKT_DOMAIN_STATUS) } takt_domain_status_t;
#undef TAKT_DOMAIN_STATUS

/* The message of `status`, for people. Never NULL. */
const char *takt_domain_message(takt_domain_status_t status);

/* What is to be built, and what became of it. */
typedef struct takt_domain_order {
    const uint64_t *words; /* an image (system/image.h) with is_remote; must outlive the domain */
    uint64_t count;        /* words */
    uint64_t records;      /* of the log, the closing one included */
    /* answers */
    uint64_t bytes;            /* of memory: used, or known to be needed */
    takt_image_status_t image; /* of status IMAGE */
    takt_relation_t relation;  /* of status RELATION: the first one that is broken */
    takt_place_t place;        /* of both, in the image */
} takt_domain_order_t;

/* Builds a domain at `memory`, which has `bytes` bytes, zeroed and aligned to 16, from the takt_domain_order_t at `order`.
 * Returns takt_domain_status_t. After MEMORY, order->bytes says how much is needed at least. It is exact from the second
 * such answer on, because what the system needs is known only when the image is read. */
uint64_t takt_domain_build(uint64_t memory, uint64_t bytes, uint64_t order);

/* ---- the domain --------------------------------------------------------------------------------------- */

/* The trace as a row of records. At the horizon of the image it ends, as on boards. */
typedef struct takt_log {
    takt_trace_t trace;
    takt_record_t *records;
    uint64_t limit;         /* records without the closing one */
    uint64_t written;       /* of them, so far */
    uint64_t lost;          /* records without room; from the first one on all are */
    takt_instant_t lost_at; /* of the first one */
    takt_instant_t horizon;
    bool has_ended; /* the horizon has passed, or the closing record is written */
} takt_log_t;

typedef struct takt_domain {
    takt_scheduler_t scheduler;
    takt_answer_t answer; /* the last decision in full */
    /* As of the last peek: another entity or another job would run than that decision says. */
    bool is_outdated;
    takt_instant_t now;        /* the last instant */
    uint32_t next_input;       /* the first input of the image that is not posted */
    uint32_t refused;          /* inputs of the image that were not received */
    takt_receipt_t refused_as; /* of the last one of them */
    uint32_t first_request;    /* the first row for requests; see negotiation.h */
    uint32_t requested;        /* rows that are filled in */
    takt_log_t log;
    takt_program_t program;
    takt_system_t system;
} takt_domain_t;

/* An event of `entity` at `now`. `kind` is a takt_event_kind_t, above the number of the entity; `job` and `value` are those
 * of takt_message_t. Returns takt_receipt_t, never AHEAD. An event that the thread of a task requests itself has
 * TAKT_DOMAIN_OF_THREAD added; one that no thread may request, such as a new priority, is UNKNOWN. The value of a CHANGE
 * of a thread is the address of a takt_demand_t, which the caller has written; TAKT_DOMAIN_REJECTED is an answer to it. */
uint64_t takt_domain_post(uint64_t domain, uint64_t kind_and_entity, uint64_t job, uint64_t value,
                          uint64_t now);

#define TAKT_DOMAIN_KIND_SHIFT 32
#define TAKT_DOMAIN_OF_THREAD (UINT64_C(1) << 63)
#define TAKT_DOMAIN_REJECTED 6u /* as TAKT_SLOT_REJECTED */

/* Handles what is due at `now`. Returns the number of the entity whose job would run, TAKT_NO_ENTITY for none: nothing is
 * ready, or a server idles at its cost. If domain->is_outdated is set, the decision is to be taken: when that job begins to run; if
 * none would run, when the last one has stopped; if the same one runs on, at once. This also holds from none to none,
 * because a server that idles pays. */
uint64_t takt_domain_peek(uint64_t domain, uint64_t now);

/* The parts of a peek: handles what is due, and returns as takt_domain_next; selects. A selection has TAKT_DOMAIN_OUTDATED added if the
 * decision is to be taken. */
uint64_t takt_domain_pass(uint64_t domain, uint64_t now);
uint64_t takt_domain_selected(uint64_t domain);

#define TAKT_DOMAIN_OUTDATED (UINT64_C(1) << 32)

/* Takes the decision, in force from `now` on. Returns as takt_domain_peek; domain->answer has the decision in full. An
 * input that is due since the last peek is posted by the next one. A lock that waited for its budget is applied here;
 * domain->scheduler.last is its receipt.
 *
 * If the thread of the job is gone, take the decision nevertheless and post COMPLETE at once: then the job holds no
 * resource, and no other job waits for it. One that was blocked needs a WAKE before. */
uint64_t takt_domain_take(uint64_t domain, uint64_t now);

/* The parts of a take. Settle charges execution up to `now` and handles what is due. Commit takes the decision, in force from
 * `now` on; what has passed since the settle is charged to no budget, so that it may be time in which another class of the
 * kernel had the processor. No event between the two has been posted. Commit returns 1, or 0 if the decision was dropped
 * because a lock waited for its budget: settle and commit again. */
uint64_t takt_domain_settle(uint64_t domain, uint64_t now);
uint64_t takt_domain_commit(uint64_t domain, uint64_t now);

/* Returns the instant of the next peek at the latest; TAKT_NEVER for never. It can be due already after a decision. */
uint64_t takt_domain_next(uint64_t domain);

/* What is known of an entity; bits. */
enum {
    TAKT_DOMAIN_HAS_JOB = 1u << 0,    /* its current job is released and unfinished */
    TAKT_DOMAIN_READY = 1u << 1,      /* the job competes for the processor */
    TAKT_DOMAIN_BLOCKED = 1u << 2,    /* a BLOCK took the job out, and a WAKE is awaited */
    TAKT_DOMAIN_RUNS = 1u << 3,       /* the last decision names this job */
    TAKT_DOMAIN_YIELDS = 1u << 4,     /* and the job should yield at its next preemption point */
    TAKT_DOMAIN_PERIODIC = 1u << 5,   /* its jobs are released by time, not by arrivals */
    TAKT_DOMAIN_HAS_POINTS = 1u << 6, /* its jobs are non-preemptive, so that their points are events */
};

/* Returns the bits of `entity`; 0 if that is no task. */
uint64_t takt_domain_state(uint64_t domain, uint64_t entity);

/* Likewise of the entity of a task. */
uint64_t takt_domain_state_of(const takt_domain_t *domain, takt_entity_t *entity);

/* Returns the instant of the next release of `entity`, or of its entry by the image if that is before; TAKT_NEVER if none is
 * known: it has to arrive or to enter first, or is no task. */
uint64_t takt_domain_next_release(uint64_t domain, uint64_t entity);

/* Likewise of the entity of a task. */
takt_instant_t takt_domain_next_release_of(const takt_domain_t *domain, const takt_entity_t *entity);

/* Returns the first instant before `release` at which the image has `entity` enter, after it has left; `release` for none. */
takt_instant_t takt_domain_entry_before(const takt_domain_t *domain, const takt_entity_t *entity,
                                        takt_instant_t release);

/* Returns the instant of the first input of the image that is not posted; TAKT_NEVER for none. */
takt_instant_t takt_domain_next_input(const takt_domain_t *domain);

/* Closes the log, which was recorded up to `now`, by a record of kind END or, if records were lost, OVERFLOW. Returns the
 * number of records with it. Nothing is recorded afterwards. */
uint64_t takt_domain_end(uint64_t domain, uint64_t now);

#endif
