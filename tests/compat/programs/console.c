/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A command console: characters come one by one through a stream buffer, a task makes lines of them and answers under a mutex
 * that another task uses, too. */
#include "FreeRTOS.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "task.h"

#include "machine.h"

static StreamBufferHandle_t xInput;
static SemaphoreHandle_t xOutput;

static void vSay(const char *pcText) {
    if (xSemaphoreTake(xOutput, pdMS_TO_TICKS(100)) == pdTRUE) {
        machine_print(pcText);
        xSemaphoreGive(xOutput);
    }
}

/* In place of a serial line. */
static void vKeyboard(void *pvParameters) {
    const char *pcKey = pvParameters;
    for (; *pcKey != 0; pcKey++) {
        vTaskDelay(2);
        xStreamBufferSend(xInput, pcKey, 1, portMAX_DELAY);
    }
    vTaskDelete(NULL);
}

static int iIsSame(const char *pcOne, const char *pcOther) {
    while (*pcOne != 0 && *pcOne == *pcOther) {
        pcOne++;
        pcOther++;
    }
    return *pcOne == *pcOther;
}

static void vExecute(const char *pcLine) {
    if (iIsSame(pcLine, "tasks")) {
        vSay("tasks: ");
        machine_print_number(uxTaskGetNumberOfTasks());
        vSay("\n");
    } else if (iIsSame(pcLine, "heap")) {
        vSay(xPortGetFreeHeapSize() > 0 ? "heap: some\n" : "heap: none\n");
    } else if (iIsSame(pcLine, "bye")) {
        vSay("bye\n");
        machine_stop();
    } else {
        vSay("unknown command\n");
    }
}

static void vConsole(void *pvParameters) {
    char cLine[20];
    size_t xLength = 0;
    (void)pvParameters;
    for (;;) {
        char cKey;
        if (xStreamBufferReceive(xInput, &cKey, 1, portMAX_DELAY) == 1) {
            if (cKey == '\n') {
                cLine[xLength] = 0;
                xLength = 0;
                vExecute(cLine);
            } else if (xLength < sizeof cLine - 1) {
                cLine[xLength++] = cKey;
            }
        }
    }
}

int main(void) {
    machine_begin();
    xInput = xStreamBufferCreate(16, 1);
    xOutput = xSemaphoreCreateMutex();
    xTaskCreate(vConsole, "Console", configMINIMAL_STACK_SIZE * 2, NULL, 2, NULL);
    xTaskCreate(vKeyboard, "Keyboard", configMINIMAL_STACK_SIZE, (void *)"heap\nhelp\ntasks\nbye\n", 1, NULL);
    vTaskStartScheduler();
    return 1;
}
