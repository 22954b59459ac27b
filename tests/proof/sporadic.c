/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Returns of core/server_sporadic.c: one call on every sporadic server. Left out: strict ones.
 *
 * Conserved, as that file says: budget + what is charged in the current interval + what is to return = capacity. A call
 * that finds a server of which this is true leaves one, and so does the first replenishment, so that it is true
 * after any number of calls, with any amounts charged in between.
 * Claimed besides: returns are in the order of their instants, none comes before the end of the interval that it is
 * for, and a replenishment gives back what is due and nothing else.
 *
 * Bounds: RETURNS of the ring's 32 places are taken afterwards at most; the ring begins at its first place or at its
 * last; capacities and instants have 12 bits. */
#include "core/server_sporadic.c"
#include "tests/proof/proof.h"

#ifndef RETURNS
#define RETURNS 3
#endif
#define NUMBER_BITS 12

static takt_server_returns_t ring_of_server;
static takt_server_t server = {.returns = &ring_of_server};

static uint64_t any_number(void) { return nondet_uint64() & ((UINT64_C(1) << NUMBER_BITS) - 1); }

static takt_duration_t sum_of_returns(void) {
    takt_duration_t sum = 0;
    for (uint32_t i = 0; i < RETURNS; i++) {
        sum += i < ring_of_server.count ? takt_server_return(&ring_of_server, i)->amount : 0;
    }
    return sum;
}

static bool is_in_order(void) {
    bool is = true;
    for (uint32_t i = 1; i < RETURNS; i++) {
        is = is && (i >= ring_of_server.count || takt_server_return(&ring_of_server, i - 1)->instant <=
                                                     takt_server_return(&ring_of_server, i)->instant);
    }
    return is;
}

static bool is_conserved(void) {
    return server.job.remaining <= ring_of_server.untouched &&
           ring_of_server.untouched + sum_of_returns() == server.capacity;
}

/* Any sporadic server after its first period has begun. */
static void any_server(void) {
    server.capacity = any_number();
    server.job.number = 1;
    server.job.remaining = any_number();
    server.job.release = any_number();
    server.job.period = any_number();
    server.job.deadline = server.job.release + server.job.period;
    ring_of_server.untouched = any_number();
    ring_of_server.first = nondet_bool() ? 0 : TAKT_SERVER_RETURNS - 1;
    ring_of_server.count = any_below(RETURNS + 1);
    for (uint32_t i = 0; i < TAKT_SERVER_RETURNS; i++) {
        ring_of_server.ring[i] = (takt_server_return_t){any_number(), any_number()};
    }
    ASSUME(is_in_order() && is_conserved());
}

static void claim_server(void) {
    CLAIM(ring_of_server.first < TAKT_SERVER_RETURNS && ring_of_server.count <= TAKT_SERVER_RETURNS,
          "the ring holds");
    CLAIM(server.job.remaining <= server.capacity, "the budget does not exceed the capacity");
    CLAIM(is_conserved(), "nothing is lost and nothing gained");
    CLAIM(is_in_order(), "returns are in order");
}

/* Whatever ends an interval or begins one books what it has consumed. */
static void claim_booked(takt_instant_t end, takt_duration_t consumed, uint32_t count) {
    CLAIM(ring_of_server.untouched == server.job.remaining, "all that was charged is booked");
    if (consumed > 0) {
        CLAIM(last_of(&ring_of_server)->instant >= end, "it returns not before the end of the interval");
        CLAIM(ring_of_server.count == count || ring_of_server.count == count + 1u,
              "as one return, or with the last");
    } else {
        CLAIM(ring_of_server.count == count, "nothing returns for nothing");
    }
}

void prove_book(void) {
    any_server();
    ASSUME(ring_of_server.count < RETURNS);
    const takt_instant_t end = server.job.deadline;
    const takt_duration_t consumed = ring_of_server.untouched - server.job.remaining;
    const uint32_t count = ring_of_server.count;
    const takt_instant_t instant = any_number();
    const takt_instant_t next = nondet_bool() ? gain(&server, instant) : end_interval(&server, instant);
    CLAIM(ring_of_server.count == 0 ? next == TAKT_NEVER
                                    : next == ring_of_server.ring[ring_of_server.first].instant,
          "the first is next");
    claim_booked(end, consumed, count);
    claim_server();
}

void prove_replenish(void) {
    any_server();
    ASSUME(ring_of_server.count < RETURNS);
    const takt_instant_t instant = any_number();
    const takt_duration_t before = server.job.remaining;
    takt_duration_t due = 0;
    for (uint32_t i = 0; i < RETURNS; i++) {
        const takt_server_return_t *one = takt_server_return(&ring_of_server, i);
        due += i < ring_of_server.count && one->instant <= instant ? one->amount : 0;
    }
    (void)replenish(&server, instant);
    CLAIM(server.job.remaining == before + due, "what is due comes back, and nothing else");
    claim_server();
}

/* Memory of the caller's, zeroed. */
void prove_first_replenishment(void) {
    server.capacity = any_number();
    server.job.period = any_number();
    (void)replenish(&server, any_number());
    CLAIM(server.job.remaining == server.capacity, "it begins with all of its capacity");
    claim_server();
}
