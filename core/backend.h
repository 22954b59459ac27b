/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Backend: where decisions come from, split in two phases so that the scheduler may sit elsewhere.
 *
 * Source: S2 (the scheduler on the CPU, on a co-processor, in hardware); A platform
 * posts events with rising sequence numbers and takes the decision that knows the last of them. A
 * decision that knows only earlier events is stale: a backend drops it, for what it says may no longer
 * be true. The direct backend calls core at once, so its decision is there as soon as the event is
 * posted; both of its phases are inline. Backends with narrower keys than 64 bits must publish how
 * they pack them and what that loses. */
#ifndef TAKT_CORE_BACKEND_H
#define TAKT_CORE_BACKEND_H

#include "core/dispatcher.h"

typedef struct takt_backend {
    /* Hands over `event`, number `sequence`; does not wait for the decision. */
    void (*post)(struct takt_backend *backend, const takt_event_t *event, uint32_t sequence);
    /* Whether the decision that knows event `sequence` is there; writes it to `decision` if so. */
    bool (*take)(struct takt_backend *backend, uint32_t sequence, takt_decision_t *decision);
} takt_backend_t;

/* The scheduler called directly. Several events of one instant may be posted before they are settled. */
typedef struct takt_direct {
    takt_dispatcher_t *dispatcher;
    takt_instant_t now; /* of the last event */
    uint32_t sequence;  /* of the last event */
    bool has_passed;    /* time has passed without another event */
} takt_direct_t;

TAKT_INLINE void takt_direct_post(takt_direct_t *direct, const takt_event_t *event, uint32_t sequence) {
    direct->now = event->now;
    direct->sequence = sequence;
    if (event->kind == TAKT_EVENT_TIME) {
        direct->has_passed = true;
    } else {
        takt_dispatcher_post(direct->dispatcher, event);
    }
}

/* Handles all that is due at the instant of the last event. A step even if nothing is: it accounts. */
TAKT_INLINE void takt_direct_settle(takt_direct_t *direct) {
    if (direct->has_passed || takt_dispatcher_is_due(direct->dispatcher, direct->now)) {
        direct->has_passed = false;
        while (takt_dispatcher_step(direct->dispatcher, direct->now)) {
        }
    }
}

/* The decision, once all is settled, that counts from `now`. */
TAKT_MUST_USE TAKT_INLINE bool takt_direct_take(const takt_direct_t *direct, uint32_t sequence,
                                                takt_instant_t now, takt_decision_t *decision) {
    if (sequence != direct->sequence) {
        return false;
    }
    *decision = takt_dispatcher_take(direct->dispatcher, now, 0);
    decision->sequence = sequence;
    return true;
}

#endif
