/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Notifications of tasks and their arrays; event groups. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/event_groups.h"

static TaskHandle_t self, task;

/* ---- notifications --------------------------------------------------------------------------------------------------- */

static void actions(void) {
    uint32_t value = 0;
    uint32_t before = 0;
    check(xTaskNotify(self, 0x5, eSetBits) == pdPASS && xTaskNotify(self, 0x2, eSetBits) == pdPASS,
          "bits are set");
    check(xTaskNotifyWait(0, 0x3, &value, 0) == pdTRUE && value == 0x7, "and read");
    check(xTaskNotifyWait(0, 0, &value, 0) == pdFALSE && value == 0x4, "those at the exit are cleared");
    check(xTaskNotifyWait(0x4, 0, &value, 2) == pdFALSE && value == 0, "and those at the entry");
    check(xTaskNotify(self, 9, eSetValueWithoutOverwrite) == pdPASS, "a value");
    check(xTaskNotify(self, 8, eSetValueWithoutOverwrite) == pdFAIL, "is not overwritten");
    check(xTaskNotifyAndQuery(self, 7, eSetValueWithOverwrite, &before) == pdPASS && before == 9,
          "unless it may");
    check(xTaskNotifyAndQuery(self, 0, eNoAction, &before) == pdPASS && before == 7, "no action");
    check(xTaskNotifyStateClear(NULL) == pdPASS && xTaskNotifyStateClear(self) == pdFAIL,
          "it is pending once");
    check(ulTaskNotifyValueClear(NULL, 0x6) == 7 && ulTaskNotifyValueClear(NULL, 0) == 1,
          "bits of the value");
    check(ulTaskNotifyTake(pdTRUE, 0) == 1 && ulTaskNotifyTake(pdTRUE, 0) == 0, "a value is taken");
    check(xTaskNotifyGive(self) == pdPASS && xTaskNotifyGive(self) == pdPASS, "given twice");
    check(ulTaskNotifyTake(pdFALSE, 0) == 2 && ulTaskNotifyTake(pdFALSE, 0) == 1, "is taken twice");
    const TickType_t start = xTaskGetTickCount();
    check(ulTaskNotifyTake(pdFALSE, 3) == 0 && xTaskGetTickCount() - start >= 3, "and waited for");
}

static void waiter(void *argument) {
    const UBaseType_t index = (UBaseType_t)(uintptr_t)argument;
    uint32_t value = 0;
    for (;;) {
        const BaseType_t is_notified = xTaskNotifyWaitIndexed(index, 0, UINT32_MAX, &value, portMAX_DELAY);
        note(is_notified == pdTRUE ? (char)('0' + value) : 'x');
    }
}

static void taker(void *argument) {
    (void)argument;
    for (;;) {
        note((char)('0' + ulTaskNotifyTake(pdTRUE, portMAX_DELAY)));
    }
}

static void notify_in_isr(void) {
    BaseType_t woken = pdFALSE;
    uint32_t before = 7;
    check(xTaskNotifyAndQueryIndexedFromISR(task, 1, 3, eSetValueWithOverwrite, &before, &woken) == pdPASS,
          "isr");
    note(woken == pdTRUE ? 'w' : 'n');
}

static void give_in_isr(void) {
    BaseType_t woken = pdFALSE;
    vTaskNotifyGiveFromISR(task, &woken);
    note(woken == pdTRUE ? 'w' : 'n');
}

static void arrays(void) {
    task = begin(0, HIGH, waiter, (void *)1);
    check(xTaskNotifyIndexed(task, 2, 5, eSetBits) == pdPASS, "another entry");
    expect_notes("", "does not wake");
    check(xTaskNotifyIndexed(task, 1, 5, eSetBits) == pdPASS, "that entry");
    expect_notes("5", "wakes");
    interrupt_0 = notify_in_isr;
    board_interrupt_pend(0);
    expect_notes("w3", "also from an interrupt");
    vTaskSuspend(task);
    check(xTaskNotifyIndexed(task, 1, 4, eSetBits) == pdPASS, "suspended");
    expect_notes("", "it waits for its resumption");
    vTaskResume(task);
    expect_notes("4", "and has the notification then");
    vTaskSuspend(task);
    vTaskResume(task);
    expect_notes("x", "a suspension ends the wait");
    check(xTaskAbortDelay(task) == pdPASS, "an abort");
    expect_notes("x", "too");
    vTaskDelete(task);
    task = begin(0, HIGH, taker, NULL);
    interrupt_0 = give_in_isr;
    board_interrupt_pend(0);
    expect_notes("w1", "a give wakes");
    vTaskSuspendAll();
    (void)xTaskNotifyGive(task);
    (void)xTaskNotifyGive(task);
    (void)xTaskResumeAll();
    expect_notes("2", "gives while the scheduler is suspended add up");
    taskENTER_CRITICAL();
    (void)xTaskNotifyGive(task);
    (void)xTaskNotifyGive(task);
    note('s');
    taskEXIT_CRITICAL();
    expect_notes("s2", "likewise in a critical section");
    vTaskDelete(task);
    allowed_asserts = 1;
    (void)xTaskNotifyStateClearIndexed(NULL, 2);
    check(allowed_asserts == 1, "the last entry");
    allowed_asserts = 0;
}

