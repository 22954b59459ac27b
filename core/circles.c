/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadlocks of circles.h. */
#include "core/circles.h"

#include "core/obstacle.h"
#include "core/park.h"
#include "core/record.h"
#include "core/waiting.h"

/* Returns the holder of what `entity` waits for; NULL if it does not wait, or waits in a known circle. */
static takt_entity_t *next_in_chain(takt_entity_t *entity) {
    const takt_resource_t *obstacle = takt_obstacle_to(entity);
    return obstacle != NULL && takt_waiting_circle_of(entity) == NULL ? obstacle->holder : NULL;
}

takt_entity_t *takt_circles_behind(takt_entity_t *entity) {
    takt_entity_t *slow = entity;
    takt_entity_t *fast = entity;
    do {
        slow = next_in_chain(slow);
        fast = next_in_chain(fast);
        fast = fast != NULL ? next_in_chain(fast) : NULL;
    } while (fast != NULL && fast != slow);
    return fast;
}

static void note_circle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = takt_obstacle_to(member);
        takt_record_resource(dispatcher, TAKT_RECORD_DEADLOCK, now, takt_waiting_wanted_by(member), member);
        takt_waiting_wait_of(member)->circle = obstacle;
        member = obstacle->holder;
    } while (member != entity);
}

TAKT_RARE void takt_circles_report(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    note_circle(dispatcher, entity, now);
    takt_entity_t *member = entity;
    do {
        takt_resource_t *obstacle = takt_waiting_circle_of(member);
        if (takt_entity_is_ready(member)) {
            takt_park(member, obstacle, now);
        }
        member = obstacle->holder;
    } while (member != entity);
}

TAKT_RARE void takt_circles_break(takt_entity_t *entity) {
    takt_entity_t *member = entity;
    do {
        const takt_resource_t *obstacle = takt_waiting_circle_of(member);
        takt_waiting_wait_of(member)->circle = NULL;
        member = obstacle->holder;
    } while (member != entity);
}
