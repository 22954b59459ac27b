/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Base urgencies and their modifiers; see urgency.h. */
#include "core/urgency.h"

#include "core/waiting.h"

typedef struct takt_urgency {
    takt_key_t key;
    uint32_t tie;
} takt_urgency_t;

static bool has_keys(const takt_entity_t *entity) { return entity->parent->ready.order == TAKT_ORDER_KEYS; }

/* ---- base ---------------------------------------------------------------------------------------- */

static uint32_t class_of_thread(const takt_entity_t *entity) {
    return takt_plain_has_deadline(entity) ? (uint32_t)TAKT_PLAIN_CLASS_DEADLINE : (uint32_t)TAKT_CLASS_NONE;
}

static uint32_t tie_of_rank(const takt_entity_t *entity, uint32_t rank) {
    const uint32_t task_class = entity->task != NULL ? entity->task->job.task_class : class_of_thread(entity);
    return takt_tie_of(task_class + rank, takt_entity_number(entity));
}

static takt_key_t key_in_tail(const takt_entity_t *entity) { return TAKT_KEY_OF_TAIL + entity->level; }

/* A thread with a deadline holds nothing that makes its key another one. */
static takt_key_t key_of_thread(const takt_entity_t *entity) {
    return takt_plain_has_deadline(entity) ? entity->key : key_in_tail(entity);
}

TAKT_INLINE takt_urgency_t base_of(const takt_entity_t *entity) {
    if (entity->task != NULL) {
        return (takt_urgency_t){entity->task->base_key, entity->task->base_tie};
    }
    return has_keys(entity) ? (takt_urgency_t){key_of_thread(entity), tie_of_rank(entity, TAKT_TIE_RANK_OWN)}
                            : (takt_urgency_t){entity->level, entity->tie};
}

/* ---- modifiers ----------------------------------------------------------------------------------- */

/* Returns the key of a job that starts at `now`: never less urgent than its base. */
static takt_key_t threshold_at(const takt_entity_t *entity, takt_instant_t now) {
    const takt_policy_t *policy = entity->parent->policy;
    takt_key_t key = entity->task->preemption_key;
    if (policy->start != NULL && key != TAKT_KEY_MOST_URGENT) {
        key = policy->start(key, now);
    }
    return takt_least_of(key, entity->task->base_key);
}

/* A started job without an extension holds nothing, so that its threshold is the key in force. A pointer, so that the
 * caller ends with a tail call and its stack frame is not below that of the next function. */
static const takt_key_t *threshold_of(const takt_entity_t *entity) {
    const takt_task_extension_t *extension = entity->task->extension;
    return extension != NULL ? &extension->threshold : &entity->key;
}

static takt_key_t least_boost_of(takt_entity_t *entity) {
    takt_key_t boost = TAKT_KEY_OF_NOTHING;
    for (const takt_resource_t *held = *takt_waiting_held_by(entity); held != NULL; held = held->outer) {
        boost = takt_least_of(boost, held->boost);
    }
    return boost;
}

/* Order among equal keys: a started non-preemptive job, then entities that hold or wait for a resource, then started
 * jobs, then the others. On a level the tie does not count. */
TAKT_INLINE takt_urgency_t modified(takt_entity_t *entity, const takt_key_t *threshold) {
    const bool is_locking = takt_entity_is_locking(entity);
    takt_urgency_t urgency = base_of(entity);
    if (is_locking) {
        urgency.key = takt_least_of(urgency.key, least_boost_of(entity));
    }
    if (threshold != NULL) {
        urgency.key = takt_least_of(urgency.key, *threshold);
    }
    if (has_keys(entity) && (is_locking || threshold != NULL)) {
        const bool is_first = threshold != NULL && *threshold == TAKT_KEY_MOST_URGENT;
        const uint32_t rank = is_locking ? TAKT_TIE_RANK_LOCKING : TAKT_TIE_RANK_STARTED;
        urgency.tie = is_first ? takt_tie_of(TAKT_TIE_RANK_FIRST, takt_entity_number(entity))
                               : tie_of_rank(entity, rank);
    }
    return urgency;
}

/* ---- in force ------------------------------------------------------------------------------------ */

/* A deadline or a ceiling in force moves a plain thread from the tail of a set of keys to the heap. */
TAKT_INLINE void put_attribute(takt_entity_t *entity, takt_key_t key) {
    if (key > TAKT_KEY_LEAST_URGENT) {
        takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_KEYED);
    } else {
        takt_entity_set_attributes(entity, TAKT_ATTRIBUTE_KEYED);
    }
}

/* The one function that writes the urgency in force. On a level an entity is placed ahead of its new equals. It keeps
 * its place if its key does not change. All arguments fit in registers, so that callers end with a tail call. */
TAKT_INLINE void put_here(takt_entity_t *entity, uint32_t tie, takt_key_t key) {
    if (entity->task == NULL && has_keys(entity)) {
        put_attribute(entity, key);
    }
    if (!takt_entity_is_ready(entity)) {
        entity->key = key;
        entity->tie = tie;
    } else if (entity->key != key || (has_keys(entity) && key <= TAKT_KEY_LEAST_URGENT)) {
        takt_ready_rekey(&entity->parent->ready, entity, key, tie);
    }
}

