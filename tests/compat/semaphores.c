/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semaphores, mutexes with inheritance, recursive mutexes, queue sets. */
#include "tests/compat/freertos.h"

static StaticSemaphore_t buffers[5];
static SemaphoreHandle_t binary, counting, mutex, other, recursive;

static void *forever(void) { return (void *)(uintptr_t)portMAX_DELAY; }

/* ---- semaphores --------------------------------------------------------------------------------------------------- */

static void taker(void *argument) {
    note(xSemaphoreTake(binary, (TickType_t)(uintptr_t)argument) == pdTRUE ? 't' : 'x');
    vTaskDelete(NULL);
}

static void give_in_isr(void) {
    BaseType_t woken = pdFALSE;
    note(xSemaphoreGiveFromISR(binary, &woken) == pdTRUE ? 'g' : 'f');
    note(woken == pdTRUE ? 'w' : 'n');
}

static void semaphores(void) {
    check(xSemaphoreTake(binary, 0) == pdFALSE, "a binary semaphore is taken at first");
    check(xSemaphoreGive(binary) == pdTRUE && xSemaphoreGive(binary) == pdFALSE, "it is given once");
    check(uxSemaphoreGetCount(binary) == 1 && xSemaphoreTake(binary, 0) == pdTRUE, "and taken");
    (void)begin(0, HIGH, taker, (void *)3);
    vTaskDelay(4);
    expect_notes("x", "a take ends");
    interrupt_0 = give_in_isr;
    (void)begin(0, HIGH, taker, forever());
    board_interrupt_pend(0);
    board_interrupt_pend(0);
    board_interrupt_pend(0);
    expect_notes("gwtgnfn", "an interrupt gives");
    check(xSemaphoreTakeFromISR(binary, NULL) == pdTRUE, "a take for interrupts");
    check(xSemaphoreTake(counting, 0) == pdTRUE && xSemaphoreTake(counting, 0) == pdTRUE, "two units");
    check(xSemaphoreTake(counting, 1) == pdFALSE, "and no more");
    for (int unit = 0; unit < 3; unit++) {
        check(xSemaphoreGive(counting) == pdTRUE, "up to the limit");
    }
    check(xSemaphoreGive(counting) == pdFALSE && uxSemaphoreGetCount(counting) == 3, "of three");
    SemaphoreHandle_t old;
    vSemaphoreCreateBinary(old);
    check(old != NULL && xSemaphoreTake(old, 0) == pdTRUE, "the old form is given at first");
    vSemaphoreDelete(old);
}

/* ---- inheritance ----------------------------------------------------------------------------------------------------- */

static void locker(void *argument) {
    note(xSemaphoreTake(mutex, (TickType_t)(uintptr_t)argument) == pdTRUE ? 'l' : 'x');
    if (xSemaphoreGetMutexHolder(mutex) == xTaskGetCurrentTaskHandle()) {
        (void)xSemaphoreGive(mutex);
    }
    vTaskDelete(NULL);
}

static void middle(void *argument) {
    (void)argument;
    note('m');
    vTaskDelete(NULL);
}

static void inheritance(void) {
    check(xSemaphoreTake(mutex, 0) == pdTRUE, "a mutex is free at first");
    check(xSemaphoreGetMutexHolder(mutex) == xTaskGetCurrentTaskHandle(), "it has a holder");
    check(xSemaphoreTake(mutex, 0) == pdFALSE, "which cannot take it again");
    (void)begin(0, HIGHEST, locker, forever());
    check(uxTaskPriorityGet(NULL) == HIGHEST && uxTaskBasePriorityGet(NULL) == MIDDLE, "the holder inherits");
    (void)begin(1, HIGH, middle, NULL);
    note('s');
    check(xSemaphoreGive(mutex) == pdTRUE, "it gives");
    check(uxTaskPriorityGet(NULL) == MIDDLE, "and inherits no more");
    expect_notes("slm", "no task between the priorities delays the waiting one");

    check(xSemaphoreTake(mutex, 0) == pdTRUE && xSemaphoreTake(other, 0) == pdTRUE, "two mutexes");
    (void)begin(0, HIGHEST, locker, forever());
    check(xSemaphoreGive(mutex) == pdTRUE, "the one");
    check(uxTaskPriorityGet(NULL) == HIGHEST, "an inheritance lasts until all are given");
    expect_notes("", "the waiting one is no more urgent than the holder");
    check(xSemaphoreGive(other) == pdTRUE && uxTaskPriorityGet(NULL) == MIDDLE, "and ends then");
    expect_notes("l", "the waiting one runs");
}

