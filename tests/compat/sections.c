/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Critical sections that mask interrupts for long: each is reported with its task, when it ends. */
#include "tests/compat/freertos.h"

static TaskHandle_t reported;
static uint64_t length;
static uint32_t reports;

void vApplicationLongSectionHook(TaskHandle_t task, uint64_t ticks) {
    reported = task;
    length = ticks;
    reports++;
}

static void sections(void *argument) {
    const TickType_t ticks = (TickType_t)(uintptr_t)argument;
    taskENTER_CRITICAL();
    taskENTER_CRITICAL();
    busy(ticks);
    taskEXIT_CRITICAL();
    taskEXIT_CRITICAL();
    note('.');
    vTaskDelete(NULL);
}

static void script(void) {
    (void)begin(0, HIGH, sections, (void *)0);
    check(reports == 0, "a short section is not reported");
    TaskHandle_t task = begin(1, HIGH, sections, (void *)3);
    expect_notes("..", "both have ended");
    check(reports == 1 && reported == task, "a long one is, with its task");
    check(length >= 3 * configLONG_SECTION_TICKS && length < 6 * configLONG_SECTION_TICKS, "and its length");
    taskENTER_CRITICAL();
    (void)begin(2, HIGH, sections, (void *)0);
    taskEXIT_CRITICAL();
    check(reports == 1, "a call that opens a section begins to measure anew");
}

int main(void) { run_script(script); }
