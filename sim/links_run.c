/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The loop of linked simulations; see links.h.
 *
 * All simulations are at one instant: the earliest at which any of them may cause an event. There all completions come
 * first, because they send events to the others; then each simulation that has an event decides. */
#include "sim/linked.h"
#include "sim/run.h"

#include <stdlib.h>

/* A simulation in the loop. */
typedef struct stepped {
    takt_run_t run;
    const takt_step_platform_t *by;
    takt_instant_t start; /* executed up to here */
} stepped_t;

static takt_instant_t next_instant(stepped_t *all, uint32_t count) {
    takt_instant_t next = TAKT_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        next = takt_least_of(next, all[i].by->next(&all[i].run, all[i].start));
    }
    return next;
}

static void decide(stepped_t *each, takt_instant_t now) {
    each->start = now;
    if (each->by->is_due(&each->run)) {
        each->start = each->by->platform.decide(&each->run);
    }
}

/* Returns false if the runs have to end early. */
static bool may_continue(const takt_links_t *links, stepped_t *all, takt_instant_t now) {
    bool may = !links->is_short_of_memory;
    for (uint32_t i = 0; i < links->sim_count; i++) {
        may = may && !all[i].run.sim->is_short_of_memory &&
              takt_sim_is_wanted(all[i].run.sim, &all[i].run.sinks, now);
    }
    return may;
}

static void run_all(const takt_links_t *links, stepped_t *all, takt_instant_t horizon) {
    const uint32_t count = links->sim_count;
    takt_instant_t now = 0;
    do {
        now = next_instant(all, count);
        for (uint32_t i = 0; i < count; i++) {
            all[i].run.step_end = now;
            all[i].by->platform.execute(&all[i].run, all[i].start);
        }
        for (uint32_t i = 0; i < count && now < horizon; i++) {
            all[i].by->complete(&all[i].run);
        }
        for (uint32_t i = 0; i < count && now < horizon; i++) {
            decide(&all[i], now);
        }
    } while (now < horizon && may_continue(links, all, now));
    for (uint32_t i = 0; i < count && now >= horizon; i++) {
        all[i].by->platform.end(&all[i].run);
    }
}

static bool begin(stepped_t *each, takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace) {
    const bool has_begun = takt_run_begin(&each->run, sim, horizon, sinks, trace);
    each->by =
        sim->system.is_global ? takt_run_step_processors(&each->run) : takt_run_step_processor(&each->run);
    each->run.platform = each->by != NULL ? &each->by->platform : NULL;
    return has_begun && each->by != NULL;
}

void takt_links_run(takt_links_t *links, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                    takt_trace_t *const *traces) {
    stepped_t *all = calloc(links->sim_count, sizeof *all);
    bool has_begun = all != NULL;
    for (uint32_t i = 0; all != NULL && i < links->sim_count; i++) {
        has_begun &= begin(&all[i], links->sims[i], horizon, &sinks[i], traces != NULL ? traces[i] : NULL);
    }
    if (has_begun) {
        run_all(links, all, horizon);
    }
    links->sims[0]->is_short_of_memory |= !has_begun || links->is_short_of_memory;
    for (uint32_t i = 0; all != NULL && i < links->sim_count; i++) {
        takt_run_end(&all[i].run);
    }
    free(all);
}
