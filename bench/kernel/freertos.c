/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls of FreeRTOS' interface (compat/freertos), measured as those of the kernel in operations.c. The command line says
 * where the program is: `root`, or `server` for a deferrable server whose budget is not used up. */
#include "compat/freertos/include/FreeRTOS.h"

#include "bench/kernel/print.h"
#include "compat/freertos/include/queue.h"
#include "compat/freertos/include/semphr.h"
#include "compat/freertos/include/servers.h"

#include <bench_board.h>

enum { ROUNDS = 32, LOW = 2, HIGH = 4, PERIOD = 1000, BUDGET = 900 };

typedef enum operation {
    YIELD,
    GIVE_FREE,
    TAKE_FREE,
    GIVE_RUNS,
    TAKE_BLOCKS,
    INTERRUPT_RUNS,
    SEND_RUNS,
    LOCK_FREE,
    UNLOCK_FREE,
    OPERATIONS
} operation_t;

static const char *const names[OPERATIONS] = {
    [YIELD] = "yield",         [GIVE_FREE] = "give_free",     [TAKE_FREE] = "take_free",
    [GIVE_RUNS] = "give_runs", [TAKE_BLOCKS] = "take_blocks", [INTERRUPT_RUNS] = "interrupt_runs",
    [SEND_RUNS] = "send_runs", [LOCK_FREE] = "lock_free",     [UNLOCK_FREE] = "unlock_free",
};

typedef struct message {
    uint32_t words[4];
} message_t;

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;
static StaticTask_t tasks[3];
static StackType_t stacks[3][configMINIMAL_STACK_SIZE];
static StaticSemaphore_t semaphores[3];
static StaticQueue_t queue_memory;
static StaticServer_t server;
static message_t messages[1];
static SemaphoreHandle_t waited, unwaited, mutex;
static QueueHandle_t queue;

static void finish(void) {
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
    }
    takt_semihost_exit(0);
}

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) {
    BaseType_t is_woken = pdFALSE;
    (void)xSemaphoreGiveFromISR(waited, &is_woken);
    portYIELD_FROM_ISR(is_woken);
}

/* ---- the task that is woken ------------------------------------------------------------------------------- */

static void take(operation_t wakes) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)xSemaphoreTake(waited, portMAX_DELAY);
        BENCH_END(wakes);
    }
}

static void receive(void) {
    BENCH_MEASURING;
    message_t message;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)xQueueReceive(queue, &message, portMAX_DELAY);
        BENCH_END(SEND_RUNS);
    }
    (void)start;
}

static void high(void *argument) {
    (void)argument;
    take(GIVE_RUNS);
    take(INTERRUPT_RUNS);
    receive();
    vTaskSuspend(NULL);
}

/* ---- the task that wakes it ---------------------------------------------------------------------------------- */

static void measure_give(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)xSemaphoreGive(waited);
        BENCH_END(TAKE_BLOCKS);
    }
}

static void measure_interrupt(void) {
    BENCH_MEASURING;
    BENCH_RAISING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        BENCH_RAISE();
        BENCH_BARRIER();
    }
}

static void measure_send(void) {
    BENCH_MEASURING;
    const message_t message = {{0}};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)xQueueSend(queue, &message, 0);
    }
    (void)counter;
}

static void measure_alone(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)xSemaphoreGive(unwaited);
        BENCH_END(GIVE_FREE);
        BENCH_BEGIN();
        (void)xSemaphoreTake(unwaited, 0);
        BENCH_END(TAKE_FREE);
        BENCH_BEGIN();
        (void)xSemaphoreTake(mutex, portMAX_DELAY);
        BENCH_END(LOCK_FREE);
        BENCH_BEGIN();
        (void)xSemaphoreGive(mutex);
        BENCH_END(UNLOCK_FREE);
    }
}

static void yield(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        taskYIELD();
        BENCH_END(YIELD);
    }
}

static void control(void *argument) {
    (void)argument;
    measure_alone();
    measure_give();
    measure_interrupt();
    measure_send();
    yield();
    finish();
}

static void follow(void *argument) {
    (void)argument;
    for (;;) {
        yield();
    }
}

/* ---- main ------------------------------------------------------------------------------------------------------- */

static bool is_in_server(void) {
    char line[80];
    if (!takt_semihost_command_line(line, sizeof line)) {
        takt_semihost_exit(2);
    }
    const char *word = line;
    while (*word != ' ' && *word != 0) {
        word++;
    }
    return word[0] == ' ' && word[1] == 's';
}

static void create(uint32_t number, TaskFunction_t code, UBaseType_t priority) {
    (void)xTaskCreateStatic(code, "bench", configMINIMAL_STACK_SIZE, NULL, priority, stacks[number],
                            &tasks[number]);
}

int main(void) {
    const ServerParameters_t parameters = {
        .pxKind = &takt_server_deferrable, .xPeriod = PERIOD, .xBudget = BUDGET, .uxPriority = 9};
    if (is_in_server()) {
        vServerSetHome(xServerCreateStatic(&parameters, &server));
    }
    waited = xSemaphoreCreateBinaryStatic(&semaphores[0]);
    unwaited = xSemaphoreCreateBinaryStatic(&semaphores[1]);
    mutex = xSemaphoreCreateMutexStatic(&semaphores[2]);
    queue = xQueueCreateStatic(1, sizeof(message_t), (uint8_t *)messages, &queue_memory);
    bench_interrupt_enable();
    create(0, high, HIGH);
    create(1, control, LOW);
    create(2, follow, LOW);
    vTaskStartScheduler();
    takt_semihost_exit(1);
}
