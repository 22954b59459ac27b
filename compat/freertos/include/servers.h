/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers: budgets for a program, or for some of its tasks. No part of FreeRTOS' interface.
 *
 * Source: Inam et al. 2011 (a server is created, tasks are created in it, its budget is read); kernel/server.h. Servers are
 * created before the start and before any thread of the kernel, their tasks at any time. */
#ifndef TAKT_FREERTOS_SERVERS_H
#define TAKT_FREERTOS_SERVERS_H

#include "FreeRTOS.h"

#include "task.h"

#include "kernel/kernel.h"
#include "kernel/server.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef takt_thread_server_t StaticServer_t;
typedef takt_thread_server_t *ServerHandle_t;

typedef struct xSERVER_PARAMETERS {
    const takt_server_kind_t *pxKind; /* takt_server_deferrable and others of core/server.h */
    const takt_policy_t *pxPolicy;    /* among its tasks; NULL: fixed priorities */
    TickType_t xPeriod;               /* ticks, 1 and up */
    TickType_t xBudget;               /* ticks, 1 .. xPeriod */
    UBaseType_t uxPriority;           /* where its parent orders by priorities */
    takt_server_returns_t *pxReturns; /* zeroed, for a sporadic kind; else NULL */
    ServerHandle_t xParent;           /* NULL: under the root */
} ServerParameters_t;

/* Creates a server, under fixed priorities unless the kernel is initialised. Returns NULL if the kernel refuses it, as
 * takt_thread_server_create does. */
ServerHandle_t xServerCreateStatic(const ServerParameters_t *pxParameters, StaticServer_t *pxBuffer);

/* From now on xTaskCreate, xTaskCreateStatic and what creates tasks by these create them in `xServer`, NULL: under the
 * root. Called before a program that does not know of servers, it puts all of it there: its idle task and the daemon of its
 * timers too, and vTaskSuspendAll stops the tasks of this server and no others. */
void vServerSetHome(ServerHandle_t xServer);

/* As xTaskCreate and xTaskCreateStatic, in `xServer`. */
BaseType_t xTaskCreateInServer(ServerHandle_t xServer, TaskFunction_t pxTaskCode, const char *pcName,
                               configSTACK_DEPTH_TYPE uxStackDepth, void *pvParameters,
                               UBaseType_t uxPriority, TaskHandle_t *pxCreatedTask);
TaskHandle_t xTaskCreateStaticInServer(ServerHandle_t xServer, TaskFunction_t pxTaskCode, const char *pcName,
                                       configSTACK_DEPTH_TYPE uxStackDepth, void *pvParameters,
                                       UBaseType_t uxPriority, StackType_t *puxStackBuffer,
                                       StaticTask_t *pxTaskBuffer);

/* Returns the whole ticks that are left of the budget of `xServer`; takt_thread_server_budget has it exactly. */
TickType_t xServerGetRemainingBudget(ServerHandle_t xServer);

#ifdef __cplusplus
}
#endif

#endif
