/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Resource: one job at a time holds it, under a protocol that bounds the blocking of others.
 *
 * Source: Sha, Rajkumar, Lehoczky 1990 (pip, pcp); Baker 1991 (srp); Davis, Burns 2006 (hsrp); Behnam, Shin,
 * Nolte, Nolin 2007 (sirap); SPEC.md, 9. The resources of one
 * dispatcher that are locked form a list, the last one first; those that one job holds form another.
 *
 *         granted               unlocked, end of the job
 *   free ---------> held by one ------------------------> free
 *
 * Under pip and all protocols with inheritance a blocked job stays in the ready set, and the job that blocks it
 * runs instead. Under `none`, or if the job that blocks it is not ready, a blocked job leaves the ready set: it is not ready
 * until the unlock.
 *
 * A resource shared by servers is one resource in each of these servers and one in their parent. When a job locks
 * the former, its server locks the latter. */
#ifndef TAKT_CORE_RESOURCE_H
#define TAKT_CORE_RESOURCE_H

#include "core/entity.h"

/* Numbers of protocols, as in images and traces; see protocol.h. */
typedef enum takt_protocol {
    TAKT_PROTOCOL_NONE = 0, /* no inheritance: blocking is unbounded */
    TAKT_PROTOCOL_NPCS = 1, /* no job displaces a holder */
    TAKT_PROTOCOL_PIP = 2,  /* a holder is as urgent as the jobs that it blocks */
    TAKT_PROTOCOL_PCP = 3,  /* likewise, and a lock needs a level above the ceilings of what others hold */
    TAKT_PROTOCOL_ICPP = 4, /* a holder is as urgent as the ceiling */
    TAKT_PROTOCOL_SRP = 5,  /* a job runs only if its level is above the ceilings of what others hold */
    /* Among servers: srp, in each server among its children and in their parent among the servers. */
    TAKT_PROTOCOL_GLOBAL_SRP = 6,   /* no more: a server may exhaust its budget while it holds a resource */
    TAKT_PROTOCOL_HSRP = 7,         /* such a server continues without budget until it holds none */
    TAKT_PROTOCOL_HSRP_PAYBACK = 8, /* likewise, and the overrun is subtracted from its next budget */
    TAKT_PROTOCOL_SIRAP = 9,        /* a lock needs the budget for the longest section, else the job waits */
    TAKT_PROTOCOLS = 10,            /* their number */
} takt_protocol_t;

struct takt_protocol_kind;

/* One job or thread at a time holds it. The caller's memory. */
typedef struct takt_resource {
    struct takt_resource *below; /* locked in the same dispatcher before this one and not unlocked yet */
    struct takt_resource *outer; /* likewise, by the same job; next to `holder`: one store has both */
    takt_entity_t *holder;       /* NULL: free; a server if a job in it holds what is shared */
    struct takt_resource *among; /* shared by servers: the resource that stands for it in the parent */
    takt_entity_t *blocked;      /* first of a circular list of jobs that wait here and are not ready */
    const struct takt_protocol_kind *kind; /* properties of its protocol; see protocol.h */
    takt_key_t ceiling;                    /* highest level of its users, see core/policy.h */
    takt_key_t boost;                      /* while held: the holder is at least as urgent as this */
    takt_duration_t longest;               /* sirap: longest execution from lock to unlock in this server */
    uint32_t number;                       /* in the table of the dispatcher */
    uint32_t protocol;                     /* takt_protocol_t */
} takt_resource_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_resource_t) <= 56,
               "a resource is at most 56 bytes on a 32-bit machine");

/* What an entity that requests a resource waits for. A plain thread needs this memory only during the wait. */
typedef struct takt_lock_wait {
    takt_resource_t *wanted;     /* the resource that it has tried to lock */
    takt_resource_t *blocked_at; /* in whose list it is */
    takt_resource_t *deadlock;   /* it waits for this in a cycle; NULL: in none */
} takt_lock_wait_t;

#endif
