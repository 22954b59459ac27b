/* Obstacle: what keeps an entity from running or from a resource. Internal to core. */
#ifndef TAKT_CORE_OBSTACLE_H
#define TAKT_CORE_OBSTACLE_H

#include "core/dispatcher.h"

/* Returns what others hold with the highest ceiling, of protocols that bar as `bars` says, if the level of `entity` is not
 * above it; else NULL. */
takt_resource_t *takt_obstacle_ceiling(takt_entity_t *entity, takt_protocol_bars_t bars);

/* What keeps `entity` from the resource that it wants: that itself, or a ceiling; NULL if nothing does. */
takt_resource_t *takt_obstacle_to(takt_entity_t *entity);

/* Whether `entity` has to wait for the budget that its section may need. What it locks inside of a section is a part
 * of that. */
bool takt_obstacle_is_budget(takt_entity_t *entity);

#endif
