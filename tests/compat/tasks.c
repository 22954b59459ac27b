/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks: creation, delays, priorities, suspension, deletion, suspended scheduler, critical sections. */
#include "tests/compat/freertos.h"

static void letter(void *argument) {
    note(*(const char *)argument);
    vTaskDelete(NULL);
}

static void creation(void) {
    (void)begin(0, HIGH, letter, "H");
    note('s');
    (void)begin(1, MIDDLE, letter, "M");
    (void)begin(2, LOW, letter, "L");
    note('s');
    taskYIELD();
    note('s');
    vTaskDelay(1);
    expect_notes("HssMsL", "a more urgent task runs at once, an equal after a yield, others when all wait");
    TaskHandle_t handle = NULL;
    check(
        xTaskCreate(letter, "a long name of a task", configMINIMAL_STACK_SIZE, "D", HIGH, &handle) == pdPASS,
        "a task in memory of the heap");
    expect_notes("D", "it runs at once");
    check(xTaskCreate(letter, "big", 1u << 20, "D", HIGH, &handle) == errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY,
          "no memory");
    expect_notes("", "a task without memory does not run");
}

static size_t heap_before;

static void memory_of_tasks(void) {
    vTaskDelay(2);
    heap_before = xPortGetFreeHeapSize();
    for (int round = 0; round < 40; round++) {
        TaskHandle_t handle = NULL;
        check(xTaskCreate(letter, "D", configMINIMAL_STACK_SIZE, "D",
                          (UBaseType_t)(round % 2 != 0 ? HIGH : LOW), &handle) == pdPASS,
              "memory of a task that has deleted itself is free again");
        if (round % 3 == 0 && round % 2 == 0) {
            vTaskDelete(handle);
        }
        vTaskDelay(1);
    }
    check(xPortGetFreeHeapSize() == heap_before, "no memory is lost");
    expect_notes("DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD", "33 of 40 have run");
}

/* ---- time --------------------------------------------------------------------------------------------------------- */

static void delays(void) {
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    vTaskDelay(5);
    check(xTaskGetTickCount() - start == 5, "a delay ends with its tick");
    TickType_t previous = xTaskGetTickCount();
    const TickType_t first = previous;
    check(xTaskDelayUntil(&previous, 4) == pdTRUE, "it waits");
    check(previous == first + 4 && xTaskGetTickCount() == first + 4, "until the tick");
    busy(3);
    check(xTaskDelayUntil(&previous, 4) == pdTRUE && xTaskGetTickCount() == first + 8,
          "whatever was executed");
    busy(10);
    check(xTaskDelayUntil(&previous, 4) == pdFALSE && previous == first + 12,
          "a tick that has passed is not waited for");
    vTaskDelayUntil(&previous, 4);
    check(previous == first + 16, "and counts");
    start = xTaskGetTickCount();
    check(xTaskCatchUpTicks(0) == pdFALSE, "no tick to catch up");
    vTaskDelay(0);
    check(xTaskGetTickCount() == start, "a delay of 0 is a yield");
}

static void sleeper(void *argument) {
    const TickType_t start = xTaskGetTickCount();
    vTaskDelay((TickType_t)(uintptr_t)argument);
    note((char)('0' + (xTaskGetTickCount() - start)));
    vTaskDelete(NULL);
}

static void aborts(void) {
    TaskHandle_t task = begin(0, HIGH, sleeper, (void *)9);
    check(eTaskGetState(task) == eBlocked, "it waits");
    vTaskDelay(3);
    check(xTaskAbortDelay(task) == pdPASS, "its delay is aborted");
    expect_notes("3", "it has waited for 3 ticks");
    task = begin(0, HIGH, sleeper, (void *)5);
    vTaskSuspend(task);
    check(eTaskGetState(task) == eSuspended, "it is suspended");
    check(xTaskAbortDelay(task) == pdFAIL, "and waits no more");
    vTaskDelay(2);
    vTaskResume(task);
    expect_notes("2", "a suspension ends the wait");
    check(xTaskAbortDelay(xTaskGetCurrentTaskHandle()) == pdFAIL, "the running task does not wait");
    task = begin(0, HIGH, sleeper, (void *)8);
    vTaskDelay(2);
    check(xTaskCatchUpTicks(3) == pdFALSE, "no task is due");
    vTaskDelay(3);
    expect_notes("8", "ticks that were caught up count");
    task = begin(0, HIGH, sleeper, (void *)4);
    check(xTaskCatchUpTicks(4) == pdTRUE, "a task was due");
    expect_notes("4", "and has run");
}

static TaskHandle_t simultaneous[3];

static void same_tick(void *argument) {
    vTaskDelay(3);
    note(*(const char *)argument);
    vTaskDelete(NULL);
}

static void one_tick(void) {
    vTaskDelay(1);
    simultaneous[0] = begin(0, LEAST, same_tick, "L");
    simultaneous[1] = begin(1, LOW, same_tick, "M");
    (void)begin(2, LOW, same_tick, "N");
    (void)begin(3, HIGH, same_tick, "H");
    vTaskDelay(0);
    vTaskPrioritySet(NULL, tskIDLE_PRIORITY);
    vTaskDelay(4);
    vTaskPrioritySet(NULL, MIDDLE);
    expect_notes("HMNL", "of those that wake in one tick the most urgent runs first, equals in their order");
}

/* ---- priorities ----------------------------------------------------------------------------------------------------- */

