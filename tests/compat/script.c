/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Executes a script of tasks in virtual time: reads it from the standard input, prints a line when a call returns.
 *
 *     TASKS, then of each task PRIORITY CALLS, then of each call KIND OBJECT TICKS VALUE
 *
 * test_freertos_scripts.py writes the scripts, and has the model of what is printed. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/compat/freertos.h"

#include "compat/freertos/include/event_groups.h"
#include "port/posix/posix.h"

enum { CALLS = 24, OBJECTS = 2, LENGTH = 2 };

enum kind {
    WORK,
    DELAY,
    SEND,
    SEND_FRONT,
    OVERWRITE,
    RECEIVE,
    PEEK,
    TAKE,
    GIVE,
    LOCK,
    UNLOCK,
    PRIORITY,
    SUSPEND,
    RESUME,
    ABORT,
    NOTIFY,
    LISTEN,
    SET,
    CLEAR,
    AWAIT,
    SYNC,
    YIELD
};

typedef struct call {
    unsigned kind, object, ticks, value;
} call_t;

typedef struct actor {
    unsigned number, priority, calls;
    call_t call[CALLS];
} actor_t;

static actor_t actors[TEST_TASKS];
static unsigned count;
static TaskHandle_t tasks[TEST_TASKS];
static QueueHandle_t queues[OBJECTS + 1]; /* the last one is a mailbox */
static SemaphoreHandle_t semaphores[OBJECTS], mutexes[OBJECTS];
static EventGroupHandle_t group;

static TickType_t ticks_of(unsigned ticks) { return ticks == 99 ? portMAX_DELAY : ticks; }

static unsigned exchange(const call_t *call, unsigned *value) {
    QueueHandle_t queue = queues[call->object];
    const TickType_t ticks = ticks_of(call->ticks);
    switch (call->kind) {
    case SEND:
        return (unsigned)xQueueSend(queue, &call->value, ticks);
    case SEND_FRONT:
        return (unsigned)xQueueSendToFront(queue, &call->value, ticks);
    case OVERWRITE:
        return (unsigned)xQueueOverwrite(queues[OBJECTS], &call->value);
    case PEEK:
        return (unsigned)xQueuePeek(queue, value, ticks);
    default:
        return (unsigned)xQueueReceive(queue, value, ticks);
    }
}

static unsigned lock(const call_t *call) {
    SemaphoreHandle_t mutex = mutexes[call->object];
    const bool is_mine = xSemaphoreGetMutexHolder(mutex) == xTaskGetCurrentTaskHandle();
    if (call->kind == LOCK) {
        return is_mine ? 2 : (unsigned)xSemaphoreTake(mutex, ticks_of(call->ticks));
    }
    return is_mine ? (unsigned)xSemaphoreGive(mutex) : 2;
}

static unsigned control(const call_t *call, unsigned *value) {
    TaskHandle_t task = tasks[call->object % count];
    switch (call->kind) {
    case PRIORITY:
        vTaskPrioritySet(task, call->value);
        return 1;
    case SUSPEND:
        vTaskSuspend(task);
        return 1;
    case RESUME:
        vTaskResume(task);
        return 1;
    case ABORT:
        return (unsigned)xTaskAbortDelay(task);
    case NOTIFY:
        return (unsigned)xTaskNotify(task, call->value, eSetBits);
    case LISTEN: {
        uint32_t bits = 0;
        const BaseType_t done = xTaskNotifyWait(0, UINT32_MAX, &bits, ticks_of(call->ticks));
        *value = bits;
        return (unsigned)done;
    }
    case YIELD:
        taskYIELD();
        return 1;
    default:
        vTaskDelay(call->ticks);
        return 1;
    }
}

static unsigned events(const call_t *call, unsigned *value) {
    switch (call->kind) {
    case SET:
        *value = xEventGroupSetBits(group, call->value);
        break;
    case CLEAR:
        *value = xEventGroupClearBits(group, call->value);
        break;
    case SYNC:
        *value = xEventGroupSync(group, 1u << call->object, call->value | 1, ticks_of(call->ticks));
        break;
    default:
        *value = xEventGroupWaitBits(group, call->value, call->object & 1,
                                     call->object & 2 ? pdTRUE : pdFALSE, ticks_of(call->ticks));
    }
    return 1;
}

static unsigned execute(const call_t *call, unsigned *value) {
    switch (call->kind) {
    case WORK:
        takt_port_work(call->value);
        return 1;
    case TAKE:
        return (unsigned)xSemaphoreTake(semaphores[call->object], ticks_of(call->ticks));
    case GIVE:
        return (unsigned)xSemaphoreGive(semaphores[call->object]);
    case LOCK:
    case UNLOCK:
        return lock(call);
    case SEND:
    case SEND_FRONT:
    case OVERWRITE:
    case PEEK:
    case RECEIVE:
        return exchange(call, value);
    case SET:
    case CLEAR:
    case SYNC:
    case AWAIT:
        return events(call, value);
    default:
        return control(call, value);
    }
}

/* Of a task that has ended its calls nothing happens any more. */
static void act(void *argument) {
    const actor_t *self = argument;
    for (unsigned number = 0; number < self->calls; number++) {
        unsigned value = 0;
        const unsigned result = execute(&self->call[number], &value);
        (void)printf("%" PRIu64 " %u %u %u %u %u\n", takt_kernel_now(), self->number, number, result, value,
                     (unsigned)uxTaskPriorityGet(NULL));
    }
    for (;;) {
        vTaskDelay(portMAX_DELAY);
    }
}

void takt_posix_stalled(void) { takt_posix_exit(0); }

static unsigned next(void) {
    unsigned number = 0;
    check(scanf("%u", &number) == 1, "a number");
    return number;
}

int main(void) {
    for (unsigned number = 0; number < OBJECTS; number++) {
        queues[number] = xQueueCreate(LENGTH, sizeof(unsigned));
        semaphores[number] = xSemaphoreCreateCounting(number + 1, number);
        mutexes[number] = xSemaphoreCreateMutex();
    }
    queues[OBJECTS] = xQueueCreate(1, sizeof(unsigned));
    group = xEventGroupCreate();
    count = next();
    for (unsigned number = 0; number < count; number++) {
        actor_t *actor = &actors[number];
        actor->number = number;
        actor->priority = next();
        actor->calls = next();
        for (unsigned at = 0; at < actor->calls; at++) {
            call_t *call = &actor->call[at];
            call->kind = next();
            call->object = next();
            call->ticks = next();
            call->value = next();
        }
        tasks[number] = begin(number, actor->priority, act, actor);
    }
    vTaskStartScheduler();
}
