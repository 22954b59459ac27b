/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Software timers: the daemon, its queue, one-shot and reloading timers, late commands. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/timers.h"

static StaticTimer_t buffers[2];
static TimerHandle_t once, often, extra[configTIMER_QUEUE_LENGTH];
static volatile TickType_t last;
static volatile uint32_t calls;

static void called(TimerHandle_t timer) {
    check(xTaskGetCurrentTaskHandle() == xTimerGetTimerDaemonTaskHandle(), "callbacks run in the daemon");
    last = xTaskGetTickCount();
    calls++;
    note(*(const char *)pvTimerGetTimerID(timer));
}

static void one_shot(void) {
    vTaskDelay(1);
    const TickType_t start = xTaskGetTickCount();
    check(xTimerIsTimerActive(once) == pdFALSE, "it does not run at first");
    check(xTimerStart(once, 0) == pdPASS && xTimerIsTimerActive(once) == pdTRUE, "it runs");
    check(xTimerGetExpiryTime(once) == start + 4, "for its period");
    vTaskDelay(3);
    check(xTimerReset(once, 0) == pdPASS, "a reset");
    vTaskDelay(5);
    expect_notes("o", "it expires once");
    check(last == start + 7 && xTimerIsTimerActive(once) == pdFALSE, "a period after the reset");
    check(xTimerStart(once, 0) == pdPASS && xTimerStop(once, 0) == pdPASS, "a stop");
    vTaskDelay(6);
    expect_notes("", "ends it");
    check(xTimerChangePeriod(once, 2, 0) == pdPASS && xTimerGetPeriod(once) == 2, "a new period starts it");
    vTaskDelay(3);
    expect_notes("o", "as well");
}

static void reloading(void) {
    vTaskDelay(1);
    const TickType_t start = xTaskGetTickCount();
    check(uxTimerGetReloadMode(often) == pdTRUE, "it reloads");
    check(xTimerStart(often, 0) == pdPASS, "started");
    vTaskDelay(10);
    expect_notes("rrr", "every period");
    check(last == start + 9, "without drift");
    vTimerSetReloadMode(often, pdFALSE);
    vTaskDelay(10);
    expect_notes("r", "once more");
    vTimerSetReloadMode(often, pdTRUE);
    check(xTimerStart(often, 0) == pdPASS && xTimerStart(once, 0) == pdPASS, "two");
    vTaskDelay(4);
    check(xTimerStop(often, 0) == pdPASS, "stopped");
    expect_notes("or", "in the order of expiry");
}

static void late(void) {
    vTaskDelay(1);
    calls = 0;
    vTaskSuspendAll();
    check(xTimerStart(often, 0) == pdPASS, "started while the daemon cannot run");
    busy(10);
    check(calls == 0, "it has not");
    check(xTaskResumeAll() == pdTRUE, "the daemon runs");
    check(calls == 3, "it counts from when it was asked for, and makes up for what was missed");
    check(xTimerStop(often, 0) == pdPASS, "stopped");
    expect_notes("rrr", "three");
}

static void start_in_isr(void) {
    BaseType_t woken = pdFALSE;
    check(xTimerStartFromISR(once, &woken) == pdPASS && woken == pdTRUE, "an interrupt starts");
}

static void stop_in_isr(void) {
    BaseType_t woken = pdFALSE;
    check(xTimerStopFromISR(once, &woken) == pdPASS && xTimerChangePeriodFromISR(often, 3, &woken) == pdPASS,
          "stops");
}

static void interrupts(void) {
    interrupt_0 = start_in_isr;
    interrupt_1 = stop_in_isr;
    board_interrupt_pend(0);
    vTaskDelay(3);
    expect_notes("o", "and it expires");
    board_interrupt_pend(0);
    board_interrupt_pend(1);
    check(xTimerIsTimerActive(once) == pdFALSE && xTimerIsTimerActive(often) == pdTRUE, "and changes");
    vTaskDelay(4);
    expect_notes("r", "the other one");
    check(xTimerStop(often, 0) == pdPASS, "stopped");
}

static void pended(void *argument, uint32_t value) {
    note(*(const char *)argument);
    note((char)('0' + value));
}

static void functions(void) {
    static char letter[] = "f";
    check(xTimerPendFunctionCall(pended, letter, 3, 0) == pdPASS, "a function");
    expect_notes("f3", "is called by the daemon");
    vTaskSuspendAll();
    for (int number = 0; number < configTIMER_QUEUE_LENGTH; number++) {
        check(xTimerPendFunctionCall(pended, letter, 1, 0) == pdPASS, "as many as the queue holds");
    }
    check(xTimerPendFunctionCall(pended, letter, 1, 0) == pdFAIL, "and no more");
    check(xTaskResumeAll() == pdTRUE, "the daemon runs");
    expect_notes("f1f1f1f1f1", "all are called");
    check(xTaskCatchUpTicks(0) == pdFALSE, "nothing to catch up");
    check(xTimerStart(once, 0) == pdPASS && xTaskCatchUpTicks(2) == pdTRUE,
          "ticks that are caught up count for timers");
    expect_notes("o", "too");
}

static void script(void) {
    vTaskDelay(12);
    expect_notes("xxxxx", "commands before the start were kept");
    for (int number = 0; number < configTIMER_QUEUE_LENGTH; number++) {
        check(xTimerDelete(extra[number], 5) == pdPASS, "a timer ends");
    }
    one_shot();
    reloading();
    late();
    interrupts();
    functions();
    check(is_same(pcTimerGetName(once), "once"), "a timer has a name");
}

int main(void) {
    static char letter_once[] = "o";
    static char letter_often[] = "r";
    static char letter_extra[] = "x";
    once = xTimerCreateStatic("once", 4, pdFALSE, letter_once, called, &buffers[0]);
    often = xTimerCreateStatic("often", 3, pdTRUE, letter_often, called, &buffers[1]);
    for (int number = 0; number < configTIMER_QUEUE_LENGTH; number++) {
        extra[number] = xTimerCreate("extra", 10, pdFALSE, letter_extra, called);
        check(xTimerStart(extra[number], 0) == pdPASS, "before the start the queue has its length");
    }
    check(xTimerStart(once, portMAX_DELAY) == pdFAIL, "and no more");
    run_script(script);
}
