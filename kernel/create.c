/* Creation of servers and threads. Its inputs may come from a file, so that its checks stay in every build. */
#include "kernel/wait.h"

static takt_status_t check_phase(void) {
    if (takt_kernel.entity_count == 0) {
        return TAKT_ERROR_NOT_INITIALISED;
    }
    return takt_kernel.cpu.running != NULL ? TAKT_ERROR_STARTED : TAKT_OK;
}

static takt_server_t *home_of(const takt_thread_parameters_t *parameters) {
    return parameters->server != NULL ? &parameters->server->server : &takt_kernel.dispatcher.root;
}

/* The heap's count leaves room for the idle thread, and takes every entity for one of this heap. */
static bool has_room(const takt_server_t *home) {
    const bool is_keyed = home->ready.order == TAKT_ORDER_KEYS;
    return takt_kernel.entity_count < TAKT_KERNEL_ENTITY_LIMIT - 1 &&
           !(is_keyed && takt_kernel.entity_count >= TAKT_KERNEL_HEAP_SLOTS);
}

static takt_key_t level_of(uint32_t priority) { return takt_level_from_priority(priority, TAKT_PRIORITIES); }

/* ---- threads ------------------------------------------------------------------------------------ */

static takt_status_t check_thread(const takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL || parameters->entry == NULL || parameters->stack == NULL) {
        return TAKT_ERROR_NULL;
    }
    const bool is_of_size = parameters->stack_bytes >= TAKT_STACK_BYTES_MIN &&
                            parameters->stack_bytes <= TAKT_STACK_BYTES_MAX &&
                            parameters->stack_bytes % 8u == 0;
    if (!is_of_size || (uintptr_t)parameters->stack % 8u != 0) {
        return TAKT_ERROR_STACK;
    }
    if (parameters->priority >= TAKT_PRIORITIES) {
        return TAKT_ERROR_PRIORITY;
    }
    return (thread->flags & TAKT_THREAD_EXISTS) != 0 ? TAKT_ERROR_EXISTS : TAKT_OK;
}

static takt_status_t check_room(const takt_thread_parameters_t *parameters) {
    return has_room(home_of(parameters)) ? TAKT_OK : TAKT_ERROR_FULL;
}

/* Frames of a thread that was deleted may have left marks of a sanitizer. */
static __attribute__((no_sanitize_address)) void paint(uint32_t *stack, uint32_t bytes) {
    for (uint32_t word = 0; word < bytes / sizeof *stack; word++) {
        stack[word] = TAKT_STACK_PAINT;
    }
}

void takt_kernel_fill_thread(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    thread->name = parameters->name != NULL ? parameters->name : "";
    thread->stack = parameters->stack;
    thread->stack_bytes = parameters->stack_bytes & 0xFFFFFFu;
    thread->flags = TAKT_THREAD_EXISTS;
    thread->notification = 0;
    paint(parameters->stack, parameters->stack_bytes);
    thread->sp = takt_port_context_create(parameters->stack, parameters->stack_bytes, parameters->entry,
                                          parameters->argument);
    thread->plain.entity.attributes |= takt_kernel.attended & 255u;
}

/* One that has been deleted keeps its number. */
static uint32_t number_of(const takt_thread_t *thread) {
    return thread->plain.entity.home != NULL ? thread->plain.entity.id : takt_kernel.entity_count++;
}

/* While the kernel runs, the new thread is one that has waited until now. */
static takt_status_t create_running(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_port_close();
    takt_dispatcher_add_thread(&thread->plain, home_of(parameters), level_of(parameters->priority),
                               number_of(thread));
    takt_kernel_fill_thread(thread, parameters);
    thread->plain.entity.state = TAKT_STATE_WAITING;
    return takt_wake(&thread->plain.entity);
}

static takt_status_t create_before_start(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_dispatcher_add_thread(&thread->plain, home_of(parameters), level_of(parameters->priority),
                               takt_kernel.entity_count++);
    takt_kernel_fill_thread(thread, parameters);
    takt_queue_append(&takt_kernel.created, &thread->plain.entity);
    return TAKT_OK;
}

