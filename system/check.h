/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Check: consistency of the fields of a description. Each relation has a name and stands only here; image.h checks
 * single fields.
 *
 * A program that keeps all of them can be built and run without breaking a condition of core, policies or simulator. */
#ifndef TAKT_SYSTEM_CHECK_H
#define TAKT_SYSTEM_CHECK_H

#include "system/image.h"
#include "system/matrix.def"

/* X(name, table, rank, message): each row of `table` keeps the relation. In this order: one may rely on those before
 * it that are BASIC. The pairs of the matrix follow, and may rely on all of them that are. */
#define TAKT_RELATION_LIST(X)                                                                              \
    X(root_has_a_policy, SYSTEM, BASIC, "a root without a policy")                                         \
    X(numbers_suffice, SYSTEM, PLAIN, "too many entities")                                                 \
    X(root_has_timer_rows, SYSTEM, PLAIN, "too few timer rows")                                            \
    X(server_has_one_kind, SERVERS, BASIC, "a server without a kind, or of two")                           \
    X(server_has_a_policy, SERVERS, BASIC, "a server without a policy")                                    \
    X(server_allocates_no_rates, SERVERS, PLAIN, "a server under a policy of the root")                    \
    X(server_has_timer_rows, SERVERS, PLAIN, "too few timer rows")                                         \
    X(budget_is_within_period, SERVERS, PLAIN, "budget above period")                                      \
    X(servers_form_a_tree, SERVERS, BASIC, "the parents of a server form a ring")                          \
    X(parent_is_no_rule, SERVERS, PLAIN, "a server in a bandwidth server")                                 \
    X(kind_fits_parent, SERVERS, PLAIN, "a kind of server that needs deadlines, under a policy without")   \
    X(server_level_exists, SERVERS, PLAIN, "level out of range")                                           \
    X(resource_is_in_a_dispatcher, RESOURCES, BASIC, "a resource of a bandwidth server")                   \
    X(ceiling_needs_levels, RESOURCES, PLAIN, "a ceiling under a policy without levels")                   \
    X(ceiling_exists, RESOURCES, PLAIN, "ceiling out of range")                                            \
    X(protocols_mix, RESOURCES, PLAIN, "protocols that do not mix")                                        \
    X(protocol_is_among_servers, RESOURCES, BASIC, "a protocol that servers cannot share under")           \
    X(among_is_of_the_parent, RESOURCES, PLAIN, "a resource that is another one in the parent")            \
    X(sharing_server_is_periodic, RESOURCES, PLAIN, "a kind of server that cannot share")                  \
    X(server_shares_once, RESOURCES, PLAIN, "a resource that a server shares twice")                       \
    X(longest_fits_protocol, RESOURCES, PLAIN, "longest is out of range")                                  \
    X(periodic_has_period, TASKS, PLAIN, "period 0 out of range")                                          \
    X(jitter_is_of_events, TASKS, PLAIN, "jitter of a task whose jobs are no events")                      \
    X(rule_server_holds_events, TASKS, PLAIN, "a periodic task in a bandwidth server")                     \
    X(task_level_exists, TASKS, PLAIN, "level out of range")                                               \
    X(preemption_level_exists, TASKS, PLAIN, "level of a preemption key out of range")                     \
    X(ring_is_power_of_two, TASKS, PLAIN, "a ring that is no power of two")                                \
    X(one_deadline_rule, TASKS, PLAIN, "two rules of a task")                                              \
    X(rule_is_of_events, TASKS, PLAIN, "events of a task whose jobs are no events")                        \
    X(rule_has_interval, TASKS, PLAIN, "interval out of range")                                            \
    X(share_goes_with_policy, SYSTEM, PLAIN, "share and the policy do not go together")                    \
    X(share_is_of_events, TASKS, PLAIN, "a share of a task whose jobs are no events")                      \
    X(share_has_weight, TASKS, PLAIN, "weight is out of range")                                            \
    X(stream_has_range, STREAMS, PLAIN, "limits of a distribution out of range")                           \
    X(list_is_not_empty, STREAMS, PLAIN, "an empty list")                                                  \
    X(list_is_in_range, STREAMS, PLAIN, "listed value out of range")                                       \
    X(uniform_ascends, STREAMS, PLAIN, "a uniform distribution that ends before it begins")                \
    X(shape_is_positive, STREAMS, PLAIN, "a shape that is not positive")                                   \
    X(demand_is_positive, TASKS, PLAIN, "a demand of 0")                                                   \
    X(arrivals_are_of_events, TASKS, PLAIN, "arrivals of a periodic task")                                 \
    X(arrivals_ascend, TASKS, PLAIN, "arrivals that descend")                                              \
    X(arrivals_have_separation, TASKS, PLAIN, "arrivals without any separation")                           \
    X(item_takes_time, ITEMS, PLAIN, "item of a body out of range")                                        \
    X(suspensions_are_told, TASKS, PLAIN, "a task that is not said to suspend")                            \
    X(locks_are_told, TASKS, PLAIN, "a task that is not said to lock")                                     \
    X(locked_resource_is_there, TASKS, BASIC, "no such resource where the task is")                        \
    X(rule_locks_without_ceiling, TASKS, PLAIN, "a ceiling for a task in a bandwidth server")              \
    X(sections_nest, TASKS, PLAIN, "sections that are not nested")                                         \
    X(windows_go_with_policy, SYSTEM, PLAIN, "windows of another policy")                                  \
    X(allocator_is_last, WINDOWS, PLAIN, "an allocator before other tasks")                                \
    X(part_is_in_range, WINDOWS, PLAIN, "part out of range")                                               \
    X(windowed_deadline_is_in_period, WINDOWS, PLAIN, "deadline above period")                             \
    X(slots_are_of_time_driven, WINDOWS, PLAIN, "slots where none belong, or none")                        \
    X(slots_ascend, WINDOWS, PLAIN, "slots that overlap or descend")                                       \
    X(slots_are_in_cycle, WINDOWS, PLAIN, "a slot outside the cycle")                                      \
    X(slots_do_not_overlap, WINDOWS, PLAIN, "slots of two tasks that overlap")                             \
    X(cycles_are_equal, WINDOWS, PLAIN, "different cycles")                                                \
    X(thread_level_exists, THREADS, PLAIN, "level out of range")                                           \
    X(tick_has_period, COSTS, PLAIN, "tick period out of range")                                           \
    X(architecture_drops_late_jobs, TASKS, PLAIN, "an architecture that keeps late jobs")                  \
    X(interval_is_positive, ARCHITECTURE, PLAIN, "interval out of range")                                  \
    X(rates_go_with_policy, SYSTEM, PLAIN, "rates and the policy do not go together")                      \
    X(use_is_of_a_locking_task, USES, PLAIN, "a task that is not said to lock")                            \
    X(use_is_under_srp, USES, PLAIN, "a resource that rates do not go with")                               \
    X(use_is_told_once, USES, PLAIN, "a task and a resource are paired twice")                             \
    X(rated_has_weight, TASKS, PLAIN, "weight is out of range")                                            \
    X(rated_times_are_short, TASKS, PLAIN, "a time too long for a rate, or wcet or deadline above period") \
    X(rated_body_locks_its_uses, TASKS, PLAIN, "a body that rates do not go with")                         \
    X(greedy_is_rated, TASKS, PLAIN, "whole budgets without rates")                                        \
    X(only_soft_adapts, TASKS, PLAIN, "an estimate of a task that is not soft")                            \
    X(change_is_of_a_task, CHANGES, BASIC, "a change of no task")                                          \
    X(changes_ascend, CHANGES, PLAIN, "changes that descend")                                              \
    X(policy_change_has_policy, CHANGES, BASIC, "a change to no policy")                                   \
    X(changed_has_no_windows, CHANGES, PLAIN, "a change of a task with windows")                           \
    X(changed_has_no_rule, CHANGES, PLAIN, "parameters of a rule")                                         \
    X(changed_is_unmeasured, CHANGES, PLAIN, "parameters of what servers share")                           \
    X(changed_period_is_positive, CHANGES, PLAIN, "period out of range")                                   \
    X(changed_level_exists, CHANGES, PLAIN, "level out of range")                                          \
    X(changed_demand_is_positive, CHANGES, PLAIN, "a demand of 0")                                         \
    X(changed_rate_fits, CHANGES, PLAIN, "parameters that a rate cannot have")                             \
    X(input_has_a_receiver, INPUTS, PLAIN, "an input whose task or server does not exist")

