/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An auto-reload timer toggles a light, a one-shot timer ends that. */
#include "FreeRTOS.h"
#include "task.h"
#include "timers.h"

#include "machine.h"

static TimerHandle_t xBlink, xEnd;

static void vBlink(xTimerHandle xTimer) {
    static int iOn;
    (void)xTimer;
    iOn = !iOn;
    machine_print(iOn ? "on " : "off ");
}

static void vEnd(TimerHandle_t xTimer) {
    xTimerStop(xBlink, 0);
    configASSERT(xTimer == xEnd);
    machine_print("at ");
    machine_print_number(xTaskGetTickCount() * portTICK_PERIOD_MS);
    machine_print(" ms\n");
    machine_stop();
}

int main(void) {
    machine_begin();
    xBlink = xTimerCreate("Blink", pdMS_TO_TICKS(100), pdTRUE, NULL, vBlink);
    xEnd = xTimerCreate("End", pdMS_TO_TICKS(450), pdFALSE, NULL, vEnd);
    if (xTimerStart(xBlink, 0) == pdPASS && xTimerStart(xEnd, 0) == pdPASS) {
        vTaskStartScheduler();
    }
    for (;;) {
    }
}
