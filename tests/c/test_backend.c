/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The split-phase interface: the direct backend drops stale sequence numbers, and a backend whose
 * decisions come late gives, once they come, the decisions of the direct one. */
#include "core/backend.h"
#include "policy/table.h"
#include "sim/system.h"

#include "random_system.h"

enum { SEQUENCES = 300, EVENTS = 200, LATENCY = 3 };

/* A co-processor in small: it works off one event per look, so its decisions are LATENCY looks late. */
typedef struct slow_backend {
    takt_backend_t backend;
    takt_direct_t direct;
    takt_event_t queue[EVENTS];
    uint32_t posted;
    uint32_t done;
    uint32_t looks;
} slow_backend_t;

static void slow_post(takt_backend_t *backend, const takt_event_t *event, uint32_t sequence) {
    slow_backend_t *slow = TAKT_CONTAINER_OF(backend, slow_backend_t, backend);
    slow->queue[sequence % EVENTS] = *event;
    slow->posted = sequence;
    slow->looks = 0;
}

static bool slow_take(takt_backend_t *backend, uint32_t sequence, takt_decision_t *decision) {
    slow_backend_t *slow = TAKT_CONTAINER_OF(backend, slow_backend_t, backend);
    slow->looks++;
    if (slow->looks > LATENCY && slow->done != slow->posted) {
        slow->done++;
        takt_direct_post(&slow->direct, &slow->queue[slow->done % EVENTS], slow->done);
        takt_direct_settle(&slow->direct);
    }
    return takt_direct_take(&slow->direct, sequence, slow->direct.now, decision);
}

static takt_decision_t wait_for(takt_backend_t *backend, uint32_t sequence) {
    takt_decision_t decision;
    uint32_t looks = 1;
    while (!backend->take(backend, sequence, &decision)) {
        looks++;
    }
    CHECK(looks > LATENCY);
    return decision;
}

/* Whether the job of `entity` may try to lock resource `number`: one of its home, with a ceiling not below it. */
static bool may_lock(const takt_system_t *system, const takt_entity_t *entity, uint64_t number) {
    const takt_policy_t *policy = entity->home->policy;
    const bool is_at_home = system->resource_homes[number] == entity->home;
    const takt_key_t ceiling = system->resources[number].ceiling;
    return is_at_home && (policy->level == NULL || policy->level(&entity->task->job) >= ceiling);
}

static takt_event_t lock_event(takt_event_kind_t kind, takt_entity_t *entity, takt_instant_t now,
                               takt_resource_t *resource) {
    return (takt_event_t){.kind = kind, .entity = entity, .now = now, .resource = resource};
}

/* The job of `entity` unlocks what it has locked, or locks something, or else completes. */
static takt_event_t event_of_job(const takt_system_t *system, takt_entity_t *entity, takt_instant_t now) {
    const takt_task_extension_t *extension = entity->task->extension;
    if (extension == NULL || check_below(2) == 0) {
        return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
    }
    if (extension->held != NULL) {
        return lock_event(TAKT_EVENT_UNLOCK, entity, now, extension->held);
    }
    const uint64_t number = check_below(system->resource_count);
    if (!may_lock(system, entity, number)) {
        return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
    }
    return lock_event(TAKT_EVENT_LOCK, entity, now, &system->resources[number]);
}

/* The event that follows `decision`: its job does something early, or its time ends. */
static takt_event_t event_after(const takt_system_t *system, const takt_decision_t *decision,
                                takt_instant_t now) {
    const takt_duration_t left = decision->until - now;
    const bool is_job = decision->entity != NULL && decision->entity->task != NULL;
    if (is_job && check_below(2) == 0) {
        return event_of_job(system, decision->entity, now + (left > 50 ? 1 + check_below(50) : left));
    }
    return (takt_event_t){TAKT_EVENT_TIME, NULL, decision->until, {decision->until}};
}

/* The same event for the twin system. */
static takt_event_t translated(takt_system_t *twin, const takt_event_t *event) {
    takt_event_t result = *event;
    if (event->entity != NULL) {
        result.entity = takt_system_entity(twin, takt_entity_number(event->entity));
    }
    if (takt_event_is_lock(event)) {
        result.resource = &twin->resources[event->resource->number];
    }
    return result;
}

static void check_same(const takt_decision_t *a, const takt_decision_t *b) {
    CHECK((a->entity == NULL) == (b->entity == NULL));
    CHECK(a->entity == NULL || takt_entity_number(a->entity) == takt_entity_number(b->entity));
    CHECK(a->until == b->until);
    CHECK(a->sequence == b->sequence);
}

static void drive(takt_direct_t *direct, slow_backend_t *slow, const takt_system_t *system,
                  takt_system_t *twin) {
    takt_event_t event = {TAKT_EVENT_TIME, NULL, 0, {0}};
    for (uint32_t sequence = 1; sequence < EVENTS && event.now != TAKT_NEVER; sequence++) {
        takt_decision_t decision;
        const takt_event_t same = translated(twin, &event);
        takt_direct_post(direct, &event, sequence);
        takt_direct_settle(direct);
        slow->backend.post(&slow->backend, &same, sequence);
        CHECK(!takt_direct_take(direct, sequence - 1, event.now, &decision));
        CHECK(takt_direct_take(direct, sequence, event.now, &decision));
        const takt_decision_t late = wait_for(&slow->backend, sequence);
        check_same(&decision, &late);
        event = event_after(system, &decision, event.now);
    }
}

static void check_random_system(void) {
    static random_system_t random_spec;
    takt_system_t system;
    takt_system_t twin;
    random_system_make(&random_spec);
    CHECK(takt_system_create(&system, &random_spec.spec));
    CHECK(takt_system_create(&twin, &random_spec.spec));
    takt_direct_t direct = {.dispatcher = system.dispatcher};
    slow_backend_t slow = {.backend = {slow_post, slow_take}, .direct = {.dispatcher = twin.dispatcher}};
    drive(&direct, &slow, &system, &twin);
    takt_system_destroy(&system);
    takt_system_destroy(&twin);
}

int main(void) {
    check_sequences(check_random_system, SEQUENCES);
    return check_report("test_backend");
}
