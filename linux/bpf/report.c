/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain says of an entity, as the programs of the kernel read it. */
#include "linux/bpf/report.h"

#include "core/timers.h"
#include "linux/negotiation.h"

static void report_job(const takt_domain_t *domain, const takt_task_t *task, takt_report_t *report) {
    const takt_change_t *adopted = task->extension != NULL ? task->extension->adopted : NULL;
    report->release = task->job.release;
    report->deadline = task->job.deadline;
    report->job = task->job.number;
    report->waiting = task->waiting;
    report->change = adopted != NULL ? 1u + (uint32_t)(adopted - domain->system.changes) : 0u;
    report->is_missed = domain->now > task->job.deadline;
    report->rate = takt_domain_rate(domain, task);
}

/* Returns the number of the entity without a job that the first of `timers` releases at `next`; TAKT_NO_ENTITY for none. */
static uint32_t sleeper_until(takt_timers_t *timers, takt_instant_t next) {
    const takt_timer_t *timer =
        next != TAKT_NEVER && next == takt_timers_next(timers) ? takt_timers_due(timers, next) : NULL;
    if (timer == NULL || timer->kind != TAKT_TIMER_RELEASE) {
        return TAKT_NO_ENTITY;
    }
    const takt_task_t *task = TAKT_CONTAINER_OF(timer, takt_task_t, timer);
    return takt_task_is_active(task) ? TAKT_NO_ENTITY : takt_entity_number(task->entity);
}

uint64_t takt_domain_report(uint64_t domain, uint64_t entity, uint64_t report) {
    takt_domain_t *asked = (takt_domain_t *)(uintptr_t)domain;
    takt_report_t *answer = (takt_report_t *)(uintptr_t)report;
    const takt_entity_t *found = takt_system_entity(&asked->system, (uint32_t)entity);
    answer->state = (uint32_t)takt_domain_state(domain, entity);
    answer->next_release = takt_domain_next_release(domain, entity);
    answer->next = takt_domain_next(domain);
    answer->sleeper = sleeper_until(&asked->system.dispatcher->root.timers, answer->next);
    if (found != NULL && found->task != NULL) {
        report_job(asked, found->task, answer);
    }
    return answer->state;
}
