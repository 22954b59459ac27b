/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The heap of core/keys.h, in core/ready.h: one call on every heap of up to HEAP entities, with any keys and ties.
 *
 * A call that finds a heap leaves a heap, with exactly the members that it should have; an empty one is a
 * heap. So what is claimed here holds after any number of calls, as long as the bound holds. Which
 * entity stands where is no loss: they have no other names than their places.
 *
 * Bound: 21 entities, which is three full rows of the heap, or 10, the least in which a removal must move an entity up
 * (proofs.toml says which); at the fourth row nothing is new, a sift takes one more step. Keys and ties of 64 orders:
 * they are compared and nothing else, and 21 entities have no more than 21 of them. */
#define TAKT_READY_OVERLAY struct

#include "core/ready.h"
#include "tests/proof/proof.h"

#ifndef HEAP
#define HEAP 21
#endif

static takt_entity_t *entities[HEAP];
static takt_entity_t *slots[HEAP];
static takt_ready_t ready;

static bool goes_first(const takt_entity_t *a, const takt_entity_t *b) {
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static bool is_ordered(uint32_t slot) { return slot == 0 || !goes_first(slots[slot], slots[(slot - 1) / 4]); }

/* Any heap of up to `most` entities. */
static void any_heap(uint32_t most) {
    ready.order = TAKT_ORDER_KEYS;
    ready.levels.depth = 1;
    ready.keys.slots = slots;
    ready.keys.count = any_below(most + 1);
    ready.levels.top = ready.keys.count > 0 ? takt_bit(0) : 0u;
    for (uint32_t i = 0; i < HEAP; i++) {
        entities[i] = any_object(sizeof(takt_entity_t));
        entities[i]->key = nondet_uint8() & 31u;
        entities[i]->tie = nondet_bool();
        entities[i]->slot = i;
        slots[i] = entities[i];
    }
    for (uint32_t i = 0; i < HEAP; i++) {
        ASSUME(i >= ready.keys.count || is_ordered(i));
    }
}

/* It is a heap of `count` members, among them `member`; the best and the second are that. As many places as members,
 * so that no entity is there twice. */
static void claim_heap(uint32_t count) {
    CLAIM(ready.keys.count == count, "as many as should be");
    CLAIM(takt_ready_is_empty(&ready) == (count == 0), "empty is without members");
    const uint32_t slot = any_below(HEAP);
    if (slot < count) {
        CLAIM(slots[slot]->slot == slot, "every place knows its entity, and that its place");
        CLAIM(is_ordered(slot), "no entity goes before the one above it");
    }
}

static void claim_member(const takt_entity_t *entity) {
    CLAIM(entity->slot < ready.keys.count, "a member has a place");
    CLAIM(slots[entity->slot] == entity, "a member stands at its place");
}

/* Every one of the entities below `count`, and no other, is a member. */
void prove_insert(void) {
    any_heap(HEAP - 1);
    const uint32_t count = ready.keys.count;
    takt_ready_insert(&ready, entities[count]);
    claim_heap(count + 1);
    claim_member(entities[any_below(count + 1)]);
}

void prove_remove(void) {
    any_heap(HEAP);
    const uint32_t count = ready.keys.count;
    ASSUME(count > 0);
    const uint32_t removed = any_below(count);
    takt_ready_remove(&ready, entities[removed]);
    claim_heap(count - 1);
    const uint32_t other = any_below(count);
    if (other != removed) {
        claim_member(entities[other]);
    }
}

void prove_rekey(void) {
    any_heap(HEAP);
    const uint32_t count = ready.keys.count;
    ASSUME(count > 0);
    takt_entity_t *entity = entities[any_below(count)];
    const takt_key_t key = nondet_uint8() & 31u;
    const uint32_t tie = nondet_bool();
    takt_ready_rekey(&ready, entity, key, tie);
    CLAIM(entity->key == key && entity->tie == tie, "it has its new key and tie");
    claim_heap(count);
    claim_member(entities[any_below(count)]);
}

void prove_best(void) {
    any_heap(HEAP);
    const takt_entity_t *best = takt_ready_best(&ready);
    CLAIM((best == NULL) == (ready.keys.count == 0), "an empty heap has no best");
    const uint32_t other = any_below(HEAP);
    if (other < ready.keys.count) {
        CLAIM(!goes_first(slots[other], best), "no entity goes before the best");
    }
}

void prove_second(void) {
    any_heap(HEAP);
    ASSUME(ready.keys.count > 0);
    const takt_entity_t *second = takt_ready_second(&ready, slots[0]);
    CLAIM((second == NULL) == (ready.keys.count == 1), "one entity has no second");
    CLAIM(second != slots[0], "the second is not the best");
    const uint32_t other = any_below(HEAP);
    if (other > 0 && other < ready.keys.count) {
        CLAIM(!goes_first(slots[other], second), "only the best goes before the second");
    }
}
