/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Edges, joins and limits of links.h. */
#include "sim/links.h"

#include "core/backend.h"
#include "core/source_after.h"
#include "sim/linked.h"
#include "sim/report.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4, DELAYS = TAKT_STREAM_JITTER + 1 };

/* No instant of a simulation is later. */
#define LAST_INSTANT (UINT64_C(1) << 62)

/* ---- rows in order --------------------------------------------------------------------------------------- */

/* Makes room for one more row; false if memory is short. */
static bool make_room(takt_rows_t *rows, size_t width) {
    if (rows->first + rows->count < rows->room) {
        return true;
    }
    if (rows->count > rows->room / 2u || rows->room == 0) {
        const uint64_t room = rows->room > 0 ? 2u * rows->room : (uint64_t)FIRST_ROOM;
        char *grown = realloc(rows->bytes, room * width);
        if (grown == NULL) {
            return false;
        }
        rows->bytes = grown;
        rows->room = room;
    }
    memmove(rows->bytes, rows->bytes + rows->first * width, rows->count * width);
    rows->first = 0;
    return true;
}

static void remove_row(takt_rows_t *rows, size_t width, uint64_t place) {
    char *at = rows->bytes + (rows->first + place) * width;
    if (place == 0) {
        rows->first++;
    } else {
        memmove(at, at + width, (rows->count - place - 1u) * width);
    }
    rows->count--;
}

static takt_linked_job_t *job_at(const takt_target_t *target, uint64_t place) {
    return (takt_linked_job_t *)(void *)target->jobs.bytes + target->jobs.first + place;
}

static takt_linked_event_t *event_at(const takt_edge_t *edge, uint64_t place) {
    return (takt_linked_event_t *)(void *)edge->events.bytes + edge->events.first + place;
}

/* ---- jobs of a target -------------------------------------------------------------------------------------- */

static takt_sim_t *sim_of(const takt_links_t *links, const takt_target_t *target) {
    return links->sims[target->spec->part];
}

/* True if a job of `target` has an event of `edge`. */
static bool has_event_of(const takt_target_t *target, const takt_linked_job_t *job, const takt_edge_t *edge) {
    return !target->spec->joins_any || &target->edges[job->edge] == edge;
}

static void remove_job(takt_target_t *target, uint64_t place) {
    const takt_linked_job_t *job = job_at(target, place);
    for (uint32_t i = 0; i < target->spec->edge_count; i++) {
        target->edges[i].jobs -= has_event_of(target, job, &target->edges[i]);
    }
    target->posted -= place < target->posted;
    remove_row(&target->jobs, sizeof(takt_linked_job_t), place);
}

/* Returns the relative deadline of a job of `task` that is released at `instant`. */
static takt_duration_t relative_deadline(const takt_sim_t *sim, uint32_t task, takt_instant_t instant) {
    takt_duration_t deadline = sim->specs[task].relative_deadline;
    for (uint32_t i = 0; i < sim->system.change_count && sim->changes[i].instant <= instant; i++) {
        const takt_change_spec_t *change = &sim->changes[i];
        if (change->kind == TAKT_CHANGE_PARAMETERS && change->task == task) {
            deadline = change->relative_deadline;
        }
    }
    return deadline;
}

static takt_instant_t deadline_of(const takt_sim_t *sim, const takt_target_t *target,
                                  const takt_linked_job_t *job) {
    const takt_instant_t base = target->spec->counts_from_origin ? job->origin : job->arrival;
    return base + relative_deadline(sim, target->spec->task, job->release);
}

/* Core aborts jobs at their deadlines; in a server without budget it does so later, but with the same result. */
static void forget_aborted(const takt_sim_t *sim, takt_target_t *target, takt_instant_t now) {
    if ((sim->specs[target->spec->task].on_miss & TAKT_ON_MISS_ABORT) == 0) {
        return;
    }
    while (target->jobs.count > 0 && job_at(target, 0)->release < now && job_at(target, 0)->deadline <= now) {
        remove_job(target, 0);
    }
}

/* ---- arrivals ------------------------------------------------------------------------------------------------ */

/* Wakes the target at `instant` at the latest. */
static void wake_at(const takt_links_t *links, takt_target_t *target, takt_instant_t instant) {
    takt_timers_t *timers = &sim_of(links, target)->arrivals;
    takt_timer_t *timer = &target->source->timer;
    if (instant >= LAST_INSTANT || (takt_timer_is_armed(timer) && timer->instant <= instant)) {
        return;
    }
    takt_timers_remove(timers, timer);
    takt_timers_insert(timers, timer, instant);
}

