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
#define TAKT_RELATION_LIST(X)                                                                           \
    X(root_has_a_policy, SYSTEM, BASIC, "the root has no policy")                                       \
    X(numbers_suffice, SYSTEM, PLAIN, "more entities than numbers")                                     \
    X(remote_has_one_processor, RUN, PLAIN, "a remote scheduler has one processor")                     \
    X(delays_are_remote, RUN, PLAIN, "delays of messages need a remote scheduler")                      \
    X(root_has_timer_rows, SYSTEM, PLAIN, "too few timer rows")                                         \
    X(server_has_one_kind, SERVERS, BASIC, "a server needs exactly one kind")                           \
    X(server_has_a_policy, SERVERS, BASIC, "the server has no policy")                                  \
    X(server_allocates_no_rates, SERVERS, PLAIN, "the policy of a server is one for the root only")     \
    X(server_has_timer_rows, SERVERS, PLAIN, "too few timer rows")                                      \
    X(budget_is_within_period, SERVERS, PLAIN, "the budget exceeds the period")                         \
    X(servers_form_a_tree, SERVERS, BASIC, "the parents of a server form a ring")                       \
    X(parent_is_no_rule, SERVERS, PLAIN, "the parent is a bandwidth server, which cannot hold servers") \
    X(kind_fits_parent, SERVERS, PLAIN, "the policy of the parent gives this kind no deadlines")        \
    X(server_level_exists, SERVERS, PLAIN, "the level is out of range")                                 \
    X(resource_is_in_a_dispatcher, RESOURCES, BASIC, "the resource is in a bandwidth server")           \
    X(ceiling_needs_levels, RESOURCES, PLAIN, "a ceiling needs a policy with levels")                   \
    X(ceiling_exists, RESOURCES, PLAIN, "the ceiling is out of range")                                  \
    X(protocols_mix, RESOURCES, PLAIN, "protocols of one dispatcher exclude each other")                \
    X(protocol_is_among_servers, RESOURCES, BASIC, "servers cannot share under this protocol")          \
    X(among_is_of_the_parent, RESOURCES, PLAIN, "the parent has no such shared resource")               \
    X(sharing_server_is_periodic, RESOURCES, PLAIN, "a server of this kind cannot share")               \
    X(server_shares_once, RESOURCES, PLAIN, "the server shares the resource twice")                     \
    X(longest_fits_protocol, RESOURCES, PLAIN, "longest is out of range for the protocol")              \
    X(periodic_has_period, TASKS, PLAIN, "a periodic task has period 0")                                \
    X(jitter_is_of_events, TASKS, PLAIN, "jitter needs jobs that arrive as events")                     \
    X(rule_server_holds_events, TASKS, PLAIN, "a task in a bandwidth server is periodic")               \
    X(task_level_exists, TASKS, PLAIN, "the level is out of range")                                     \
    X(preemption_level_exists, TASKS, PLAIN, "the level of the preemption key is out of range")         \
    X(ring_is_power_of_two, TASKS, PLAIN, "the length of the ring is no power of two")                  \
    X(one_deadline_rule, TASKS, PLAIN, "a task has two deadline rules")                                 \
    X(rule_is_of_events, TASKS, PLAIN, "a deadline rule needs jobs that arrive as events")              \
    X(rule_has_interval, TASKS, PLAIN, "the interval is out of range")                                  \
    X(share_goes_with_policy, SYSTEM, PLAIN, "shares need policy share, and the policy needs shares")   \
    X(share_is_of_events, TASKS, PLAIN, "a share needs jobs that arrive as events")                     \
    X(share_has_weight, TASKS, PLAIN, "the weight is out of range")                                     \
    X(share_wcet_is_short, TASKS, PLAIN, "the wcet is too long for virtual time")                       \
    X(stream_has_range, STREAMS, PLAIN, "the limits of a distribution are out of range")                \
    X(list_is_not_empty, STREAMS, PLAIN, "the list is empty")                                           \
    X(list_is_in_range, STREAMS, PLAIN, "a listed value is out of range")                               \
    X(uniform_ascends, STREAMS, PLAIN, "a uniform distribution ends before it begins")                  \
    X(shape_is_positive, STREAMS, PLAIN, "the shape is not positive")                                   \
    X(demand_is_positive, TASKS, PLAIN, "the demand is 0")                                              \
    X(arrivals_are_of_events, TASKS, PLAIN, "a periodic task has arrivals")                             \
    X(arrivals_ascend, TASKS, PLAIN, "the arrivals descend")                                            \
    X(arrivals_keep_distance, TASKS, PLAIN, "arrivals are closer than the least separation")            \
    X(arrivals_have_separation, TASKS, PLAIN, "the arrivals have no separation")                        \
    X(item_takes_time, ITEMS, PLAIN, "an item of a body is out of range")                               \
    X(suspensions_are_told, TASKS, PLAIN, "the body suspends, and the field suspends is 0")             \
    X(locks_are_told, TASKS, PLAIN, "the body locks, and the field locks is 0")                         \
    X(locked_resource_is_there, TASKS, BASIC, "the dispatcher of the task has no such resource")        \
    X(rule_locks_without_ceiling, TASKS, PLAIN, "a task in a bandwidth server has no ceiling")          \
    X(sections_nest, TASKS, PLAIN, "the sections are not nested")                                       \
    X(windows_go_with_policy, SYSTEM, PLAIN, "the windows are of another policy")                       \
    X(allocator_is_last, WINDOWS, PLAIN, "the task of the allocator is not the last one")               \
    X(part_is_in_range, WINDOWS, PLAIN, "the part is out of range")                                     \
    X(windowed_deadline_is_in_period, WINDOWS, PLAIN, "the deadline exceeds the period")                \
    X(soft_does_not_obstruct, TASKS, PLAIN, "a task without promotion could delay promoted ones")       \
    X(slots_are_of_time_driven, WINDOWS, PLAIN, "only time-driven tasks have slots, and each has some") \
    X(slots_ascend, WINDOWS, PLAIN, "the slots overlap or descend")                                     \
    X(slots_are_in_cycle, WINDOWS, PLAIN, "a slot is outside of the cycle")                             \
    X(slots_do_not_overlap, WINDOWS, PLAIN, "slots of two tasks overlap")                               \
    X(cycles_are_equal, WINDOWS, PLAIN, "the cycles of two tasks differ")                               \
    X(thread_server_exists, THREADS, BASIC, "the server of the thread does not exist")                  \
    X(thread_level_exists, THREADS, PLAIN, "the level is out of range")                                 \
    X(tick_has_period, COSTS, PLAIN, "the tick period is out of range")                                 \
    X(architecture_drops_late_jobs, TASKS, PLAIN, "an architecture drops late jobs")                    \
    X(architecture_ends_in_wcet, TASKS, PLAIN, "the demand exceeds the wcet")                           \
    X(interval_is_positive, ARCHITECTURE, PLAIN, "the interval is out of range")                        \
    X(architecture_has_such_times, ARCHITECTURE, PLAIN, "a time of another architecture")               \
    X(shares_leave_room, RATES, PLAIN, "beta and sigma exceed the processor")                           \
    X(rates_go_with_policy, SYSTEM, PLAIN, "rates need policy rate-based, and the policy needs rates")  \
    X(use_is_of_a_locking_task, USES, PLAIN, "the task locks, and its field locks is 0")                \
    X(use_is_under_srp, USES, PLAIN, "a resource of rate-based tasks needs srp")                        \
    X(use_is_told_once, USES, PLAIN, "a task and a resource are paired twice")                          \
    X(rated_has_weight, TASKS, PLAIN, "the weight is out of range")                                     \
    X(rated_period_is_short, TASKS, PLAIN, "the period is too long for a rate")                         \
    X(rated_wcet_is_short, TASKS, PLAIN, "the wcet is too long for a rate")                             \
    X(rated_deadline_fits_class, TASKS, PLAIN, "the deadline is not that of the class")                 \
    X(rated_wcet_is_within_deadline, TASKS, PLAIN, "the wcet exceeds the deadline")                     \
    X(rated_body_locks_its_uses, TASKS, PLAIN, "the body has more than runs and declared locks")        \
    X(greedy_is_rated, TASKS, PLAIN, "whole budgets need a rate-based root")                            \
    X(only_soft_adapts, TASKS, PLAIN, "only a soft task has an estimated wcet")                         \
    X(change_is_of_a_task, CHANGES, BASIC, "the change names no task")                                  \
    X(changes_ascend, CHANGES, PLAIN, "the changes descend")                                            \
    X(policy_change_has_policy, CHANGES, BASIC, "the change names no policy")                           \
    X(changed_has_no_windows, CHANGES, PLAIN, "a task with windows cannot change")                      \
    X(changed_has_no_rule, CHANGES, PLAIN, "parameters of a deadline rule cannot change")               \
    X(changed_is_unmeasured, CHANGES, PLAIN, "sections among servers depend on the parameters")         \
    X(changed_period_is_positive, CHANGES, PLAIN, "the period is out of range")                         \
    X(changed_level_exists, CHANGES, PLAIN, "the level is out of range")                                \
    X(changed_demand_is_positive, CHANGES, PLAIN, "the demand is 0")                                    \
    X(changed_rate_keeps_class, CHANGES, PLAIN, "the class of a rate cannot change")                    \
    X(changed_rate_has_weight, CHANGES, PLAIN, "the weight is out of range")                            \
    X(changed_period_is_short, CHANGES, PLAIN, "the period is too long for a rate")                     \
    X(changed_wcet_is_short, CHANGES, PLAIN, "the wcet is too long for a rate")                         \
    X(changed_deadline_fits_class, CHANGES, PLAIN, "the deadline is not that of the class")             \
    X(changed_wcet_is_within_deadline, CHANGES, PLAIN, "the wcet exceeds the deadline")                 \
    X(input_has_a_receiver, INPUTS, PLAIN, "the input has no task or server")

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

/* Returns the first relation that `program`, read by takt_image_read, violates, and writes table and row to `place`;
 * TAKT_RELATIONS if it keeps all. The program's scratch memory must be zeroed; it has any content afterwards. */
takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place);

/* Returns the next one after `relation`, violated at `place`, and writes table and row to `place`; TAKT_RELATIONS if
 * there is none. After a basic one come its other rows alone. */
takt_relation_t takt_check_next(const takt_program_t *program, takt_relation_t relation, takt_place_t *place);

#endif
