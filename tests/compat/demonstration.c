/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What demonstrations of FreeRTOS' interface rely on, with their usual configuration: a tick hook that makes calls for
 * interrupts, time slices, all hooks, timers before the start, tasks that end one another, interrupts that give mutexes. */
#include "tests/compat/freertos.h"

#include "compat/freertos/include/event_groups.h"
#include "compat/freertos/include/stream_buffer.h"
#include "compat/freertos/include/timers.h"

static void (*volatile on_tick)(void);
static volatile uint32_t hooks, idle_calls, failed_allocations, daemon_starts;

void vApplicationTickHook(void) {
    hooks++;
    if (on_tick != NULL) {
        on_tick();
    }
}

void vApplicationIdleHook(void) { idle_calls++; }
void vApplicationMallocFailedHook(void) { failed_allocations++; }
void vApplicationDaemonTaskStartupHook(void) { daemon_starts++; }

/* Lets `function` be called in the hooks of `ticks` ticks from now on, and waits for them. */
static void with_hook(void (*function)(void), TickType_t ticks) {
    vTaskDelay(1);
    on_tick = function;
    vTaskDelay(ticks);
    on_tick = NULL;
}

/* ---- a tick: first its hook, then the tasks that it wakes -------------------------------------------------------- */

static StreamBufferHandle_t stream;

static void send_byte(void) { (void)xStreamBufferSendFromISR(stream, "x", 1, NULL); }

static void triggers(void) {
    enum { WAIT = 5 };
    for (size_t trigger = 2; trigger < WAIT + 3; trigger++) {
        char bytes[16];
        stream = xStreamBufferCreate(sizeof bytes, trigger);
        vTaskDelay(1);
        on_tick = send_byte;
        const size_t count = xStreamBufferReceive(stream, bytes, sizeof bytes, WAIT);
        on_tick = NULL;
        check(count == (trigger < WAIT ? trigger : WAIT),
              "a byte of each tick, until the trigger or the time");
        vStreamBufferDelete(stream);
    }
}

