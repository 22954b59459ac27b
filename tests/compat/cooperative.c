/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks without preemption (configUSE_PREEMPTION 0): another one runs when the running one waits, yields or ends. */
#include "tests/compat/freertos.h"

static StaticSemaphore_t buffer;
static SemaphoreHandle_t semaphore;
static TaskHandle_t other;

static void waits(void *argument) {
    note('a');
    (void)xSemaphoreTake(semaphore, portMAX_DELAY);
    note((char)(uintptr_t)argument);
    vTaskDelete(NULL);
}

static void wakes(void) {
    (void)begin(0, HIGH, waits, (void *)'b');
    expect_notes("", "a more urgent task does not begin at once");
    taskYIELD();
    expect_notes("a", "but at a yield");
    (void)xSemaphoreGive(semaphore);
    busy(2);
    expect_notes("", "nor is it woken at once");
    vTaskDelay(1);
    expect_notes("b", "but when the running one waits");
}

static void equals(void *argument) {
    for (int round = 0; round < 2; round++) {
        note((char)(uintptr_t)argument);
        busy(3);
        taskYIELD();
    }
    vTaskDelete(NULL);
}

static void yields(void) {
    (void)begin(0, LOW, equals, (void *)'x');
    (void)begin(1, LOW, equals, (void *)'y');
    taskYIELD();
    expect_notes("", "a less urgent one does not run at a yield");
    vTaskDelay(20);
    expect_notes("xyxy", "equals take turns where they yield, not by ticks");
}

static void give_in_isr(void) {
    BaseType_t woken = pdFALSE;
    (void)xSemaphoreGiveFromISR(semaphore, &woken);
    note(woken == pdTRUE ? 'w' : 'n');
}

static void interrupts(void) {
    interrupt_0 = give_in_isr;
    (void)begin(0, HIGH, waits, (void *)'c');
    taskYIELD();
    board_interrupt_pend(0);
    expect_notes("aw", "an interrupt says that it has woken a more urgent one");
    taskYIELD();
    expect_notes("c", "which runs at the next yield");
}

static void suspends(void *argument) {
    (void)argument;
    note('s');
    vTaskSuspend(NULL);
    note('r');
    vTaskSuspendAll();
    (void)xTaskResumeAll();
    vTaskDelete(NULL);
}

static void suspensions(void) {
    other = begin(0, HIGH, suspends, NULL);
    vTaskDelay(1);
    check(eTaskGetState(other) == eSuspended, "it has suspended itself");
    vTaskResume(other);
    vTaskPrioritySet(other, HIGHEST);
    check(eTaskGetState(other) == eReady, "it is ready");
    expect_notes("s", "and does not run yet");
    vTaskSuspendAll();
    check(xTaskResumeAll() == pdFALSE, "a resumption lets no other one run");
    expect_notes("", "it does not");
    vTaskDelay(1);
    expect_notes("r", "until the running one waits");
}

static void script(void) {
    wakes();
    yields();
    interrupts();
    suspensions();
}

int main(void) {
    semaphore = xSemaphoreCreateBinaryStatic(&buffer);
    run_script(script);
}