/* ---- event groups ------------------------------------------------------------------------------------------------------- */

static StaticEventGroup_t buffer;
static EventGroupHandle_t group;

enum { A = 1, B = 2, C = 4, ALL = A | B | C };

typedef struct wish {
    EventBits_t bits;
    BaseType_t clears, needs_all;
    TickType_t ticks;
} wish_t;

static void awaiter(void *argument) {
    const wish_t *wish = argument;
    const EventBits_t bits =
        xEventGroupWaitBits(group, wish->bits, wish->clears, wish->needs_all, wish->ticks);
    note((char)('0' + bits));
    vTaskDelete(NULL);
}

static void groups(void) {
    static const wish_t any = {A | B, pdFALSE, pdFALSE, portMAX_DELAY};
    static const wish_t all = {A | B, pdTRUE, pdTRUE, portMAX_DELAY};
    static const wish_t in_time = {C, pdTRUE, pdTRUE, 3};
    check(xEventGroupGetBits(group) == 0, "no bit at first");
    check(xEventGroupSetBits(group, A | C) == (A | C) && xEventGroupClearBits(group, C) == (A | C),
          "set and clear");
    check(xEventGroupGetBits(group) == A, "one is left");
    check(xEventGroupWaitBits(group, A | B, pdTRUE, pdTRUE, 0) == A, "not all");
    check(xEventGroupWaitBits(group, A | B, pdTRUE, pdFALSE, 0) == A && xEventGroupGetBits(group) == 0,
          "any, cleared");
    (void)begin(0, HIGH, awaiter, (void *)(uintptr_t)&all);
    (void)begin(1, HIGHEST, awaiter, (void *)(uintptr_t)&any);
    (void)begin(2, HIGH, awaiter, (void *)(uintptr_t)&in_time);
    check(xEventGroupSetBits(group, A) == A, "any");
    expect_notes("1", "wakes the one");
    check(xEventGroupSetBits(group, B | C) == 0, "all of the others' bits are cleared");
    expect_notes("77", "both see the bits as they were");
    (void)begin(2, HIGH, awaiter, (void *)(uintptr_t)&in_time);
    (void)xEventGroupSetBits(group, A);
    vTaskDelay(4);
    expect_notes("1", "a wait that ends returns the bits");
    (void)xEventGroupClearBits(group, ALL);
    (void)begin(0, LOW, awaiter, (void *)(uintptr_t)&all);
    vTaskDelay(1);
    (void)xEventGroupSetBits(group, A | B);
    (void)xEventGroupSetBits(group, C);
    vTaskDelay(1);
    expect_notes("3", "the value at the unblocking is returned");
    (void)xEventGroupClearBits(group, ALL);
}

static void meeting(void *argument) {
    const EventBits_t own = (EventBits_t)(uintptr_t)argument;
    for (int round = 0; round < 2; round++) {
        check(xEventGroupSync(group, own, ALL, portMAX_DELAY) == ALL, "all meet");
        note((char)('0' + own));
    }
    vTaskDelete(NULL);
}

static void rendezvous(void) {
    check(xEventGroupSync(group, A, ALL, 2) == A, "a meeting without the others");
    check(xEventGroupClearBits(group, ALL) == A, "does not clear");
    (void)begin(0, HIGH, meeting, (void *)A);
    (void)begin(1, HIGHEST, meeting, (void *)B);
    check(xEventGroupSync(group, C, ALL, 0) == ALL, "the last one does not wait");
    expect_notes("21", "all run");
    check(xEventGroupSync(group, C, ALL, 5) == ALL && xEventGroupGetBits(group) == 0, "again");
    expect_notes("21", "and the bits are cleared");
}

static void set_in_isr(void) {
    BaseType_t woken = pdFALSE;
    check(xEventGroupSetBitsFromISR(group, B, &woken) == pdPASS && woken == pdTRUE, "in the daemon");
}

static void clear_in_isr(void) { check(xEventGroupClearBitsFromISR(group, B) == pdPASS, "in the daemon"); }

static void the_end(void) {
    static const wish_t never = {C, pdFALSE, pdFALSE, portMAX_DELAY};
    interrupt_0 = set_in_isr;
    interrupt_1 = clear_in_isr;
    board_interrupt_pend(0);
    check(xEventGroupGetBits(group) == B, "an interrupt sets");
    board_interrupt_pend(1);
    check(xEventGroupGetBits(group) == 0, "and clears");
    (void)begin(0, HIGH, awaiter, (void *)(uintptr_t)&never);
    vEventGroupDelete(group);
    expect_notes("0", "the end of a group ends waits");
}

static void script(void) {
    self = xTaskGetCurrentTaskHandle();
    actions();
    arrays();
    group = xEventGroupCreateStatic(&buffer);
    groups();
    rendezvous();
    the_end();
    group = xEventGroupCreate();
    rendezvous();
    vEventGroupDelete(group);
}

int main(void) { run_script(script); }
