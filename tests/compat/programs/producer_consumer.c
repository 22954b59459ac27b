/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A producer sends a number every 10 ms, a consumer of higher priority waits for it and adds it up. */
#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "machine.h"

static QueueHandle_t xQueue;

static void vProducer(void *pvParameters) {
    TickType_t xLastWakeTime = xTaskGetTickCount();
    uint32_t ulValue = 1;
    (void)pvParameters;
    for (;;) {
        vTaskDelayUntil(&xLastWakeTime, pdMS_TO_TICKS(10));
        xQueueSend(xQueue, &ulValue, 0);
        ulValue++;
    }
}

static void vConsumer(void *pvParameters) {
    uint32_t ulSum = 0, ulValue;
    (void)pvParameters;
    while (ulSum < 55) {
        if (xQueueReceive(xQueue, &ulValue, portMAX_DELAY) == pdPASS) {
            ulSum += ulValue;
        }
    }
    machine_print("sum ");
    machine_print_number(ulSum);
    machine_print(" after ");
    machine_print_number(xTaskGetTickCount());
    machine_print(" ticks\n");
    machine_stop();
}

int main(void) {
    machine_begin();
    xQueue = xQueueCreate(5, sizeof(uint32_t));
    if (xQueue != NULL) {
        xTaskCreate(vProducer, "Producer", configMINIMAL_STACK_SIZE, NULL, tskIDLE_PRIORITY + 1, NULL);
        xTaskCreate(vConsumer, "Consumer", configMINIMAL_STACK_SIZE, NULL, tskIDLE_PRIORITY + 2, NULL);
        vTaskStartScheduler();
    }
    for (;;) {
    }
}
