/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The domain of domain.h.
 *
 * Of what an image can have, core runs under Linux what it runs on boards:
 *
 *     policies, servers, protocols, thresholds, changes   by the same calls
 *     rate-based root, windows, deadline rules, shares    likewise: allocators in C are core's own, and act at events and
 *                                                         timers of the domain
 *     policies in Python                                  IMAGE: they are no part of a build
 *     several processors                                  RELATION: a remote scheduler has one; a machine has a domain for each
 *     delays, costs, architecture                         refused: they model what Linux has
 *     plain threads                                       THREADS: those of Linux are of the fair class, also the idle one */
#include "linux/domain.h"

#include "core/peek.h"
#include "core/urgency.h"
#include "linux/negotiation.h"
#include "system/fits.h"

#define TAKT_DOMAIN_CASE(constant, message) \
    case TAKT_DOMAIN_##constant:            \
        return message;

const char *takt_domain_message(takt_domain_status_t status) {
    switch (status) {
        TAKT_DOMAIN_STATUSES(TAKT_DOMAIN_CASE)
    default:
        return "no status of a domain";
    }
}

static takt_domain_t *domain_at(uint64_t address) { return (takt_domain_t *)(uintptr_t)address; }

static takt_instant_t advance(takt_domain_t *domain, takt_instant_t now) {
    if (now > domain->now) {
        domain->now = now;
    }
    return domain->now;
}

/* ---- the log ------------------------------------------------------------------------------------------ */

/* At the horizon itself a job may still complete, but none begins. */
static bool is_after_the_end(const takt_log_t *log, const takt_record_t *record) {
    return record->now > log->horizon ||
           (record->now == log->horizon && record->kind != TAKT_RECORD_COMPLETE);
}

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    takt_log_t *log = TAKT_CONTAINER_OF(trace, takt_log_t, trace);
    log->has_ended |= is_after_the_end(log, record);
    if (log->has_ended) {
        return;
    }
    if (log->written < log->limit) {
        log->records[log->written] = *record;
        log->written++;
        return;
    }
    if (log->lost == 0) {
        log->lost_at = record->now;
    }
    log->lost++;
}

uint64_t takt_domain_end(uint64_t domain, uint64_t now) {
    takt_domain_t *ended = domain_at(domain);
    takt_log_t *log = &ended->log;
    const takt_instant_t end = takt_least_of(advance(ended, now), log->horizon);
    log->records[log->written] =
        log->lost > 0 ? takt_trace_overflow(log->lost_at, log->written) : takt_trace_end(end, log->written);
    log->has_ended = true;
    return log->written + 1u;
}

/* ---- events ------------------------------------------------------------------------------------------- */

/* True if `message` is one that core has no memory for: each task can have one lock that waits for its budget. */
static bool is_beyond_memory(const takt_scheduler_t *scheduler, const takt_message_t *message) {
    return message->kind == TAKT_EVENT_LOCK && scheduler->deferred_count == scheduler->system->task_count;
}

/* True if `message` is about an instant that no timer has. */
static bool is_beyond_time(const takt_message_t *message) {
    return message->kind == TAKT_EVENT_SUSPEND && message->value > TAKT_TIME_MOST;
}

/* What a thread may request, as slot.h has it. */
enum {
    REQUESTS = 1 << TAKT_EVENT_COMPLETE | 1 << TAKT_EVENT_YIELD | 1 << TAKT_EVENT_POINT |
               1 << TAKT_EVENT_OPTIONAL_POINT | 1 << TAKT_EVENT_SUSPEND | 1 << TAKT_EVENT_ARRIVAL |
               1 << TAKT_EVENT_LOCK | 1 << TAKT_EVENT_UNLOCK | 1 << TAKT_EVENT_CHANGE,
};

static bool is_request(uint32_t kind) { return kind < 32 && ((uint32_t)REQUESTS >> kind & 1u) != 0; }

