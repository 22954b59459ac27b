/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of policies. */
#include "policy/table.h"

const takt_policy_t *const takt_policies[] = {
    &takt_policy_dm,       &takt_policy_dual_priority, &takt_policy_edf,
    &takt_policy_fp,       &takt_policy_imprecise,     &takt_policy_llf,
    &takt_policy_pinwheel, &takt_policy_rate_based,    &takt_policy_rbe,
    &takt_policy_rm,       &takt_policy_share,         &takt_policy_time_driven,
};

const size_t takt_policy_count = sizeof takt_policies / sizeof takt_policies[0];
