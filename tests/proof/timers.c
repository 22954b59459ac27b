/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The wheel of core/timers.h: what makes its order total, for all instants, orders, positions and numbers of rows; and its
 * lists.
 *
 * The order is a matter of places alone: a timer in an earlier place goes first, wherever the position is
 * (order), its place says not more than its key (bound), and when the position comes to the first place, those in later
 * places stand right, while those of that place stand in a lower row then (advance). So the wheel fires in the
 * order of keys as long as timers stand in their places, and an exact slot begins with its least.
 * That is what the lists are about (stand, unlink, disarm): any list of up to TIMERS timers in one slot.
 *
 * Bounds: none for places; 3 timers in a slot, and 1 in any slot of a wheel of ROWS rows. A whole wheel with arbitrary slots
 * is beyond a SAT solver; tests/c/test_timers.c tries many. */
#include "core/timers.c"
#include "tests/proof/proof.h"

#ifndef TIMERS
#define TIMERS 3
#endif
#define ORDER_ROWS 1
#define TIME_ROWS 2
#define ROWS TAKT_TIMERS_ROWS(ORDER_ROWS, TIME_ROWS)

static takt_timers_row_t memory[ROWS];
static takt_timers_t wheel;

/* ---- places ------------------------------------------------------------------------------------- */

/* Any wheel at any position; orders have digits where memory serve them. */
static uint32_t any_order(void) {
    const uint32_t unused = DIGIT_BITS * unused_digits(&wheel);
    return (nondet_uint32() >> unused) << unused;
}

static void any_position(void) {
    takt_timers_init(&wheel, memory, 1u + any_below(7), 1u + any_below(16));
    wheel.position_instant = nondet_uint64();
    wheel.position_order = any_order();
}

static uint32_t occupied_bit(uint32_t slot) { return both_bits(slot) & ~exact_bit(slot); }

static bool is_after_position(const takt_timer_t *one) {
    return one->instant > wheel.position_instant ||
           (one->instant == wheel.position_instant && one->order > wheel.position_order);
}

static takt_timer_t any_timer_after_position(void) {
    takt_timer_t one = {.instant = nondet_uint64(), .order = any_order()};
    ASSUME(one.instant < TAKT_NEVER);
    ASSUME(is_after_position(&one));
    return one;
}

static bool is_earlier(place_t a, place_t b) { return a.row < b.row || (a.row == b.row && a.slot < b.slot); }

static bool is_same(place_t a, place_t b) { return a.row == b.row && a.slot == b.slot; }

void prove_order(void) {
    any_position();
    const takt_timer_t a = any_timer_after_position();
    const takt_timer_t b = any_timer_after_position();
    const place_t of_a = place_of(&wheel, &a);
    CLAIM(of_a.row <= (uint32_t)wheel.order_rows + wheel.time_rows && of_a.slot < 16,
          "a place is in the wheel");
    if (is_earlier(of_a, place_of(&wheel, &b))) {
        CLAIM(precedes(&a, &b), "a timer in an earlier place goes first");
    }
    CLAIM(!is_earlier(of_a, place_of_position(&wheel)), "what is overdue stands before all");
}

void prove_bound(void) {
    any_position();
    const takt_timer_t one = any_timer_after_position();
    const place_t place = place_of(&wheel, &one);
    const takt_instant_t instant = start_of(&wheel, place);
    const uint32_t order = start_order_of(&wheel, place);
    CLAIM(instant <= one.instant, "a place begins not later than its timers");
    CLAIM(instant < one.instant || order <= one.order, "nor with a larger order");
    const bool is_after_all = instant > wheel.position_instant ||
                              (instant == wheel.position_instant && order >= wheel.position_order);
    CLAIM(is_after_all, "nor before the position");
}

/* `a` stands in the first the_place of all. */
void prove_advance(void) {
    any_position();
    const takt_timer_t a = any_timer_after_position();
    const takt_timer_t b = any_timer_after_position();
    const place_t of_a = place_of(&wheel, &a);
    const place_t of_b = place_of(&wheel, &b);
    ASSUME(!is_earlier(of_b, of_a));
    if (nondet_bool()) {
        ASSUME(!precedes(&b, &a));
        advance_to(&wheel, a.instant, a.order);
    } else {
        advance_to(&wheel, start_of(&wheel, of_a), start_order_of(&wheel, of_a));
    }
    CLAIM(!precedes(&b, &(takt_timer_t){.instant = wheel.position_instant, .order = wheel.position_order}),
          "no timer is passed by");
    if (is_after_position(&b)) {
        const place_t now = place_of(&wheel, &b);
        const bool is_last_row = of_a.row == (uint32_t)wheel.order_rows + wheel.time_rows;
        if (!is_same(of_a, of_b)) {
            CLAIM(is_same(now, of_b), "a later timer is to the right");
        } else if (!is_last_row) {
            CLAIM(now.row < of_a.row, "a timer of that place is lower");
        }
    }
}

