/* The wheel of timeouts.h. */
#include "kernel/timeouts.h"

#include "core/bits.h"

enum {
    DIGIT_BITS = 4,
    DIGIT_MASK = 15,
    FAR_ROW = TAKT_TIMEOUTS_ROWS - 1,
    FAR_PLACE = FAR_ROW * TAKT_TIMEOUTS_SLOTS,
};

void takt_timeouts_init(takt_timeouts_t *timeouts) { timeouts->next = TAKT_NEVER; }

static uint32_t row_of(uint32_t place) { return place / TAKT_TIMEOUTS_SLOTS; }

static uint32_t bit_of(uint32_t place) { return takt_bit(place % TAKT_TIMEOUTS_SLOTS); }

#define BOTH_BITS_OF_0 UINT32_C(0x80008000)

static uint32_t inexact_bit_of(uint32_t place) { return bit_of(place) >> TAKT_TIMEOUTS_SLOTS; }

/* What is due already stands in the slot of the position. */
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

/* Puts `timeout` at the end of the circle that begins with `first`. */
static void link_before(takt_timeout_t *first, takt_timeout_t *timeout) {
    takt_timeout_t *last = first->prev;
    timeout->next = first;
    timeout->prev = last;
    last->next = timeout;
    first->prev = timeout;
}

/* Takes `timeout` out of its circle, or from behind another one of a list; gives the one that follows it, NULL if there is none. */
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

/* In a slot that is not exact the first one means nothing, and whoever went before it would go before its equals. */
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

TAKT_INLINE void vacate(takt_timeouts_t *timeouts, uint32_t place) {
    const uint32_t row = row_of(place);
    timeouts->slots[place] = NULL;
    const uint32_t left = timeouts->marks[row] & ~(BOTH_BITS_OF_0 >> (place % TAKT_TIMEOUTS_SLOTS));
    timeouts->marks[row] = left;
    if (left == 0) {
        timeouts->rows &= ~takt_bit(row);
    }
}

static uint32_t first_place(const takt_timeouts_t *timeouts) {
    const uint32_t row = takt_leading_zeros(timeouts->rows);
    return row * TAKT_TIMEOUTS_SLOTS + takt_leading_zeros(timeouts->marks[row]);
}

/* The least instant that a timeout in `place` can have. */
static takt_instant_t start_of(const takt_timeouts_t *timeouts, uint32_t place) {
    const uint32_t shift = DIGIT_BITS * row_of(place);
    if (place == FAR_PLACE) {
        return ((timeouts->position >> shift) + 1u) << shift;
    }
    const uint64_t above = (timeouts->position >> shift) & ~(uint64_t)DIGIT_MASK;
    return (above | (place & DIGIT_MASK)) << shift;
}

static takt_instant_t bound_of(const takt_timeouts_t *timeouts, uint32_t place) {
    return is_exact(timeouts, place) ? timeouts->slots[place]->instant : start_of(timeouts, place);
}

static void look_ahead(takt_timeouts_t *timeouts) {
    if (timeouts->draining != NULL) {
        timeouts->next = 0;
    } else {
        timeouts->next = timeouts->rows == 0 ? TAKT_NEVER : bound_of(timeouts, first_place(timeouts));
    }
}

/* The first of `place` was taken out, and `rest` begins with the next one, NULL for none. */
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

/* Takes the first one out of what is being emptied. What was before it is gone, and not written to. */
static takt_timeout_t *pop(takt_timeouts_t *timeouts) {
    takt_timeout_t *timeout = timeouts->draining;
    timeouts->draining = timeout->next;
    timeout->prev = NULL;
    return timeout;
}

static void remove_from_slot(takt_timeouts_t *timeouts, takt_timeout_t *timeout) {
    const uint32_t place = timeout->place;
    takt_timeout_t *rest = unlink_timeout(timeout);
    if (timeout == timeouts->slots[place]) {
        replace_first(timeouts, place, rest);
    }
}

void takt_timeouts_remove(takt_timeouts_t *timeouts, takt_timeout_t *timeout) {
    if (timeout == timeouts->draining) {
        (void)pop(timeouts);
    } else {
        remove_from_slot(timeouts, timeout);
    }
    look_ahead(timeouts);
}

/* Takes all out of the first slot; the position comes to its least instant, of which `next` is not ahead. */
static void open_first_slot(takt_timeouts_t *timeouts) {
    const uint32_t place = first_place(timeouts);
    takt_timeout_t *first = timeouts->slots[place];
    first->prev->next = NULL;
    timeouts->draining = first;
    if (timeouts->next > timeouts->position) {
        timeouts->position = timeouts->next;
    }
    vacate(timeouts, place);
}

takt_timeout_t *takt_timeouts_take_by_slot(takt_timeouts_t *timeouts, takt_instant_t now) {
    if (timeouts->draining == NULL) {
        open_first_slot(timeouts);
    }
    takt_timeout_t *timeout = pop(timeouts);
    if (timeout->instant > now) {
        stand(timeouts, timeout, timeout->instant);
        timeout = NULL;
    }
    look_ahead(timeouts);
    return timeout;
}
