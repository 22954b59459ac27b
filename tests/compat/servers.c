/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A program in a server beside a periodic thread of the kernel: whatever its tasks do, no job of the thread is late, and the
 * tasks get their budget. SERVERS_HOG says what they do. SERVERS_HOME=0 is the control: at the root they starve the thread. */
#include "compat/freertos/include/servers.h"
#include "tests/compat/freertos.h"

#include "kernel/job.h"
#include "policy/table.h"

#ifndef SERVERS_HOG
#define SERVERS_HOG 0
#endif
#ifndef SERVERS_HOME
#define SERVERS_HOME 1
#endif
#ifndef SERVERS_EDF
#define SERVERS_EDF 0
#endif

enum { PERIOD = 10, BUDGET = 3, WORK = 3, JOBS = 20, ABOVE = 9, BELOW = 3, LAST_TICK = (JOBS + 5) * PERIOD };

static takt_periodic_thread_t hard;
static conformance_stack_t hard_stack;
static StaticServer_t memory;
static ServerHandle_t server;
static volatile uint32_t spins;

/* ---- the periodic thread --------------------------------------------------------------------------------------- */

static void work(void *argument) {
    (void)argument;
    for (uint32_t job = 0; job < JOBS; job++) {
        const takt_instant_t end = takt_kernel_now() + TAKT_MS(WORK);
        while (takt_kernel_now() < end) {
            board_pass();
        }
        check(takt_kernel_now() <= (job + 2) * TAKT_MS(PERIOD), "no job is late");
        (void)takt_wait_next_period();
    }
    check(spins > JOBS, "the tasks get their budget");
    check(xServerGetRemainingBudget(server) <= BUDGET, "a budget is what is left of it");
    board_exit(0);
}

static void begin_hard(void) {
    const takt_job_parameters_t parameters = {
        .thread = {.name = "hard",
                   .entry = work,
                   .stack = hard_stack,
                   .stack_bytes = sizeof hard_stack,
                   .priority = BELOW},
        .period = TAKT_MS(PERIOD),
        .relative_deadline = TAKT_MS(PERIOD),
        .offset = TAKT_MS(PERIOD),
    };
    check(takt_periodic_thread_create(&hard, &parameters) == TAKT_OK, "the thread is created");
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void spin(void) {
    spins++;
    board_pass();
    check(xTaskGetTickCount() < LAST_TICK, "the thread starves");
}

static void loop(void *argument) {
    (void)argument;
    for (;;) {
        spin();
    }
}

static void loop_suspended(void *argument) {
    vTaskSuspendAll();
    loop(argument);
}

static void loop_alone(void *argument) {
    while (pvPortMalloc(64) != NULL) {
    }
    vTaskDelete(argument);
    vTaskDelete(xTaskGetIdleTaskHandle());
    vTaskPrioritySet(NULL, HIGHEST);
    loop(NULL);
}

static QueueHandle_t queues[2];

static void exchange(void *argument) {
    const uint32_t number = argument != NULL;
    for (uint32_t message = 0;; message++) {
        (void)xQueueSend(queues[number], &message, 0);
        (void)xQueueReceive(queues[1 - number], &message, 1);
        spin();
    }
}

static void create(TaskFunction_t code, UBaseType_t priority, void *argument, TaskHandle_t *handle) {
    check(xTaskCreate(code, "hog", configMINIMAL_STACK_SIZE, argument, priority, handle) == pdPASS,
          "a task is created");
}

static void create_hogs(void) {
    TaskHandle_t other = NULL;
    switch (SERVERS_HOG) {
    case 0:
        create(loop, HIGHEST, NULL, NULL);
        break;
    case 1:
        create(loop_suspended, LOW, NULL, NULL);
        break;
    case 2:
        create(loop, HIGH, NULL, NULL);
        create(loop, HIGH, NULL, NULL);
        break;
    case 3:
        create(loop, LOW, NULL, &other);
        create(loop_alone, HIGH, other, NULL);
        break;
    default:
        queues[0] = xQueueCreate(1, sizeof(uint32_t));
        queues[1] = xQueueCreate(1, sizeof(uint32_t));
        create(exchange, HIGH, NULL, NULL);
        create(exchange, HIGH, &queues, NULL);
        break;
    }
}

int main(void) {
    const ServerParameters_t parameters = {
        .pxKind = (SERVERS_EDF) != 0 ? &takt_server_cbs : &takt_server_deferrable,
        .xPeriod = PERIOD,
        .xBudget = BUDGET,
        .uxPriority = ABOVE,
    };
    board_begin();
    check(takt_kernel_init((SERVERS_EDF) != 0 ? &takt_policy_edf : &takt_policy_fp) == TAKT_OK, "it begins");
    server = xServerCreateStatic(&parameters, &memory);
    check(server != NULL, "the server is created");
    begin_hard();
    if ((SERVERS_HOME) != 0) {
        vServerSetHome(server);
    }
    create_hogs();
    vTaskStartScheduler();
    check(false, "the scheduler has not started");
    return 1;
}