/* Judges what core cannot know. */
static takt_receipt_t judge_event(const takt_scheduler_t *scheduler, const takt_message_t *message,
                                  bool is_of_thread) {
    if (is_of_thread && !is_request(message->kind)) {
        return TAKT_RECEIPT_UNKNOWN;
    }
    return is_beyond_memory(scheduler, message) || is_beyond_time(message) ? TAKT_RECEIPT_UNFIT
                                                                           : TAKT_RECEIPT_RECEIVED;
}

/* Puts the number of a row in place of the demand of `message`, a CHANGE of a thread. Returns as takt_domain_fill_row. */
static takt_receipt_t open_request(takt_domain_t *domain, takt_message_t *message) {
    const takt_entity_t *entity = takt_system_entity(&domain->system, message->entity);
    if (entity == NULL || entity->task == NULL) {
        return TAKT_RECEIPT_UNKNOWN;
    }
    const takt_demand_t *demand = (const takt_demand_t *)(uintptr_t)message->value;
    return takt_domain_fill_row(domain, entity->task, demand, &message->value);
}

static bool is_admitted(takt_domain_t *domain, const takt_message_t *message) {
    const takt_entity_t *entity = takt_system_entity(&domain->system, message->entity);
    return takt_domain_is_admitted(domain, entity->task, message->value);
}

uint64_t takt_domain_post(uint64_t domain, uint64_t kind_and_entity, uint64_t job, uint64_t value,
                          uint64_t now) {
    takt_domain_t *posted = domain_at(domain);
    const bool is_of_thread = (kind_and_entity & TAKT_DOMAIN_OF_THREAD) != 0;
    takt_message_t message = {
        .seen = advance(posted, now),
        .value = value,
        .entity = (uint32_t)kind_and_entity,
        .job = (uint32_t)job,
        .kind = (takt_event_kind_t)((kind_and_entity & ~TAKT_DOMAIN_OF_THREAD) >> TAKT_DOMAIN_KIND_SHIFT),
    };
    const bool is_demand = is_of_thread && message.kind == TAKT_EVENT_CHANGE;
    takt_receipt_t receipt = judge_event(&posted->scheduler, &message, is_of_thread);
    if (is_demand && receipt == TAKT_RECEIPT_RECEIVED) {
        receipt = open_request(posted, &message);
    }
    if (receipt != TAKT_RECEIPT_RECEIVED) {
        return receipt;
    }
    receipt = takt_scheduler_receive(&posted->scheduler, &message, message.seen);
    return is_demand && receipt == TAKT_RECEIPT_RECEIVED && !is_admitted(posted, &message)
               ? TAKT_DOMAIN_REJECTED
               : receipt;
}

/* ---- inputs of the image ------------------------------------------------------------------------------ */

/* Returns the entity of task `index`. */
static const takt_entity_t *entity_of(const takt_domain_t *domain, uint32_t index) {
    return takt_system_entity_of(&domain->system, index);
}

static takt_message_t message_of_change(const takt_domain_t *domain, const takt_input_t *input) {
    const takt_change_spec_t *change = &domain->program.spec.changes[input->index];
    const takt_entity_t *entity = change->kind != TAKT_CHANGE_POLICY ? entity_of(domain, change->task) : NULL;
    const takt_event_kind_t kind = takt_event_of_change(entity, change->kind);
    return (takt_message_t){
        .seen = input->instant,
        .value = kind == TAKT_EVENT_CHANGE ? input->index : input->instant,
        .entity = entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY,
        .kind = kind,
    };
}

static takt_message_t message_of(const takt_domain_t *domain, const takt_input_t *input) {
    if (input->kind == TAKT_INPUT_CHANGE) {
        return message_of_change(domain, input);
    }
    return (takt_message_t){
        .seen = input->instant,
        .value = input->nominal,
        .entity = takt_entity_number(entity_of(domain, input->index)),
        .kind = TAKT_EVENT_ARRIVAL,
    };
}

takt_instant_t takt_domain_next_input(const takt_domain_t *domain) {
    return domain->next_input < domain->program.input_count
               ? domain->program.inputs[domain->next_input].instant
               : TAKT_NEVER;
}

