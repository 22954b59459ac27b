/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel's reports of errors, as hooks of the program. */
#include "compat/freertos/program.h"

#if configCHECK_FOR_STACK_OVERFLOW != 0

static char no_name[] = "";

void takt_hook_stack_overflow(takt_thread_t *thread) {
    task_t *task = (task_t *)(void *)thread;
    const bool is_task = thread->name == task->name;
    vApplicationStackOverflowHook(is_task ? task : NULL, is_task ? task->name : no_name);
}

#endif
