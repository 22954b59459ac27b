/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Keys: a 4-ary heap of entities on (key, tie), O(log n); the part of a ready set that computed keys order. See ready.h. */
#ifndef TAKT_CORE_KEYS_H
#define TAKT_CORE_KEYS_H

#include "core/entity.h"

typedef struct takt_keys {
    takt_entity_t **slots; /* caller's memory: a pointer for each entity that competes here */
    uint32_t count;
} takt_keys_t;

TAKT_INLINE void takt_keys_place(takt_keys_t *keys, uint32_t slot, takt_entity_t *entity) {
    keys->slots[slot] = entity;
    entity->slot = slot;
}

/* Moves less urgent entities above `slot`, which is free, down. Returns the slot that is free then. */
TAKT_INLINE uint32_t takt_keys_make_room_above(takt_keys_t *keys, uint32_t slot,
                                               const takt_entity_t *entity) {
    while (slot > 0) {
        const uint32_t parent_slot = (slot - 1u) >> 2;
        takt_entity_t *parent = keys->slots[parent_slot];
        if (!takt_is_more_urgent(entity->key, entity->tie, parent->key, parent->tie)) {
            break;
        }
        takt_keys_place(keys, slot, parent);
        slot = parent_slot;
    }
    return slot;
}

TAKT_INLINE uint32_t takt_keys_best_child(const takt_keys_t *keys, uint32_t first) {
    const uint32_t end = keys->count - first > 4u ? first + 4u : keys->count;
    uint32_t best = first;
    for (uint32_t slot = first + 1u; slot < end; slot++) {
        const takt_entity_t *a = keys->slots[slot];
        const takt_entity_t *b = keys->slots[best];
        if (takt_is_more_urgent(a->key, a->tie, b->key, b->tie)) {
            best = slot;
        }
    }
    return best;
}

/* Likewise moves more urgent entities below it up. */
TAKT_INLINE uint32_t takt_keys_make_room_below(takt_keys_t *keys, uint32_t slot,
                                               const takt_entity_t *entity) {
    for (;;) {
        const uint32_t first = (slot << 2) + 1u;
        if (first >= keys->count) {
            break;
        }
        const uint32_t child_slot = takt_keys_best_child(keys, first);
        takt_entity_t *child = keys->slots[child_slot];
        if (!takt_is_more_urgent(child->key, child->tie, entity->key, entity->tie)) {
            break;
        }
        takt_keys_place(keys, slot, child);
        slot = child_slot;
    }
    return slot;
}

/* Puts `entity` in its place in the order, from `slot` on, which is free. */
TAKT_INLINE void takt_keys_settle(takt_keys_t *keys, uint32_t slot, takt_entity_t *entity) {
    slot = takt_keys_make_room_above(keys, slot, entity);
    slot = takt_keys_make_room_below(keys, slot, entity);
    takt_keys_place(keys, slot, entity);
}

/* Puts `entity` in its place from the first slot on, which is free. */
TAKT_INLINE void takt_keys_settle_first(takt_keys_t *keys, takt_entity_t *entity) {
    takt_keys_place(keys, takt_keys_make_room_below(keys, 0, entity), entity);
}

/* Puts `entity` into the heap; the caller has room for it. */
TAKT_INLINE void takt_keys_insert(takt_keys_t *keys, takt_entity_t *entity) {
    takt_keys_place(keys, takt_keys_make_room_above(keys, keys->count++, entity), entity);
}

/* Restores the order after the key or tie of `entity`, which stands in the heap, has changed. */
TAKT_INLINE void takt_keys_update(takt_keys_t *keys, takt_entity_t *entity) {
    takt_keys_settle(keys, entity->slot, entity);
}

/* Removes the most urgent entity; there are two or more. If all others are its children, the best of them replaces it, and
 * the last one that; otherwise the last one moves down. */
TAKT_INLINE void takt_keys_remove_first(takt_keys_t *keys) {
    const uint32_t end = --keys->count;
    takt_entity_t *last = keys->slots[end];
    if (TAKT_UNLIKELY(end > 4)) {
        takt_keys_settle_first(keys, last);
        return;
    }
    takt_entity_t *best = last;
    for (uint32_t slot = 1; slot < end; slot++) {
        takt_entity_t *child = keys->slots[slot];
        if (takt_is_more_urgent(child->key, child->tie, best->key, best->tie)) {
            best = child;
        }
    }
    if (best != last) {
        takt_keys_place(keys, best->slot, last);
    }
    takt_keys_place(keys, 0, best);
}

TAKT_INLINE void takt_keys_remove(takt_keys_t *keys, takt_entity_t *entity) {
    takt_entity_t *last = keys->slots[--keys->count];
    if (last != entity) {
        takt_keys_settle(keys, entity->slot, last);
    }
}

/* The most urgent entity after the best; there are two or more. */
TAKT_INLINE takt_entity_t *takt_keys_second(const takt_keys_t *keys) {
    return keys->slots[takt_keys_best_child(keys, 1u)];
}

/* The most urgent entity after `entity`, NULL if there is none. O(entities). */
TAKT_INLINE takt_entity_t *takt_keys_after(const takt_keys_t *keys, const takt_entity_t *entity) {
    takt_entity_t *best = NULL;
    for (uint32_t slot = 0; slot < keys->count; slot++) {
        takt_entity_t *candidate = keys->slots[slot];
        const bool is_after = takt_is_more_urgent(entity->key, entity->tie, candidate->key, candidate->tie);
        if (is_after &&
            (best == NULL || takt_is_more_urgent(candidate->key, candidate->tie, best->key, best->tie))) {
            best = candidate;
        }
    }
    return best;
}

#endif
