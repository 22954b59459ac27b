/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The FIFO levels of core/ready.h: one call on every set of up to MEMBERS entities, on any levels, in any order.
 *
 * What a set looks like in memory follows from the entities on each level, in order; claim_set says how. A
 * call that finds such a set leaves one, and an empty one is one. So what is claimed here holds after any
 * number of calls, as long as the bound holds.
 *
 * Bound: MEMBERS in the set and one more that comes; all 32 levels at DEPTH 1, at DEPTH 2 the 64 of two words. All that
 * more of them add is a longer circle on a level, of which a call touches two neighbours, and more bits in a word. */
#include "core/ready.h"
#include "tests/proof/proof.h"

#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef MEMBERS
#define MEMBERS 2
#endif
#define LEVELS (DEPTH == 1 ? 32 : 64)

static takt_entity_t *heads[LEVELS];
static uint32_t words[LEVELS / 32];
static takt_ready_t ready = {.order = TAKT_ORDER_LEVELS,
                             .levels = {.heads = heads, .rows = {words}, .depth = DEPTH}};

/* What should be there: the entities, and among equals the one with the least turn first. */
static takt_entity_t *entities[MEMBERS + 1];
static bool is_member[MEMBERS + 1];
static int8_t turn[MEMBERS + 1];
static int8_t next_turn;

static void insert(uint32_t i) {
    is_member[i] = true;
    turn[i] = next_turn++;
    takt_ready_insert(&ready, entities[i]);
}

/* Any set. Inserting in order leaves no set out: a circle with the first inserted at its start is any circle. */
static void any_set(void) {
    for (uint32_t i = 0; i <= MEMBERS; i++) {
        entities[i] = any_object(sizeof(takt_entity_t));
        entities[i]->key = any_below(LEVELS);
    }
    const uint32_t count = any_below(MEMBERS + 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (i < count) {
            insert(i);
        }
    }
}

static bool goes_first(uint32_t a, uint32_t b) {
    const takt_key_t of_a = entities[a]->key;
    const takt_key_t of_b = entities[b]->key;
    return of_a < of_b || (of_a == of_b && turn[a] < turn[b]);
}

/* The most urgent member but `except`, MEMBERS + 1 if there is none. */
static uint32_t first_but(uint32_t except) {
    uint32_t first = MEMBERS + 1;
    for (uint32_t i = 0; i <= MEMBERS; i++) {
        if (is_member[i] && i != except && (first > MEMBERS || goes_first(i, first))) {
            first = i;
        }
    }
    return first;
}

static takt_entity_t *entity_of(uint32_t i) { return i <= MEMBERS ? entities[i] : NULL; }

/* The entity after `i` on its level, the last one before the first. */
static uint32_t after(uint32_t i) {
    uint32_t next = i;
    for (uint32_t j = 0; j <= MEMBERS; j++) {
        const bool is_equal = is_member[j] && entities[j]->key == entities[i]->key;
        const bool is_later = is_equal && turn[j] > turn[i];
        if (is_later ? turn[next] <= turn[i] || turn[j] < turn[next]
                     : is_equal && turn[next] <= turn[i] && turn[j] < turn[next]) {
            next = j;
        }
    }
    return next;
}

static bool has_level(uint32_t level) {
    bool has = false;
    for (uint32_t i = 0; i <= MEMBERS; i++) {
        has = has || (is_member[i] && entities[i]->key == level);
    }
    return has;
}

static bool has_word(uint32_t word) {
    bool has = false;
    for (uint32_t i = 0; i <= MEMBERS; i++) {
        has = has || (is_member[i] && entities[i]->key >> 5 == word);
    }
    return has;
}

static void claim_bits(uint32_t level) {
    const uint32_t bit = UINT32_C(0x80000000) >> (level & 31u);
    const uint32_t word = DEPTH == 1 ? ready.levels.top : words[level >> 5];
    CLAIM(((word & bit) != 0) == has_level(level), "a level's bit is set iff an entity is there");
    if (DEPTH == 2) {
        const uint32_t summary = UINT32_C(0x80000000) >> (level >> 5);
        CLAIM(((ready.levels.top & summary) != 0) == has_word(level >> 5),
              "a word's bit is set iff it is not 0");
    }
}

static void claim_links(uint32_t i) {
    if (is_member[i]) {
        CLAIM(entities[i]->next == entities[after(i)], "next is the one after");
        CLAIM(entities[i]->next->prev == entities[i], "prev leads back");
        CLAIM(turn[after(i)] > turn[i] || heads[entities[i]->key] == entities[after(i)],
              "a level starts at its first");
    }
}

static void claim_set(void) {
    const uint32_t best = first_but(MEMBERS + 1);
    CLAIM(takt_ready_best(&ready) == entity_of(best), "the best is the first of the most urgent level");
    const uint32_t level = any_below(LEVELS);
    claim_bits(level);
    CLAIM((heads[level] == NULL) == !has_level(level), "a level starts somewhere iff an entity is there");
    for (uint32_t i = 0; i <= MEMBERS; i++) {
        claim_links(i);
    }
}

/* A set with a member. */
static uint32_t any_set_and_member(void) {
    any_set();
    const uint32_t i = any_below(MEMBERS);
    ASSUME(is_member[i]);
    return i;
}

void prove_levels_insert(void) {
    any_set();
    claim_set();
    insert(MEMBERS);
    claim_set();
}

void prove_levels_insert_first(void) {
    any_set();
    is_member[MEMBERS] = true;
    turn[MEMBERS] = -1;
    takt_levels_insert_first(&ready.levels, entities[MEMBERS], DEPTH);
    claim_set();
}

void prove_levels_remove(void) {
    const uint32_t i = any_set_and_member();
    takt_ready_remove(&ready, entities[i]);
    is_member[i] = false;
    claim_set();
}

void prove_levels_rotate(void) {
    const uint32_t i = any_set_and_member();
    ASSUME(i == first_but(MEMBERS + 1));
    takt_ready_rotate(&ready, entities[i]);
    turn[i] = next_turn;
    claim_set();
}

void prove_levels_rekey(void) {
    const uint32_t i = any_set_and_member();
    takt_ready_rekey(&ready, entities[i], any_below(LEVELS), nondet_uint32());
    turn[i] = -1;
    claim_set();
}

void prove_levels_second(void) {
    const uint32_t best = any_set_and_member();
    ASSUME(best == first_but(MEMBERS + 1));
    takt_entity_t *second = takt_ready_second(&ready, entities[best]);
    CLAIM(second == entity_of(first_but(best)), "the second is the first but for the best");
    claim_set();
}
