/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records and tables of all tasks, and how long each has executed.
 *
 * Execution is counted at every switch, in the program's counter (portGET_RUN_TIME_COUNTER_VALUE) or in ticks of Takt's
 * clock; the kernel is built with TAKT_SWITCH_HOOK for it. */
#include "compat/freertos/program.h"

typedef configRUN_TIME_COUNTER_TYPE counter_t;

/* ---- execution --------------------------------------------------------------------------------------------------- */

#if configGENERATE_RUN_TIME_STATS != 0

#if TAKT_SWITCH_HOOK == 0
#error "configGENERATE_RUN_TIME_STATS: build Takt's kernel with TAKT_SWITCH_HOOK, too"
#endif

#if !defined(portGET_RUN_TIME_COUNTER_VALUE) && !defined(portALT_GET_RUN_TIME_COUNTER_VALUE)
#define portGET_RUN_TIME_COUNTER_VALUE() takt_kernel_now()
#endif

static counter_t last;

static counter_t read_counter(void) {
#ifdef portALT_GET_RUN_TIME_COUNTER_VALUE
    counter_t count;
    portALT_GET_RUN_TIME_COUNTER_VALUE(count);
    return count;
#else
    return (counter_t)portGET_RUN_TIME_COUNTER_VALUE();
#endif
}

void takt_hook_switch(takt_thread_t *from, takt_thread_t *to) {
    task_t *task = (task_t *)(void *)from;
    const counter_t now = read_counter();
    (void)to;
    if (from != NULL && from->name == task->name) {
        task->executed += now - last;
    }
    last = now;
}

/* Counts the running task up to now. Closed. */
static counter_t executed_by(task_t *task) {
    return task->executed + (task == takt_freertos_running() ? read_counter() - last : 0);
}

#else

static counter_t read_counter(void) { return 0; }

static counter_t executed_by(const task_t *task) {
    (void)task;
    return 0;
}

#endif

static counter_t percent(counter_t part) {
    const counter_t hundredth = read_counter() / 100;
    return hundredth != 0 ? part / hundredth : 0;
}

counter_t ulTaskGetRunTimeCounter(TaskHandle_t task) {
    const takt_port_level_t level = takt_port_lock();
    const counter_t executed = executed_by(takt_freertos_task(task));
    takt_port_unlock(level);
    return executed;
}

counter_t ulTaskGetRunTimePercent(TaskHandle_t task) { return percent(ulTaskGetRunTimeCounter(task)); }

/* The time in which no task executes is that of idling: the idle task itself waits. */
counter_t ulTaskGetIdleRunTimeCounter(void) {
    const takt_port_level_t level = takt_port_lock();
    counter_t idle = read_counter();
    for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
        idle -= task != takt_freertos.idle ? executed_by(task) : 0;
    }
    takt_port_unlock(level);
    return idle;
}

counter_t ulTaskGetIdleRunTimePercent(void) { return percent(ulTaskGetIdleRunTimeCounter()); }

/* ---- records ------------------------------------------------------------------------------------------------------- */

void vTaskGetInfo(TaskHandle_t handle, TaskStatus_t *status, BaseType_t with_mark, eTaskState state) {
    task_t *task = takt_freertos_task(handle);
    *status = (TaskStatus_t){
        .xHandle = task,
        .pcTaskName = task->name,
        .xTaskNumber = task->number,
        .eCurrentState = state != eInvalid ? state : eTaskGetState(task),
        .uxCurrentPriority = task->priority,
        .uxBasePriority = task->base,
        .ulRunTimeCounter =
            task == takt_freertos.idle ? ulTaskGetIdleRunTimeCounter() : ulTaskGetRunTimeCounter(task),
        .pxStackBase = task->stack,
        .usStackHighWaterMark =
            (configSTACK_DEPTH_TYPE)(with_mark != pdFALSE ? uxTaskGetStackHighWaterMark(task) : 0)};
}

UBaseType_t uxTaskGetSystemState(TaskStatus_t *array, UBaseType_t length, counter_t *total) {
    UBaseType_t count = 0;
    vTaskSuspendAll();
    if (length >= takt_freertos.task_count) {
        for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
            vTaskGetInfo(task, &array[count++], pdTRUE, eInvalid);
        }
    }
    if (total != NULL) {
        *total = read_counter();
    }
    (void)xTaskResumeAll();
    return count;
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

/* Text in memory of a size; what does not fit is left out. */
typedef struct text {
    char *next;
    char *last;
} text_t;

static void put(text_t *text, const char *word, size_t width) {
    size_t at = 0;
    for (; word[at] != '\0' && text->next < text->last; at++) {
        *text->next++ = word[at];
    }
    for (; at < width && text->next < text->last; at++) {
        *text->next++ = ' ';
    }
    *text->next = '\0';
}

static void put_number(text_t *text, uint64_t number) {
    char digits[21];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(text, "\t", 0);
    put(text, first, 0);
}

static text_t begin(char *memory, size_t bytes) {
    memory[0] = '\0';
    return (text_t){.next = memory, .last = memory + (bytes != 0 ? bytes - 1 : 0)};
}

void vTaskListTasks(char *memory, size_t bytes) {
    static const char *const letters[] = {"X", "R", "B", "S", "D", "?"};
    text_t text = begin(memory, bytes);
    vTaskSuspendAll();
    for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
        TaskStatus_t status;
        vTaskGetInfo(task, &status, pdTRUE, eInvalid);
        put(&text, status.pcTaskName, configMAX_TASK_NAME_LEN - 1);
        put(&text, "\t", 0);
        put(&text, letters[status.eCurrentState], 0);
        put_number(&text, status.uxCurrentPriority);
        put_number(&text, status.usStackHighWaterMark);
        put_number(&text, status.xTaskNumber);
        put(&text, "\r\n", 0);
    }
    (void)xTaskResumeAll();
}

void vTaskList(char *memory) { vTaskListTasks(memory, configSTATS_BUFFER_MAX_LENGTH); }

void vTaskGetRunTimeStatistics(char *memory, size_t bytes) {
    text_t text = begin(memory, bytes);
    vTaskSuspendAll();
    for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
        TaskStatus_t status;
        vTaskGetInfo(task, &status, pdFALSE, eInvalid);
        const counter_t share = percent(status.ulRunTimeCounter);
        put(&text, status.pcTaskName, configMAX_TASK_NAME_LEN - 1);
        put_number(&text, status.ulRunTimeCounter);
        if (share != 0) {
            put_number(&text, share);
            put(&text, "%\r\n", 0);
        } else {
            put(&text, "\t<1%\r\n", 0);
        }
    }
    (void)xTaskResumeAll();
}

void vTaskGetRunTimeStats(char *memory) { vTaskGetRunTimeStatistics(memory, configSTATS_BUFFER_MAX_LENGTH); }
