/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Relations of the root, servers and resources. The messages stand in check.h. */
#include "system/relations.h"

/* ---- the root --------------------------------------------------------------------------------------- */

bool takt_keeps_root_has_a_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.policy != NULL;
}

bool takt_keeps_numbers_suffice(const takt_program_t *program, uint32_t row) {
    (void)row;
    return entity_count(&program->spec) <= TAKT_ENTITY_LIMIT;
}

bool takt_keeps_remote_has_one_processor(const takt_program_t *program, uint32_t row) {
    (void)row;
    return !program->is_remote || program->spec.cpu_count == 0;
}

bool takt_keeps_delays_are_remote(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->is_remote || program->delays == NULL;
}

bool takt_keeps_root_has_timer_rows(const takt_program_t *program, uint32_t row) {
    (void)row;
    return rows_suffice(&program->spec, program->spec.order_rows);
}

/* ---- servers ---------------------------------------------------------------------------------------- */

bool takt_keeps_server_has_one_kind(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    return (server->kind == NULL) != (server->bandwidth == NULL);
}

bool takt_keeps_server_has_a_policy(const takt_program_t *program, uint32_t row) {
    return program->spec.servers[row].policy != NULL;
}

/* Rates are those of all tasks of a system. */
bool takt_keeps_server_allocates_no_rates(const takt_program_t *program, uint32_t row) {
    return !has_any(program->spec.servers[row].policy, TAKT_POLICY_RATES);
}

bool takt_keeps_server_has_timer_rows(const takt_program_t *program, uint32_t row) {
    return rows_suffice(&program->spec, program->spec.servers[row].order_rows);
}

bool takt_keeps_budget_is_within_period(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    return takt_server_budget_fits(server->capacity, server->period);
}

/* Each server is visited once in all: the scratch memory says from which row it was. */
bool takt_keeps_servers_form_a_tree(const takt_program_t *program, uint32_t row) {
    int32_t at = (int32_t)row;
    while (at != TAKT_ROOT && program->scratch[at] == 0) {
        program->scratch[at] = row + 1u;
        at = program->spec.servers[at].parent;
        if (at != TAKT_ROOT && program->scratch[at] == row + 1u) {
            return false;
        }
    }
    return true;
}

bool takt_keeps_parent_is_no_rule(const takt_program_t *program, uint32_t row) {
    return !is_in_rule_server(&program->spec, program->spec.servers[row].parent);
}

bool takt_keeps_kind_fits_parent(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    const takt_policy_t *parent = policy_at(&program->spec, server->parent);
    return server->kind != NULL ? takt_server_kind_fits(server->kind, parent)
                                : has_any(parent, TAKT_POLICY_DEADLINE_KEYS);
}

bool takt_keeps_server_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    return server->level <= levels_at(&program->spec, server->parent);
}

/* ---- resources -------------------------------------------------------------------------------------- */

bool takt_keeps_resource_is_in_a_dispatcher(const takt_program_t *program, uint32_t row) {
    return !is_in_rule_server(&program->spec, program->spec.resources[row].server);
}

bool takt_keeps_ceiling_needs_levels(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return takt_protocol_fits(takt_protocols[resource->protocol],
                              policy_at(&program->spec, resource->server));
}

bool takt_keeps_ceiling_exists(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_resource_spec_t *resource = &spec->resources[row];
    const bool is_level = has_levels_at(spec, resource->server);
    const takt_key_t most = is_level ? levels_at(spec, resource->server) : TAKT_TIME_MOST;
    return !has_ceiling(resource) || (resource->ceiling >= 1 && resource->ceiling <= most);
}

bool takt_keeps_protocols_mix(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *one = &program->spec.resources[row];
    bool mix = true;
    for (uint32_t i = 0; i < row; i++) {
        const takt_resource_spec_t *other = &program->spec.resources[i];
        mix &= one->server != other->server ||
               takt_protocols_mix(takt_protocols[one->protocol], takt_protocols[other->protocol]);
    }
    return mix;
}

bool takt_keeps_protocol_is_among_servers(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return !resource->is_shared ||
           (resource->server != TAKT_ROOT && takt_protocols[resource->protocol]->scope == TAKT_SCOPE_SERVERS);
}

bool takt_keeps_among_is_of_the_parent(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_resource_spec_t *resource = &spec->resources[row];
    const takt_resource_spec_t *among = &spec->resources[resource->among];
    return !resource->is_shared || (!among->is_shared && among->protocol == resource->protocol &&
                                    among->server == spec->servers[resource->server].parent);
}

bool takt_keeps_sharing_server_is_periodic(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return !resource->is_shared || takt_server_kind_is_periodic(program->spec.servers[resource->server].kind);
}

bool takt_keeps_server_shares_once(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *one = &program->spec.resources[row];
    bool is_first = true;
    for (uint32_t i = 0; one->is_shared && i < row; i++) {
        const takt_resource_spec_t *other = &program->spec.resources[i];
        is_first &= !other->is_shared || other->server != one->server || other->among != one->among;
    }
    return is_first;
}

bool takt_keeps_longest_fits_protocol(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    if (!resource->is_shared || !takt_protocols[resource->protocol]->awaits_budget) {
        return resource->longest == 0;
    }
    return resource->longest >= 1 && resource->longest <= program->spec.servers[resource->server].capacity;
}
