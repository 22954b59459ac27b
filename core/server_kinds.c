/* The table of kinds of servers, and what all of them have. */
#include "core/server.h"

const takt_server_kind_t *const takt_server_kinds[] = {
    &takt_server_cbs,    &takt_server_deferrable, &takt_server_hard_cbs,
    &takt_server_idling, &takt_server_polling,    &takt_server_sporadic,
};

const size_t takt_server_kind_count = sizeof takt_server_kinds / sizeof takt_server_kinds[0];

static bool is_armed(const takt_server_t *server) { return takt_timer_is_armed(&server->replenishment); }

/* Before its first period a server waits for its offset, whatever its kind. */
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

takt_duration_t takt_server_budget(const takt_server_t *server, takt_instant_t now) {
    if (has_returns(server)) {
        return server->job.remaining + returned_until(server->returns, now);
    }
    const bool is_due = is_armed(server) && server->replenishment.instant <= now;
    return is_due ? server->capacity : server->job.remaining;
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
    const takt_instant_t instant = server->replenishment.instant;
    return is_armed(server) && instant > after ? instant : TAKT_NEVER;
}
