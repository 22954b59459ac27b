/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What happens in every tick: an alarm, where the configuration has a hook or time slices; else there are no ticks. */
#include "compat/freertos/program.h"

#include "kernel/hooks.h"
#include "kernel/sleep.h"

#define IS_SLICED (configUSE_TIME_SLICING != 0 && configUSE_PREEMPTION != 0)

#if configUSE_TICK_HOOK != 0 || IS_SLICED

static takt_alarm_t alarm;
static bool is_running;

static void tick(void *argument) {
    (void)argument;
#if configUSE_TICK_HOOK != 0
    vApplicationTickHook();
#endif
#if IS_SLICED
    if (takt_freertos_running() != NULL) {
        (void)takt_thread_yield_from_isr();
    }
#endif
}

void takt_freertos_start_ticks(void) {
    if (!is_running) {
        is_running = true;
        (void)takt_alarm_init(&alarm, tick, NULL);
        (void)takt_freertos_count();
        const takt_instant_t next = takt_freertos.tick + TAKT_FREERTOS_TICK;
        (void)takt_alarm_start_periodic(&alarm, next - takt_kernel_now(), TAKT_FREERTOS_TICK);
    }
}

#else

void takt_freertos_start_ticks(void) {}

#endif

/* ---- sleep -------------------------------------------------------------------------------------------------------- */

#if configUSE_TICKLESS_IDLE != 0

/* Slices are for tasks that run. In a server they may be ready and without budget. */
static void stop_ticks(void) {
#if TAKT_FREERTOS_STOPS_TICKS
    const takt_port_level_t level = takt_port_lock();
    if (is_running && takt_freertos.home == NULL) {
        is_running = false;
        (void)takt_alarm_stop(&alarm);
    }
    takt_port_unlock(level);
#endif
}

/* Returns 0: the clock does not stand still. */
static takt_duration_t sleep(takt_duration_t ticks) {
    TickType_t idle =
        (TickType_t)(ticks / TAKT_FREERTOS_TICK < portMAX_DELAY ? ticks / TAKT_FREERTOS_TICK : portMAX_DELAY);
    if (idle >= configEXPECTED_IDLE_TIME_BEFORE_SLEEP) {
        const TickType_t expected = idle;
        configPRE_SLEEP_PROCESSING(idle);
        if (idle != 0) {
            takt_port_sleep_wait();
        }
        configPOST_SLEEP_PROCESSING(expected);
        (void)expected;
    } else {
        takt_port_sleep_wait();
    }
    return 0;
}

void takt_hook_idle(void) {
    stop_ticks();
    (void)takt_kernel_sleep(sleep);
}

#endif
