/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues: order, front, overwrite, peek, limits of time, order of waiting tasks, interrupts, registry, reset. */
#include "tests/compat/freertos.h"

enum { LENGTH = 3 };

static StaticQueue_t buffers[2];
static uint8_t storage[LENGTH * sizeof(uint32_t)];
static uint8_t single[sizeof(uint32_t)];
static QueueHandle_t queue, mailbox;

static uint32_t received(void) {
    uint32_t item = 0;
    check(xQueueReceive(queue, &item, 0) == pdPASS, "an item is there");
    return item;
}

static void send(uint32_t item) { check(xQueueSend(queue, &item, 0) == pdPASS, "there is space"); }

static void order(void) {
    uint32_t item = 7;
    check(xQueueReceive(queue, &item, 0) == errQUEUE_EMPTY && item == 7, "an empty queue gives nothing");
    send(1);
    send(2);
    item = 3;
    check(xQueueSendToFront(queue, &item, 0) == pdPASS, "to the front");
    check(xQueueSendToBack(queue, &item, 0) == errQUEUE_FULL, "a full queue takes nothing");
    check(uxQueueMessagesWaiting(queue) == 3 && uxQueueSpacesAvailable(queue) == 0, "it is full");
    check(xQueuePeek(queue, &item, 0) == pdPASS && item == 3, "a peek leaves the item");
    check(received() == 3 && received() == 1, "the front goes first");
    send(4);
    send(5);
    check(received() == 2 && received() == 4 && received() == 5, "then in order");
    for (item = 10; item < 13; item++) {
        check(xQueueOverwrite(mailbox, &item) == pdPASS, "a mailbox is written again");
    }
    check(xQueuePeek(mailbox, &item, 0) == pdPASS && item == 12, "the last one stays");
    check(uxQueueMessagesWaiting(mailbox) == 1, "there is one");
    check(xQueueReceive(mailbox, &item, 0) == pdPASS && item == 12, "and is received once");
    check(xQueueReceive(mailbox, &item, 0) == errQUEUE_EMPTY, "only");
    check(uxQueueGetQueueLength(queue) == LENGTH && uxQueueGetQueueItemSize(queue) == sizeof item, "sizes");
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

static volatile TickType_t waited;

/* Receives with the limit of its argument; notes the item, or x. */
static void receiver(void *argument) {
    uint32_t item = 0;
    const TickType_t start = xTaskGetTickCount();
    const BaseType_t done = xQueueReceive(queue, &item, (TickType_t)(uintptr_t)argument);
    waited = xTaskGetTickCount() - start;
    note(done == pdPASS ? (char)('0' + item) : 'x');
    vTaskDelete(NULL);
}

static void *forever(void) { return (void *)(uintptr_t)portMAX_DELAY; }

static void times(void) {
    (void)begin(0, HIGH, receiver, (void *)4);
    vTaskDelay(6);
    expect_notes("x", "a wait ends");
    check(waited == 4, "after its ticks");
    (void)begin(0, HIGH, receiver, (void *)4);
    vTaskDelay(2);
    send(1);
    expect_notes("1", "an item ends it at once");
    check(waited == 2, "before");
    TaskHandle_t task = begin(0, HIGH, receiver, (void *)9);
    vTaskDelay(2);
    check(xTaskAbortDelay(task) == pdPASS && waited == 2, "and so does an abort");
    expect_notes("x", "without an item");
    task = begin(0, HIGH, receiver, (void *)6);
    vTaskDelay(1);
    vTaskSuspend(task);
    vTaskDelay(1);
    vTaskResume(task);
    vTaskDelay(2);
    expect_notes("", "a suspended task that is resumed waits for what is left");
    vTaskDelay(2);
    expect_notes("x", "of its time");
    check(waited == 6, "as before");
    task = begin(0, HIGH, receiver, forever());
    vTaskSuspend(task);
    send(2);
    note('s');
    vTaskResume(task);
    expect_notes("s2", "a suspended task receives nothing until it is resumed");
}

static void who_first(void) {
    (void)begin(0, LOW, receiver, forever());
    (void)begin(1, HIGH, receiver, forever());
    (void)begin(2, HIGH, receiver, forever());
    (void)begin(3, HIGHEST, receiver, forever());
    vTaskDelay(1);
    for (uint32_t item = 1; item <= 4; item++) {
        send(item);
        note('s');
    }
    vTaskDelay(1);
    expect_notes("1s2s3ss4", "the most urgent waits shortest, equals in their order");
}

/* It is more urgent than the one that was woken, and takes the item. */
static void thief(void *argument) {
    uint32_t item = 0;
    (void)argument;
    vTaskDelay(2);
    if (xQueueReceive(queue, &item, 0) == pdPASS) {
        note('t');
    }
    vTaskDelete(NULL);
}

static void stolen(void) {
    vTaskDelay(1);
    (void)begin(1, HIGHEST, thief, NULL);
    (void)begin(0, LOW, receiver, (void *)5);
    vTaskDelay(1);
    send(1);
    busy(2);
    expect_notes("t", "a woken task is not handed the item");
    vTaskDelay(1);
    expect_notes("", "and waits for what is left of its time");
    vTaskDelay(3);
    expect_notes("x", "in vain");
    check(waited == 5, "for as long as it said");
}

static void sender(void *argument) {
    uint32_t item = 9;
    note(xQueueSend(queue, &item, (TickType_t)(uintptr_t)argument) == pdPASS ? 's' : 'x');
    vTaskDelete(NULL);
}

static void fullness(void) {
    send(1);
    send(2);
    send(3);
    (void)begin(0, HIGH, sender, (void *)2);
    vTaskDelay(3);
    expect_notes("x", "a full queue stays full");
    (void)begin(0, HIGH, sender, forever());
    check(received() == 1, "the oldest");
    expect_notes("s", "space ends the wait");
    (void)begin(0, HIGH, sender, forever());
    check(xQueueReset(queue) == pdPASS, "a reset");
    expect_notes("s", "makes space");
    check(uxQueueMessagesWaiting(queue) == 1 && received() == 9, "for those that wait");
}

static void peeker(void *argument) {
    uint32_t item = 0;
    (void)argument;
    check(xQueuePeek(queue, &item, portMAX_DELAY) == pdPASS, "it waits");
    note((char)('p'));
    vTaskDelete(NULL);
}

static void peeks(void) {
    (void)begin(0, HIGHEST, peeker, NULL);
    (void)begin(1, HIGH, peeker, NULL);
    (void)begin(2, LOW, receiver, forever());
    vTaskDelay(1);
    send(5);
    vTaskDelay(1);
    expect_notes("pp5", "all that peek see the item, and one receives it");
}

/* ---- interrupts ------------------------------------------------------------------------------------------------------ */

static void send_in_isr(void) {
    BaseType_t woken = pdFALSE;
    const uint32_t item = 6;
    check(xQueueSendFromISR(queue, &item, &woken) == pdPASS, "an interrupt sends");
    note(woken == pdTRUE ? 'w' : 'n');
    portYIELD_FROM_ISR(woken);
}

static void receive_in_isr(void) {
    BaseType_t woken = pdFALSE;
    uint32_t item = 0;
    check(xQueuePeekFromISR(queue, &item) == pdPASS && item == 6, "an interrupt peeks");
    check(xQueueReceiveFromISR(queue, &item, &woken) == pdPASS && item == 6, "and receives");
    check(xQueueReceiveFromISR(queue, &item, &woken) == pdFAIL, "what is there");
    check(xQueueIsQueueEmptyFromISR(queue) == pdTRUE && xQueueIsQueueFullFromISR(queue) == pdFALSE,
          "it is empty");
}

static void interrupts(void) {
    interrupt_0 = send_in_isr;
    interrupt_1 = receive_in_isr;
    board_interrupt_pend(0);
    board_interrupt_pend(1);
    expect_notes("n", "it wakes no task");
    (void)begin(0, HIGH, receiver, forever());
    board_interrupt_pend(0);
    expect_notes("w6", "the task runs after the interrupt");
    (void)begin(0, LOW, receiver, forever());
    vTaskDelay(1);
    board_interrupt_pend(0);
    expect_notes("n", "a less urgent one does not");
    vTaskDelay(1);
    expect_notes("6", "until it can");
    (void)begin(0, HIGH, receiver, forever());
    send_in_isr();
    expect_notes("6w", "a task may call for interrupts");
    (void)begin(0, HIGH, receiver, forever());
    uint32_t item = 3;
    check(xQueueSendFromISR(queue, &item, NULL) == pdPASS, "also without asking");
    expect_notes("3", "and switches");
}

/* ---- closed sections --------------------------------------------------------------------------------------------------- */

static void sections(void) {
    (void)begin(0, HIGH, receiver, forever());
    vTaskSuspendAll();
    send(1);
    note('s');
    (void)xTaskResumeAll();
    expect_notes("s1", "a queue is used while the scheduler is suspended");
    (void)begin(0, HIGH, receiver, forever());
    taskENTER_CRITICAL();
    send(2);
    note('s');
    taskEXIT_CRITICAL();
    expect_notes("s2", "and in a critical section");
}

static void names(void) {
    check(pcQueueGetName(queue) == NULL, "it has no name");
    vQueueAddToRegistry(queue, "first");
    vQueueAddToRegistry(queue, "second");
    check(is_same(pcQueueGetName(queue), "second"), "it has one");
    vQueueUnregisterQueue(queue);
    check(pcQueueGetName(queue) == NULL, "it has none");
}

static void memory(void) {
    const size_t before = xPortGetFreeHeapSize();
    QueueHandle_t own = xQueueCreate(4, 24);
    check(own != NULL && xPortGetFreeHeapSize() < before, "memory of the heap");
    vQueueDelete(own);
    check(xPortGetFreeHeapSize() == before, "is free again");
    check(xQueueCreate(100000, 24) == NULL, "there is not so much");
}

static void misuse(void) {
    uint32_t item = 0;
    allowed_asserts = 1;
    check(xQueueCreateStatic(0, 4, storage, &buffers[1]) == NULL && allowed_asserts == 0,
          "a queue has a length");
    allowed_asserts = 1;
    (void)xQueueOverwrite(queue, &item);
    check(allowed_asserts == 0, "only a queue of one item is overwritten");
    (void)xQueueReset(queue);
}

static void script(void) {
    order();
    times();
    who_first();
    stolen();
    fullness();
    peeks();
    interrupts();
    sections();
    names();
    memory();
    misuse();
}

int main(void) {
    queue = xQueueCreateStatic(LENGTH, sizeof(uint32_t), storage, &buffers[0]);
    mailbox = xQueueCreateStatic(1, sizeof(uint32_t), single, &buffers[1]);
    check((void *)queue == (void *)&buffers[0], "a handle is the address of the buffer");
    run_script(script);
}
