/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lists of blocked.h. */
#include "core/blocked.h"

#include "core/hierarchy.h"
#include "core/waiting.h"

void takt_blocked_append(takt_entity_t **list, takt_entity_t *entity) {
    takt_entity_t *first = *list;
    if (first == NULL) {
        entity->next = entity;
        entity->prev = entity;
        *list = entity;
        return;
    }
    entity->next = first;
    entity->prev = first->prev;
    first->prev->next = entity;
    first->prev = entity;
}

void takt_blocked_detach(takt_entity_t **list, takt_entity_t *entity) {
    if (entity->next == entity) {
        *list = NULL;
        return;
    }
    entity->prev->next = entity->next;
    entity->next->prev = entity->prev;
    if (*list == entity) {
        *list = entity->next;
    }
}

static void stand_at(takt_entity_t *entity, takt_resource_t *resource) {
    takt_blocked_append(&resource->blocked, entity);
    takt_waiting_wait_of(entity)->blocked_at = resource;
}

void takt_blocked_add(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now) {
    takt_hierarchy_leave(entity, now);
    stand_at(entity, resource);
}

static takt_entity_t *take_blocked(takt_entity_t **list) {
    takt_entity_t *entity = *list;
    if (entity != NULL) {
        takt_blocked_detach(list, entity);
        takt_waiting_wait_of(entity)->blocked_at = NULL;
    }
    return entity;
}

/* Moves the list of `from` to `list`. */
static void move_blocked(takt_entity_t **list, takt_resource_t *from) {
    takt_entity_t *entity;
    while ((entity = take_blocked(&from->blocked)) != NULL) {
        takt_blocked_append(list, entity);
    }
}

static void gather(takt_entity_t **list, takt_entity_t *entity) {
    for (takt_resource_t *held = *takt_waiting_held_by(entity); held != NULL; held = held->outer) {
        move_blocked(list, held);
    }
}

bool takt_blocked_stays(takt_entity_t *entity) {
    const takt_resource_t *wanted = takt_waiting_wanted_by(entity);
    return wanted != NULL && !wanted->kind->lends && wanted->holder != NULL;
}

void takt_blocked_come_back(takt_entity_t *list, takt_instant_t instant) {
    takt_entity_t *entity;
    while ((entity = list) != NULL) {
        takt_blocked_detach(&list, entity);
        if (takt_blocked_stays(entity)) {
            stand_at(entity, takt_waiting_wanted_by(entity));
        } else {
            takt_hierarchy_rejoin(entity, instant);
        }
        gather(&list, entity);
    }
}

void takt_blocked_lend(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *list = NULL;
    gather(&list, entity);
    takt_blocked_come_back(list, now);
}

void takt_blocked_unblock(takt_resource_t *resource, takt_instant_t instant) {
    takt_entity_t *list = NULL;
    move_blocked(&list, resource);
    takt_blocked_come_back(list, instant);
}
