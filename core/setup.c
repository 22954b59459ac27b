/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Setup of a dispatcher before the system starts; see dispatcher.h. */
#include "core/dispatcher.h"

#include "core/hierarchy.h"
#include "core/source.h"

_Static_assert(offsetof(takt_ready_t, keys) == offsetof(takt_ready_t, levels.rows[TAKT_TAIL_MAX_DEPTH - 1]),
               "the tail is before the heap");
_Static_assert(offsetof(takt_ready_t, tail_depth) == offsetof(takt_ready_t, levels.depth),
               "the tail is levels");

void takt_server_init(takt_server_t *server, const takt_policy_t *policy, const takt_ready_t *ready,
                      takt_timers_row_t *rows, uint32_t order_rows, uint32_t time_rows) {
    server->policy = policy;
    server->ready = *ready;
    takt_timers_init(&server->timers, rows, order_rows, time_rows);
}

/* True if `parent` is the root: it is ready from the beginning, and a server that is added later than its children is not. */
static bool is_root(const takt_server_t *parent) {
    return takt_server_is_root(parent) && takt_entity_is_ready(&parent->entity);
}

/* Returns the attributes that all children have; for the root see also takt_dispatcher_set_changes. */
static uint32_t common_attributes(const takt_server_t *parent) {
    uint32_t attributes = is_root(parent) ? parent->entity.attributes : (uint32_t)TAKT_ATTRIBUTE_IN_SERVER;
    if (parent->ready.order == TAKT_ORDER_KEYS) {
        attributes |= TAKT_ATTRIBUTE_KEYED;
    }
    if (parent->policy->overtake != NULL) {
        attributes |= TAKT_ATTRIBUTE_AGING;
    }
    return attributes;
}

static void init_entity(takt_entity_t *entity, takt_server_t *parent, uint32_t id, uint32_t attributes) {
    entity->parent = parent;
    entity->tie = takt_tie_of(TAKT_TIE_RANK_OWN, id & (TAKT_ENTITY_LIMIT - 1u));
    takt_entity_set_attributes(entity, attributes | common_attributes(parent));
}

void takt_dispatcher_init(takt_dispatcher_t *dispatcher, const takt_policy_t *policy,
                          const takt_ready_t *ready, takt_timers_row_t *rows, uint32_t order_rows,
                          uint32_t time_rows, takt_cpu_t *cpus, uint32_t ncpu) {
    dispatcher->cpus = cpus;
    dispatcher->ncpu = (uint16_t)ncpu;
    for (uint32_t i = 0; i < ncpu; i++) {
        cpus[i].in_order = &cpus[i];
    }
    takt_server_init(&dispatcher->root, policy, ready, rows, order_rows, time_rows);
    takt_entity_set_state(&dispatcher->root.entity, TAKT_STATE_READY);
}

void takt_dispatcher_add_server(takt_server_t *server, takt_server_t *parent,
                                const takt_server_parameters_t *parameters) {
    init_entity(&server->entity, parent, parameters->id, TAKT_ATTRIBUTE_SERVER);
    server->kind = parameters->kind;
    server->job.period = parameters->period;
    server->capacity = parameters->capacity;
    server->returns = parameters->returns;
    server->job.level = parameters->level;
    takt_timer_init(&server->replenishment, &parent->timers, TAKT_TIMER_REPLENISHMENT, parameters->id);
    takt_timer_init(&server->wake, &parent->timers, TAKT_TIMER_WAKE, parameters->id);
    takt_timer_init(&server->instant_end, &parent->timers, TAKT_TIMER_INSTANT_END, parameters->id);
    takt_timers_insert(&parent->timers, &server->replenishment, parameters->offset);
    takt_hierarchy_rearm_wakes(server);
}

static const takt_job_source_t *source_of(const takt_task_extension_t *extension) {
    if (extension->allocation != NULL) {
        return &takt_source_allocated;
    }
    return extension->capacity > 0 ? &takt_source_events : &takt_source_periodic;
}

