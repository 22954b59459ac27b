/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What is rare in a run, whatever its platform; see run.h. */
#include "sim/run.h"

#include "sim/links.h"

/* ---- arrivals and changes ----------------------------------------------------------------------------- */

/* Change number `index` of a task. */
TAKT_RARE static void post_change(takt_run_t *run, uint32_t index, takt_instant_t now) {
    const takt_change_spec_t *change = &run->sim->changes[index];
    takt_entity_t *entity = takt_system_entity_of(&run->sim->system, change->task);
    const takt_event_kind_t kind = takt_event_of_change(entity, change->kind);
    const takt_event_t event = {kind, entity, now, {kind == TAKT_EVENT_CHANGE ? index : now}};
    takt_sim_arrivals_change(run->sim, index);
    if (run->sim->links != NULL) {
        takt_links_change(run->sim, index);
    }
    takt_run_post(run, &event);
}

/* Posted at once, even while the kernel works; a change of the policy waits until it does not. */
TAKT_RARE static void post_change_of(takt_run_t *run, takt_sim_source_t *source,
                                     const takt_arrival_t *arrival, takt_instant_t until) {
    if (source->task == TAKT_SIM_CHANGES) {
        post_change(run, (uint32_t)arrival->nominal, arrival->instant);
    } else if (run->costs.busy_until > until) {
        takt_sim_arrivals_put_off(run->sim, source, run->costs.busy_until);
    } else {
        takt_run_post(run, &(takt_event_t){TAKT_EVENT_CHANGE, NULL, until, {arrival->nominal}});
    }
}

TAKT_RARE static void end_short_of_memory(takt_run_t *run) {
    run->sim->is_short_of_memory = true;
    run->horizon = 0;
}

TAKT_RARE void takt_run_post_due(takt_run_t *run, takt_instant_t until) {
    takt_arrival_t arrival;
    takt_sim_source_t *source;
    while ((source = takt_sim_arrivals_take(run->sim, until, &arrival)) != NULL) {
        takt_system_t *system = &run->sim->system;
        if (source->task >= TAKT_SIM_POLICIES) {
            post_change_of(run, source, &arrival, until);
            continue;
        }
        if (takt_links_has(run->sim, source)) {
            run->now = arrival.instant;
            if (!takt_links_deliver(run->sim, &run->sinks, source, arrival.instant)) {
                end_short_of_memory(run);
                return;
            }
            continue;
        }
        if (!takt_system_reserve(system, source->task)) {
            end_short_of_memory(run);
            return;
        }
        takt_entity_t *entity = takt_system_entity_of(system, source->task);
        takt_run_post(run, &(takt_event_t){TAKT_EVENT_ARRIVAL, entity, arrival.instant, {arrival.nominal}});
    }
}

/* ---- segments and the end -------------------------------------------------------------------------------- */

void takt_run_extend_segment(takt_run_t *run, const takt_sim_segment_t *next) {
    takt_sim_segment_t *segment = &run->segment;
    if (segment->end == next->start && segment->task == next->task && segment->job == next->job) {
        segment->end = next->end;
        return;
    }
    if (run->sinks.segment != NULL && segment->end > segment->start) {
        run->sinks.segment(run->sinks.context, segment->start, segment->end, 0, segment->task, segment->job);
    }
    *segment = *next;
}

void takt_run_end_at(takt_run_t *run, takt_instant_t seen) {
    if (run->event.kind == TAKT_EVENT_COMPLETE) {
        takt_run_post(run, &run->event);
    }
    takt_run_extend_segment(run, &(takt_sim_segment_t){TAKT_NEVER, TAKT_NEVER, 0, 0});
    if (run->sim->system.rates != NULL) {
        takt_sim_report_rated_end(run->sim, &run->sinks, run->horizon);
    } else {
        takt_sim_report_end(run->sim, &run->sinks, run->horizon, seen);
    }
}
