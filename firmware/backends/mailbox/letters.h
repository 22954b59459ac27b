/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Letters: messages under way, each with the instant of its arrival. Letters of one sender arrive in the order in which
 * they were sent; letters of one instant likewise. */
#ifndef TAKT_FIRMWARE_BACKENDS_MAILBOX_LETTERS_H
#define TAKT_FIRMWARE_BACKENDS_MAILBOX_LETTERS_H

#include "remote/message.h"

typedef enum takt_sender {
    TAKT_SENDER_PROCESSOR, /* to the scheduler side, as the next one */
    TAKT_SENDER_OUTSIDE,
    TAKT_SENDER_ANSWERS, /* to the application side, as the next one */
    TAKT_SENDER_SIGNALS,
    TAKT_SENDERS
} takt_sender_t;

typedef enum takt_letter_kind {
    TAKT_LETTER_EVENT,
    TAKT_LETTER_FETCH,
    TAKT_LETTER_ANSWER,
    TAKT_LETTER_SIGNAL
} takt_letter_kind_t;

typedef struct takt_letter {
    takt_instant_t arrival;
    takt_letter_kind_t kind;
    union {
        takt_message_t message;
        takt_fetch_t fetch;
        takt_answer_t answer;
        uint32_t number; /* of the decision that the signal follows */
    };
} takt_letter_t;

/* Delays of all letters, in ticks, taken in turn; `count` >= 1. Caller's memory. */
void takt_letters_delay_by(const uint64_t *delays, uint32_t count);

/* Sends `letter` from `sender` now, with a delay or, if it `is_instant`, without one. Returns false if too many are under
 * way. */
TAKT_MUST_USE bool takt_letters_send(takt_sender_t sender, takt_instant_t now, const takt_letter_t *letter,
                                     bool is_instant);

/* When the next letter arrives at the scheduler side, or at the application side; TAKT_NEVER for never. */
takt_instant_t takt_letters_next(bool is_to_scheduler);

/* Takes that letter. */
takt_letter_t takt_letters_take(bool is_to_scheduler);

#endif
