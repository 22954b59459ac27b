/* Work: what the current job of each task still has to do. Part of the simulator. */
#ifndef TAKT_SIM_WORK_H
#define TAKT_SIM_WORK_H

#include "sim/sim.h"

/* Item of a task whose jobs only run, always for the same time. */
#define TAKT_SIM_PLAIN UINT32_MAX

typedef struct takt_sim_work {
    takt_duration_t left;   /* to be executed until the next milestone: an item of the body, or the end */
    takt_duration_t after;  /* of its demand, beyond that milestone; 0: it is the end */
    takt_duration_t total;  /* its demand */
    takt_duration_t served; /* what all jobs so far have executed */
    uint32_t job;           /* its number, or another one if the current job has not begun */
    uint32_t item;          /* the first item of the body that it has not begun */
} takt_sim_work_t;

/* Before the first job of a task. */
void takt_sim_work_init(takt_sim_work_t *work, const takt_task_spec_t *spec);

/* Job `job` of `task` begins whose work is not plain. */
void takt_sim_work_begin_special(const takt_sim_t *sim, uint32_t task, uint32_t job);

/* Whether the milestone that has been reached, which is not the end, is a lock. */
TAKT_INLINE bool takt_sim_work_is_lock(const takt_sim_work_t *work, const takt_task_spec_t *spec) {
    return spec->body[work->item].kind == TAKT_ITEM_LOCK;
}

/* The item at the milestone that has been reached, which is not the end; goes on to the next milestone. */
takt_item_t takt_sim_work_pass(takt_sim_work_t *work, const takt_task_spec_t *spec);

/* Job `job` of `task` begins, unless it has begun already. */
TAKT_INLINE takt_sim_work_t *takt_sim_work_on(const takt_sim_t *sim, uint32_t task, uint32_t job) {
    takt_sim_work_t *work = &sim->work[task];
    if (work->job != job) {
        work->job = job;
        work->left = work->total;
        if (work->item != TAKT_SIM_PLAIN) {
            takt_sim_work_begin_special(sim, task, job);
        }
    }
    return work;
}

#endif
