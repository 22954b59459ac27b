/* The event loop of sim.h. */
#include "sim/sim.h"

#include "core/backend.h"

#include <stdlib.h>
#include <string.h>

/* What core must not know: how long jobs run. */
typedef struct takt_sim_demand {
    takt_duration_t demand;    /* of each job */
    takt_duration_t remaining; /* of the current job */
} takt_sim_demand_t;

/* A segment that may still grow. */
typedef struct segment {
    takt_instant_t start;
    takt_instant_t end;
    uint32_t task;
    uint32_t job;
} segment_t;

typedef struct run {
    takt_sim_t *sim;
    takt_direct_t backend;
    uint32_t sequence;
    takt_sim_sinks_t sinks;
    segment_t segment;
    const takt_entity_t *unfinished; /* ran last and is not finished */
} run_t;

bool takt_sim_create(takt_sim_t *sim, const takt_system_spec_t *spec) {
    memset(sim, 0, sizeof *sim);
    const size_t count = spec->task_count > 0 ? spec->task_count : 1;
    sim->statistics = calloc(count, sizeof *sim->statistics);
    sim->demands = calloc(count, sizeof *sim->demands);
    if (sim->statistics == NULL || sim->demands == NULL || !takt_system_create(&sim->system, spec)) {
        takt_sim_destroy(sim);
        return false;
    }
    for (uint32_t task = 0; task < spec->task_count; task++) {
        sim->statistics[task].response_min = TAKT_NEVER;
        sim->demands[task] = (takt_sim_demand_t){spec->tasks[task].demand, spec->tasks[task].demand};
    }
    return true;
}

void takt_sim_destroy(takt_sim_t *sim) {
    takt_system_destroy(&sim->system);
    free(sim->statistics);
    free(sim->demands);
    sim->statistics = NULL;
    sim->demands = NULL;
}

static void close_segment(run_t *run) {
    const segment_t *segment = &run->segment;
    if (segment->end > segment->start) {
        run->sinks.segment(run->sinks.context, segment->start, segment->end, 0, segment->task, segment->job);
    }
}

static void extend_segment(run_t *run, uint32_t task, takt_instant_t start, takt_instant_t end) {
    segment_t *segment = &run->segment;
    const uint32_t job = run->sim->system.tasks[task].job.number;
    if (segment->end == start && segment->task == task && segment->job == job) {
        segment->end = end;
        return;
    }
    close_segment(run);
    *segment = (segment_t){start, end, task, job};
}

static uint32_t task_of(const takt_sim_t *sim, const takt_entity_t *entity) {
    return entity->id - 1u - sim->system.server_count;
}

static void count_preemption(run_t *run, const takt_entity_t *next) {
    if (run->unfinished != NULL && run->unfinished != next) {
        run->sim->statistics[task_of(run->sim, run->unfinished)].preemptions++;
        run->unfinished = NULL;
    }
}

/* `task` has received service in [start, end). */
static void serve(run_t *run, uint32_t task, takt_instant_t start, takt_instant_t end) {
    run->sim->demands[task].remaining -= end - start;
    if (run->sinks.segment != NULL) {
        extend_segment(run, task, start, end);
    }
}

static void count_finished_job(run_t *run, uint32_t task, takt_instant_t finish) {
    takt_sim_statistics_t *statistics = &run->sim->statistics[task];
    const takt_job_t *job = &run->sim->system.tasks[task].job;
    const takt_duration_t response = finish - job->release;
    const bool missed = finish > job->deadline;
    statistics->finished++;
    statistics->missed += missed;
    statistics->response_sum += response;
    statistics->response_min = response < statistics->response_min ? response : statistics->response_min;
    statistics->response_max = response > statistics->response_max ? response : statistics->response_max;
    if (run->sinks.job != NULL) {
        run->sinks.job(run->sinks.context, task, job->number, job->release, finish, missed);
    }
}

/* The running job has received its demand. */
static takt_event_t complete(run_t *run, takt_entity_t *entity, uint32_t task, takt_instant_t now) {
    takt_sim_demand_t *demand = &run->sim->demands[task];
    run->sim->statistics[task].busy += demand->demand;
    demand->remaining = demand->demand;
    run->unfinished = NULL;
    count_finished_job(run, task, now);
    return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, now};
}

static bool is_charged(const takt_entity_t *running, const takt_server_t *server) {
    const takt_server_t *home = running != NULL ? running->home : NULL;
    while (home != NULL && home != server) {
        home = home->entity.home;
    }
    return home != NULL;
}

static void report_budgets(const run_t *run, takt_instant_t now) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        const takt_duration_t budget = takt_server_budget(server, now);
        run->sinks.budget(run->sinks.context, now, i, budget, is_charged(system->cpu.running, server));
    }
}

