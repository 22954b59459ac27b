/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The share of core/server_cbs.c: after work has come, budget / (deadline - now) is at most capacity / period.
 *
 * Bound: budget, capacity, period and distance to the deadline of SHARE_BITS bits, for products of full width are beyond a SAT
 * solver; instants of 48. */
#include "core/server_cbs.c"
#include "tests/proof/proof.h"

#ifndef SHARE_BITS
#define SHARE_BITS 4
#endif

static takt_server_t server;

static uint64_t any_of_bits(uint32_t bits) { return nondet_uint64() & ((UINT64_C(1) << bits) - 1); }

static void any_server(takt_instant_t instant) {
    server.capacity = any_of_bits(SHARE_BITS);
    server.job.period = any_of_bits(SHARE_BITS);
    ASSUME(0 < server.capacity && server.capacity <= server.job.period);
    server.job.remaining = any_of_bits(SHARE_BITS);
    ASSUME(server.job.remaining <= server.capacity);
    server.job.deadline = nondet_bool() ? instant + any_of_bits(SHARE_BITS) : any_of_bits(48);
    ASSUME(server.job.deadline <= instant + ((UINT64_C(1) << SHARE_BITS) - 1));
    server.job.number = 1;
}

/* Of a server with a budget; what waits for the deadline has none. */
static void claim_share(takt_instant_t instant) {
    CLAIM(server.job.remaining <= server.capacity, "the budget does not exceed the capacity");
    const uint64_t distance = server.job.deadline - instant;
    CLAIM(server.job.remaining == 0 || server.job.deadline > instant, "a budget has a deadline ahead");
    CLAIM(server.job.remaining * server.job.period <= distance * server.capacity,
          "it claims no more than its share");
}

void prove_share(void) {
    const takt_instant_t instant = any_of_bits(48);
    any_server(instant);
    const takt_instant_t next = nondet_bool() ? gain(&server, instant) : gain_hard(&server, instant);
    CLAIM(next == TAKT_NEVER || (next > instant && server.job.remaining == 0), "it waits without budget");
    claim_share(instant);
}
