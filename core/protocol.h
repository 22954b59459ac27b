/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Protocol: how a resource bounds the time for which others wait. One file each, named protocol_<name>.c, and one row in
 * core/protocols.c. What a protocol asks for is said in its record, so that core/locks.c and core/lend.c name none.
 *
 * Source: SPEC.md, 9. */
#ifndef TAKT_CORE_PROTOCOL_H
#define TAKT_CORE_PROTOCOL_H

#include "core/policy.h"
#include "core/resource.h"

/* Who shares a resource. */
typedef enum takt_protocol_scope {
    TAKT_SCOPE_LOCAL = 0, /* the children of one dispatcher */
    TAKT_SCOPE_SERVERS =
        1, /* servers of one parent: locked in a server, it is locked in the parent by the server */
} takt_protocol_scope_t;

/* What an entity needs a level for that is above the ceilings of what others hold under such a protocol. */
typedef enum takt_protocol_bars {
    TAKT_BARS_NOTHING = 0,
    TAKT_BARS_LOCKS = 1, /* for a lock; a holder that is not ready counts, too */
    TAKT_BARS_RUNS = 2,  /* to run */
} takt_protocol_bars_t;

typedef struct takt_protocol_kind {
    const char *name; /* as in task-set files */
    takt_protocol_scope_t scope;
    takt_protocol_bars_t bars;
    /* A theorem of analysis/ bounds for how long a section delays others. `boost` then returns the key of the ceiling, or
     * without one the most urgent key. */
    bool is_bounded;
    bool has_ceiling;   /* its resources have one */
    bool lends;         /* a holder runs in place of the entity that it blocks */
    bool awaits_budget; /* a lock waits until its server has the budget for the longest section */
    bool overruns;      /* a server that holds something goes on without budget */
    bool pays_back;     /* what a server overran is taken from its next budget */
    /* Returns the key that a holder has at least, from `now` on. NULL: its own. */
    takt_key_t (*boost)(const takt_resource_t *resource, const takt_policy_t *policy, takt_instant_t now);
} takt_protocol_kind_t;

extern const takt_protocol_kind_t takt_protocol_none;
extern const takt_protocol_kind_t takt_protocol_npcs;
extern const takt_protocol_kind_t takt_protocol_pip;
extern const takt_protocol_kind_t takt_protocol_pcp;
extern const takt_protocol_kind_t takt_protocol_icpp;
extern const takt_protocol_kind_t takt_protocol_srp;
extern const takt_protocol_kind_t takt_protocol_global_srp;
extern const takt_protocol_kind_t takt_protocol_hsrp;
extern const takt_protocol_kind_t takt_protocol_hsrp_payback;
extern const takt_protocol_kind_t takt_protocol_sirap;

/* The table of protocols, by takt_protocol_t. */
extern const takt_protocol_kind_t *const takt_protocols[TAKT_PROTOCOLS];

#endif