takt_status_t takt_thread_create(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    takt_status_t status = check_thread(thread, parameters);
    if (status == TAKT_OK && takt_kernel.entity_count == 0) {
        status = TAKT_ERROR_NOT_INITIALISED;
    }
    if (status == TAKT_OK && thread->plain.entity.home == NULL) {
        status = check_room(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    if (takt_kernel.cpu.running == NULL) {
        return create_before_start(thread, parameters);
    }
    return takt_port_is_open() ? create_running(thread, parameters) : takt_kernel_misuse();
}

/* ---- periodic threads --------------------------------------------------------------------------- */

/* A preemption level protects, so it is at least as urgent as the level. */
static bool is_threshold_valid(const takt_periodic_parameters_t *parameters) {
    const bool is_keyed = home_of(&parameters->thread)->ready.order == TAKT_ORDER_KEYS;
    const takt_key_t level = level_of(parameters->thread.priority);
    return is_keyed || !parameters->is_limited ||
           !takt_is_more_urgent(level, 0, parameters->preemption_key, 0);
}

static takt_status_t check_task(const takt_periodic_parameters_t *parameters) {
    if (parameters->period == 0) {
        return TAKT_ERROR_PERIOD;
    }
    if (parameters->relative_deadline == 0) {
        return TAKT_ERROR_DEADLINE;
    }
    return is_threshold_valid(parameters) ? TAKT_OK : TAKT_ERROR_THRESHOLD;
}

static void add_task(takt_periodic_thread_t *thread, const takt_periodic_parameters_t *parameters) {
    const takt_task_parameters_t task = {
        .period = parameters->period,
        .relative_deadline = parameters->relative_deadline,
        .wcet = parameters->wcet,
        .offset = parameters->offset,
        .level = level_of(parameters->thread.priority),
        .task_class = parameters->task_class,
        .preemption_key = parameters->preemption_key,
        .is_limited = parameters->is_limited,
        .id = takt_kernel.entity_count++,
    };
    takt_dispatcher_add_task(&thread->task, &thread->job.thread.plain.entity, home_of(&parameters->thread),
                             &task);
}

takt_status_t takt_periodic_thread_create(takt_periodic_thread_t *thread,
                                          const takt_periodic_parameters_t *parameters) {
    if (thread == NULL || parameters == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_status_t status = check_thread(&thread->job.thread, &parameters->thread);
    if (status == TAKT_OK) {
        status = check_phase();
    }
    if (status == TAKT_OK) {
        status = check_room(&parameters->thread);
    }
    if (status == TAKT_OK) {
        status = check_task(parameters);
    }
    if (status != TAKT_OK) {
        return status;
    }
    add_task(thread, parameters);
    takt_job_fill(&thread->job, &parameters->thread);
    return TAKT_OK;
}

/* ---- servers ------------------------------------------------------------------------------------ */

takt_ready_t takt_kernel_ready(const takt_policy_t *policy, takt_entity_t **places) {
    takt_ready_t ready = {.order = policy->order};
    if (policy->order == TAKT_ORDER_KEYS) {
        ready.keys = (takt_keys_t){.slots = places};
    } else {
        ready.levels = (takt_levels_t){.heads = places, .depth = 1};
    }
    return ready;
}

static takt_status_t check_server(const takt_thread_server_t *server,
                                  const takt_thread_server_parameters_t *parameters) {
    if (server == NULL || parameters == NULL || parameters->kind == NULL || parameters->policy == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (parameters->kind->has_returns && parameters->returns == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!takt_policy_is_compatible(parameters->policy)) {
        return TAKT_ERROR_POLICY;
    }
    if (parameters->period == 0) {
        return TAKT_ERROR_PERIOD;
    }
    if (parameters->budget == 0 || parameters->budget > parameters->period) {
        return TAKT_ERROR_BUDGET;
    }
    return parameters->priority < TAKT_PRIORITIES ? TAKT_OK : TAKT_ERROR_PRIORITY;
}

/* Servers are numbered before threads: at one instant the smaller number goes first. */
static takt_status_t check_server_phase(void) {
    const takt_status_t phase = check_phase();
    if (phase != TAKT_OK) {
        return phase;
    }
    if (takt_kernel.entity_count != 1u + takt_kernel.server_count) {
        return TAKT_ERROR_ORDER;
    }
    return has_room(&takt_kernel.dispatcher.root) ? TAKT_OK : TAKT_ERROR_FULL;
}

takt_status_t takt_thread_server_create(takt_thread_server_t *server,
                                        const takt_thread_server_parameters_t *parameters) {
    takt_status_t status = check_server(server, parameters);
    if (status == TAKT_OK) {
        status = check_server_phase();
    }
    if (status != TAKT_OK) {
        return status;
    }
    const takt_ready_t ready = takt_kernel_ready(parameters->policy, server->places);
    const takt_server_parameters_t of_core = {
        .kind = parameters->kind,
        .period = parameters->period,
        .capacity = parameters->budget,
        .offset = parameters->offset,
        .level = level_of(parameters->priority),
        .id = takt_kernel.entity_count++,
        .returns = parameters->returns,
    };
    takt_kernel.server_count++;
    takt_server_init(&server->server, parameters->policy, &ready, server->rows, TAKT_KERNEL_ORDER_ROWS,
                     TAKT_KERNEL_TIME_ROWS);
    takt_dispatcher_add_server(&server->server, &takt_kernel.dispatcher.root, &of_core);
    return TAKT_OK;
}
