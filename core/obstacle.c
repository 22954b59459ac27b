/* Obstacles of obstacle.h. */
#include "core/obstacle.h"

#include "core/urgency.h"

/* A plain thread, which has no job, has the level that is its own key. */
static takt_key_t level_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return entity->home->policy->level(&takt_server_of(entity)->job);
    }
    return entity->task != NULL ? entity->home->policy->level(&entity->task->job)
                                : takt_urgency_base_key(entity);
}

/* Whether `entity` is a plain thread that is not ready, or a job that waits for one in the end. */
static bool is_out(takt_entity_t *entity) {
    const bool may_be = !takt_entity_is_server(entity) && !takt_entity_is_ready(entity);
    return may_be && (entity->task == NULL || entity->task->extension->wait.parked_at != NULL);
}

/* Whether the ceiling of `locked` bars `entity` from what `bars` says. A holder that is out bars no entity from running. */
static bool counts_for(const takt_entity_t *entity, const takt_resource_t *locked,
                       takt_protocol_bars_t bars) {
    return locked->kind->bars == bars && locked->holder != entity &&
           (bars == TAKT_BARS_LOCKS || !is_out(locked->holder));
}

takt_resource_t *takt_obstacle_ceiling(takt_entity_t *entity, takt_protocol_bars_t bars) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->home->locked; locked != NULL; locked = locked->below) {
        if (counts_for(entity, locked, bars) && (highest == NULL || locked->ceiling < highest->ceiling)) {
            highest = locked;
        }
    }
    return highest != NULL && highest->ceiling <= level_of(entity) ? highest : NULL;
}
