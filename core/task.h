/* Task: a stream of jobs, one released every period.
 *
 * A job that is released before its predecessor has completed waits behind it; a periodic task's
 * waiting jobs are only counted, because their instants follow from their numbers. How long a job
 * runs is not known here: completion is an event. */
#ifndef TAKT_CORE_TASK_H
#define TAKT_CORE_TASK_H

#include "core/policy.h"
#include "core/timers.h"

typedef struct takt_task {
    takt_timer_t timer; /* next release */
    takt_entity_t *entity;
    takt_duration_t period;            /* >= 1 */
    takt_duration_t relative_deadline; /* >= 1 */
    takt_job_t job;                    /* the current job, or the last one that completed */
    takt_key_t preemption_key;         /* if TAKT_ATTRIBUTE_LIMITED: the key of a started job */
    uint32_t waiting;                  /* jobs that wait behind the current one */
} takt_task_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_task_t) == 96, "a task is 96 bytes on a 32-bit machine");

#endif
