/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Misuse: an assertion fails, with the task and the call, or the call returns what the reference says. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/timers.h"

static TaskHandle_t other;
static SemaphoreHandle_t mutex;

/* One assertion has failed, in `call` of the running task. */
static void expect_misuse(const char *call) {
    check(allowed_asserts == 0, "an assertion fails");
    check(misuse_task == xTaskGetCurrentTaskHandle(), "for the running task");
    if (!is_same(misuse_call, call)) {
        board_print(misuse_call);
        check(false, " is not the call");
    }
    allowed_asserts = 1;
}

static void ends(void *argument) {
    (void)argument;
    vTaskDelete(NULL);
}

static void deleted_tasks(void) {
    other = begin(0, HIGH, ends, NULL);
    allowed_asserts = 1;
    vTaskResume(other);
    expect_misuse("vTaskResume");
    vTaskSuspend(other);
    expect_misuse("vTaskSuspend");
    vTaskPrioritySet(other, LOW);
    expect_misuse("vTaskPrioritySet");
    (void)xTaskAbortDelay(other);
    expect_misuse("xTaskAbortDelay");
    (void)xTaskNotifyGive(other);
    expect_misuse("notify");
    const UBaseType_t tasks = uxTaskGetNumberOfTasks();
    vTaskDelete(other);
    expect_misuse("vTaskDelete");
    check(uxTaskGetNumberOfTasks() == tasks && eTaskGetState(other) == eDeleted, "nothing happens");
    allowed_asserts = 0;
}

static void gives(void *argument) {
    (void)argument;
    allowed_asserts = 1;
    (void)xSemaphoreGive(mutex);
    expect_misuse("takt_freertos_release");
    allowed_asserts = 0;
    vTaskDelete(NULL);
}

static void wrong_tasks(void) {
    mutex = xSemaphoreCreateMutex();
    check(xSemaphoreTake(mutex, 0) == pdPASS, "the mutex is held");
    (void)begin(0, HIGH, gives, NULL);
    SemaphoreHandle_t recursive = xSemaphoreCreateRecursiveMutex();
    check(xSemaphoreGiveRecursive(recursive) == pdFAIL, "one that is not held is not given");
}

static void no_callback(TimerHandle_t timer) { (void)timer; }

static void full_queues(void) {
    TimerHandle_t timer = xTimerCreate("timer", 10, pdFALSE, NULL, no_callback);
    vTaskSuspendAll();
    for (uint32_t number = 0; number < configTIMER_QUEUE_LENGTH; number++) {
        check(xTimerStart(timer, 0) == pdPASS, "a command");
    }
    check(xTimerStart(timer, 0) == pdFAIL, "more than the queue holds fails");
    check(xTimerStopFromISR(timer, NULL) == pdFAIL, "that of an interrupt, too");
    (void)xTaskResumeAll();
    check(xTimerStart(timer, 0) == pdPASS, "and there is space again");
    vTaskSuspendAll();
    allowed_asserts = 1;
    vTaskDelay(0);
    check(allowed_asserts == 1, "a yield of a suspended scheduler is none");
    allowed_asserts = 0;
    (void)xTaskResumeAll();
}

static void script(void) {
    deleted_tasks();
    wrong_tasks();
    full_queues();
}

int main(void) { run_script(script); }
