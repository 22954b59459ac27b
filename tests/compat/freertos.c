/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs on FreeRTOS' interface share. */
#include "tests/compat/freertos.h"

enum { NOTES = 256 };

static char notes[NOTES + 1];
static size_t noted;
static StaticTask_t tasks[TEST_TASKS + 1];
static StackType_t stacks[TEST_TASKS + 1][configMINIMAL_STACK_SIZE];

void (*volatile interrupt_0)(void);
void (*volatile interrupt_1)(void);
volatile uint32_t allowed_asserts;

void test_assert(const char *file, int line, const char *what) {
    if (allowed_asserts != 0) {
        allowed_asserts--;
        return;
    }
    board_print(file);
    const char digits[] = {
        ':', (char)('0' + line / 100 % 10), (char)('0' + line / 10 % 10), (char)('0' + line % 10), ':', '\0'};
    board_print(digits);
    board_print(what);
    board_print("\n");
    board_exit(1);
}

TaskHandle_t misuse_task;
const char *misuse_call = "";

void vApplicationMisuseHook(TaskHandle_t task, const char *call) {
    misuse_task = task;
    misuse_call = call;
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    board_print(name);
    check(false, " has overflowed its stack");
}

bool is_same(const char *one, const char *other) {
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

void note(char letter) {
    const UBaseType_t level = portSET_INTERRUPT_MASK_FROM_ISR();
    if (noted < NOTES) {
        notes[noted++] = letter;
        notes[noted] = '\0';
    }
    portCLEAR_INTERRUPT_MASK_FROM_ISR(level);
}

void expect_notes(const char *letters, const char *sentence) {
    if (!is_same(notes, letters)) {
        board_print("notes: ");
        board_print(notes);
        board_print(" and not ");
        board_print(letters);
        board_print("\n");
        check(false, sentence);
    }
    noted = 0;
    notes[0] = '\0';
}

void busy(TickType_t ticks) {
    const takt_instant_t end = takt_kernel_now() + (uint64_t)ticks * (TAKT_TICK_HZ / configTICK_RATE_HZ);
    while (takt_kernel_now() < end) {
        board_pass();
    }
}

TaskHandle_t begin(uint32_t number, UBaseType_t priority, TaskFunction_t code, void *argument) {
    static const char *const names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "script"};
    return xTaskCreateStatic(code, names[number], configMINIMAL_STACK_SIZE, argument, priority,
                             stacks[number], &tasks[number]);
}

static void handler_0(void) { interrupt_0(); }
static void handler_1(void) { interrupt_1(); }

static void run(void *argument) {
    void (*script)(void) = (void (*)(void))(uintptr_t)argument;
    script();
    board_exit(0);
}

void run_script(void (*script)(void)) {
    board_begin();
    board_interrupt_enable(0, handler_0);
    board_interrupt_enable(1, handler_1);
    (void)begin(TEST_TASKS, MIDDLE, run, (void *)(uintptr_t)script);
    vTaskStartScheduler();
    check(false, "the scheduler has not started");
    board_exit(1);
}
