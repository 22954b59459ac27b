/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queue of waiting entities: a circular list through their links, the next one to be served first. Private to kernel/.
 *
 * The queue itself is one node of the list, so that appending, taking and removing have no special case. It is treated
 * as an entity of which only the links exist. Invariant: an entity in a queue is not ready, so that its links are
 * free. */
#ifndef TAKT_KERNEL_QUEUE_H
#define TAKT_KERNEL_QUEUE_H

#include "core/entity.h"

typedef struct takt_queue {
    _Alignas(takt_entity_t) takt_entity_t *next; /* the first; in an empty queue the queue itself */
    takt_entity_t *prev;                         /* the last */
} takt_queue_t;

_Static_assert(offsetof(takt_queue_t, next) == offsetof(takt_entity_t, next),
               "laid out as an entity's links");
_Static_assert(offsetof(takt_queue_t, prev) == offsetof(takt_entity_t, prev),
               "laid out as an entity's links");

TAKT_INLINE takt_entity_t *takt_queue_place(takt_queue_t *queue) { return (takt_entity_t *)(void *)queue; }

TAKT_INLINE void takt_queue_init(takt_queue_t *queue) {
    takt_entity_t *place = takt_queue_place(queue);
    place->next = place;
    place->prev = place;
}

TAKT_INLINE bool takt_queue_is_empty(takt_queue_t *queue) {
    takt_entity_t *place = takt_queue_place(queue);
    return place->next == place;
}

/* Inserts `entity` before `next`, an entity of a queue or the place of one. */
TAKT_INLINE void takt_queue_insert(takt_entity_t *next, takt_entity_t *entity) {
    takt_entity_t *prev = next->prev;
    entity->next = next;
    entity->prev = prev;
    prev->next = entity;
    next->prev = entity;
}

TAKT_INLINE void takt_queue_append(takt_queue_t *queue, takt_entity_t *entity) {
    takt_queue_insert(takt_queue_place(queue), entity);
}

/* Puts `entity` into an empty queue. */
TAKT_INLINE void takt_queue_begin(takt_queue_t *queue, takt_entity_t *entity) {
    takt_entity_t *place = takt_queue_place(queue);
    entity->next = place;
    entity->prev = place;
    place->next = entity;
    place->prev = entity;
}

/* Removes and returns the first entity; the queue is not empty. */
TAKT_INLINE takt_entity_t *takt_queue_take(takt_queue_t *queue) {
    takt_entity_t *place = takt_queue_place(queue);
    takt_entity_t *first = place->next;
    takt_entity_t *second = first->next;
    place->next = second;
    second->prev = place;
    return first;
}

/* Removes `entity` from its queue. */
TAKT_INLINE void takt_queue_remove(takt_entity_t *entity) {
    takt_entity_t *next = entity->next;
    takt_entity_t *prev = entity->prev;
    prev->next = next;
    next->prev = prev;
}

#endif
