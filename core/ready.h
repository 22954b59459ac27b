/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ready sets: the ready entities of one dispatcher, and the most urgent of them.
 *
 * Two implementations of one interface, chosen by the policy's order:
 *   levels  FIFO lists under a bitmap tree of 32-way words; every operation is O(depth), where
 *           depth d serves 32^d levels. Fixed priorities. An entity's key is its level.
 *   keys    a 4-ary heap of pointers on (key, tie); O(log n). Deadlines, rates, anything computed. Behind the heap
 *           comes a tail of levels: plain threads without a deadline or a ceiling in force, by priority and FIFO.
 *
 * One order of keys spans both: a key is at most TAKT_KEY_LEAST_URGENT in the heap, and above it in the tail, where its
 * low word is the level. Level 0 of the tail stands for the heap: it is marked while the heap is not empty, so that a set
 * is empty iff no level is marked, whatever its order. A set of keys without plain threads has no `heads`.
 *
 * Invariant: an entity stands in the set iff its state has TAKT_STATE_READY. Within a level the
 * circular list starts at the entity that became ready first; the running one stays at the start.
 *
 * This header is also the inline layer: a kernel whose running and next entity have no attributes
 * calls the level functions directly (rule 2 of DESIGN.md). `depth` is a parameter so that a kernel passes
 * its constant and the compiler drops the loops; the full pass passes the set's own. */
#ifndef TAKT_CORE_READY_H
#define TAKT_CORE_READY_H

#include "core/bits.h"
#include "core/keys.h"

enum { TAKT_LEVELS_MAX_DEPTH = 4 };

typedef enum takt_order { TAKT_ORDER_LEVELS = 0, TAKT_ORDER_KEYS = 1 } takt_order_t;

/* Whether sets of keys have a tail: 0 in builds without plain threads, as for Linux. All is compiled in either. */
#ifndef TAKT_TAILS
#define TAKT_TAILS 1
#endif

/* Levels of a tail, at most: those of plain threads. */
enum { TAKT_TAIL_MAX_DEPTH = 2 };

typedef struct takt_levels {
    uint32_t top;                              /* bit of word 0 of row 1, or of level 0 at depth 1 */
    takt_entity_t **heads;                     /* caller's memory: 32^depth list starts */
    uint32_t depth;                            /* 1 .. TAKT_LEVELS_MAX_DEPTH */
    uint32_t *rows[TAKT_LEVELS_MAX_DEPTH - 1]; /* caller's memory: rows[k] has 32^(k+1) words, zeroed */
} takt_levels_t;

/* A model checker that does not follow pointers in a union defines this as struct. */
#ifndef TAKT_READY_OVERLAY
#define TAKT_READY_OVERLAY union
#endif

/* Where keys order, the heap lies in the place of the rows that its tail does not have. setup.c checks the places. */
typedef struct takt_ready {
    takt_order_t order;
    TAKT_READY_OVERLAY {
        takt_levels_t levels;
        struct {
            uint32_t tail_top;
            takt_entity_t **tail_heads;
            uint32_t tail_depth;
            uint32_t *tail_rows[TAKT_TAIL_MAX_DEPTH - 1];
            takt_keys_t keys;
        };
    };
} takt_ready_t;

/* Returns an empty set of keys over `slots`, without a tail. */
TAKT_INLINE takt_ready_t takt_ready_keyed(takt_entity_t **slots) {
    takt_ready_t set;
    __builtin_memset(&set, 0, sizeof set);
    set.order = TAKT_ORDER_KEYS;
    set.tail_depth = 1;
    set.keys.slots = slots;
    return set;
}

/* ---- levels -------------------------------------------------------------------------------- */

TAKT_INLINE void takt_levels_mark(takt_levels_t *levels, uint32_t level, uint32_t depth) {
    for (uint32_t row = depth - 1u; row > 0; row--) {
        uint32_t *word = &levels->rows[row - 1u][level >> 5];
        const uint32_t before = *word;
        *word = before | takt_bit(level & 31u);
        if (before != 0) {
            return;
        }
        level >>= 5;
    }
    levels->top |= takt_bit(level);
}

TAKT_INLINE void takt_levels_unmark(takt_levels_t *levels, uint32_t level, uint32_t depth) {
    for (uint32_t row = depth - 1u; row > 0; row--) {
        uint32_t *word = &levels->rows[row - 1u][level >> 5];
        *word &= ~takt_bit(level & 31u);
        if (*word != 0) {
            return;
        }
        level >>= 5;
    }
    levels->top &= ~takt_bit(level);
}

TAKT_INLINE bool takt_levels_is_empty(const takt_levels_t *levels) { return levels->top == 0; }

/* The first entity of the most urgent level; the set is not empty. */
TAKT_INLINE takt_entity_t *takt_levels_best(const takt_levels_t *levels, uint32_t depth) {
    uint32_t level = takt_leading_zeros(levels->top);
    for (uint32_t row = 1; row < depth; row++) {
        level = (level << 5) + takt_leading_zeros(levels->rows[row - 1u][level]);
    }
    return levels->heads[level];
}

