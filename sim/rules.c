/* Rules of rules.h. */
#include "sim/rules.h"

#include "sim/system.h"

#include <stdlib.h>

/* Zeroed memory, not NULL for nothing. */
static void *allocate(size_t count, size_t size) { return calloc(count > 0 ? count : 1u, size); }

static size_t count_rbe(const takt_system_spec_t *spec, size_t *events) {
    size_t count = 0;
    *events = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += spec->tasks[i].events > 0;
        *events += spec->tasks[i].events;
    }
    return count;
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

static bool create_rbe(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    size_t events;
    rules->rbe = allocate(count_rbe(spec, &events), sizeof *rules->rbe);
    rules->deadlines = allocate(events, sizeof *rules->deadlines);
    if (rules->rbe == NULL || rules->deadlines == NULL) {
        return false;
    }
    attach_rbe(rules, system, spec);
    return true;
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

static bool create_groups(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    rules->groups = allocate(spec->server_count, sizeof *rules->groups);
    if (rules->groups == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < spec->server_count; i++) {
        if (spec->servers[i].bandwidth != NULL) {
            takt_bandwidth_init(&rules->groups[i], spec->servers[i].bandwidth);
        }
    }
    attach_groups(rules, system, spec);
    return true;
}

static bool create_share(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    if (!spec->has_shares) {
        return true;
    }
    const uint32_t count = spec->task_count;
    rules->flows = allocate(count, sizeof *rules->flows);
    rules->heaps = allocate(2u * (size_t)count, sizeof *rules->heaps);
    if (rules->flows == NULL || rules->heaps == NULL) {
        return false;
    }
    rules->is_any = true;
    takt_share_init(&rules->share, spec->share, &system->dispatcher, rules->heaps, rules->heaps + count);
    for (uint32_t i = 0; i < count; i++) {
        takt_share_add(&rules->share, &rules->flows[i], &system->tasks[i], spec->tasks[i].weight);
    }
    return true;
}

bool takt_rules_create(takt_rules_t *rules, takt_system_t *system, const takt_system_spec_t *spec) {
    return create_rbe(rules, system, spec) && create_groups(rules, system, spec) &&
           create_share(rules, system, spec);
}

void takt_rules_destroy(takt_rules_t *rules) {
    free(rules->rbe);
    free(rules->deadlines);
    free(rules->groups);
    free(rules->flows);
    free(rules->heaps);
    *rules = (takt_rules_t){0};
}
