/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Software timers: a daemon that executes the callbacks, and a queue of commands to it.
 *
 * Only the daemon changes the list of running timers, which is sorted by expiry. A command counts from when it was asked
 * for. A timer that is late is called once for every period that it has missed.
 *
 * When not to use it: for what must not wait for other callbacks; use a task. */
#include "compat/freertos/queues.h"

#include "compat/freertos/include/timers.h"

#if configUSE_TIMERS != 0

typedef struct tmrTimerControl my_timer_t;

struct tmrTimerControl {
    my_timer_t *next; /* of the running ones */
    const char *name;
    void *id;
    TimerCallbackFunction_t callback;
    uint64_t expiry; /* tick */
    TickType_t period;
    UBaseType_t number;
    bool is_active;
    bool reloads;
    bool is_owned;
};

_Static_assert(sizeof(StaticTimer_t) >= sizeof(my_timer_t), "StaticTimer_t holds a timer");
_Static_assert(configTIMER_TASK_PRIORITY < configMAX_PRIORITIES,
               "configTIMER_TASK_PRIORITY is not below configMAX_PRIORITIES");

typedef struct command {
    BaseType_t kind;
    void *object; /* timer, or argument of the function */
    PendedFunction_t function;
    uint64_t tick;  /* of the call */
    uint32_t value; /* of the function */
    TickType_t period;
} command_t;

static StaticQueue_t queue_buffer;
static uint8_t queue_storage[configTIMER_QUEUE_LENGTH * sizeof(command_t)];
static QueueHandle_t commands;
static my_timer_t *first;
static TaskHandle_t daemon;

/* ---- creation ------------------------------------------------------------------------------------------------ */

static void open_queue(void) {
    const takt_port_level_t level = takt_port_lock();
    if (commands == NULL) {
        commands =
            xQueueCreateStatic(configTIMER_QUEUE_LENGTH, sizeof(command_t), queue_storage, &queue_buffer);
    }
    takt_port_unlock(level);
}

static void fill(my_timer_t *timer, const char *name, TickType_t period, BaseType_t reloads, void *id,
                 TimerCallbackFunction_t callback) {
    ASSERT(period > 0);
    open_queue();
    *timer = (my_timer_t){
        .name = name, .id = id, .callback = callback, .period = period, .reloads = reloads != pdFALSE};
}

TimerHandle_t xTimerCreateStatic(const char *name, TickType_t period, BaseType_t reloads, void *id,
                                 TimerCallbackFunction_t callback, StaticTimer_t *buffer) {
    my_timer_t *timer = (my_timer_t *)(void *)buffer;
    ASSERT(buffer != NULL);
    if (timer != NULL) {
        fill(timer, name, period, reloads, id, callback);
    }
    return timer;
}

TimerHandle_t xTimerCreate(const char *name, TickType_t period, BaseType_t reloads, void *id,
                           TimerCallbackFunction_t callback) {
    my_timer_t *timer = pvPortMalloc(sizeof(my_timer_t));
    if (timer != NULL) {
        fill(timer, name, period, reloads, id, callback);
        timer->is_owned = true;
    }
    return timer;
}

/* ---- the list -------------------------------------------------------------------------------------------------- */

static void remove_timer(my_timer_t *timer) {
    my_timer_t **link = &first;
    while (*link != NULL && *link != timer) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = timer->next;
    }
    timer->is_active = false;
}

static void insert(my_timer_t *timer, uint64_t expiry) {
    my_timer_t **link = &first;
    while (*link != NULL && (*link)->expiry <= expiry) {
        link = &(*link)->next;
    }
    timer->expiry = expiry;
    timer->next = *link;
    timer->is_active = true;
    *link = timer;
}

/* ---- the daemon ------------------------------------------------------------------------------------------------ */