/* Wakes the target for its next event, and for its next job that waits for its release. */
static void wake_for_next(const takt_links_t *links, takt_target_t *target) {
    for (uint32_t i = 0; i < target->spec->edge_count; i++) {
        const takt_edge_t *edge = &target->edges[i];
        if (edge->delivered < edge->events.count) {
            wake_at(links, target, event_at(edge, edge->delivered)->delivery);
        }
    }
    if (target->posted < target->jobs.count) {
        wake_at(links, target, job_at(target, target->posted)->release);
    }
}

/* Passes a job to core, which releases it in the order of this instant. */
static bool post(takt_sim_t *sim, takt_target_t *target, takt_linked_job_t *job, takt_instant_t now) {
    const uint32_t index = target->spec->task;
    takt_dispatcher_t *dispatcher = sim->system.dispatcher;
    takt_task_t *task = &sim->system.tasks[index];
    if (!takt_system_reserve(&sim->system, index)) {
        return false;
    }
    const takt_event_t event = {TAKT_EVENT_ARRIVAL, task->entity, now, {job->arrival}};
    takt_backend_post(dispatcher, &event);
    if (task->extension->rule != NULL) {
        job->deadline = takt_task_arrival(task->extension, task->extension->count - 1u)->deadline;
        return true;
    }
    if (target->spec->counts_from_origin) {
        takt_after_set_origin(dispatcher, task, now, job->origin);
    }
    if (job->number > target->next_of_core) {
        takt_after_pass(dispatcher, task, now, job->number - target->next_of_core);
    }
    return true;
}

/* Passes the jobs that are released by `now` to core. One that core skips has gone at once. */
static bool post_released(takt_sim_t *sim, takt_target_t *target, takt_instant_t now) {
    const bool skips = (sim->specs[target->spec->task].on_miss & TAKT_ON_MISS_SKIP) != 0;
    while (target->posted < target->jobs.count && job_at(target, target->posted)->release <= now) {
        takt_linked_job_t *job = job_at(target, target->posted);
        if (!post(sim, target, job, now)) {
            return false;
        }
        target->next_of_core = job->number + 1u;
        if (skips && target->posted > 0) {
            remove_job(target, target->posted);
        } else {
            target->posted++;
        }
    }
    return true;
}

/* ---- events that are delivered ---------------------------------------------------------------------------------- */

static takt_instant_t release_of(const takt_sim_t *sim, const takt_target_t *target, takt_instant_t arrival) {
    const takt_duration_t jitter = target->spec->jitter;
    if (jitter == 0) {
        return arrival;
    }
    const takt_stream_t stream = {.kind = TAKT_STREAM_UNIFORM, .b = (double)jitter, .most = jitter};
    const takt_stream_key_t key = {sim->options.seed, target->spec->task, TAKT_STREAM_JITTER};
    return takt_later_of(arrival + takt_stream_at(&stream, key, target->made), target->last_release);
}

/* Takes the oldest event of `edge`. Returns its origin. */
static takt_instant_t take_event(takt_edge_t *edge) {
    const takt_instant_t origin = event_at(edge, 0)->origin;
    remove_row(&edge->events, sizeof(takt_linked_event_t), 0);
    edge->delivered--;
    edge->jobs++;
    return origin;
}

/* True if a job can be made: of some edge, whose number is written to `edge`, or of all. */
static bool can_make(const takt_target_t *target, uint32_t *edge) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < target->spec->edge_count; i++) {
        if (target->edges[i].delivered > 0) {
            *edge = i;
            waiting++;
        }
    }
    return target->spec->joins_any ? waiting > 0 : waiting == target->spec->edge_count;
}

/* Makes jobs of the events that wait. False if memory is short. */
static bool make_jobs(const takt_sim_t *sim, takt_target_t *target, takt_instant_t now) {
    uint32_t edge = 0;
    while (can_make(target, &edge)) {
        if (!make_room(&target->jobs, sizeof(takt_linked_job_t))) {
            return false;
        }
        takt_instant_t origin = TAKT_NEVER;
        for (uint32_t i = 0; i < target->spec->edge_count; i++) {
            if (!target->spec->joins_any || i == edge) {
                origin = takt_least_of(origin, take_event(&target->edges[i]));
            }
        }
        takt_linked_job_t *job = job_at(target, target->jobs.count++);
        *job = (takt_linked_job_t){.number = target->made, .edge = edge, .origin = origin};
        job->arrival = takt_later_of(takt_later_of(now, origin + target->spec->offset), target->last_arrival);
        job->release = release_of(sim, target, job->arrival);
        job->deadline = deadline_of(sim, target, job);
        target->made++;
        target->last_arrival = job->arrival;
        target->last_release = job->release;
    }
    return true;
}

