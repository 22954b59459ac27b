/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Task: a stream of jobs.
 *
 * A job that is released before its predecessor has ended waits behind it. A periodic task's waiting
 * jobs are only counted, because their instants follow from their numbers. An extension, the caller's memory,
 * has what a plain periodic task does not need: jobs that arrive as events, suspension, resources, and the
 * handling of late jobs. The execution time of a job is not known here: completion is an event. */
#ifndef TAKT_CORE_TASK_H
#define TAKT_CORE_TASK_H

#include "core/policy.h"
#include "core/resource.h"
#include "core/timers.h"

/* What happens when a job misses its deadline; bits. */
typedef enum takt_on_miss {
    TAKT_ON_MISS_CONTINUE = 0,
    TAKT_ON_MISS_ABORT = 1, /* it ends at its deadline */
    TAKT_ON_MISS_SKIP = 2,  /* it continues; releases while it is unfinished are dropped */
    TAKT_ON_MISS_DROP = 3,  /* both: no job ever waits, even if deadlines are longer than periods */
} takt_on_miss_t;

/* A job of a task that is not periodic, between its arrival and its turn. Without a rule `deadline` is the instant from
 * which its relative deadline counts, and `tag` how many jobs right before it were dropped (source_after.h). */
typedef struct takt_arrival {
    takt_instant_t instant;  /* observed, or later: it is released then; see rule.h */
    takt_instant_t nominal;  /* response counts from here */
    takt_instant_t deadline; /* absolute */
    takt_key_t tag;          /* see takt_task_extension_t */
} takt_arrival_t;

struct takt_allocation;
struct takt_change;
struct takt_job_source;
struct takt_rule;
struct takt_task;

/* What a plain periodic task does not need. */
typedef struct takt_task_extension {
    struct takt_task *task;               /* whose it is */
    const struct takt_job_source *source; /* where its jobs come from; see source.h */
    /* Armed at the deadline of the current job if the job is aborted there; with an allocation the task's
     * second timer. */
    takt_timer_t expiry;
    takt_timer_t resume;      /* armed while the current job is suspended */
    takt_arrival_t *arrivals; /* caller's memory: a ring of jobs that wait, then of ones not yet released */
    uint32_t capacity;        /* of the ring, a power of two; 0: no jobs arrive as events */
    uint32_t first;           /* index of the oldest arrival */
    uint32_t count;           /* number of arrivals in the ring */
    uint32_t skipped;         /* releases dropped while the current job was unfinished */
    takt_on_miss_t on_miss;   /* what happens to late jobs */
    takt_resource_t *held;    /* by the current job, the last one that it locked */
    takt_lock_wait_t wait;    /* of the current job */
    takt_key_t threshold;     /* of a started job with one: its key if it held no resource */
    struct takt_allocation *allocation; /* begins and ends its jobs; NULL: the task does so itself */
    struct takt_change *last_change;    /* of those handed over; see change.h */
    struct takt_change *ahead;          /* the first one that its releases have not reached */
    struct takt_change *behind;         /* the first one that its jobs have not reached */
    const struct takt_change *adopted;  /* parameters of the current job; NULL: those it was added with */
    takt_duration_t period;             /* of a periodic task: from the last release to the next one */
    /* Gives its jobs, which arrive as events, their deadlines; NULL: nominal instant + relative deadline. */
    struct takt_rule *rule;
    takt_key_t tag; /* of the current job, as its rule gave it; read by policies that order by tags */
} takt_task_extension_t;

/* A stream of jobs. Private. */
typedef struct takt_task {
    takt_timer_t timer; /* next release */
    takt_entity_t *entity;
    takt_task_extension_t *extension;  /* NULL for a periodic task whose jobs all run to their end */
    takt_job_t job;                    /* the current job, or the next one if there is none */
    takt_duration_t relative_deadline; /* >= 1 */
    takt_duration_t wcet;              /* for policies that read job.remaining */
    uint32_t waiting;                  /* jobs that wait behind the current one */
    uint32_t base_tie;                 /* of the current job, without modifiers; see urgency.h */
    takt_key_t base_key;
    takt_key_t preemption_key; /* if TAKT_ATTRIBUTE_LIMITED: of a started job; see policy.h, start */
} takt_task_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_task_t) == 120, "a task is 120 bytes on a 32-bit machine");

/* Whether the task releases its jobs itself, one each period. */
TAKT_INLINE bool takt_task_is_periodic(const takt_task_t *task) {
    return task->extension == NULL || (task->extension->capacity == 0 && task->extension->allocation == NULL);
}

/* Whether an allocator begins and ends its jobs. */
TAKT_INLINE bool takt_task_is_allocated(const takt_task_t *task) {
    return task->extension != NULL && task->extension->allocation != NULL;
}

/* True if a job of `task` may be terminated: by its allocator, or at its deadline. */
TAKT_INLINE bool takt_task_may_be_ended(const takt_task_t *task) {
    return takt_task_is_allocated(task) ||
           (task->extension != NULL && (task->extension->on_miss & TAKT_ON_MISS_ABORT) != 0);
}

/* Whether the current job is released and unfinished. */
TAKT_INLINE bool takt_task_is_active(const takt_task_t *task) {
    return (task->entity->state & TAKT_STATE_ACTIVE) != 0;
}

/* Returns the number of the current job of the task of `entity`, or of the next one if there is none; 0 if there is no
 * entity, or it has no task. */
TAKT_INLINE uint32_t takt_entity_job_number(const takt_entity_t *entity) {
    return entity != NULL && entity->task != NULL ? entity->task->job.number : 0u;
}

/* Whether one more arrival fits into the ring of `task`, which is not periodic. */
TAKT_INLINE bool takt_task_has_room(const takt_task_t *task) {
    return task->extension->count < task->extension->capacity;
}

/* The `index`th entry of the ring, 0 = the oldest. */
TAKT_INLINE takt_arrival_t *takt_task_arrival(const takt_task_extension_t *extension, uint32_t index) {
    return &extension->arrivals[(extension->first + index) & (extension->capacity - 1u)];
}

#endif
