/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The ready sets of core/ready.h against a linear scan: the best entity after every operation, now and then the whole
 * order, and again when the set is emptied at the end. Levels, keys, and keys with a tail.
 *
 * The scan of levels keeps a place number per entity: an insertion gets the next one at the end, a rotation
 * too, and what is put first gets the next one at the front. */
#include "core/ready.h"

#include <string.h>

#include "check.h"

enum {
    ENTITY_LIMIT = 64,
    TEST_DEPTHS = 3,
    LEVEL_LIMIT = 32 * 32 * 32,
    OPERATIONS = 300,
    SEQUENCES = 1000,
};

typedef struct subject {
    takt_ready_t ready;
    takt_entity_t entity[ENTITY_LIMIT];
    int64_t place[ENTITY_LIMIT];
    int64_t first_place;
    int64_t last_place;
    uint32_t count;
    uint64_t keys;      /* keys are 1 .. keys */
    uint64_t tail_last; /* levels of the tail are 1 .. tail_last; 0: there is none */
} subject_t;

static subject_t subject;
static takt_entity_t *heads[LEVEL_LIMIT];
static uint32_t row_of_32[32];
static uint32_t row_of_1024[32 * 32];
static takt_entity_t *slots[ENTITY_LIMIT];
static takt_entity_t mark; /* what a platform puts on level 0 of a tail */

/* ---- the linear scan ----------------------------------------------------------------------- */

static bool has_keys(void) { return subject.ready.order == TAKT_ORDER_KEYS; }

static bool is_in_tail(const takt_entity_t *entity) { return entity->key >= UINT64_C(1) << 63; }

static bool is_in_set(uint32_t index) { return takt_entity_is_ready(&subject.entity[index]); }

static bool scan_precedes(uint32_t a, uint32_t b) {
    const takt_entity_t *first = &subject.entity[a];
    const takt_entity_t *second = &subject.entity[b];
    if (first->key != second->key) {
        return first->key < second->key;
    }
    return has_keys() && !is_in_tail(first) ? first->tie < second->tie : subject.place[a] < subject.place[b];
}

static uint32_t scan_best(void) {
    uint32_t best = subject.count;
    for (uint32_t index = 0; index < subject.count; index++) {
        if (is_in_set(index) && (best == subject.count || scan_precedes(index, best))) {
            best = index;
        }
    }
    return best;
}

/* ---- checks -------------------------------------------------------------------------------- */

/* What a kernel calls, with its constant depth. */
static takt_entity_t *best_of_constant_depth(const takt_levels_t *levels) {
    switch (levels->depth) {
    case 1:
        return takt_levels_best(levels, 1);
    case 2:
        return takt_levels_best(levels, 2);
    default:
        return takt_levels_best(levels, TEST_DEPTHS);
    }
}

static bool are_equals(const takt_entity_t *a, const takt_entity_t *b) {
    return a->key == b->key && a->tie == b->tie;
}

static void check_best(void) {
    const uint32_t expected = scan_best();
    takt_entity_t *best = takt_ready_best(&subject.ready);
    CHECK(takt_ready_is_empty(&subject.ready) == (expected == subject.count));
    if (expected == subject.count) {
        CHECK(best == NULL);
    } else if (has_keys() && !is_in_tail(&subject.entity[expected])) {
        CHECK(best != NULL && takt_entity_is_ready(best) && are_equals(best, &subject.entity[expected]));
        CHECK(subject.tail_last == 0 || best_of_constant_depth(&subject.ready.levels) == &mark);
    } else {
        CHECK(best == &subject.entity[expected]);
        CHECK(best == best_of_constant_depth(&subject.ready.levels));
    }
}

/* Every child of the heap is no more urgent than its parent, and every entity knows its slot. */
static void check_heap(const takt_keys_t *keys) {
    for (uint32_t slot = 0; slot < keys->count; slot++) {
        const takt_entity_t *child = keys->slots[slot];
        CHECK(child->slot == slot);
        if (slot > 0) {
            const takt_entity_t *parent = keys->slots[(slot - 1u) / 4u];
            CHECK(!takt_is_more_urgent(child->key, child->tie, parent->key, parent->tie));
        }
    }
}

/* Returns the index of the entity after `before` in the order of the scan, or `count`. */
static uint32_t scan_after(uint32_t before) {
    uint32_t next = subject.count;
    for (uint32_t index = 0; index < subject.count; index++) {
        if (is_in_set(index) && scan_precedes(before, index) &&
            (next == subject.count || scan_precedes(index, next))) {
            next = index;
        }
    }
    return next;
}

/* Entities whose key and tie are equal are passed over together in a heap. */
static void check_order(void) {
    const takt_entity_t *entity = takt_ready_best(&subject.ready);
    const takt_entity_t *second = entity != NULL ? takt_ready_second(&subject.ready, entity) : NULL;
    uint32_t expected = scan_best();
    for (uint32_t place = 0; expected < subject.count; place++) {
        CHECK(entity != NULL && are_equals(entity, &subject.entity[expected]));
        CHECK(place != 1 || are_equals(entity, second) || second->key < entity->key ||
              second->tie < entity->tie);
        expected = scan_after(expected);
        entity = takt_ready_after(&subject.ready, entity);
    }
    CHECK(entity == NULL);
}

