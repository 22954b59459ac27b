/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Creation of plain and of periodic threads, and the common part of all creations; see creation.h. Inputs may come from
 * a file, so the checks are in every build. */
#include "kernel/creation.h"
#include "kernel/wait.h"

takt_status_t takt_creation_check_phase(void) {
    if (takt_kernel.entity_count == 0) {
        return TAKT_ERROR_NOT_INITIALISED;
    }
    return takt_kernel.cpu.running != NULL ? TAKT_ERROR_STARTED : TAKT_OK;
}

takt_server_t *takt_creation_parent(takt_thread_server_t *server) {
    return server != NULL ? &server->server : &takt_kernel.dispatcher.root;
}

static takt_server_t *parent_of(const takt_thread_parameters_t *parameters) {
    return takt_creation_parent(parameters->server);
}

/* ---- room --------------------------------------------------------------------------------------- */

static uint32_t *children_of(takt_server_t *parent) {
    return takt_server_is_root(parent) ? &takt_kernel.children
                                       : &TAKT_CONTAINER_OF(parent, takt_thread_server_t, server)->children;
}

/* True if one more entity fits in `parent`; one slot of the root's heap is reserved for the idle thread. */
static bool has_slot(takt_server_t *parent) {
    const uint32_t slots = TAKT_KERNEL_HEAP_SLOTS - (takt_server_is_root(parent) ? 1u : 0u);
    return parent->ready.order == TAKT_ORDER_LEVELS || *children_of(parent) < slots;
}

/* The idle thread's number is reserved. */
takt_status_t takt_creation_check_room(takt_server_t *parent) {
    const bool has_number = takt_kernel.entity_count < TAKT_KERNEL_ENTITY_LIMIT - 1 ||
                            !takt_numbers_is_empty(&takt_kernel.free_numbers);
    return has_number && has_slot(parent) ? TAKT_OK : TAKT_ERROR_FULL;
}

uint32_t takt_creation_number(takt_server_t *parent) {
    ++*children_of(parent);
    if (takt_numbers_is_empty(&takt_kernel.free_numbers)) {
        return takt_kernel.entity_count++;
    }
    return takt_numbers_take(&takt_kernel.free_numbers);
}

void takt_creation_release(const takt_entity_t *entity) {
    if (takt_kernel.threads != NULL) {
        takt_kernel.threads[takt_entity_number(entity)] = NULL;
    }
    --*children_of(entity->parent);
    takt_numbers_give(&takt_kernel.free_numbers, takt_entity_number(entity));
}

/* ---- threads ------------------------------------------------------------------------------------ */

bool takt_creation_is_stack(const takt_thread_parameters_t *parameters) {
    const uint32_t bytes = parameters->stack_bytes;
    const uint32_t least = takt_creation_stack_bytes_min();
    return bytes - least <= TAKT_STACK_BYTES_MAX - least && (bytes | (uintptr_t)parameters->stack) % 8u == 0;
}

takt_status_t takt_creation_check_full_stacks(uint32_t bytes) {
    return takt_kernel.has_small_stacks || bytes < TAKT_STACK_BYTES_MIN ? TAKT_ERROR_STACK : TAKT_OK;
}

takt_status_t takt_creation_check_thread(const takt_thread_t *thread,
                                         const takt_thread_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->entry == NULL || parameters->stack == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!takt_creation_is_stack(parameters)) {
        return TAKT_ERROR_STACK;
    }
    if (parameters->priority >= TAKT_PRIORITIES) {
        return TAKT_ERROR_PRIORITY;
    }
    const bool has_jobs = thread->plain.entity.task != NULL;
    return (thread->flags & TAKT_THREAD_EXISTS) != 0 || has_jobs ? TAKT_ERROR_EXISTS : TAKT_OK;
}

/* Two words: a stack is aligned to them, and has a multiple of them. */
typedef uint64_t __attribute__((may_alias)) paint_t;

enum { BRUSH = 8 /* stores of a round */ };

/* Frames of a deleted thread may have left marks of a sanitizer. */
static __attribute__((no_sanitize_address)) void paint(paint_t *stack, uint32_t bytes) {
    const paint_t colour = (paint_t)TAKT_STACK_PAINT << 32 | TAKT_STACK_PAINT;
    uint32_t left = bytes / (uint32_t)sizeof *stack;
#ifndef __OPTIMIZE_SIZE__
    for (; left >= BRUSH; left -= BRUSH) {
        stack[0] = colour;
        stack[1] = colour;
        stack[2] = colour;
        stack[3] = colour;
        stack[4] = colour;
        stack[5] = colour;
        stack[6] = colour;
        stack[7] = colour;
        stack += BRUSH;
    }
#endif
    for (; left > 0; left--) {
        *stack++ = colour;
    }
}