/* Puts `entity` at the end of its level. */
TAKT_INLINE void takt_levels_insert(takt_levels_t *levels, takt_entity_t *entity, uint32_t depth) {
    const uint32_t level = (uint32_t)entity->key;
    takt_entity_t *head = levels->heads[level];
    if (TAKT_LIKELY(head == NULL)) {
        entity->next = entity;
        entity->prev = entity;
        levels->heads[level] = entity;
        takt_levels_mark(levels, level, depth);
        return;
    }
    takt_entity_t *tail = head->prev;
    entity->next = head;
    entity->prev = tail;
    tail->next = entity;
    head->prev = entity;
}

/* Takes `entity` out of its level. */
TAKT_INLINE void takt_levels_remove(takt_levels_t *levels, takt_entity_t *entity, uint32_t depth) {
    const uint32_t level = (uint32_t)entity->key;
    takt_entity_t *next = entity->next;
    if (TAKT_LIKELY(next == entity)) {
        levels->heads[level] = NULL;
        takt_levels_unmark(levels, level, depth);
        return;
    }
    takt_entity_t *prev = entity->prev;
    prev->next = next;
    next->prev = prev;
    if (levels->heads[level] == entity) {
        levels->heads[level] = next;
    }
}

/* True if `entity`, which is in the set, is the only one. */
TAKT_INLINE bool takt_levels_has_only(const takt_levels_t *levels, const takt_entity_t *entity,
                                      uint32_t depth) {
    uint32_t level = (uint32_t)entity->key;
    if (entity->next != entity) {
        return false;
    }
    for (uint32_t row = depth - 1u; row > 0; row--) {
        if (levels->rows[row - 1u][level >> 5] != takt_bit(level & 31u)) {
            return false;
        }
        level >>= 5;
    }
    return levels->top == takt_bit(level);
}

/* Moves the first entity of `entity`'s level to its end; `entity` is that first one. */
TAKT_INLINE void takt_levels_rotate(takt_levels_t *levels, takt_entity_t *entity) {
    levels->heads[(uint32_t)entity->key] = entity->next;
}

/* True if `entity`, which is ready, is the first of several on its level. */
TAKT_INLINE bool takt_levels_begins_equals(const takt_levels_t *levels, const takt_entity_t *entity) {
    return entity->next != entity && levels->heads[(uint32_t)entity->key] == entity;
}

/* Returns the first entity of the next level after `level`, NULL if there is none. O(depth). */
TAKT_INLINE takt_entity_t *takt_levels_after_level(const takt_levels_t *levels, uint32_t level,
                                                   uint32_t depth) {
    uint32_t row = depth;
    uint32_t word = 0;
    while (word == 0 && row > 0) {
        row--;
        word = (row > 0 ? levels->rows[row - 1u][level >> 5] : levels->top) & (takt_bit(level & 31u) - 1u);
        level >>= 5;
    }
    if (word == 0) {
        return NULL;
    }
    level = (level << 5) + takt_leading_zeros(word);
    for (row++; row < depth; row++) {
        level = (level << 5) + takt_leading_zeros(levels->rows[row - 1u][level]);
    }
    return levels->heads[level];
}

/* Returns the entity after `entity` in the order of the set, NULL if `entity` is the last one. O(depth). */
TAKT_INLINE takt_entity_t *takt_levels_after(const takt_levels_t *levels, const takt_entity_t *entity,
                                             uint32_t depth) {
    const uint32_t level = (uint32_t)entity->key;
    return entity->next != levels->heads[level] ? entity->next
                                                : takt_levels_after_level(levels, level, depth);
}

/* Puts `entity` at the start of its level: a started job precedes an unstarted one. */
TAKT_INLINE void takt_levels_insert_first(takt_levels_t *levels, takt_entity_t *entity, uint32_t depth) {
    takt_levels_insert(levels, entity, depth);
    levels->heads[(uint32_t)entity->key] = entity;
}

/* ---- the heap and the tail of a set of keys -------------------------------------------------------- */

/* True if `entity`, whose set keys order, is in the tail or belongs there. */
TAKT_INLINE bool takt_ready_is_in_tail(const takt_entity_t *entity) {
    return TAKT_TAILS != 0 && entity->key > TAKT_KEY_LEAST_URGENT;
}

/* Puts `entity` into the heap. */
TAKT_INLINE void takt_ready_insert_key(takt_ready_t *ready, takt_entity_t *entity, uint32_t depth) {
    if (TAKT_TAILS != 0 && ready->keys.count == 0) {
        takt_levels_mark(&ready->levels, 0, depth);
    }
    takt_keys_insert(&ready->keys, entity);
}

/* Takes `entity` out of the heap. */
TAKT_INLINE void takt_ready_remove_key(takt_ready_t *ready, takt_entity_t *entity, uint32_t depth) {
    takt_keys_remove(&ready->keys, entity);
    if (TAKT_TAILS != 0 && ready->keys.count == 0) {
        takt_levels_unmark(&ready->levels, 0, depth);
    }
}

