/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Creation and state of servers; see server.h. Inputs may come from a file, so the checks of creation are in every
 * build. */
#include "kernel/server.h"

#include "kernel/creation.h"

static bool is_made(const takt_thread_server_t *server) { return server->server.kind != NULL; }

/* ---- creation ------------------------------------------------------------------------------------- */

static takt_status_t check_pointers(const takt_thread_server_t *server,
                                    const takt_thread_server_parameters_t *parameters) {
    if (server == NULL || parameters == NULL || parameters->kind == NULL || parameters->policy == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (parameters->kind->has_returns && parameters->returns == NULL) {
        return TAKT_ERROR_NULL;
    }
    return parameters->parent != NULL && !is_made(parameters->parent) ? TAKT_ERROR_OBJECT : TAKT_OK;
}

static takt_status_t check_parameters(const takt_thread_server_parameters_t *parameters) {
    if (!takt_policy_is_compatible(parameters->policy)) {
        return TAKT_ERROR_POLICY;
    }
    if (parameters->period == 0) {
        return TAKT_ERROR_PERIOD;
    }
    if (!takt_server_budget_fits(parameters->budget, parameters->period)) {
        return TAKT_ERROR_BUDGET;
    }
    return parameters->priority < TAKT_PRIORITIES ? TAKT_OK : TAKT_ERROR_PRIORITY;
}

/* Servers are numbered before threads: at one instant the smaller number goes first. */
static takt_status_t check_place(const takt_thread_server_parameters_t *parameters) {
    const takt_status_t phase = takt_creation_check_phase();
    if (phase != TAKT_OK) {
        return phase;
    }
    takt_server_t *parent = takt_creation_parent(parameters->parent);
    if (!takt_server_kind_fits(parameters->kind, parent->policy)) {
        return TAKT_ERROR_KIND;
    }
    if (takt_kernel.entity_count != 1u + takt_kernel.server_count) {
        return TAKT_ERROR_ORDER;
    }
    return takt_creation_check_room(parent);
}

static void add(takt_thread_server_t *server, const takt_thread_server_parameters_t *parameters) {
    takt_server_t *parent = takt_creation_parent(parameters->parent);
    takt_ready_t ready = takt_kernel_ready(parameters->policy, server->levels);
    const takt_server_parameters_t of_core = {
        .kind = parameters->kind,
        .period = parameters->period,
        .capacity = parameters->budget,
        .offset = parameters->offset,
        .level = takt_creation_level(parameters->priority),
        .id = takt_creation_number(parent),
        .returns = parameters->returns,
    };
    takt_kernel_expect_pass();
    takt_kernel_add_heap(&ready, server->heap);
    takt_kernel.server_count++;
    takt_server_init(&server->server, parameters->policy, &ready, server->rows, TAKT_KERNEL_ORDER_ROWS,
                     TAKT_KERNEL_TIME_ROWS);
    takt_dispatcher_add_server(&server->server, parent, &of_core);
}

takt_status_t takt_thread_server_create(takt_thread_server_t *server,
                                        const takt_thread_server_parameters_t *parameters) {
    takt_status_t status = check_pointers(server, parameters);
    if (status == TAKT_OK) {
        status = check_parameters(parameters);
    }
    if (status == TAKT_OK) {
        status = check_place(parameters);
    }
    if (status == TAKT_OK) {
        add(server, parameters);
    }
    return status;
}

/* ---- questions -------------------------------------------------------------------------------------- */

/* True if `server` is charged while `entity` runs. */
static bool pays_for(const takt_server_t *server, takt_entity_t *entity) {
    const takt_server_t *payer = takt_entity_is_server(entity) ? takt_server_of(entity) : entity->parent;
    while (payer != server && payer != NULL) {
        payer = takt_server_parent(payer);
    }
    return payer == server;
}

/* Instant up to which `server` was charged: the last account, or a replenishment that is due and not processed yet. */
static takt_instant_t charged_up_to(const takt_server_t *server, takt_instant_t now) {
    const takt_instant_t account = takt_kernel.cpu.charged_at;
    const takt_timer_t *timer = &server->replenishment;
    const bool is_due = takt_timer_is_armed(timer) && timer->instant <= now && server->returns == NULL;
    return is_due && timer->instant > account ? timer->instant : account;
}

static takt_duration_t not_charged_yet(const takt_server_t *server, takt_instant_t now) {
    takt_entity_t *running = takt_kernel.cpu.running;
    if (running == NULL || !pays_for(server, running)) {
        return 0;
    }
    const takt_instant_t from = charged_up_to(server, now);
    return from < now ? now - from : 0u;
}

static takt_instant_t now_or_begin(void) { return takt_kernel.cpu.running != NULL ? takt_port_now() : 0u; }

takt_status_t takt_thread_server_budget(const takt_thread_server_t *server, takt_duration_t *ticks) {
    TAKT_REQUIRE(server != NULL && ticks != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(server), TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t now = now_or_begin();
    const takt_duration_t budget = takt_server_budget(&server->server, now);
    const takt_duration_t spent = not_charged_yet(&server->server, now);
    takt_port_unlock(level);
    *ticks = spent < budget ? budget - spent : 0u;
    return TAKT_OK;
}

takt_status_t takt_thread_server_next_replenishment(const takt_thread_server_t *server,
                                                    takt_instant_t *instant) {
    TAKT_REQUIRE(server != NULL && instant != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(is_made(server), TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    *instant = takt_server_next_replenishment(&server->server, now_or_begin());
    takt_port_unlock(level);
    return TAKT_OK;
}
