/* The deadline rules of a system's tasks, in memory. Part of system.h. */
#ifndef TAKT_SIM_RULES_H
#define TAKT_SIM_RULES_H

#include "policy/bandwidth.h"
#include "policy/rbe.h"
#include "policy/share.h"

struct takt_system;
struct takt_system_spec;

typedef struct takt_rules {
    bool is_any;               /* a task has a rule */
    takt_rbe_t *rbe;           /* of the tasks that have events */
    takt_instant_t *deadlines; /* of all of them */
    takt_share_t share;        /* if the root's policy is share */
    takt_share_flow_t *flows;  /* of the tasks, or NULL */
    takt_entity_t **heaps;     /* of the fluid system, then of the starts */
    takt_bandwidth_t *groups;  /* of the servers, in their order; those with a kind leave theirs out */
} takt_rules_t;

/* Gives the tasks of `system`, which are added already, the rules that `spec` says; false when memory is short. */
TAKT_MUST_USE bool takt_rules_create(takt_rules_t *rules, struct takt_system *system,
                                     const struct takt_system_spec *spec);

void takt_rules_destroy(takt_rules_t *rules);

#endif
