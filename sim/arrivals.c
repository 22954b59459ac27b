/* Sources of arrivals.h. */
#include "sim/arrivals.h"

#include <stdlib.h>

enum { TIME_ROWS = 16, ORDER_ROWS = 6 };

/* No instant of a simulation is later. */
#define LAST_INSTANT (UINT64_C(1) << 62)

static takt_stream_key_t key_of(const takt_sim_t *sim, uint32_t task, takt_stream_use_t use) {
    return (takt_stream_key_t){sim->options.seed, task, use};
}

/* The release of job `source->index`, which arrives at `source->nominal`; not before the one in front. */
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
    const takt_instant_t previous = source->index > 0 ? source->timer.instant : 0;
    return release > previous ? release : previous;
}

static void arm(takt_sim_t *sim, takt_sim_source_t *source) {
    const takt_instant_t release = release_of(sim, source);
    if (release < LAST_INSTANT) {
        takt_timers_insert(&sim->arrivals, &source->timer, release);
    }
}

/* The arrival after job `source->index`; TAKT_NEVER if there is none. */
static takt_instant_t next_nominal(const takt_sim_t *sim, const takt_sim_source_t *source) {
    const takt_task_spec_t *spec = &sim->specs[source->task];
    const takt_stream_t *arrivals = spec->arrivals;
    if (arrivals == NULL) {
        return source->nominal + spec->period;
    }
    if (arrivals->kind != TAKT_STREAM_LISTED) {
        const takt_stream_key_t key = key_of(sim, source->task, TAKT_STREAM_SEPARATION);
        return source->nominal + takt_stream_at(arrivals, key, source->index);
    }
    return source->index + 1u < arrivals->count ? arrivals->values[source->index + 1u] : TAKT_NEVER;
}

static void start(takt_sim_t *sim, takt_sim_source_t *source, uint32_t task) {
    const takt_task_spec_t *spec = &sim->specs[task];
    const bool is_listed = spec->arrivals != NULL && spec->arrivals->kind == TAKT_STREAM_LISTED;
    source->task = task;
    source->nominal = is_listed ? spec->arrivals->values[0] : spec->offset;
    takt_timer_init(&source->timer, &sim->arrivals, TAKT_TIMER_RELEASE, task);
    arm(sim, source);
}

static void start_requests(takt_sim_t *sim, takt_sim_source_t *source) {
    source->task = TAKT_SIM_REQUESTS;
    takt_timer_init(&source->timer, &sim->arrivals, TAKT_TIMER_RELEASE, 0);
    takt_timers_insert(&sim->arrivals, &source->timer, sim->requests[0].instant);
}

/* The request that the source is at has been given. */
static void move_on_request(takt_sim_t *sim, takt_sim_source_t *source) {
    source->nominal = source->index;
    source->index++;
    if (source->index < sim->request_count) {
        takt_timers_insert(&sim->arrivals, &source->timer, sim->requests[source->index].instant);
    }
}

static uint32_t count_sources(const takt_sim_t *sim) {
    uint32_t count = sim->request_count > 0;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        count += sim->specs[task].is_external;
    }
    return count;
}

bool takt_sim_arrivals_create(takt_sim_t *sim) {
    sim->arrivals.next = TAKT_NEVER;
    sim->source_count = count_sources(sim);
    if (sim->source_count == 0) {
        return true;
    }
    sim->sources = calloc(sim->source_count, sizeof *sim->sources);
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
    if (sim->request_count > 0) {
        start_requests(sim, source);
    }
    return true;
}

static void move_on(takt_sim_t *sim, takt_sim_source_t *source) {
    const takt_instant_t nominal = next_nominal(sim, source);
    if (nominal < LAST_INSTANT) {
        source->nominal = nominal;
        source->index++;
        arm(sim, source);
    }
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
    if (source->task == TAKT_SIM_REQUESTS) {
        const takt_instant_t instant = timer->instant;
        move_on_request(sim, source);
        *arrival = (takt_arrival_t){.instant = instant, .nominal = source->nominal};
        return source;
    }
    *arrival = (takt_arrival_t){.instant = timer->instant, .nominal = source->nominal};
    move_on(sim, source);
    return source;
}
