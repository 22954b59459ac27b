/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The wheel of timeouts.h. */
#include "kernel/timeouts.h"

enum {
    DIGIT_BITS = 4,
    DIGIT_MASK = 15,
    FAR_ROW = TAKT_TIMEOUTS_ROWS - 1,
    FAR_PLACE = FAR_ROW * TAKT_TIMEOUTS_SLOTS,
};

void takt_timeouts_init(takt_timeouts_t *timeouts) { timeouts->next = TAKT_NEVER; }

static uint32_t row_of(uint32_t place) { return place / TAKT_TIMEOUTS_SLOTS; }

static uint32_t bit_of(uint32_t place) { return takt_bit(place % TAKT_TIMEOUTS_SLOTS); }

static uint32_t inexact_bit_of(uint32_t place) { return bit_of(place) >> TAKT_TIMEOUTS_SLOTS; }

/* An instant that is due already goes into the slot of the position. */
static uint32_t place_for(const takt_timeouts_t *timeouts, takt_instant_t instant) {
    if (instant <= timeouts->position) {
        return (uint32_t)timeouts->position & DIGIT_MASK;
    }
    const uint64_t difference = instant ^ timeouts->position;
    if ((uint32_t)(difference >> 32) != 0) {
        return FAR_PLACE;
    }
    const uint32_t row = (31u - takt_leading_zeros((uint32_t)difference)) / DIGIT_BITS;
    return row * TAKT_TIMEOUTS_SLOTS + (((uint32_t)instant >> (row * DIGIT_BITS)) & DIGIT_MASK);
}

/* Appends `timeout` to the circular list that begins with `first`. */
static void link_before(takt_timeout_t *first, takt_timeout_t *timeout) {
    takt_timeout_t *last = first->prev;
    timeout->next = first;
    timeout->prev = last;
    last->next = timeout;
    first->prev = timeout;
}

/* Removes `timeout` from its circular list, or from behind another one of a list. Returns its successor or NULL. */
static takt_timeout_t *unlink_timeout(takt_timeout_t *timeout) {
    takt_timeout_t *next = timeout->next;
    takt_timeout_t *prev = timeout->prev;
    timeout->prev = NULL;
    if (next == timeout) {
        return NULL;
    }
    prev->next = next;
    if (next != NULL) {
        next->prev = prev;
    }
    return next;
}

static void occupy(takt_timeouts_t *timeouts, uint32_t place, takt_timeout_t *timeout) {
    const uint32_t row = row_of(place);
    timeout->next = timeout;
    timeout->prev = timeout;
    timeouts->slots[place] = timeout;
    timeouts->marks[row] |= bit_of(place);
    timeouts->rows |= takt_bit(row);
}

static bool is_exact(const takt_timeouts_t *timeouts, uint32_t place) {
    return (timeouts->marks[row_of(place)] & inexact_bit_of(place)) == 0;
}

/* In a slot that is not exact the first timeout has no meaning; one inserted before it would precede its equals. */
static void stand(takt_timeouts_t *timeouts, takt_timeout_t *timeout, takt_instant_t instant) {
    const uint32_t place = place_for(timeouts, instant);
    takt_timeout_t *first = timeouts->slots[place];
    timeout->instant = instant;
    timeout->place = place;
    if (first == NULL) {
        occupy(timeouts, place, timeout);
        return;
    }
    link_before(first, timeout);
    if (instant < first->instant && is_exact(timeouts, place)) {
        timeouts->slots[place] = timeout;
    }
}

void takt_timeouts_insert(takt_timeouts_t *timeouts, takt_timeout_t *timeout, takt_instant_t instant) {
    if (instant < timeouts->next) {
        timeouts->next = instant;
    }
    stand(timeouts, timeout, instant);
}

static void vacate(takt_timeouts_t *timeouts, uint32_t place) {
    timeouts->slots[place] = NULL;
    takt_timeouts_unmark(timeouts, row_of(place), place % TAKT_TIMEOUTS_SLOTS);
}

/* The least instant that a timeout in `place` can have. */
static takt_instant_t start_of(const takt_timeouts_t *timeouts, uint32_t place) {
    const uint32_t round = (uint32_t)(timeouts->position >> 32);
    if (place == FAR_PLACE) {
        return (takt_instant_t)(round + 1u) << 32;
    }
    const uint32_t shift = DIGIT_BITS * row_of(place);
    const uint32_t above = ((uint32_t)timeouts->position >> shift) & ~(uint32_t)DIGIT_MASK;
    return (takt_instant_t)round << 32 | (above | (place & DIGIT_MASK)) << shift;
}

static takt_instant_t bound_of(const takt_timeouts_t *timeouts, uint32_t place) {
    return is_exact(timeouts, place) ? timeouts->slots[place]->instant : start_of(timeouts, place);
}

void takt_timeouts_look_into_first_slot(takt_timeouts_t *timeouts) {
    const uint32_t row = takt_leading_zeros(timeouts->rows);
    timeouts->next = bound_of(timeouts, row * TAKT_TIMEOUTS_SLOTS + takt_leading_zeros(timeouts->marks[row]));
}

/* The first of `place` was removed; `rest` begins with the next one, NULL for none. */
static void replace_first(takt_timeouts_t *timeouts, uint32_t place, takt_timeout_t *rest) {
    if (rest == NULL) {
        vacate(timeouts, place);
        return;
    }
    timeouts->slots[place] = rest;
    if (rest->next != rest) {
        timeouts->marks[row_of(place)] |= inexact_bit_of(place);
    } else {
        timeouts->marks[row_of(place)] &= ~inexact_bit_of(place);
    }
}

static void remove_from_slot(takt_timeouts_t *timeouts, takt_timeout_t *timeout) {
    const uint32_t place = timeout->place;
    takt_timeout_t *rest = unlink_timeout(timeout);
    if (timeout == timeouts->slots[place]) {
        replace_first(timeouts, place, rest);
    }
}

/* The predecessor of the first timeout in the list being emptied is gone, and is not written to. */
void takt_timeouts_remove(takt_timeouts_t *timeouts, takt_timeout_t *timeout) {
    if (timeout == timeouts->draining) {
        timeouts->draining = timeout->next;
        timeout->prev = NULL;
    } else {
        remove_from_slot(timeouts, timeout);
    }
    if (timeouts->draining == NULL) {
        takt_timeouts_look_ahead(timeouts);
    }
}
