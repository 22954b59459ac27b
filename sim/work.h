/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Work: the rest of the current job of each task. Part of the simulator. */
#ifndef TAKT_SIM_WORK_H
#define TAKT_SIM_WORK_H

#include "sim/sim.h"
#include "system/work.h"

/* Item of a task whose jobs only run, always for the same time. */
#define TAKT_SIM_PLAIN UINT32_MAX

typedef struct takt_sim_work {
    takt_work_t at;         /* of the current job; its item is TAKT_SIM_PLAIN where jobs only run */
    takt_duration_t total;  /* its demand */
    takt_duration_t served; /* execution of all jobs so far */
    uint32_t job;           /* its number, or another one if the current job has not begun */
} takt_sim_work_t;

/* Before the first job of a task. */
void takt_sim_work_init(takt_sim_work_t *work, const takt_task_spec_t *spec);

/* Job `job` of `task` begins whose work is not plain. */
void takt_sim_work_begin_special(const takt_sim_t *sim, uint32_t task, uint32_t job);

/* Job `job` of `task` begins, unless it has begun already. */
TAKT_INLINE takt_sim_work_t *takt_sim_work_on(const takt_sim_t *sim, uint32_t task, uint32_t job) {
    takt_sim_work_t *work = &sim->work[task];
    if (work->job != job) {
        work->job = job;
        work->at.left = work->total;
        if (work->at.item != TAKT_SIM_PLAIN) {
            takt_sim_work_begin_special(sim, task, job);
        }
    }
    return work;
}

#endif
