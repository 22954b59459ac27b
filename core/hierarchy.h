/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hierarchy: which entities are ready in which server. Internal to core. */
#ifndef TAKT_CORE_HIERARCHY_H
#define TAKT_CORE_HIERARCHY_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

TAKT_INLINE bool takt_server_has_budget(const takt_server_t *server) { return server->job.remaining > 0; }

/* True if `server` may run and its timers may be processed. */
TAKT_INLINE bool takt_server_is_active(const takt_server_t *server) {
    return takt_server_has_budget(server) || takt_server_overruns(server);
}

/* The timer in the parent follows the first of the server's own timers while the server is active. */
void takt_hierarchy_rearm_wake(takt_server_t *server);

/* Likewise of all servers from `server` up. */
TAKT_INLINE void takt_hierarchy_rearm_wakes(takt_server_t *server) {
    for (; !takt_server_is_root(server); server = takt_server_parent(server)) {
        takt_hierarchy_rearm_wake(server);
    }
}

/* Arms `timer` of `server` at `instant`, whether it is armed or not. */
void takt_hierarchy_arm_in_parent(takt_server_t *server, takt_timer_t *timer, takt_instant_t instant);

/* Arms the replenishment of `server` at the instant that its kind has returned. */
void takt_hierarchy_replenish_at(takt_server_t *server, takt_instant_t instant);

/* Makes `entity` ready at the nominal `instant`. A server that thereby gets work becomes ready in its parent, and so
 * on upwards. */
void takt_hierarchy_join(takt_entity_t *entity, takt_instant_t instant);

/* Makes `entity` not ready at the nominal `instant`. A server that thereby has no work leaves its parent, and so on
 * upwards. */
void takt_hierarchy_leave(takt_entity_t *entity, takt_instant_t instant);

/* As join, for an entity whose key was written when it was last ready. */
void takt_hierarchy_rejoin(takt_entity_t *entity, takt_instant_t instant);

/* Makes `entity`, a job in a server, not ready until the server's next replenishment. */
void takt_hierarchy_await_budget(takt_entity_t *entity, takt_instant_t now);

TAKT_C_END

#endif
