/* Keys of urgency.h. */
#include "core/urgency.h"

#include "core/waiting.h"

static bool has_keys(const takt_entity_t *entity) { return entity->home->ready.order == TAKT_ORDER_KEYS; }

static uint32_t tie_of_thread(const takt_entity_t *entity, uint32_t rank) {
    return (TAKT_CLASS_NONE + rank) << 20 | entity->id;
}

void takt_urgency_write_level(takt_entity_t *entity, takt_key_t level) {
    entity->tie = has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_OWN) : (uint32_t)level;
    entity->key = has_keys(entity) ? TAKT_KEY_LEAST_URGENT : level;
}

void takt_urgency_create(takt_entity_t *entity, takt_key_t level) {
    takt_urgency_write_level(entity, level);
    if (has_keys(entity) && level == TAKT_KEY_LEAST_URGENT) {
        entity->tie = UINT32_MAX;
    }
}

takt_key_t takt_urgency_own_key(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return entity->task->own_key;
    }
    return has_keys(entity) ? TAKT_KEY_LEAST_URGENT : entity->tie;
}

uint32_t takt_urgency_own_tie(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return entity->task->own_tie;
    }
    return has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_OWN) : entity->tie;
}

/* The tie of `entity`, which holds or waits. */
static uint32_t tie_of_locking(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return takt_tie_of_locking(entity, &entity->task->job);
    }
    return has_keys(entity) ? tie_of_thread(entity, TAKT_TIE_RANK_LOCKING) : entity->tie;
}

static void lower(takt_key_t *key, takt_key_t bound) { *key = bound < *key ? bound : *key; }

takt_key_t takt_urgency_key_without_start(takt_entity_t *entity) {
    takt_key_t key = takt_urgency_own_key(entity);
    for (const takt_resource_t *held = *takt_waiting_held_by(entity); held != NULL; held = held->outer) {
        lower(&key, held->boost);
    }
    return key;
}

void takt_urgency_put(takt_entity_t *entity, takt_key_t key, uint32_t tie) {
    if (!takt_entity_is_ready(entity)) {
        entity->key = key;
        entity->tie = has_keys(entity) ? tie : entity->tie;
    } else if (has_keys(entity) || entity->key != key) {
        takt_ready_rekey(&entity->home->ready, entity, key, tie);
    }
}

void takt_urgency_write_locking_key(takt_entity_t *entity) {
    takt_key_t key = takt_urgency_key_without_start(entity);
    uint32_t tie = tie_of_locking(entity);
    if ((entity->state & TAKT_STATE_STARTED) != 0) {
        const takt_key_t started = entity->task->extension->started_key;
        lower(&key, started);
        tie = started == TAKT_KEY_MOST_URGENT ? 0 : tie;
    }
    takt_urgency_put(entity, key, tie);
}

void takt_urgency_change_level_of_thread(takt_entity_t *entity, takt_key_t level) {
    if (has_keys(entity)) {
        return;
    }
    entity->tie = (uint32_t)level;
    if (takt_entity_is_locking(entity)) {
        takt_urgency_write_locking_key(entity);
    } else {
        takt_urgency_put(entity, level, entity->tie);
    }
}

void takt_urgency_write_key(takt_entity_t *entity, const takt_job_t *job) {
    takt_server_t *home = entity->home;
    if (takt_urgency_is_displaced(entity)) {
        takt_entity_t own = *entity;
        home->policy->release(&own, job);
        entity->task->own_key = own.key;
        entity->task->own_tie = own.tie;
        if (takt_entity_is_locking(entity)) {
            takt_urgency_write_locking_key(entity);
        }
        return;
    }
    home->policy->release(entity, job);
    if (home->ready.order == TAKT_ORDER_KEYS && takt_entity_is_ready(entity)) {
        takt_keys_update(&home->ready.keys, entity);
    }
}

