/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A sensor node that sleeps: every 500 ms a reading, a radio task that is notified of four readings. */
#include "FreeRTOS.h"
#include "task.h"

#include "machine.h"

static TaskHandle_t xRadio;
static volatile uint32_t ulSleeps, ulSleptTicks;

void before_sleep(uint32_t ulTicks) {
    ulSleeps++;
    ulSleptTicks += ulTicks;
}

void after_sleep(uint32_t ulTicks) { (void)ulTicks; }

static void vSensor(void *pvParameters) {
    TickType_t xLastWakeTime = xTaskGetTickCount();
    (void)pvParameters;
    for (;;) {
        xTaskDelayUntil(&xLastWakeTime, pdMS_TO_TICKS(500));
        xTaskNotifyGive(xRadio);
    }
}

static void vRadio(void *pvParameters) {
    uint32_t ulReadings = 0;
    (void)pvParameters;
    while (ulReadings < 4) {
        ulReadings += ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
    machine_print_number(ulReadings);
    machine_print(" readings, ");
    machine_print_number(ulSleeps);
    machine_print(" sleeps, ");
    machine_print(ulSleptTicks > 1980 ? "asleep nearly always\n" : "awake too long\n");
    machine_stop();
}

int main(void) {
    machine_begin();
    xTaskCreate(vSensor, "Sensor", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(vRadio, "Radio", configMINIMAL_STACK_SIZE, NULL, 1, &xRadio);
    vTaskStartScheduler();
    return 1;
}
