/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Dispatcher: the scheduler as a pure state machine. Its input is `now` and an event. Its output is a
 * decision: the entity to run, the processor, and the latest instant of the next call.
 *
 * Source: the dispatcher of Wang and Lin 1999 with the fixed order of SPEC.md, 2; rules 1 to 5 of DESIGN.md.
 *
 * How a platform calls it, callers serialised per dispatcher:
 *
 *     post(event)           an event occurred at event->now; may be repeated
 *     while (is_due(now)) { step(now); }
 *                           one due item per call; a kernel enables interrupts in between. Needed when
 *                           now >= the last decision's `until`, harmless otherwise. At least one step if the
 *                           running entity is charged, unless a post has charged it and it executes no more
 *     take(cpu)             the decision; the platform must carry it out
 *
 * All memory is the caller's and zeroed before the call, as static memory is.
 *
 * The dispatcher reads no clock, allocates nothing, has no global, and never learns a job's demand. Instants
 * passed in never decrease. A platform need not call before a decision's `until`. */
#ifndef TAKT_CORE_DISPATCHER_H
#define TAKT_CORE_DISPATCHER_H

#include "core/change.h"
#include "core/plain.h"
#include "core/server.h"
#include "core/trace.h"

TAKT_C_BEGIN

/* What one processor does. The record is the caller's memory. */
typedef struct takt_cpu {
    takt_entity_t *running; /* NULL when idle; a server while that idles on its own budget */
    /* 1 if a ready entity of its dispatcher is more urgent than the started job that runs is without its
     * threshold, as of the last take or point; else 0. */
    uint32_t should_yield;
    takt_instant_t charged_at; /* execution is charged to budgets up to here */
    /* Of the record with index i: the processor of rank i by urgency, see processors.c. */
    struct takt_cpu *in_order;
} takt_cpu_t;

/* Processors of one dispatcher, at most. */
#define TAKT_CPU_LIMIT 64u

typedef struct takt_decision {
    takt_entity_t *entity; /* the entity to run; NULL: idle; a server: idle, charged to its budget */
    takt_instant_t until;  /* step no later than this; earlier is legal */
    uint32_t cpu;
    uint32_t sequence; /* of the last event that this decision considers */
} takt_decision_t;

typedef enum takt_event_kind {
    TAKT_EVENT_COMPLETE = TAKT_RECORD_COMPLETE,
    TAKT_EVENT_BLOCK = TAKT_RECORD_BLOCK,
    TAKT_EVENT_WAKE = TAKT_RECORD_WAKE,
    TAKT_EVENT_YIELD = TAKT_RECORD_YIELD,
    TAKT_EVENT_TIME = TAKT_RECORD_STEP, /* a decision's `until` has come; for backends, not for post */
    TAKT_EVENT_POINT = TAKT_RECORD_POINT,
    TAKT_EVENT_OPTIONAL_POINT = TAKT_RECORD_OPTIONAL_POINT,
    TAKT_EVENT_SUSPEND = TAKT_RECORD_SUSPEND,
    TAKT_EVENT_ARRIVAL = TAKT_RECORD_ARRIVAL,
    TAKT_EVENT_LOCK = TAKT_RECORD_LOCK,
    TAKT_EVENT_UNLOCK = TAKT_RECORD_UNLOCK,
    TAKT_EVENT_ENTER = TAKT_RECORD_ENTER,
    TAKT_EVENT_LEAVE = TAKT_RECORD_LEAVE,
    TAKT_EVENT_CHANGE = TAKT_RECORD_CHANGE,
    TAKT_EVENT_WITHDRAW = TAKT_RECORD_WITHDRAW,
    TAKT_EVENT_PRIORITY = TAKT_RECORD_PRIORITY,
    TAKT_EVENT_CREATE = TAKT_RECORD_CREATE,
} takt_event_kind_t;

