/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Change: new parameters of a task, its entry or exit, or a new policy of the root, while the system runs. The
 * records are the caller's memory, each handed over once, by an event with its number.
 *
 * Source: rule 9 of DESIGN.md; SPEC.md, 12. A task's changes form a list in the order in which they were handed
 * over. The task has two positions in it: `ahead` for its releases, `behind` for its jobs. They differ by the jobs
 * that wait: each keeps the parameters in force at its release. A change is therefore only appended, and the next
 * release is rearmed.
 *
 *   handed over --> ahead: its releases reach it --> behind: the first job of such a release begins
 *
 * A task with an allocation is changed by its allocator, which may reject the request. Its list has only parameters,
 * handed over when they come into force.
 *
 * A change of the policy moves all ready children of the root at once: O(n log n). */
#ifndef TAKT_CORE_CHANGE_H
#define TAKT_CORE_CHANGE_H

#include "core/server.h"

TAKT_C_BEGIN

typedef enum takt_change_kind {
    TAKT_CHANGE_LEAVE = 0,      /* no more releases */
    TAKT_CHANGE_ENTER = 1,      /* releases again */
    TAKT_CHANGE_PARAMETERS = 2, /* of all jobs released from then on */
    TAKT_CHANGE_POLICY = 3,     /* of the root */
} takt_change_kind_t;

typedef struct takt_change {
    struct takt_change *next; /* of the same task, handed over after this one */
    takt_entity_t *entity;    /* of the task, which has an extension; NULL: the root */
    takt_instant_t instant;   /* handed over at; not before that of an earlier one */
    takt_duration_t first;    /* enter, of a periodic task: from then to the first release */
    takt_duration_t period;   /* this and what follows: parameters; see takt_task_parameters_t */
    takt_duration_t relative_deadline;
    takt_duration_t wcet;
    takt_key_t level;            /* of a policy: of plain threads, where it has levels */
    uint64_t weight;             /* for allocators that share by weights */
    const takt_policy_t *policy; /* the new one, and an empty set of its order with room for all children */
    takt_ready_t ready;
    takt_task_class_t task_class;
    takt_change_kind_t kind;
    bool is_handed_over;
} takt_change_t;

/* Returns the next release of a periodic task: `candidate`, or the one that `change` and its successors make of it;
 * TAKT_NEVER if no release is known. */
takt_instant_t takt_change_next_release(const takt_change_t *change, takt_instant_t candidate);

/* Advances `place` to the first change after `instant`. Returns the last parameters passed, or `parameters`. */
const takt_change_t *takt_change_pass(takt_change_t **place, takt_instant_t instant,
                                      const takt_change_t *parameters);

/* ---- what the dispatcher calls ---- */

/* Appends `change` to those of `task`, in force from `now`. */
void takt_change_hand_over(takt_task_t *task, takt_change_t *change, takt_instant_t now);

/* Rearms the next release of `task`, which is periodic, after a change was handed over at `now`. */
void takt_change_rearm_release(takt_task_t *task, takt_instant_t now);

/* Arms the next release of `task`, which is periodic, has an extension and no armed release: at `candidate`,
 * unless changes say otherwise. */
void takt_change_arm_release(takt_task_t *task, takt_instant_t candidate);

/* Puts the changes up to `instant` in force: a job of `task` released then is about to become the current one. The
 * task has changes that its jobs have not reached. */
void takt_change_adopt(takt_task_t *task, takt_instant_t instant);

/* Orders the ready children of `root` by the policy of `change` from now on. */
void takt_change_policy(takt_server_t *root, takt_change_t *change);

TAKT_C_END

#endif