static void hand_over_due(takt_domain_t *domain, takt_instant_t now) {
    while (takt_domain_next_input(domain) <= now) {
        const takt_message_t message = message_of(domain, &domain->program.inputs[domain->next_input]);
        const takt_receipt_t receipt = takt_scheduler_receive(&domain->scheduler, &message, now);
        domain->next_input++;
        if (receipt != TAKT_RECEIPT_RECEIVED) {
            domain->refused++;
            domain->refused_as = receipt;
        }
    }
}

/* ---- decisions ---------------------------------------------------------------------------------------- */

/* Returns the number of `entity` if it is a task, TAKT_NO_ENTITY for none and for a server that idles. */
static uint64_t number_of_task(const takt_entity_t *entity) {
    return entity != NULL && entity->task != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY;
}

/* Whether the last decision does not name `entity` and its current job. */
static bool is_outdated(const takt_domain_t *domain, const takt_entity_t *entity) {
    return domain->system.cpus->running != entity || takt_entity_job_number(entity) != domain->scheduler.job;
}

/* Raises no signal: the caller asks. */
uint64_t takt_domain_pass(uint64_t domain, uint64_t now) {
    takt_domain_t *passed = domain_at(domain);
    takt_scheduler_t *scheduler = &passed->scheduler;
    const takt_instant_t instant = advance(passed, now);
    hand_over_due(passed, instant);
    if (takt_scheduler_next(scheduler) <= instant) {
        takt_dispatcher_settle(passed->system.dispatcher, instant);
        scheduler->next = takt_dispatcher_next(passed->system.dispatcher);
    }
    return takt_domain_next(domain);
}

uint64_t takt_domain_selected(uint64_t domain) {
    takt_domain_t *peeked = domain_at(domain);
    const takt_entity_t *entity = takt_dispatcher_peek(peeked->system.dispatcher);
    peeked->is_outdated =
        is_outdated(peeked, entity) || peeked->scheduler.received != peeked->answer.sequence;
    return number_of_task(entity) | (peeked->is_outdated ? TAKT_DOMAIN_OUTDATED : 0u);
}

uint64_t takt_domain_peek(uint64_t domain, uint64_t now) {
    (void)takt_domain_pass(domain, now);
    return (uint32_t)takt_domain_selected(domain);
}

uint64_t takt_domain_take(uint64_t domain, uint64_t now) {
    takt_domain_t *taken = domain_at(domain);
    const takt_fetch_t fetch = {.sequence = taken->scheduler.received};
    takt_scheduler_fetch(&taken->scheduler, &fetch, advance(taken, now), &taken->answer);
    taken->is_outdated = false;
    return number_of_task(taken->system.cpus->running);
}

uint64_t takt_domain_settle(uint64_t domain, uint64_t now) {
    takt_domain_t *settled = domain_at(domain);
    const takt_instant_t instant = advance(settled, now);
    if (takt_scheduler_next(&settled->scheduler) <= instant || settled->system.cpus->running != NULL) {
        takt_dispatcher_settle(settled->system.dispatcher, instant);
    }
    return 0;
}

uint64_t takt_domain_commit(uint64_t domain, uint64_t now) {
    takt_domain_t *taken = domain_at(domain);
    const bool is_taken = takt_scheduler_take(&taken->scheduler, advance(taken, now), &taken->answer);
    taken->is_outdated = !is_taken;
    return is_taken;
}

uint64_t takt_domain_next(uint64_t domain) {
    const takt_domain_t *asked = domain_at(domain);
    return takt_least_of(takt_scheduler_next(&asked->scheduler), takt_domain_next_input(asked));
}

/* ---- questions ---------------------------------------------------------------------------------------- */

/* Returns the entity with `number` if it is a task, NULL else. */
static takt_entity_t *task_at(uint64_t domain, uint64_t number) {
    takt_entity_t *entity = takt_system_entity(&domain_at(domain)->system, (uint32_t)number);
    return entity != NULL && entity->task != NULL && number == takt_entity_number(entity) ? entity : NULL;
}

