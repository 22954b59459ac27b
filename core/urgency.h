/* Urgency: which key is in force. Internal to core. */
#ifndef TAKT_CORE_URGENCY_H
#define TAKT_CORE_URGENCY_H

#include "core/dispatcher.h"

/* Whether the key of `entity` in its ready set may differ from its own. */
TAKT_INLINE bool takt_urgency_is_displaced(const takt_entity_t *entity) {
    return (entity->state & TAKT_STATE_STARTED) != 0 || takt_entity_is_locking(entity);
}

TAKT_INLINE bool takt_entity_is_started(const takt_entity_t *entity) {
    return (entity->state & TAKT_STATE_STARTED) != 0;
}

/* What `entity` executes: a job, or the current period of a server; NULL for a plain thread. */
TAKT_INLINE takt_job_t *takt_urgency_job_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return &takt_server_of(entity)->job;
    }
    return entity->task != NULL ? &entity->task->job : NULL;
}

/* Whether the key of `entity` follows what it executes. */
TAKT_INLINE bool takt_urgency_is_ageing(const takt_entity_t *entity) {
    return entity->home->policy->overtake != NULL && (entity->attributes & TAKT_ATTRIBUTE_AGING) != 0;
}

/* Writes key and tie of `entity`, a plain thread that neither holds nor waits, for `level`. */
void takt_urgency_write_level(takt_entity_t *entity, takt_key_t level);

/* Likewise of one that has just been created; where keys order, TAKT_KEY_LEAST_URGENT puts it behind all other
 * threads. */
void takt_urgency_create(takt_entity_t *entity, takt_key_t level);

/* The key that `entity` has, or would have if it neither held nor waited nor had started. */
takt_key_t takt_urgency_own_key(const takt_entity_t *entity);

uint32_t takt_urgency_own_tie(const takt_entity_t *entity);

/* The key of `entity`, which holds or waits, as if it had not started. */
takt_key_t takt_urgency_key_without_start(takt_entity_t *entity);

/* Gives `entity` another key, ahead of its new equals on a level. On a level one that has the key keeps its place,
 * and all keep their ties: nobody goes before its equals there. */
void takt_urgency_put(takt_entity_t *entity, takt_key_t key, uint32_t tie);

/* Gives `entity`, which holds or waits, the key that follows from its own, its start and what it holds. Among
 * equals who holds or waits goes first, unless a non-preemptive job has started. */
void takt_urgency_write_locking_key(takt_entity_t *entity);

/* The level of `entity`, a plain thread, is `level` from now on; its place among equals is not told. */
void takt_urgency_change_level_of_thread(takt_entity_t *entity, takt_key_t level);

/* Writes the key that follows from `job`; what is in force instead of it stays so. */
void takt_urgency_write_key(takt_entity_t *entity, const takt_job_t *job);

/* Likewise of what `entity`, which is no plain thread, executes. */
void takt_urgency_write_key_of_job(takt_entity_t *entity);

/* A limited job that starts takes its preemption key: from now on that says who may displace it. */
void takt_urgency_start(takt_entity_t *entity, takt_instant_t now);

/* A started limited job competes by its own key again, ahead of its equals. */
void takt_urgency_end_region(takt_entity_t *entity);

/* Whether somebody in the dispatcher of `entity`, a started job, is more urgent than its own key. The best is
 * another one if that is blocked and `entity` runs instead. */
uint32_t takt_urgency_is_exceeded(takt_entity_t *entity);

/* The level of the current job of `entity` has changed; what is in force instead of its own key follows. */
void takt_urgency_rewrite_key(takt_entity_t *entity, takt_instant_t now);

#endif
