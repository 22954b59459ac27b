/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fixed priorities over tasks and servers: each counts as the task that is its worst case for less urgent children.
 *
 * Sources: L. Sha, J. Lehoczky, J. Strosnider and others on periodic servers; R. I. Davis and A. Burns, RTSS 2005, for
 * R = Q + sum of interference, with ceil((R + P - Q) / P) Q of a deferrable server (its back-to-back hit), that is, a
 * task with a jitter of P - Q; algorithms.md 6.6.
 *
 * A sporadic server is *not* a task (Q, P), contrary to 6.6 and to the first papers: an interval that began while the
 * server was kept waiting returns its ticks early, also those that came back in between (the premature replenishments
 * of Stanovich et al., Defects of the POSIX sporadic server, RTAS 2010). What holds: from the beginning s of an
 * interval it takes at most Q in [s, s + P), since what is taken after s returns at s + P or later. Let s be the
 * first interval in a busy period of those below, and s' be in turn the interval that continues at s + P, or the first
 * after it.
 *   (a) s' waited, so far, at most W = R - Q of its ticks for more urgent ones, if R <= P; the others it ran, and they count
 *       among the Q of s. So the intervals act as a task (Q, P - W): none waits at the top.
 *   (b) s'' begins after s' has ended, so after s + P: at most two such Q in P, a task (Q, floor(P / 2)).
 *
 * A strict sporadic server (TAKT_CHILD_SEPARATED) is a task (Q, P). Let r be the instant at which a tick of budget was
 * there and the server eligible, before the tick was used at u. From r to u the server was eligible, so nothing less
 * urgent ran: in a busy period from s on, r >= s. The tick is back at r + P or later, so its instants r are P apart, and
 * in [s, s + x) at most ceil(x / P) Q ticks are used. If R <= P, a busy period of the server is at most R long, uses
 * each tick once, and so every interval ends within P.
 *
 * Besides, a server that does not use its budget without work executes no more than the demand of its tasks: in x ticks
 * ceil((x + J') / T) C of each, where J' is its jitter and all that delays it, its response R without C. A job that
 * arrives earlier is done by then, or has so much less to do. If it never waits for budget, J' is J: then it counts as
 * a task at the server's priority (servers.py says when). Which of both is less depends on x.
 *
 * Exact where only tasks and idling servers without equals are at the root, blocking is attained and `last` is 1 or the
 * model's; else a bound from above. An idling or polling server whose response is beyond P loses budget, but acts no
 * worse on those below than a task (Q, P). */
#include "analysis/servers_seen.h"

/* (a) and (b); a response beyond the period says nothing. */
static uint64_t sporadic_period(const takt_sporadic_t *server, const takt_response_t *response) {
    const uint64_t twice = server->period > 1u ? server->period / 2u : 1u;
    const bool is_known = response != NULL && response->is_bounded && response->ticks <= server->period;
    const uint64_t once = is_known ? server->period - (response->ticks - server->wcet) : 0;
    return once > twice ? once : twice;
}

takt_sporadic_t takt_seen_from_below(const takt_children_t *children, uint32_t child,
                                     const takt_response_t *response) {
    takt_sporadic_t seen = children->tasks[child];
    const takt_child_kind_t kind = takt_kind_of(children, child);
    if (kind == TAKT_CHILD_DEFERRABLE) {
        seen.jitter = seen.period - seen.wcet;
    }
    if (kind == TAKT_CHILD_SPORADIC) {
        seen.period = sporadic_period(&seen, response);
    }
    return seen;
}

uint64_t takt_seen_requests(const takt_sporadic_t *seen, const takt_server_tasks_t *inside, uint64_t length) {
    uint64_t own = 0;
    uint64_t asked = 0;
    bool is_known = takt_sporadic_requests(seen, length, &own);
    for (uint32_t k = 0; k < inside->count && is_known; k++) {
        is_known = takt_sporadic_requests(&inside->tasks[k], length, &asked);
    }
    return !is_known ? TAKT_ANALYSIS_LIMIT : asked < own ? asked : own;
}

static takt_fraction_t share_of(const takt_sporadic_t *task) {
    return (takt_fraction_t){task->wcet, task->period};
}

/* Appends the share of a child, or those of the tasks inside if they are not larger. */
static uint32_t add_share(const takt_sporadic_t *seen, const takt_server_tasks_t *inside,
                          takt_fp_memory_t memory, uint32_t used, takt_effort_t *effort) {
    const uint32_t count = inside != NULL ? inside->count : 0;
    takt_fraction_t *shares = &memory.fractions[used];
    for (uint32_t k = 0; k < count; k++) {
        shares[k] = share_of(&inside->tasks[k]);
    }
    shares[count] =
        (takt_fraction_t){seen->period > seen->wcet ? seen->period - seen->wcet : 0, seen->period};
    const takt_comparison_t order = takt_fractions_compare(shares, count + 1u, memory.next, effort);
    if (count > 0 && (order == TAKT_LESS || order == TAKT_EQUAL)) {
        return used + count;
    }
    shares[0] = share_of(seen);
    return used + 1u;
}

takt_comparison_t takt_seen_shares(const takt_children_t *children, const takt_server_tasks_t *server_tasks,
                                   uint32_t child, uint32_t above, takt_fp_memory_t memory,
                                   takt_effort_t *effort) {
    const takt_sporadic_t *seen = children->kinds != NULL ? memory.seen : children->tasks;
    const takt_supply_t supply = takt_supply_of(children);
    uint32_t used = 0;
    for (uint32_t j = 0; j < above; j++) {
        if (j != child) {
            used = add_share(&seen[j], server_tasks != NULL ? &server_tasks[j] : NULL, memory, used, effort);
        }
    }
    memory.fractions[used] = share_of(&children->tasks[child]);
    memory.fractions[used + 1u] = (takt_fraction_t){supply.period - supply.budget, supply.period};
    return takt_fractions_compare(memory.fractions, used + 2u, memory.next, effort);
}
