/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interface between the parts of this port. Private to port/posix/. */
#ifndef TAKT_PORT_POSIX_MACHINE_H
#define TAKT_PORT_POSIX_MACHINE_H

#include "port/posix/posix.h"

/* A clock, implemented by virtual.c and by real.c. */
typedef struct takt_posix_clock {
    void (*start)(void);
    void (*stop)(void);
    takt_instant_t (*now)(void);
    void (*timer_set)(takt_instant_t until);
    void (*mark_due)(void); /* marks what is due as pending */
    void (*idle)(void);
    void (*wait)(void); /* as idle, with the lock closed: interrupts are only marked */
    void (*skip)(takt_duration_t ticks);
    void (*work)(takt_duration_t ticks);
    void (*announce)(uint32_t number, takt_instant_t instant);
    void (*notify)(void); /* makes the processor check what is pending, from outside */
} takt_posix_clock_t;

extern const takt_posix_clock_t takt_posix_virtual_clock, takt_posix_real_clock;
extern const takt_posix_clock_t *takt_posix_clock;

/* Makes bit `bit` pending. Returns true if nothing was pending before. From anywhere. */
bool takt_posix_mark(uint32_t bit);

/* Runs everything that is pending and may run at `level`. Closed. */
void takt_posix_drain(uint32_t level);

/* True if something is pending that may run at `level`. */
bool takt_posix_is_takeable(uint32_t level);

/* Saves the calling context under `from` and resumes that of `to`; returns when `from` is resumed. Closed before and
 * after, without handlers. */
void takt_posix_switch(struct takt_thread *from, struct takt_thread *to);

#if TAKT_PORT_GUARDS
/* The lowest byte of the stack that the processor executes on, NULL before the start. */
const void *takt_posix_bottom(void);

/* Gives the processor a stack for the handler of a guard's fault. At the start. */
void takt_posix_guard_begin(void);

/* Removes all guards. */
void takt_posix_guard_end(void);
#else
TAKT_INLINE void takt_posix_guard_begin(void) {}

TAKT_INLINE void takt_posix_guard_end(void) {}
#endif

/* Prints `what` is wrong on the standard error output, and ends in takt_port_fault. */
void takt_posix_complain(const char *what);

#endif
