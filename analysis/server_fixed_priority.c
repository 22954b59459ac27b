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
 * Besides, a server that does not use its budget without work executes no more than the demand of its tasks: in x ticks
 * ceil((x + J') / T) C of each, where J' is its jitter and all that delays it, its response R without C. A job that
 * arrives earlier is done by then, or has so much less to do. If it never waits for budget, J' is J: then it counts as
 * a task at the server's priority (servers.py says when). Which of both is less depends on x.
 *
 * Exact where only tasks and idling servers without equals are at the root, blocking is attained and `last` is 1 or the
 * model's; else a bound from above. An idling or polling server whose response is beyond P loses budget, but acts no
 * worse on those below than a task (Q, P).
 *
 * Bound: that of supply_response.c for each child. */
#include "analysis/server_fixed_priority.h"
#include "analysis/supply_response.h"

/* (a) and (b); `response` is not used unless it is within the period. */
static uint64_t sporadic_period(const takt_sporadic_t *server, const takt_response_t *response) {
    const uint64_t twice = server->period > 1u ? server->period / 2u : 1u;
    const bool is_known = response->is_bounded && response->ticks <= server->period;
    const uint64_t once = is_known ? server->period - (response->ticks - server->wcet) : 0;
    return once > twice ? once : twice;
}

static takt_child_kind_t kind_of(const takt_children_t *children, uint32_t child) {
    return children->kinds != NULL ? children->kinds[child] : TAKT_CHILD_TASK;
}

/* A child as seen by the children that it delays. */
static takt_sporadic_t seen_from_below(const takt_children_t *children, uint32_t child,
                                       const takt_response_t *response) {
    takt_sporadic_t seen = children->children[child];
    const takt_child_kind_t kind = kind_of(children, child);
    if (kind == TAKT_CHILD_DEFERRABLE) {
        seen.jitter = seen.period - seen.wcet;
    }
    if (kind == TAKT_CHILD_SPORADIC) {
        seen.period = sporadic_period(&seen, response);
    }
    return seen;
}

/* Adds a child to those that delay others. */
static void see(const takt_children_t *children, uint32_t child, const takt_response_t *response,
                const takt_children_memory_t *memory, uint32_t place) {
    memory->seen[place] = seen_from_below(children, child, response);
    if (children->insides != NULL) {
        memory->insides[place] = children->insides[child];
    }
}

/* Its supply, those that delay it, itself. */
static takt_supplied_t supplied_of(const takt_children_t *children, takt_fp_terms_t terms,
                                   takt_children_memory_t memory, uint32_t child) {
    return (takt_supplied_t){
        .supply = &children->supply,
        .heads = children->heads,
        .head_count = children->head_count,
        .higher = memory.seen,
        .insides = children->insides != NULL ? memory.insides : NULL,
        .count = child,
        .task = children->children[child],
        .blocking = terms.blocking != NULL ? terms.blocking[child] : 0,
        .last = terms.last != NULL ? terms.last[child] : 1u,
        .jobs = UINT64_MAX,
    };
}

static takt_fraction_t share_of(const takt_sporadic_t *task) {
    return (takt_fraction_t){task->wcet, task->period};
}

/* Appends the share of the child at `place`, or those of the tasks inside if they are not larger. */
static uint32_t add_share(const takt_supplied_t *supplied, uint32_t place, takt_children_memory_t memory,
                          uint32_t used, takt_effort_t *effort) {
    const takt_sporadic_t *seen = &supplied->higher[place];
    const uint32_t count = supplied->insides != NULL ? supplied->insides[place].count : 0;
    takt_fraction_t *shares = &memory.fractions[used];
    for (uint32_t k = 0; k < count; k++) {
        shares[k] = share_of(&supplied->insides[place].tasks[k]);
    }
    shares[count] =
        (takt_fraction_t){seen->period > seen->wcet ? seen->period - seen->wcet : 0, seen->period};
    const takt_comparison_t order = takt_fractions_compare(shares, count + 1u, memory.rest, effort);
    if (count > 0 && (order == TAKT_LESS || order == TAKT_EQUAL)) {
        return used + count;
    }
    shares[0] = share_of(seen);
    return used + 1u;
}

/* Compares the shares of a child and of those that delay it with that of the supply. */
static takt_comparison_t compare_shares(const takt_supplied_t *supplied, takt_children_memory_t memory,
                                        takt_effort_t *effort) {
    const takt_supply_t *supply = supplied->supply;
    uint32_t used = 0;
    for (uint32_t j = 0; j < supplied->count; j++) {
        used = add_share(supplied, j, memory, used, effort);
    }
    memory.fractions[used] = share_of(&supplied->task);
    memory.fractions[used + 1u] = (takt_fraction_t){supply->period - supply->budget, supply->period};
    return takt_fractions_compare(memory.fractions, used + 2u, memory.rest, effort);
}

/* At the whole supply one hyperperiod repeats that of servers alone. */
static takt_response_t response_of(takt_supplied_t *supplied, takt_children_memory_t memory,
                                   takt_effort_t *effort) {
    takt_comparison_t order = compare_shares(supplied, memory, effort);
    if (order == TAKT_EQUAL && supplied->insides != NULL) {
        supplied->insides = NULL;
        order = compare_shares(supplied, memory, effort);
    }
    if (order == TAKT_GREATER || order == TAKT_ORDER_UNKNOWN) {
        return (takt_response_t){0, 0, false, order == TAKT_GREATER};
    }
    supplied->jobs = order == TAKT_EQUAL ? takt_supplied_jobs(supplied) : UINT64_MAX;
    return takt_supplied_response(supplied, effort);
}

/* Puts those that are as urgent as a child behind those that are more urgent, where it stands itself. */
static void add_equals(const takt_children_t *children, takt_fp_terms_t terms, takt_supplied_t *supplied,
                       takt_children_memory_t memory) {
    const takt_response_t unknown = {0, 0, false, false};
    const uint32_t child = supplied->count;
    const uint32_t behind = terms.above != NULL ? terms.above[child] : child;
    for (uint32_t j = child + 1u; j < behind; j++) {
        see(children, j, &unknown, &memory, supplied->count++);
    }
}

void takt_children_responses(const takt_children_t *children, takt_fp_terms_t terms,
                             takt_children_memory_t memory, takt_effort_t *effort,
                             takt_response_t *responses) {
    for (uint32_t i = 0; i < children->count; i++) {
        takt_supplied_t supplied = supplied_of(children, terms, memory, i);
        add_equals(children, terms, &supplied, memory);
        responses[i] = response_of(&supplied, memory, effort);
        see(children, i, &responses[i], &memory, i);
    }
}

static takt_verdict_t verdict_of(const takt_sporadic_t *child, const takt_response_t *response) {
    if (!response->is_decided) {
        return TAKT_UNDECIDED;
    }
    return takt_verdict_of(response->is_bounded && response->ticks <= child->deadline);
}

takt_verdict_t takt_children_are_schedulable(const takt_children_t *children,
                                             const takt_response_t *responses) {
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t i = 0; i < children->count && verdict != TAKT_UNSCHEDULABLE; i++) {
        const takt_verdict_t other = verdict_of(&children->children[i], &responses[i]);
        verdict = other == TAKT_SCHEDULABLE ? verdict : other;
    }
    return verdict;
}