static bool is_blocked(const takt_domain_t *domain, takt_entity_t *entity) {
    const takt_event_t wake = {TAKT_EVENT_WAKE, entity, domain->now, {domain->now}};
    return takt_fits(&domain->system, &wake);
}

static bool is_non_preemptive(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 &&
           entity->task->preemption_key == TAKT_KEY_MOST_URGENT;
}

uint64_t takt_domain_state_of(const takt_domain_t *asked, takt_entity_t *found) {
    const bool has_job = takt_task_is_active(found->task), is_ready = takt_entity_is_ready(found);
    const bool is_running = has_job && is_ready && !is_outdated(asked, found);
    const bool has_points = is_non_preemptive(found);
    return (has_job ? TAKT_DOMAIN_HAS_JOB : 0u) | (is_ready ? TAKT_DOMAIN_READY : 0u) |
           (has_job && !is_ready && is_blocked(asked, found) ? TAKT_DOMAIN_BLOCKED : 0u) |
           (is_running ? TAKT_DOMAIN_RUNS : 0u) |
           (is_running && has_points && takt_urgency_is_exceeded(found) != 0 ? TAKT_DOMAIN_YIELDS : 0u) |
           (takt_task_is_periodic(found->task) ? TAKT_DOMAIN_PERIODIC : 0u) |
           (has_points ? TAKT_DOMAIN_HAS_POINTS : 0u);
}

uint64_t takt_domain_state(uint64_t domain, uint64_t entity) {
    takt_entity_t *found = task_at(domain, entity);
    return found != NULL ? takt_domain_state_of(domain_at(domain), found) : 0;
}

takt_instant_t takt_domain_entry_before(const takt_domain_t *domain, const takt_entity_t *entity,
                                        takt_instant_t release) {
    const takt_program_t *program = &domain->program;
    for (uint32_t i = domain->next_input; i < program->input_count && program->inputs[i].instant < release;
         i++) {
        const takt_input_t *input = &program->inputs[i];
        if (input->kind == TAKT_INPUT_CHANGE &&
            program->spec.changes[input->index].kind == TAKT_CHANGE_ENTER &&
            entity_of(domain, program->spec.changes[input->index].task) == entity) {
            return input->instant;
        }
    }
    return release;
}

/* The allocator's own task, on top, has a timer of its budget; its jobs are the calls of other tasks. */
takt_instant_t takt_domain_next_release_of(const takt_domain_t *domain, const takt_entity_t *found) {
    const bool is_released =
        found->task != domain->system.calls.task && takt_timer_is_armed(&found->task->timer);
    return is_released ? takt_domain_entry_before(domain, found, found->task->timer.instant) : TAKT_NEVER;
}

uint64_t takt_domain_next_release(uint64_t domain, uint64_t entity) {
    const takt_entity_t *found = task_at(domain, entity);
    return found != NULL ? takt_domain_next_release_of(domain_at(domain), found) : TAKT_NEVER;
}

/* ---- building ----------------------------------------------------------------------------------------- */

/* Memory that is given out from the front. */
typedef struct area {
    char *next;
    uint64_t left; /* bytes */
    uint64_t used; /* also of what had no room */
} area_t;

/* Returns `bytes` bytes, aligned to 16; NULL if that is too much. */
static void *take_memory(area_t *area, uint64_t bytes) {
    char *memory = area->next;
    const uint64_t rounded = (bytes + 15u) & ~UINT64_C(15);
    area->used += rounded;
    if (rounded > area->left) {
        area->left = 0;
        return NULL;
    }
    area->left -= rounded;
    area->next += rounded;
    return memory;
}

