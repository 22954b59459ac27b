/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The side of scheduler.h. */
#include "remote/scheduler.h"

#include "core/peek.h"
#include "core/receive.h"
#include "system/fits.h"

#define TAKT_RECEIPT_CASE(constant, message) \
    case TAKT_RECEIPT_##constant:            \
        return message;

const char *takt_receipt_message(takt_receipt_t receipt) {
    switch (receipt) {
        TAKT_RECEIPTS(TAKT_RECEIPT_CASE)
    default:
        return "no receipt";
    }
}

static takt_dispatcher_t *dispatcher_of(const takt_scheduler_t *scheduler) {
    return scheduler->system->dispatcher;
}

static takt_entity_t *running_on(const takt_scheduler_t *scheduler) {
    return dispatcher_of(scheduler)->cpus->running;
}

void takt_scheduler_init(takt_scheduler_t *scheduler, takt_system_t *system, takt_message_t *deferred) {
    scheduler->system = system;
    scheduler->deferred = deferred;
    scheduler->deferred_count = 0;
    scheduler->received = 0;
    scheduler->next = TAKT_NEVER;
    scheduler->number = 0;
    scheduler->job = 0;
    scheduler->is_signalled = false;
    scheduler->last = TAKT_RECEIPT_RECEIVED;
}

/* ---- events ------------------------------------------------------------------------------------------- */

static bool has_no_room(const takt_event_t *event) {
    return event->kind == TAKT_EVENT_ARRIVAL && !takt_task_has_room(event->entity->task);
}

/* The value of `message`, received now: a suspension that should have ended already ends now. */
static uint64_t value_of(const takt_message_t *message, takt_instant_t now) {
    return message->kind == TAKT_EVENT_SUSPEND && message->value < now ? now : message->value;
}

/* Says what becomes of `message`, and completes `event`. */
static takt_receipt_t judge(takt_system_t *system, const takt_message_t *message, takt_event_t *event) {
    if (message->seen > event->now) {
        return TAKT_RECEIPT_AHEAD;
    }
    if (!takt_event_of_numbers(system, message->entity, event)) {
        return TAKT_RECEIPT_UNKNOWN;
    }
    if (takt_dispatcher_is_stale(event, message->job)) {
        return TAKT_RECEIPT_STALE;
    }
    if (!takt_fits(system, event)) {
        return TAKT_RECEIPT_UNFIT;
    }
    return has_no_room(event) ? TAKT_RECEIPT_FULL : TAKT_RECEIPT_RECEIVED;
}

/* Hands `message` to core, if it is one for core. */
static takt_receipt_t apply(takt_scheduler_t *scheduler, const takt_message_t *message, takt_instant_t now) {
    takt_event_t event = {message->kind, NULL, now, {value_of(message, now)}};
    const takt_receipt_t receipt = judge(scheduler->system, message, &event);
    if (receipt == TAKT_RECEIPT_RECEIVED || receipt == TAKT_RECEIPT_STALE) {
        takt_event_give_wait(scheduler->system, &event);
        (void)takt_dispatcher_receive(dispatcher_of(scheduler), &event, message->job, message->seen);
        scheduler->next = takt_dispatcher_next(dispatcher_of(scheduler));
    }
    scheduler->last = receipt;
    return receipt;
}

/* True if `message`, which was stale, is a lock of the current job: that waits for its next budget. */
static bool is_premature(takt_system_t *system, const takt_message_t *message) {
    const takt_task_t *task = takt_system_entity(system, message->entity)->task;
    return message->kind == TAKT_EVENT_LOCK && takt_task_is_active(task) && task->job.number == message->job;
}

takt_receipt_t takt_scheduler_receive(takt_scheduler_t *scheduler, const takt_message_t *message,
                                      takt_instant_t now) {
    const takt_receipt_t receipt = apply(scheduler, message, now);
    scheduler->received++;
    if (receipt == TAKT_RECEIPT_STALE && is_premature(scheduler->system, message)) {
        scheduler->deferred[scheduler->deferred_count++] = *message;
    }
    return receipt;
}

/* ---- decisions ---------------------------------------------------------------------------------------- */

static uint32_t change_of(const takt_scheduler_t *scheduler, const takt_task_t *task) {
    const takt_change_t *adopted = task->extension != NULL ? task->extension->adopted : NULL;
    return adopted != NULL ? (uint32_t)(adopted - scheduler->system->changes) : TAKT_NO_CHANGE;
}

