/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Questions about threads; see inspect.h. */
#include "kernel/inspect.h"

#include "core/inheritance.h"
#include "kernel/state.h"

#define REQUIRE_QUESTION(thread, answer)                                          \
    TAKT_REQUIRE((thread) != NULL && (answer) != NULL, TAKT_ERROR_NULL);          \
    TAKT_REQUIRE(((thread)->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT); \
    TAKT_REQUIRE_MASKABLE()

/* ---- state -------------------------------------------------------------------------------------- */

/* The lock wait of `thread`, NULL for none. */
static const takt_lock_wait_t *lock_wait_of(const takt_thread_t *thread) {
    const takt_task_t *task = thread->plain.entity.task;
    if (task == NULL) {
        return thread->plain.wait;
    }
    return task->extension != NULL ? &task->extension->wait : NULL;
}

/* An entity that waits for a mutex may still be in the ready set. */
static bool awaits_a_lock(const takt_thread_t *thread) {
    const takt_lock_wait_t *wait = lock_wait_of(thread);
    return (thread->plain.entity.attributes & TAKT_ATTRIBUTE_LOCKING) != 0 && wait != NULL &&
           wait->wanted != NULL;
}

static bool can_run(const takt_thread_t *thread) {
    const takt_entity_t *entity = &thread->plain.entity;
    const bool is_to_start = takt_kernel.cpu.running == NULL && entity->task == NULL;
    return (takt_entity_is_ready(entity) && !awaits_a_lock(thread)) || is_to_start;
}

/* Locked. */
static takt_thread_state_t state_of(const takt_thread_t *thread) {
    if ((thread->flags & TAKT_THREAD_EXISTS) == 0) {
        return TAKT_THREAD_ENDED;
    }
    if (thread == takt_kernel_running()) {
        return TAKT_THREAD_RUNNING;
    }
    if ((thread->flags & TAKT_THREAD_SUSPENDED) != 0) {
        return TAKT_THREAD_IS_SUSPENDED;
    }
    return can_run(thread) ? TAKT_THREAD_READY : TAKT_THREAD_WAITING;
}

takt_thread_state_t takt_thread_state(const takt_thread_t *thread) {
    if (thread == NULL) {
        return TAKT_THREAD_ENDED;
    }
    const takt_port_level_t level = takt_port_lock();
    const takt_thread_state_t state = state_of(thread);
    takt_port_unlock(level);
    return state;
}

const char *takt_thread_state_name(takt_thread_state_t state) {
    static const char *const names[] = {
        [TAKT_THREAD_ENDED] = "ended",
        [TAKT_THREAD_RUNNING] = "running",
        [TAKT_THREAD_READY] = "ready",
        [TAKT_THREAD_WAITING] = "waiting",
        [TAKT_THREAD_IS_SUSPENDED] = "suspended",
    };
    return (uint32_t)state < sizeof names / sizeof *names ? names[state] : "no state";
}

/* ---- priorities --------------------------------------------------------------------------------- */

/* The idle thread is less urgent than all priorities. */
static takt_status_t answer_priority(takt_key_t level, uint32_t *priority) {
    TAKT_REQUIRE(level <= TAKT_PRIORITIES, TAKT_ERROR_KEY);
    *priority = TAKT_PRIORITIES - (uint32_t)level;
    return TAKT_OK;
}

/* A level is one byte, or its other word is always 0: it is not half written. */
takt_status_t takt_thread_priority(const takt_thread_t *thread, uint32_t *priority) {
    REQUIRE_QUESTION(thread, priority);
    const takt_entity_t *entity = &thread->plain.entity;
    TAKT_REQUIRE(takt_entity_has_level(entity), TAKT_ERROR_KEY);
    return answer_priority(entity->task != NULL ? entity->task->job.level : entity->level, priority);
}

takt_status_t takt_thread_effective_priority(takt_thread_t *thread, uint32_t *priority) {
    REQUIRE_QUESTION(thread, priority);
    takt_entity_t *entity = &thread->plain.entity;
    TAKT_REQUIRE(takt_entity_has_level(entity) && entity->parent->ready.order == TAKT_ORDER_LEVELS,
                 TAKT_ERROR_KEY);
    const takt_port_level_t lock = takt_port_lock();
    const takt_key_t level = takt_inheritance_key(entity);
    takt_port_unlock(lock);
    return answer_priority(level, priority);
}

/* ---- servers ------------------------------------------------------------------------------------ */

static takt_thread_server_t *server_of(takt_server_t *server) {
    return takt_server_is_root(server) ? NULL : TAKT_CONTAINER_OF(server, takt_thread_server_t, server);
}

takt_thread_server_t *takt_thread_server(const takt_thread_t *thread) {
    const bool exists = thread != NULL && (thread->flags & TAKT_THREAD_EXISTS) != 0;
    return exists ? server_of(thread->plain.entity.parent) : NULL;
}

takt_status_t takt_thread_budget(const takt_thread_t *thread, takt_duration_t *ticks) {
    REQUIRE_QUESTION(thread, ticks);
    takt_duration_t least = TAKT_NEVER;
    const takt_port_level_t level = takt_port_lock(); /* all budgets as of one instant */
    for (takt_server_t *server = thread->plain.entity.parent; !takt_server_is_root(server);
         server = takt_server_parent(server)) {
        takt_duration_t budget;
        (void)takt_thread_server_budget(server_of(server), &budget);
        least = takt_least_of(least, budget);
    }
    takt_port_unlock(level);
    *ticks = least;
    return TAKT_OK;
}

/* ---- all threads -------------------------------------------------------------------------------- */

takt_status_t takt_kernel_list_to(takt_thread_t **threads) {
    if (threads == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (takt_kernel.entity_count != 1) {
        return takt_kernel.entity_count == 0 ? TAKT_ERROR_NOT_INITIALISED : TAKT_ERROR_ORDER;
    }
    takt_kernel.threads = threads;
    return TAKT_OK;
}

/* The memory of a thread that has returned is the caller's from its end on: the list forgets plain ones then. */
takt_thread_t *takt_kernel_thread(uint32_t number) {
    if (takt_kernel.threads == NULL || number >= TAKT_KERNEL_ENTITY_LIMIT) {
        return NULL;
    }
    const takt_port_level_t level = takt_port_lock();
    takt_thread_t *thread = takt_kernel.threads[number];
    const bool exists = thread != NULL && (thread->flags & TAKT_THREAD_EXISTS) != 0;
    takt_port_unlock(level);
    return exists ? thread : NULL;
}

uint32_t takt_thread_number(const takt_thread_t *thread) { return takt_entity_number(&thread->plain.entity); }