static void put_key(takt_entity_t *entity, uint32_t tie, takt_key_t key) { put_here(entity, tie, key); }

TAKT_INLINE void put(takt_entity_t *entity, takt_urgency_t urgency) {
    put_key(entity, urgency.tie, urgency.key);
}

static void put_modified(takt_entity_t *entity, const takt_key_t *threshold) {
    put(entity, modified(entity, threshold));
}

void takt_urgency_refresh(takt_entity_t *entity) {
    if (takt_entity_is_started(entity)) {
        put_modified(entity, threshold_of(entity));
    } else if (takt_entity_is_locking(entity)) {
        put_modified(entity, NULL);
    } else {
        put(entity, base_of(entity));
    }
}

static void set_base(takt_entity_t *entity, takt_urgency_t base) {
    entity->task->base_key = base.key;
    entity->task->base_tie = base.tie;
}

/* Returns the base urgency that the policy computes. The urgency in force, which it overwrites, is restored. */
static takt_urgency_t ask_policy(takt_entity_t *entity, const takt_job_t *job) {
    const takt_urgency_t in_force = {entity->key, entity->tie};
    entity->parent->policy->release(entity, job);
    const takt_urgency_t base = {entity->key, entity->tie};
    entity->key = in_force.key;
    entity->tie = in_force.tie;
    return base;
}

void takt_urgency_write(takt_entity_t *entity, const takt_job_t *job) {
    const takt_urgency_t base = ask_policy(entity, job);
    if (entity->task == NULL) {
        put(entity, base); /* a server has no modifiers */
    } else {
        set_base(entity, base);
        takt_urgency_refresh(entity);
    }
}

void takt_urgency_set_key(takt_entity_t *entity, takt_key_t key) {
    set_base(entity, (takt_urgency_t){key, entity->tie});
    takt_urgency_refresh(entity);
}

/* ---- levels -------------------------------------------------------------------------------------- */

/* A plain thread never starts. */
TAKT_INLINE void set_level(takt_entity_t *entity, takt_key_t level) {
    entity->level = (uint8_t)level;
    if (takt_entity_is_locking(entity)) {
        put_modified(entity, NULL);
    } else {
        const takt_urgency_t base = base_of(entity);
        put_here(entity, base.tie, base.key);
    }
}

/* Where keys order. TAKT_KEY_LEAST_URGENT is no deadline. */
static void set_deadline(takt_entity_t *entity, takt_key_t deadline) {
    const bool is_none = deadline >= TAKT_KEY_LEAST_URGENT;
    const uint32_t rank = takt_entity_is_locking(entity) ? TAKT_TIE_RANK_LOCKING : TAKT_TIE_RANK_OWN;
    const uint32_t place = is_none ? TAKT_CLASS_NONE : TAKT_PLAIN_CLASS_DEADLINE;
    put_key(entity, takt_tie_of(rank + place, takt_entity_number(entity)),
            is_none ? key_in_tail(entity) : deadline);
}

void takt_urgency_set_level(takt_entity_t *entity, takt_key_t level) {
    if (takt_plain_has_deadline(entity)) {
        set_deadline(entity, TAKT_KEY_LEAST_URGENT);
    }
    set_level(entity, level);
}

/* ---- starts ---------------------------------------------------------------------------------------- */

static void put_started(takt_entity_t *entity, takt_instant_t now) {
    const takt_key_t threshold = threshold_at(entity, now);
    if (entity->task->extension != NULL) {
        entity->task->extension->threshold = threshold;
    }
    put_modified(entity, &threshold);
}

void takt_urgency_start(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_set_state(entity, TAKT_STATE_STARTED);
    put_started(entity, now);
}

TAKT_RARE void takt_urgency_end_region(takt_entity_t *entity) {
    if (takt_entity_is_started(entity)) {
        takt_entity_clear_state(entity, TAKT_STATE_STARTED);
        takt_urgency_refresh(entity);
    }
}

static void change_level_of_job(takt_task_t *task, takt_key_t level, takt_instant_t now) {
    task->job.level = level;
    if (!takt_task_is_active(task)) {
        return;
    }
    set_base(task->entity, ask_policy(task->entity, &task->job));
    if (takt_entity_is_started(task->entity)) {
        put_started(task->entity, now);
    } else {
        takt_urgency_refresh(task->entity);
    }
}

void takt_urgency_change_level(takt_entity_t *entity, takt_key_t level, takt_instant_t now) {
    if (entity->task != NULL) {
        change_level_of_job(entity->task, level, now);
    } else if ((level & TAKT_LEVEL_IS_DEADLINE) != 0) {
        set_deadline(entity, level & ~TAKT_LEVEL_IS_DEADLINE);
    } else {
        set_level(entity, level);
    }
}

uint32_t takt_urgency_is_exceeded(takt_entity_t *entity) {
    takt_ready_t *ready = &entity->parent->ready;
    const takt_entity_t *best = takt_ready_best(ready);
    const takt_entity_t *waiting = best != entity ? best : takt_ready_second(ready, entity);
    const takt_urgency_t own = modified(entity, NULL);
    const uint32_t tie = has_keys(entity) ? own.tie : 0u; /* on a level there is no order among equals */
    return waiting != NULL && takt_is_more_urgent(waiting->key, waiting->tie, own.key, tie);
}