/* ---- lists -------------------------------------------------------------------------------------- */

static takt_timer_t *armed[TIMERS + 1];
static const place_t the_place = {1, 5};

static takt_timer_t *any_timer(void) {
    takt_timer_t *one = any_object(sizeof(takt_timer_t));
    one->next = NULL;
    one->link = NULL;
    one->instant = nondet_uint64();
    one->order = nondet_uint32();
    return one;
}

/* In front, or behind the first: the wheel have no other names, so that no list is left out. */
static void stand_anywhere(takt_timer_t *one) {
    takt_timer_t **head = &memory[the_place.row].slot[the_place.slot];
    link_at(*head == NULL || nondet_bool() ? head : &(*head)->next, one);
}

static bool is_least_of_slot(void) {
    takt_timer_t *first = memory[the_place.row].slot[the_place.slot];
    for (const takt_timer_t *one = first; one != NULL; one = one->next) {
        if (precedes(one, first)) {
            return false;
        }
    }
    return true;
}

/* Any slot, and nothing else in the wheel. */
static void any_slot(void) {
    takt_timers_init(&wheel, memory, ORDER_ROWS, TIME_ROWS);
    for (uint32_t i = 0; i <= TIMERS; i++) {
        armed[i] = any_timer();
        if (i < TIMERS && nondet_bool()) {
            memory[the_place.row].marks = occupied_bit(the_place.slot);
            wheel.occupied = takt_bit(the_place.row);
            stand_anywhere(armed[i]);
        }
    }
    const bool is_taken = wheel.occupied != 0;
    if (is_taken && is_least_of_slot() && nondet_bool()) {
        memory[the_place.row].marks |= exact_bit(the_place.slot);
    }
}

static uint32_t length_of_slot(void) {
    uint32_t length = 0;
    takt_timer_t **link = &memory[the_place.row].slot[the_place.slot];
    for (; *link != NULL; link = &(*link)->next) {
        CLAIM((*link)->link == link, "what points to a timer is its link");
        length++;
    }
    return length;
}

static void claim_slot(uint32_t length) {
    CLAIM(length_of_slot() == length, "as many as should be");
    const bool is_taken = memory[the_place.row].slot[the_place.slot] != NULL;
    const bool is_exact_slot = (memory[the_place.row].marks & exact_bit(the_place.slot)) != 0;
    CLAIM(((memory[the_place.row].marks & occupied_bit(the_place.slot)) != 0) == is_taken,
          "a slot's bit tells that it is taken");
    CLAIM((wheel.occupied == takt_bit(the_place.row)) == is_taken, "a row's bit likewise");
    CLAIM(!is_exact_slot || (is_taken && is_least_of_slot()), "an exact slot begins with its least");
}

void prove_stand(void) {
    any_slot();
    const uint32_t length = length_of_slot();
    stand_at(&wheel, the_place, armed[TIMERS]);
    CLAIM(takt_timer_is_armed(armed[TIMERS]), "it is armed");
    claim_slot(length + 1);
}

void prove_disarm(void) {
    any_slot();
    const uint32_t length = length_of_slot();
    takt_timer_t *one = armed[any_below(TIMERS)];
    const bool was_armed = takt_timer_is_armed(one);
    takt_timers_remove(&wheel, one);
    CLAIM(!takt_timer_is_armed(one), "it is not armed");
    claim_slot(was_armed ? length - 1 : length);
}

/* From the link of a armed follows its slot, wherever that is. */
void prove_slot_of_link(void) {
    takt_timers_init(&wheel, memory, ORDER_ROWS, TIME_ROWS);
    takt_timer_t *one = any_timer();
    const place_t anywhere = {any_below(ROWS), any_below(TAKT_TIMERS_SLOTS)};
    stand_at(&wheel, anywhere, one);
    takt_timers_remove(&wheel, one);
    CLAIM(wheel.occupied == 0 && memory[anywhere.row].marks == 0, "all is free");
    CLAIM(memory[anywhere.row].slot[anywhere.slot] == NULL, "and empty");
    CLAIM(takt_timers_next(&wheel) == TAKT_NEVER, "nothing comes");
}
