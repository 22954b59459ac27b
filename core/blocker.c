/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blockers of blocker.h. */
#include "core/blocker.h"

/* True if `entity` is a job or a plain thread that has blocked, or that waits, directly or not, for one. */
static bool is_out(takt_entity_t *entity) {
    return !takt_entity_is_server(entity) && !takt_entity_is_ready(entity);
}

bool takt_blocker_counts(const takt_entity_t *entity, const takt_resource_t *locked,
                         takt_protocol_bars_t bars) {
    return locked->kind->bars == bars && locked->holder != entity &&
           (bars == TAKT_BARS_LOCKS || !is_out(locked->holder));
}

takt_resource_t *takt_blocker_ceiling(takt_entity_t *entity, takt_protocol_bars_t bars) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->parent->locked; locked != NULL; locked = locked->below) {
        if (takt_blocker_counts(entity, locked, bars) &&
            (highest == NULL || locked->ceiling < highest->ceiling)) {
            highest = locked;
        }
    }
    return highest != NULL && highest->ceiling <= takt_entity_level(entity) ? highest : NULL;
}
