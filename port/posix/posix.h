/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The interface of a Linux process to programs: interrupts with numbers, and two clocks.
 *
 * Interrupts: 32, and after them the kernel's alarm. A smaller number goes first. They do not nest: an interrupt pended
 * while a handler executes runs when the handler has ended. Only the alarm's own work and takt_kernel_preempt, the
 * least urgent of all, let them in between.
 *
 * Virtual time is the default. Nothing interrupts; the program defines the length of a tick. Time passes in
 * takt_port_work and while no thread runs, up to the next instant of the alarm or of an announced interrupt. So a run
 * is instant and repeats exactly. What is due at the very end of a load comes after that end: it is taken where time
 * would pass next, between the steps of a pass, or in takt_port_sync.
 *
 * Real time: CLOCK_MONOTONIC, and a signal (SIGRTMIN) that interrupts threads anywhere. So threads must close the lock
 * to share what is not safe in signal handlers (malloc, stdio). A load is processor time.
 *
 * When not to use it: for deadlines. Linux may delay the process for any time. */
#ifndef TAKT_PORT_POSIX_POSIX_H
#define TAKT_PORT_POSIX_POSIX_H

#include "kernel/port.h"

TAKT_C_BEGIN

enum {
    TAKT_POSIX_INTERRUPTS = 32,
    TAKT_POSIX_EXIT_STALLED = 6, /* in virtual time nothing will ever happen again */
};

/* Selects real time, with ticks of `tick_ns`. Before takt_kernel_start. Returns ERROR_PERIOD if `tick_ns` is 0, or
 * _STARTED. */
takt_status_t takt_posix_use_real_time(uint64_t tick_ns);

/* Installs `handler` for interrupt `number`. Without a handler, pending it ends in takt_port_fault; so does a number
 * that does not exist, here and below. */
void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void));

/* Makes interrupt `number` pending. From threads and handlers of interrupts. */
void takt_posix_interrupt_pend(uint32_t number);

/* The same from other POSIX threads and from handlers of the program's own signals. In virtual time it is noticed when
 * the lock opens next, and the run is not repeatable. */
void takt_posix_interrupt_raise(uint32_t number);

/* Makes interrupt `number` pending at `instant`, at once if that has passed; TAKT_NEVER cancels. Each interrupt has one
 * instant; a handler may announce its next. Also before the start, once the clock is selected. In real time a cancelled
 * interrupt may still come, and one with a new instant may come once before it. */
void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant);

/* A device beside the processor, in virtual time. At an instant it acts last: after what jobs do, and after interrupts
 * that are not masked. */
typedef struct takt_posix_device {
    takt_instant_t (*next)(void); /* when it acts next, TAKT_NEVER for never */
    void (*act)(void);            /* does all that is due; may make interrupts pending */
} takt_posix_device_t;

/* Adds the one device. Before the start. */
void takt_posix_add_device(const takt_posix_device_t *device);

/* Lets the device act if it is due, else lets time pass up to the next instant at which something is. Interrupts are
 * not taken. In virtual time, with the lock closed. */
void takt_posix_await(void);

/* Called in virtual time when no thread can run, no alarm is set and nothing is announced. A program may define
 * another; the port's own reports this. When it returns, the program ends with TAKT_POSIX_EXIT_STALLED. */
void takt_posix_stalled(void);

TAKT_C_END

#endif
