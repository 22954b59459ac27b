/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The radix wheel of timers.h. */
#include "core/timers.h"

#include "core/bits.h"

enum { ORDER_DIGITS = 8, DIGIT_BITS = 4, DIGIT_MASK = 15 };

typedef struct place {
    uint32_t row;
    uint32_t slot;
} place_t;

void takt_timers_init(takt_timers_t *timers, takt_timers_row_t *rows, uint32_t order_rows,
                      uint32_t time_rows) {
    timers->next = TAKT_NEVER;
    timers->position_instant = 0;
    timers->position_order = 0;
    timers->occupied = 0;
    timers->draining = NULL;
    timers->rows = rows;
    timers->order_rows = (uint8_t)order_rows;
    timers->last_row = (uint8_t)(order_rows + time_rows);
}

void takt_timer_init(takt_timer_t *timer, const takt_timers_t *timers, takt_timer_kind_t kind, uint32_t id) {
    const uint32_t shift = 32u - DIGIT_BITS * (uint32_t)timers->order_rows;
    /* expiry 0; replenishment, resume, allocation 1; wake, release 2; budget loss 3 */
    const uint32_t class = kind == TAKT_TIMER_ALLOCATION ? 1u : ((uint32_t)kind + 1u) >> 1;
    timer->next = NULL;
    timer->link = NULL;
    timer->instant = TAKT_NEVER;
    timer->order = class << 30 | (id << shift);
    timer->kind = kind;
}

static bool precedes(const takt_timer_t *a, const takt_timer_t *b) {
    return a->instant < b->instant || (a->instant == b->instant && a->order < b->order);
}

/* Returns the row of the highest digit that differs in one 32-bit word of the key; `first` is the word's row 0. */
static place_t place_in_word(uint32_t difference, uint32_t word, uint32_t first) {
    const uint32_t digit = (31u - takt_leading_zeros(difference)) / DIGIT_BITS;
    return (place_t){first + digit, (word >> (DIGIT_BITS * digit)) & DIGIT_MASK};
}

/* Orders are left-justified, so the low digits that no row serves are 0 in all of them. */
static uint32_t unused_digits(const takt_timers_t *timers) {
    return ORDER_DIGITS - (uint32_t)timers->order_rows;
}

/* Returns the place of a timer whose instant is after the position's. */
TAKT_INLINE place_t place_in_time(const takt_timers_t *timers, takt_instant_t instant) {
    const uint64_t difference = instant ^ timers->position_instant;
    const uint32_t high = (uint32_t)(difference >> 32);
    const uint32_t first = timers->order_rows;
    const place_t place = high != 0 ? place_in_word(high, (uint32_t)(instant >> 32), first + 8u)
                                    : place_in_word((uint32_t)difference, (uint32_t)instant, first);
    return place.row < timers->last_row ? place : (place_t){timers->last_row, 0};
}

/* Returns the place of a timer at the position's instant whose order is after the position's. */
static place_t place_in_order(const takt_timers_t *timers, uint32_t order) {
    const place_t place = place_in_word(order ^ timers->position_order, order, 0);
    return (place_t){place.row - unused_digits(timers), place.slot};
}

/* Returns the place of a timer that is not after the position: the first one. */
static place_t place_of_position(const takt_timers_t *timers) {
    return (place_t){0, (timers->position_order >> (DIGIT_BITS * unused_digits(timers))) & DIGIT_MASK};
}

TAKT_INLINE place_t place_of(const takt_timers_t *timers, const takt_timer_t *timer) {
    if (timer->instant > timers->position_instant) {
        return place_in_time(timers, timer->instant);
    }
    const bool is_after_position =
        timer->instant == timers->position_instant && timer->order > timers->position_order;
    return is_after_position ? place_in_order(timers, timer->order) : place_of_position(timers);
}

static uint32_t exact_bit(uint32_t slot) { return UINT32_C(0x8000) >> slot; }

/* The bits of an occupied slot whose first timer is its least. */
static uint32_t both_bits(uint32_t slot) { return UINT32_C(0x80008000) >> slot; }

static void link_at(takt_timer_t **link, takt_timer_t *timer) {
    timer->next = *link;
    timer->link = link;
    if (timer->next != NULL) {
        timer->next->link = &timer->next;
    }
    *link = timer;
}

static void unlink_timer(takt_timer_t *timer) {
    *timer->link = timer->next;
    if (timer->next != NULL) {
        timer->next->link = timer->link;
    }
    timer->link = NULL;
}