/* Returns the first entity of the tail, NULL if it is empty; the heap is not. */
TAKT_INLINE takt_entity_t *takt_ready_tail(const takt_ready_t *ready) {
    return TAKT_TAILS != 0 ? takt_levels_after_level(&ready->levels, 0, ready->levels.depth) : NULL;
}

/* ---- the set, whatever its order ----------------------------------------------------------- */

TAKT_INLINE bool takt_ready_is_empty(const takt_ready_t *ready) {
    const bool is_heap_alone = TAKT_TAILS == 0 && ready->order == TAKT_ORDER_KEYS;
    return is_heap_alone ? ready->keys.count == 0 : takt_levels_is_empty(&ready->levels);
}

TAKT_INLINE bool takt_ready_has_keys(const takt_ready_t *ready) {
    return ready->order == TAKT_ORDER_KEYS && (TAKT_TAILS == 0 || ready->keys.count > 0);
}

/* True if the heap of `ready` has `entity`, or is to have it. */
TAKT_INLINE bool takt_ready_is_keyed(const takt_ready_t *ready, const takt_entity_t *entity) {
    return ready->order == TAKT_ORDER_KEYS && !takt_ready_is_in_tail(entity);
}

/* Returns the most urgent entity, NULL if the set is empty. */
TAKT_INLINE takt_entity_t *takt_ready_best(const takt_ready_t *ready) {
    if (takt_ready_is_empty(ready)) {
        return NULL;
    }
    return takt_ready_has_keys(ready) ? ready->keys.slots[0]
                                      : takt_levels_best(&ready->levels, ready->levels.depth);
}

/* Returns the most urgent entity after `best`, NULL if there is none. */
TAKT_INLINE takt_entity_t *takt_ready_second(const takt_ready_t *ready, const takt_entity_t *best) {
    if (takt_ready_has_keys(ready)) {
        return ready->keys.count > 1 ? takt_keys_second(&ready->keys) : takt_ready_tail(ready);
    }
    return takt_levels_after(&ready->levels, best, ready->levels.depth);
}

/* Likewise after any `entity` of the set. O(entities) where keys order. */
TAKT_INLINE takt_entity_t *takt_ready_after(const takt_ready_t *ready, const takt_entity_t *entity) {
    if (!takt_ready_is_keyed(ready, entity)) {
        return takt_levels_after(&ready->levels, entity, ready->levels.depth);
    }
    takt_entity_t *next = takt_keys_after(&ready->keys, entity);
    return next != NULL ? next : takt_ready_tail(ready);
}

TAKT_INLINE void takt_ready_insert(takt_ready_t *ready, takt_entity_t *entity) {
    if (takt_ready_is_keyed(ready, entity)) {
        takt_ready_insert_key(ready, entity, ready->levels.depth);
    } else {
        takt_levels_insert(&ready->levels, entity, ready->levels.depth);
    }
}

/* Likewise ahead of its equals. Keys with ties have none. */
TAKT_INLINE void takt_ready_insert_first(takt_ready_t *ready, takt_entity_t *entity) {
    if (takt_ready_is_keyed(ready, entity)) {
        takt_ready_insert_key(ready, entity, ready->levels.depth);
    } else {
        takt_levels_insert_first(&ready->levels, entity, ready->levels.depth);
    }
}

TAKT_INLINE void takt_ready_remove(takt_ready_t *ready, takt_entity_t *entity) {
    if (takt_ready_is_keyed(ready, entity)) {
        takt_ready_remove_key(ready, entity, ready->levels.depth);
    } else {
        takt_levels_remove(&ready->levels, entity, ready->levels.depth);
    }
}

/* Moves `entity`, which is in the set, behind its equals. Keys with ties have no equals. */
TAKT_INLINE void takt_ready_rotate(takt_ready_t *ready, takt_entity_t *entity) {
    if (takt_ready_is_keyed(ready, entity)) {
        return;
    }
    if (ready->levels.heads[(uint32_t)entity->key] == entity) {
        takt_levels_rotate(&ready->levels, entity);
    } else {
        takt_levels_remove(&ready->levels, entity, ready->levels.depth);
        takt_levels_insert(&ready->levels, entity, ready->levels.depth);
    }
}

/* Changes the key of `entity`, which is in the set. On a level it is placed ahead of its equals. */
TAKT_INLINE void takt_ready_rekey(takt_ready_t *ready, takt_entity_t *entity, takt_key_t key, uint32_t tie) {
    if (takt_ready_is_keyed(ready, entity) && (TAKT_TAILS == 0 || key <= TAKT_KEY_LEAST_URGENT)) {
        entity->key = key;
        entity->tie = tie;
        takt_keys_update(&ready->keys, entity);
    } else {
        takt_ready_remove(ready, entity);
        entity->key = key;
        if (ready->order == TAKT_ORDER_KEYS) {
            entity->tie = tie;
        }
        takt_ready_insert_first(ready, entity);
    }
}

#endif