/* Replenishments that wait in an inactive parent count from their nominal instant. */
static void report_waiting_replenishments(const run_t *run, takt_instant_t after, takt_instant_t before) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        const takt_instant_t instant = server->replenishment.instant;
        if (instant > after && instant < before) {
            run->sinks.budget(run->sinks.context, instant, i, takt_server_budget(server, instant), false);
        }
    }
}

/* Hands `event` over and lets the decision that knows it come. */
static takt_decision_t decide(run_t *run, const takt_event_t *event) {
    takt_decision_t decision = {.entity = NULL};
    run->sequence++;
    takt_direct_post(&run->backend, event, run->sequence);
    while (!takt_direct_take(&run->backend, run->sequence, &decision)) {
    }
    run->sim->decisions++;
    count_preemption(run, decision.entity);
    if (run->sinks.budget != NULL) {
        report_budgets(run, event->now);
    }
    return decision;
}

/* Lets `decision` be from `now` on, until its job completes, its time ends or `horizon` comes: the
 * next event. */
static takt_event_t advance(run_t *run, const takt_decision_t *decision, takt_instant_t now,
                            takt_instant_t horizon) {
    const takt_instant_t end = decision->until < horizon ? decision->until : horizon;
    if (decision->entity == NULL) {
        return (takt_event_t){TAKT_EVENT_TIME, NULL, end, end};
    }
    const uint32_t task = task_of(run->sim, decision->entity);
    const takt_duration_t remaining = run->sim->demands[task].remaining;
    run->unfinished = decision->entity;
    if (remaining > end - now) {
        serve(run, task, now, end);
        return (takt_event_t){TAKT_EVENT_TIME, NULL, end, end};
    }
    serve(run, task, now, now + remaining);
    return complete(run, decision->entity, task, now + remaining);
}

static void report_unfinished(run_t *run, uint32_t task, uint32_t job, takt_instant_t release, bool missed) {
    run->sim->statistics[task].missed += missed;
    if (run->sinks.job != NULL) {
        run->sinks.job(run->sinks.context, task, job, release, TAKT_NEVER, missed);
    }
}

/* Releases that core has not seen, because the task's server has been inactive since. */
static uint64_t unseen_releases(const takt_task_t *task, takt_instant_t horizon) {
    const takt_instant_t next = task->timer.instant;
    return next < horizon ? (horizon - next + task->period - 1u) / task->period : 0u;
}

static void finish_task(run_t *run, uint32_t index, takt_instant_t horizon) {
    const takt_task_t *task = &run->sim->system.tasks[index];
    const takt_sim_demand_t *demand = &run->sim->demands[index];
    const bool is_active = (task->entity->state & TAKT_STATE_ACTIVE) != 0;
    const takt_instant_t first = is_active ? task->job.release : task->timer.instant;
    const uint64_t unfinished =
        (is_active ? 1u + (uint64_t)task->waiting : 0u) + unseen_releases(task, horizon);
    run->sim->statistics[index].released = run->sim->statistics[index].finished + unfinished;
    run->sim->statistics[index].busy += demand->demand - demand->remaining;
    for (uint64_t i = 0; i < unfinished; i++) {
        const takt_instant_t release = first + i * task->period;
        const bool missed = release + task->relative_deadline <= horizon;
        report_unfinished(run, index, task->job.number + (uint32_t)i, release, missed);
    }
}

/* Steps 1 to 3 of the horizon itself. */
static void end(run_t *run, const takt_event_t *event, takt_instant_t horizon) {
    if (event->kind != TAKT_EVENT_TIME) {
        takt_dispatcher_post(run->backend.dispatcher, event);
    }
    if (run->sinks.segment != NULL) {
        close_segment(run);
    }
    for (uint32_t task = 0; task < run->sim->system.task_count; task++) {
        finish_task(run, task, horizon);
    }
}

void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace) {
    run_t run = {.sim = sim, .backend = {.dispatcher = &sim->system.dispatcher}};
    takt_event_t event = {TAKT_EVENT_TIME, NULL, 0, 0};
    if (sinks != NULL) {
        run.sinks = *sinks;
    }
    takt_dispatcher_record_to(run.backend.dispatcher, trace);
    while (event.now < horizon) {
        const takt_instant_t now = event.now;
        const takt_decision_t decision = decide(&run, &event);
        event = advance(&run, &decision, now, horizon);
        if (run.sinks.budget != NULL) {
            report_waiting_replenishments(&run, now, event.now);
        }
    }
    end(&run, &event, horizon);
}
