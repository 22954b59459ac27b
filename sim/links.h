/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Links: tasks that other tasks release. Part of the simulator.
 *
 *     a job of the source ends, or is at "release t" ---> every, first ---> delay ---> limit ---> join ---> a job arrives
 *
 * Source: models of precedence and event links, Tindell and Clark 1994, and MAST's event handlers. Left out: chains of data.
 *
 * An edge joins two tasks, which may be of two dispatchers, so links belong to all simulations of a machine. A job arrives in
 * core as any other that comes as an event, in the order of tasks at an instant (SPEC.md, 2). For what a limit counts,
 * each target has a copy of its unfinished jobs; a job whose deadline has passed is not among them if the task aborts it.
 *
 * Invariant: the jobs of a target are made in order, and job k of core is job k here. */
#ifndef TAKT_SIM_LINKS_H
#define TAKT_SIM_LINKS_H

#include "sim/arrivals.h"

/* Item of an edge whose events come at the ends of jobs. */
#define TAKT_LINK_AT_END UINT32_MAX

/* Limit of an edge without one. */
#define TAKT_LINK_UNLIMITED UINT64_MAX

/* An edge. Parts are numbers of simulations, tasks are indices into their specs. */
typedef struct takt_edge_spec {
    uint32_t source_part;
    uint32_t source;
    uint32_t item;    /* its events come at the items "release" of this number, or TAKT_LINK_AT_END */
    uint64_t every;   /* >= 1; of the events, counted from 1, those numbered first + k every pass */
    uint64_t first;   /* >= 1 */
    uint64_t initial; /* events that are delivered at 0 */
    uint64_t limit;   /* events that may wait, TAKT_LINK_UNLIMITED: all */
    bool replaces;    /* one more takes the place of the oldest; else it is lost */
    const takt_stream_t *delay; /* of those that pass, taken in turn; NULL: none */
} takt_edge_spec_t;

/* A task that others release. It is external, and no arrival that its spec lists comes in a run. */
typedef struct takt_target_spec {
    uint32_t part;
    uint32_t task;
    bool joins_any;          /* each event makes a job; else one event of each edge does */
    bool counts_from_origin; /* its deadlines count from the origin of the job; else from its arrival */
    takt_duration_t offset;  /* a job does not arrive before its origin plus this */
    takt_duration_t jitter;  /* a release is up to this after the arrival */
    const takt_edge_spec_t *edges;
    uint32_t edge_count; /* >= 1 */
} takt_target_spec_t;

typedef struct takt_links takt_links_t;

/* Links `count` simulations that have not run, which must outlive the links. Returns NULL if memory is short. The
 * caller's targets, edges and streams must outlive the links too. */
TAKT_MUST_USE takt_links_t *takt_links_create(takt_sim_t *const *sims, uint32_t count,
                                              const takt_target_spec_t *targets, uint32_t target_count);

void takt_links_destroy(takt_links_t *links);

/* Returns how many events edge `edge` of target `target` has lost. */
uint64_t takt_links_lost(const takt_links_t *links, uint32_t target, uint32_t edge);

/* The current job of `task` of `sim` has executed what comes before item `item` of its body: it sends the events of the
 * items there at `now`. */
void takt_links_reach(const takt_sim_t *sim, uint32_t task, uint32_t item, takt_instant_t now);

/* The current job of `task` of `sim` is complete at `now`, but core does not know yet. */
void takt_links_complete(const takt_sim_t *sim, uint32_t task, takt_instant_t now);

/* True if `source` is that of a task which others release. */
bool takt_links_has(const takt_sim_t *sim, const takt_sim_source_t *source);

/* Delivers what is due to the task of `source` at `now`, and passes its arrivals to core. False if memory is short. */
TAKT_MUST_USE bool takt_links_deliver(takt_sim_t *sim, const takt_sim_sinks_t *sinks,
                                      const takt_sim_source_t *source, takt_instant_t now);

/* Adapts the task of change number `index` of `sim`: it enters or leaves. Call after takt_sim_arrivals_change. */
void takt_links_change(const takt_sim_t *sim, uint32_t index);

/* Runs linked simulations as takt_sim_run does, in step: at one instant all completions come first. `sinks` and `traces`
 * of each simulation; `traces` and its members may be NULL. On several simulations their kernels take no time. */
void takt_links_run(takt_links_t *links, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                    takt_trace_t *const *traces);

#endif