static void priorities(void) {
    TaskHandle_t task = begin(0, LOW, letter, "L");
    check(uxTaskPriorityGet(task) == LOW && uxTaskPriorityGet(NULL) == MIDDLE, "priorities are as created");
    vTaskPrioritySet(task, HIGH);
    expect_notes("L", "a task runs when its priority is raised");
    task = begin(0, MIDDLE, letter, "M");
    vTaskPrioritySet(NULL, LOW);
    expect_notes("M", "others run when one's own is lowered");
    vTaskPrioritySet(NULL, MIDDLE);
    allowed_asserts = 1;
    vTaskPrioritySet(NULL, 99);
    check(uxTaskPriorityGet(NULL) == configMAX_PRIORITIES - 1 && allowed_asserts == 0,
          "a wrong priority is the highest");
    vTaskPrioritySet(NULL, MIDDLE);
}

static void looper(void *argument) {
    for (;;) {
        note(*(const char *)argument);
        vTaskSuspend(NULL);
    }
}

static TaskHandle_t loop;

static void resume_in_isr(void) {
    check(xTaskResumeFromISR(loop) == pdTRUE, "a more urgent task was resumed");
}

static void suspension(void) {
    loop = begin(0, HIGH, looper, "x");
    check(eTaskGetState(loop) == eSuspended, "it has suspended itself");
    vTaskResume(loop);
    vTaskResume(loop);
    interrupt_0 = resume_in_isr;
    board_interrupt_pend(0);
    vTaskSuspend(loop);
    vTaskSuspend(loop);
    vTaskPrioritySet(loop, LOW);
    vTaskResume(loop);
    note('s');
    check(eTaskGetState(loop) == eReady, "it is ready");
    vTaskDelay(1);
    expect_notes("xxxxsx", "each resumption lets it run once");
    vTaskDelete(loop);
    check(eTaskGetState(loop) == eDeleted, "it is deleted");
}

/* ---- suspended scheduler, critical sections -------------------------------------------------------------------------- */

static void suspended(void) {
    check(xTaskGetSchedulerState() == taskSCHEDULER_RUNNING, "the scheduler runs");
    vTaskSuspendAll();
    vTaskSuspendAll();
    check(xTaskGetSchedulerState() == taskSCHEDULER_SUSPENDED, "it is suspended");
    (void)begin(0, HIGH, letter, "H");
    (void)begin(1, HIGHEST, same_tick, "W");
    busy(5);
    note('s');
    check(xTaskResumeAll() == pdFALSE, "still suspended");
    note('s');
    check(xTaskResumeAll() == pdTRUE, "others have run");
    note('s');
    vTaskDelay(5);
    expect_notes("ssHsW", "no other task runs while the scheduler is suspended");
    (void)begin(0, MIDDLE, letter, "M");
    vTaskSuspendAll();
    check(xTaskResumeAll() == pdFALSE, "an equal does not run");
    expect_notes("", "an equal never preempts");
    vTaskDelay(1);
    expect_notes("M", "it waits for its turn");
}

static void critical(void) {
    loop = begin(0, HIGH, looper, "x");
    taskENTER_CRITICAL();
    taskENTER_CRITICAL();
    interrupt_0 = resume_in_isr;
    vTaskPrioritySet(loop, HIGHEST);
    note('s');
    taskEXIT_CRITICAL();
    note('s');
    taskYIELD();
    taskEXIT_CRITICAL();
    vTaskDelete(loop);
    expect_notes("xss", "a critical section ends with the last exit");
    (void)begin(0, MIDDLE, letter, "M");
    taskENTER_CRITICAL();
    taskYIELD();
    note('s');
    taskEXIT_CRITICAL();
    expect_notes("sM", "a yield in a critical section comes after it");
}

/* ---- slices ------------------------------------------------------------------------------------------------------------ */

static volatile uint32_t rounds[3];

static void spin(void *argument) {
    const TickType_t end = xTaskGetTickCount() + 9;
    while (xTaskGetTickCount() < end) {
        rounds[(uintptr_t)argument]++;
        board_pass();
    }
    vTaskDelete(NULL);
}

static void slices(void) {
    vTaskDelay(1);
    for (uintptr_t number = 0; number < 3; number++) {
        (void)begin((uint32_t)number, LOW, spin, (void *)number);
    }
    vTaskDelay(8);
    const uint32_t all = rounds[0] + rounds[1] + rounds[2];
    for (uint32_t number = 0; number < 3; number++) {
        check(rounds[number] > all / 6 && rounds[number] < all / 2, "equals take turns in every tick");
    }
    vTaskDelay(30);
}

/* ---- questions ---------------------------------------------------------------------------------------------------------- */

static void questions(void) {
    const UBaseType_t count = uxTaskGetNumberOfTasks();
    TaskHandle_t task = begin(0, LOW, looper, "x");
    check(uxTaskGetNumberOfTasks() == count + 1, "one task more");
    check(xTaskGetHandle("t0") == task && xTaskGetHandle("t9") == NULL, "a task is found by its name");
    check(is_same(pcTaskGetName(task), "t0"), "and has one");
    check(eTaskGetState(xTaskGetCurrentTaskHandle()) == eRunning, "the caller runs");
    check(
        uxTaskGetStackHighWaterMark(NULL) > 0 && uxTaskGetStackHighWaterMark(NULL) < configMINIMAL_STACK_SIZE,
        "the stack was used");
    vTaskDelete(task);
    check(uxTaskGetNumberOfTasks() == count && xTaskGetHandle("t0") == NULL, "none is left");
}

static void script(void) {
    creation();
    memory_of_tasks();
    delays();
    aborts();
    one_tick();
    priorities();
    suspension();
    suspended();
    critical();
    slices();
    questions();
}

int main(void) { run_script(script); }
