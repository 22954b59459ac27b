/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demands of rate-based tasks; see negotiation.h. They may come from a file, so the checks are in every build. */
#include "kernel/negotiation.h"

#include "kernel/backend.h"

/* ---- checks ----------------------------------------------------------------------------------------- */

takt_status_t takt_negotiation_check_settings(const takt_rate_settings_t *settings) {
    if (settings->grid == 0 || settings->grid > TAKT_RATE_LONGEST) {
        return TAKT_ERROR_PERIOD;
    }
    if (settings->estimate_jobs == 0 || settings->estimate_jobs > TAKT_RATE_JOBS) {
        return TAKT_ERROR_SIZE;
    }
    const bool is_whole = settings->beta <= TAKT_RATE_WHOLE && settings->sigma <= TAKT_RATE_WHOLE;
    return is_whole && settings->beta + settings->sigma <= TAKT_RATE_WHOLE ? TAKT_OK : TAKT_ERROR_BUDGET;
}

takt_duration_t takt_negotiation_deadline(const takt_rate_demand_t *demand) {
    return demand->relative_deadline != 0 ? demand->relative_deadline : demand->period;
}

static bool is_payable(takt_task_class_t type, const takt_rate_demand_t *demand) {
    if (type == TAKT_CLASS_NONE) {
        return takt_rate_is_weight(demand->weight);
    }
    return demand->wcet > 0 && demand->wcet <= takt_negotiation_deadline(demand);
}

takt_status_t takt_negotiation_check(takt_task_class_t type, const takt_rate_demand_t *demand) {
    if (demand->period == 0 || demand->period > TAKT_RATE_LONGEST) {
        return TAKT_ERROR_PERIOD;
    }
    if (!takt_rate_fits_class(type, demand->period, takt_negotiation_deadline(demand))) {
        return TAKT_ERROR_DEADLINE;
    }
    return is_payable(type, demand) ? TAKT_OK : TAKT_ERROR_BUDGET;
}

/* ---- set-up ----------------------------------------------------------------------------------------- */

void takt_negotiation_init(takt_rate_records_t *records, takt_rate_based_t *rates, takt_change_t *changes,
                           uint32_t count) {
    records->changes = changes;
    records->count = count;
    if (count > 0) {
        takt_dispatcher_set_changes(rates->allocation.dispatcher, changes, count);
    }
}

void takt_negotiation_add(takt_rate_based_t *rates, takt_rate_task_t *rate, takt_task_t *task,
                          takt_entity_t *entity, takt_task_class_t type, const takt_rate_demand_t *demand,
                          uint32_t id) {
    const takt_task_parameters_t parameters = {
        .period = demand->period,
        .relative_deadline = takt_negotiation_deadline(demand),
        .wcet = demand->wcet,
        .task_class = type,
        .id = id,
        .extension = &rate->extension,
    };
    takt_rate_based_add(rates, rate, task, entity, &parameters, demand->weight, false);
}

/* ---- records of what was asked for ------------------------------------------------------------------ */

static takt_entity_t *entity_of(const takt_rate_task_t *rate) { return rate->extension.task->entity; }

/* A record belongs to its task, named by `entity`, while a pending job, the current job or the last request uses it. */
static bool is_in_use(const takt_rate_task_t *rate, const takt_change_t *record) {
    const takt_task_extension_t *extension = &rate->extension;
    bool found = record == rate->asked || record == extension->adopted || record == extension->last_change;
    for (const takt_change_t *change = extension->behind; change != NULL && !found; change = change->next) {
        found = change == record;
    }
    return found;
}

/* A record that `rate` may use, NULL if there is none. */
static takt_change_t *find_record(const takt_rate_records_t *records, const takt_rate_task_t *rate) {
    takt_change_t *end = records->changes + records->count;
    for (takt_change_t *record = records->changes; record < end; record++) {
        const bool is_own = record->entity == entity_of(rate) && !is_in_use(rate, record);
        if (is_own || record->entity == NULL) {
            return record;
        }
    }
    return NULL;
}

static void describe(takt_change_t *record, const takt_rate_task_t *rate, const takt_rate_demand_t *demand) {
    *record = (takt_change_t){
        .entity = entity_of(rate),
        .kind = TAKT_CHANGE_PARAMETERS,
        .period = demand->period,
        .relative_deadline = takt_negotiation_deadline(demand),
        .wcet = demand->wcet,
        .weight = demand->weight,
        .task_class = (takt_task_class_t)rate->extension.task->job.task_class,
    };
}

/* ---- requests --------------------------------------------------------------------------------------- */

static void post(takt_rate_task_t *rate, takt_event_kind_t kind, uint64_t nominal, takt_instant_t now) {
    takt_tell(rate->extension.allocation->dispatcher,
              &(takt_event_t){.kind = kind, .entity = entity_of(rate), .now = now, .nominal = nominal});
}

takt_status_t takt_negotiation_enter(takt_rate_task_t *rate, takt_instant_t now) {
    post(rate, TAKT_EVENT_ENTER, now, now);
    const bool is_admitted = rate->stage == TAKT_RATE_WAITING || rate->stage == TAKT_RATE_IN;
    return is_admitted ? TAKT_OK : TAKT_REJECTED;
}

takt_status_t takt_negotiation_request(const takt_rate_records_t *records, takt_rate_task_t *rate,
                                       const takt_rate_demand_t *demand, takt_instant_t now) {
    takt_change_t *record = find_record(records, rate);
    if (record == NULL) {
        return TAKT_ERROR_CHANGES;
    }
    describe(record, rate, demand);
    post(rate, TAKT_EVENT_CHANGE, (uint64_t)(record - records->changes), now);
    if (rate->asked == record) {
        return TAKT_OK;
    }
    record->entity = NULL;
    return TAKT_REJECTED;
}
