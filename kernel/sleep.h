/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tickless sleep: what the idle thread does until the next alarm.
 *
 * There is no tick: the port's timer is set to the next instant at which the kernel has to act, so an idle processor is
 * woken then, or by another interrupt, and not before. takt_port_idle, which the idle thread calls, stops the processor
 * alone. A program that stops more, such as clocks and memories, writes a function that does so for a number of ticks,
 * and calls this one from takt_hook_idle (kernel/hooks.h):
 *
 *     static takt_duration_t stop(takt_duration_t ticks) { ... }
 *     void takt_hook_idle(void) { (void)takt_kernel_sleep(stop); }
 *
 * A wake-up takes time: [platform] wake_up of a task set charges it in simulation and analysis.
 *
 * When not to use it: a wake-up takes longer than the shortest deadline allows; then takt_port_idle is all. */
#ifndef TAKT_KERNEL_SLEEP_H
#define TAKT_KERNEL_SLEEP_H

#include "kernel/port.h"

TAKT_C_BEGIN

/* Sleeps for at most `ticks` >= 1, TAKT_NEVER: until an interrupt. Returns for how many ticks the port's clock stood
 * still; 0: it has counted. Called with all interrupts masked. A pending interrupt must end the sleep:
 * takt_port_sleep_wait waits for one. It calls nothing else of the kernel, and leaves the lock alone. Its stack is that of
 * the idle thread, TAKT_IDLE_STACK_BYTES (kernel/geometry.h). */
typedef takt_duration_t (*takt_sleep_t)(takt_duration_t ticks);

/* Sleeps by `sleep` until the next alarm of the kernel or another interrupt, if no alarm is due. The clock is then
 * corrected by what `sleep` returns, and interrupts are taken. From a thread with the lock open, as a rule the idle thread.
 * Returns ERROR_NULL, _NOT_STARTED, _IN_ISR or _LOCKED. */
takt_status_t takt_kernel_sleep(takt_sleep_t sleep);

TAKT_C_END

#endif
