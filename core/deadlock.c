/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadlocks of deadlock.h. */
#include "core/deadlock.h"

#include "core/blocker.h"
#include "core/blocked.h"
#include "core/record.h"
#include "core/waiting.h"

/* Returns the holder of what `entity` waits for; NULL if it does not wait, or waits in a known cycle. */
static takt_entity_t *next_in_chain(takt_entity_t *entity) {
    const takt_resource_t *blocker = takt_blocker_of(entity);
    return blocker != NULL && takt_waiting_deadlock_of(entity) == NULL ? blocker->holder : NULL;
}

takt_entity_t *takt_deadlock_behind(takt_entity_t *entity) {
    takt_entity_t *slow = entity;
    takt_entity_t *fast = entity;
    do {
        slow = next_in_chain(slow);
        fast = next_in_chain(fast);
        fast = fast != NULL ? next_in_chain(fast) : NULL;
    } while (fast != NULL && fast != slow);
    return fast;
}

static void note_deadlock(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = entity;
    do {
        takt_resource_t *blocker = takt_blocker_of(member);
        takt_record_resource(dispatcher, TAKT_RECORD_DEADLOCK, now, takt_waiting_wanted_by(member), member);
        takt_waiting_wait_of(member)->deadlock = blocker;
        member = blocker->holder;
    } while (member != entity);
}

TAKT_RARE void takt_deadlock_report(takt_dispatcher_t *dispatcher, takt_entity_t *entity,
                                    takt_instant_t now) {
    note_deadlock(dispatcher, entity, now);
    takt_entity_t *member = entity;
    do {
        takt_resource_t *blocker = takt_waiting_deadlock_of(member);
        if (takt_entity_is_ready(member)) {
            takt_blocked_add(member, blocker, now);
        }
        member = blocker->holder;
    } while (member != entity);
}

TAKT_RARE static void break_cycle(takt_entity_t *entity) {
    takt_entity_t *member = entity;
    do {
        const takt_resource_t *blocker = takt_waiting_deadlock_of(member);
        takt_waiting_wait_of(member)->deadlock = NULL;
        member = blocker->holder;
    } while (member != entity);
}

bool takt_deadlock_leave_queue(takt_entity_t *entity, takt_lock_wait_t *wait) {
    if (wait->deadlock != NULL) {
        break_cycle(entity);
    }
    takt_resource_t *place = wait->blocked_at;
    if (place != NULL) {
        takt_blocked_detach(&place->blocked, entity);
        wait->blocked_at = NULL;
    }
    return place != NULL;
}
