/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Constant-bandwidth server (Abeni, Buttazzo 1998; SPEC.md, 4), soft and hard: a deadline d and a budget
 * that together never claim more than capacity / period from any instant on.
 * Conserved: at every arrival budget <= (d - t) capacity / period, or both are new. */
#include "core/server.h"
#include "core/wide.h"

static takt_instant_t next_chunk(takt_server_t *server) {
    return takt_server_begin_period(server, server->job.deadline);
}

/* Whether the budget could be consumed by the deadline at no more than the server's share. */
static bool is_within_share(const takt_server_t *server, takt_instant_t instant) {
    if (server->job.deadline <= instant) {
        return false;
    }
    const takt_wide_t claimed = takt_wide_product(server->job.remaining, server->job.period);
    const takt_wide_t share = takt_wide_product(server->job.deadline - instant, server->capacity);
    return takt_wide_is_less(claimed, share);
}

static bool has_begun(const takt_server_t *server) { return server->job.number > 0; }

/* Called when a server without work gets some: a new period begins, unless the current one still fits. */
static takt_instant_t renew(takt_server_t *server, takt_instant_t instant) {
    if (!is_within_share(server, instant)) {
        (void)takt_server_begin_period(server, instant);
    }
    return TAKT_NEVER;
}

static bool is_exhausted(const takt_server_t *server, takt_instant_t instant) {
    return server->job.remaining == 0 && server->job.deadline > instant;
}

static takt_instant_t gain(takt_server_t *server, takt_instant_t instant) {
    if (!has_begun(server)) {
        return TAKT_NEVER;
    }
    if (is_exhausted(server, instant)) {
        (void)next_chunk(server);
        return TAKT_NEVER;
    }
    return renew(server, instant);
}

static takt_instant_t gain_hard(takt_server_t *server, takt_instant_t instant) {
    if (!has_begun(server)) {
        return TAKT_NEVER;
    }
    return is_exhausted(server, instant) ? server->job.deadline : renew(server, instant);
}

/* Without work no replenishment at the deadline is needed. */
static takt_instant_t lose_hard(takt_server_t *server, takt_instant_t instant) {
    (void)instant;
    if (has_begun(server)) {
        takt_timers_remove(&takt_server_parent(server)->timers, &server->replenishment);
    }
    return TAKT_NEVER;
}

/* The first call is at the server's offset: waiting work arrives now. Work that came after the deadline, but before
 * this instant was processed, has renewed the budget already. */
static takt_instant_t replenish(takt_server_t *server, takt_instant_t instant) {
    if (!has_begun(server)) {
        const bool has_work = !takt_ready_is_empty(&server->ready);
        (void)takt_server_begin_period(server, instant);
        server->job.deadline = has_work ? server->job.deadline : instant;
    } else if (server->job.remaining == 0) {
        (void)next_chunk(server);
    }
    return TAKT_NEVER;
}

static takt_instant_t at_once(takt_server_t *server, takt_instant_t instant) {
    (void)instant;
    (void)next_chunk(server);
    return TAKT_NEVER;
}

static takt_instant_t at_deadline(takt_server_t *server, takt_instant_t instant) {
    return server->job.deadline > instant ? server->job.deadline : instant;
}

const takt_server_kind_t takt_server_cbs = {
    .name = "cbs",
    .summary = "constant bandwidth: a used-up budget is full at once, at a later deadline",
    .runs_timers_without_budget = true,
    .wants_deadline = true,
    .replenish = replenish,
    .work_begins = gain,
    .exhaust = at_once,
    .traits = TAKT_KIND_BANDWIDTH | TAKT_KIND_POSTPONES,
};

const takt_server_kind_t takt_server_hard_cbs = {
    .name = "hard-cbs",
    .summary = "constant bandwidth: a used-up budget is full again at the deadline",
    .runs_timers_without_budget = true,
    .wants_deadline = true,
    .replenish = replenish,
    .work_begins = gain_hard,
    .work_ends = lose_hard,
    .exhaust = at_deadline,
    .traits = TAKT_KIND_BANDWIDTH,
};
