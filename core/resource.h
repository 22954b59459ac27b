/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Resource: something that one job at a time holds, under a protocol that bounds how long others wait.
 *
 * Source: Sha, Rajkumar, Lehoczky 1990 (pip, pcp); Baker 1991 (srp); Davis, Burns 2006 (hsrp); Behnam, Shin,
 * Nolte, Nolin 2007 (sirap); SPEC.md, 9. The resources of one
 * dispatcher that are locked form a list, the last one first; those that one job holds form another.
 *
 *         granted               unlocked, end of the job
 *   free ---------> held by one ------------------------> free
 *
 * A job that is blocked keeps its place in the ready set, and who blocks it runs instead (pip and its
 * like: that is what inheritance means); or it is parked at the resource, not ready, until that is
 * unlocked: under `none`, and where who blocks it is not ready itself.
 *
 * What servers share is one resource in each of these servers and one in their parent: a lock of the former by a
 * job is a lock of the latter by the server. */
#ifndef TAKT_CORE_RESOURCE_H
#define TAKT_CORE_RESOURCE_H

#include "core/entity.h"

/* Numbers of protocols, as in images and traces; see protocol.h. */
typedef enum takt_protocol {
    TAKT_PROTOCOL_NONE = 0, /* as long as it takes: who waits lends nothing */
    TAKT_PROTOCOL_NPCS = 1, /* nobody displaces a holder */
    TAKT_PROTOCOL_PIP = 2,  /* a holder is as urgent as whom it blocks */
    TAKT_PROTOCOL_PCP = 3,  /* likewise, and a lock needs a level above the ceilings of what others hold */
    TAKT_PROTOCOL_ICPP = 4, /* a holder is as urgent as the ceiling */
    TAKT_PROTOCOL_SRP = 5,  /* whoever runs needs a level above the ceilings of what others hold */
    /* Among servers: srp, in each server among its children and in their parent among the servers. */
    TAKT_PROTOCOL_GLOBAL_SRP = 6,   /* and no more: a server may run out of budget while it holds something */
    TAKT_PROTOCOL_HSRP = 7,         /* then the server goes on until it holds nothing */
    TAKT_PROTOCOL_HSRP_PAYBACK = 8, /* likewise, and its next budget is less by what it overran */
    TAKT_PROTOCOL_SIRAP = 9,        /* a lock needs the budget for the longest section, else the job waits */
    TAKT_PROTOCOLS = 10,            /* their number */
} takt_protocol_t;

struct takt_protocol_kind;

/* What one job or thread at a time holds. The caller's memory. */
typedef struct takt_resource {
    struct takt_resource *below; /* locked in the same dispatcher before this one and not unlocked yet */
    struct takt_resource *outer; /* likewise, by the same job; next to `holder`: one store has both */
    takt_entity_t *holder;       /* NULL: free; a server if a job in it holds what is shared */
    struct takt_resource *among; /* of a server that shares it with others: what it is in their parent */
    takt_entity_t *parked;       /* first of a circular list of jobs that wait here and are not ready */
    const struct takt_protocol_kind *kind; /* what its protocol asks for; see protocol.h */
    takt_key_t ceiling;                    /* highest level of its users, see core/policy.h */
    takt_key_t boost;                      /* while held: the holder is at least as urgent as this */
    takt_duration_t longest;               /* sirap: from a lock in this server to the unlock */
    uint32_t number;                       /* in the table of the dispatcher */
    uint32_t protocol;                     /* takt_protocol_t */
} takt_resource_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_resource_t) <= 56,
               "a resource is at most 56 bytes on a 32-bit machine");

/* What an entity that wants a resource waits for. Of a plain thread it is memory that need not last longer than that. */
typedef struct takt_lock_wait {
    takt_resource_t *wanted;    /* it has tried to lock it */
    takt_resource_t *parked_at; /* where it stands in the list */
    takt_resource_t *circle;    /* it waits for this in a circle; NULL: in none */
} takt_lock_wait_t;

#endif
