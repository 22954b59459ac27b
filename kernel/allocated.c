/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* User-supplied allocators, and requests to all allocators; see allocated.h and request.h. */
#include "kernel/allocated.h"

#include "kernel/creation.h"
#include "kernel/request.h"

/* ---- requests --------------------------------------------------------------------------------------- */

takt_status_t takt_request_open(takt_request_t *request) {
    if (request->is_from_isr) {
        TAKT_REQUIRE_KERNEL_ISR();
    } else {
        TAKT_REQUIRE_OPEN();
    }
    request->level = takt_port_lock();
    return TAKT_OK;
}

takt_instant_t takt_request_now(void) { return takt_kernel.cpu.running != NULL ? takt_port_now() : 0u; }

/* Before the start there is no decision. An interrupt leaves it to the pass after all interrupts. */
takt_status_t takt_request_close(const takt_request_t *request, takt_status_t answer) {
    if (!request->is_from_isr && takt_kernel.cpu.running != NULL) {
        (void)takt_kernel_dispatch();
        return answer;
    }
    takt_kernel.busy |= takt_kernel.cpu.running != NULL ? TAKT_BUSY_DUE : 0u;
    if (request->is_from_isr) {
        takt_port_pend();
    }
    takt_port_unlock(request->level);
    return answer;
}

/* The allocator of `thread`, NULL if it has none. */
static const takt_allocator_t *allocator_of(const takt_job_thread_t *thread) {
    const takt_task_t *task = thread->thread.plain.entity.task;
    return task != NULL && takt_task_is_allocated(task) ? task->extension->allocation->functions : NULL;
}

static takt_status_t check_request(const takt_job_thread_t *thread, takt_event_kind_t kind) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    const takt_allocator_t *allocator = allocator_of(thread);
    TAKT_REQUIRE(allocator != NULL, TAKT_ERROR_OBJECT);
    const bool is_taken = (kind == TAKT_EVENT_ENTER ? allocator->enter : allocator->leave) != NULL;
    TAKT_REQUIRE(is_taken, TAKT_ERROR_EXTENSION);
    (void)allocator;
    (void)is_taken;
    return TAKT_OK;
}

static takt_status_t request(takt_job_thread_t *thread, takt_event_kind_t kind, bool is_from_isr) {
    takt_request_t request = {.is_from_isr = is_from_isr};
    takt_status_t status = check_request(thread, kind);
    if (status == TAKT_OK) {
        status = takt_request_open(&request);
    }
    if (status != TAKT_OK) {
        return status;
    }
    takt_kernel_post_at(kind, &thread->thread.plain.entity, takt_request_now(), 0);
    return takt_request_close(&request, TAKT_OK);
}

takt_status_t takt_allocated_thread_enter(takt_job_thread_t *thread) {
    return request(thread, TAKT_EVENT_ENTER, false);
}

takt_status_t takt_allocated_thread_enter_from_isr(takt_job_thread_t *thread) {
    return request(thread, TAKT_EVENT_ENTER, true);
}

takt_status_t takt_allocated_thread_leave(takt_job_thread_t *thread) {
    return request(thread, TAKT_EVENT_LEAVE, false);
}

takt_status_t takt_allocated_thread_leave_from_isr(takt_job_thread_t *thread) {
    return request(thread, TAKT_EVENT_LEAVE, true);
}

/* ---- creation --------------------------------------------------------------------------------------- */

takt_status_t takt_kernel_add_allocator(takt_allocation_t *allocation, const takt_allocator_t *functions) {
    if (allocation == NULL || functions == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (functions->version != TAKT_ALLOCATOR_VERSION || functions->size != sizeof *functions) {
        return TAKT_ERROR_POLICY;
    }
    const takt_status_t phase = takt_creation_check_phase();
    if (phase == TAKT_OK) {
        takt_allocation_init(allocation, functions, &takt_kernel.dispatcher);
    }
    return phase;
}

static takt_status_t check_allocated(const takt_job_parameters_t *parameters) {
    if (parameters->allocation->dispatcher == NULL || parameters->thread.server != NULL) {
        return TAKT_ERROR_OBJECT;
    }
    const bool is_allocated = parameters->arrivals == NULL && parameters->capacity == 0 &&
                              parameters->offset == 0 && !parameters->is_limited &&
                              parameters->on_miss == TAKT_ON_MISS_CONTINUE;
    if (!is_allocated) {
        return TAKT_ERROR_EXTENSION;
    }
    return parameters->period == 0 ? TAKT_ERROR_PERIOD : TAKT_OK;
}

takt_status_t takt_allocated_thread_create(takt_allocated_thread_t *thread,
                                           const takt_job_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->allocation == NULL ||
        parameters->extension == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_task(&thread->job, parameters);
    if (status == TAKT_OK) {
        status = check_allocated(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    parameters->extension->allocation = parameters->allocation;
    return takt_creation_add_task(&thread->job, &thread->task, parameters, parameters->extension);
}
