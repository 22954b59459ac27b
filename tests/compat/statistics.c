/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records and tables of tasks, what a program keeps with them, hooks of ticks and of idling, the heap. Compiled with
 * hooks and statistics. */
#include "tests/compat/freertos.h"

static volatile uint32_t ticks, idles;
static char table[600];

void vApplicationTickHook(void) { ticks++; }
void vApplicationIdleHook(void) { idles++; }

static void worker(void *argument) {
    (void)argument;
    busy(20);
    vTaskSuspend(NULL);
}

static BaseType_t hook(void *argument) { return (BaseType_t)(uintptr_t)argument; }

static bool contains(const char *text, const char *part) {
    for (; *text != '\0'; text++) {
        size_t at = 0;
        while (part[at] != '\0' && text[at] == part[at]) {
            at++;
        }
        if (part[at] == '\0') {
            return true;
        }
    }
    return false;
}

static void hooks(void) {
    vTaskDelay(1);
    const uint32_t before = ticks;
    idles = 0;
    vTaskDelay(10);
    check(ticks - before == 10, "the tick hook runs in every tick");
    check(idles >= 9 && idles <= 11, "the idle hook once in every tick without work");
}

static void records(void) {
    TaskStatus_t status[12];
    configRUN_TIME_COUNTER_TYPE total = 0;
    TaskHandle_t task = begin(0, LOW, worker, NULL);
    vTaskDelay(60);
    check(uxTaskGetSystemState(status, 1, NULL) == 0, "too few records");
    const UBaseType_t count = uxTaskGetSystemState(status, 12, &total);
    check(count == uxTaskGetNumberOfTasks() && total > 0, "a record for each task");
    UBaseType_t found = 0;
    for (UBaseType_t at = 0; at < count; at++) {
        if (status[at].xHandle == task) {
            found++;
            check(is_same(status[at].pcTaskName, "t0") && status[at].eCurrentState == eSuspended, "as it is");
            check(status[at].uxBasePriority == LOW && status[at].usStackHighWaterMark > 0, "as created");
        }
    }
    check(found == 1, "one of it");
    const configRUN_TIME_COUNTER_TYPE tick = TAKT_TICK_HZ / configTICK_RATE_HZ;
    const configRUN_TIME_COUNTER_TYPE executed = ulTaskGetRunTimeCounter(task);
    check(executed >= 18 * tick && executed <= 22 * tick, "it has executed for so long");
    check(ulTaskGetRunTimePercent(task) > 15 && ulTaskGetIdleRunTimePercent() > 20, "of the time");
    vTaskListTasks(table, sizeof table);
    check(contains(table, "t0         \tS\t2\t") && contains(table, "script     \tX\t3\t"),
          "a table of states");
    vTaskGetRunTimeStatistics(table, sizeof table);
    check(contains(table, "t0         \t") && contains(table, "%\r\n"), "a table of times");
    vTaskListTasks(table, 20);
    check(table[19] == '\0' && table[18] != '\0', "as much as fits");
    vTaskDelete(task);
}

static void words(void) {
    vTaskSetApplicationTaskTag(NULL, hook);
    check(xTaskGetApplicationTaskTag(NULL) == hook && xTaskCallApplicationTaskHook(NULL, (void *)7) == 7,
          "a tag");
    vTaskSetThreadLocalStoragePointer(NULL, 1, table);
    check(pvTaskGetThreadLocalStoragePointer(NULL, 1) == table, "a pointer");
    check(pvTaskGetThreadLocalStoragePointer(NULL, 2) == NULL, "of two");
    vTaskSetTaskNumber(xTaskGetCurrentTaskHandle(), 9);
    check(uxTaskGetTaskNumber(xTaskGetCurrentTaskHandle()) == 9, "a number");
    TimeOut_t state;
    TickType_t left = 6;
    vTaskDelay(1);
    vTaskSetTimeOutState(&state);
    vTaskDelay(4);
    check(xTaskCheckForTimeOut(&state, &left) == pdFALSE && left == 2, "what is left of a time");
    vTaskDelay(2);
    check(xTaskCheckForTimeOut(&state, &left) == pdTRUE && left == 0, "nothing");
}

static uint32_t drawn = 1;

static uint32_t draw(uint32_t limit) {
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 16) % limit;
}

/* Blocks that are allocated and freed in any order keep what is written to them, and nothing is lost. */
static void heap(void) {
    enum { BLOCKS = 12, LARGEST = 700 };
    static uint8_t *blocks[BLOCKS];
    static uint32_t sizes[BLOCKS];
    HeapStats_t before, after;
    vPortGetHeapStats(&before);
    for (int round = 0; round < 600; round++) {
        const uint32_t number = draw(BLOCKS);
        if (blocks[number] != NULL) {
            for (uint32_t at = 0; at < sizes[number]; at++) {
                check(blocks[number][at] == (uint8_t)(number + at), "a block is not written by others");
            }
            vPortFree(blocks[number]);
            blocks[number] = NULL;
            continue;
        }
        sizes[number] = 1 + draw(LARGEST);
        blocks[number] = pvPortMalloc(sizes[number]);
        check(((uintptr_t)blocks[number] & portBYTE_ALIGNMENT_MASK) == 0, "a block is aligned");
        for (uint32_t at = 0; blocks[number] != NULL && at < sizes[number]; at++) {
            blocks[number][at] = (uint8_t)(number + at);
        }
    }
    for (uint32_t number = 0; number < BLOCKS; number++) {
        vPortFree(blocks[number]);
    }
    vPortGetHeapStats(&after);
    check(after.xAvailableHeapSpaceInBytes == before.xAvailableHeapSpaceInBytes, "nothing is lost");
    check(after.xNumberOfFreeBlocks == before.xNumberOfFreeBlocks, "free neighbours are one block");
    check(pvPortMalloc(after.xAvailableHeapSpaceInBytes) == NULL && pvPortMalloc(SIZE_MAX) == NULL,
          "so much there is not");
    check(xPortGetMinimumEverFreeHeapSize() < after.xAvailableHeapSpaceInBytes, "the least is known");
    uint8_t *zeroes = pvPortCalloc(3, 5);
    check(zeroes != NULL && zeroes[0] == 0 && zeroes[14] == 0, "cleared");
    vPortFree(zeroes);
    vPortFree(NULL);
}

static void script(void) {
    hooks();
    records();
    words();
    heap();
}

int main(void) { run_script(script); }