static void stand_at(takt_timers_t *timers, place_t place, takt_timer_t *timer) {
    takt_timers_row_t *row = &timers->rows[place.row];
    takt_timer_t *first = row->slot[place.slot];
    if (first == NULL) {
        row->marks |= both_bits(place.slot);
        timers->occupied |= takt_bit(place.row);
        link_at(&row->slot[place.slot], timer);
    } else {
        link_at(precedes(timer, first) ? &row->slot[place.slot] : &first->next, timer);
    }
}

TAKT_INLINE void place_timer(takt_timers_t *timers, takt_timer_t *timer) {
    stand_at(timers, place_of(timers, timer), timer);
}

static place_t first_place(const takt_timers_t *timers) {
    const uint32_t row = takt_leading_zeros(timers->occupied);
    return (place_t){row, takt_leading_zeros(timers->rows[row].marks)};
}

static bool is_exact(const takt_timers_t *timers, place_t place) {
    return (timers->rows[place.row].marks & exact_bit(place.slot)) != 0;
}

/* The least instant that a timer in `place` can have. */
static takt_instant_t start_of(const takt_timers_t *timers, place_t place) {
    if (place.row < timers->order_rows) {
        return timers->position_instant;
    }
    const uint32_t shift = DIGIT_BITS * (place.row - timers->order_rows);
    if (place.row == timers->last_row) {
        return ((timers->position_instant >> shift) + 1u) << shift;
    }
    const uint64_t above = (timers->position_instant >> shift) & ~(uint64_t)DIGIT_MASK;
    return (above | place.slot) << shift;
}

/* The least order that a timer in `place` can have, given that its instant is start_of(place). */
static uint32_t start_order_of(const takt_timers_t *timers, place_t place) {
    if (place.row >= timers->order_rows) {
        return 0;
    }
    const uint32_t shift = DIGIT_BITS * (place.row + unused_digits(timers));
    const uint32_t above = (timers->position_order >> shift) & ~(uint32_t)DIGIT_MASK;
    return (above | place.slot) << shift;
}

static takt_instant_t bound_of(const takt_timers_t *timers, place_t place) {
    return is_exact(timers, place) ? timers->rows[place.row].slot[place.slot]->instant
                                   : start_of(timers, place);
}

static void look_ahead(takt_timers_t *timers) {
    if (timers->draining != NULL) {
        timers->next = 0;
    } else {
        timers->next = timers->occupied == 0 ? TAKT_NEVER : bound_of(timers, first_place(timers));
    }
}

void takt_timers_insert(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t instant) {
    timer->instant = instant;
    place_timer(timers, timer);
    if (instant < timers->next) {
        timers->next = instant;
    }
}

static void clear_slot(takt_timers_t *timers, place_t place) {
    takt_timers_row_t *row = &timers->rows[place.row];
    row->marks &= ~both_bits(place.slot);
    if (row->marks == 0) {
        timers->occupied &= ~takt_bit(place.row);
    }
}

/* Updates a slot whose first timer was removed: it is empty, or its first timer may not be its least. */
static void settle_slot(takt_timers_t *timers, place_t place) {
    takt_timers_row_t *row = &timers->rows[place.row];
    const takt_timer_t *first = row->slot[place.slot];
    if (first == NULL) {
        clear_slot(timers, place);
    } else if (first->next == NULL) {
        row->marks |= exact_bit(place.slot);
    } else {
        row->marks &= ~exact_bit(place.slot);
    }
}

void takt_timers_remove(takt_timers_t *timers, takt_timer_t *timer) {
    if (!takt_timer_is_armed(timer)) {
        return;
    }
    const uintptr_t offset = (uintptr_t)timer->link - (uintptr_t)timers->rows;
    unlink_timer(timer);
    if (offset < (timers->last_row + 1u) * sizeof(takt_timers_row_t)) {
        const uintptr_t in_row = offset % sizeof(takt_timers_row_t) - offsetof(takt_timers_row_t, slot);
        settle_slot(timers, (place_t){(uint32_t)(offset / sizeof(takt_timers_row_t)),
                                      (uint32_t)(in_row / sizeof(takt_timer_t *))});
    }
    look_ahead(timers);
}

static void advance_to(takt_timers_t *timers, takt_instant_t instant, uint32_t order) {
    if (instant > timers->position_instant) {
        timers->position_instant = instant;
        timers->position_order = order;
    } else if (instant == timers->position_instant && order > timers->position_order) {
        timers->position_order = order;
    }
}

/* `rest` is the list of timers that have to be moved. */
static void drain(takt_timers_t *timers, takt_timer_t *rest) {
    timers->draining = rest;
    if (rest != NULL) {
        rest->link = &timers->draining;
    }
}

