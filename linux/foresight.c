/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The foresight of foresight.h. */
#include "linux/foresight.h"

#include "core/hierarchy.h"
#include "core/peek.h"

/* The first timer of the root, through the wakes of servers. */
typedef struct way {
    const takt_timer_t *timer; /* NULL: it is not known */
    takt_instant_t until;      /* no other timer on the way is earlier */
    takt_duration_t budget;    /* the least one of the servers */
    bool is_open; /* nothing else runs; work joins each server at once, arms no timer, meets no lock */
} way_t;

/* True if new work of `server` arms no timer: the return of what was charged to it is known. */
static bool is_booked(const takt_server_t *server) {
    return server->returns == NULL || server->returns->untouched == server->job.remaining;
}

/* True if no event of `domain` has come since the last decision, and no lock waits for one. */
static bool has_decided_all(const takt_domain_t *domain) {
    return domain->scheduler.received == domain->answer.sequence && domain->scheduler.deferred_count == 0;
}

/* Returns the first timer of `timers` if it is due at `instant`; notes when the others are, if that is wanted. */
static const takt_timer_t *first_of(way_t *way, const takt_timers_t *timers, takt_instant_t instant) {
    const takt_timer_t *timer = takt_timers_due(timers, instant);
    if (timer != NULL && way->is_open) {
        way->until = takt_least_of(way->until, takt_timers_after_due(timers));
    }
    return timer;
}

static void find_way(const takt_domain_t *domain, way_t *way) {
    const takt_dispatcher_t *dispatcher = domain->system.dispatcher;
    const takt_timers_t *timers = &dispatcher->root.timers;
    const takt_instant_t next = takt_timers_next(timers);
    way->until = takt_domain_next_input(domain);
    way->budget = TAKT_NEVER;
    way->is_open = domain->system.cpus->running == NULL && has_decided_all(domain) &&
                   takt_dispatcher_peek(dispatcher) == NULL && dispatcher->root.locked == NULL;
    way->timer = next != TAKT_NEVER ? first_of(way, timers, next) : NULL;
    while (way->timer != NULL && way->timer->kind == TAKT_TIMER_WAKE) {
        takt_server_t *server = TAKT_CONTAINER_OF(way->timer, takt_server_t, wake);
        way->budget = takt_least_of(way->budget, server->job.remaining);
        way->is_open = way->is_open && server->locked == NULL && is_booked(server);
        way->timer = first_of(way, &server->timers, way->timer->instant);
    }
}

/* Returns the period of `task` if its next release is known to be of it; 0 else. */
static takt_duration_t period_of(const takt_task_t *task) {
    const takt_task_extension_t *extension = task->extension;
    if (extension == NULL) {
        return task->job.period;
    }
    return takt_task_is_periodic(task) && extension->ahead == NULL && extension->behind == NULL
               ? extension->period
               : 0;
}

static void write_job(const takt_domain_t *domain, const takt_task_t *task, takt_foresight_t *foresight) {
    const takt_change_t *adopted = task->extension != NULL ? task->extension->adopted : NULL;
    foresight->entity = takt_entity_number(task->entity);
    foresight->job = task->job.number;
    foresight->waiting = task->waiting;
    foresight->change = adopted != NULL ? 1u + (uint32_t)(adopted - domain->system.changes) : 0u;
    foresight->state = (uint32_t)takt_domain_state_of(domain, task->entity) | TAKT_DOMAIN_HAS_JOB;
}

/* Writes the job that `task`, which has none, gets at the instant of its timer. */
static void foresee_release(const takt_domain_t *domain, const takt_task_t *task, const way_t *way,
                            takt_duration_t period, takt_foresight_t *foresight) {
    const takt_instant_t from = task->timer.instant;
    const bool is_aborted = task->extension != NULL && (task->extension->on_miss & TAKT_ON_MISS_ABORT) != 0;
    foresight->release = from;
    foresight->deadline = from + task->relative_deadline;
    foresight->until = takt_least_of(takt_least_of(way->until, from + period),
                                     is_aborted ? foresight->deadline : TAKT_NEVER);
    foresight->next_release = takt_domain_entry_before(domain, task->entity, from + period);
    foresight->budget = way->budget;
    write_job(domain, task, foresight);
}