static void check_set(void) {
    check_best();
    if (has_keys()) {
        check_heap(&subject.ready.keys);
    }
    if (check_below(16) == 0) {
        check_order();
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

static takt_key_t random_key(void) {
    const bool is_of_tail = subject.tail_last > 0 && check_below(2) == 0;
    return is_of_tail ? (UINT64_C(1) << 63) + 1u + check_below(subject.tail_last)
                      : 1u + check_below(subject.keys);
}

static void insert(uint32_t index) {
    takt_entity_t *entity = &subject.entity[index];
    entity->key = random_key();
    entity->tie = has_keys() ? 1u + index : 0u;
    entity->state = TAKT_STATE_READY;
    subject.place[index] = ++subject.last_place;
    takt_ready_insert(&subject.ready, entity);
}

static void take_out(uint32_t index) {
    takt_ready_remove(&subject.ready, &subject.entity[index]);
    subject.entity[index].state = 0;
}

/* A raise never lets an entity become less urgent: its preemption key lies between 0 and its key. */
static void raise_entity(uint32_t index) {
    takt_entity_t *entity = &subject.entity[index];
    const takt_key_t key = check_below(entity->key + 1u);
    subject.place[index] = --subject.first_place;
    takt_ready_rekey(&subject.ready, entity, key, 0);
    CHECK(entity->key == key && entity->tie == 0);
}

/* A thread gets a deadline or loses it, or its level changes. */
static void move_entity(uint32_t index) {
    takt_entity_t *entity = &subject.entity[index];
    const takt_key_t key = random_key();
    subject.place[index] = --subject.first_place;
    takt_ready_rekey(&subject.ready, entity, key, 1u + index);
    CHECK(entity->key == key && entity->tie == 1u + index);
}

static void rotate_best(void) {
    const uint32_t best = scan_best();
    if (best < subject.count) {
        takt_entity_t *entity = takt_ready_best(&subject.ready);
        subject.place[best] = ++subject.last_place;
        takt_ready_rotate(&subject.ready, entity);
    }
}

static void operate(void) {
    const uint32_t index = (uint32_t)check_below(subject.count);
    const uint64_t choice = check_below(10);
    if (choice == 0) {
        rotate_best();
    } else if (!is_in_set(index)) {
        insert(index);
    } else if (choice < 4 && subject.tail_last > 0) {
        move_entity(index);
    } else if (choice < 4) {
        raise_entity(index);
    } else {
        take_out(index);
    }
    check_set();
}

static void take_out_best_until_empty(void) {
    for (takt_entity_t *best = takt_ready_best(&subject.ready); best != NULL;
         best = takt_ready_best(&subject.ready)) {
        check_set();
        take_out((uint32_t)(best - subject.entity));
    }
    check_set();
}

/* ---- sequences ----------------------------------------------------------------------------- */

static void begin(void) {
    memset(&subject, 0, sizeof subject);
    subject.count = 1u + (uint32_t)check_below(ENTITY_LIMIT);
}

static void run_operations(void) {
    check_set();
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate();
    }
    take_out_best_until_empty();
}

/* Few levels make long lists, many make long ways through the rows. */
static void random_levels(uint32_t depth) {
    const uint64_t all = (UINT64_C(1) << (5u * depth)) - 1u;
    begin();
    subject.keys = check_below(2) == 0 ? all : 1u + check_below(all < 8u ? all : 8u);
    subject.ready.order = TAKT_ORDER_LEVELS;
    subject.ready.levels.heads = heads;
    subject.ready.levels.rows[0] = row_of_32;
    subject.ready.levels.rows[1] = row_of_1024;
    subject.ready.levels.depth = depth;
    run_operations();
}

static void random_keys(void) {
    begin();
    subject.keys = check_below(2) == 0 ? TAKT_KEY_LEAST_URGENT : 1u + check_below(8);
    subject.ready = takt_ready_keyed(slots);
    run_operations();
}

static void random_tail(uint32_t depth) {
    begin();
    subject.keys = check_below(2) == 0 ? TAKT_KEY_LEAST_URGENT : 1u + check_below(8);
    subject.tail_last = check_below(2) == 0 ? (UINT64_C(1) << (5u * depth)) - 1u : 1u + check_below(4);
    subject.ready = takt_ready_keyed(slots);
    subject.ready.levels.heads = heads;
    subject.ready.levels.rows[0] = row_of_32;
    subject.ready.levels.depth = depth;
    heads[0] = &mark;
    run_operations();
    heads[0] = NULL;
}

static void random_sequence(void) {
    for (uint32_t depth = 1; depth <= TEST_DEPTHS; depth++) {
        random_levels(depth);
    }
    random_keys();
    for (uint32_t depth = 1; depth <= TAKT_TAIL_MAX_DEPTH; depth++) {
        random_tail(depth);
    }
}

int main(void) {
    check_sequences(random_sequence, SEQUENCES);
    return check_report("test_ready");
}
