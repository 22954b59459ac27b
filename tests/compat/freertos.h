/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs on FreeRTOS' interface share: notes of what has run, busy time, and the start. */
#ifndef TAKT_TESTS_FREERTOS_H
#define TAKT_TESTS_FREERTOS_H

#include "compat/freertos/include/FreeRTOS.h"
#include "compat/freertos/include/queue.h"
#include "compat/freertos/include/semphr.h"
#include "compat/freertos/include/task.h"

#include "kernel/units.h"
#include "tests/conformance/conformance.h"

enum { LEAST = 1, LOW = 2, MIDDLE = 3, HIGH = 4, HIGHEST = 5, TEST_TASKS = 8 };

/* Returns whether both texts are the same. */
bool is_same(const char *one, const char *other);

/* Appends a letter to the notes, from anywhere. */
void note(char letter);

/* Ends the program unless the notes are `letters`; then they are empty. */
void expect_notes(const char *letters, const char *sentence);

/* Executes for `ticks` ticks of the program, at least that time. */
void busy(TickType_t ticks);

/* Creates static task `number` below TEST_TASKS, which may have been deleted. */
TaskHandle_t begin(uint32_t number, UBaseType_t priority, TaskFunction_t code, void *argument);

/* Lets `script` run as a task of priority MIDDLE; the program ends well when it returns. Interrupts 0 and 1 call the
 * functions that interrupt_0 and interrupt_1 are set to. */
__attribute__((noreturn)) void run_script(void (*script)(void));

extern void (*volatile interrupt_0)(void);
extern void (*volatile interrupt_1)(void);

/* Of the last assertion that has failed. */
extern TaskHandle_t misuse_task;
extern const char *misuse_call;

/* An assertion is expected: it is counted and the call continues. */
extern volatile uint32_t allowed_asserts;

#endif
