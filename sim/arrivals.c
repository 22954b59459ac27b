/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sources of arrivals.h. */
#include "sim/arrivals.h"

#include <stdlib.h>

enum { TIME_ROWS = 16, ORDER_ROWS = 6 };

/* No instant of a simulation is later. */
#define LAST_INSTANT (UINT64_C(1) << 62)

static takt_stream_key_t key_of(const takt_sim_t *sim, uint32_t task, takt_stream_use_t use) {
    return (takt_stream_key_t){sim->options.seed, task, use};
}

/* Returns the release of job `source->index`, which arrives at `source->nominal`; not before its predecessor's. */
static takt_instant_t release_of(const takt_sim_t *sim, const takt_sim_source_t *source) {
    const takt_task_spec_t *spec = &sim->specs[source->task];
    if (spec->jitter == 0) {
        return source->nominal;
    }
    const takt_stream_t jitter = {
        .kind = TAKT_STREAM_UNIFORM, .b = (double)spec->jitter, .most = spec->jitter};
    const takt_instant_t release =
        source->nominal +
        takt_stream_at(&jitter, key_of(sim, source->task, TAKT_STREAM_JITTER), source->index);
    return release > source->front ? release : source->front;
}

/* Sets the next arrival of `source` to `nominal`, unless that is TAKT_NEVER. */
static void arm(takt_sim_t *sim, takt_sim_source_t *source, takt_instant_t nominal) {
    source->nominal = nominal;
    if (nominal < LAST_INSTANT && release_of(sim, source) < LAST_INSTANT) {
        takt_timers_insert(&sim->arrivals, &source->timer, release_of(sim, source));
    }
}

static bool is_listed(const takt_task_spec_t *spec) {
    return spec->arrivals != NULL && spec->arrivals->kind == TAKT_STREAM_LISTED;
}

/* Returns arrival number `index` of the task since it entered. */
static takt_instant_t listed_arrival(const takt_sim_t *sim, const takt_sim_source_t *source, uint64_t index) {
    const takt_stream_t *arrivals = sim->specs[source->task].arrivals;
    return index < arrivals->count ? source->entered + arrivals->values[index] : TAKT_NEVER;
}

/* Returns the arrival after job `source->index`; TAKT_NEVER if there is none. */
static takt_instant_t next_nominal(const takt_sim_t *sim, const takt_sim_source_t *source) {
    const takt_task_spec_t *spec = &sim->specs[source->task];
    if (spec->arrivals == NULL) {
        return source->nominal + source->period;
    }
    if (is_listed(spec)) {
        return listed_arrival(sim, source, source->index + 1u - source->first);
    }
    const takt_stream_key_t key = key_of(sim, source->task, TAKT_STREAM_SEPARATION);
    return source->nominal + takt_stream_at(spec->arrivals, key, source->index);
}

/* The task of `source` enters at `instant`: arrivals are counted from then. */
static void enter(takt_sim_t *sim, takt_sim_source_t *source, takt_instant_t instant) {
    const takt_task_spec_t *spec = &sim->specs[source->task];
    source->entered = instant;
    source->first = source->index;
    arm(sim, source, is_listed(spec) ? listed_arrival(sim, source, 0) : instant + spec->offset);
}

static void start(takt_sim_t *sim, takt_sim_source_t *source, uint32_t task) {
    const takt_task_spec_t *spec = &sim->specs[task];
    source->task = task;
    source->period = spec->period;
    takt_timer_init(&source->timer, &sim->arrivals, TAKT_TIMER_RELEASE, task);
    if (!spec->is_absent) {
        enter(sim, source, 0);
    }
}

/* ---- changes ------------------------------------------------------------------------------------ */

static bool is_of(const takt_change_spec_t *change, const takt_sim_source_t *source) {
    return (change->kind == TAKT_CHANGE_POLICY) == (source->task == TAKT_SIM_POLICIES);
}

/* Arms the next change of the kind of `source`, from number `index` on. */
static void find_change(takt_sim_t *sim, takt_sim_source_t *source, uint64_t index) {
    while (index < sim->system.change_count && !is_of(&sim->changes[index], source)) {
        index++;
    }
    source->index = index;
    if (index < sim->system.change_count) {
        takt_timers_insert(&sim->arrivals, &source->timer, sim->changes[index].instant);
    }
}

