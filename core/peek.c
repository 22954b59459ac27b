/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Selection of peek.h.
 *
 * A take removes blocked entities from the ready set one by one and selects again. Here they are passed over in the
 * order of their ready set. What that changes follows from that order:
 *
 *   - an entity that precedes the one under consideration is out: else it, or its holder, would have been selected;
 *   - a chain of waits that ends at an entity that is not ready stays such a chain, and all in it leave the ready set: the
 *     ceilings of its holders count no more;
 *   - a server all of whose children are out has left its parent, unless it idles. */
#include "core/peek.h"

#include "core/account.h"
#include "core/deadlock.h"
#include "core/inheritance.h"
#include "core/blocker.h"

/* ---- what is left --------------------------------------------------------------------------------------- */

/* Returns the next entity in the order of the ready set of their parent. */
static takt_entity_t *after(const takt_entity_t *entity) {
    return takt_ready_after(&entity->parent->ready, entity);
}

/* True if `one` precedes `other`, a ready child of the same parent. */
static bool precedes(const takt_entity_t *one, const takt_entity_t *other) {
    const takt_entity_t *entity = takt_ready_best(&other->parent->ready);
    while (entity != one && entity != other) {
        entity = after(entity);
    }
    return entity != other;
}

/* Returns the resource with the highest ceiling that bars `entity` from running, of those whose holder stays
 * ready; NULL if none does. */
static takt_resource_t *bar_to(takt_entity_t *entity) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->parent->locked; locked != NULL; locked = locked->below) {
        if (takt_blocker_counts(entity, locked, TAKT_BARS_RUNS) &&
            (highest == NULL || locked->ceiling < highest->ceiling) &&
            (takt_entity_is_server(locked->holder) || takt_inheritance_end_of_chain(locked) != NULL)) {
            highest = locked;
        }
    }
    return highest != NULL && highest->ceiling <= takt_entity_level(entity) ? highest : NULL;
}

/* True if the chain of waits from `entity` on leads to `member` through ready entities. */
static bool leads_to(takt_entity_t *entity, const takt_entity_t *member) {
    while (entity != member && takt_entity_is_ready(entity)) {
        const takt_resource_t *blocker = takt_blocker_of(entity);
        if (blocker == NULL) {
            return false;
        }
        entity = blocker->holder;
    }
    return entity == member;
}

/* True if `member` leaves the ready set when `entity` does: a holder that it waits for, or whose ceiling bars it. */
static bool removes(takt_entity_t *entity, const takt_entity_t *member) {
    bool leads = leads_to(entity, member);
    for (takt_resource_t *locked = entity->parent->locked; locked != NULL && !leads; locked = locked->below) {
        leads = takt_blocker_counts(entity, locked, TAKT_BARS_RUNS) &&
                locked->ceiling <= takt_entity_level(entity) && leads_to(locked->holder, member);
    }
    return leads;
}

/* True if `entity` leaves the ready set when one that precedes it does. */
static bool is_out_before(const takt_entity_t *entity) {
    takt_entity_t *other = takt_ready_best(&entity->parent->ready);
    while (other != entity && !removes(other, entity)) {
        other = after(other);
    }
    return other != entity;
}

/* ---- the selection -------------------------------------------------------------------------------------- */

/* Returns the entity that runs if it is the turn of `entity`: itself, or one that blocks it. Returns the entity of its
 * parent if none of its children runs, and NULL if `entity` is passed over. */
static takt_entity_t *instead_of(takt_entity_t *entity) {
    takt_resource_t *blocker = bar_to(entity);
    if (blocker != NULL && takt_entity_is_server(blocker->holder)) {
        const bool has_left = !takt_entity_is_ready(blocker->holder) || precedes(blocker->holder, entity);
        return has_left ? &entity->parent->entity : blocker->holder;
    }
    if (blocker != NULL) {
        return is_out_before(entity) ? NULL : takt_inheritance_end_of_chain(blocker);
    }
    blocker = takt_blocker_of(entity);
    if (blocker == NULL) {
        return takt_blocker_is_budget(entity) ? NULL : entity;
    }
    return blocker->kind->lends && takt_deadlock_behind(entity) == NULL
               ? takt_inheritance_end_of_chain(blocker)
               : NULL;
}

/* True if `server` is selected for an entity that it bars, not in its turn. */
static bool stands_in(const takt_entity_t *server) {
    takt_entity_t *entity = takt_ready_best(&server->parent->ready);
    while (entity != server && instead_of(entity) != server) {
        entity = after(entity);
    }
    return entity != server;
}

/* Returns the next entity to consider after `entity`, which is passed over; or, with `is_last`, the selected one: a
 * server, or the root if none runs. */
static takt_entity_t *pass_over(const takt_entity_t *entity, bool *is_last) {
    takt_entity_t *next;
    while ((next = after(entity)) == NULL) {
        const takt_server_t *parent = entity->parent;
        *is_last = takt_server_is_root(parent) || parent->kind->idles;
        if (*is_last) {
            return &entity->parent->entity;
        }
        entity = &parent->entity;
        *is_last = stands_in(entity);
        if (*is_last) {
            return &entity->parent->entity;
        }
    }
    return next;
}

/* Returns the first entity to consider if `entity`, a child of `parent`, is selected; with `is_last` the selected one. */
static takt_entity_t *peek_into(takt_entity_t *entity, const takt_server_t *parent, bool *is_last) {
    takt_entity_t *first = NULL;
    if (entity != &parent->entity && takt_entity_is_server(entity)) {
        first = takt_ready_best(&takt_server_of(entity)->ready);
    }
    *is_last = first == NULL;
    return *is_last ? entity : first;
}

/* Returns the selected entity, from `entity` on, the most urgent child of the root; the root's own if none runs. */
TAKT_RARE static takt_entity_t *peek_from(takt_entity_t *entity) {
    bool is_last = false;
    while (!is_last) {
        takt_entity_t *selected = instead_of(entity);
        entity =
            selected != NULL ? peek_into(selected, entity->parent, &is_last) : pass_over(entity, &is_last);
    }
    return entity;
}

takt_entity_t *takt_dispatcher_peek(const takt_dispatcher_t *dispatcher) {
    takt_entity_t *best = takt_ready_best(&dispatcher->root.ready);
    if (best == NULL || (dispatcher->root.locked == NULL && !takt_entity_is_server(best))) {
        return best;
    }
    takt_entity_t *selected = peek_from(best);
    return selected != &dispatcher->root.entity ? selected : NULL;
}

takt_instant_t takt_dispatcher_next(const takt_dispatcher_t *dispatcher) {
    const takt_instant_t next = takt_timers_next(&dispatcher->root.timers);
    const takt_cpu_t *cpu = dispatcher->cpus;
    return cpu->running != NULL ? takt_account_until(cpu->running, cpu->charged_at, next) : next;
}
