/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based threads; see rate.h. */
#include "kernel/rate.h"

#include "kernel/creation.h"
#include "kernel/negotiation.h"
#include "kernel/request.h"
#include "policy/rate_sharing.h"

/* ---- set-up ----------------------------------------------------------------------------------------- */

static takt_status_t check_kernel(void) {
    const takt_status_t phase = takt_creation_check_phase();
    if (phase != TAKT_OK) {
        return phase;
    }
    if ((takt_kernel.dispatcher.root.policy->traits & TAKT_POLICY_RATES) == 0) {
        return TAKT_ERROR_POLICY;
    }
    return takt_kernel.entity_count == 1 ? TAKT_OK : TAKT_ERROR_ORDER;
}

takt_status_t takt_rates_init(takt_rates_t *rates, const takt_rate_settings_t *settings,
                              takt_change_t *changes, uint32_t count) {
    if (rates == NULL || settings == NULL || (changes == NULL && count > 0)) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = check_kernel();
    if (status == TAKT_OK) {
        status = takt_negotiation_check_settings(settings);
    }
    if (status != TAKT_OK) {
        return status;
    }
    takt_rate_based_init(&rates->based, settings, &takt_kernel.dispatcher);
    takt_negotiation_init(&rates->records, &rates->based, changes, count);
    return TAKT_OK;
}

static bool are_made(const takt_rates_t *rates) { return rates->based.allocation.dispatcher != NULL; }

/* The first resource has number 0, as the first of the shares. */
static takt_status_t check_sharing(const takt_rates_t *rates) {
    if (!are_made(rates)) {
        return TAKT_ERROR_OBJECT;
    }
    if (rates->records.count > 0) {
        return TAKT_ERROR_CHANGES;
    }
    const takt_status_t phase = takt_creation_check_phase();
    if (phase != TAKT_OK) {
        return phase;
    }
    const bool is_first = takt_kernel.entity_count == 1 && takt_kernel.mutex_count == 0;
    return is_first ? TAKT_OK : TAKT_ERROR_ORDER;
}

takt_status_t takt_rates_share(takt_rates_t *rates, takt_resource_t *resources, takt_rate_share_t *shares,
                               uint32_t count) {
    if (rates == NULL || resources == NULL || shares == NULL) {
        return TAKT_ERROR_NULL;
    }
    const takt_status_t status = count > 0 ? check_sharing(rates) : TAKT_ERROR_LENGTH;
    if (status != TAKT_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)takt_creation_add_resource(&resources[i], TAKT_PROTOCOL_SRP, &takt_protocol_srp,
                                         TAKT_KEY_LEAST_URGENT, NULL, takt_kernel_expect_pass);
    }
    rates->resources = resources;
    rates->resource_count = count;
    takt_rate_based_set_shares(&rates->based, shares);
    return TAKT_OK;
}

/* ---- what sharing takes: SPEC.md, 10 ---------------------------------------------------------------- */

static takt_duration_t longer_of(takt_duration_t a, takt_duration_t b) { return a > b ? a : b; }

static bool is_hard(const takt_rate_task_t *rate) {
    return rate->extension.task->job.task_class == TAKT_CLASS_HARD;
}

static const takt_rate_section_t *section_of(const takt_rate_use_t *use) {
    return TAKT_CONTAINER_OF(use, takt_rate_section_t, use);
}

static takt_rate_sharer_t sharer_of(const takt_rate_task_t *rate) {
    return (takt_rate_sharer_t){rate->window, rate->extension.task->job.period, is_hard(rate)};
}

/* The highest ceiling that `resource` may have. */
static takt_duration_t ceiling_of(const takt_rate_based_t *based, const takt_resource_t *resource) {
    takt_duration_t ceiling = TAKT_RATE_LONGEST;
    const takt_rate_use_t *use = based->shares[resource->number].uses;
    for (; use != NULL; use = use->next_of_same) {
        ceiling = use->user->window < ceiling ? use->user->window : ceiling;
    }
    return ceiling;
}

