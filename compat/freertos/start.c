/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The start of the program, and its idle task.
 *
 * The idle task waits: time in which nothing runs is the kernel's, or of other programs. It runs to free what ended
 * tasks have left and, if there is a hook, once in every tick in which it can. */
#include "compat/freertos/program.h"

static void wait_for_work(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_freertos_set_end(configUSE_IDLE_HOOK != 0 ? 1 : portMAX_DELAY);
    if (configUSE_IDLE_HOOK == 0) {
        takt_freertos_self()->until = TAKT_NEVER;
    }
    takt_port_unlock(level);
    (void)takt_freertos_sleep();
}

static void idle(void *argument) {
    (void)argument;
    for (;;) {
        if (takt_freertos.free_ended != NULL) {
            takt_freertos.free_ended();
        }
#if configUSE_IDLE_HOOK != 0
        vApplicationIdleHook();
#endif
        wait_for_work();
    }
}

#if configSUPPORT_STATIC_ALLOCATION == 1
/* A program may define a function of this name. */
__attribute__((weak)) void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **stack,
                                                         configSTACK_DEPTH_TYPE *depth) {
    static StaticTask_t idle_task;
    static StackType_t idle_stack[configMINIMAL_STACK_SIZE];
    *task = &idle_task;
    *stack = idle_stack;
    *depth = configMINIMAL_STACK_SIZE;
}

static bool create_idle(void) {
    StaticTask_t *task = NULL;
    StackType_t *stack = NULL;
    configSTACK_DEPTH_TYPE depth = 0;
    vApplicationGetIdleTaskMemory(&task, &stack, &depth);
    takt_freertos.idle =
        xTaskCreateStatic(idle, configIDLE_TASK_NAME, depth, NULL, tskIDLE_PRIORITY, stack, task);
    return takt_freertos.idle != NULL;
}
#else
static bool create_idle(void) {
    return xTaskCreate(idle, configIDLE_TASK_NAME, configMINIMAL_STACK_SIZE, NULL, tskIDLE_PRIORITY,
                       &takt_freertos.idle) == pdPASS;
}
#endif

void vTaskStartScheduler(void) {
    (void)takt_kernel_init(&takt_policy_fp); /* not the first program: it is done */
    if (!create_idle()) {
        return;
    }
#if configUSE_TIMERS != 0
    takt_freertos_start_timers();
#endif
    bool begins = true;
    for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
        begins = takt_freertos_begin(task) && begins;
    }
    ASSERT(begins);
    (void)begins;
#if configGENERATE_RUN_TIME_STATS != 0
    portCONFIGURE_TIMER_FOR_RUN_TIME_STATS();
#endif
    takt_freertos.is_started = true;
    takt_freertos.nesting = 0;
    (void)takt_port_open();
    (void)takt_kernel_start();
}
