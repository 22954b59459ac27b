/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel's reports of errors, as hooks of the program. */
#include "compat/freertos/program.h"

/* ---- misuse ------------------------------------------------------------------------------------------------------ */

bool takt_freertos_report(const char *call) {
    vApplicationMisuseHook(takt_freertos_running(), call);
    return false;
}

/* A program may define a function of this name. */
__attribute__((weak)) void vApplicationMisuseHook(TaskHandle_t task, const char *call) {
    takt_port_print("takt: an assertion in ");
    takt_port_print(call);
    takt_port_print(task != NULL ? " fails for task \"" : " fails before the start");
    takt_port_print(task != NULL ? task->name : "");
    takt_port_print(task != NULL ? "\"\n" : "\n");
}

/* A program may define a function of this name. */
__attribute__((weak)) void vApplicationLongSectionHook(TaskHandle_t task, uint64_t ticks) {
    (void)ticks;
    takt_port_print("takt: a critical section of task \"");
    takt_port_print(task != NULL ? task->name : "");
    takt_port_print("\" has masked interrupts for configLONG_SECTION_TICKS or longer; make it shorter\n");
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

#if configCHECK_FOR_STACK_OVERFLOW != 0

static char no_name[] = "";

void takt_hook_stack_overflow(takt_thread_t *thread) {
    task_t *task = (task_t *)(void *)thread;
    const bool is_task = thread->name == task->name;
    vApplicationStackOverflowHook(is_task ? task : NULL, is_task ? task->name : no_name);
}

#endif
