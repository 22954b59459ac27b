/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The deadline rules of a system's tasks, in its memory. Part of build.h. */
#ifndef TAKT_SYSTEM_RULES_H
#define TAKT_SYSTEM_RULES_H

#include "system/arena.h"
#include "system/spec.h"

struct takt_system;

typedef struct takt_rules {
    bool is_any;               /* a task has a rule */
    takt_rbe_t *rbe;           /* of the tasks that have events */
    takt_instant_t *deadlines; /* of all of them */
    takt_share_t share;        /* if the root's policy is share */
    takt_share_flow_t *flows;  /* of the tasks, if so */
    takt_entity_t **heaps;     /* of the fluid system, then of the starts */
    takt_bandwidth_t *groups;  /* of the servers, in their order; those with a kind leave theirs out */
} takt_rules_t;

/* Lays out the memory of the rules of `spec`. */
void takt_rules_lay_out(takt_rules_t *rules, takt_arena_t *arena, const takt_system_spec_t *spec);

/* Sets the rules of the tasks of `system`, which are added already. */
void takt_rules_attach(takt_rules_t *rules, struct takt_system *system, const takt_system_spec_t *spec);

#endif
