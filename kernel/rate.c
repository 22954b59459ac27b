/* Rate-based threads; see rate.h. */
#include "kernel/rate.h"

#include "kernel/creation.h"
#include "kernel/negotiation.h"
#include "kernel/request.h"
#include "policy/table.h"

/* ---- set-up ----------------------------------------------------------------------------------------- */

static takt_status_t check_kernel(void) {
    const takt_status_t phase = takt_creation_check_phase();
    if (phase != TAKT_OK) {
        return phase;
    }
    if (takt_kernel.dispatcher.root.policy != &takt_policy_rate_based) {
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

/* ---- creation --------------------------------------------------------------------------------------- */

static takt_status_t check_parameters(const takt_rate_parameters_t *parameters) {
    const bool is_made = parameters->rates->based.allocation.dispatcher != NULL;
    if (!is_made || parameters->thread.server != NULL) {
        return TAKT_ERROR_OBJECT;
    }
    return takt_negotiation_check(parameters->type, &parameters->demand);
}

static void add_task(takt_rate_thread_t *thread, const takt_rate_parameters_t *parameters) {
    takt_negotiation_add(&parameters->rates->based, &thread->rate, &thread->task,
                         &thread->job.thread.plain.entity, parameters->type, &parameters->demand,
                         takt_creation_number(&takt_kernel.dispatcher.root));
    if (parameters->adapts) {
        takt_rate_based_adapt(&thread->rate);
    }
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
    takt_creation_finish_job(&thread->job, &parameters->thread);
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

/* Of the budget of the open window, what is being executed taken off. */
static takt_duration_t remaining_of(const takt_rate_thread_t *thread) {
    if (!takt_task_is_open(&thread->task)) {
        return 0;
    }
    const takt_cpu_t *cpu = &takt_kernel.cpu;
    const bool is_running = cpu->running == &thread->job.thread.plain.entity;
    const takt_duration_t spent = is_running ? takt_port_now() - cpu->charged_at : 0u;
    const takt_duration_t remaining = thread->task.job.remaining;
    return spent < remaining ? remaining - spent : 0u;
}

takt_status_t takt_rate_thread_get(const takt_rate_thread_t *thread, takt_rate_state_t *state) {
    TAKT_REQUIRE(thread != NULL && state != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(thread), TAKT_ERROR_OBJECT);
    const takt_port_level_t level = takt_port_lock();
    const takt_rate_task_t *rate = &thread->rate;
    state->stage = rate->stage;
    state->rate = rate->now.rate;
    state->budget = rate->now.budget;
    state->period = rate->now.period;
    state->remaining = remaining_of(thread);
    state->deadline = rate->deadline;
    state->is_asking = rate->is_asking;
    takt_port_unlock(level);
    return TAKT_OK;
}
