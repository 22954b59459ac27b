/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Check: consistency of the fields of a description. Each relation has a name and stands only here; image.h checks
 * single fields.
 *
 * A program that keeps all of them can be built and run without breaking a condition of core, policies or simulator. */
#ifndef TAKT_SYSTEM_CHECK_H
#define TAKT_SYSTEM_CHECK_H

#include "system/image.h"

/* X(name, table, message): each row of `table` keeps the relation. In this order: one may rely on those before it. */
#define TAKT_RELATION_LIST(X)                                                                       \
    X(root_has_a_policy, SYSTEM, "a root without a policy")                                         \
    X(numbers_suffice, SYSTEM, "too many entities")                                                 \
    X(root_has_timer_rows, SYSTEM, "too few timer rows")                                            \
    X(server_has_one_kind, SERVERS, "a server without a kind, or of two")                           \
    X(server_has_a_policy, SERVERS, "a server without a policy")                                    \
    X(server_has_timer_rows, SERVERS, "too few timer rows")                                         \
    X(budget_is_within_period, SERVERS, "budget above period")                                      \
    X(servers_form_a_tree, SERVERS, "the parents of a server form a ring")                          \
    X(parent_is_no_rule, SERVERS, "a server in a bandwidth server")                                 \
    X(server_level_exists, SERVERS, "level out of range")                                           \
    X(resource_is_in_a_dispatcher, RESOURCES, "a resource of a bandwidth server")                   \
    X(ceiling_needs_levels, RESOURCES, "a ceiling under a policy without levels")                   \
    X(ceiling_exists, RESOURCES, "ceiling out of range")                                            \
    X(protocols_mix, RESOURCES, "protocols that do not mix")                                        \
    X(protocol_is_among_servers, RESOURCES, "a protocol that servers cannot share under")           \
    X(among_is_of_the_parent, RESOURCES, "a resource that is another one in the parent")            \
    X(sharing_server_is_periodic, RESOURCES, "a kind of server that cannot share")                  \
    X(server_shares_once, RESOURCES, "a resource that a server shares twice")                       \
    X(longest_fits_protocol, RESOURCES, "longest is out of range")                                  \
    X(periodic_has_period, TASKS, "period 0 out of range")                                          \
    X(jitter_is_of_events, TASKS, "jitter of a task whose jobs are no events")                      \
    X(rule_server_holds_events, TASKS, "a periodic task in a bandwidth server")                     \
    X(task_level_exists, TASKS, "level out of range")                                               \
    X(preemption_level_exists, TASKS, "level of a preemption key out of range")                     \
    X(ring_is_power_of_two, TASKS, "a ring that is no power of two")                                \
    X(one_deadline_rule, TASKS, "two rules of a task")                                              \
    X(rule_is_of_events, TASKS, "events of a task whose jobs are no events")                        \
    X(rule_has_interval, TASKS, "interval out of range")                                            \
    X(share_goes_with_policy, SYSTEM, "share and the policy do not go together")                    \
    X(shares_stand_alone, SYSTEM, "shares beside servers")                                          \
    X(share_is_of_events, TASKS, "a share of a task whose jobs are no events")                      \
    X(share_has_weight, TASKS, "weight is out of range")                                            \
    X(stream_has_range, STREAMS, "limits of a distribution out of range")                           \
    X(list_is_not_empty, STREAMS, "an empty list")                                                  \
    X(list_is_in_range, STREAMS, "listed value out of range")                                       \
    X(uniform_ascends, STREAMS, "a uniform distribution that ends before it begins")                \
    X(shape_is_positive, STREAMS, "a shape that is not positive")                                   \
    X(demand_is_positive, TASKS, "a demand of 0")                                                   \
    X(arrivals_are_of_events, TASKS, "arrivals of a periodic task")                                 \
    X(arrivals_ascend, TASKS, "arrivals that descend")                                              \
    X(arrivals_have_separation, TASKS, "arrivals without any separation")                           \
    X(item_takes_time, ITEMS, "item of a body out of range")                                        \
    X(suspensions_are_told, TASKS, "a task that is not said to suspend")                            \
    X(locks_are_told, TASKS, "a task that is not said to lock")                                     \
    X(locked_resource_is_there, TASKS, "no such resource where the task is")                        \
    X(rule_locks_without_ceiling, TASKS, "a ceiling for a task in a bandwidth server")              \
    X(sections_nest, TASKS, "sections that are not nested")                                         \
    X(windows_go_with_policy, SYSTEM, "windows of another policy")                                  \
    X(allocator_is_last, WINDOWS, "an allocator before other tasks")                                \
    X(windowed_is_plain, WINDOWS, "windows of a task that is not plain")                            \
    X(part_is_in_range, WINDOWS, "part out of range")                                               \
    X(windowed_deadline_is_in_period, WINDOWS, "deadline above period")                             \
    X(slots_are_of_time_driven, WINDOWS, "slots where none belong, or none")                        \
    X(slots_ascend, WINDOWS, "slots that overlap or descend")                                       \
    X(slots_are_in_cycle, WINDOWS, "a slot outside the cycle")                                      \
    X(cycles_are_equal, WINDOWS, "different cycles")                                                \
    X(thread_level_exists, THREADS, "level out of range")                                           \
    X(tick_has_period, COSTS, "tick period out of range")                                           \
    X(pull_is_without_ticks, COSTS, "points cannot pull where there are ticks")                     \
    X(interval_is_positive, ARCHITECTURE, "interval out of range")                                  \
    X(architecture_has_plain_tasks, ARCHITECTURE, "an architecture with a task that is not plain")  \
    X(architecture_keeps_order, ARCHITECTURE, "an architecture under a policy whose order changes") \
    X(architecture_has_no_changes, ARCHITECTURE, "changes under an architecture")                   \
    X(rates_go_with_policy, SYSTEM, "rates and the policy do not go together")                      \
    X(rates_stand_alone, RATES, "rates beside servers")                                             \
    X(use_is_of_a_locking_task, USES, "a task that is not said to lock")                            \
    X(use_is_under_srp, USES, "a resource that rates do not go with")                               \
    X(use_is_told_once, USES, "a task and a resource are paired twice")                             \
    X(rated_is_plain, TASKS, "a rate for a task that is not plain")                                 \
    X(rated_has_weight, TASKS, "weight is out of range")                                            \
    X(rated_times_are_short, TASKS, "a time too long for a rate, or wcet or deadline above period") \
    X(rated_body_locks_its_uses, TASKS, "a body that rates do not go with")                         \
    X(greedy_is_rated, TASKS, "whole budgets without rates")                                        \
    X(only_soft_adapts, TASKS, "an estimate of a task that is not soft")                            \
    X(change_is_of_a_task, CHANGES, "a change of no task")                                          \
    X(changes_ascend, CHANGES, "changes that descend")                                              \
    X(policy_change_has_policy, CHANGES, "a change to no policy")                                   \
    X(policies_can_change, CHANGES, "another policy that does not go with the system")              \
    X(threshold_survives, CHANGES, "another policy and a threshold")                                \
    X(ceiling_survives, CHANGES, "another policy and a ceiling")                                    \
    X(changed_has_no_windows, CHANGES, "a change of a task with windows")                           \
    X(changed_has_no_rule, CHANGES, "parameters of a rule")                                         \
    X(changed_is_unmeasured, CHANGES, "parameters of what servers share")                           \
    X(changed_period_is_positive, CHANGES, "period out of range")                                   \
    X(changed_level_exists, CHANGES, "level out of range")                                          \
    X(changed_demand_is_positive, CHANGES, "a demand of 0")                                         \
    X(changed_rate_fits, CHANGES, "parameters that a rate cannot have")                             \
    X(processors_stand_alone, SYSTEM, "several processors beside other things")                     \
    X(processors_have_one_policy, SYSTEM, "several processors under a policy of one")               \
    X(processors_are_free, SYSTEM, "several processors with costs")                                 \
    X(processors_have_plain_tasks, SYSTEM, "several processors with a task that is not plain")      \
    X(input_has_a_receiver, INPUTS, "an input whose task or server does not exist")

#define TAKT_RELATION_ENUM(name, table, message) TAKT_RELATION_##name,
typedef enum takt_relation { TAKT_RELATION_LIST(TAKT_RELATION_ENUM) TAKT_RELATIONS } takt_relation_t;
#undef TAKT_RELATION_ENUM

/* The message and the name of `relation`. Never NULL. */
const char *takt_relation_message(takt_relation_t relation);
const char *takt_relation_name(takt_relation_t relation);

/* Returns the first relation that `program`, read by takt_image_read, violates, and writes table and row to `place`;
 * TAKT_RELATIONS if it keeps all. The program's scratch memory must be zeroed; it has any content afterwards. */
takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place);

#endif
