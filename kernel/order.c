/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of order.h. */
#include "kernel/order.h"

TAKT_INLINE uint32_t level_of(const takt_entity_t *entity) { return (uint32_t)entity->key; }

/* Where the last waiter of its level keeps the last one of the level before. */
static takt_entity_t **earlier_of(takt_waiters_t *waiters, takt_entity_t *entity) {
    takt_thread_t *thread = takt_thread_of(entity);
    takt_wait_t *wait = thread->wait;
    return (thread->flags & TAKT_THREAD_TIMED) != 0 ? &wait->earlier : &waiters->earlier;
}

void takt_order_insert_by_level(takt_waiters_t *waiters, takt_entity_t *entity) {
    takt_entity_t *place = takt_queue_place(&waiters->queue);
    const uint32_t level = level_of(entity);
    takt_entity_t *last = place->prev;
    takt_entity_t **link = NULL;
    while (last != place && level_of(last) > level) {
        link = earlier_of(waiters, last);
        last = level_of(last) != level_of(place->next) ? *link : place;
    }
    if (link != NULL) {
        *link = entity;
    }
    takt_queue_insert(last->next, entity);
    if (last == place) {
        last = NULL; /* not the place: an object that points to itself is FIFO */
    } else if (level_of(last) == level) {
        last = *earlier_of(waiters, last);
    }
    *earlier_of(waiters, entity) = last;
}

void takt_order_remove_by_level(takt_waiters_t *waiters, takt_entity_t *entity, uint32_t level) {
    takt_entity_t *place = takt_queue_place(&waiters->queue);
    takt_entity_t *prev = entity->prev;
    takt_entity_t *next = entity->next;
    takt_queue_remove(entity);
    if (next != place && level_of(next) == level) {
        return;
    }
    takt_entity_t *rest = *earlier_of(waiters, entity);
    if (prev != place && level_of(prev) == level) {
        *earlier_of(waiters, prev) = rest;
        rest = prev;
    }
    takt_entity_t *last = next == place ? entity : place->prev;
    takt_entity_t **link = &last;
    while (last != entity) {
        link = earlier_of(waiters, last);
        last = *link;
    }
    *link = rest;
}

static const takt_order_functions_t by_level = {.insert = takt_order_insert_by_level};

void takt_order_by_urgency(takt_waiters_t *waiters) {
    waiters->root = NULL;
    if (takt_kernel.order == NULL) {
        takt_kernel.order = &by_level;
    }
}
