/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shares: flows with weights; each job is a packet with a tag, and the smallest tag is served first. See share.c.
 *
 * Virtual time of the fluid system is an integer. A tick provides TAKT_SHARE_TICK units of work. Raising virtual time
 * by one costs the sum of the weights of the backlogged flows. Units that do not suffice are kept, and dropped when
 * no flow is backlogged. So no work of the fluid system is lost by rounding. */
#ifndef TAKT_POLICY_SHARE_H
#define TAKT_POLICY_SHARE_H

#include "core/allocator.h"
#include "core/rule.h"

TAKT_C_BEGIN

/* Units of work of a tick: the scale of rate_based.h, exact for common weights. */
#define TAKT_SHARE_TICK UINT64_C(18018000)

/* Weights are at most this. */
enum { TAKT_SHARE_WEIGHTS = 65535 };

/* Times up to this many ticks leave virtual time below 2^63. */
#define TAKT_SHARE_LONGEST (UINT64_C(1) << 38)

typedef enum takt_share_variant {
    TAKT_SHARE_GENERIC = 0,
    TAKT_SHARE_WFQ = 1,
    TAKT_SHARE_WF2Q = 2,
} takt_share_variant_t;

/* All flows of a root. */
typedef struct takt_share {
    takt_allocation_t allocation; /* first member; its timer releases jobs at their starts */
    takt_share_variant_t variant;
    uint64_t weights;        /* of all flows */
    uint64_t backlogged;     /* of the flows that the fluid system serves */
    takt_key_t virtual_time; /* at `advanced_to` */
    uint64_t kept;           /* units of work, less than `backlogged` */
    takt_instant_t advanced_to;
    takt_keys_t departures; /* the flows that the fluid system serves, by their last tag */
    takt_keys_t starts;     /* the flows with a postponed job, by the virtual start of the first */
} takt_share_t;

/* The rule of one task. */
typedef struct takt_share_flow {
    takt_rule_t rule; /* first of all */
    takt_share_t *share;
    takt_task_t *task;
    uint64_t weight;
    uint64_t span;           /* virtual time per job; ticks if generic, computed at the first job */
    takt_key_t tag;          /* the last one */
    uint32_t put_off;        /* number of postponed jobs, at the end of its ring */
    takt_entity_t departure; /* its places in the two heaps */
    takt_entity_t start;
} takt_share_flow_t;

/* Makes `share`, zeroed, the shares of the root of `dispatcher`. `departures` and `starts` (wf2q) have room for a
 * pointer for each flow. */
void takt_share_init(takt_share_t *share, takt_share_variant_t variant, takt_dispatcher_t *dispatcher,
                     takt_entity_t **departures, takt_entity_t **starts);

/* Makes `flow`, zeroed, the rule of `task`, which is under the root, not periodic; weight: 1 .. TAKT_SHARE_WEIGHTS. */
void takt_share_add(takt_share_t *share, takt_share_flow_t *flow, takt_task_t *task, uint64_t weight);

TAKT_C_END

#endif
