/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks whose subjobs form graphs without cycles: FPDS with control flow.
 *
 * Source: the extension that Bergsma et al. 2009 leave to the future; each job of the active period
 * but the last takes the longest way, and the last any. So the response is the greatest over all nodes v without
 * successors, each with the longest way to v as path and v as last region; another way to v only begins v earlier. Less
 * urgent tasks block by their longest node.
 *
 * The longest way to v is the greatest over its predecessors, plus v: a fixed point, reached after at most as many
 * passes over all edges as a way has nodes. If it still grows then, the graph has a cycle.
 *
 * Left out: conditions that exclude a way, nodes that preempt each other, budgets per node. */
#include "analysis/control_flow.h"

typedef enum growth { STAYED, GREW, TOO_LONG } growth_t;

static uint32_t node_count(const takt_graphs_t *graphs) { return graphs->first[graphs->count]; }

/* Extends the longest paths by one edge. */
static growth_t extend_paths(const takt_graphs_t *graphs, takt_duration_t *paths) {
    growth_t growth = STAYED;
    for (uint32_t e = 0; e < graphs->edge_count; e++) {
        const takt_edge_t edge = graphs->edges[e];
        const takt_duration_t way = paths[edge.from] + graphs->wcets[edge.to];
        if (way > paths[edge.to]) {
            paths[edge.to] = way;
            growth = GREW;
        }
        if (way > TAKT_ANALYSIS_TIME_MAX) {
            return TOO_LONG;
        }
    }
    return growth;
}

static takt_graphs_status_t find_paths(const takt_graphs_t *graphs, takt_duration_t *paths,
                                       takt_effort_t *effort) {
    growth_t growth = GREW;
    for (uint32_t v = 0; v < node_count(graphs); v++) {
        paths[v] = graphs->wcets[v];
    }
    for (uint32_t passes = 0; growth == GREW && passes <= node_count(graphs); passes++) {
        growth = takt_effort_step(effort) ? extend_paths(graphs, paths) : TOO_LONG;
    }
    return growth == STAYED ? TAKT_GRAPHS_MEASURED
           : growth == GREW ? TAKT_GRAPHS_CYCLIC
                            : TAKT_GRAPHS_UNDECIDED;
}

static bool has_successor(const takt_graphs_t *graphs, uint32_t node) {
    uint32_t e = 0;
    while (e < graphs->edge_count && graphs->edges[e].from != node) {
        e++;
    }
    return e < graphs->edge_count;
}

/* Inserts an end in order; returns the number of ends. */
static uint32_t insert_end(takt_fp_end_t *ends, uint32_t count, takt_fp_end_t end) {
    uint32_t at = count;
    for (; at > 0 && ends[at - 1u].path - ends[at - 1u].last > end.path - end.last; at--) {
        ends[at] = ends[at - 1u];
    }
    ends[at] = end;
    return count + 1u;
}

static void measure_task(const takt_graphs_t *graphs, uint32_t task, const takt_duration_t *paths,
                         const takt_flow_t *flow) {
    takt_fp_end_t *ends = flow->ends + flow->end_first[task];
    uint32_t count = 0;
    flow->wcets[task] = 0;
    flow->longest[task] = 0;
    for (uint32_t v = graphs->first[task]; v < graphs->first[task + 1u]; v++) {
        const takt_duration_t node = graphs->wcets[v];
        flow->wcets[task] = paths[v] > flow->wcets[task] ? paths[v] : flow->wcets[task];
        flow->longest[task] = node > flow->longest[task] ? node : flow->longest[task];
        count =
            has_successor(graphs, v) ? count : insert_end(ends, count, (takt_fp_end_t){paths[v], node, 0});
    }
    flow->end_first[task + 1u] = flow->end_first[task] + count;
}

takt_graphs_status_t takt_graphs_measure(const takt_graphs_t *graphs, takt_duration_t *paths,
                                         takt_effort_t *effort, const takt_flow_t *flow) {
    const takt_graphs_status_t status = find_paths(graphs, paths, effort);
    flow->end_first[0] = 0;
    for (uint32_t i = 0; status == TAKT_GRAPHS_MEASURED && i < graphs->count; i++) {
        measure_task(graphs, i, paths, flow);
    }
    return status;
}
