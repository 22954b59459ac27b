/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Application side: the records of a kernel whose scheduler is at a distance.
 *
 * The kernel reads core's records: entities, tasks, resources. At a distance they are the kernel's own, and say what its
 * own events and the decisions that it has carried out say: which threads were made ready, which job runs, what it
 * holds. Nothing else writes them, and no timer or ready set of them is used.
 *
 * Left out: a release that comes while a job runs is known only at the next decision. So takt_wait_next_period returns
 * ACTIVATION_MISSED only for what was released before. Mutexes of plain threads; see docs/explanation/remote.md. */
#ifndef TAKT_REMOTE_APPLICATION_H
#define TAKT_REMOTE_APPLICATION_H

#include "remote/message.h"

typedef struct takt_application {
    takt_entity_t **entities;   /* by number; caller's memory, of `limit` entries */
    uint32_t limit;             /* numbers that there can be */
    takt_resource_t *resources; /* in a row */
    uint32_t resource_count;
    const takt_change_t *changes; /* likewise */
    uint32_t posted;              /* events */
} takt_application_t;

/* An entity that a decision may name. Call for each one before the start; a thread is also known from its events. */
void takt_application_add(takt_application_t *application, takt_entity_t *entity);

/* `event` happens: writes what it says into the records. Returns the message for the scheduler side. */
TAKT_MUST_USE takt_message_t takt_application_post(takt_application_t *application,
                                                   const takt_event_t *event);

/* True if `answer` considers every event posted so far. */
TAKT_INLINE bool takt_application_accepts(const takt_application_t *application,
                                          const takt_answer_t *answer) {
    return answer->is_decision && answer->sequence == application->posted;
}

/* Writes what `answer`, which is to be carried out, says into the records and into `cpu`, the kernel's. Returns the
 * decision for the kernel. */
TAKT_MUST_USE takt_decision_t takt_application_carry_out(takt_application_t *application, takt_cpu_t *cpu,
                                                         const takt_answer_t *answer);

#endif
