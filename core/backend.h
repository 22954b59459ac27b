/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Backend: the door between a platform and the scheduler, which may run on another device.
 *
 * A platform observes events and switches jobs; the scheduler decides. The platform hands over events and asks for the
 * decision through four functions. This header defines them for the direct backend, which calls core at once: they are
 * inline and cost nothing.
 *
 *   void takt_backend_post(dispatcher, event)
 *       Applies `event` to the entities, jobs and resources, which the platform reads. It need not decide.
 *   bool takt_backend_settle(dispatcher, now, &is_charge_due)
 *       Does one piece of what precedes the decision at `now`: handles one due item, or waits for the scheduler for a
 *       while. Returns false if the decision that considers every event posted so far is available; else the platform
 *       may enable interrupts, reads the time and calls again. `is_charge_due`, true if execution must be charged up to
 *       now, is cleared by the call that charges it.
 *   takt_decision_t takt_backend_take(dispatcher, now)
 *       Returns the decision, in force from `now` on; the platform must carry it out. Call only after
 *       takt_backend_settle has returned false, with no event in between.
 *
 *   bool takt_backend_has_news(dispatcher)
 *       Returns false if an interrupt asked for a decision that the last one taken has anticipated. True is always
 *       right, and cheapest if decisions cost no messages.
 *
 * All are called with interrupts masked. A decision takes effect when it is taken and never before, so that every
 * event of a running job concerns the job that the last decision named. Instants never decrease.
 *
 * A platform chooses its backend when it is built: with functions behind pointers the direct one would cost two
 * indirect calls a pass. With -DTAKT_BACKEND kernel/backend.h includes takt_backend.h from the include path.
 *
 * Source: Vetromille et al. 2006 (the scheduler on the CPU, on a co-processor, in hardware). */
#ifndef TAKT_CORE_BACKEND_H
#define TAKT_CORE_BACKEND_H

#include "core/dispatcher.h"

TAKT_INLINE void takt_backend_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    takt_dispatcher_post(dispatcher, event);
}

TAKT_MUST_USE TAKT_INLINE bool takt_backend_settle(takt_dispatcher_t *dispatcher, takt_instant_t now,
                                                   bool *is_charge_due) {
    if (!*is_charge_due && !takt_dispatcher_is_due(dispatcher, now)) {
        return false;
    }
    *is_charge_due = false;
    takt_dispatcher_step(dispatcher, now);
    return true;
}

TAKT_MUST_USE TAKT_INLINE takt_decision_t takt_backend_take(takt_dispatcher_t *dispatcher,
                                                            takt_instant_t now) {
    return takt_dispatcher_take(dispatcher, now, 0);
}

TAKT_MUST_USE TAKT_INLINE bool takt_backend_has_news(const takt_dispatcher_t *dispatcher) {
    (void)dispatcher;
    return true;
}

#endif
