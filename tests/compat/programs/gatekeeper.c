/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Two tasks and a timer want to print; the gatekeeper alone does, in the order of a queue. */
#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "machine.h"

static xQueueHandle xPrintQueue;

static portTASK_FUNCTION_PROTO(vGatekeeper, pvParameters);
static portTASK_FUNCTION_PROTO(vPrinter, pvParameters);

static portTASK_FUNCTION(vGatekeeper, pvParameters) {
    const char *pcText;
    int iCount = 0;
    (void)pvParameters;
    for (;;) {
        xQueueReceive(xPrintQueue, &pcText, portMAX_DELAY);
        machine_print(pcText);
        if (++iCount == 6) {
            machine_print("\n");
            machine_stop();
        }
    }
}

static portTASK_FUNCTION(vPrinter, pvParameters) {
    const char *pcText = pvParameters;
    for (;;) {
        xQueueSendToBack(xPrintQueue, &pcText, 0);
        vTaskDelay(7 / portTICK_RATE_MS);
    }
}

int main(void) {
    machine_begin();
    xPrintQueue = xQueueCreate(5, sizeof(char *));
    vQueueAddToRegistry(xPrintQueue, "Print");
    xTaskCreate(vPrinter, "One", configMINIMAL_STACK_SIZE, (void *)"one ", 1, NULL);
    xTaskCreate(vPrinter, "Two", configMINIMAL_STACK_SIZE, (void *)"two ", 2, NULL);
    xTaskCreate(vGatekeeper, "Gatekeeper", configMINIMAL_STACK_SIZE, NULL, 0, NULL);
    vTaskStartScheduler();
    return 1;
}
