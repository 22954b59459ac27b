/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Roles: which policy, kind and protocol a tool names where the traits of several would do. Traits say what a row is; a
 * role is held by one row, whatever else its table has. Advice, recipes, tests of studies and the tables of options in
 * task-set files have their names from here. A new row needs no role. */
#ifndef TAKT_SYSTEM_ROLES_H
#define TAKT_SYSTEM_ROLES_H

/* X(role, policy) */
#define TAKT_POLICY_ROLES(X)                                                                            \
    X(priorities, fp)         /* orders by the priorities that the file gives */                        \
    X(periods, rm)            /* by periods */                                                          \
    X(relative_deadlines, dm) /* by relative deadlines */                                               \
    X(deadlines, edf)         /* by absolute deadlines */                                               \
    X(rates, rate_based)      /* has the name of the options that policies with the trait RATES read */ \
    X(slots, time_driven)     /* likewise, with the trait SLOTS */                                      \
    X(virtual_time, share)    /* likewise, with the trait VIRTUAL_TIME */

/* X(role, kind) */
#define TAKT_KIND_ROLES(X) X(task_like, idling) /* acts on all others as a task */

/* X(role, protocol) */
#define TAKT_PROTOCOL_ROLES(X) X(barring, srp) /* lets no job run below the ceilings of one dispatcher */

/* X(protocol): those that advice tries, in this order: which block least comes first. */
#define TAKT_ADVISED_PROTOCOLS(X) X(srp) X(pcp) X(icpp) X(pip) X(npcs)

/* A role that stands twice does not compile. */
#define TAKT_ROLE(role, row) TAKT_ROLE_##role,
enum { TAKT_POLICY_ROLES(TAKT_ROLE) TAKT_KIND_ROLES(TAKT_ROLE) TAKT_PROTOCOL_ROLES(TAKT_ROLE) TAKT_ROLES };
#undef TAKT_ROLE
#define TAKT_ROLE(row) TAKT_ADVISED_##row,
enum { TAKT_ADVISED_PROTOCOLS(TAKT_ROLE) TAKT_ADVISED };
#undef TAKT_ROLE

#endif
