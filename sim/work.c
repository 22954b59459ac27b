/* Bodies and demands of work.h. */
#include "sim/work.h"

void takt_sim_work_init(takt_sim_work_t *work, const takt_task_spec_t *spec) {
    const bool is_plain = spec->demands == NULL && spec->body_count == 0 && !spec->changes;
    work->total = spec->demand;
    work->job = UINT32_MAX;
    work->item = is_plain ? TAKT_SIM_PLAIN : 0;
}

/* Whether nothing but unlocking comes from `item` on: the end of a job does that. */
static bool is_at_end(const takt_task_spec_t *spec, uint32_t item) {
    while (item < spec->body_count && spec->body[item].kind == TAKT_ITEM_UNLOCK) {
        item++;
    }
    return item >= spec->body_count;
}

/* Takes the runs that come next together; what the demand has beyond the last one extends it. */
static void find_milestone(takt_sim_work_t *work, const takt_task_spec_t *spec, takt_duration_t remaining) {
    takt_duration_t run = 0;
    while (work->item < spec->body_count && spec->body[work->item].kind == TAKT_ITEM_RUN) {
        run += spec->body[work->item].ticks;
        work->item++;
    }
    const bool is_last = run >= remaining || is_at_end(spec, work->item);
    work->left = is_last ? remaining : run;
    work->after = remaining - work->left;
}

/* The demand of job `job`, which is `constant` if there are no `demands`. */
static takt_duration_t demand_of(const takt_sim_t *sim, uint32_t task, uint32_t job, takt_duration_t constant,
                                 const takt_stream_t *demands) {
    const takt_stream_key_t key = {sim->options.seed, task, TAKT_STREAM_DEMAND};
    return demands != NULL ? takt_stream_at(demands, key, job) : constant;
}

/* The change whose parameters the current job of `task` has; NULL: it has those of the spec. */
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
    work->item = 0;
    find_milestone(work, spec, work->total);
}

takt_item_t takt_sim_work_pass(takt_sim_work_t *work, const takt_task_spec_t *spec) {
    const takt_item_t item = spec->body[work->item];
    work->item++;
    find_milestone(work, spec, work->after);
    return item;
}