/* True if `entity` is a task whose jobs come and go without effect on others. */
static bool is_plain(const takt_entity_t *entity) {
    const uint32_t special = TAKT_ATTRIBUTES_CHARGED | TAKT_ATTRIBUTE_LIMITED | TAKT_ATTRIBUTE_LOCKING;
    return entity->task != NULL && (entity->attributes & special) == 0;
}

/* True if the root's choice is known when the job of `entity`, which runs, ends: no other job of it waits. */
static bool ends_alone(const takt_domain_t *domain, const takt_entity_t *entity) {
    const takt_server_t *root = &domain->system.dispatcher->root;
    return is_plain(entity) && takt_task_is_periodic(entity->task) && entity->task->waiting == 0 &&
           root->locked == NULL && takt_ready_best(&root->ready) == entity &&
           takt_entity_job_number(entity) == domain->scheduler.job && has_decided_all(domain);
}

/* Writes the job that is next when the job of `entity`, which runs, ends. */
static void foresee_end(const takt_domain_t *domain, const takt_entity_t *entity,
                        takt_foresight_t *foresight) {
    const takt_entity_t *next =
        ends_alone(domain, entity) ? takt_ready_second(&entity->parent->ready, entity) : NULL;
    if (next == NULL || !is_plain(next)) {
        return;
    }
    foresight->after = takt_entity_number(entity);
    foresight->until = foresight->next;
    foresight->release = next->task->job.release;
    foresight->deadline = next->task->job.deadline;
    foresight->next_release = takt_domain_next_release_of(domain, next);
    foresight->budget = TAKT_NEVER;
    write_job(domain, next->task, foresight);
}

/* Writes what the first timer releases. */
static void foresee_next(const takt_domain_t *domain, takt_foresight_t *foresight) {
    way_t way;
    find_way(domain, &way);
    if (way.timer == NULL || way.timer->kind != TAKT_TIMER_RELEASE || way.timer->instant != foresight->next) {
        return;
    }
    const takt_task_t *task = TAKT_CONTAINER_OF(way.timer, takt_task_t, timer);
    const uint32_t number = takt_entity_number(task->entity);
    if (takt_task_is_active(task) && number != foresight->after) {
        return;
    }
    const takt_duration_t period = period_of(task);
    foresight->sleeper = number;
    if (way.is_open && way.budget > 0 && period > 0) {
        foresee_release(domain, task, &way, period, foresight);
    }
}

uint64_t takt_domain_foresee(uint64_t domain, uint64_t foresight) {
    const takt_domain_t *asked = (const takt_domain_t *)(uintptr_t)domain;
    takt_foresight_t *answer = (takt_foresight_t *)(uintptr_t)foresight;
    const takt_entity_t *running = asked->system.cpus->running;
    answer->sleeper = TAKT_NO_ENTITY;
    answer->entity = TAKT_NO_ENTITY;
    answer->after = TAKT_NO_ENTITY;
    answer->next = takt_domain_next(domain);
    if (running != NULL) {
        foresee_end(asked, running, answer);
    }
    foresee_next(asked, answer);
    return answer->next;
}

uint64_t takt_domain_agrees(uint64_t domain, uint64_t foresight) {
    const takt_domain_t *asked = (const takt_domain_t *)(uintptr_t)domain;
    const takt_foresight_t *foreseen = (const takt_foresight_t *)(uintptr_t)foresight;
    const takt_answer_t *answer = &asked->answer;
    return answer->entity == foreseen->entity && answer->job == foreseen->job &&
           answer->release == foreseen->release && answer->deadline == foreseen->deadline &&
           takt_domain_next_release(domain, answer->entity) == foreseen->next_release;
}
