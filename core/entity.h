/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Entity: whatever competes for a processor, a job of a task, a plain thread or a server.
 *
 * Rule 7 of DESIGN.md (order is data); one record for jobs and servers. 32 bytes on
 * a 32-bit machine, so that a plain thread's control block stays small.
 *
 *            release, wake                     start (first dispatch of a job with a threshold)
 *   ABSENT ----------------> READY ----------------------------------------> READY + started
 *      ^                      |  ^                                              |
 *      +--- complete, block --+--|----------------------------------------------+
 *
 * A server is READY while it stands in its parent's ready set: it has budget and something to run, or idles. */
#ifndef TAKT_CORE_ENTITY_H
#define TAKT_CORE_ENTITY_H

#include "core/types.h"

struct takt_server;
struct takt_task;

/* Attributes. While those of the running and of the next entity are all 0, the inline layer of ready.h decides alone;
 * while they are equal and TAKT_ATTRIBUTES_NEAR contains them, near.h may. Their decisions equal that of the full pass
 * (rule 2 of DESIGN.md). */
enum {
    TAKT_ATTRIBUTE_SERVER = 1u << 0,    /* the entity is itself a server */
    TAKT_ATTRIBUTE_IN_SERVER = 1u << 1, /* a budget pays for its execution */
    TAKT_ATTRIBUTE_LIMITED = 1u << 2,   /* it has a preemption threshold */
    TAKT_ATTRIBUTE_KEYED = 1u << 3,     /* its place is in the heap of a set of keys, not in the tail */
    TAKT_ATTRIBUTE_FULL_PASS =
        1u << 4,                    /* recorded, rewritten at a wake, or the kernel acts when it is chosen */
    TAKT_ATTRIBUTE_AGING = 1u << 5, /* its key changes while it executes */
    TAKT_ATTRIBUTE_LOCKING = 1u << 6, /* it holds a resource, or waits for one */
    TAKT_ATTRIBUTE_BUDGET = 1u << 7,  /* its job has its own budget, job.remaining; see allocator.h */
    TAKT_ATTRIBUTE_ORDERED = 1u << 8, /* it waits outside core, in an order that its wake has to update */
    TAKT_ATTRIBUTE_SLICED = 1u << 9,  /* the kernel acts when it is chosen: it has a time slice */
};

/* Execution of such an entity is charged: to budgets, or to its own laxity. */
#define TAKT_ATTRIBUTES_CHARGED \
    (TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_IN_SERVER | TAKT_ATTRIBUTE_AGING | TAKT_ATTRIBUTE_BUDGET)

enum {
    TAKT_STATE_READY = 1u << 0,   /* it is in the ready set of its parent */
    TAKT_STATE_STARTED = 1u << 1, /* its job has been dispatched with a threshold, which is its key now */
    TAKT_STATE_WAITING = 1u << 2, /* it is in a queue outside core, which owns its links */
    TAKT_STATE_ACTIVE = 1u << 3,  /* its task's current job is not finished */
};

typedef struct takt_entity {
    union {
        struct {
            struct takt_entity *next; /* neighbours in a ready level (circular) or in a wait queue */
            struct takt_entity *prev;
        };
        uint32_t slot; /* place in a ready heap */
    };
    takt_key_t key; /* urgency, written at release or re-key, never computed in a comparison */
    /* Rank, then number. Order among equal keys of a heap; levels are FIFO and ignore the rank. See
     * takt_entity_number. */
    uint32_t tie;
    uint16_t attributes;        /* TAKT_ATTRIBUTE_ */
    uint8_t state;              /* TAKT_STATE_ */
    uint8_t level;              /* of a plain thread, 1 .. TAKT_PLAIN_LEVELS_MOST, not the one in force */
    struct takt_server *parent; /* the server, or the root, in whose ready set it competes */
    struct takt_task *task;     /* its task, NULL for a plain thread and for a server */
} takt_entity_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_entity_t) == 32,
               "an entity is 32 bytes on a 32-bit machine");

enum {
    TAKT_PLAIN_LEVELS_MOST = 255, /* levels of plain threads, at most */
    TAKT_TIE_RANK_SHIFT = 20,     /* the rank's place in a tie */
};

_Static_assert(TAKT_ENTITY_LIMIT == UINT32_C(1) << TAKT_TIE_RANK_SHIFT, "a tie has room for every number");

/* Returns the tie of `rank` for entity `number`. */
TAKT_INLINE uint32_t takt_tie_of(uint32_t rank, uint32_t number) {
    return rank << TAKT_TIE_RANK_SHIFT | number;
}

/* Returns the number of `entity` in the entity table of the trace; unique in one dispatcher. */
TAKT_INLINE uint32_t takt_entity_number(const takt_entity_t *entity) {
    return entity->tie & (TAKT_ENTITY_LIMIT - 1u);
}

TAKT_INLINE bool takt_entity_is_ready(const takt_entity_t *entity) {
    return (entity->state & TAKT_STATE_READY) != 0;
}

TAKT_INLINE void takt_entity_set_state(takt_entity_t *entity, uint32_t bits) {
    entity->state = (uint8_t)(entity->state | bits);
}

TAKT_INLINE void takt_entity_clear_state(takt_entity_t *entity, uint32_t bits) {
    entity->state = (uint8_t)(entity->state & ~bits);
}

/* Sets those of `bits` that are not set, and clears the others. */
TAKT_INLINE void takt_entity_flip_state(takt_entity_t *entity, uint32_t bits) {
    entity->state = (uint8_t)(entity->state ^ bits);
}

TAKT_INLINE void takt_entity_set_attributes(takt_entity_t *entity, uint32_t bits) {
    entity->attributes = (uint16_t)(entity->attributes | bits);
}

TAKT_INLINE void takt_entity_clear_attributes(takt_entity_t *entity, uint32_t bits) {
    entity->attributes = (uint16_t)(entity->attributes & ~bits);
}

TAKT_INLINE bool takt_entity_is_server(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_SERVER) != 0;
}

/* Whether it holds a resource, or waits for one. */
TAKT_INLINE bool takt_entity_is_locking(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_LOCKING) != 0;
}

#endif
