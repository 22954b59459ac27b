/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Creation and start of tasks. */
#include "compat/freertos/program.h"

_Static_assert(sizeof(StaticTask_t) >= sizeof(task_t), "StaticTask_t holds a task");
_Static_assert(offsetof(task_t, thread) == 0, "a thread of the program is a task");
_Static_assert(configMAX_PRIORITIES <= TAKT_PRIORITIES,
               "configMAX_PRIORITIES is above TAKT_PRIORITIES, the priorities of Takt's kernel");
_Static_assert(configMINIMAL_STACK_SIZE * sizeof(StackType_t) >= TAKT_STACK_BYTES_MIN,
               "configMINIMAL_STACK_SIZE in units of StackType_t is less than TAKT_STACK_BYTES_MIN");
_Static_assert(configMAX_TASK_NAME_LEN >= 1, "configMAX_TASK_NAME_LEN must be at least 1");

enum {
    IS_PAINTED = configCHECK_FOR_STACK_OVERFLOW > 1 || INCLUDE_uxTaskGetStackHighWaterMark == 1 ||
                 INCLUDE_uxTaskGetStackHighWaterMark2 == 1
};

/* A task does not return; one that does ends, and stays known. */
static void run(void *argument) {
    task_t *self = argument;
    takt_freertos.resumptions++;
    takt_freertos_begin_turn();
    takt_freertos_start_ticks();
    self->code(self->argument);
    ASSERT(self == NULL);
    takt_freertos_end_turn();
}

bool takt_freertos_begin(task_t *task) {
    const takt_thread_parameters_t parameters = {.name = task->name,
                                                 .entry = run,
                                                 .argument = task,
                                                 .stack = task->stack,
                                                 .stack_bytes = task->depth * (uint32_t)sizeof(StackType_t),
                                                 .priority = task->priority,
                                                 .server = task->server,
                                                 .is_unpainted = !IS_PAINTED};
    return takt_thread_create(&task->thread, &parameters) == TAKT_OK;
}

/* Appends `task` to all tasks. */
static void append(task_t *task) {
    const takt_port_level_t level = takt_port_lock();
    task_t **link = &takt_freertos.first;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = task;
    task->number = ++takt_freertos.created;
    takt_freertos.task_count++;
    takt_port_unlock(level);
}

void takt_freertos_remove_task(task_t *task) {
    task_t **link = &takt_freertos.first;
    while (*link != NULL && *link != task) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = task->next;
        takt_freertos.task_count--;
    }
}

static void set_name(task_t *task, const char *name) {
    for (size_t at = 0; name != NULL && at < configMAX_TASK_NAME_LEN - 1 && name[at] != '\0'; at++) {
        task->name[at] = name[at];
    }
}

/* Fills in `task`, whose stack is known. The handle is written before the task can run. Returns whether the kernel has
 * taken it: its stack has a size that is possible, and there are not too many. */
static bool create(task_t *task, TaskFunction_t code, const char *name, void *argument, UBaseType_t priority,
                   TaskHandle_t *handle) {
    ASSERT(code != NULL);
    ASSERT(priority < configMAX_PRIORITIES);
    task->code = code;
    task->argument = argument;
    task->base = (uint8_t)(priority < configMAX_PRIORITIES ? priority : configMAX_PRIORITIES - 1);
    task->priority = task->base;
    set_name(task, name);
    if (handle != NULL) {
        *handle = task;
    }
    portSETUP_TCB(task);
    append(task);
    if (!takt_freertos.is_started) {
        return true;
    }
    const uint32_t nesting = takt_freertos_open();
    const bool begins = takt_freertos_begin(task);
    takt_freertos_close(nesting);
    if (!begins) {
        const takt_port_level_t level = takt_port_lock();
        takt_freertos_remove_task(task);
        takt_port_unlock(level);
    }
    return begins;
}

static void clear(task_t *task, struct takt_thread_server *server) {
    *task = (task_t){.until = TAKT_NEVER, .server = server};
}

TaskHandle_t takt_freertos_create_static(struct takt_thread_server *server, TaskFunction_t code,
                                         const char *name, configSTACK_DEPTH_TYPE depth, void *argument,
                                         UBaseType_t priority, StackType_t *stack, StaticTask_t *buffer) {
    task_t *task = (task_t *)(void *)buffer;
    ASSERT(stack != NULL);
    ASSERT(buffer != NULL);
    if (stack == NULL || buffer == NULL) {
        return NULL;
    }
    clear(task, server);
    task->stack = stack;
    task->depth = depth;
    const bool begins = create(task, code, name, argument, priority, NULL);
    ASSERT(begins);
    return begins ? task : NULL;
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *buffer) {
    return takt_freertos_create_static(takt_freertos.home, code, name, depth, argument, priority, stack,
                                       buffer);
}

BaseType_t takt_freertos_create(struct takt_thread_server *server, TaskFunction_t code, const char *name,
                                configSTACK_DEPTH_TYPE depth, void *argument, UBaseType_t priority,
                                TaskHandle_t *handle) {
    StackType_t *stack = pvPortMallocStack((size_t)depth * sizeof(StackType_t));
    task_t *task = stack != NULL ? pvPortMalloc(sizeof(task_t)) : NULL;
    if (task == NULL) {
        vPortFreeStack(stack);
        return errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
    }
    clear(task, server);
    task->owned = OWNS_TASK | OWNS_STACK;
    task->stack = stack;
    task->depth = depth;
    if (!create(task, code, name, argument, priority, handle)) {
        takt_freertos_free(task);
        return errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
    }
    return pdPASS;
}

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth, void *argument,
                       UBaseType_t priority, TaskHandle_t *handle) {
    return takt_freertos_create(takt_freertos.home, code, name, depth, argument, priority, handle);
}