/* True if an event of `edge` that is delivered now makes a job at once, and the task is idle. */
static bool starts_job(const takt_target_t *target, const takt_edge_t *edge) {
    bool is_complete = true;
    for (uint32_t i = 0; i < target->spec->edge_count && !target->spec->joins_any; i++) {
        is_complete &= &target->edges[i] == edge || target->edges[i].delivered > 0;
    }
    return target->jobs.count == 0 && is_complete;
}

/* Returns how many events of `edge` wait: themselves, or as jobs behind the first one of the task. */
static uint64_t waiting_on(const takt_target_t *target, const takt_edge_t *edge) {
    const bool is_first = target->jobs.count > 0 && has_event_of(target, job_at(target, 0), edge);
    return edge->delivered + edge->jobs - is_first;
}

/* Drops the job at `place`, which waits; it has missed. */
static void drop_job(takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_target_t *target, uint64_t place,
                     takt_instant_t now) {
    takt_task_t *task = &sim->system.tasks[target->spec->task];
    const takt_linked_job_t job = *job_at(target, place);
    for (uint32_t i = 0; i < target->spec->edge_count; i++) {
        target->edges[i].lost += has_event_of(target, &job, &target->edges[i]);
    }
    if (place >= target->posted) {
        takt_sim_report_dropped(sim, sinks, target->spec->task, job.number, job.arrival, job.deadline);
    } else {
        const uint32_t at = task->extension->count - (uint32_t)(target->posted - place);
        if (at + 1u == task->extension->count) {
            target->next_of_core = job.number - (uint32_t)takt_task_arrival(task->extension, at)->tag;
        }
        takt_after_drop(sim->system.dispatcher, task, now, at);
    }
    remove_job(target, place);
}

/* Makes room for one more event of `edge`: the oldest job that waits with one goes, else the oldest event. */
static void replace(takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_target_t *target, takt_edge_t *edge,
                    takt_instant_t now) {
    for (uint64_t i = 1; i < target->jobs.count; i++) {
        if (has_event_of(target, job_at(target, i), edge)) {
            drop_job(sim, sinks, target, i, now);
            return;
        }
    }
    remove_row(&edge->events, sizeof(takt_linked_event_t), 0);
    edge->delivered--;
    edge->lost++;
}

/* Loses the event of `edge` that has just been delivered. */
static void lose(takt_edge_t *edge) {
    remove_row(&edge->events, sizeof(takt_linked_event_t), edge->delivered);
    edge->lost++;
}

/* The first event of `edge` that is on its way is delivered. False if memory is short. */
static bool deliver(takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_target_t *target, takt_edge_t *edge,
                    takt_instant_t now) {
    const bool is_full = waiting_on(target, edge) >= edge->spec->limit && !starts_job(target, edge);
    if (target->is_absent || (is_full && (!edge->spec->replaces || edge->spec->limit == 0))) {
        lose(edge);
        return true;
    }
    if (is_full) {
        replace(sim, sinks, target, edge, now);
    }
    edge->delivered++;
    return make_jobs(sim, target, now);
}

bool takt_links_deliver(takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_sim_source_t *source,
                        takt_instant_t now) {
    takt_links_t *links = sim->links;
    takt_target_t *target = links->senders[sim->part][source->task].target;
    bool is_done = true;
    forget_aborted(sim, target, now);
    for (uint32_t i = 0; i < target->spec->edge_count; i++) {
        takt_edge_t *edge = &target->edges[i];
        while (is_done && edge->delivered < edge->events.count &&
               event_at(edge, edge->delivered)->delivery <= now) {
            is_done = deliver(sim, sinks, target, edge, now);
        }
    }
    is_done = is_done && post_released(sim, target, now);
    wake_for_next(links, target);
    return is_done;
}

/* ---- events that are sent ------------------------------------------------------------------------------------- */

