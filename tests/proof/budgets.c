/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What core/account.c charges and gives back, and what core/server_kinds.c tells about it: all capacities, budgets,
 * debts and times.
 *
 * Claimed: a budget never falls below 0, and by no more than was executed; it never exceeds the capacity; debts are
 * paid to the tick; and what a server is said to have at a later instant is what it has once its replenishments up
 * to then have been handled.
 *
 * Bounds: 2 servers, one in the other, above the one that runs; PERIODS replenishments that wait; capacities, debts
 * and times below 2^48, so that no sum of theirs overflows. */
#include "core/account.c"
#include "core/protocol_hsrp.c"
#include "core/protocol_hsrp_payback.c"
#include "core/protocols.c"
#include "core/server_kinds.c"
#include "tests/proof/proof.h"

#define PERIODS 3

static takt_dispatcher_t root_system;
static takt_server_t upper;
static takt_server_t lower;
static takt_entity_t worker;
static takt_server_kind_t any_kind;
static takt_policy_t any_policy;

static takt_duration_t any_duration(void) { return nondet_uint64() & ((UINT64_C(1) << 48) - 1); }

static void any_server(takt_server_t *server, takt_server_t *parent) {
    server->entity.parent = parent;
    const uint32_t paid = takt_server_is_root(parent) ? 0u : TAKT_ATTRIBUTE_IN_SERVER;
    server->entity.attributes = (uint16_t)(TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_FULL_PASS | paid);
    server->kind = &any_kind;
    server->capacity = any_duration();
    ASSUME(server->capacity > 0);
    server->job.remaining = any_duration();
    ASSUME(server->job.remaining <= server->capacity);
    server->job.period = any_duration();
    ASSUME(server->job.period >= server->capacity);
    server->overrun = any_duration();
    server->held = nondet_bool();
    server->sharing = nondet_bool() ? TAKT_PROTOCOL_HSRP_PAYBACK : TAKT_PROTOCOL_HSRP;
}

static void any_hierarchy(void) {
    root_system.root.policy = &any_policy;
    upper.policy = &any_policy;
    lower.policy = &any_policy;
    any_server(&upper, &root_system.root);
    any_server(&lower, &upper);
    worker.parent = &lower;
    worker.attributes = TAKT_ATTRIBUTE_IN_SERVER;
}

/* What was charged, and what a server that holds something owes for it. */
static void claim_charged(const takt_server_t *server, takt_server_t before, takt_duration_t elapsed) {
    const takt_duration_t consumed = before.job.remaining - server->job.remaining;
    CLAIM(server->job.remaining <= before.job.remaining, "a budget does not grow");
    CLAIM(consumed == elapsed || (consumed < elapsed && server->job.remaining == 0),
          "nor fall by more than was executed");
    const bool owes = before.held > 0 && before.sharing == TAKT_PROTOCOL_HSRP_PAYBACK;
    CLAIM(server->overrun - before.overrun == (owes ? elapsed - consumed : 0), "what is beyond it is owed");
}

void prove_charge(void) {
    any_hierarchy();
    takt_cpu_t cpu = {.running = &worker, .charged_at = any_duration()};
    root_system.cpus = &cpu;
    root_system.ncpu = 1;
    const takt_server_t upper_before = upper;
    const takt_server_t lower_before = lower;
    const takt_duration_t elapsed = any_duration();
    takt_account_charge(&root_system, cpu.charged_at + elapsed);
    claim_charged(&upper, upper_before, elapsed);
    claim_charged(&lower, lower_before, elapsed);
    takt_account_charge(&root_system, cpu.charged_at);
    CLAIM(upper.job.remaining <= upper.capacity, "nothing is charged twice");
}

void prove_pay_back(void) {
    any_hierarchy();
    const takt_duration_t owed = upper.overrun;
    const bool was_overrunning = nondet_bool();
    (void)takt_server_begin_period(&upper, any_duration());
    pay_back(&upper, was_overrunning);
    const takt_duration_t paid = upper.capacity - upper.job.remaining;
    CLAIM(upper.job.remaining <= upper.capacity, "a budget does not exceed the capacity");
    CLAIM(was_overrunning ? upper.overrun == 0 && paid == 0 : upper.overrun + paid == owed,
          "what is paid is not owed");
    CLAIM(upper.overrun == 0 || upper.job.remaining == 0, "all is paid that can be");
}

/* As `replenish` does with a server that is not asked meanwhile. */
static void replenish_once(takt_server_t *server) {
    const bool was_overrunning = takt_server_overruns(server);
    server->replenishment.instant = takt_server_begin_period(server, server->replenishment.instant);
    if (server->overrun > 0) {
        pay_back(server, was_overrunning);
    }
}

void prove_budget_told(void) {
    any_hierarchy();
    takt_timer_t *link = &upper.replenishment;
    upper.replenishment.link = &link;
    upper.replenishment.instant = any_duration();
    upper.job.number = 1;
    const takt_instant_t now = any_duration();
    ASSUME(now < upper.replenishment.instant + PERIODS * upper.job.period);
    const takt_duration_t told = takt_server_budget(&upper, now);
    const takt_instant_t told_next = takt_server_next_replenishment(&upper, now);
    ASSUME(!upper.held);
    while (upper.replenishment.instant <= now) {
        replenish_once(&upper);
    }
    CLAIM(told == upper.job.remaining, "what is told is what there is");
    CLAIM(told_next >= upper.replenishment.instant, "the next replenishment is not told too early");
}
