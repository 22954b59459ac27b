/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The one place of the kernel that posts events to the scheduler, and the one that asks it for decisions. Private to
 * kernel/. With -DTAKT_BACKEND the include path has a folder with takt_backend.h, which declares the functions of
 * core/backend.h; without it the backend is the direct one. */
#ifndef TAKT_KERNEL_BACKEND_H
#define TAKT_KERNEL_BACKEND_H

#ifdef TAKT_BACKEND
#include <takt_backend.h>
#else
#include "core/backend.h"
#endif

/* 1: the scheduler is at a distance and learns of every event; the inline layer decides nothing. */
#ifndef TAKT_BACKEND_IS_REMOTE
#define TAKT_BACKEND_IS_REMOTE 0
#endif

/* Every event passes here. */
TAKT_INLINE void takt_tell(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_backend_post(dispatcher, event);
}

/* Does one piece of what precedes a decision at `now`; the contract is that of takt_backend_settle. */
TAKT_MUST_USE TAKT_INLINE bool takt_settle(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                           bool *is_charge_due) {
    return takt_backend_settle(dispatcher, now, is_charge_due);
}

/* Every decision passes here. In force from `now` on, after takt_settle has returned false. */
TAKT_MUST_USE TAKT_INLINE takt_decision_t takt_ask(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    return takt_backend_take(dispatcher, now);
}

/* False if the last decision considers all that has been posted or signalled. */
TAKT_MUST_USE TAKT_INLINE bool takt_has_news(const takt_dispatcher_t *dispatcher) {
    return takt_backend_has_news(dispatcher);
}

#endif