/* The blocking of `rate` by the sections of the other tasks, as a rate by the deadline. */
static uint64_t blocking_of(const takt_rate_based_t *based, const takt_rate_task_t *rate) {
    const takt_rate_sharer_t own = sharer_of(rate);
    uint64_t longest = 0;
    for (const takt_rate_task_t *other = based->first; other != NULL; other = other->next) {
        const takt_rate_sharer_t sharer = sharer_of(other);
        for (const takt_rate_use_t *use = other->uses; use != NULL && other != rate; use = use->next) {
            const takt_duration_t ceiling = ceiling_of(based, use->resource);
            const uint64_t more = takt_rate_blocking_by(&own, &sharer, section_of(use)->longest, ceiling);
            longest = longer_of(longest, more);
        }
    }
    return longest;
}

/* The execution of sections beyond budgets, as a rate. */
static uint64_t excess_of(const takt_rate_task_t *rate) {
    takt_duration_t longest = 1;
    for (const takt_rate_use_t *use = rate->uses; use != NULL; use = use->next) {
        longest = longer_of(longest, section_of(use)->longest);
    }
    return is_hard(rate) ? 0u : takt_rate_of_section(longest, rate->window);
}

/* Recomputes all tasks, because the blocking of each follows from the sections of all. */
static void weigh(takt_rate_based_t *based) {
    for (takt_rate_task_t *rate = based->first; rate != NULL; rate = rate->next) {
        takt_rate_based_set_blocking(rate, (takt_rate_blocking_t){blocking_of(based, rate), excess_of(rate)});
    }
}

/* ---- creation --------------------------------------------------------------------------------------- */

static takt_status_t check_section(const takt_rates_t *rates, const takt_rate_section_t *section,
                                   const takt_rate_demand_t *demand) {
    if (section->resource == NULL) {
        return TAKT_ERROR_NULL;
    }
    const uint32_t count = rates->resource_count;
    if (section->resource < rates->resources || section->resource >= rates->resources + count) {
        return TAKT_ERROR_OBJECT;
    }
    const bool is_in_deadline = section->longest <= takt_negotiation_deadline(demand);
    return section->longest > 0 && is_in_deadline ? TAKT_OK : TAKT_ERROR_BUDGET;
}

/* True if no task has requested to enter; the blocking of all tasks must be known by then. */
static bool is_without_requests(const takt_rate_based_t *based) {
    const takt_rate_task_t *rate = based->first;
    while (rate != NULL && rate->stage == TAKT_RATE_OUT) {
        rate = rate->next;
    }
    return rate == NULL;
}

static takt_status_t check_sections(const takt_rate_parameters_t *parameters) {
    if (parameters->section_count > 0 && parameters->sections == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = TAKT_OK;
    for (uint32_t i = 0; i < parameters->section_count && status == TAKT_OK; i++) {
        status = check_section(parameters->rates, &parameters->sections[i], &parameters->demand);
    }
    if (status != TAKT_OK) {
        return status;
    }
    const bool is_known = parameters->section_count == 0 || is_without_requests(&parameters->rates->based);
    return is_known ? TAKT_OK : TAKT_ERROR_ORDER;
}

static takt_status_t check_parameters(const takt_rate_parameters_t *parameters) {
    if (!are_made(parameters->rates) || parameters->thread.server != NULL) {
        return TAKT_ERROR_OBJECT;
    }
    const takt_status_t status = takt_negotiation_check(parameters->type, &parameters->demand);
    return status == TAKT_OK ? check_sections(parameters) : status;
}

static void add_task(takt_rate_thread_t *thread, const takt_rate_parameters_t *parameters) {
    takt_negotiation_add(&parameters->rates->based, &thread->rate, &thread->task,
                         &thread->job.thread.plain.entity, parameters->type, &parameters->demand,
                         takt_creation_number(&takt_kernel.dispatcher.root));
    if (parameters->adapts) {
        takt_rate_based_adapt(&thread->rate);
    }
    for (uint32_t i = 0; i < parameters->section_count; i++) {
        takt_rate_section_t *section = &parameters->sections[i];
        takt_rate_based_use(&thread->rate, &section->use, section->resource);
    }
    weigh(&parameters->rates->based);
}

takt_status_t takt_rate_thread_create(takt_rate_thread_t *thread, const takt_rate_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->rates == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_job(&thread->job, &parameters->thread);
    if (status == TAKT_OK) {
        status = check_parameters(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    add_task(thread, parameters);
    takt_job_fill(&thread->job, &parameters->thread);
    return TAKT_OK;
}

/* ---- requests --------------------------------------------------------------------------------------- */

static bool is_made(const takt_rate_thread_t *thread) { return takt_negotiation_is_made(&thread->rate); }

static takt_status_t ask_to_enter(takt_rate_thread_t *thread, bool is_from_isr) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(thread), TAKT_ERROR_OBJECT);
    takt_request_t request = {.is_from_isr = is_from_isr};
    const takt_status_t status = takt_request_open(&request);
    if (status != TAKT_OK) {
        return status;
    }
    return takt_request_close(&request, takt_negotiation_enter(&thread->rate, takt_request_now()));
}

takt_status_t takt_rate_thread_enter(takt_rate_thread_t *thread) { return ask_to_enter(thread, false); }

takt_status_t takt_rate_thread_enter_from_isr(takt_rate_thread_t *thread) {
    return ask_to_enter(thread, true);
}

takt_status_t takt_rate_thread_leave(takt_rate_thread_t *thread) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    return takt_allocated_thread_leave(&thread->job);
}

