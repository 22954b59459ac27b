/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interrupts: which are pending, in which order they are taken, and preemption after the last of them.
 *
 * Three levels, the most urgent first: the interrupts of programs, which do not nest among each other; the alarm; and
 * takt_kernel_preempt. The lower two open the lock in between, and then the higher ones run. Invariant:
 * takt_posix_drain is the only place that runs any of them, with the level that keeps the others out. */
#include "port/posix/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile uint32_t takt_posix_state;
uint64_t takt_posix_pending __attribute__((aligned(8)));
takt_posix_exchange_t takt_posix_exchange;
__thread bool takt_posix_is_handling;

static void (*handlers[TAKT_POSIX_INTERRUPTS])(void);

static uint64_t mask_of(uint32_t bit) { return UINT64_C(1) << bit; }

/* ---- what is pending -------------------------------------------------------------------------- */

bool takt_posix_mark(uint32_t bit) {
    return __atomic_fetch_or(&takt_posix_pending, mask_of(bit), __ATOMIC_SEQ_CST) == 0;
}

static uint64_t takeable_at(uint32_t level) {
    uint64_t kept_out = 0;
    if ((level & TAKT_POSIX_ALARMING) != 0) {
        kept_out = mask_of(TAKT_POSIX_ALARM) | mask_of(TAKT_POSIX_PREEMPTION);
    } else if ((level & TAKT_POSIX_PREEMPTING) != 0) {
        kept_out = mask_of(TAKT_POSIX_PREEMPTION);
    }
    return __atomic_load_n(&takt_posix_pending, __ATOMIC_SEQ_CST) & ~kept_out;
}

bool takt_posix_is_takeable(uint32_t level) { return takeable_at(level) != 0; }

/* ---- taking it -------------------------------------------------------------------------------- */

/* Calls `handler` in `state`, then closes again. It may interrupt another handler. */
static void execute(void (*handler)(void), uint32_t state, uint32_t level) {
    const bool is_nested = takt_posix_is_handling;
    takt_posix_is_handling = true;
    takt_posix_set_state(state);
    handler();
    takt_posix_set_state(level | TAKT_POSIX_CLOSED);
    takt_posix_is_handling = is_nested;
}

static void handle(uint32_t number, uint32_t level) {
    if (handlers[number] == NULL) {
        takt_posix_complain("an interrupt came that has no handler");
        return;
    }
    execute(handlers[number], level | TAKT_POSIX_ISR, level);
}

static void expire(uint32_t level) { execute(takt_kernel_timer_expired, level | TAKT_POSIX_ALARMING, level); }

/* The switch follows when takt_kernel_preempt has returned; this continues when the thread is resumed. */
static void preempt(void) {
    takt_posix_set_state(TAKT_POSIX_PREEMPTING);
    takt_kernel_preempt();
    takt_posix_set_state(TAKT_POSIX_CLOSED);
    const takt_posix_exchange_t exchange = takt_posix_exchange;
    takt_posix_exchange.to = NULL;
    if (exchange.to != NULL) {
        takt_posix_switch(exchange.from, exchange.to);
    }
}

static void take_one(uint32_t bit, uint32_t level) {
    (void)__atomic_fetch_and(&takt_posix_pending, ~mask_of(bit), __ATOMIC_SEQ_CST);
    if (bit == TAKT_POSIX_PREEMPTION) {
        preempt();
    } else if (bit == TAKT_POSIX_ALARM) {
        expire(level);
    } else {
        handle(bit, level);
    }
}

void takt_posix_drain(uint32_t level) {
    uint64_t takeable = takeable_at(level);
    while (takeable != 0) {
        take_one((uint32_t)__builtin_ctzll(takeable), level);
        takeable = takeable_at(level);
    }
}

/* Checks again after opening: a signal that came before found the state closed and left a mark. */
void takt_posix_take(void) {
    const uint32_t level = takt_posix_state;
    do {
        takt_posix_set_state(level | TAKT_POSIX_CLOSED);
        takt_posix_drain(level);
        takt_posix_set_state(level);
    } while (takt_posix_is_takeable(level));
}

static void take_if_open(void) {
    if (takt_posix_is_pending() && !takt_posix_is_masked(takt_posix_state)) {
        takt_posix_take();
    }
}

/* ---- the contract ----------------------------------------------------------------------------- */

void takt_port_pend(void) {
    (void)takt_posix_mark(TAKT_POSIX_PREEMPTION);
    take_if_open();
}

void takt_port_sync(void) {
    takt_posix_clock->mark_due();
    take_if_open();
}

/* Interrupts that are due count as pending here: between the steps of a pass, an event of this instant is in time. */
void takt_port_breathe(void) {
    takt_posix_set_state(takt_posix_state & ~(uint32_t)TAKT_POSIX_CLOSED);
    takt_port_sync();
    takt_port_close();
}

/* ---- programs --------------------------------------------------------------------------------- */

/* Uses a system call: the interrupted code may be inside the standard library. */
__attribute__((weak)) void takt_port_print(const char *text) {
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* an error here cannot be reported */
}

void takt_posix_complain(const char *what) {
    takt_port_print("takt: ");
    takt_port_print(what);
    takt_port_print("\n");
    takt_port_fault();
}

static bool exists(uint32_t number) {
    if (number >= TAKT_POSIX_INTERRUPTS) {
        takt_posix_complain("no such interrupt");
        return false;
    }
    return true;
}

void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void)) {
    if (exists(number)) {
        handlers[number] = handler;
    }
}

void takt_posix_interrupt_pend(uint32_t number) {
    if (exists(number)) {
        (void)takt_posix_mark(number);
        take_if_open();
    }
}

/* One signal for all pending interrupts: the caller that makes the first mark sends it. */
void takt_posix_interrupt_raise(uint32_t number) {
    if (exists(number) && takt_posix_mark(number)) {
        takt_posix_clock->notify();
    }
}

void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant) {
    if (exists(number)) {
        takt_posix_clock->announce(number, instant);
    }
}

/* A process can report a fault, so it does not wait for ever. */
__attribute__((weak)) void takt_port_fault(void) { abort(); }
