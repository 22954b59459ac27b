/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The predicates of traits, and the rows of the matrix. */
#include "system/relations.h"

#define SPEC (program->spec)
#define SERVER (SPEC.servers[row])
#define TASK (SPEC.tasks[row])
#define RESOURCE (SPEC.resources[row])
#define CHANGE (SPEC.changes[row])

enum {
    PROMOTES = TAKT_POLICY_PROMOTIONS,
    GIVES_WINDOWS =
        TAKT_POLICY_SLOTS | PROMOTES | TAKT_POLICY_MANDATORY_PARTS | TAKT_POLICY_SPECIALISED_PERIODS,
};

/* Such a policy needs keys, windows or rules from the beginning. */
static bool is_frozen(const takt_policy_t *policy) {
    return is_foreign(policy) || has_any(policy, TAKT_POLICY_RATES | TAKT_POLICY_RULE | GIVES_WINDOWS);
}

static uint32_t windowed_tasks(const takt_program_t *program) {
    uint32_t count = 0;
    for (uint32_t i = 0; SPEC.windows != NULL && i < SPEC.task_count; i++) {
        count += takt_system_has_windows(&SPEC, i);
    }
    return count;
}

static uint32_t policy_changes(const takt_program_t *program) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SPEC.change_count; i++) {
        count += SPEC.changes[i].kind == TAKT_CHANGE_POLICY;
    }
    return count;
}

static bool is_any_cost(const takt_sim_costs_t *costs) {
    return (costs->context_switch | costs->release | costs->scheduling | costs->point | costs->tick |
            costs->wake_up) != 0;
}

/* Architectures drop late jobs. */
static bool is_ended(const takt_program_t *program, const takt_task_spec_t *task) {
    return task->on_miss != TAKT_ON_MISS_CONTINUE &&
           !(program->architecture != NULL && task->on_miss == TAKT_ON_MISS_DROP);
}

static bool has_point(const takt_task_spec_t *task) {
    bool is_any = false;
    for (uint32_t i = 0; i < task->body_count; i++) {
        is_any |= task->body[i].kind == TAKT_ITEM_POINT || task->body[i].kind == TAKT_ITEM_OPTIONAL_POINT;
    }
    return is_any;
}

#define TAKT_TRAIT_PREDICATE(name, table, has)                            \
    static bool has_##name(const takt_program_t *program, uint32_t row) { \
        (void)program;                                                    \
        (void)row;                                                        \
        return has;                                                       \
    }
TAKT_TRAIT_LIST(TAKT_TRAIT_PREDICATE)

#define TAKT_TRAIT_ROW(name, table, has) {#name, has_##name, TAKT_TABLE_##table},
const takt_trait_t takt_traits[TAKT_TRAITS] = {TAKT_TRAIT_LIST(TAKT_TRAIT_ROW)};

#define TAKT_PAIR_ROW(one, other, reason)                                         \
    {#one "_without_" #other, #one " and " #other " do not go together: " reason, \
     &takt_traits[TAKT_TRAIT_##one], &takt_traits[TAKT_TRAIT_##other]},
const takt_pair_t takt_pairs[TAKT_PAIRS] = {TAKT_MATRIX(TAKT_PAIR_ROW)};
