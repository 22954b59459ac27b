/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What happens in every tick: an alarm, where the configuration has a hook or time slices; else there are no ticks. */
#include "compat/freertos/program.h"

#define IS_SLICED (configUSE_TIME_SLICING != 0 && configUSE_PREEMPTION != 0)

#if configUSE_TICK_HOOK != 0 || IS_SLICED

static takt_alarm_t alarm;

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
    if (alarm.function == NULL) {
        (void)takt_alarm_init(&alarm, tick, NULL);
        (void)takt_freertos_count();
        const takt_instant_t next = takt_freertos.tick + TAKT_FREERTOS_TICK;
        (void)takt_alarm_start_periodic(&alarm, next - takt_kernel_now(), TAKT_FREERTOS_TICK);
    }
}

#else

void takt_freertos_start_ticks(void) {}

#endif