/* A job with this origin sends an event on `edge`. */
static void send(takt_links_t *links, takt_edge_t *edge, takt_instant_t origin, takt_instant_t now) {
    const takt_edge_spec_t *spec = edge->spec;
    takt_target_t *target = edge->target;
    edge->sent++;
    if (edge->sent < spec->first || (edge->sent - spec->first) % spec->every != 0) {
        return;
    }
    if (!make_room(&edge->events, sizeof(takt_linked_event_t))) {
        links->is_short_of_memory = true;
        return;
    }
    const uint64_t number = (edge->sent - spec->first) / spec->every;
    const uint32_t use = DELAYS + (uint32_t)(edge - target->edges);
    const takt_stream_key_t key = {sim_of(links, target)->options.seed, target->spec->task,
                                   (takt_stream_use_t)use};
    const takt_duration_t delay = spec->delay != NULL ? takt_stream_at(spec->delay, key, number) : 0;
    edge->last_delivery = takt_later_of(now + delay, edge->last_delivery);
    *event_at(edge, edge->events.count++) = (takt_linked_event_t){edge->last_delivery, origin};
    wake_at(links, target, edge->last_delivery);
}

/* Returns the origin of the current job of `task`. */
static takt_instant_t origin_of(const takt_sim_t *sim, const takt_sender_t *sender, uint32_t task) {
    const takt_job_t *job = &sim->system.tasks[task].job;
    const takt_target_t *target = sender->target;
    for (uint64_t i = 0; target != NULL && i < target->jobs.count; i++) {
        if (job_at(target, i)->number == job->number) {
            return job_at(target, i)->origin;
        }
    }
    return job->release;
}

static void send_all(takt_links_t *links, const takt_sender_t *sender, uint32_t item, takt_instant_t origin,
                     takt_instant_t now) {
    for (uint32_t i = 0; i < sender->edge_count; i++) {
        if (sender->edges[i]->spec->item == item) {
            send(links, sender->edges[i], origin, now);
        }
    }
}

/* Sends the events of the items of the body from the first unsent one to `end`. */
static void send_items(const takt_sim_t *sim, uint32_t task, uint32_t end, takt_instant_t now) {
    takt_sender_t *sender = &sim->links->senders[sim->part][task];
    const uint32_t job = sim->system.tasks[task].job.number;
    if (sender->job != job) {
        sender->job = job;
        sender->unsent = 0;
    }
    const takt_instant_t origin = origin_of(sim, sender, task);
    for (; sender->unsent < end; sender->unsent++) {
        const takt_item_t *item = &sim->specs[task].body[sender->unsent];
        if (item->kind == TAKT_ITEM_RELEASE) {
            send_all(sim->links, sender, (uint32_t)item->ticks, origin, now);
        }
    }
}

void takt_links_reach(const takt_sim_t *sim, uint32_t task, uint32_t item, takt_instant_t now) {
    const takt_task_spec_t *spec = &sim->specs[task];
    uint32_t end = item;
    while (end < spec->body_count && spec->body[end].kind != TAKT_ITEM_RUN &&
           spec->body[end].kind != TAKT_ITEM_SUSPEND) {
        end++;
    }
    send_items(sim, task, end, now);
}

void takt_links_complete(const takt_sim_t *sim, uint32_t task, takt_instant_t now) {
    takt_sender_t *sender = &sim->links->senders[sim->part][task];
    takt_target_t *target = sender->target;
    send_items(sim, task, sim->specs[task].body_count, now);
    send_all(sim->links, sender, TAKT_LINK_AT_END, origin_of(sim, sender, task), now);
    sender->job = UINT32_MAX;
    while (target != NULL && target->jobs.count > 0 &&
           job_at(target, 0)->number <= sim->system.tasks[task].job.number) {
        remove_job(target, 0);
    }
}

bool takt_links_has(const takt_sim_t *sim, const takt_sim_source_t *source) {
    return sim->links != NULL && sim->links->senders[sim->part][source->task].target != NULL;
}

void takt_links_change(const takt_sim_t *sim, uint32_t index) {
    const takt_change_spec_t *change = &sim->changes[index];
    takt_target_t *target = sim->links->senders[sim->part][change->task].target;
    if (target == NULL || change->kind == TAKT_CHANGE_PARAMETERS) {
        return;
    }
    target->is_absent = change->kind == TAKT_CHANGE_LEAVE;
    while (target->is_absent && target->jobs.count > target->posted) {
        target->made = job_at(target, target->jobs.count - 1u)->number;
        remove_job(target, target->jobs.count - 1u);
    }
    wake_for_next(sim->links, target);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint32_t edges_of(const takt_target_spec_t *targets, uint32_t count) {
    uint32_t edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        edges += targets[i].edge_count;
    }
    return edges;
}