#define TAKT_RELATION_ENUM(name, table, rank, message) TAKT_RELATION_##name,
#define TAKT_PAIR_ENUM(one, other, reason) TAKT_RELATION_##one##_without_##other,
typedef enum takt_relation {
    TAKT_RELATION_LIST(TAKT_RELATION_ENUM) TAKT_FIRST_PAIR,
    TAKT_LAST_RELATION = TAKT_FIRST_PAIR - 1,
    TAKT_MATRIX(TAKT_PAIR_ENUM) TAKT_RELATIONS,
    TAKT_PAIRS = TAKT_RELATIONS - TAKT_FIRST_PAIR
} takt_relation_t;
#undef TAKT_RELATION_ENUM
#undef TAKT_PAIR_ENUM

/* A trait, and the table whose rows have it. */
typedef struct takt_trait {
    const char *name;
    bool (*has)(const takt_program_t *program, uint32_t row);
    takt_table_t table;
} takt_trait_t;

/* A row of the matrix. */
typedef struct takt_pair {
    const char *name;
    const char *message;
    const takt_trait_t *one, *other;
} takt_pair_t;

#define TAKT_TRAIT_ENUM(name, table, has) TAKT_TRAIT_##name,
enum { TAKT_TRAIT_LIST(TAKT_TRAIT_ENUM) TAKT_TRAITS };
#undef TAKT_TRAIT_ENUM

extern const takt_trait_t takt_traits[TAKT_TRAITS];
extern const takt_pair_t takt_pairs[TAKT_PAIRS];

/* The message and the name of `relation`. Never NULL. */
const char *takt_relation_message(takt_relation_t relation);
const char *takt_relation_name(takt_relation_t relation);

/* True if relations after `relation` may rely on it. */
bool takt_relation_is_basic(takt_relation_t relation);

/* Returns the first relation that `program`, read by takt_image_read, violates, and writes table and row to `place`;
 * TAKT_RELATIONS if it keeps all. The program's scratch memory must be zeroed; it has any content afterwards. */
takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place);

/* Returns the next one after `relation`, violated at `place`, and writes table and row to `place`; TAKT_RELATIONS if
 * there is none, or if `relation` is basic. */
takt_relation_t takt_check_next(const takt_program_t *program, takt_relation_t relation, takt_place_t *place);

#endif
