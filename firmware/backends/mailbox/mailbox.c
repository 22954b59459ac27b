/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Both ends of the mailbox; see takt_backend.h.
 *
 * The scheduler is a thread that executes only while the processor's waits for it (second_thread.h): virtual time has one
 * owner. It acts at the arrivals of its letters, and when something is due. At an instant it acts last: after the
 * events of jobs and what comes from outside, as on one processor. */
#include <takt_backend.h>

#include "firmware/backends/mailbox/second_thread.h"
#include "firmware/backends/mailbox/letters.h"
#include "firmware/scheduler.h"
#include "kernel/kernel.h"
#include "port/posix/posix.h"
#include "remote/application.h"
#include "remote/scheduler.h"

enum { SIGNAL_INTERRUPT = TAKT_POSIX_INTERRUPTS - 1 };

/* The application side. */
static takt_application_t application;
static takt_answer_t answer; /* the last one */
static uint32_t fetched;     /* number of the last decision */
static uint32_t signalled;   /* number of the last signal that has arrived */
static bool is_asked;        /* a fetch is under way */
static bool is_answered;     /* its answer has arrived, and is not handled */
static bool has_dropped;     /* the last decision was not carried out */
static bool is_early;        /* the last fetch named letters that were under way */

/* The scheduler side. */
static takt_system_t system;
static takt_dispatcher_t system_dispatcher;
static takt_scheduler_t scheduler;

/* Before the start the two sides are set up together: nothing is delayed, and nothing overtakes. */
static void send(takt_sender_t sender, const takt_letter_t *letter) {
    if (!takt_letters_send(sender, takt_port_now(), letter, takt_kernel_running() == NULL)) {
        takt_firmware_refuse("the mailbox is full; delays are too long for so many events", "");
    }
}

/* ---- the scheduler side ------------------------------------------------------------------------------- */

static void require_received(takt_receipt_t receipt) {
    if (receipt != TAKT_RECEIPT_RECEIVED && receipt != TAKT_RECEIPT_STALE) {
        takt_firmware_refuse("the scheduler side refuses ", takt_receipt_message(receipt));
    }
}

static void reply(const takt_fetch_t *fetch, takt_instant_t now) {
    takt_letter_t letter = {.kind = TAKT_LETTER_ANSWER};
    takt_scheduler_fetch(&scheduler, fetch, now, &letter.answer);
    send(TAKT_SENDER_ANSWERS, &letter);
}

static void open_letter(const takt_letter_t *letter, takt_instant_t now) {
    if (letter->kind == TAKT_LETTER_EVENT) {
        require_received(takt_scheduler_receive(&scheduler, &letter->message, now));
    } else {
        reply(&letter->fetch, now);
        require_received(scheduler.last);
    }
}

static void receive_arrived(void) {
    const takt_instant_t now = takt_port_now();
    while (takt_letters_next(true) <= now) {
        const takt_letter_t letter = takt_letters_take(true);
        open_letter(&letter, now);
    }
}

static void act_as_scheduler(void) {
    receive_arrived();
    if (takt_scheduler_pass(&scheduler, takt_port_now())) {
        const takt_letter_t letter = {.kind = TAKT_LETTER_SIGNAL, .number = scheduler.number};
        send(TAKT_SENDER_SIGNALS, &letter);
    }
}

/* ---- the application side ------------------------------------------------------------------------------ */

/* Asks for a pass, unless a decision has been carried out since. */
static void hear_signal(void) {
    if (signalled >= fetched) {
        takt_kernel_signal_from_isr();
    }
}

static void take_letter(void) {
    const takt_letter_t letter = takt_letters_take(false);
    if (letter.kind == TAKT_LETTER_ANSWER) {
        answer = letter.answer;
        is_answered = true;
    } else {
        signalled = letter.number;
        takt_posix_interrupt_pend(SIGNAL_INTERRUPT);
    }
}

static takt_instant_t next_of_scheduler(void) {
    const takt_instant_t letter = takt_letters_next(true);
    const takt_instant_t own = takt_scheduler_next(&scheduler);
    return letter < own ? letter : own;
}

static takt_instant_t next_act(void) {
    const takt_instant_t letter = takt_letters_next(false);
    const takt_instant_t of_scheduler = next_of_scheduler();
    return letter < of_scheduler ? letter : of_scheduler;
}

/* Interrupts wait until both sides are consistent. */
static void act(void) {
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t now = takt_port_now();
    if (next_of_scheduler() <= now) {
        takt_second_thread_execute();
    }
    while (takt_letters_next(false) <= now) {
        take_letter();
    }
    takt_port_unlock(level);
}

static const takt_posix_device_t device = {.next = next_act, .act = act};

/* ---- the contract -------------------------------------------------------------------------------------- */

static bool is_from_outside(takt_event_kind_t kind) {
    return kind == TAKT_EVENT_ARRIVAL || kind == TAKT_EVENT_CHANGE || kind == TAKT_EVENT_ENTER ||
           kind == TAKT_EVENT_LEAVE;
}