/* What an event is of, and what its value is:
 *
 *   kind                     entity                                          value
 *   complete, yield          the running one                                 when it should have been
 *   points                   the running one, started                        likewise
 *   suspend                  the running one, with an extension              until when, >= now
 *   lock, unlock             the running one, with an extension, or a        a resource of its dispatcher that it does
 *                            plain thread with `wait`                        not hold, or one that it holds; of a job
 *                                                                            the last one that it locked
 *   block                    a ready one                                     when it should have been
 *   wake                     a blocked one, not for a resource only          likewise
 *   create                   a thread just added, not ready                  likewise
 *   arrival                  of a task that is not periodic and has room     from when response and deadline count
 *   enter, leave             of a task with an allocation                    when it should have been
 *   change                   the one that it is of; NULL: the root           number of the change, not made yet
 *   withdraw                 one that waits for a resource, of a protocol    when it should have been
 *                            that is not among servers
 *   priority                 one that has a level (takt_entity_has_level)    the new level, one that its parent has
 *                            or, by TAKT_POLICY_OUTSIDE_KEYS, a level as key;
 *                            a plain thread under deadlines                  TAKT_LEVEL_IS_DEADLINE and the deadline
 *
 * When it should have been is recorded for people, and is <= now. Of a resource its number is recorded; those of a plain
 * thread are not among servers.
 *
 * A job that holds or awaits a resource neither suspends nor yields; a plain thread may. A job that awaits a resource, or
 * holds one that servers share, does not block. A job whose task has an allocation neither blocks nor suspends, because
 * its allocator would make it ready. */
typedef struct takt_event {
    takt_event_kind_t kind;
    takt_entity_t *entity;
    takt_instant_t now; /* observed */
    union {
        takt_instant_t nominal;
        takt_resource_t *resource;
    };
} takt_event_t;

/* True if a priority event may change the level of `entity`, which is no server. True for every plain thread. False for
 * a task with an allocation: its windows set the key. False for a task under computed keys: they contain no level. */
TAKT_INLINE bool takt_entity_has_level(const takt_entity_t *entity) {
    const takt_task_t *task = entity->task;
    return task == NULL ||
           (!takt_task_is_allocated(task) && entity->parent->ready.order == TAKT_ORDER_LEVELS);
}

/* Returns the level of `entity` that is compared with ceilings. The policy has levels; a plain thread has its own. */
TAKT_INLINE takt_key_t takt_entity_level(takt_entity_t *entity) {
    if (takt_entity_is_thread(entity)) {
        return takt_plain_level(takt_plain_of(entity));
    }
    return entity->parent->policy->level(takt_entity_job(entity));
}

/* Returns the kind of event that makes a change of `kind`, of `entity` or, if that is NULL, of the root. An allocator
 * begins and ends the jobs of its tasks: they enter and leave by a request to it. */
TAKT_INLINE takt_event_kind_t takt_event_of_change(const takt_entity_t *entity, takt_change_kind_t kind) {
    if (entity == NULL || !takt_task_is_allocated(entity->task) || kind == TAKT_CHANGE_PARAMETERS) {
        return TAKT_EVENT_CHANGE;
    }
    return kind == TAKT_CHANGE_ENTER ? TAKT_EVENT_ENTER : TAKT_EVENT_LEAVE;
}

/* True if `kind` is that of an event that takt_dispatcher_post takes. */
bool takt_event_is_kind(uint32_t kind);

TAKT_INLINE bool takt_event_is_lock(const takt_event_t *event) {
    return event->kind == TAKT_EVENT_LOCK || event->kind == TAKT_EVENT_UNLOCK;
}

TAKT_INLINE bool takt_event_is_point(const takt_event_t *event) {
    return event->kind == TAKT_EVENT_POINT || event->kind == TAKT_EVENT_OPTIONAL_POINT;
}