static void inheritance_that_fails(void) {
    check(xSemaphoreTake(mutex, 0) == pdTRUE, "taken");
    (void)begin(0, HIGH, locker, (void *)9);
    (void)begin(1, HIGHEST, locker, (void *)3);
    check(uxTaskPriorityGet(NULL) == HIGHEST, "of the most urgent");
    busy(5);
    check(uxTaskPriorityGet(NULL) == HIGH, "a wait that fails takes its part back");
    busy(6);
    check(uxTaskPriorityGet(NULL) == MIDDLE, "and the last one all");
    check(xSemaphoreGive(mutex) == pdTRUE, "given");
    expect_notes("xx", "in vain");
    check(xSemaphoreTake(mutex, 0) == pdTRUE, "taken");
    (void)begin(0, HIGH, locker, forever());
    vTaskPrioritySet(NULL, LOW);
    check(uxTaskPriorityGet(NULL) == HIGH && uxTaskBasePriorityGet(NULL) == LOW, "what is inherited stays");
    check(xSemaphoreGive(mutex) == pdTRUE, "given");
    expect_notes("l", "taken");
    check(uxTaskPriorityGet(NULL) == LOW, "the new priority counts now");
    vTaskPrioritySet(NULL, MIDDLE);
}

static void nesting(void) {
    check(xSemaphoreGiveRecursive(recursive) == pdFALSE, "only the holder gives");
    for (int depth = 0; depth < 3; depth++) {
        check(xSemaphoreTakeRecursive(recursive, 0) == pdTRUE, "its holder takes it again");
    }
    for (int depth = 0; depth < 3; depth++) {
        check(xSemaphoreGetMutexHolder(recursive) == xTaskGetCurrentTaskHandle(), "it is held");
        check(xSemaphoreGiveRecursive(recursive) == pdTRUE, "until it is given as often");
    }
    check(xSemaphoreGetMutexHolder(recursive) == NULL && xSemaphoreGiveRecursive(recursive) == pdFALSE,
          "and free");
}

static void giver(void *argument) {
    (void)argument;
    allowed_asserts = 1;
    (void)xSemaphoreGive(mutex);
    note(allowed_asserts == 0 ? 'a' : '-');
    vTaskDelete(NULL);
}

static void misuse(void) {
    check(xSemaphoreTake(mutex, 0) == pdTRUE, "taken");
    (void)begin(0, HIGH, giver, NULL);
    expect_notes("a", "a mutex is given by its holder");
    allowed_asserts = 2;
    check(xSemaphoreCreateCountingStatic(0, 0, &buffers[0]) == NULL && allowed_asserts == 0,
          "a limit is above 0");
}

/* ---- sets ---------------------------------------------------------------------------------------------------------------- */

static QueueSetHandle_t set;

static void selector(void *argument) {
    for (;;) {
        QueueSetMemberHandle_t member = xQueueSelectFromSet(set, portMAX_DELAY);
        uint32_t item = 0;
        if (member == binary) {
            note(xSemaphoreTake(binary, 0) == pdTRUE ? 'b' : '?');
        } else {
            note(xQueueReceive(member, &item, 0) == pdTRUE ? (char)('0' + item) : '?');
        }
        (void)argument;
    }
}

static void sets(void) {
    QueueHandle_t queue = xQueueCreate(2, sizeof(uint32_t));
    set = xQueueCreateSet(3);
    while (xSemaphoreTake(binary, 0) == pdTRUE) {
    }
    check(xQueueAddToSet(queue, set) == pdPASS && xQueueAddToSet(binary, set) == pdPASS, "two members");
    check(xQueueAddToSet(queue, set) == pdFAIL, "a member has one set");
    uint32_t item = 4;
    check(xQueueSend(queue, &item, 0) == pdPASS && xSemaphoreGive(binary) == pdTRUE, "both are ready");
    check(uxQueueMessagesWaiting(set) == 2, "a set is a queue");
    QueueSetMemberHandle_t member = NULL;
    check(xQueuePeek(set, &member, 0) == pdPASS && member == queue, "of members in their order");
    check(xQueueRemoveFromSet(queue, set) == pdFAIL, "a member that has something stays");
    TaskHandle_t task = begin(0, HIGH, selector, NULL);
    expect_notes("4b", "both are selected");
    item = 5;
    check(xQueueSend(queue, &item, 0) == pdPASS, "more");
    interrupt_0 = give_in_isr;
    board_interrupt_pend(0);
    expect_notes("5gwb", "also from an interrupt");
    vTaskDelete(task);
    check(xQueueSelectFromSet(set, 2) == NULL && xQueueSelectFromSetFromISR(set) == NULL, "nothing is left");
    check(xQueueRemoveFromSet(queue, set) == pdPASS && xQueueRemoveFromSet(queue, set) == pdFAIL,
          "a member leaves once");
    check(xQueueRemoveFromSet(binary, set) == pdPASS, "and the other");
    vQueueDelete(queue);
    vQueueDelete(set);
}

static void script(void) {
    semaphores();
    inheritance();
    inheritance_that_fails();
    nesting();
    sets();
    misuse();
}

int main(void) {
    binary = xSemaphoreCreateBinaryStatic(&buffers[0]);
    counting = xSemaphoreCreateCountingStatic(3, 2, &buffers[1]);
    mutex = xSemaphoreCreateMutexStatic(&buffers[2]);
    other = xSemaphoreCreateMutexStatic(&buffers[3]);
    recursive = xSemaphoreCreateRecursiveMutexStatic(&buffers[4]);
    check(xSemaphoreTake(mutex, 0) == pdTRUE && xSemaphoreGive(mutex) == pdTRUE,
          "before the start they are used");
    run_script(script);
}