/* A resource may be granted to a thread whose request is being withdrawn: no rule settles that race. */
static void require_no_mutex(const takt_event_t *event) {
    if (takt_event_is_lock(event) && event->entity->task == NULL) {
        takt_firmware_refuse("plain threads cannot lock a mutex if their scheduler is at a distance", "");
    }
}

/* Blocks and wakes of a thread have one sender, the processor, also those of its interrupts: no wake overtakes the block
 * that it ends. */
void takt_backend_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    require_no_mutex(event);
    const takt_letter_t letter = {.kind = TAKT_LETTER_EVENT,
                                  .message = takt_application_post(&application, event)};
    (void)dispatcher;
    send(is_from_outside(event->kind) ? TAKT_SENDER_OUTSIDE : TAKT_SENDER_PROCESSOR, &letter);
}

static void ask(void) {
    const takt_letter_t letter = {.kind = TAKT_LETTER_FETCH,
                                  .fetch = {.sequence = application.posted, .has_dropped = has_dropped}};
    is_asked = true;
    has_dropped = false;
    send(TAKT_SENDER_PROCESSOR, &letter);
}

/* Returns whether the answer that has arrived is to be carried out. Else another fetch follows, after the next arrival if
 * letters are under way that the last one was too early for. */
static bool accept(void) {
    const bool is_accepted = takt_application_accepts(&application, &answer);
    is_asked = false;
    is_answered = false;
    fetched = answer.is_decision ? answer.number : fetched;
    has_dropped = answer.is_decision && !is_accepted;
    is_early = !answer.is_decision;
    return is_accepted;
}

/* After a fetch that was too early, true if what it missed is still under way. */
static bool has_to_wait(void) {
    const bool waits = is_early && takt_letters_next(true) != TAKT_NEVER;
    is_early = false;
    return waits;
}

bool takt_backend_settle(takt_dispatcher_t *dispatcher, takt_instant_t now, bool *is_charge_due) {
    (void)dispatcher;
    (void)now;
    *is_charge_due = false;
    if (!is_asked && !has_to_wait()) {
        ask();
    }
    takt_posix_await();
    return !is_answered || !accept();
}

bool takt_backend_has_news(const takt_dispatcher_t *dispatcher) {
    (void)dispatcher;
    return application.posted != answer.sequence || signalled >= fetched;
}

/* A signal that has arrived in the meantime may be about what the decision did not consider. */
takt_decision_t takt_backend_take(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    (void)now;
    if (signalled >= fetched) {
        takt_posix_interrupt_pend(SIGNAL_INTERRUPT);
    }
    return takt_application_carry_out(&application, dispatcher->cpus, &answer);
}

/* ---- the start and the end ------------------------------------------------------------------------------ */

static void build_scheduler_side(const takt_program_t *program, takt_trace_t *trace) {
    system.dispatcher = &system_dispatcher;
    const uint64_t bytes = takt_system_size(&system, &program->spec);
    takt_system_build(&system, &program->spec, takt_firmware_allocate(bytes));
    takt_dispatcher_record_to(system.dispatcher, trace);
    takt_scheduler_init(&scheduler, &system,
                        takt_firmware_allocate(system.task_count * (uint64_t)sizeof *scheduler.deferred));
}

/* Plain threads that are not in `built` are known from their events. */
static void add_all(takt_system_t *built) {
    const uint32_t count = 1u + built->server_count + built->task_count + built->thread_count;
    application.limit = 1u + system.server_count + system.task_count + system.thread_count;
    application.entities = takt_firmware_allocate(application.limit * (uint64_t)sizeof *application.entities);
    application.resources = built->resources;
    application.resource_count = built->resource_count;
    application.changes = built->changes;
    for (uint32_t number = 1; number < count; number++) {
        takt_application_add(&application, takt_system_entity(built, number));
    }
}

void takt_firmware_schedule(const takt_program_t *program, takt_system_t *built, takt_trace_t *trace) {
    if (!program->is_remote || program->delays == NULL || program->delays->count == 0) {
        takt_firmware_refuse("the image has no delays of messages", "");
    }
    takt_letters_delay_by(program->delays->values, (uint32_t)program->delays->count);
    build_scheduler_side(program, trace);
    add_all(built);
    takt_posix_interrupt_enable(SIGNAL_INTERRUPT, hear_signal);
    takt_posix_add_device(&device);
    takt_second_thread_begin(act_as_scheduler);
}

/* True if `letter` is an event that happened before `end`, or a completion at it. */
static bool is_of_the_run(const takt_letter_t *letter, takt_instant_t end) {
    return letter->kind == TAKT_LETTER_EVENT &&
           (letter->message.seen < end || letter->message.kind == TAKT_EVENT_COMPLETE);
}

void takt_firmware_schedule_last(void) {
    const takt_instant_t now = takt_port_now();
    while (takt_letters_next(true) != TAKT_NEVER) {
        const takt_letter_t letter = takt_letters_take(true);
        if (is_of_the_run(&letter, now)) {
            open_letter(&letter, now);
        }
    }
}