typedef struct takt_dispatcher {
    takt_server_t root;
    takt_cpu_t *cpus; /* caller's memory */
    uint16_t ncpu;    /* 1 .. TAKT_CPU_LIMIT; more than 1: see takt_dispatcher_take_next */
    uint16_t busy;    /* of them, those that run a job; 0 unless takt_dispatcher_take_next is called */
    uint32_t sequence;
    uint32_t unrecorded_steps;
    /* Number of exhausted budgets and expired timers, except TAKT_TIMER_WAKE and TAKT_TIMER_INSTANT_END;
     * modulo 2^32. */
    uint32_t expired;
    uint32_t releases; /* of these, jobs released or dropped */
    takt_instant_t stepped_at;
    takt_trace_t *trace;            /* NULL: nothing is recorded */
    takt_change_t *changes;         /* caller's memory */
    uint32_t blocked_removals;      /* entities found blocked when selected, and removed; modulo 2^32 */
    const struct takt_locks *locks; /* functions for resources, see locks.h; NULL: there are none */
} takt_dispatcher_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_dispatcher_t) <= 312,
               "a dispatcher is at most 312 bytes on a 32-bit machine");

/* Makes a dispatcher whose root is ordered by `policy`. `ready` (empty, of the policy's order) and
 * `rows` (see timers.h) are the caller's memory, as is `cpus`. */
void takt_dispatcher_init(takt_dispatcher_t *dispatcher, const takt_policy_t *policy,
                          const takt_ready_t *ready, takt_timers_row_t *rows, uint32_t order_rows,
                          uint32_t time_rows, takt_cpu_t *cpus, uint32_t ncpu);

/* Makes `server` an empty dispatcher of its own, ordered by `policy`; memory as in
 * takt_dispatcher_init. Then put it under its parent with takt_dispatcher_add_server. */
void takt_server_init(takt_server_t *server, const takt_policy_t *policy, const takt_ready_t *ready,
                      takt_timers_row_t *rows, uint32_t order_rows, uint32_t time_rows);

/* Static parameters of a server. */
typedef struct takt_server_parameters {
    const takt_server_kind_t *kind;
    takt_duration_t period;         /* >= 1 */
    takt_duration_t capacity;       /* 1 .. period */
    takt_instant_t offset;          /* first replenishment; before it the budget is 0 */
    takt_server_returns_t *returns; /* caller's memory, zeroed; if the kind has returns */
    takt_key_t level;               /* in its parent */
    uint32_t id;
} takt_server_parameters_t;

/* Puts `server` under `parent`, both initialised, before the system starts. Number servers before tasks:
 * at one instant, and among equal keys, the smaller number goes first. */
void takt_dispatcher_add_server(takt_server_t *server, takt_server_t *parent,
                                const takt_server_parameters_t *parameters);

/* Static parameters of a task. */
typedef struct takt_task_parameters {
    takt_duration_t period;            /* >= 1 */
    takt_duration_t relative_deadline; /* >= 1 */
    takt_duration_t wcet;              /* read by policies whose keys depend on it, else unused */
    takt_instant_t offset;             /* first release, if periodic */
    takt_key_t level;
    takt_task_class_t task_class;
    takt_key_t preemption_key; /* used if is_limited; TAKT_KEY_MOST_URGENT: non-preemptive */
    bool is_limited;
    uint32_t id;
    takt_task_extension_t *extension; /* caller's memory, with on_miss and the ring filled in; or NULL */
    bool is_absent;                   /* it waits for a change that lets it enter */
} takt_task_parameters_t;

/* Puts a task under `parent` before the system starts. It is periodic if it has no ring of arrivals; then
 * its period is >= 1. */
void takt_dispatcher_add_task(takt_task_t *task, takt_entity_t *entity, takt_server_t *parent,
                              const takt_task_parameters_t *parameters);

/* Puts a plain thread under `parent`, not ready: the first wake makes it so. Where keys order, the ready set of `parent`
 * has a tail with `level`. */
void takt_dispatcher_add_thread(takt_plain_t *thread, takt_server_t *parent, takt_key_t level, uint32_t id);

/* Enables resources. Call before the first lock: a program without this call is linked without the code
 * of locks. From now on the trace records takt_dispatcher_choose. */
void takt_dispatcher_expect_locks(takt_dispatcher_t *dispatcher);

/* Sets the table of possible changes, numbered from 0; caller's memory. Call before anything is put under the root.
 * None may change the root's policy if there are plain threads that are not always ready, preemption keys other
 * than TAKT_KEY_MOST_URGENT, or ceilings. */
