/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Alarm: a function that the timer's interrupt calls at an instant, once or periodically.
 *
 * The function is called with the lock open. It may make any call for interrupts, and start and stop any alarm, also
 * its own. More urgent interrupts can preempt it. Keep it short: threads do not run until it has returned.
 *
 * Lateness: functions due at one instant are called one after the other, usually in the order of arming. Each is
 * delayed by those before it, by interrupts, and by masking. A periodic alarm counts from its nominal instants, so
 * lateness does not accumulate. Missed calls are made up at once: the function is called once per period. If it takes
 * its period or longer, it leaves no time for threads.
 *
 * Invariant: an alarm is armed from its start until its function is about to be called last, or it is stopped.
 *
 * When not to use it: for long work; a periodic thread has a priority and learns of its misses. */
#ifndef TAKT_KERNEL_ALARM_H
#define TAKT_KERNEL_ALARM_H

#include "kernel/errors.h"
#include "kernel/timeouts.h"

TAKT_C_BEGIN

/* 40 bytes on a 32-bit machine. Private. The memory must not change while the alarm is armed. */
typedef struct takt_alarm {
    takt_timeout_t timeout;
    void (*function)(void *argument);
    void *argument;
    takt_duration_t period; /* ticks; 0: it expires once */
} takt_alarm_t;

/* Initialises an alarm, not armed, that calls function(argument). `alarm` is not an armed one. Returns ERROR_NULL. */
takt_status_t takt_alarm_init(takt_alarm_t *alarm, void (*function)(void *argument), void *argument);

/* All calls below may be made from anywhere that may call the kernel. */

/* Arms `alarm` to expire once, `delay` ticks from now; 0: as soon as possible. A setting of an armed alarm is replaced.
 * Returns ERROR_NULL, _OBJECT, _NOT_STARTED or _INTERRUPT. */
takt_status_t takt_alarm_start(takt_alarm_t *alarm, takt_duration_t delay);

/* Likewise, to expire `delay` ticks from now and then every `period` ticks. Returns ERROR_PERIOD if `period` is 0. */
takt_status_t takt_alarm_start_periodic(takt_alarm_t *alarm, takt_duration_t delay, takt_duration_t period);

/* Disarms `alarm`, if it is armed. After the call of a thread the function is not executing; an interrupt may have
 * interrupted it. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_alarm_stop(takt_alarm_t *alarm);

/* Writes to `ticks` the time until the alarm expires: 0 if it is due, TAKT_NEVER if it is not armed. Returns
 * ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_alarm_remaining(takt_alarm_t *alarm, takt_duration_t *ticks);

TAKT_C_END

#endif
