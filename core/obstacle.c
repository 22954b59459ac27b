/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Obstacles of obstacle.h. */
#include "core/obstacle.h"

/* True if `entity` is a plain thread that is not ready, or a job that waits, directly or not, for one. */
static bool is_out(takt_entity_t *entity) {
    const bool may_be = !takt_entity_is_server(entity) && !takt_entity_is_ready(entity);
    return may_be && (entity->task == NULL || entity->task->extension->wait.parked_at != NULL);
}

bool takt_obstacle_counts(const takt_entity_t *entity, const takt_resource_t *locked,
                          takt_protocol_bars_t bars) {
    return locked->kind->bars == bars && locked->holder != entity &&
           (bars == TAKT_BARS_LOCKS || !is_out(locked->holder));
}

takt_resource_t *takt_obstacle_ceiling(takt_entity_t *entity, takt_protocol_bars_t bars) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->parent->locked; locked != NULL; locked = locked->below) {
        if (takt_obstacle_counts(entity, locked, bars) &&
            (highest == NULL || locked->ceiling < highest->ceiling)) {
            highest = locked;
        }
    }
    return highest != NULL && highest->ceiling <= takt_entity_level(entity) ? highest : NULL;
}
