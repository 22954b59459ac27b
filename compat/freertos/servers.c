/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers for tasks; see include/servers.h. */
#include "compat/freertos/include/servers.h"

#include "compat/freertos/program.h"

ServerHandle_t xServerCreateStatic(const ServerParameters_t *parameters, StaticServer_t *buffer) {
    ASSERT(parameters != NULL);
    ASSERT(buffer != NULL);
    (void)takt_kernel_init(&takt_policy_fp); /* perhaps it is done */
    const takt_thread_server_parameters_t own = {
        .kind = parameters->pxKind,
        .policy = parameters->pxPolicy != NULL ? parameters->pxPolicy : &takt_policy_fp,
        .period = (takt_duration_t)parameters->xPeriod * TAKT_FREERTOS_TICK,
        .budget = (takt_duration_t)parameters->xBudget * TAKT_FREERTOS_TICK,
        .priority = (uint32_t)parameters->uxPriority,
        .returns = parameters->pxReturns,
        .parent = parameters->xParent,
    };
    return takt_thread_server_create(buffer, &own) == TAKT_OK ? buffer : NULL;
}

void vServerSetHome(ServerHandle_t server) { takt_freertos.home = server; }

BaseType_t xTaskCreateInServer(ServerHandle_t server, TaskFunction_t code, const char *name,
                               configSTACK_DEPTH_TYPE depth, void *argument, UBaseType_t priority,
                               TaskHandle_t *handle) {
    return takt_freertos_create(server, code, name, depth, argument, priority, handle);
}

TaskHandle_t xTaskCreateStaticInServer(ServerHandle_t server, TaskFunction_t code, const char *name,
                                       configSTACK_DEPTH_TYPE depth, void *argument, UBaseType_t priority,
                                       StackType_t *stack, StaticTask_t *buffer) {
    return takt_freertos_create_static(server, code, name, depth, argument, priority, stack, buffer);
}

TickType_t xServerGetRemainingBudget(ServerHandle_t server) {
    takt_duration_t left = 0;
    ASSERT(server != NULL);
    (void)takt_thread_server_budget(server, &left);
    return (TickType_t)(left / TAKT_FREERTOS_TICK);
}
