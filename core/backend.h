/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Backend: the source of decisions, in two phases, so that the scheduler may run on another device.
 *
 * Source: Vetromille et al. 2006 (the scheduler on the CPU, on a co-processor, in hardware). A platform posts events
 * with increasing sequence numbers and takes the decision that considers the last of them. A decision that
 * considers only earlier events is stale: a backend drops it, because it may no longer be valid. The
 * direct backend calls core at once: its decision is available as soon as the event is posted. Both of
 * its phases are inline. A backend with keys narrower than 64 bits must document how it packs them and
 * what that loses. */
#ifndef TAKT_CORE_BACKEND_H
#define TAKT_CORE_BACKEND_H

#include "core/dispatcher.h"

typedef struct takt_backend {
    /* Posts `event`, number `sequence`; does not wait for the decision. */
    void (*post)(struct takt_backend *backend, const takt_event_t *event, uint32_t sequence);
    /* Returns true if the decision that considers event `sequence` is available, and writes it to `decision`. */
    bool (*take)(struct takt_backend *backend, uint32_t sequence, takt_decision_t *decision);
} takt_backend_t;

/* The scheduler called directly. Several events of one instant may be posted before takt_direct_settle. */
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

/* Handles all due items at the instant of the last event. After a time event it makes at least one step, to charge. */
TAKT_INLINE void takt_direct_settle(takt_direct_t *direct) {
    if (direct->has_passed || takt_dispatcher_is_due(direct->dispatcher, direct->now)) {
        direct->has_passed = false;
        while (takt_dispatcher_step(direct->dispatcher, direct->now)) {
        }
    }
}

/* Takes the decision, in force from `now`, after takt_direct_settle. False if `sequence` is not the last event. */
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
