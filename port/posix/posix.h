/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A Linux process as programs see it: interrupts with numbers, and two clocks.
 *
 * Interrupts: 32, and the alarm of the kernel after them. A smaller number goes first. They do not nest: what is
 * pended while a handler executes follows when it has ended. Only the alarm's own work and takt_kernel_preempt, the
 * least urgent of all, let them in between.
 *
 * Virtual time, unless the program chooses otherwise. Nothing interrupts; a tick is what the program says. Time
 * passes in takt_port_work and while no thread runs, up to the next instant of the alarm or of an announced interrupt,
 * so a run is instant and repeats exactly. What is due at the very end of a load comes after that end: it is
 * taken where time would pass next, between the steps of a pass, or in takt_port_sync.
 *
 * Real time: CLOCK_MONOTONIC, and a signal (SIGRTMIN) that interrupts threads anywhere. So threads share what is
 * not safe in handlers of signals (malloc, stdio) with the lock closed only. A load is processor time.
 *
 * When not to use it: for deadlines. Linux delays the process as it likes. */
#ifndef TAKT_PORT_POSIX_POSIX_H
#define TAKT_PORT_POSIX_POSIX_H

#include "kernel/port.h"

enum {
    TAKT_POSIX_INTERRUPTS = 32,
    TAKT_POSIX_EXIT_STALLED = 6, /* in virtual time nothing will ever happen again */
};

/* Chooses real time, with ticks of `tick_ns`. Before takt_kernel_start. Returns ERROR_PERIOD if that is 0, or
 * _STARTED. */
takt_status_t takt_posix_use_real_time(uint64_t tick_ns);

/* From now on `handler` is called for interrupt `number`. One that is pended without a handler ends in
 * takt_port_fault; so does, here and below, a number that does not exist. */
void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void));

/* Makes interrupt `number` pending. From threads and handlers of interrupts. */
void takt_posix_interrupt_pend(uint32_t number);

/* The same from other POSIX threads and from handlers of the program's own signals. In virtual time it is seen when
 * the lock opens next, and the run does not repeat. */
void takt_posix_interrupt_raise(uint32_t number);

/* Makes interrupt `number` pending at `instant`, at once if that has passed; TAKT_NEVER takes back. Each has one instant, and a
 * handler may announce its next. Before the start too, once the clock is chosen. In real time what is taken back may come all
 * the same, and an instant that replaces another may come once before it. */
void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant);

/* Called in virtual time when no thread can run, no alarm is set and nothing is announced. A program may define
 * another; the port's own reports this. When it returns, the program ends with TAKT_POSIX_EXIT_STALLED. */
void takt_posix_stalled(void);

#endif
