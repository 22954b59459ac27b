/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Components; see component.h. */
#include "kernel/component.h"

static takt_status_t create_threads(const takt_component_t *component) {
    takt_status_t status = TAKT_OK;
    for (uint32_t i = 0; i < component->thread_count && status == TAKT_OK; i++) {
        takt_job_parameters_t parameters = component->threads[i].parameters;
        parameters.thread.server = component->server;
        status = takt_periodic_thread_create(component->threads[i].thread, &parameters);
    }
    return status;
}

takt_status_t takt_components_create(const takt_component_t *components, uint32_t count) {
    takt_status_t status = components != NULL ? TAKT_OK : TAKT_ERROR_NULL;
    for (uint32_t i = 0; i < count && status == TAKT_OK; i++) {
        status = takt_thread_server_create(components[i].server, &components[i].parameters);
    }
    for (uint32_t i = 0; i < count && status == TAKT_OK; i++) {
        status = create_threads(&components[i]);
    }
    return status;
}
