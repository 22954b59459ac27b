/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A program whose run is recorded: tasks of most ways to wait and to wake, in a server (RECORDED_HOME 1) or at the root,
 * then its trace as a file. The file's name is the last word of the command line. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/event_groups.h"
#include "compat/freertos/include/servers.h"
#include "compat/freertos/include/stream_buffer.h"
#include "compat/freertos/include/timers.h"
#include "firmware/recorder.h"
#include "firmware/semihost.h"

#ifndef RECORDED_HOME
#define RECORDED_HOME 0
#endif

enum { RECORDS = 1 << 14, FILE_BYTES = RECORDS * 32 + 8192, TICKS = 400, LINE_BYTES = 256 };

static takt_recorder_t recorder;
static takt_record_t records[RECORDS];
static uint8_t file[FILE_BYTES];
static uint32_t file_bytes;
static QueueHandle_t queue;
static SemaphoreHandle_t mutex, given;
static EventGroupHandle_t group;
static StreamBufferHandle_t stream;

static bool put(const void *bytes, uint32_t count) {
    const uint8_t *from = bytes;
    for (uint32_t i = 0; i < count && file_bytes < FILE_BYTES; i++) {
        file[file_bytes++] = from[i];
    }
    return file_bytes < FILE_BYTES;
}

static const char *file_name(void) {
    static char line[LINE_BYTES];
    check(takt_semihost_command_line(line, sizeof line), "a command line");
    const char *last = line;
    for (const char *at = line; *at != '\0'; at++) {
        last = *at == ' ' ? at + 1 : last;
    }
    return last;
}

static void save(void) {
    const takt_recording_t about = {
        .program = "recorded", .platform = "test", .resolution_ns = UINT64_C(1000000000) / TAKT_TICK_HZ};
    check(takt_recorder_write(&recorder, &about, put) == TAKT_ERROR_ORDER,
          "a trace ends before it is written");
    check(takt_recorder_end(&recorder) == TAKT_OK, "it ends");
    check(takt_recorder_write(&recorder, &about, put) == TAKT_OK, "it is written");
    check(takt_semihost_save(file_name(), file, file_bytes), "the file is saved");
    board_exit(0);
}

static void sense(void *argument) {
    (void)argument;
    TickType_t last = xTaskGetTickCount();
    for (uint32_t reading = 0;; reading++) {
        vTaskDelayUntil(&last, 10);
        busy(1);
        (void)xQueueSend(queue, &reading, 0);
    }
}

static void consume(void *argument) {
    (void)argument;
    uint32_t reading;
    for (;;) {
        if (xQueueReceive(queue, &reading, 7) == pdTRUE) {
            (void)xSemaphoreTake(mutex, portMAX_DELAY);
            busy(2);
            (void)xSemaphoreGive(mutex);
            (void)xSemaphoreGive(given);
            (void)xEventGroupSetBits(group, 1u << reading % 3u);
        }
    }
}

static void log_all(void *argument) {
    (void)argument;
    for (;;) {
        (void)xSemaphoreTake(given, portMAX_DELAY);
        (void)xSemaphoreTake(mutex, portMAX_DELAY);
        busy(1);
        (void)xSemaphoreGive(mutex);
        (void)xStreamBufferSend(stream, "line", 4, 2);
    }
}

static void listen(void *argument) {
    (void)argument;
    char text[8];
    for (;;) {
        (void)xEventGroupWaitBits(group, 7, pdTRUE, pdTRUE, 50);
        (void)xStreamBufferReceive(stream, text, sizeof text, 5);
        vTaskSuspendAll();
        busy(1);
        (void)xTaskResumeAll();
        vTaskPrioritySet(NULL, uxTaskPriorityGet(NULL) == LOW ? LEAST : LOW);
    }
}

static void child(void *argument) {
    vTaskDelay((TickType_t)(uintptr_t)argument);
    vTaskDelete(NULL);
}

static void manage(void *argument) {
    TaskHandle_t *others = argument;
    for (uintptr_t round = 0; xTaskGetTickCount() < TICKS; round++) {
        TaskHandle_t made = NULL;
        (void)xTaskCreate(child, round % 2 != 0 ? "child" : "other child", configMINIMAL_STACK_SIZE,
                          (void *)(round % 9), LOW, &made);
        vTaskDelay(11);
        vTaskSuspend(others[0]);
        vTaskDelay(3);
        vTaskResume(others[0]);
        taskENTER_CRITICAL();
        (void)xTaskNotifyGive(others[1]);
        taskEXIT_CRITICAL();
        taskYIELD();
    }
    save();
}

static void spin(void *argument) {
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, 20);
        busy(3);
    }
}

static void blink(TimerHandle_t timer) { (void)timer; }

int main(void) {
    static TaskHandle_t others[2];
    board_begin();
    check(takt_kernel_init(&takt_policy_fp) == TAKT_OK, "the kernel begins");
    check(takt_recorder_begin(&recorder, records, RECORDS) == TAKT_OK, "the recorder begins");
#if RECORDED_HOME
    static StaticServer_t server;
    const ServerParameters_t parameters = {
        .pxKind = &takt_server_deferrable, .xPeriod = 10, .xBudget = 8, .uxPriority = 9};
    vServerSetHome(xServerCreateStatic(&parameters, &server));
#endif
    queue = xQueueCreate(2, sizeof(uint32_t));
    mutex = xSemaphoreCreateMutex();
    given = xSemaphoreCreateBinary();
    group = xEventGroupCreate();
    stream = xStreamBufferCreate(16, 1);
    (void)xTaskCreate(sense, "sensor", configMINIMAL_STACK_SIZE, NULL, HIGH, NULL);
    (void)xTaskCreate(consume, "consumer", configMINIMAL_STACK_SIZE, NULL, MIDDLE, NULL);
    (void)xTaskCreate(log_all, "logger", configMINIMAL_STACK_SIZE, NULL, LEAST, &others[0]);
    (void)xTaskCreate(listen, "listener", configMINIMAL_STACK_SIZE, NULL, LOW, NULL);
    (void)xTaskCreate(spin, "spinner", configMINIMAL_STACK_SIZE, NULL, LOW, &others[1]);
    (void)xTaskCreate(manage, "manager", configMINIMAL_STACK_SIZE, others, HIGHEST, NULL);
    (void)xTimerStart(xTimerCreate("blink", 13, pdTRUE, NULL, blink), 0);
    vTaskStartScheduler();
    return 1;
}
