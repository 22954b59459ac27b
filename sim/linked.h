/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records of linked simulations; see links.h. Internal to sim. */
#ifndef TAKT_SIM_LINKED_H
#define TAKT_SIM_LINKED_H

#include "sim/links.h"

/* Rows of one type, from `first` on; see links.c. */
typedef struct takt_rows {
    char *bytes;
    uint64_t first;
    uint64_t count;
    uint64_t room;
} takt_rows_t;

typedef struct takt_linked_event {
    takt_instant_t delivery;
    takt_instant_t origin;
} takt_linked_event_t;

/* An unfinished job of a target. */
typedef struct takt_linked_job {
    uint32_t number;
    uint32_t edge; /* of its event, if any one makes a job */
    takt_instant_t arrival;
    takt_instant_t release;
    takt_instant_t deadline;
    takt_instant_t origin;
} takt_linked_job_t;

struct takt_target;

typedef struct takt_edge {
    const takt_edge_spec_t *spec;
    struct takt_target *target;
    uint64_t sent;
    takt_instant_t last_delivery;
    takt_rows_t events; /* those that wait, then those on their way */
    uint64_t delivered; /* of these, those that wait */
    uint64_t jobs;      /* unfinished ones of the target that have an event of the edge */
    uint64_t lost;
} takt_edge_t;

typedef struct takt_target {
    const takt_target_spec_t *spec;
    takt_edge_t *edges;
    takt_sim_source_t *source; /* its timer wakes the target */
    takt_rows_t jobs;      /* unfinished ones: those that core has, then those that wait for their releases */
    uint64_t posted;       /* of these, those that core has */
    uint32_t made;         /* number of the next job */
    uint32_t next_of_core; /* number that core would give to its next arrival */
    takt_instant_t last_arrival;
    takt_instant_t last_release;
    bool is_absent; /* it has left, or not entered */
} takt_target_t;

/* What a task sends, and receives. */
typedef struct takt_sender {
    takt_edge_t **edges;
    uint32_t edge_count;
    takt_target_t *target; /* NULL unless other tasks release it */
    uint32_t job;          /* that has sent the events of its items before `unsent` */
    uint32_t unsent;
} takt_sender_t;

struct takt_links {
    takt_sim_t *const *sims;
    uint32_t sim_count;
    takt_sender_t **senders; /* of each task of each simulation */
    takt_target_t *targets;
    takt_edge_t *edges; /* in the order of targets */
    takt_edge_t **outgoing;
    uint32_t target_count;
    uint32_t edge_count;
    bool is_short_of_memory;
};

#endif
