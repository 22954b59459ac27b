/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain says of an entity, as the programs of the kernel read it. */
#include "linux/bpf/report.h"

#include "linux/negotiation.h"

uint64_t takt_domain_report(uint64_t domain, uint64_t entity, uint64_t report) {
    takt_domain_t *asked = (takt_domain_t *)(uintptr_t)domain;
    takt_report_t *answer = (takt_report_t *)(uintptr_t)report;
    takt_entity_t *found = takt_system_entity(&asked->system, (uint32_t)entity);
    answer->state = 0;
    if (found == NULL || found->task == NULL) {
        return 0;
    }
    const takt_task_t *task = found->task;
    const takt_change_t *adopted = task->extension != NULL ? task->extension->adopted : NULL;
    answer->state = (uint32_t)takt_domain_state_of(asked, found);
    answer->next_release = takt_domain_next_release_of(asked, found);
    answer->release = task->job.release;
    answer->deadline = task->job.deadline;
    answer->job = task->job.number;
    answer->waiting = task->waiting;
    answer->change = adopted != NULL ? 1u + (uint32_t)(adopted - asked->system.changes) : 0u;
    answer->is_missed = asked->now > task->job.deadline;
    answer->rate = takt_domain_rate(asked, task);
    return answer->state;
}
