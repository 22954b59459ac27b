/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sporadic servers (SPEC.md, 4). An interval lasts while the server is eligible, from t_a on. What is consumed in it
 * comes back one period later:
 *
 *   sporadic         than t_a (POSIX 1003.1, SCHED_SPORADIC). Budget that came during the interval comes back too early,
 *                    so that a server can get more than its share for ever.
 *   sporadic-strict  than t_a, or than the instant at which the consumed budget had come, if that is later
 *                    (Stanovich, Baker, Wang, Harbour 2010). Budget is consumed in the order in which it came.
 *
 * Left out: the rule of Sprunt, Sha, Lehoczky 1989, whose interval begins when the server's priority level becomes
 * active; docs/explanation/servers.md says why. When not to use `sporadic`: where less urgent tasks have deadlines.
 *
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

/* Adds a return, never before those that are pending, even if it was detected late. One that comes with the last one, or
 * has no place of its own, is added to that. */
static void append(takt_server_returns_t *returns, takt_instant_t instant, takt_duration_t amount) {
    const bool is_later = returns->count == 0 || instant > last_of(returns)->instant;
    if (is_later && returns->count < TAKT_SERVER_RETURNS) {
        returns->count++;
        last_of(returns)->amount = 0;
    }
    if (is_later) {
        last_of(returns)->instant = instant;
    }
    last_of(returns)->amount += amount;
}

/* Returns the oldest part that came in the interval and was not consumed; there is one if `arrived` is not 0. */
static const takt_server_return_t *oldest_arrived(const takt_server_returns_t *returns) {
    return &returns->ring[(returns->first + TAKT_SERVER_RETURNS - returns->arrived) % TAKT_SERVER_RETURNS];
}

/* Returns the budget that came in the interval. */
static takt_duration_t sum_of_arrived(const takt_server_returns_t *returns) {
    takt_duration_t sum = 0;
    for (uint32_t i = 1; i <= returns->arrived; i++) {
        sum += returns->ring[(returns->first + TAKT_SERVER_RETURNS - i) % TAKT_SERVER_RETURNS].amount;
    }
    return sum;
}

/* Schedules the return of what was charged since the last call: in an interval, or after it until another entity was
 * selected. The oldest parts were consumed first. What is left of the others is budget as any other. */
static void book(takt_server_t *server, takt_instant_t instant) {
    takt_server_returns_t *returns = server->returns;
    takt_duration_t left = returns->untouched - server->job.remaining;
    takt_server_return_t part = {server->job.release, returns->untouched - sum_of_arrived(returns)};
    for (uint32_t parts = returns->arrived + 1u; parts > 0 && left > 0; parts--) {
        const takt_duration_t consumed = part.amount < left ? part.amount : left;
        const takt_instant_t due = part.instant + server->job.period;
        left -= consumed;
        part = *oldest_arrived(returns);
        returns->arrived -= returns->arrived > 0; /* its place in the ring is free */
        append(returns, due > instant ? due : instant, consumed);
    }
    returns->arrived = 0;
    returns->untouched = server->job.remaining;
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

/* What is charged after the interval counts from its end. */
static takt_instant_t end_strict_interval(takt_server_t *server, takt_instant_t instant) {
    const takt_instant_t next = end_interval(server, instant);
    if (server->job.remaining > 0) {
        server->job.release = instant;
    }
    return next;
}

/* What comes in an interval keeps the instant at which it came. */
static takt_instant_t replenish_strictly(takt_server_t *server, takt_instant_t instant) {
    const bool was_active = server->job.remaining > 0;
    const uint32_t pending = server->returns->count;
    const takt_instant_t next = replenish(server, instant);
    server->returns->arrived += was_active ? pending - server->returns->count : 0;
    return next;
}

const takt_server_kind_t takt_server_sporadic = {
    .name = "sporadic",
    .summary = "what is consumed comes back one period after the server became eligible (POSIX)",
    .has_returns = true,
    .replenish = replenish,
    .work_begins = gain,
    .work_ends = end_interval,
    .exhaust = end_interval,
    .traits = TAKT_KIND_RETURNS,
};

const takt_server_kind_t takt_server_sporadic_strict = {
    .name = "sporadic-strict",
    .summary = "what is consumed comes back one period after it was there and the server eligible",
    .has_returns = true,
    .replenish = replenish_strictly,
    .work_begins = gain,
    .work_ends = end_strict_interval,
    .exhaust = end_interval,
    .traits = TAKT_KIND_RETURNS | TAKT_KIND_SEPARATES,
};
