/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The letters of letters.h. */
#include "firmware/backends/mailbox/letters.h"

enum { LETTERS = 4096, SIDES = 2 };

/* In the order of arrival, the first one last. */
static takt_letter_t letters[SIDES][LETTERS];
static uint32_t counts[SIDES];

static takt_instant_t last_arrivals[TAKT_SENDERS];
static const uint64_t *delays;
static uint32_t delay_count, next_delay;

void takt_letters_delay_by(const uint64_t *values, uint32_t count) {
    delays = values;
    delay_count = count;
}

static takt_duration_t draw(void) {
    const takt_duration_t delay = delays[next_delay];
    next_delay = next_delay + 1u < delay_count ? next_delay + 1u : 0;
    return delay;
}

static bool is_to_scheduler(takt_sender_t sender) {
    return sender == TAKT_SENDER_PROCESSOR || sender == TAKT_SENDER_OUTSIDE;
}

/* Never before an earlier letter of the same sender. */
static takt_instant_t arrival_of(takt_sender_t sender, takt_instant_t arrival) {
    if (arrival > last_arrivals[sender]) {
        last_arrivals[sender] = arrival;
    }
    return last_arrivals[sender];
}

static void insert(uint32_t side, const takt_letter_t *letter) {
    takt_letter_t *sorted = letters[side];
    uint32_t place = counts[side]++;
    for (uint32_t i = place; i > 0 && sorted[i - 1u].arrival <= letter->arrival; i--) {
        place = i - 1u;
    }
    for (uint32_t i = counts[side] - 1u; i > place; i--) {
        sorted[i] = sorted[i - 1u];
    }
    sorted[place] = *letter;
}

bool takt_letters_send(takt_sender_t sender, takt_instant_t now, const takt_letter_t *letter,
                       bool is_instant) {
    const uint32_t side = is_to_scheduler(sender);
    if (counts[side] == LETTERS) {
        return false;
    }
    takt_letter_t sent = *letter;
    sent.arrival = arrival_of(sender, is_instant ? now : now + draw());
    insert(side, &sent);
    return true;
}

takt_instant_t takt_letters_next(bool to_scheduler) {
    const uint32_t side = to_scheduler;
    return counts[side] > 0 ? letters[side][counts[side] - 1u].arrival : TAKT_NEVER;
}

takt_letter_t takt_letters_take(bool to_scheduler) {
    const uint32_t side = to_scheduler;
    return letters[side][--counts[side]];
}
