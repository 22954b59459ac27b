/* The table of policies: a new policy is one file and one line in table.c. */
#ifndef TAKT_POLICY_TABLE_H
#define TAKT_POLICY_TABLE_H

#include "core/policy.h"

extern const takt_policy_t takt_policy_dm;
extern const takt_policy_t takt_policy_dual_priority;
extern const takt_policy_t takt_policy_edf;
extern const takt_policy_t takt_policy_fp;
extern const takt_policy_t takt_policy_imprecise;
extern const takt_policy_t takt_policy_llf;
extern const takt_policy_t takt_policy_pinwheel;
extern const takt_policy_t takt_policy_rate_based;
extern const takt_policy_t takt_policy_rm;
extern const takt_policy_t takt_policy_time_driven;

/* All policies in alphabetical order, `takt_policy_count` of them. */
extern const takt_policy_t *const takt_policies[];
extern const size_t takt_policy_count;

#endif