/* An array, because literals of one file are linked together. */
static const char no_name[] = "";

/* No other thread knows `thread` yet, so the lock stays open while its stack is painted. */
static void prepare(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    thread->name = parameters->name != NULL ? parameters->name : no_name;
    thread->stack = parameters->stack;
    thread->stack_bytes = parameters->stack_bytes & 0xFFFFFFu;
    thread->notification = 0;
    paint(parameters->stack, parameters->is_unpainted ? (uint32_t)sizeof(paint_t) : parameters->stack_bytes);
    thread->sp = takt_port_context_create(parameters->stack, parameters->stack_bytes, parameters->entry,
                                          parameters->argument);
    takt_port_guard(parameters->stack, parameters->stack_bytes);
}

/* `thread` is in the dispatcher. */
static void begin(takt_thread_t *thread) {
    thread->flags |= TAKT_THREAD_EXISTS;
    takt_entity_set_attributes(&thread->plain.entity, takt_kernel.full_pass);
    if (takt_kernel.threads != NULL) {
        takt_kernel.threads[takt_entity_number(&thread->plain.entity)] = thread;
    }
}

void takt_kernel_fill_thread(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    prepare(thread, parameters);
    begin(thread);
}

/* Another thread may take the last number while the stack is painted, so that there is room is checked after that. */
static takt_status_t add_thread(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_server_t *parent = parent_of(parameters);
    const takt_status_t room = takt_creation_check_room(parent);
    if (room != TAKT_OK) {
        takt_port_unguard(parameters->stack, parameters->stack_bytes);
        return room;
    }
    const takt_key_t level = takt_creation_level(parameters->priority);
    takt_dispatcher_add_thread(&thread->plain, parent, level, takt_creation_number(parent));
    takt_kernel.has_small_stacks |= parameters->stack_bytes < TAKT_STACK_BYTES_MIN;
    begin(thread);
    return TAKT_OK;
}

/* Records the new level of this number: another thread may have had the number before. */
static void record_creation(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    if (takt_kernel.dispatcher.trace == NULL && !TAKT_BACKEND_IS_REMOTE) {
        return;
    }
    takt_kernel.pass->create(&thread->plain.entity, takt_creation_level(parameters->priority));
}

void takt_creation_begin(takt_thread_t *thread) {
    takt_thread_clear(thread, TAKT_THREAD_SUSPENDED);
    thread->plain.entity.state = 0;
    takt_queue_append(&takt_kernel.created, &thread->plain.entity);
}

/* `thread` is treated as one that has waited until now. */
static takt_status_t begin_running(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    record_creation(thread, parameters);
    return parameters->is_suspended ? takt_port_open() : takt_wake(&thread->plain.entity);
}

static takt_status_t create(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    const bool is_running = takt_kernel.cpu.running != NULL;
    if (is_running && !takt_port_is_open()) {
        return takt_kernel_misuse();
    }
    prepare(thread, parameters);
    if (is_running) {
        takt_port_close();
    }
    const takt_status_t status = add_thread(thread, parameters);
    if (status != TAKT_OK) {
        return is_running ? takt_kernel_refuse(status) : status;
    }
    thread->plain.entity.state = TAKT_STATE_WAITING;
    thread->wait = NULL;
    if (parameters->is_suspended) {
        thread->flags |= TAKT_THREAD_SUSPENDED;
    } else if (!is_running) {
        takt_creation_begin(thread);
    }
    return is_running ? begin_running(thread, parameters) : TAKT_OK;
}

takt_status_t takt_thread_create(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_status_t status = takt_creation_check_thread(thread, parameters);
    if (status == TAKT_OK && takt_kernel.entity_count == 0) {
        status = TAKT_ERROR_NOT_INITIALISED;
    }
    return status == TAKT_OK ? create(thread, parameters) : status;
}

/* ---- threads that execute jobs ------------------------------------------------------------------ */