/* What the program has that Linux cannot do. */
static takt_domain_status_t judge_program(const takt_program_t *program) {
    if (!program->is_remote) {
        return TAKT_DOMAIN_NOT_REMOTE;
    }
    if (program->delays != NULL) {
        return TAKT_DOMAIN_DELAYS;
    }
    if (program->costs != NULL) {
        return TAKT_DOMAIN_COSTS;
    }
    if (program->architecture != NULL) {
        return TAKT_DOMAIN_ARCHITECTURE;
    }
    return program->spec.thread_count > 0 ? TAKT_DOMAIN_THREADS : TAKT_DOMAIN_OK;
}

static takt_domain_status_t refuse_image(takt_domain_order_t *order, const takt_image_t *image,
                                         takt_image_status_t status) {
    order->image = status;
    order->place = image->place;
    return TAKT_DOMAIN_IMAGE;
}

/* Writes the memory for a domain to `domain`, and reads its program. */
static takt_domain_status_t read_image(takt_domain_order_t *order, takt_domain_t **domain, area_t *area) {
    takt_image_t image; /* not cleared, as that calls memset */
    uint64_t bytes;
    image.words = order->words;
    image.count = order->count;
    image.policies = NULL;
    image.policy_count = 0;
    image.place = (takt_place_t){TAKT_TABLE_COUNT, 0, 0};
    takt_image_status_t status = takt_image_size(&image, &bytes);
    if (status != TAKT_IMAGE_OK) {
        return refuse_image(order, &image, status);
    }
    *domain = take_memory(area, sizeof **domain);
    void *memory = take_memory(area, bytes);
    if (*domain == NULL || memory == NULL) {
        return TAKT_DOMAIN_MEMORY;
    }
    status = takt_image_read(&image, &(*domain)->program, memory);
    if (status != TAKT_IMAGE_OK) {
        return refuse_image(order, &image, status);
    }
    order->relation = takt_check(&(*domain)->program, &order->place);
    return order->relation != TAKT_RELATIONS ? TAKT_DOMAIN_RELATION : judge_program(&(*domain)->program);
}

static void open_log(takt_domain_t *domain, takt_record_t *records, uint64_t count) {
    domain->log.records = records;
    domain->log.limit = count - 1u;
    domain->log.horizon = domain->program.horizon;
    domain->log.trace.record = keep;
    domain->log.trace.is_remote = true;
    takt_dispatcher_record_to(domain->system.dispatcher, &domain->log.trace);
}

static takt_domain_status_t build_system(takt_domain_t *domain, uint64_t records, area_t *area) {
    takt_system_t *system = &domain->system;
    const takt_system_spec_t *spec = &domain->program.spec;
    void *memory = take_memory(area, takt_system_size(system, spec));
    takt_message_t *deferred = take_memory(area, (spec->task_count + UINT64_C(1)) * sizeof *deferred);
    takt_record_t *log = take_memory(area, records * sizeof *log);
    if (memory == NULL || deferred == NULL || log == NULL) {
        return TAKT_DOMAIN_MEMORY;
    }
    takt_system_build(system, spec, memory);
    system->is_remote = true;
    open_log(domain, log, records);
    takt_scheduler_init(&domain->scheduler, system, deferred);
    domain->scheduler.next = takt_dispatcher_next(system->dispatcher);
    takt_domain_find_rows(domain);
    return TAKT_DOMAIN_OK;
}

static takt_domain_status_t build(area_t *area, takt_domain_order_t *order) {
    if (order->records == 0 || order->records > UINT32_MAX) {
        return TAKT_DOMAIN_RECORDS;
    }
    takt_domain_t *domain = NULL;
    const takt_domain_status_t status = read_image(order, &domain, area);
    return status != TAKT_DOMAIN_OK ? status : build_system(domain, order->records, area);
}

uint64_t takt_domain_build(uint64_t memory, uint64_t bytes, uint64_t order) {
    takt_domain_order_t *given = (takt_domain_order_t *)(uintptr_t)order;
    area_t area = {(char *)(uintptr_t)memory, bytes, 0};
    const takt_domain_status_t status = build(&area, given);
    given->bytes = area.used;
    return status;
}
