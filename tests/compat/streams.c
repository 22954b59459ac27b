/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stream buffers and message buffers. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/message_buffer.h"
#include "compat/freertos/include/stream_buffer.h"

enum { BYTES = 10 };

static StaticStreamBuffer_t buffers[2];
static uint8_t storage[2][BYTES + 1];
static StreamBufferHandle_t stream;
static MessageBufferHandle_t messages;
static volatile TickType_t waited;

static void text(const char *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at++) {
        note(data[at]);
    }
}

static size_t take(size_t bytes, TickType_t ticks) {
    char data[BYTES] = {0};
    const TickType_t start = xTaskGetTickCount();
    const size_t taken = xStreamBufferReceive(stream, data, bytes, ticks);
    waited = xTaskGetTickCount() - start;
    text(data, taken);
    return taken;
}

static void taker(void *argument) {
    (void)take((size_t)(uintptr_t)argument, 4);
    note('.');
    vTaskDelete(NULL);
}

static void bytes(void) {
    check(xStreamBufferIsEmpty(stream) == pdTRUE && xStreamBufferSpacesAvailable(stream) == BYTES,
          "it is empty");
    check(xStreamBufferReceive(stream, storage[1], 1, 0) == 0, "nothing is there");
    for (int round = 0; round < 5; round++) {
        check(xStreamBufferSend(stream, "abcdefg", 7, 0) == 7 && xStreamBufferBytesAvailable(stream) == 7,
              "bytes");
        check(xStreamBufferSend(stream, "hijklmn", 7, 0) == 3 && xStreamBufferIsFull(stream) == pdTRUE,
              "what fits");
        check(take(4, 0) == 4 && take(BYTES, 0) == 6, "are received in order");
        expect_notes("abcdefghij", "all");
    }
}

static void trigger(void) {
    check(xStreamBufferSetTriggerLevel(stream, 3) == pdTRUE, "three wake");
    check(xStreamBufferSetTriggerLevel(stream, BYTES + 1) == pdFALSE, "so many never");
    (void)begin(0, HIGH, taker, (void *)BYTES);
    check(xStreamBufferSend(stream, "ab", 2, 0) == 2, "two");
    expect_notes("", "do not");
    check(xStreamBufferSend(stream, "c", 1, 0) == 1, "the third one");
    expect_notes("abc.", "does");
    (void)begin(0, HIGH, taker, (void *)BYTES);
    check(xStreamBufferSend(stream, "x", 1, 0) == 1, "one");
    vTaskDelay(5);
    expect_notes("x.", "is received when the time is up");
    check(waited == 4, "in time");
    (void)xStreamBufferSend(stream, "y", 1, 0);
    (void)begin(0, HIGH, taker, (void *)BYTES);
    expect_notes("y.", "what is there is not waited for");
    check(xStreamBufferSetTriggerLevel(stream, 0) == pdTRUE, "0 is 1");
}

static void sender(void *argument) {
    note((char)('0' + xStreamBufferSend(stream, "0123456789", (size_t)(uintptr_t)argument, 3)));
    vTaskDelete(NULL);
}

static void fullness(void) {
    (void)xStreamBufferSend(stream, "abcdefgh", 8, 0);
    (void)begin(0, HIGH, sender, (void *)5);
    check(take(3, 0) == 3, "space");
    expect_notes("5abc", "ends the wait");
    check(xStreamBufferReset(stream) == pdPASS && xStreamBufferIsEmpty(stream) == pdTRUE, "a reset");
    (void)xStreamBufferSend(stream, "abcdefgh", 8, 0);
    (void)begin(0, HIGH, sender, (void *)5);
    check(xStreamBufferReset(stream) == pdFAIL, "not while a task waits");
    vTaskDelay(4);
    expect_notes("2", "what fits is sent when the time is up");
    (void)xStreamBufferReset(stream);
}

static void send_in_isr(void) {
    BaseType_t woken = pdFALSE;
    check(xStreamBufferSendFromISR(stream, "isr", 3, &woken) == 3, "an interrupt sends");
    note(woken == pdTRUE ? 'w' : 'n');
}

static void receive_in_isr(void) {
    BaseType_t woken = pdFALSE;
    char data[BYTES];
    text(data, xStreamBufferReceiveFromISR(stream, data, 2, &woken));
}

static void interrupts(void) {
    interrupt_0 = send_in_isr;
    interrupt_1 = receive_in_isr;
    board_interrupt_pend(0);
    board_interrupt_pend(1);
    expect_notes("nis", "and receives");
    check(take(BYTES, 0) == 1, "what is left");
    (void)begin(0, HIGH, taker, (void *)2);
    board_interrupt_pend(0);
    check(take(1, 0) == 1, "the rest");
    expect_notes("rwis.r", "it wakes");
}

