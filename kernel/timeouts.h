/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Timeouts: until when threads wait, and alarms. Private to kernel/.
 *
 * What expires here is an input of the scheduler: nothing decides by the order of what expires at one instant, so the
 * wheel has no digits of order, as that of core/timers.h has. A timeout stands in the row of the highest 4-bit digit in
 * which its instant differs from the wheel's position, in the slot of that digit's value; instants 2^32 ticks or more
 * ahead share one more slot. To expire, the first slot is opened and emptied; one take either gives its first timeout, if that is
 * due, or moves it down. So insert, remove and take are O(1); a timeout moves down at most once per row, and those of one instant
 * not at all.
 *
 * Source: as core/timers.h.
 *
 * Invariant: every slot's first timeout is its least one unless the slot is marked as not exact, which no empty one is. Of
 * equal instants the one that was inserted first expires first, unless the other came while a slot was being emptied. `next` is
 * never after the least instant that a timeout in the first slot can have; while a slot is being emptied, it is in the past. Callers
 * hold the lock. */
#ifndef TAKT_KERNEL_TIMEOUTS_H
#define TAKT_KERNEL_TIMEOUTS_H

#include "core/bits.h"

enum { TAKT_TIMEOUTS_ROWS = 9, TAKT_TIMEOUTS_SLOTS = 16 };

typedef struct takt_timeout {
    struct takt_timeout *next; /* in the circle of its slot */
    struct takt_timeout *prev; /* NULL while it is not armed */
    takt_instant_t instant;
    /* Closed; the timeout is not armed any more. Gives how many plain threads are ready now that may go before who runs. */
    uint32_t (*expire)(struct takt_timeout *timeout);
    uint32_t place; /* number of its slot, over all rows */
} takt_timeout_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_timeout_t) == 24,
               "a timeout is 24 bytes on a 32-bit machine");

typedef struct takt_timeouts {
    uint32_t marks
        [TAKT_TIMEOUTS_ROWS]; /* takt_bit of each slot that is not empty; 16 on, of each that is not exact */
    uint32_t rows;            /* takt_bit of each row that is not empty */
    takt_instant_t next; /* when to take next at the latest; TAKT_NEVER: not until something is inserted */
    takt_instant_t position;
    takt_timeout_t *draining; /* the rest of the slot that is open, a list that ends */
    takt_timeout_t *slots[(TAKT_TIMEOUTS_ROWS - 1) * TAKT_TIMEOUTS_SLOTS + 1];
} takt_timeouts_t;

/* Makes the zeroed `timeouts` an empty wheel at instant 0. */
void takt_timeouts_init(takt_timeouts_t *timeouts);

/* Arms `timeout`, which is not armed; an instant in the past expires at the next take. */
void takt_timeouts_insert(takt_timeouts_t *timeouts, takt_timeout_t *timeout, takt_instant_t instant);

/* Disarms `timeout`, which is armed. */
void takt_timeouts_remove(takt_timeouts_t *timeouts, takt_timeout_t *timeout);

/* Whether there is something to take at `now`. */
TAKT_MUST_USE TAKT_INLINE bool takt_timeouts_are_due(const takt_timeouts_t *timeouts, takt_instant_t now) {
    return timeouts->next <= now;
}

/* Something is due, and no slot is open: opens the first one, to be emptied by takes. */
TAKT_INLINE void takt_timeouts_open_first_slot(takt_timeouts_t *timeouts);

/* One step at `now`: the first of the slot that is open, if it has expired, not armed any more, or NULL if it was moved down. */
TAKT_MUST_USE TAKT_INLINE takt_timeout_t *takt_timeouts_take(takt_timeouts_t *timeouts, takt_instant_t now);

/* The slot is empty: finds when to take next. */
TAKT_INLINE void takt_timeouts_look_ahead(takt_timeouts_t *timeouts);

/* Likewise, where something is armed. */
void takt_timeouts_look_into_first_slot(takt_timeouts_t *timeouts);

TAKT_INLINE bool takt_timeout_is_armed(const takt_timeout_t *timeout) { return timeout->prev != NULL; }

/* ---- inline layer ------------------------------------------------------------------------------- */

#define TAKT_TIMEOUTS_BOTH_BITS_OF_0 UINT32_C(0x80008000) /* of `marks` */

/* All was taken out of `slot`. */
TAKT_INLINE void takt_timeouts_unmark(takt_timeouts_t *timeouts, uint32_t row, uint32_t slot) {
    const uint32_t left = timeouts->marks[row] & ~(TAKT_TIMEOUTS_BOTH_BITS_OF_0 >> slot);
    timeouts->marks[row] = left;
    if (left == 0) {
        timeouts->rows &= ~takt_bit(row);
    }
}

/* The position comes to the slot's least instant, of which `next` is not ahead. */
TAKT_INLINE void takt_timeouts_open_first_slot(takt_timeouts_t *timeouts) {
    const uint32_t row = takt_leading_zeros(timeouts->rows);
    const uint32_t slot = takt_leading_zeros(timeouts->marks[row]);
    takt_timeout_t **head = &timeouts->slots[row * TAKT_TIMEOUTS_SLOTS + slot];
    takt_timeout_t *first = *head;
    *head = NULL;
    first->prev->next = NULL;
    timeouts->draining = first;
    takt_timeouts_unmark(timeouts, row, slot);
    if (timeouts->next > timeouts->position) {
        timeouts->position = timeouts->next;
    }
}

TAKT_INLINE takt_timeout_t *takt_timeouts_take(takt_timeouts_t *timeouts, takt_instant_t now) {
    takt_timeout_t *timeout = timeouts->draining;
    timeouts->draining = timeout->next;
    timeout->prev = NULL;
    if (TAKT_UNLIKELY(timeout->instant > now)) {
        takt_timeouts_insert(timeouts, timeout, timeout->instant);
        return NULL;
    }
    return timeout;
}

TAKT_INLINE void takt_timeouts_look_ahead(takt_timeouts_t *timeouts) {
    if (timeouts->rows == 0) {
        timeouts->next = TAKT_NEVER;
    } else {
        takt_timeouts_look_into_first_slot(timeouts);
    }
}

#endif
