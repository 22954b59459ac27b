/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Timeouts of waiting threads, and alarms. Private to kernel/.
 *
 * An expiry is an input of the scheduler: no decision depends on the order of expiries at one instant. So the wheel has
 * no order digits, unlike that of core/timers.h. A timeout is in the row of the highest 4-bit digit in which its
 * instant differs from the wheel's position, in the slot of that digit's value. Instants 2^32 ticks or more ahead share
 * one more slot. To expire timeouts, the first slot is opened and emptied. One take returns its first timeout, if that
 * is due, or moves it down. So insert, remove and take are O(1). A timeout moves down at most once per row; timeouts of
 * one instant do not move.
 *
 * Source: as core/timers.h.
 *
 * Invariant: every slot's first timeout is its least one unless the slot is marked as not exact; an empty slot never
 * is. Of equal instants the one inserted first expires first, unless the other was inserted while a slot was being
 * emptied. `next` is at most the least instant that a timeout in the first slot can have. While a slot is being
 * emptied, `next` is in the past. Callers hold the lock. */
#ifndef TAKT_KERNEL_TIMEOUTS_H
#define TAKT_KERNEL_TIMEOUTS_H

#include "core/bits.h"

TAKT_C_BEGIN

enum { TAKT_TIMEOUTS_ROWS = 9, TAKT_TIMEOUTS_SLOTS = 16 };

typedef struct takt_timeout {
    struct takt_timeout *next; /* in the circular list of its slot */
    struct takt_timeout *prev; /* NULL while it is not armed */
    takt_instant_t instant;
    /* Closed, timeout disarmed. Returns how many plain threads became ready that may preempt the running one. */
    uint32_t (*expire)(struct takt_timeout *timeout);
    uint32_t place; /* number of its slot, counted over all rows */
} takt_timeout_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_timeout_t) == 24,
               "a timeout is 24 bytes on a 32-bit machine");

typedef struct takt_timeouts {
    uint32_t marks
        [TAKT_TIMEOUTS_ROWS]; /* takt_bit of each slot that is not empty; 16 on, of each that is not exact */
    uint32_t rows;            /* takt_bit of each row that is not empty */
    takt_instant_t next; /* when to take next at the latest; TAKT_NEVER: not until something is inserted */
    takt_instant_t position;
    takt_timeout_t *draining; /* rest of the open slot, a NULL-terminated list */
    takt_timeout_t *slots[(TAKT_TIMEOUTS_ROWS - 1) * TAKT_TIMEOUTS_SLOTS + 1];
} takt_timeouts_t;

/* Initialises the zeroed `timeouts`, an empty wheel at instant 0. */
void takt_timeouts_init(takt_timeouts_t *timeouts);

/* Arms `timeout`, which is not armed. An instant in the past expires at the next take. */
void takt_timeouts_insert(takt_timeouts_t *timeouts, takt_timeout_t *timeout, takt_instant_t instant);

/* Disarms `timeout`, which is armed. */
void takt_timeouts_remove(takt_timeouts_t *timeouts, takt_timeout_t *timeout);

/* True if there is something to take at `now`. */
TAKT_MUST_USE TAKT_INLINE bool takt_timeouts_are_due(const takt_timeouts_t *timeouts, takt_instant_t now) {
    return timeouts->next <= now;
}

/* Opens the first slot, to be emptied by takes. Something is due, and no slot is open. */
TAKT_INLINE void takt_timeouts_open_first_slot(takt_timeouts_t *timeouts);

/* One step at `now`: returns the first timeout of the open slot, disarmed, if it is due; NULL if it was moved down. */
TAKT_MUST_USE TAKT_INLINE takt_timeout_t *takt_timeouts_take(takt_timeouts_t *timeouts, takt_instant_t now);

/* Computes when to take next; the open slot is empty. */
TAKT_INLINE void takt_timeouts_look_ahead(takt_timeouts_t *timeouts);

/* Likewise; at least one timeout is armed. */
void takt_timeouts_look_into_first_slot(takt_timeouts_t *timeouts);

TAKT_INLINE bool takt_timeout_is_armed(const takt_timeout_t *timeout) { return timeout->prev != NULL; }

/* ---- inline layer ------------------------------------------------------------------------------- */

#define TAKT_TIMEOUTS_BOTH_BITS_OF_0 UINT32_C(0x80008000) /* of `marks` */

/* `slot` has become empty. */
TAKT_INLINE void takt_timeouts_unmark(takt_timeouts_t *timeouts, uint32_t row, uint32_t slot) {
    const uint32_t left = timeouts->marks[row] & ~(TAKT_TIMEOUTS_BOTH_BITS_OF_0 >> slot);
    timeouts->marks[row] = left;
    if (left == 0) {
        timeouts->rows &= ~takt_bit(row);
    }
}

/* Advances the position to the slot's least instant, which `next` does not exceed. */
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

TAKT_C_END

#endif
