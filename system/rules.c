/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rules of rules.h. */
#include "system/rules.h"

#include "system/builders.h"

static uint64_t count_rbe(const takt_system_spec_t *spec) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += spec->tasks[i].events > 0;
    }
    return count;
}

static uint64_t count_events(const takt_system_spec_t *spec) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += spec->tasks[i].events;
    }
    return count;
}

static void lay_out(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec,
                    uint32_t count) {
    (void)count;
    takt_rules_t *rules = &system->rules;
    const uint32_t flows = spec->has_shares ? spec->task_count : 0u;
    rules->rbe = takt_arena_take(arena, count_rbe(spec), sizeof *rules->rbe);
    rules->deadlines = takt_arena_take(arena, count_events(spec), sizeof *rules->deadlines);
    rules->groups = takt_arena_take(arena, spec->server_count, sizeof *rules->groups);
    rules->flows = takt_arena_take(arena, flows, sizeof *rules->flows);
    rules->heaps = takt_arena_take(arena, 2u * (uint64_t)flows, sizeof *rules->heaps);
}

static void attach_rbe(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    takt_rbe_t *rbe = rules->rbe;
    takt_instant_t *deadlines = rules->deadlines;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        if (task->events > 0) {
            takt_rbe_init(rbe, task->events, task->interval, deadlines);
            system->tasks[i].extension->rule = &rbe->rule;
            rules->is_any = true;
            deadlines += task->events;
            rbe++;
        }
    }
}

static void make_groups(takt_rules_t *rules, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->server_count; i++) {
        if (spec->servers[i].bandwidth != NULL) {
            takt_bandwidth_init(&rules->groups[i], spec->servers[i].bandwidth);
        }
    }
}

static void attach_groups(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const int32_t server = spec->tasks[i].server;
        if (takt_system_place(spec, server) != server) {
            system->tasks[i].extension->rule = &rules->groups[server].rule;
            rules->is_any = true;
        }
    }
}

static void attach_shares(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    const uint32_t count = spec->task_count;
    rules->is_any = true;
    takt_share_init(&rules->share, spec->share, system->dispatcher, rules->heaps, rules->heaps + count);
    for (uint32_t i = 0; i < count; i++) {
        takt_share_add(&rules->share, &rules->flows[i], &system->tasks[i], spec->tasks[i].weight);
    }
}

static void attach(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_rules_t *rules = &system->rules;
    attach_rbe(rules, system, spec);
    make_groups(rules, spec);
    attach_groups(rules, system, spec);
    if (spec->has_shares) {
        attach_shares(rules, system, spec);
    }
}

const takt_builder_t takt_builder_rules = {.lay_out = lay_out, .end = attach};
