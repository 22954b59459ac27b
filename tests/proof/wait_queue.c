/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The wait queue of kernel/queue.h: one call on every queue of up to WAITERS entities.
 *
 * Any queue is one into which they were appended in order. A call that finds such a queue leaves one, and an
 * empty one is one; so what is claimed here holds after any number of calls.
 * Claimed: first come, first served, whichever is removed in between; links lead forth and back; and the others'
 * links are not written.
 *
 * Bound: 4 entities, and one more that comes. More of them only make the circle longer, of which a call touches
 * two neighbours. */
#include "kernel/queue.h"
#include "tests/proof/proof.h"

#define WAITERS 4

static takt_queue_t queue;
static takt_entity_t *entities[WAITERS + 1];
static bool waits[WAITERS + 1]; /* in the order of their numbers */

static takt_entity_t *place_of(uint32_t i) { return i <= WAITERS ? entities[i] : takt_queue_place(&queue); }

/* The first waiter from `i` on, WAITERS + 1 if there is none. */
static uint32_t first_from(uint32_t i) {
    while (i <= WAITERS && !waits[i]) {
        i++;
    }
    return i;
}

static void any_queue(void) {
    takt_queue_init(&queue);
    for (uint32_t i = 0; i <= WAITERS; i++) {
        entities[i] = any_object(sizeof(takt_entity_t));
        waits[i] = i < WAITERS && nondet_bool();
        if (waits[i]) {
            takt_queue_append(&queue, entities[i]);
        }
    }
}

static void claim_queue(void) {
    const uint32_t first = first_from(0);
    CLAIM(takt_queue_is_empty(&queue) == (first > WAITERS), "empty is without anybody");
    CLAIM(queue.next == place_of(first) && queue.next->prev == takt_queue_place(&queue),
          "the first to come is first");
    for (uint32_t i = 0; i <= WAITERS; i++) {
        if (waits[i]) {
            takt_entity_t *next = place_of(first_from(i + 1));
            CLAIM(entities[i]->next == next, "next is the one that came after");
            CLAIM(next->prev == entities[i], "prev leads back");
        }
    }
}

void prove_append(void) {
    any_queue();
    claim_queue();
    takt_queue_append(&queue, entities[WAITERS]);
    waits[WAITERS] = true;
    claim_queue();
}

void prove_take(void) {
    any_queue();
    const uint32_t first = first_from(0);
    ASSUME(first <= WAITERS);
    CLAIM(takt_queue_take(&queue) == entities[first], "the first to come is taken first");
    waits[first] = false;
    claim_queue();
}

void prove_remove(void) {
    any_queue();
    const uint32_t i = any_below(WAITERS);
    ASSUME(waits[i]);
    takt_queue_remove(entities[i]);
    waits[i] = false;
    claim_queue();
}