static bool make_senders(takt_links_t *links) {
    for (uint32_t part = 0; part < links->sim_count; part++) {
        const uint32_t tasks = links->sims[part]->system.task_count;
        links->senders[part] = calloc(tasks > 0 ? tasks : 1u, sizeof(takt_sender_t));
        if (links->senders[part] == NULL) {
            return false;
        }
        for (uint32_t task = 0; task < tasks; task++) {
            links->senders[part][task].job = UINT32_MAX;
        }
    }
    return true;
}

static takt_sender_t *sender_of(const takt_links_t *links, const takt_edge_t *edge) {
    return &links->senders[edge->spec->source_part][edge->spec->source];
}

/* Lists the edges of each sender. */
static void list_edges(takt_links_t *links) {
    takt_edge_t **list = links->outgoing;
    for (uint32_t i = 0; i < links->edge_count; i++) {
        sender_of(links, &links->edges[i])->edge_count++;
    }
    for (uint32_t i = 0; i < links->edge_count; i++) {
        takt_sender_t *sender = sender_of(links, &links->edges[i]);
        if (sender->edges == NULL) {
            sender->edges = list;
            list += sender->edge_count;
            sender->edge_count = 0;
        }
        sender->edges[sender->edge_count++] = &links->edges[i];
    }
}

/* Puts the initial events of `edge` on their way; false if memory is short. */
static bool put_initial(takt_links_t *links, takt_edge_t *edge) {
    for (uint64_t i = 0; i < edge->spec->initial; i++) {
        if (!make_room(&edge->events, sizeof(takt_linked_event_t))) {
            return false;
        }
        *event_at(edge, edge->events.count++) = (takt_linked_event_t){0, 0};
        wake_at(links, edge->target, 0);
    }
    return true;
}

static bool make_target(takt_links_t *links, takt_target_t *target, const takt_target_spec_t *spec,
                        takt_edge_t *edges) {
    takt_sim_t *sim = links->sims[spec->part];
    bool is_made = true;
    target->spec = spec;
    target->edges = edges;
    target->source = takt_sim_arrivals_source(sim, spec->task);
    target->is_absent = sim->specs[spec->task].is_absent;
    links->senders[spec->part][spec->task].target = target;
    for (uint32_t i = 0; i < spec->edge_count; i++) {
        edges[i].spec = &spec->edges[i];
        edges[i].target = target;
        is_made = is_made && put_initial(links, &edges[i]);
    }
    return is_made;
}

takt_links_t *takt_links_create(takt_sim_t *const *sims, uint32_t count, const takt_target_spec_t *targets,
                                uint32_t target_count) {
    takt_links_t *links = calloc(1, sizeof *links);
    if (links == NULL) {
        return NULL;
    }
    const uint32_t edge_count = edges_of(targets, target_count);
    *links = (takt_links_t){.sims = sims,
                            .sim_count = count,
                            .senders = calloc(count, sizeof *links->senders),
                            .targets = calloc(target_count, sizeof *links->targets),
                            .edges = calloc(edge_count, sizeof *links->edges),
                            .outgoing = calloc(edge_count, sizeof(takt_edge_t *)),
                            .target_count = target_count,
                            .edge_count = edge_count};
    bool is_made = links->senders != NULL && links->targets != NULL && links->edges != NULL &&
                   links->outgoing != NULL && make_senders(links);
    takt_edge_t *edges = links->edges;
    for (uint32_t i = 0; is_made && i < target_count; i++) {
        is_made = make_target(links, &links->targets[i], &targets[i], edges);
        edges += targets[i].edge_count;
    }
    if (!is_made) {
        takt_links_destroy(links);
        return NULL;
    }
    list_edges(links);
    for (uint32_t part = 0; part < count; part++) {
        sims[part]->links = links;
        sims[part]->part = part;
    }
    return links;
}

void takt_links_destroy(takt_links_t *links) {
    for (uint32_t part = 0; links->senders != NULL && part < links->sim_count; part++) {
        free(links->senders[part]);
        links->sims[part]->links = NULL;
    }
    for (uint32_t i = 0; links->targets != NULL && i < links->target_count; i++) {
        free(links->targets[i].jobs.bytes);
    }
    for (uint32_t i = 0; links->edges != NULL && i < links->edge_count; i++) {
        free(links->edges[i].events.bytes);
    }
    free(links->senders);
    free(links->targets);
    free(links->edges);
    free(links->outgoing);
    free(links);
}

uint64_t takt_links_lost(const takt_links_t *links, uint32_t target, uint32_t edge) {
    return links->targets[target].edges[edge].lost;
}
