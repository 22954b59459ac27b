/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sporadic server (Sprunt, Sha, Lehoczky 1989; SPEC.md, 4): what it has consumed since it became
 * eligible comes back one period after that instant.
 * Conserved: budget + what is charged in the current interval + what is to return = capacity. When the
 * ring is full two returns merge into the later one, which gives back later and never more. */
#include "core/server.h"

static takt_instant_t next_return(const takt_server_t *server) {
    const takt_server_returns_t *returns = server->returns;
    return returns->count > 0 ? returns->ring[returns->first].instant : TAKT_NEVER;
}

static takt_server_return_t *last_of(takt_server_returns_t *returns) {
    return &returns->ring[(returns->first + returns->count - 1u) % TAKT_SERVER_RETURNS];
}

/* Appends a return, never before those that are pending, even if it was detected late. */
static void append(takt_server_returns_t *returns, takt_instant_t instant, takt_duration_t amount) {
    const takt_instant_t before = returns->count > 0 ? last_of(returns)->instant : 0;
    if (returns->count < TAKT_SERVER_RETURNS) {
        returns->count++;
        last_of(returns)->amount = 0;
    }
    last_of(returns)->instant = instant > before ? instant : before;
    last_of(returns)->amount += amount;
}

/* Schedules the return of what was charged since the last call: in an interval, or after it until another entity was
 * selected. */
static void book(takt_server_t *server, takt_instant_t instant) {
    const takt_duration_t consumed = server->returns->untouched - server->job.remaining;
    if (consumed > 0) {
        const takt_instant_t due = server->job.deadline;
        append(server->returns, due > instant ? due : instant, consumed);
        server->returns->untouched = server->job.remaining;
    }
}

static void begin_interval(takt_server_t *server, takt_instant_t instant) {
    book(server, instant);
    server->job.release = instant;
    server->job.deadline = instant + server->job.period;
    server->job.number++;
}

static takt_instant_t gain(takt_server_t *server, takt_instant_t instant) {
    if (server->job.number > 0) {
        begin_interval(server, instant);
    }
    return next_return(server);
}

static takt_instant_t end_interval(takt_server_t *server, takt_instant_t instant) {
    book(server, instant);
    return next_return(server);
}

static takt_duration_t take_returns(takt_server_returns_t *returns, takt_instant_t until) {
    takt_duration_t sum = 0;
    while (returns->count > 0 && returns->ring[returns->first].instant <= until) {
        sum += returns->ring[returns->first].amount;
        returns->first = (returns->first + 1u) % TAKT_SERVER_RETURNS;
        returns->count--;
    }
    return sum;
}

/* The first call is at the server's offset: the budget is the whole capacity. If the call is late, work may have come
 * after `instant`. */
static takt_instant_t replenish(takt_server_t *server, takt_instant_t instant) {
    const bool is_first = server->job.number == 0;
    const takt_duration_t amount = is_first ? server->capacity : take_returns(server->returns, instant);
    const bool was_active = server->job.remaining > 0;
    server->job.remaining += amount;
    server->returns->untouched += amount;
    if (!was_active) {
        begin_interval(server, instant > server->job.release ? instant : server->job.release);
    }
    return next_return(server);
}

const takt_server_kind_t takt_server_sporadic = {
    .name = "sporadic",
    .summary = "what is consumed comes back one period after the server became eligible",
    .has_returns = true,
    .replenish = replenish,
    .work_begins = gain,
    .work_ends = end_interval,
    .exhaust = end_interval,
    .traits = TAKT_KIND_RETURNS,
};
