/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stand-in. */
#include "core/look.h"
#include "core/account.h"
takt_entity_t *takt_dispatcher_look(const takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_dispatcher_t *d = (takt_dispatcher_t *)(uintptr_t)dispatcher;
    takt_trace_t *t = d->trace;
    d->trace = NULL;
    takt_entity_t *e = takt_dispatcher_choose(d, now);
    d->trace = t;
    return e;
}
takt_instant_t takt_dispatcher_next(const takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    takt_entity_t *r = dispatcher->cpus->running;
    if (r && (r->attributes & TAKT_ATTRIBUTES_CHARGED)) {
        takt_duration_t g = takt_account_time_to_go(r);
        if (g < TAKT_NEVER - now)
            until = takt_least_of(until, now + g);
    }
    return until;
}