static void write_job(const takt_scheduler_t *scheduler, const takt_task_t *task, takt_instant_t now,
                      takt_answer_t *answer) {
    answer->job = task->job.number;
    answer->release = task->job.release;
    answer->deadline = task->job.deadline;
    answer->is_missed = now > task->job.deadline;
    answer->waiting = task->waiting;
    answer->change = change_of(scheduler, task);
}

static void write_no_job(takt_answer_t *answer) {
    answer->job = 0;
    answer->release = 0;
    answer->deadline = 0;
    answer->is_missed = false;
    answer->waiting = 0;
    answer->change = TAKT_NO_CHANGE;
}

static void write_answer(const takt_scheduler_t *scheduler, const takt_entity_t *entity, takt_instant_t now,
                         takt_answer_t *answer) {
    answer->is_decision = true;
    answer->should_yield = dispatcher_of(scheduler)->cpus->should_yield != 0;
    answer->entity = entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY;
    answer->number = scheduler->number;
    answer->until = TAKT_NOT_TOLD;
    if (entity != NULL && entity->task != NULL) {
        write_job(scheduler, entity->task, now, answer);
    } else {
        write_no_job(answer);
    }
}

/* Applies the lock that was deferred until `entity` is selected; the decision that selects it is dropped. Returns
 * whether there was one. */
static bool apply_deferred(takt_scheduler_t *scheduler, const takt_entity_t *entity, takt_instant_t now) {
    const uint32_t number = entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY;
    uint32_t i = 0;
    while (i < scheduler->deferred_count && scheduler->deferred[i].entity != number) {
        i++;
    }
    if (i == scheduler->deferred_count) {
        return false;
    }
    const takt_message_t message = scheduler->deferred[i];
    scheduler->deferred[i] = scheduler->deferred[--scheduler->deferred_count];
    const takt_receipt_t receipt = apply(scheduler, &message, now);
    takt_dispatcher_drop(dispatcher_of(scheduler), now, true);
    return receipt <= TAKT_RECEIPT_STALE; /* a wrong one is in scheduler->last */
}

bool takt_scheduler_take(takt_scheduler_t *scheduler, takt_instant_t now, takt_answer_t *answer) {
    const takt_decision_t decision = takt_dispatcher_take(dispatcher_of(scheduler), now, 0);
    if (apply_deferred(scheduler, decision.entity, now)) {
        return false;
    }
    scheduler->next = decision.until;
    scheduler->job = takt_entity_job_number(decision.entity);
    scheduler->number++;
    scheduler->is_signalled = false;
    answer->sequence = scheduler->received;
    write_answer(scheduler, decision.entity, now, answer);
    return true;
}

void takt_scheduler_fetch(takt_scheduler_t *scheduler, const takt_fetch_t *fetch, takt_instant_t now,
                          takt_answer_t *answer) {
    takt_dispatcher_t *dispatcher = dispatcher_of(scheduler);
    if (fetch->has_dropped) {
        takt_dispatcher_drop(dispatcher, now, true);
    }
    if (fetch->sequence != scheduler->received) {
        takt_dispatcher_drop(dispatcher, now, false);
        answer->is_decision = false;
        answer->sequence = scheduler->received;
        return;
    }
    do {
        takt_dispatcher_settle(dispatcher, now);
    } while (!takt_scheduler_take(scheduler, now, answer));
}

/* ---- between fetches ---------------------------------------------------------------------------------- */

/* True if another entity, or another job of the same one, would be chosen. */
static bool is_outdated(const takt_scheduler_t *scheduler) {
    const takt_entity_t *running = running_on(scheduler);
    return takt_dispatcher_peek(dispatcher_of(scheduler)) != running ||
           takt_entity_job_number(running) != scheduler->job;
}

bool takt_scheduler_pass(takt_scheduler_t *scheduler, takt_instant_t now) {
    takt_dispatcher_t *dispatcher = dispatcher_of(scheduler);
    if (scheduler->next <= now) {
        takt_dispatcher_settle(dispatcher, now);
        scheduler->next = takt_dispatcher_next(dispatcher);
    }
    if (scheduler->number == 0 || scheduler->is_signalled || !is_outdated(scheduler)) {
        return false;
    }
    scheduler->is_signalled = true;
    takt_dispatcher_signal(dispatcher, now);
    return true;
}
