/* Rate-based threads; see rate.h. Their demands may come from a file, so that the checks stay in every build. */
#include "kernel/rate.h"

#include "kernel/creation.h"
#include "kernel/request.h"
#include "policy/table.h"

/* ---- set-up ----------------------------------------------------------------------------------------- */

static takt_status_t check_settings(const takt_rate_settings_t *settings) {
    if (settings->grid == 0 || settings->grid > TAKT_RATE_LONGEST) {
        return TAKT_ERROR_PERIOD;
    }
    if (settings->estimate_jobs == 0 || settings->estimate_jobs > TAKT_RATE_JOBS) {
        return TAKT_ERROR_SIZE;
    }
    const bool is_whole = settings->beta <= TAKT_RATE_WHOLE && settings->sigma <= TAKT_RATE_WHOLE;
    return is_whole && settings->beta + settings->sigma <= TAKT_RATE_WHOLE ? TAKT_OK : TAKT_ERROR_BUDGET;
}

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
        status = check_settings(settings);
    }
    if (status != TAKT_OK) {
        return status;
    }
    takt_rate_based_init(&rates->based, settings, &takt_kernel.dispatcher);
    rates->changes = changes;
    rates->change_count = count;
    if (count > 0) {
        takt_dispatcher_set_changes(&takt_kernel.dispatcher, changes, count);
    }
    return TAKT_OK;
}

/* ---- demands ---------------------------------------------------------------------------------------- */

static takt_duration_t deadline_of(const takt_rate_demand_t *demand) {
    return demand->relative_deadline != 0 ? demand->relative_deadline : demand->period;
}

static bool is_payable(takt_task_class_t type, const takt_rate_demand_t *demand) {
    if (type == TAKT_CLASS_NONE) {
        return demand->weight > 0 && demand->weight < TAKT_RATE_WEIGHTS;
    }
    return demand->wcet > 0 && demand->wcet <= deadline_of(demand);
}

static takt_status_t check_demand(takt_task_class_t type, const takt_rate_demand_t *demand) {
    if (demand->period == 0 || demand->period > TAKT_RATE_LONGEST) {
        return TAKT_ERROR_PERIOD;
    }
    const bool is_in_period = type == TAKT_CLASS_HARD ? deadline_of(demand) <= demand->period
                                                      : deadline_of(demand) == demand->period;
    if (!is_in_period) {
        return TAKT_ERROR_DEADLINE;
    }
    return is_payable(type, demand) ? TAKT_OK : TAKT_ERROR_BUDGET;
}

/* ---- creation --------------------------------------------------------------------------------------- */

static takt_status_t check_parameters(const takt_rate_parameters_t *parameters) {
    const bool is_made = parameters->rates->based.allocation.dispatcher != NULL;
    if (!is_made || parameters->thread.server != NULL) {
        return TAKT_ERROR_OBJECT;
    }
    return check_demand(parameters->type, &parameters->demand);
}

static void add_task(takt_rate_thread_t *thread, const takt_rate_parameters_t *parameters) {
    const takt_rate_demand_t *demand = &parameters->demand;
    const takt_task_parameters_t task = {
        .period = demand->period,
        .relative_deadline = deadline_of(demand),
        .wcet = demand->wcet,
        .task_class = parameters->type,
        .id = takt_creation_number(&takt_kernel.dispatcher.root),
        .extension = &thread->rate.extension,
    };
    takt_rate_based_add(&parameters->rates->based, &thread->rate, &thread->task,
                        &thread->job.thread.plain.entity, &task, demand->weight, false);
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
    takt_job_fill(&thread->job, &parameters->thread);
    return TAKT_OK;
}

/* ---- requests --------------------------------------------------------------------------------------- */

static bool is_made(const takt_rate_thread_t *thread) { return thread->rate.extension.allocation != NULL; }

static bool is_admitted(const takt_rate_thread_t *thread) {
    return thread->rate.stage == TAKT_RATE_WAITING || thread->rate.stage == TAKT_RATE_IN;
}

static takt_status_t ask_to_enter(takt_rate_thread_t *thread, bool is_from_isr) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(thread), TAKT_ERROR_OBJECT);
    takt_request_t request = {.is_from_isr = is_from_isr};
    const takt_status_t status = takt_request_open(&request);
    if (status != TAKT_OK) {
        return status;
    }
    takt_request_post(TAKT_EVENT_ENTER, &thread->job.thread.plain.entity, 0);
    return takt_request_close(&request, is_admitted(thread) ? TAKT_OK : TAKT_REJECTED);
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

/* ---- records of what was asked for ------------------------------------------------------------------ */

/* A record is its thread's, by `entity`, as long as a job that waits, the current one, or what was asked for last has
 * it. */
static bool is_in_use(const takt_rate_task_t *rate, const takt_change_t *record) {
    const takt_task_extension_t *extension = &rate->extension;
    bool found = record == rate->asked || record == extension->adopted || record == extension->last_change;
    for (const takt_change_t *change = extension->behind; change != NULL && !found; change = change->next) {
        found = change == record;
    }
    return found;
}

/* A record that `thread` may have, NULL if there is none. */
static takt_change_t *find_record(const takt_rates_t *rates, const takt_rate_thread_t *thread) {
    const takt_entity_t *entity = &thread->job.thread.plain.entity;
    for (takt_change_t *record = rates->changes; record < rates->changes + rates->change_count; record++) {
        const bool is_own = record->entity == entity && !is_in_use(&thread->rate, record);
        if (is_own || record->entity == NULL) {
            return record;
        }
    }
    return NULL;
}

static void describe(takt_change_t *record, takt_rate_thread_t *thread, const takt_rate_demand_t *demand) {
    *record = (takt_change_t){
        .entity = &thread->job.thread.plain.entity,
        .kind = TAKT_CHANGE_PARAMETERS,
        .period = demand->period,
        .relative_deadline = deadline_of(demand),
        .wcet = demand->wcet,
        .weight = demand->weight,
        .task_class = (takt_task_class_t)thread->task.job.task_class,
    };
}

/* Closed. */
static takt_status_t ask_for(takt_rate_thread_t *thread, const takt_rate_demand_t *demand) {
    const takt_rates_t *rates =
        TAKT_CONTAINER_OF(thread->rate.extension.allocation, takt_rates_t, based.allocation);
    takt_change_t *record = find_record(rates, thread);
    if (record == NULL) {
        return TAKT_ERROR_CHANGES;
    }
    describe(record, thread, demand);
    takt_request_post(TAKT_EVENT_CHANGE, record->entity, (uint64_t)(record - rates->changes));
    if (thread->rate.asked == record) {
        return TAKT_OK;
    }
    record->entity = NULL;
    return TAKT_REJECTED;
}

static takt_status_t ask(takt_rate_thread_t *thread, const takt_rate_demand_t *demand, bool is_from_isr) {
    if (thread == NULL || demand == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_request_t request = {.is_from_isr = is_from_isr};
    takt_status_t status = is_made(thread) ? TAKT_OK : TAKT_ERROR_OBJECT;
    if (status == TAKT_OK) {
        status = check_demand((takt_task_class_t)thread->task.job.task_class, demand);
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
