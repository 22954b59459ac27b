/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Alarms; see alarm.h. */
#include "kernel/alarm.h"

#include "kernel/wait.h"

/* Closed before and after. The function, or a more urgent interrupt, may start or stop the alarm: no member is read or
 * written after the call. */
static uint32_t expire_alarm(takt_timeout_t *timeout) {
    takt_alarm_t *alarm = TAKT_CONTAINER_OF(timeout, takt_alarm_t, timeout);
    void (*const function)(void *argument) = alarm->function;
    void *const argument = alarm->argument;
    if (alarm->period != 0) {
        takt_kernel_arm(timeout, takt_instant_after(timeout->instant, alarm->period), takt_port_now());
    }
    (void)takt_port_open();
    function(argument);
    takt_port_close();
    return 0;
}

takt_status_t takt_alarm_init(takt_alarm_t *alarm, void (*function)(void *argument), void *argument) {
    if (alarm == NULL || function == NULL) {
        return TAKT_ERROR_NULL;
    }
    alarm->timeout.prev = NULL;
    alarm->timeout.expire = expire_alarm;
    alarm->function = function;
    alarm->argument = argument;
    alarm->period = 0;
    return TAKT_OK;
}

#define REQUIRE_ALARM(alarm)                        \
    TAKT_REQUIRE((alarm) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE((alarm)->timeout.expire == expire_alarm, TAKT_ERROR_OBJECT)

static void disarm(takt_alarm_t *alarm) {
    if (takt_timeout_is_armed(&alarm->timeout)) {
        takt_timeouts_remove(&takt_timeouts, &alarm->timeout);
    }
}

static takt_status_t start(takt_alarm_t *alarm, takt_duration_t delay, takt_duration_t period) {
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    disarm(alarm);
    alarm->period = period;
    takt_kernel_arm_after(&alarm->timeout, delay);
    takt_port_unlock(level);
    return TAKT_OK;
}

takt_status_t takt_alarm_start(takt_alarm_t *alarm, takt_duration_t delay) {
    REQUIRE_ALARM(alarm);
    return start(alarm, delay, 0);
}

takt_status_t takt_alarm_start_periodic(takt_alarm_t *alarm, takt_duration_t delay, takt_duration_t period) {
    REQUIRE_ALARM(alarm);
    TAKT_REQUIRE(period != 0, TAKT_ERROR_PERIOD);
    return start(alarm, delay, period);
}

takt_status_t takt_alarm_stop(takt_alarm_t *alarm) {
    REQUIRE_ALARM(alarm);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    disarm(alarm);
    takt_port_unlock(level);
    return TAKT_OK;
}

/* Closed, and armed. */
static takt_duration_t time_left(const takt_alarm_t *alarm) {
    const takt_instant_t now = takt_port_now();
    return alarm->timeout.instant > now ? alarm->timeout.instant - now : 0;
}

takt_status_t takt_alarm_remaining(takt_alarm_t *alarm, takt_duration_t *ticks) {
    REQUIRE_ALARM(alarm);
    TAKT_REQUIRE(ticks != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    *ticks = takt_timeout_is_armed(&alarm->timeout) ? time_left(alarm) : TAKT_NEVER;
    takt_port_unlock(level);
    return TAKT_OK;
}