static void execute(const command_t *command) {
    my_timer_t *timer = command->object;
    switch (command->kind) {
    case tmrCOMMAND_EXECUTE_CALLBACK:
    case tmrCOMMAND_EXECUTE_CALLBACK_FROM_ISR:
        command->function(command->object, command->value);
        return;
    case tmrCOMMAND_STOP:
    case tmrCOMMAND_STOP_FROM_ISR:
        remove_timer(timer);
        return;
    case tmrCOMMAND_DELETE:
        remove_timer(timer);
        if (timer->is_owned) {
            vPortFree(timer);
        }
        return;
    case tmrCOMMAND_CHANGE_PERIOD:
    case tmrCOMMAND_CHANGE_PERIOD_FROM_ISR:
        ASSERT(command->period > 0);
        timer->period = command->period;
        break;
    default:
        break;
    }
    remove_timer(timer);
    insert(timer, command->tick + timer->period);
}

static void expire(my_timer_t *timer) {
    const uint64_t expiry = timer->expiry;
    remove_timer(timer);
    if (timer->reloads) {
        insert(timer, expiry + timer->period);
    }
    timer->callback(timer);
}

/* Takes a command, or waits until there is one or a timer expires. Returns whether there was one. */
static bool take(command_t *command) {
    limit_t limit = {.ticks = 1, .is_begun = true};
    const takt_port_level_t level = takt_port_lock();
    (void)takt_freertos_count();
    const bool is_due = first != NULL && first->expiry <= takt_freertos.ticks;
    const bool is_there = !is_due && commands->count != 0;
    task_t *task = NULL;
    if (is_there) {
        takt_freertos_copy(commands, command);
        takt_freertos_remove(commands);
        task = takt_freertos_first(&commands->senders);
    } else if (!is_due) {
        daemon->until = first != NULL ? takt_freertos_instant(first->expiry) : TAKT_NEVER;
        (void)takt_freertos_join(&commands->receivers, &limit);
    }
    takt_port_unlock(level);
    takt_freertos_wake(task, WOKEN);
    if (!is_due && !is_there) {
        (void)takt_freertos_sleep();
    }
    return is_there;
}

static void serve(void *argument) {
    (void)argument;
#if configUSE_DAEMON_TASK_STARTUP_HOOK == 1
    vApplicationDaemonTaskStartupHook();
#endif
    for (;;) {
        command_t command;
        if (take(&command)) {
            execute(&command);
        }
        (void)takt_freertos_count();
        if (first != NULL && first->expiry <= takt_freertos.ticks) {
            expire(first);
        }
    }
}

#if configSUPPORT_STATIC_ALLOCATION == 1
/* A program may define a function of this name. */
__attribute__((weak)) void vApplicationGetTimerTaskMemory(StaticTask_t **task, StackType_t **stack,
                                                          configSTACK_DEPTH_TYPE *depth) {
    static StaticTask_t timer_task;
    static StackType_t timer_stack[configTIMER_TASK_STACK_DEPTH];
    *task = &timer_task;
    *stack = timer_stack;
    *depth = configTIMER_TASK_STACK_DEPTH;
}

void takt_freertos_start_timers(void) {
    StaticTask_t *task = NULL;
    StackType_t *stack = NULL;
    configSTACK_DEPTH_TYPE depth = 0;
    open_queue();
    vApplicationGetTimerTaskMemory(&task, &stack, &depth);
    daemon = xTaskCreateStatic(serve, configTIMER_SERVICE_TASK_NAME, depth, NULL, configTIMER_TASK_PRIORITY,
                               stack, task);
}
#else
void takt_freertos_start_timers(void) {
    open_queue();
    (void)xTaskCreate(serve, configTIMER_SERVICE_TASK_NAME, configTIMER_TASK_STACK_DEPTH, NULL,
                      configTIMER_TASK_PRIORITY, &daemon);
}
#endif

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* A start and a reset count from tick `value`; a change of the period from now. */
static command_t command_of(TimerHandle_t timer, BaseType_t kind, TickType_t value) {
    const bool is_change = kind == tmrCOMMAND_CHANGE_PERIOD || kind == tmrCOMMAND_CHANGE_PERIOD_FROM_ISR;
    const takt_port_level_t level = takt_port_lock();
    const TickType_t now = takt_freertos_count();
    const uint64_t since = is_change ? 0 : (TickType_t)(now - value);
    const command_t command = {
        .kind = kind, .object = timer, .tick = takt_freertos.ticks - since, .period = value};
    takt_port_unlock(level);
    return command;
}

