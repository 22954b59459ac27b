/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demands of work.h. */
#include "sim/work.h"

void takt_sim_work_init(takt_sim_work_t *work, const takt_task_spec_t *spec) {
    const bool is_plain = spec->demands == NULL && spec->body_count == 0 && !spec->changes;
    work->total = spec->demand;
    work->job = UINT32_MAX;
    work->at.item = is_plain ? TAKT_SIM_PLAIN : 0;
}

/* Returns the demand of job `job`; `constant` if there are no `demands`. */
static takt_duration_t demand_of(const takt_sim_t *sim, uint32_t task, uint32_t job, takt_duration_t constant,
                                 const takt_stream_t *demands) {
    const takt_stream_key_t key = {sim->options.seed, task, TAKT_STREAM_DEMAND};
    return demands != NULL ? takt_stream_at(demands, key, job) : constant;
}

/* Returns the change whose parameters the current job of `task` has; NULL: it has those of the spec. */
static const takt_change_spec_t *change_of(const takt_sim_t *sim, uint32_t task) {
    const takt_task_extension_t *extension = sim->system.tasks[task].extension;
    if (extension == NULL || extension->adopted == NULL) {
        return NULL;
    }
    return &sim->changes[extension->adopted - sim->system.changes];
}

void takt_sim_work_begin_special(const takt_sim_t *sim, uint32_t task, uint32_t job) {
    const takt_task_spec_t *spec = &sim->specs[task];
    const takt_change_spec_t *change = change_of(sim, task);
    takt_sim_work_t *work = &sim->work[task];
    work->total = change != NULL ? demand_of(sim, task, job, change->demand, change->demands)
                                 : demand_of(sim, task, job, spec->demand, spec->demands);
    takt_work_begin(&work->at, spec, work->total);
}
