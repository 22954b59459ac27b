/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A FreeRTOS program on Takt: a sensor sends readings, a gatekeeper prints them, a software timer counts seconds.
 * docs/how-to/move-a-freertos-program.md explains it.
 *
 *     cmake -S examples/freertos_rtos -B build/freertos --toolchain $PWD/cmake/toolchain-arm-none-eabi.cmake
 *     cmake --build build/freertos --target run */
#include "FreeRTOS.h"
#include "firmware/semihost.h"
#include "queue.h"
#include "task.h"
#include "timers.h"

enum { READINGS = 20 };

static QueueHandle_t readings;
static volatile uint32_t seconds;

static void read_sensor(void *argument) {
    (void)argument;
    TickType_t last = xTaskGetTickCount();
    for (uint32_t reading = 1;; reading++) {
        vTaskDelayUntil(&last, pdMS_TO_TICKS(100));
        (void)xQueueSend(readings, &reading, portMAX_DELAY);
    }
}

static void keep_gate(void *argument) {
    (void)argument;
    uint32_t reading = 0;
    while (reading < READINGS) {
        (void)xQueueReceive(readings, &reading, portMAX_DELAY);
    }
    const BaseType_t is_right = seconds == 1 && xTaskGetTickCount() == pdMS_TO_TICKS(100 * READINGS);
    takt_semihost_print(is_right ? "20 readings in 2000 ticks\n" : "readings or ticks are wrong\n");
    takt_semihost_exit(is_right ? 0 : 1);
}

static void count_seconds(TimerHandle_t timer) {
    (void)timer;
    seconds++;
}

int main(void) {
    readings = xQueueCreate(4, sizeof(uint32_t));
    (void)xTaskCreate(read_sensor, "sensor", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    (void)xTaskCreate(keep_gate, "gatekeeper", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    (void)xTimerStart(xTimerCreate("second", pdMS_TO_TICKS(1500), pdTRUE, NULL, count_seconds), 0);
    vTaskStartScheduler();
    return 1;
}
