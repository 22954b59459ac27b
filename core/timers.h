/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Timers: a radix wheel on (instant, order), total order, constant work per step.
 *
 * A timer's 96-bit key is its instant followed by its order (class and entity number), so that timers
 * of one instant fire in a defined order however they were armed. The key is cut into 4-bit digits;
 * a timer stands in the row of the highest digit in which it differs from the wheel's position, in
 * the slot of that digit's value. Insert and remove are O(1). takt_timers_take expires at most
 * one timer and moves at most one other to a lower row; a timer moves down at most once per row. The call
 * is therefore O(1), whatever the number of timers that expire at one instant. A kernel enables interrupts between
 * steps (rule 3 of DESIGN.md).
 *
 * Source: radix heaps (Ahuja, Mehlhorn, Orlin, Tarjan 1990) and hashed hierarchical timing wheels
 * (Varghese and Lauck 1987), with the order digits below the time digits.
 *
 * Invariants: the position never exceeds the last instant passed in; every slot's first timer is the
 * slot's least one while the slot's `exact` bit is set; a timer beyond the rows stands in the last
 * row, which has one slot.
 *
 * Rows are the caller's memory: order_rows (1 .. 7) serve 2^(4 order_rows - 2) entity numbers in
 * each of four classes. time_rows (1 .. 16) serve 2^(4 time_rows) ticks ahead; one more row holds the
 * timers beyond, which are placed again later. */
#ifndef TAKT_CORE_TIMERS_H
#define TAKT_CORE_TIMERS_H

#include "core/types.h"

TAKT_C_BEGIN

enum { TAKT_TIMERS_SLOTS = 16, TAKT_TIMERS_MAX_ROWS = 24 };

/* Purpose of a timer. At one instant expiries come first, then replenishments, resumes and allocations, then wakes
 * and releases (steps 5, 6 and 7 of SPEC.md, 2), then TAKT_TIMER_INSTANT_END. Within such a class the smaller entity
 * number comes first; servers have smaller numbers than tasks. */
typedef enum takt_timer_kind {
    TAKT_TIMER_EXPIRY = 0,        /* a job that is aborted at its deadline; a task's second timer */
    TAKT_TIMER_REPLENISHMENT = 1, /* a server's budget comes back */
    TAKT_TIMER_RESUME = 2,        /* a suspended job becomes ready */
    TAKT_TIMER_WAKE = 3,          /* one of a server's own timers is due */
    TAKT_TIMER_RELEASE = 4,       /* a task's next job */
    TAKT_TIMER_INSTANT_END = 5,   /* a server may lose its budget at the end of the instant */
    TAKT_TIMER_ALLOCATION = 6,    /* an allocator's own timer */
} takt_timer_kind_t;

typedef struct takt_timer {
    struct takt_timer *next;
    struct takt_timer **link; /* the pointer to this timer, NULL while not armed */
    takt_instant_t instant;
    uint32_t order;
    uint32_t kind; /* takt_timer_kind_t */
} takt_timer_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_timer_t) == 24, "a timer is 24 bytes on a 32-bit machine");

typedef struct takt_timers_row {
    uint32_t marks; /* bit 31 - slot: occupied; bit 15 - slot: exact */
    takt_timer_t *slot[TAKT_TIMERS_SLOTS];
} takt_timers_row_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_timers_row_t) == 68,
               "a row is 68 bytes on a 32-bit machine");

typedef struct takt_timers {
    takt_instant_t next; /* see takt_timers_next */
    takt_instant_t position_instant;
    uint32_t position_order;
    uint32_t occupied; /* takt_bit(row) */
    takt_timer_t *draining;
    takt_timers_row_t *rows; /* caller's memory: order_rows + time_rows + 1 rows, zeroed */
    uint8_t order_rows;
    uint8_t last_row; /* of the timers beyond; has one slot */
} takt_timers_t;

/* Number of rows that takt_timers_init needs. */
#define TAKT_TIMERS_ROWS(order_rows, time_rows) ((order_rows) + (time_rows) + 1)

/* Makes an empty wheel at instant 0 over `rows`, which must be zeroed. */
void takt_timers_init(takt_timers_t *timers, takt_timers_row_t *rows, uint32_t order_rows,
                      uint32_t time_rows);

/* Sets up a timer of `kind` for entity number `id`, not armed. `id` is below 2^(4 order_rows - 2). */
void takt_timer_init(takt_timer_t *timer, const takt_timers_t *timers, takt_timer_kind_t kind, uint32_t id);

/* Arms `timer`, which is not armed. With an instant in the past it expires at the next take. O(1). */
void takt_timers_insert(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t instant);

/* Disarms `timer` if it is armed. O(1). */
void takt_timers_remove(takt_timers_t *timers, takt_timer_t *timer);

/* One step at `now`: disarms the first timer if it is due and moves at most one other. Returns the expired
 * timer, NULL if there is none. Call again iff takt_timers_next(timers) <= now. O(1). */
TAKT_MUST_USE takt_timer_t *takt_timers_take(takt_timers_t *timers, takt_instant_t now);

/* Returns the timer that takt_timers_take would expire at `now`; NULL if none. */
const takt_timer_t *takt_timers_due(const takt_timers_t *timers, takt_instant_t now);

/* Returns the first timer, due at `now`, if it is known to be the first one; NULL: takt_timers_take would not expire a timer,
 * but move one. O(1). */
TAKT_MUST_USE takt_timer_t *takt_timers_first(const takt_timers_t *timers, takt_instant_t now);

/* Expires `timer`, which takt_timers_first has returned, arms it again at `instant`, and moves at most one other. O(1). */
void takt_timers_renew(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t instant);

/* Returns an instant that no timer but the one that takt_timers_due returns precedes; TAKT_NEVER if there is no other. O(timers
 * of its slot). Call only while there is such a timer. */
takt_instant_t takt_timers_after_due(const takt_timers_t *timers);

/* Returns the instant of the next necessary take: that of the first timer, or earlier after a first timer
 * was removed; any past instant if it is overdue; TAKT_NEVER if the wheel is empty; 0 while timers have
 * still to be moved, but for one that takt_timers_renew has found to be the first. */
TAKT_MUST_USE TAKT_INLINE takt_instant_t takt_timers_next(const takt_timers_t *timers) {
    return timers->next;
}

/* Returns the nominal instant that the wheel has reached: that of the last expired timer, unless it was overdue
 * already when it was armed. */
TAKT_INLINE takt_instant_t takt_timers_position(const takt_timers_t *timers) {
    return timers->position_instant;
}

TAKT_INLINE bool takt_timer_is_armed(const takt_timer_t *timer) { return timer->link != NULL; }

TAKT_C_END

#endif
