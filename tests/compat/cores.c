/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Two parts of a program that share memory alone, as on two cores: sbSEND_COMPLETED of the configuration sends the handle of
 * a message buffer through another one, and an interrupt of the other part wakes the task that waits. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/message_buffer.h"

enum { PARTS = 2, BYTES = 40 };

static MessageBufferHandle_t control, data[PARTS];

/* Drains the control buffer: what has arrived meanwhile is announced by no other interrupt. */
static void on_other_core(void) {
    BaseType_t woken = pdFALSE;
    void *updated = NULL;
    while (xMessageBufferReceiveFromISR(control, &updated, sizeof updated, &woken) == sizeof updated) {
        (void)xMessageBufferSendCompletedFromISR((MessageBufferHandle_t)updated, &woken);
    }
    portYIELD_FROM_ISR(woken);
}

void announce(void *buffer) {
    if (buffer != control) {
        check(xMessageBufferSend(control, &buffer, sizeof buffer, 0) == sizeof buffer, "a handle fits");
        board_interrupt_pend(0);
    }
}

static void part(void *argument) {
    const uintptr_t number = (uintptr_t)argument;
    for (uint32_t expected = 0; expected < 3; expected++) {
        uint32_t value = 0;
        check(xMessageBufferReceive(data[number], &value, sizeof value, portMAX_DELAY) == sizeof value,
              "a message");
        check(value == 10 * expected + number, "in order");
        note((char)('a' + number));
    }
    vTaskDelete(NULL);
}

static void script(void) {
    (void)begin(0, HIGH, part, (void *)0);
    (void)begin(1, HIGHEST, part, (void *)1);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t number = 0; number < PARTS; number++) {
            const uint32_t value = 10 * round + number;
            check(xMessageBufferSend(data[number], &value, sizeof value, 0) == sizeof value, "it is sent");
        }
    }
    expect_notes("ababab", "each part has its messages at once");
}

int main(void) {
    interrupt_0 = on_other_core;
    control = xMessageBufferCreate(BYTES);
    for (uint32_t number = 0; number < PARTS; number++) {
        data[number] = xMessageBufferCreate(BYTES);
    }
    run_script(script);
}
