/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The requests of negotiation.h. */
#include "linux/negotiation.h"

#include "core/wide.h"
#include "policy/rate_based.h"

static uint32_t rows_left(const takt_domain_t *domain) {
    return domain->system.change_count - domain->first_request - domain->requested;
}

void takt_domain_find_rows(takt_domain_t *domain) {
    const takt_change_spec_t *changes = domain->program.spec.changes;
    uint32_t first = domain->program.spec.change_count;
    while (first > 0 && changes[first - 1u].kind == TAKT_CHANGE_PARAMETERS &&
           changes[first - 1u].instant >= domain->program.horizon) {
        first--;
    }
    domain->first_request = first;
}

/* True if a rate-based task of class `type` may have these parameters. */
static bool is_in_range(takt_task_class_t type, takt_duration_t period, takt_duration_t deadline,
                        takt_duration_t wcet, uint64_t weight) {
    const bool is_payable =
        type == TAKT_CLASS_NONE ? takt_rate_is_weight(weight) : wcet >= 1 && wcet <= deadline;
    return period >= 1 && period <= TAKT_RATE_LONGEST && deadline >= 1 &&
           takt_rate_fits_class(type, period, deadline) && is_payable;
}

/* What the class of `task` does not read stays as it is in the image. */
takt_receipt_t takt_domain_fill_row(takt_domain_t *domain, const takt_task_t *task,
                                    const takt_demand_t *demand, uint64_t *row) {
    if (domain->system.rates == NULL) {
        return TAKT_RECEIPT_UNKNOWN;
    }
    const takt_task_class_t type = (takt_task_class_t)task->job.task_class;
    const uint64_t tick_ns = domain->program.resolution_ns;
    const takt_duration_t period = takt_quotient(demand->period_ns, tick_ns);
    const takt_duration_t deadline = takt_quotient(demand->deadline_ns, tick_ns);
    const takt_duration_t whole = takt_quotient(demand->wcet_ns, tick_ns);
    const takt_duration_t wcet = whole + (whole * tick_ns != demand->wcet_ns);
    if (!is_in_range(type, period, deadline, wcet, demand->weight)) {
        return TAKT_RECEIPT_UNFIT;
    }
    if (rows_left(domain) == 0) {
        return TAKT_RECEIPT_FULL;
    }
    *row = domain->first_request + domain->requested;
    domain->requested++;
    takt_change_t *change = &domain->system.changes[*row];
    change->entity = task->entity;
    change->task_class = type;
    change->period = period;
    change->relative_deadline = deadline;
    change->wcet = type == TAKT_CLASS_NONE ? change->wcet : wcet;
    change->weight = type == TAKT_CLASS_NONE ? demand->weight : change->weight;
    return TAKT_RECEIPT_RECEIVED;
}

bool takt_domain_is_admitted(const takt_domain_t *domain, const takt_task_t *task, uint64_t row) {
    return takt_rate_task_of(task)->asked == &domain->system.changes[row];
}

uint32_t takt_domain_rate(const takt_domain_t *domain, const takt_task_t *task) {
    return domain->system.rates != NULL ? (uint32_t)takt_rate_task_of(task)->now.rate : 0u;
}

uint64_t takt_domain_requested(uint64_t domain, uint64_t index, uint64_t requested) {
    const takt_domain_t *asked = (const takt_domain_t *)(uintptr_t)domain;
    takt_requested_t *answer = (takt_requested_t *)(uintptr_t)requested;
    if (index >= asked->requested) {
        return 0;
    }
    const takt_change_t *change = &asked->system.changes[asked->first_request + index];
    answer->task = takt_entity_number(change->entity) - 1u - asked->system.server_count;
    answer->period = change->period;
    answer->relative_deadline = change->relative_deadline;
    answer->wcet = change->wcet;
    answer->weight = change->weight;
    return 1;
}