takt_status_t takt_creation_check_job(const takt_job_thread_t *thread,
                                      const takt_thread_parameters_t *parameters) {
    if (thread == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_thread(&thread->thread, parameters);
    if (status == TAKT_OK) {
        status = takt_creation_check_full_stacks(parameters->stack_bytes);
    }
    if (status == TAKT_OK && parameters->is_suspended) {
        status = TAKT_ERROR_JOBS;
    }
    if (status == TAKT_OK) {
        status = takt_creation_check_phase();
    }
    return status == TAKT_OK ? takt_creation_check_room(parent_of(parameters)) : status;
}

static bool is_protected(const takt_job_parameters_t *parameters) {
    const bool is_keyed = parent_of(&parameters->thread)->ready.order == TAKT_ORDER_KEYS;
    const takt_key_t level = takt_creation_level(parameters->thread.priority);
    return is_keyed || !parameters->is_limited ||
           !takt_is_more_urgent(level, 0, parameters->preemption_key, 0);
}

takt_status_t takt_creation_check_task(const takt_job_thread_t *thread,
                                       const takt_job_parameters_t *parameters) {
    const takt_status_t status = takt_creation_check_job(thread, &parameters->thread);
    if (status != TAKT_OK) {
        return status;
    }
    if (parameters->relative_deadline == 0) {
        return TAKT_ERROR_DEADLINE;
    }
    return is_protected(parameters) ? TAKT_OK : TAKT_ERROR_THRESHOLD;
}

takt_status_t takt_creation_add_task(takt_job_thread_t *thread, takt_task_t *task,
                                     const takt_job_parameters_t *parameters,
                                     takt_task_extension_t *extension) {
    takt_server_t *parent = parent_of(&parameters->thread);
    const takt_task_parameters_t of_core = {
        .period = parameters->period,
        .relative_deadline = parameters->relative_deadline,
        .wcet = parameters->wcet,
        .offset = parameters->offset,
        .level = takt_creation_level(parameters->thread.priority),
        .task_class = parameters->task_class,
        .preemption_key = parameters->preemption_key,
        .is_limited = parameters->is_limited,
        .id = takt_creation_number(parent),
        .extension = extension,
    };
    if (extension != NULL) {
        extension->on_miss = parameters->on_miss;
    }
    takt_kernel_expect_pass();
    takt_dispatcher_add_task(task, &thread->thread.plain.entity, parent, &of_core);
    takt_job_fill(thread, &parameters->thread);
    return TAKT_OK;
}

static takt_status_t check_periodic(const takt_job_parameters_t *parameters) {
    const bool is_periodic =
        parameters->arrivals == NULL && parameters->capacity == 0 && parameters->allocation == NULL;
    if (!is_periodic || (parameters->on_miss != TAKT_ON_MISS_CONTINUE && parameters->extension == NULL)) {
        return TAKT_ERROR_EXTENSION;
    }
    return parameters->period == 0 ? TAKT_ERROR_PERIOD : TAKT_OK;
}

takt_status_t takt_periodic_thread_create(takt_periodic_thread_t *thread,
                                          const takt_job_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = takt_creation_check_task(&thread->job, parameters);
    if (status == TAKT_OK) {
        status = check_periodic(parameters);
    }
    return status == TAKT_OK
               ? takt_creation_add_task(&thread->job, &thread->task, parameters, parameters->extension)
               : status;
}

/* ---- resources ---------------------------------------------------------------------------------- */

/* Where ceilings bar runs, as under srp, the selected entity may be barred, so the inline layer no longer selects under
 * the root. */
static takt_status_t attend(const takt_protocol_kind_t *kind, const takt_thread_server_t *server) {
    if (kind->bars != TAKT_BARS_RUNS || server != NULL) {
        return TAKT_OK;
    }
    if (takt_kernel.entity_count != 1u + takt_kernel.server_count) {
        return TAKT_ERROR_ORDER;
    }
    takt_kernel.full_pass = TAKT_ATTRIBUTE_FULL_PASS;
    return TAKT_OK;
}

takt_status_t takt_creation_add_resource(takt_resource_t *resource, takt_protocol_t protocol,
                                         const takt_protocol_kind_t *kind, takt_key_t ceiling,
                                         const takt_thread_server_t *server, void (*expect)(void)) {
    if (kind == NULL || kind->scope != TAKT_SCOPE_LOCAL) {
        return TAKT_ERROR_PROTOCOL;
    }
    if (takt_kernel.entity_count == 0) {
        return TAKT_ERROR_NOT_INITIALISED;
    }
    const takt_server_t *parent = server != NULL ? &server->server : &takt_kernel.dispatcher.root;
    if (!takt_protocol_fits(kind, parent->policy)) {
        return TAKT_ERROR_PROTOCOL;
    }
    const takt_status_t status = attend(kind, server);
    if (status == TAKT_OK) {
        expect();
        takt_resource_init_under(resource, takt_kernel.mutex_count++, protocol, kind, ceiling);
        takt_kernel.pass->locking->expect();
    }
    return status;
}

takt_status_t takt_job_resource_init(takt_resource_t *resource, takt_protocol_t protocol, takt_key_t ceiling,
                                     const takt_thread_server_t *server) {
    if (resource == NULL) {
        return TAKT_ERROR_NULL;
    }
    const takt_status_t status = takt_creation_check_full_stacks(TAKT_STACK_BYTES_MIN);
    return status == TAKT_OK ? takt_creation_add_resource(resource, protocol, takt_protocol_row(protocol),
                                                          ceiling, server, takt_kernel_expect_pass)
                             : status;
}