/* At one instant changes of tasks come before arrivals. */
static void start_changes(takt_sim_t *sim, takt_sim_source_t *source, uint32_t task) {
    source->task = task;
    takt_timer_init(&source->timer, &sim->arrivals,
                    task == TAKT_SIM_CHANGES ? TAKT_TIMER_EXPIRY : TAKT_TIMER_INSTANT_END, 0);
    find_change(sim, source, 0);
}

void takt_sim_arrivals_put_off(takt_sim_t *sim, takt_sim_source_t *source, takt_instant_t instant) {
    takt_timers_remove(&sim->arrivals, &source->timer);
    source->index = source->nominal;
    takt_timers_insert(&sim->arrivals, &source->timer, instant);
}

/* Sources are in the order of tasks. */
takt_sim_source_t *takt_sim_arrivals_source(const takt_sim_t *sim, uint32_t task) {
    uint32_t first = 0;
    uint32_t end = sim->task_source_count;
    while (end - first > 1u) {
        const uint32_t middle = first + (end - first) / 2u;
        if (sim->sources[middle].task <= task) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return &sim->sources[first];
}

void takt_sim_arrivals_change(takt_sim_t *sim, uint32_t index) {
    const takt_change_spec_t *change = &sim->changes[index];
    if (!sim->specs[change->task].is_external) {
        return;
    }
    takt_sim_source_t *source = takt_sim_arrivals_source(sim, change->task);
    if (change->kind == TAKT_CHANGE_PARAMETERS) {
        source->period = change->period;
        return;
    }
    takt_timers_remove(&sim->arrivals, &source->timer);
    if (change->kind == TAKT_CHANGE_ENTER) {
        enter(sim, source, change->instant);
    }
}

/* ---- all sources ---------------------------------------------------------------------------------- */

static uint32_t count_task_sources(const takt_sim_t *sim) {
    uint32_t count = 0;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        count += sim->specs[task].is_external;
    }
    return count;
}

bool takt_sim_arrivals_create(takt_sim_t *sim) {
    sim->arrivals.next = TAKT_NEVER;
    sim->task_source_count = count_task_sources(sim);
    const size_t count = sim->task_source_count + (sim->system.change_count > 0 ? 2u : 0u);
    if (count == 0) {
        return true;
    }
    sim->sources = calloc(count, sizeof *sim->sources);
    sim->arrival_rows = calloc(TAKT_TIMERS_ROWS(ORDER_ROWS, TIME_ROWS), sizeof *sim->arrival_rows);
    if (sim->sources == NULL || sim->arrival_rows == NULL) {
        return false;
    }
    takt_timers_init(&sim->arrivals, sim->arrival_rows, ORDER_ROWS, TIME_ROWS);
    takt_sim_source_t *source = sim->sources;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        if (sim->specs[task].is_external) {
            start(sim, source++, task);
        }
    }
    if (sim->system.change_count > 0) {
        start_changes(sim, source++, TAKT_SIM_CHANGES);
        start_changes(sim, source, TAKT_SIM_POLICIES);
    }
    return true;
}

static void move_on(takt_sim_t *sim, takt_sim_source_t *source) {
    const takt_instant_t nominal = next_nominal(sim, source);
    source->front = source->timer.instant;
    source->index++;
    arm(sim, source, nominal);
}

/* Returns the number of a change and advances to the next one. */
static void move_on_change(takt_sim_t *sim, takt_sim_source_t *source) {
    source->nominal = source->index;
    find_change(sim, source, source->index + 1u);
}

takt_sim_source_t *takt_sim_arrivals_take(takt_sim_t *sim, takt_instant_t until, takt_arrival_t *arrival) {
    takt_timer_t *timer = NULL;
    while (timer == NULL && takt_sim_arrivals_next(sim) <= until) {
        timer = takt_timers_take(&sim->arrivals, until);
    }
    if (timer == NULL) {
        return NULL;
    }
    takt_sim_source_t *source = TAKT_CONTAINER_OF(timer, takt_sim_source_t, timer);
    *arrival = (takt_arrival_t){.instant = timer->instant, .nominal = source->nominal};
    if (source->task >= TAKT_SIM_POLICIES) {
        move_on_change(sim, source);
        arrival->nominal = source->nominal;
    } else {
        move_on(sim, source);
    }
    return source;
}