takt_status_t takt_rate_thread_leave_from_isr(takt_rate_thread_t *thread) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    return takt_allocated_thread_leave_from_isr(&thread->job);
}

/* Closed. */
static takt_status_t ask_for(takt_rate_thread_t *thread, const takt_rate_demand_t *demand) {
    const takt_rates_t *rates =
        TAKT_CONTAINER_OF(thread->rate.extension.allocation, takt_rates_t, based.allocation);
    return takt_negotiation_request(&rates->records, &thread->rate, demand, takt_request_now());
}

static takt_status_t ask(takt_rate_thread_t *thread, const takt_rate_demand_t *demand, bool is_from_isr) {
    if (thread == NULL || demand == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_request_t request = {.is_from_isr = is_from_isr};
    takt_status_t status = is_made(thread) ? TAKT_OK : TAKT_ERROR_OBJECT;
    if (status == TAKT_OK) {
        status = takt_negotiation_check((takt_task_class_t)thread->task.job.task_class, demand);
    }
    if (status == TAKT_OK) {
        status = takt_request_open(&request);
    }
    return status == TAKT_OK ? takt_request_close(&request, ask_for(thread, demand)) : status;
}

takt_status_t takt_rate_thread_request(takt_rate_thread_t *thread, const takt_rate_demand_t *demand) {
    return ask(thread, demand, false);
}

takt_status_t takt_rate_thread_request_from_isr(takt_rate_thread_t *thread,
                                                const takt_rate_demand_t *demand) {
    return ask(thread, demand, true);
}

/* ---- questions -------------------------------------------------------------------------------------- */

/* The rest of the open window's budget, less the execution in progress; 0 in a section beyond the budget. */
static takt_duration_t remaining_of(const takt_rate_thread_t *thread) {
    if (!takt_task_is_open(&thread->task)) {
        return 0;
    }
    const takt_cpu_t *cpu = &takt_kernel.cpu;
    const bool is_running = cpu->running == &thread->job.thread.plain.entity;
    const takt_duration_t spent = is_running ? takt_port_now() - cpu->charged_at : 0u;
    const takt_duration_t used = spent + thread->rate.credit;
    const takt_duration_t remaining = thread->task.job.remaining;
    return used < remaining ? remaining - used : 0u;
}

takt_status_t takt_rate_thread_get(const takt_rate_thread_t *thread, takt_rate_state_t *state) {
    TAKT_REQUIRE(thread != NULL && state != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(thread), TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    const takt_rate_task_t *rate = &thread->rate;
    state->stage = rate->stage;
    state->rate = rate->now.rate;
    state->budget = rate->now.budget - rate->credit;
    state->period = rate->now.period;
    state->remaining = remaining_of(thread);
    state->deadline = rate->deadline;
    state->is_asking = rate->is_asking;
    takt_port_unlock(level);
    return TAKT_OK;
}
