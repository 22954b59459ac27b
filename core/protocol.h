/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Protocol: bounds the blocking by a resource. One file each, named protocol_<name>.c, and one row in
 * core/protocols.c. Its record has all properties, so that core/locks.c and core/inheritance.c name no protocol.
 *
 * Source: SPEC.md, 9. */
#ifndef TAKT_CORE_PROTOCOL_H
#define TAKT_CORE_PROTOCOL_H

#include "core/policy.h"
#include "core/resource.h"

/* The entities that share a resource. */
typedef enum takt_protocol_scope {
    TAKT_SCOPE_LOCAL = 0, /* the children of one dispatcher */
    TAKT_SCOPE_SERVERS =
        1, /* servers of one parent: locked in a server, it is locked in the parent by the server */
} takt_protocol_scope_t;

/* What an entity may do only if its level is above the ceilings of what others hold under the protocol. */
typedef enum takt_protocol_bars {
    TAKT_BARS_NOTHING = 0,
    TAKT_BARS_LOCKS = 1, /* to lock; a holder that is not ready counts, too */
    TAKT_BARS_RUNS = 2,  /* to run */
} takt_protocol_bars_t;

typedef struct takt_protocol_kind {
    const char *name; /* as in task-set files */
    takt_protocol_scope_t scope;
    takt_protocol_bars_t bars;
    /* A theorem of analysis/ bounds how long a section delays others. `boost` then returns the key of the ceiling, or
     * the most urgent key if there is no ceiling. */
    bool is_bounded;
    bool has_ceiling;   /* its resources have a ceiling */
    bool lends;         /* a holder runs in place of the entity that it blocks */
    bool awaits_budget; /* a lock waits until its server has the budget for the longest section */
    bool overruns;      /* a server that holds a resource continues without budget */
    bool pays_back;     /* the overrun of a server is subtracted from its next budget */
    /* takt_blocker_ceiling. NULL: it bars nothing; a program without ceilings is linked without the search for them. */
    takt_resource_t *(*highest)(takt_entity_t *entity, takt_protocol_bars_t bars);
    /* Returns the least urgent key that a holder may have from `now` on. NULL: its own. */
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

/* Returns the row of `protocol`; NULL: there is none. */
const takt_protocol_kind_t *takt_protocol_in_table(uint32_t protocol);

/* Likewise. Inline, so that a program whose protocols are constants of the compiler is linked with their rows alone. */
TAKT_INLINE const takt_protocol_kind_t *takt_protocol_row(takt_protocol_t protocol) {
    if (__builtin_constant_p(protocol)) {
        switch (protocol) {
        case TAKT_PROTOCOL_NONE:
            return &takt_protocol_none;
        case TAKT_PROTOCOL_NPCS:
            return &takt_protocol_npcs;
        case TAKT_PROTOCOL_PIP:
            return &takt_protocol_pip;
        case TAKT_PROTOCOL_PCP:
            return &takt_protocol_pcp;
        case TAKT_PROTOCOL_ICPP:
            return &takt_protocol_icpp;
        case TAKT_PROTOCOL_SRP:
            return &takt_protocol_srp;
        default:
            break;
        }
    }
    return takt_protocol_in_table((uint32_t)protocol);
}

/* True if `protocol` can be used under `policy`: a ceiling is the level of a task. */
TAKT_INLINE bool takt_protocol_fits(const takt_protocol_kind_t *protocol, const takt_policy_t *policy) {
    return !protocol->has_ceiling || policy->level != NULL;
}

/* True if resources under `one` and `other` can be in one dispatcher. The tests of pcp, srp and their like know of no
 * locks under another protocol; one among servers that waits for no budget is tested as srp is. */
TAKT_INLINE bool takt_protocols_mix(const takt_protocol_kind_t *one, const takt_protocol_kind_t *other) {
    const bool are_tested = one->bars != TAKT_BARS_NOTHING || other->bars != TAKT_BARS_NOTHING;
    const bool are_alike = one->bars == TAKT_BARS_RUNS && other->bars == TAKT_BARS_RUNS &&
                           !one->awaits_budget && !other->awaits_budget && one->scope != other->scope;
    return one == other || !are_tested || are_alike;
}

#endif
