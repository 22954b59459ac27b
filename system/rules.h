/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The deadline rules of a system's tasks, in its memory. Part of build.h. */
#ifndef TAKT_SYSTEM_RULES_H
#define TAKT_SYSTEM_RULES_H

#include "system/spec.h"

typedef struct takt_rules {
    bool is_any;               /* a task has a rule */
    takt_rbe_t *rbe;           /* of the tasks that have events */
    takt_instant_t *deadlines; /* of all of them */
    takt_share_t share;        /* if the root's policy is share */
    takt_share_flow_t *flows;  /* of the tasks, if so */
    takt_entity_t **heaps;     /* of the fluid system, then of the starts */
    takt_bandwidth_t *groups;  /* of the servers, in their order; those with a kind leave theirs out */
} takt_rules_t;

#endif