static void counts(void) {
    const uint32_t before = hooks;
    const TickType_t start = xTaskGetTickCount();
    vTaskDelay(7);
    check(hooks - before == xTaskGetTickCount() - start, "a hook of each tick");
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */

static TimerHandle_t early[configTIMER_QUEUE_LENGTH + 1], timer;
static volatile uint32_t early_calls, calls, called_at;
static volatile bool stops;

static void on_early(TimerHandle_t own) {
    check(xTaskGetCurrentTaskHandle() == xTimerGetTimerDaemonTaskHandle(), "callbacks run in the daemon");
    check(pvTimerGetTimerID(own) == &early_calls, "with their own word");
    early_calls++;
}

static void before_start(void) {
    for (uint32_t number = 0; number <= configTIMER_QUEUE_LENGTH; number++) {
        early[number] = xTimerCreate("early", 10, pdFALSE, (void *)(uintptr_t)&early_calls, on_early);
        const BaseType_t done = xTimerStart(early[number], portMAX_DELAY);
        check(done == (number < configTIMER_QUEUE_LENGTH ? pdPASS : pdFAIL), "the queue has its length");
    }
}

static void on_timer(TimerHandle_t own) {
    calls++;
    called_at = hooks;
    if (stops) {
        stops = false;
        (void)xTimerStop(own, 0);
    }
}

static volatile uint32_t step;
static volatile TickType_t step_tick;

/* A timer of 4 ticks: started, reset before it expires, changed, stopped, started again. */
static void command_timer(void) {
    BaseType_t done = pdPASS, woken = pdFALSE;
    switch (step++) {
    case 0:
        done = xTimerStartFromISR(timer, &woken);
        break;
    case 3:
        done = xTimerResetFromISR(timer, &woken);
        break;
    case 6:
        check(calls == 0, "a reset begins anew");
        done = xTimerChangePeriodFromISR(timer, 2, &woken);
        break;
    case 9:
        check(calls == 1, "a changed period begins when it is changed");
        done = xTimerStartFromISR(timer, &woken);
        break;
    case 10:
        done = xTimerStopFromISR(timer, &woken);
        break;
    case 14:
        check(calls == 1, "a stopped timer does not expire");
        done = xTimerStartFromISR(timer, NULL);
        step_tick = hooks;
        break;
    default:
        break;
    }
    check(done == pdPASS, "a command of an interrupt");
}

static void timers(void) {
    check(daemon_starts == 1 && early_calls == 0, "the daemon has begun");
    vTaskDelay(11);
    check(early_calls == configTIMER_QUEUE_LENGTH, "what was started before the start counts from there");
    check(xTimerIsTimerActive(early[configTIMER_QUEUE_LENGTH]) == pdFALSE, "but what found a full queue");
    timer = xTimerCreate("timer", 4, pdFALSE, NULL, on_timer);
    with_hook(command_timer, 20);
    check(calls == 2 && called_at == step_tick + 2, "it expires in its tick, behind the hook");
    vTimerSetReloadMode(timer, pdTRUE);
    check(uxTimerGetReloadMode(timer) == pdTRUE && xTimerGetPeriod(timer) == 2, "its words");
    stops = true;
    calls = 0;
    (void)xTimerChangePeriod(timer, 10, 0);
    (void)xTaskCatchUpTicks(25);
    check(calls == 2 && xTimerIsTimerActive(timer) == pdFALSE,
          "a backlog is worked off before it is stopped");
    check(xTimerDelete(timer, portMAX_DELAY) == pdPASS, "it is deleted");
}

/* ---- calls of the hook that wake tasks ---------------------------------------------------------------------------- */

static EventGroupHandle_t group;
static TaskHandle_t self;
static SemaphoreHandle_t counting;
static QueueHandle_t mailbox, members;

static void set_bits(void) {
    BaseType_t woken = pdFALSE;
    check(xEventGroupSetBitsFromISR(group, 5, &woken) == pdPASS && woken == pdTRUE, "the daemon is woken");
    on_tick = NULL;
}

static void clear_bits(void) {
    check(xEventGroupGetBitsFromISR(group) == 4, "as they were");
    check(xEventGroupClearBitsFromISR(group, 4) == pdPASS, "in the daemon");
    on_tick = NULL;
}

static void bits(void) {
    group = xEventGroupCreate();
    vTaskDelay(1);
    on_tick = set_bits;
    check(xEventGroupWaitBits(group, 1, pdTRUE, pdFALSE, 3) == 5, "bits of a hook, before they are cleared");
    with_hook(clear_bits, 1);
    check(xEventGroupGetBits(group) == 0, "and without what was cleared");
    vEventGroupDelete(group);
}

static void notify(void) { vTaskNotifyGiveFromISR(self, NULL); }

static void notifications(void) {
    self = xTaskGetCurrentTaskHandle();
    vTaskDelay(1);
    const TickType_t start = xTaskGetTickCount();
    on_tick = notify;
    for (TickType_t tick = 1; tick < 4; tick++) {
        check(ulTaskNotifyTake(pdTRUE, portMAX_DELAY) == 1, "one of each tick");
        check(xTaskGetTickCount() == start + tick, "in that tick");
    }
    vTaskSuspendAll();
    busy(3);
    on_tick = NULL;
    (void)xTaskResumeAll();
    check(ulTaskNotifyTake(pdTRUE, 0) == 3, "they are counted while the scheduler is suspended");
}

static void give(void) {
    const UBaseType_t count = uxQueueMessagesWaitingFromISR(counting);
    check(xSemaphoreGiveFromISR(counting, NULL) == (count < 3 ? pdPASS : pdFAIL), "to its limit");
}

static void post(void) {
    uint32_t value = hooks, peeked = 0;
    check(xQueueOverwriteFromISR(mailbox, &value, NULL) == pdPASS, "a mailbox is never full");
    check(xQueuePeekFromISR(mailbox, &peeked) == pdPASS && peeked == value, "and has the last item");
    check(xQueueIsQueueFullFromISR(mailbox) == pdTRUE, "one");
}

static void queues(void) {
    uint32_t value = 0;
    counting = xSemaphoreCreateCounting(3, 0);
    mailbox = xQueueCreate(1, sizeof value);
    members = xQueueCreateSet(4);
    check(xQueueAddToSet(counting, members) == pdPASS && xQueueAddToSet(mailbox, members) == pdPASS, "join");
    with_hook(give, 5);
    check(uxSemaphoreGetCount(counting) == 3 && uxQueueMessagesWaiting(members) == 3, "an event of each");
    with_hook(post, 3);
    check(uxQueueMessagesWaiting(members) == 4, "an overwritten item is no event");
    for (int number = 0; number < 3; number++) {
        check(xQueueSelectFromSet(members, 0) == counting && xSemaphoreTake(counting, 0) == pdPASS,
              "in order");
    }
    check(xQueueSelectFromSet(members, 0) == mailbox && xQueueReceive(mailbox, &value, 0) == pdPASS, "last");
    check(value == hooks, "the last value");
    check(xQueueRemoveFromSet(mailbox, members) == pdPASS, "it leaves");
    vSemaphoreDelete(counting);
    vQueueDelete(mailbox);
}

/* ---- a mutex that interrupts give ---------------------------------------------------------------------------------- */

static SemaphoreHandle_t shared, given;
static TaskHandle_t slave_task;

static void slave(void *argument) {
    (void)argument;
    for (;;) {
        vTaskSuspend(NULL);
        check(xSemaphoreTake(shared, portMAX_DELAY) == pdPASS, "the slave has the mutex");
        check(xSemaphoreGive(shared) == pdPASS, "and gives it");
    }
}

static void give_mutex(void) {
    on_tick = NULL;
    check(xSemaphoreGiveFromISR(given, NULL) == pdPASS, "an interrupt gives a mutex that is not held");
    check(xSemaphoreGiveFromISR(given, NULL) == pdFAIL, "once");
}

static void two_mutexes(bool is_same_order) {
    check(eTaskGetState(slave_task) == eSuspended && uxTaskPriorityGet(NULL) == MIDDLE, "the start");
    check(xSemaphoreTake(shared, 0) == pdPASS, "the mutex");
    vTaskResume(slave_task);
    check(eTaskGetState(slave_task) == eBlocked && uxTaskPriorityGet(NULL) == HIGH, "it inherits");
    on_tick = give_mutex;
    check(xSemaphoreTake(given, 4) == pdPASS && xSemaphoreTake(given, 0) == pdFAIL, "the other one, once");
    check(xSemaphoreGetMutexHolder(given) == xTaskGetCurrentTaskHandle(), "it holds it");
    check(xSemaphoreGive(is_same_order ? given : shared) == pdPASS, "gives one");
    check(uxTaskPriorityGet(NULL) == HIGH, "which leaves what is inherited");
    check(xSemaphoreGive(is_same_order ? shared : given) == pdPASS, "gives the last one");
    check(uxTaskPriorityGet(NULL) == MIDDLE && eTaskGetState(slave_task) == eSuspended, "which ends it");
    (void)xQueueReset(given);
    check(xSemaphoreGetMutexHolder(given) == NULL && xSemaphoreTake(given, 0) == pdFAIL,
          "a reset one is not there");
}

static void mutexes(void) {
    shared = xSemaphoreCreateMutex();
    given = xSemaphoreCreateMutex();
    check(xSemaphoreTakeFromISR(given, NULL) == pdPASS, "a call for interrupts takes it without a holder");
    check(xSemaphoreGetMutexHolderFromISR(given) == NULL, "none");
    slave_task = begin(0, HIGH, slave, NULL);
    two_mutexes(true);
    two_mutexes(false);
    two_mutexes(true);
    vTaskDelete(slave_task);
}

/* ---- tasks that end, memory, background --------------------------------------------------------------------------- */

static TaskHandle_t victim;

static void lives(void *argument) {
    (void)argument;
    for (;;) {
        busy(1);
    }
}

static void kills(void *argument) {
    (void)argument;
    check(xTaskCreate(lives, "victim", configMINIMAL_STACK_SIZE, NULL, LEAST, &victim) == pdPASS, "memory");
    vTaskDelay(2);
    vTaskDelete(victim);
    vTaskDelete(NULL);
}

static void deaths(void) {
    const UBaseType_t tasks = uxTaskGetNumberOfTasks();
    const size_t before = xPortGetFreeHeapSize();
    for (int round = 0; round < 4; round++) {
        check(xTaskCreate(kills, "killer", configMINIMAL_STACK_SIZE, NULL, LOW, NULL) == pdPASS, "memory");
        check(uxTaskGetNumberOfTasks() == tasks + 1, "one more");
        vTaskDelay(6);
        check(uxTaskGetNumberOfTasks() == tasks, "as many as before");
    }
    check(xPortGetFreeHeapSize() == before,
          "the idle task frees what those had that have deleted themselves");
    check(pvPortMalloc(SIZE_MAX / 2) == NULL && failed_allocations == 1, "what does not fit calls the hook");
}

static volatile uint32_t turns[2];

static void computes(void *argument) {
    for (;;) {
        turns[(uintptr_t)argument]++;
        board_pass();
    }
}

static void background(void) {
    TaskHandle_t tasks[2];
    const uint32_t idle_before = idle_calls;
    for (uint32_t number = 0; number < 2; number++) {
        tasks[number] = begin(number, tskIDLE_PRIORITY, computes, (void *)(uintptr_t)number);
    }
    vTaskDelay(20);
    check(eTaskGetState(tasks[0]) == eReady && eTaskGetState(xTaskGetIdleTaskHandle()) != eSuspended,
          "ready");
    check(turns[0] != 0 && turns[1] != 0, "slices let both compute");
    check(turns[0] < 2 * turns[1] && turns[1] < 2 * turns[0], "about as much");
    check(idle_calls > idle_before, "and the hook of the idle task is called beside them");
    vTaskDelete(tasks[0]);
    vTaskDelete(tasks[1]);
}

static void script(void) {
    timers();
    counts();
    triggers();
    bits();
    notifications();
    queues();
    mutexes();
    deaths();
    background();
}

int main(void) {
    before_start();
    run_script(script);
}
