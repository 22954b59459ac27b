/* Timeouts: until when threads wait, and alarms. Private to kernel/.
 *
 * What expires here is an input of the scheduler: nothing decides by the order of what expires at one instant, so the
 * wheel has no digits of order, as that of core/timers.h has. A timeout stands in the row of the highest 4-bit digit in
 * which its instant differs from the wheel's position, in the slot of that digit's value; instants 2^32 ticks or more
 * ahead share one more slot. One take either gives the first timeout of the first slot, if it is due, or moves it down. So
 * insert, remove and take are O(1); a timeout moves down at most once per row, and those of one instant not at all.
 *
 * Source: as core/timers.h.
 *
 * Invariant: every slot's first timeout is its least one unless the slot is marked as not exact, which no empty one is. Of
 * equal instants the one that was inserted first expires first, unless the other came while a slot was being emptied. `next` is
 * never after the least instant that a timeout in the first slot can have. Callers hold the lock. */
#ifndef TAKT_KERNEL_TIMEOUTS_H
#define TAKT_KERNEL_TIMEOUTS_H

#include "core/types.h"

enum { TAKT_TIMEOUTS_ROWS = 9, TAKT_TIMEOUTS_SLOTS = 16 };

typedef struct takt_timeout {
    struct takt_timeout *next; /* in the circle of its slot */
    struct takt_timeout *prev; /* NULL while it is not armed */
    takt_instant_t instant;
    void (*expire)(struct takt_timeout *timeout); /* closed; the timeout is not armed any more */
    uint32_t place;                               /* number of its slot, over all rows */
} takt_timeout_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_timeout_t) == 24,
               "a timeout is 24 bytes on a 32-bit machine");

typedef struct takt_timeouts {
    takt_instant_t next; /* when to take next at the latest; TAKT_NEVER: not until something is inserted */
    takt_instant_t position;
    takt_timeout_t *draining; /* the rest of a slot, a list that ends; while not NULL, `next` is 0 */
    uint32_t rows;            /* takt_bit of each row that is not empty */
    uint32_t marks
        [TAKT_TIMEOUTS_ROWS]; /* takt_bit of each slot that is not empty; 16 on, of each that is not exact */
    takt_timeout_t *slots[(TAKT_TIMEOUTS_ROWS - 1) * TAKT_TIMEOUTS_SLOTS + 1];
} takt_timeouts_t;

/* Makes the zeroed `timeouts` an empty wheel at instant 0. */
void takt_timeouts_init(takt_timeouts_t *timeouts);

/* Arms `timeout`, which is not armed; an instant in the past expires at the next take. */
void takt_timeouts_insert(takt_timeouts_t *timeouts, takt_timeout_t *timeout, takt_instant_t instant);

/* Disarms `timeout`, which is armed. */
void takt_timeouts_remove(takt_timeouts_t *timeouts, takt_timeout_t *timeout);

/* Whether there is something to take at `now`: timeouts->next <= now. */
TAKT_MUST_USE TAKT_INLINE bool takt_timeouts_are_due(const takt_timeouts_t *timeouts, takt_instant_t now) {
    return timeouts->draining != NULL || timeouts->next <= now;
}

/* One step at `now`, if something is due: the timeout that has expired, not armed any more, or NULL if there was only
 * something to move. More is to do while something is due. */
TAKT_MUST_USE TAKT_INLINE takt_timeout_t *takt_timeouts_take(takt_timeouts_t *timeouts, takt_instant_t now);

/* The same in general. */
TAKT_MUST_USE takt_timeout_t *takt_timeouts_take_by_slot(takt_timeouts_t *timeouts, takt_instant_t now);

TAKT_INLINE bool takt_timeout_is_armed(const takt_timeout_t *timeout) { return timeout->prev != NULL; }

/* ---- inline layer ------------------------------------------------------------------------------- */

/* In the middle of a slot nothing is to do but to take the next one: what comes first is known already. */
TAKT_INLINE takt_timeout_t *takt_timeouts_take(takt_timeouts_t *timeouts, takt_instant_t now) {
    takt_timeout_t *timeout = timeouts->draining;
    if (timeout == NULL || timeout->next == NULL || timeout->instant > now) {
        return takt_timeouts_take_by_slot(timeouts, now);
    }
    timeouts->draining = timeout->next;
    timeout->prev = NULL;
    return timeout;
}

#endif
