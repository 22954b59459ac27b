/* Deferrable server (Strosnider, Lehoczky, Sha 1995; SPEC.md, 4): budget is charged only while
 * one of its tasks runs, and at off + kP the budget is full again, what was left over being lost. */
#include "core/server.h"

static takt_instant_t replenish(takt_server_t *server, takt_instant_t instant) {
    server->job.remaining = server->capacity;
    server->job.release = instant;
    server->job.deadline = instant + server->job.period;
    server->job.number++;
    return server->job.deadline;
}

const takt_server_kind_t takt_server_deferrable = {
    .name = "deferrable",
    .summary = "budget is kept while there is no work and is full again at the start of each period",
    .replenish = replenish,
};
