/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Alarm: a function that is called at an instant, once or again and again, in the timer's interrupt.
 *
 * The function is called with the lock open: it may call whatever an interrupt may, start and stop any alarm, its own too, and
 * more urgent interrupts go on meanwhile. It is short, for threads wait until it has returned.
 *
 * What runs late: functions of one instant are called one after the other, in the order in which their alarms were armed as a
 * rule; each is later by those before it, by interrupts, and by what masks them. How often: a periodic alarm counts
 * from its nominal instants, so lateness does not add up; it is called once for each period, and what was missed is made up
 * for at once, one call after the other. So a function that takes its period or longer leaves nothing for threads.
 *
 * Invariant: an alarm is armed from its start until its function is about to be called for the last time, or it is stopped.
 *
 * When not to use it: for work that takes time; a periodic thread has an urgency and is told what it missed. */
#ifndef TAKT_KERNEL_ALARM_H
#define TAKT_KERNEL_ALARM_H

#include "kernel/errors.h"
#include "kernel/timeouts.h"

/* 40 bytes on a 32-bit machine. Private. The memory is left alone while the alarm is armed. */
typedef struct takt_alarm {
    takt_timeout_t timeout;
    void (*function)(void *argument);
    void *argument;
    takt_duration_t period; /* 0: it comes once */
} takt_alarm_t;

/* Makes an alarm that is not armed and calls function(argument). The memory is not that of an armed one. Returns ERROR_NULL. */
takt_status_t takt_alarm_init(takt_alarm_t *alarm, void (*function)(void *argument), void *argument);

/* All calls below are from anywhere that may call the kernel. */

/* Arms `alarm` to come once, `delay` ticks from now, at the soonest opportunity if that is 0; if it is armed already, instead of
 * what it was armed for. Returns ERROR_NULL, _OBJECT, _NOT_STARTED or _INTERRUPT. */
takt_status_t takt_alarm_start(takt_alarm_t *alarm, takt_duration_t delay);

/* Likewise, to come `delay` ticks from now and every `period` after that. Returns ERROR_PERIOD if that is 0. */
takt_status_t takt_alarm_start_periodic(takt_alarm_t *alarm, takt_duration_t delay, takt_duration_t period);

/* Disarms `alarm`, if it is armed. Once a thread has called this, the function is not being executed; an interrupt may have
 * interrupted it. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_alarm_stop(takt_alarm_t *alarm);

/* How many ticks are left until it comes: 0 if it is due, TAKT_NEVER if it is not armed. Returns ERROR_NULL, _OBJECT
 * or _INTERRUPT. */
takt_status_t takt_alarm_remaining(takt_alarm_t *alarm, takt_duration_t *ticks);

#endif
