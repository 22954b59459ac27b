/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks whose subjobs form graphs: what response times depend on. See control_flow.c. */
#ifndef TAKT_ANALYSIS_CONTROL_FLOW_H
#define TAKT_ANALYSIS_CONTROL_FLOW_H

#include "analysis/response_times.h"

TAKT_C_BEGIN

typedef struct takt_edge {
    uint32_t from; /* places of nodes of one task */
    uint32_t to;
} takt_edge_t;

/* The nodes of all tasks in one array, most urgent task first. A job executes the nodes of one path, from a node
 * without predecessors to a node without successors, each node without preemption. */
typedef struct takt_graphs {
    const takt_duration_t *wcets; /* of each node */
    /* Of each task the place of its first node, and behind the last task how many nodes there are; each
     * task has one at least. */
    const uint32_t *first;
    uint32_t count; /* how many tasks */
    const takt_edge_t *edges;
    uint32_t edge_count;
} takt_graphs_t;

/* What is written: the columns of a takt_children_t, and what takt_fp_blocking asks for. */
typedef struct takt_flow {
    takt_duration_t *wcets;   /* of each task the longest way */
    takt_duration_t *longest; /* of each task the longest node */
    takt_fp_end_t *ends;      /* room for one per node */
    uint32_t *end_first;      /* room for one per task and one more */
} takt_flow_t;

typedef enum takt_graphs_status {
    TAKT_GRAPHS_MEASURED = 0,
    TAKT_GRAPHS_CYCLIC = 1,    /* a way has no end */
    TAKT_GRAPHS_UNDECIDED = 2, /* the effort is used up, or a way is longer than TAKT_ANALYSIS_TIME_MAX */
} takt_graphs_status_t;

/* Measures graphs; `paths` is working memory of one value per node. The output is valid only if the status is MEASURED.
 * Responses computed from it are exact. Takes a step for each pass over all edges. */
TAKT_MUST_USE takt_graphs_status_t takt_graphs_measure(const takt_graphs_t *graphs, takt_duration_t *paths,
                                                       takt_effort_t *effort, const takt_flow_t *flow);

TAKT_C_END

#endif