void takt_urgency_write_key_of_job(takt_entity_t *entity) {
    takt_urgency_write_key(entity, takt_urgency_job_of(entity));
}

/* The key of a started job, or what is in force already if that is more urgent. */
static takt_key_t key_at_start(const takt_entity_t *entity, takt_key_t own, takt_instant_t now) {
    const takt_policy_t *policy = entity->home->policy;
    takt_key_t key = entity->task->preemption_key;
    if (policy->start != NULL && key != TAKT_KEY_MOST_URGENT) {
        key = policy->start(key, now);
    }
    return key < own ? key : own;
}

void takt_urgency_start(takt_entity_t *entity, takt_instant_t now) {
    takt_task_t *task = entity->task;
    if (!takt_entity_is_locking(entity)) {
        task->own_key = entity->key;
        task->own_tie = entity->tie;
    }
    const takt_key_t key = key_at_start(entity, task->own_key, now);
    takt_entity_set_state(entity, TAKT_STATE_STARTED);
    if (task->extension != NULL) {
        task->extension->started_key = key;
    }
    if (takt_entity_is_locking(entity)) {
        takt_urgency_write_locking_key(entity);
    } else {
        takt_ready_rekey(&entity->home->ready, entity, key, takt_tie_of_started(entity, &task->job, key));
    }
}

TAKT_RARE void takt_urgency_end_region(takt_entity_t *entity) {
    if (!takt_entity_is_started(entity)) {
        return;
    }
    takt_entity_clear_state(entity, TAKT_STATE_STARTED);
    if (takt_entity_is_locking(entity)) {
        takt_urgency_write_locking_key(entity);
    } else {
        takt_ready_rekey(&entity->home->ready, entity, entity->task->own_key, entity->task->own_tie);
    }
}

uint32_t takt_urgency_is_exceeded(takt_entity_t *entity) {
    takt_ready_t *ready = &entity->home->ready;
    const takt_entity_t *best = takt_ready_best(ready);
    const takt_entity_t *waiting = best != entity ? best : takt_ready_second(ready, entity);
    takt_key_t key = entity->task->own_key;
    uint32_t tie = entity->task->own_tie;
    if (takt_entity_is_locking(entity)) {
        key = takt_urgency_key_without_start(entity);
        tie = ready->order == TAKT_ORDER_KEYS ? takt_tie_of_locking(entity, &entity->task->job) : 0u;
    }
    return waiting != NULL && takt_is_more_urgent(waiting->key, waiting->tie, key, tie);
}

/* As rewrite_key, for a started limited job. */
static void rewrite_started_key(takt_entity_t *entity, takt_instant_t now) {
    takt_task_t *task = entity->task;
    const takt_key_t key = key_at_start(entity, task->own_key, now);
    if (task->extension != NULL) {
        task->extension->started_key = key;
    }
    if (!takt_entity_is_locking(entity)) {
        takt_urgency_put(entity, key, takt_tie_of_started(entity, &task->job, key));
    }
}

/* The key that follows from the job of `entity`, where levels order; what is in force stays so. */
static takt_key_t key_of_job(takt_entity_t *entity) {
    const takt_key_t key_in_force = entity->key;
    const uint32_t tie_in_force = entity->tie;
    entity->home->policy->release(entity, &entity->task->job);
    const takt_key_t own = entity->key;
    entity->key = key_in_force;
    entity->tie = tie_in_force;
    return own;
}

void takt_urgency_rewrite_key(takt_entity_t *entity, takt_instant_t now) {
    const takt_key_t own = key_of_job(entity);
    if (!takt_urgency_is_displaced(entity)) {
        takt_urgency_put(entity, own, entity->tie);
        return;
    }
    entity->task->own_key = own;
    if (takt_entity_is_started(entity)) {
        rewrite_started_key(entity, now);
    }
    if (takt_entity_is_locking(entity)) {
        takt_urgency_write_locking_key(entity);
    }
}
