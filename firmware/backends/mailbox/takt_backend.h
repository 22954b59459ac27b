/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The mailbox: a scheduler beside the processor, as a second thread of a process in virtual time. Messages are delayed;
 * those of different senders overtake one another. The contract is in core/backend.h.
 *
 * Senders: the processor (events of its jobs and threads, fetches), what comes from outside (arrivals, changes), the
 * scheduler's answers, and its signals. Messages of one sender arrive in order. Each takes the next delay of the
 * image. The clock is that of port/posix, which both sides read.
 *
 * When not to use it: in real time. */
#ifndef TAKT_FIRMWARE_BACKENDS_MAILBOX_TAKT_BACKEND_H
#define TAKT_FIRMWARE_BACKENDS_MAILBOX_TAKT_BACKEND_H

#include "core/dispatcher.h"

/* The inline layer decides nothing. */
#define TAKT_BACKEND_IS_REMOTE 1

void takt_backend_post(takt_dispatcher_t *dispatcher, const takt_event_t *event);

TAKT_MUST_USE bool takt_backend_settle(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                       bool *is_charge_due);

TAKT_MUST_USE takt_decision_t takt_backend_take(takt_dispatcher_t *dispatcher, takt_instant_t now);

TAKT_MUST_USE bool takt_backend_has_news(const takt_dispatcher_t *dispatcher);

#endif