static void add_extension(takt_task_t *task, takt_task_extension_t *extension, const takt_timers_t *timers,
                          uint32_t id) {
    task->extension = extension;
    extension->task = task;
    extension->source = source_of(extension);
    extension->period = task->job.period;
    takt_timer_init(&extension->expiry, timers, TAKT_TIMER_EXPIRY, id);
    takt_timer_init(&extension->resume, timers, TAKT_TIMER_RESUME, id);
}

void takt_dispatcher_add_task(takt_task_t *task, takt_entity_t *entity, takt_server_t *parent,
                              const takt_task_parameters_t *parameters) {
    init_entity(entity, parent, parameters->id, parameters->is_limited ? TAKT_ATTRIBUTE_LIMITED : 0u);
    entity->task = task;
    task->entity = entity;
    task->base_tie = entity->tie;
    task->relative_deadline = parameters->relative_deadline;
    task->wcet = parameters->wcet;
    task->job.level = parameters->level;
    task->job.period = parameters->period;
    task->job.task_class = parameters->task_class;
    task->preemption_key = parameters->preemption_key;
    takt_timer_init(&task->timer, &parent->timers, TAKT_TIMER_RELEASE, parameters->id);
    if (parameters->extension != NULL) {
        add_extension(task, parameters->extension, &parent->timers, parameters->id);
    }
    if (takt_task_is_periodic(task) && !parameters->is_absent) {
        takt_timers_insert(&parent->timers, &task->timer, parameters->offset);
        takt_hierarchy_rearm_wakes(parent);
    }
}

/* Children of a root whose policy may change have the union of the attributes that any of its policies requires. Their
 * keys are rewritten when they become ready, so that only the full pass decides. */
void takt_dispatcher_set_changes(takt_dispatcher_t *dispatcher, takt_change_t *changes, uint32_t count) {
    uint32_t attributes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (changes[i].kind == TAKT_CHANGE_POLICY) {
            attributes |= TAKT_ATTRIBUTE_KEYED | TAKT_ATTRIBUTE_FULL_PASS;
            attributes |= changes[i].policy->overtake != NULL ? TAKT_ATTRIBUTE_AGING : 0u;
        }
    }
    dispatcher->changes = changes;
    takt_entity_set_attributes(&dispatcher->root.entity, attributes);
}

void takt_resource_init_under(takt_resource_t *resource, uint32_t number, takt_protocol_t protocol,
                              const takt_protocol_kind_t *kind, takt_key_t ceiling) {
    resource->number = number;
    resource->protocol = (uint32_t)protocol;
    resource->kind = kind;
    resource->ceiling = ceiling;
    resource->boost = TAKT_KEY_OF_NOTHING;
}

void takt_resource_init(takt_resource_t *resource, uint32_t number, takt_protocol_t protocol,
                        takt_key_t ceiling) {
    takt_resource_init_under(resource, number, protocol, takt_protocols[protocol], ceiling);
}

void takt_resource_share(takt_resource_t *resource, takt_resource_t *among, takt_server_t *server,
                         takt_duration_t longest) {
    resource->among = among;
    resource->longest = longest;
    server->sharing = resource->protocol;
    takt_entity_set_attributes(&server->entity, TAKT_ATTRIBUTE_FULL_PASS);
}

/* Writes the base urgency of core/urgency.c: a thread that is added has no modifiers and is in no ready set. */
void takt_dispatcher_add_thread(takt_plain_t *thread, takt_server_t *parent, takt_key_t level, uint32_t id) {
    thread->entity.attributes = 0; /* it may have been under another parent */
    init_entity(&thread->entity, parent, id, 0);
    thread->entity.level = (uint8_t)level;
    if (parent->ready.order == TAKT_ORDER_KEYS) {
        takt_entity_clear_attributes(&thread->entity, TAKT_ATTRIBUTE_KEYED);
        thread->entity.key = TAKT_KEY_OF_TAIL + level;
        thread->entity.tie = takt_tie_of(TAKT_CLASS_NONE + TAKT_TIE_RANK_OWN, id);
    } else {
        thread->entity.key = level;
    }
}