/* ---- tasks that end, and what is called in place of waking ------------------------------------------------------------ */

static void forgotten(void) {
    TaskHandle_t task = begin(0, HIGH, taker, (void *)BYTES);
    vTaskDelete(task);
    check(xStreamBufferReset(stream) == pdPASS, "a deleted task waits no more");
    task = begin(0, HIGH, taker, (void *)BYTES);
    check(xTaskAbortDelay(task) == pdPASS, "nor does one whose wait is ended");
    expect_notes(".", "it receives nothing");
    task = begin(0, HIGH, taker, (void *)BYTES);
    vTaskSuspend(task);
    check(xStreamBufferSend(stream, "z", 1, 0) == 1, "one that is suspended is not waited for");
    vTaskResume(task);
    expect_notes("z.", "it takes what is there when it is resumed");
}

static StreamBufferHandle_t announced;

static void sent(StreamBufferHandle_t buffer, BaseType_t is_in_isr, BaseType_t *const woken) {
    announced = buffer;
    note(is_in_isr == pdTRUE ? 'S' : 's');
    if (is_in_isr == pdTRUE) {
        (void)xStreamBufferSendCompletedFromISR(buffer, woken);
    }
}

static void received(StreamBufferHandle_t buffer, BaseType_t is_in_isr, BaseType_t *const woken) {
    (void)woken;
    check(buffer == announced, "the same buffer");
    note(is_in_isr == pdTRUE ? 'R' : 'r');
}

static void callbacks(void) {
    StreamBufferHandle_t before = stream;
    stream = xStreamBufferCreateWithCallback(BYTES, 2, sent, received);
    (void)begin(0, HIGH, taker, (void *)2);
    check(xStreamBufferSend(stream, "a", 1, 0) == 1, "a byte");
    expect_notes("", "is less than the trigger");
    check(xStreamBufferSend(stream, "b", 1, 0) == 1, "another one");
    expect_notes("s", "is announced, and wakes nobody");
    check(xStreamBufferSendCompletedFromISR(stream, NULL) == pdTRUE, "a task waits");
    expect_notes("rab.", "and is woken");
    (void)begin(0, HIGH, taker, (void *)3);
    interrupt_0 = send_in_isr;
    board_interrupt_pend(0);
    expect_notes("Swrisr.", "by an interrupt, too");
    vStreamBufferDelete(stream);
    stream = before;
}

/* ---- messages ---------------------------------------------------------------------------------------------------------- */

static void message_taker(void *argument) {
    char data[BYTES];
    (void)argument;
    text(data, xMessageBufferReceive(messages, data, sizeof data, portMAX_DELAY));
    note('.');
    vTaskDelete(NULL);
}

static void whole(void) {
    char data[BYTES];
    const size_t head = sizeof(configMESSAGE_BUFFER_LENGTH_TYPE);
    const size_t space = 4 * (head + 4);
    messages = xMessageBufferCreate(space);
    check(messages != NULL && xMessageBufferSpacesAvailable(messages) == space, "memory of the heap");
    for (int number = 0; number < 4; number++) {
        check(xMessageBufferSend(messages, "four", 4, 0) == 4, "messages");
    }
    check(xMessageBufferIsFull(messages) == pdTRUE && xMessageBufferSend(messages, "five5", 5, 0) == 0,
          "as a whole");
    check(xMessageBufferNextLengthBytes(messages) == 4, "the length of the next one");
    check(xMessageBufferReceive(messages, data, 3, 0) == 0, "memory that is too small gets nothing");
    check(xMessageBufferReceive(messages, data, sizeof data, 0) == 4, "else all");
    check(xMessageBufferSend(messages, "ab", 2, 0) == 2 && xMessageBufferReset(messages) == pdPASS,
          "a reset");
    check(xMessageBufferIsEmpty(messages) == pdTRUE && xMessageBufferNextLengthBytes(messages) == 0,
          "empties it");
    check(xMessageBufferSend(messages, storage[0], space, portMAX_DELAY) == 0,
          "what never fits is not waited for");
    (void)begin(0, HIGH, message_taker, NULL);
    check(xMessageBufferSend(messages, "m", 1, 0) == 1, "a message");
    expect_notes("m.", "wakes");
    vMessageBufferDelete(messages);
}

static void script(void) {
    bytes();
    trigger();
    fullness();
    interrupts();
    forgotten();
    callbacks();
    whole();
    vTaskDelay(1);
}

int main(void) {
    stream = xStreamBufferCreateStatic(BYTES + 1, 1, storage[0], &buffers[0]);
    run_script(script);
}
