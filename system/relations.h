/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations: a predicate for each row of TAKT_RELATION_LIST and each trait of the matrix, and their helper functions.
 * For check.c alone. */
#ifndef TAKT_SYSTEM_RELATIONS_H
#define TAKT_SYSTEM_RELATIONS_H

#include "core/protocol.h"
#include "policy/table.h"
#include "system/check.h"

/* True if row `row` of the relation's table keeps it. */
#define TAKT_RELATION_PREDICATE(name, table, rank, message) \
    bool takt_keeps_##name(const takt_program_t *program, uint32_t row);
TAKT_RELATION_LIST(TAKT_RELATION_PREDICATE)
#undef TAKT_RELATION_PREDICATE

TAKT_INLINE const takt_policy_t *policy_at(const takt_system_spec_t *spec, int32_t in) {
    const int32_t place = takt_system_place(spec, in);
    return place == TAKT_ROOT ? spec->policy : spec->servers[place].policy;
}

TAKT_INLINE uint32_t levels_at(const takt_system_spec_t *spec, int32_t in) {
    const int32_t place = takt_system_place(spec, in);
    return place == TAKT_ROOT ? spec->levels : spec->servers[place].levels;
}

TAKT_INLINE bool has_levels_at(const takt_system_spec_t *spec, int32_t in) {
    return policy_at(spec, in)->order == TAKT_ORDER_LEVELS;
}

TAKT_INLINE bool is_in_rule_server(const takt_system_spec_t *spec, int32_t in) {
    return takt_system_place(spec, in) != in;
}

TAKT_INLINE uint64_t entity_count(const takt_system_spec_t *spec) {
    return UINT64_C(1) + spec->server_count + spec->task_count + spec->thread_count;
}

/* Timers with `order_rows` rows of order digits serve the numbers below 2^(4 order_rows - 2). */
TAKT_INLINE bool rows_suffice(const takt_system_spec_t *spec, uint32_t order_rows) {
    return order_rows == 0 || entity_count(spec) <= (UINT64_C(1) << (4u * order_rows - 2u));
}

TAKT_INLINE bool has_ceiling(const takt_resource_spec_t *resource) {
    return takt_protocols[resource->protocol]->has_ceiling;
}

/* True if jobs of one dispatcher run only above the ceilings of `protocol`. */
TAKT_INLINE bool bars_runs(const takt_protocol_kind_t *protocol) {
    return protocol->bars == TAKT_BARS_RUNS && protocol->scope != TAKT_SCOPE_SERVERS;
}

TAKT_INLINE bool has_rule(const takt_system_spec_t *spec, const takt_task_spec_t *task) {
    return task->events > 0 || spec->has_shares || is_in_rule_server(spec, task->server);
}

/* True if `policy` has one of some traits. */
TAKT_INLINE bool has_any(const takt_policy_t *policy, int traits) {
    return (policy->traits & (uint32_t)traits) != 0;
}

/* True if `policy` is not of this build. */
TAKT_INLINE bool is_foreign(const takt_policy_t *policy) {
    bool is_known = false;
    for (size_t i = 0; i < takt_policy_count; i++) {
        is_known |= takt_policies[i] == policy;
    }
    return !is_known;
}

TAKT_INLINE bool names_resource(const takt_item_t *item) {
    return item->kind == TAKT_ITEM_LOCK || item->kind == TAKT_ITEM_UNLOCK;
}

#endif
