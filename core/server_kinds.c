/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of server kinds, and functions for all of them. */
#include "core/server.h"

const takt_server_kind_t *const takt_server_kinds[] = {
    &takt_server_cbs,     &takt_server_deferrable, &takt_server_hard_cbs,        &takt_server_idling,
    &takt_server_polling, &takt_server_sporadic,   &takt_server_sporadic_strict,
};

const size_t takt_server_kind_count = sizeof takt_server_kinds / sizeof takt_server_kinds[0];

static bool is_armed(const takt_server_t *server) { return takt_timer_is_armed(&server->replenishment); }

/* True if returns count. Before its first period a server of any kind waits for its offset. */
static bool has_returns(const takt_server_t *server) {
    return server->returns != NULL && server->job.number > 0;
}

static takt_duration_t returned_until(const takt_server_returns_t *returns, takt_instant_t now) {
    takt_duration_t sum = 0;
    for (uint32_t i = 0; i < returns->count; i++) {
        const takt_server_return_t *one = takt_server_return(returns, i);
        sum += one->instant <= now ? one->amount : 0;
    }
    return sum;
}

/* Returns what `server` will still owe at `now`, if its pending replenishments are not handled before. Each of them
 * pays back as much as it can. */
static takt_duration_t owed_at(const takt_server_t *server, takt_instant_t now) {
    takt_duration_t owed = takt_server_overruns(server) ? 0 : server->overrun;
    takt_instant_t due = server->replenishment.instant + server->job.period;
    for (; owed > 0 && due <= now; due += server->job.period) {
        owed -= owed < server->capacity ? owed : server->capacity;
    }
    return owed;
}

static takt_duration_t refill_at(const takt_server_t *server, takt_instant_t now) {
    const takt_duration_t owed = owed_at(server, now);
    return owed < server->capacity ? server->capacity - owed : 0;
}

takt_duration_t takt_server_budget(const takt_server_t *server, takt_instant_t now) {
    if (has_returns(server)) {
        return server->job.remaining + returned_until(server->returns, now);
    }
    const bool is_due = is_armed(server) && server->replenishment.instant <= now;
    return is_due ? refill_at(server, now) : server->job.remaining;
}

static takt_instant_t next_return(const takt_server_returns_t *returns, takt_instant_t after) {
    for (uint32_t i = 0; i < returns->count; i++) {
        const takt_server_return_t *one = takt_server_return(returns, i);
        if (one->instant > after) {
            return one->instant;
        }
    }
    return TAKT_NEVER;
}

takt_instant_t takt_server_next_replenishment(const takt_server_t *server, takt_instant_t after) {
    if (has_returns(server)) {
        return next_return(server->returns, after);
    }
    takt_instant_t instant = server->replenishment.instant;
    while (instant <= after && owed_at(server, instant) > 0) {
        instant += server->job.period;
    }
    return is_armed(server) && instant > after ? instant : TAKT_NEVER;
}