void takt_dispatcher_set_changes(takt_dispatcher_t *dispatcher, takt_change_t *changes, uint32_t count);

/* Initialises resource `number` as free. `ceiling` is read if the protocol has one. The other one names the row, so that a
 * program may be linked without the table. */
void takt_resource_init(takt_resource_t *resource, uint32_t number, takt_protocol_t protocol,
                        takt_key_t ceiling);
void takt_resource_init_under(takt_resource_t *resource, uint32_t number, takt_protocol_t protocol,
                              const takt_protocol_kind_t *kind, takt_key_t ceiling);

/* Declares that `resource`, local to `server`, is shared with other servers of its parent. `among` is the parent's
 * resource for it, with the same protocol. `longest` is read under sirap: 1 .. capacity of `server`. All resources that
 * a server shares have one protocol; its other resources have srp. Its budget is replenished every period. */
void takt_resource_share(takt_resource_t *resource, takt_resource_t *among, takt_server_t *server,
                         takt_duration_t longest);

/* Records every call to `trace` from now on. Call before the first event. A platform that uses the inline
 * layer also sets TAKT_ATTRIBUTE_FULL_PASS on its entities, so that every event is posted here. */
TAKT_INLINE void takt_dispatcher_record_to(takt_dispatcher_t *dispatcher, takt_trace_t *trace) {
    dispatcher->trace = trace;
}

/* Charges execution, applies the event, handles exhausted budgets (steps 1, 2 and 4). An arrival or a task's change
 * only arms a timer; a step releases the job. A platform may therefore post these two while it executes its own
 * code. */
void takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event);

/* Charges execution up to `now`, handles exhausted budgets, then one due abort, replenishment, wake-up or release,
 * or moves one timer (steps 1, 4 to 7). Call again while takt_dispatcher_is_due. */
void takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* As calls of takt_dispatcher_step, one or more, until nothing is due at `now`. */
void takt_dispatcher_settle(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* True if a step has something to handle at `now`. */
TAKT_INLINE bool takt_dispatcher_is_due(const takt_dispatcher_t *dispatcher, takt_instant_t now) {
    return takt_timers_next(&dispatcher->root.timers) <= now;
}

/* Returns the entity to run without committing; a later take returns the same. With resources, the selection may
 * remove blocked entities from the ready set. It is therefore recorded. */
TAKT_MUST_USE takt_entity_t *takt_dispatcher_choose(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* Returns the processor that runs `entity`, a started or ready one; NULL if none does. O(processors). */
TAKT_INLINE takt_cpu_t *takt_dispatcher_cpu_of(const takt_dispatcher_t *dispatcher,
                                               const takt_entity_t *entity) {
    for (uint32_t i = 0; i < dispatcher->ncpu; i++) {
        if (dispatcher->cpus[i].running == entity) {
            return &dispatcher->cpus[i];
        }
    }
    return NULL;
}

/* Returns the decision (step 8) of the only processor. `now` is the instant of the last post or step, or later by the
 * platform's own execution since, which is charged to no budget. */
TAKT_MUST_USE takt_decision_t takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                                   uint32_t cpu);

/* In the place of take, if there are several processors; from the first decision on. Decides for one processor that
 * runs another job, or none, from `now` on. Returns false if nothing changes any more; then `decision` has the `until`
 * of all processors. A decision names a free processor, or one whose job it displaces. The decisions of one instant
 * name each processor at most once.
 *
 * Supported are tasks directly at the root that neither suspend nor lock nor have an allocation, preemptive or
 * non-preemptive, under a policy without `overtake`; events are completions of running jobs, and arrivals. */
TAKT_MUST_USE bool takt_dispatcher_take_next(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                             takt_decision_t *decision);

/* True if `cpu`, one of several, runs the current job of its entity. False from the job's end to the next decision. */
TAKT_INLINE bool takt_cpu_runs(const takt_cpu_t *cpu) {
    const uint32_t ready_and_active = TAKT_STATE_READY | TAKT_STATE_ACTIVE;
    return (cpu->running->state & ready_and_active) == TAKT_STATE_ACTIVE;
}

TAKT_C_END

#endif
