/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based tasks over fixed priorities; see hybrid.h. */
#include "kernel/hybrid.h"

#include "kernel/backend.h"
#include "kernel/negotiation.h"
#include "policy/table.h"

static void make(takt_hybrid_t *hybrid, const takt_rate_settings_t *settings) {
    const takt_ready_t ready = takt_ready_keyed(hybrid->places);
    takt_dispatcher_init(&hybrid->dispatcher, &takt_policy_rate_based, &ready, hybrid->rows,
                         TAKT_KERNEL_ORDER_ROWS, TAKT_KERNEL_TIME_ROWS, &hybrid->cpu, 1);
    takt_rate_based_init(&hybrid->rates, settings, &hybrid->dispatcher);
}

takt_status_t takt_hybrid_init(takt_hybrid_t *hybrid, const takt_hybrid_host_t *host,
                               const takt_rate_settings_t *settings, uint32_t highest, takt_change_t *changes,
                               uint32_t count) {
    if (hybrid == NULL || host == NULL || settings == NULL || (changes == NULL && count > 0)) {
        return TAKT_ERROR_NULL;
    }
    const takt_status_t status = takt_negotiation_check_settings(settings);
    if (status != TAKT_OK) {
        return status;
    }
    hybrid->host = host;
    hybrid->highest = highest;
    make(hybrid, settings);
    takt_negotiation_init(&hybrid->records, &hybrid->rates, changes, count);
    return TAKT_OK;
}

static bool has_room(const takt_hybrid_t *hybrid) {
    const bool has_number = hybrid->count + 1u < (uint32_t)TAKT_KERNEL_ENTITY_LIMIT;
    const bool has_priority = hybrid->count + (uint32_t)TAKT_HYBRID_LEAST <= hybrid->highest;
    return has_number && has_priority && hybrid->count < TAKT_KERNEL_HEAP_SLOTS;
}

static void append(takt_hybrid_t *hybrid, takt_hybrid_task_t *task) {
    if (hybrid->last != NULL) {
        hybrid->last->next = task;
    } else {
        hybrid->first = task;
    }
    hybrid->last = task;
    hybrid->count++;
}

static takt_status_t check_place(const takt_hybrid_t *hybrid, const takt_hybrid_task_t *task) {
    if (hybrid->rates.allocation.dispatcher == NULL) {
        return TAKT_ERROR_OBJECT;
    }
    if (takt_negotiation_is_made(&task->rate)) {
        return TAKT_ERROR_EXISTS;
    }
    return has_room(hybrid) ? TAKT_OK : TAKT_ERROR_FULL;
}

takt_status_t takt_hybrid_add(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, void *thread,
                              takt_task_class_t type, const takt_rate_demand_t *demand) {
    if (hybrid == NULL || task == NULL || demand == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_negotiation_check(type, demand);
    if (status == TAKT_OK) {
        status = check_place(hybrid, task);
    }
    if (status != TAKT_OK) {
        return status;
    }
    append(hybrid, task);
    task->thread = thread;
    task->priority = TAKT_HYBRID_BARRED;
    takt_negotiation_add(&hybrid->rates, &task->rate, &task->task, &task->entity, type, demand,
                         hybrid->count);
    return TAKT_OK;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static void post(takt_hybrid_t *hybrid, takt_event_kind_t kind, takt_hybrid_task_t *task,
                 takt_instant_t now) {
    takt_tell(&hybrid->dispatcher,
              &(takt_event_t){.kind = kind, .entity = &task->entity, .now = now, .nominal = now});
}

/* True if `task` was added to `hybrid`. */
static takt_status_t check_task(const takt_hybrid_t *hybrid, const takt_hybrid_task_t *task) {
    TAKT_REQUIRE(hybrid != NULL && task != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(takt_negotiation_is_made(&task->rate), TAKT_ERROR_OBJECT);
    return TAKT_OK;
}

takt_status_t takt_hybrid_enter(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now) {
    const takt_status_t status = check_task(hybrid, task);
    return status == TAKT_OK ? takt_negotiation_enter(&task->rate, now) : status;
}

takt_status_t takt_hybrid_leave(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now) {
    const takt_status_t status = check_task(hybrid, task);
    if (status == TAKT_OK) {
        post(hybrid, TAKT_EVENT_LEAVE, task, now);
    }
    return status;
}

takt_status_t takt_hybrid_request(takt_hybrid_t *hybrid, takt_hybrid_task_t *task,
                                  const takt_rate_demand_t *demand, takt_instant_t now) {
    if (demand == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = check_task(hybrid, task);
    if (status == TAKT_OK) {
        status = takt_negotiation_check((takt_task_class_t)task->task.job.task_class, demand);
    }
    return status == TAKT_OK ? takt_negotiation_request(&hybrid->records, &task->rate, demand, now) : status;
}

void takt_hybrid_complete(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now) {
    post(hybrid, TAKT_EVENT_COMPLETE, task, now);
}

/* ---- priorities ------------------------------------------------------------------------------------- */

static bool goes_first(const takt_entity_t *a, const takt_entity_t *b) {
    return takt_entity_is_ready(a) && takt_is_more_urgent(a->key, a->tie, b->key, b->tie);
}

static uint32_t priority_of(const takt_hybrid_t *hybrid, const takt_hybrid_task_t *task) {
    if (!takt_entity_is_ready(&task->entity)) {
        return TAKT_HYBRID_BARRED;
    }
    uint32_t priority = hybrid->highest;
    for (const takt_hybrid_task_t *other = hybrid->first; other != NULL; other = other->next) {
        priority -= goes_first(&other->entity, &task->entity) ? 1u : 0u;
    }
    return priority;
}

static void rewrite_priorities(takt_hybrid_t *hybrid) {
    for (takt_hybrid_task_t *task = hybrid->first; task != NULL; task = task->next) {
        const uint32_t priority = priority_of(hybrid, task);
        if (priority != task->priority) {
            task->priority = priority;
            hybrid->host->set_priority(task->thread, priority);
        }
    }
}

takt_instant_t takt_hybrid_step(takt_hybrid_t *hybrid, takt_instant_t now) {
    bool is_charge_due = true;
    while (takt_settle(&hybrid->dispatcher, now, &is_charge_due)) {
    }
    const takt_decision_t decision = takt_ask(&hybrid->dispatcher, now);
    rewrite_priorities(hybrid);
    return decision.until;
}
