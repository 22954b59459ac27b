/* Bodies and demands of work.h. */
#include "sim/work.h"

void takt_sim_work_init(takt_sim_work_t *work, const takt_task_spec_t *spec) {
    const bool is_plain = spec->demands == NULL && spec->body_count == 0;
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

void takt_sim_work_begin_special(const takt_sim_t *sim, uint32_t task, uint32_t job) {
    const takt_task_spec_t *spec = &sim->specs[task];
    takt_sim_work_t *work = &sim->work[task];
    if (spec->demands != NULL) {
        const takt_stream_key_t key = {sim->options.seed, task, TAKT_STREAM_DEMAND};
        work->total = takt_stream_at(spec->demands, key, job);
    }
    work->item = 0;
    find_milestone(work, spec, work->total);
}

takt_item_t takt_sim_work_pass(takt_sim_work_t *work, const takt_task_spec_t *spec) {
    const takt_item_t item = spec->body[work->item];
    work->item++;
    find_milestone(work, spec, work->after);
    return item;
}