/* Before the start no task takes commands. */
BaseType_t xTimerGenericCommandFromTask(TimerHandle_t timer, const BaseType_t kind, const TickType_t value,
                                        BaseType_t *const woken, const TickType_t ticks) {
    ASSERT(timer != NULL || kind < 0);
    (void)woken;
    const command_t command = command_of(timer, kind, value);
    return xQueueSendToBack(commands, &command, takt_freertos.is_started ? ticks : 0);
}

BaseType_t xTimerGenericCommandFromISR(TimerHandle_t timer, const BaseType_t kind, const TickType_t value,
                                       BaseType_t *const woken, const TickType_t ticks) {
    ASSERT(timer != NULL);
    (void)ticks;
    const command_t command = command_of(timer, kind, value);
    return xQueueSendToBackFromISR(commands, &command, woken);
}

BaseType_t xTimerPendFunctionCall(PendedFunction_t function, void *argument, uint32_t value,
                                  TickType_t ticks) {
    const command_t command = {
        .kind = tmrCOMMAND_EXECUTE_CALLBACK, .object = argument, .function = function, .value = value};
    open_queue();
    return xQueueSendToBack(commands, &command, takt_freertos.is_started ? ticks : 0);
}

BaseType_t xTimerPendFunctionCallFromISR(PendedFunction_t function, void *argument, uint32_t value,
                                         BaseType_t *woken) {
    const command_t command = {.kind = tmrCOMMAND_EXECUTE_CALLBACK_FROM_ISR,
                               .object = argument,
                               .function = function,
                               .value = value};
    return xQueueSendToBackFromISR(commands, &command, woken);
}

/* ---- questions ---------------------------------------------------------------------------------------------------- */

void *pvTimerGetTimerID(const TimerHandle_t timer) { return timer->id; }
void vTimerSetTimerID(TimerHandle_t timer, void *id) { timer->id = id; }
BaseType_t xTimerIsTimerActive(TimerHandle_t timer) { return timer->is_active ? pdTRUE : pdFALSE; }
TaskHandle_t xTimerGetTimerDaemonTaskHandle(void) { return daemon; }
const char *pcTimerGetName(TimerHandle_t timer) { return timer->name; }
void vTimerSetReloadMode(TimerHandle_t timer, const BaseType_t reloads) {
    timer->reloads = reloads != pdFALSE;
}
BaseType_t xTimerGetReloadMode(TimerHandle_t timer) { return timer->reloads ? pdTRUE : pdFALSE; }
UBaseType_t uxTimerGetReloadMode(TimerHandle_t timer) { return (UBaseType_t)xTimerGetReloadMode(timer); }
TickType_t xTimerGetPeriod(TimerHandle_t timer) { return timer->period; }
TickType_t xTimerGetExpiryTime(TimerHandle_t timer) { return (TickType_t)timer->expiry; }
void vTimerSetTimerNumber(TimerHandle_t timer, UBaseType_t number) { timer->number = number; }
UBaseType_t uxTimerGetTimerNumber(TimerHandle_t timer) { return timer->number; }

BaseType_t xTimerGetStaticBuffer(TimerHandle_t timer, StaticTimer_t **buffer) {
    ASSERT(timer != NULL && buffer != NULL);
    if (timer->is_owned) {
        return pdFALSE;
    }
    *buffer = (StaticTimer_t *)(void *)timer;
    return pdTRUE;
}

#endif