/* Moves the first draining timer to its present place. */
static void move_one(takt_timers_t *timers) {
    takt_timer_t *timer = timers->draining;
    drain(timers, timer->next);
    place_timer(timers, timer);
}

/* Empties `place`. `rest`, the list from its first or second timer on, has to be moved. */
TAKT_INLINE void drain_slot(takt_timers_t *timers, place_t place, takt_timer_t *rest) {
    timers->rows[place.row].slot[place.slot] = NULL;
    clear_slot(timers, place);
    drain(timers, rest);
}

/* Empties the first slot. Returns its first timer, expired, if it is known to be the least; the others have to be
 * moved. */
static takt_timer_t *open_first_slot(takt_timers_t *timers) {
    const place_t place = first_place(timers);
    takt_timer_t *first = timers->rows[place.row].slot[place.slot];
    if (is_exact(timers, place)) {
        first->link = NULL;
        advance_to(timers, first->instant, first->order);
        drain_slot(timers, place, first->next);
        return first;
    }
    advance_to(timers, start_of(timers, place), start_order_of(timers, place));
    drain_slot(timers, place, first);
    return NULL;
}

/* `inline` is a hint to the linker of the simulator. */
inline takt_timer_t *takt_timers_take(takt_timers_t *timers, takt_instant_t now) {
    takt_timer_t *expired = NULL;
    if (timers->next > now) {
        return NULL;
    }
    if (timers->draining == NULL && timers->occupied != 0) {
        expired = open_first_slot(timers);
    }
    if (timers->draining != NULL) {
        move_one(timers);
    }
    look_ahead(timers);
    return expired;
}

const takt_timer_t *takt_timers_due(const takt_timers_t *timers, takt_instant_t now) {
    if (timers->next > now || timers->draining != NULL || timers->occupied == 0) {
        return NULL;
    }
    const place_t place = first_place(timers);
    return is_exact(timers, place) ? timers->rows[place.row].slot[place.slot] : NULL;
}

/* ---- a timer that is armed again at once ---------------------------------------------------------- */

/* True if `timer`, which draining has left alone, precedes all others: it is not after the position, and they are in rows of
 * time. Of another instant it has to be moved, because the position must not pass what stands in rows. */
TAKT_INLINE bool precedes_rows(const takt_timers_t *timers, const takt_timer_t *timer) {
    return timer->instant <= timers->position_instant && timers->occupied < UINT32_C(2)
                                                                                << (31u - timers->order_rows);
}

takt_timer_t *takt_timers_first(const takt_timers_t *timers, takt_instant_t now) {
    takt_timer_t *draining = timers->draining;
    if (timers->next > now) {
        return NULL;
    }
    if (draining != NULL) {
        return draining->next == NULL && precedes_rows(timers, draining) ? draining : NULL;
    }
    if (timers->occupied == 0) {
        return NULL;
    }
    const place_t place = first_place(timers);
    return is_exact(timers, place) ? timers->rows[place.row].slot[place.slot] : NULL;
}

/* One that is alone need not be moved to a row before it expires. */
void takt_timers_renew(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t instant) {
    takt_timer_t *rest = timer->next;
    if (timer->link == &timers->draining) {
        timers->draining = NULL;
    } else {
        drain_slot(timers, first_place(timers), rest);
    }
    advance_to(timers, timer->instant, timer->order);
    timer->instant = instant;
    place_timer(timers, timer);
    if (rest != NULL && rest->next == NULL && precedes_rows(timers, rest)) {
        timers->next = rest->instant;
        return;
    }
    if (rest != NULL) {
        move_one(timers);
    }
    look_ahead(timers);
}

/* The least instant of the timers behind `first` in its slot. */
static takt_instant_t least_behind(const takt_timer_t *first) {
    takt_instant_t least = TAKT_NEVER;
    for (const takt_timer_t *timer = first->next; timer != NULL; timer = timer->next) {
        least = takt_least_of(least, timer->instant);
    }
    return least;
}

takt_instant_t takt_timers_after_due(const takt_timers_t *timers) {
    place_t place = first_place(timers);
    const takt_instant_t least = least_behind(timers->rows[place.row].slot[place.slot]);
    uint32_t marks = timers->rows[place.row].marks & ~both_bits(place.slot);
    if (marks == 0) {
        const uint32_t occupied = timers->occupied & ~takt_bit(place.row);
        if (occupied == 0) {
            return least;
        }
        place.row = takt_leading_zeros(occupied);
        marks = timers->rows[place.row].marks;
    }
    place.slot = takt_leading_zeros(marks);
    return takt_least_of(least, bound_of(timers, place));
}
