/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of policies: a new policy is one file and one line in table.c. */
#ifndef TAKT_POLICY_TABLE_H
#define TAKT_POLICY_TABLE_H

#include "core/policy.h"

extern const takt_policy_t takt_policy_dm;            /* fixed priorities, by relative deadline */
extern const takt_policy_t takt_policy_dual_priority; /* less urgent than all others until the promotion */
extern const takt_policy_t takt_policy_edf;           /* earliest deadline first */
extern const takt_policy_t takt_policy_fp;            /* fixed priorities, as the user says */
extern const takt_policy_t takt_policy_imprecise;     /* mandatory parts above all optional ones */
extern const takt_policy_t takt_policy_llf;           /* least laxity first */
extern const takt_policy_t takt_policy_pinwheel;      /* periods that divide one another, wcets enforced */
extern const takt_policy_t takt_policy_rate_based;    /* windows at granted rates, by their deadlines */
extern const takt_policy_t takt_policy_rbe;           /* rate-based execution: deadlines by x jobs in y */
extern const takt_policy_t takt_policy_rm;            /* fixed priorities, by period */
extern const takt_policy_t takt_policy_time_driven;   /* a table of slots that is repeated */
extern const takt_policy_t takt_policy_share;         /* a share of the processor for each task */

/* All policies in alphabetical order, `takt_policy_count` of them. */
extern const takt_policy_t *const takt_policies[];
extern const size_t takt_policy_count; /* how many there are */

#endif
