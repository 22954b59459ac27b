/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* share: a share of the processor for each task, by its weight.
 *
 * Source: Wang and Lin 1999, Table 2 (generic); Demers, Keshav, Shenker 1989 and Parekh, Gallager 1993 (WFQ); Bennett,
 * Zhang 1996 (WF2Q). SPEC.md, 3 for the integers.
 * Tags: generic max(a, F') + wcet / share, in ticks; wfq max(F', V(a)) + wcet / weight, in virtual time, V being that
 * of the fluid system that serves all backlogged flows at once, and F' the previous tag. Under wf2q a job starts only
 * when virtual time has reached max(F', V(a)), its virtual start. A flow is backlogged until virtual time reaches its
 * last tag. Deadlines are not changed: they count for misses only.
 * Tie: class (hard, soft, none), then file order.
 * Cost: O(log n) per arrival, amortised: an update of the fluid system removes the flows that have departed since the
 * last one, each job at most once. Under wf2q one timer per departure or start while jobs are postponed.
 * When not to use it: where deadlines matter; edf meets them with the same load. */
#include "policy/share.h"

#include "core/wide.h"
#include "policy/table.h"

#define LATEST TAKT_KEY_LEAST_URGENT

static takt_share_flow_t *flow_of(const takt_task_t *task) {
    return TAKT_CONTAINER_OF(task->extension->rule, takt_share_flow_t, rule);
}

/* `a` times `b` / `divisor`, rounded down, or LATEST. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t divisor) {
    const takt_wide_t product = takt_wide_product(a, b);
    const uint64_t quotient =
        product.high < divisor ? takt_wide_quotient(product, (takt_wide_t){0, divisor}) : LATEST;
    return quotient < LATEST ? quotient : LATEST;
}

/* ---- the fluid system ------------------------------------------------------------------------------ */

static bool is_idle(const takt_share_t *share) { return share->departures.count == 0; }

/* Returns the units of work until virtual time is `later`, if no flow departs before. */
static takt_wide_t work_until(const takt_share_t *share, takt_key_t later) {
    return takt_wide_product(later - share->virtual_time, share->backlogged);
}

static void depart(takt_share_t *share) {
    takt_entity_t *first = share->departures.slots[0];
    share->virtual_time = first->key;
    share->backlogged -= TAKT_CONTAINER_OF(first, takt_share_flow_t, departure)->weight;
    takt_keys_remove(&share->departures, first);
    takt_entity_clear_state(first, TAKT_STATE_READY);
}

/* Spends `work`, which is not enough for a departure. */
static void flow_on(takt_share_t *share, takt_wide_t work) {
    const takt_wide_t divisor = {0, share->backlogged};
    const uint64_t gained = takt_wide_quotient(work, divisor);
    share->virtual_time += gained;
    share->kept = takt_wide_minus(work, takt_wide_product(gained, share->backlogged)).low;
}

/* Advances the fluid system to `now`. */
static void advance(takt_share_t *share, takt_instant_t now) {
    if (now <= share->advanced_to) {
        return;
    }
    takt_wide_t work = takt_wide_product(now - share->advanced_to, TAKT_SHARE_TICK);
    work = takt_wide_plus(work, (takt_wide_t){0, share->kept});
    share->advanced_to = now;
    share->kept = 0;
    while (!is_idle(share)) {
        const takt_wide_t needed = work_until(share, share->departures.slots[0]->key);
        if (takt_wide_is_less(work, needed)) {
            flow_on(share, work);
            return;
        }
        work = takt_wide_minus(work, needed);
        depart(share);
    }
}

/* The fluid system serves `flow` up to its new tag. */
static void serve(takt_share_flow_t *flow) {
    takt_share_t *share = flow->share;
    flow->departure.key = flow->tag;
    if (takt_entity_is_ready(&flow->departure)) {
        takt_keys_update(&share->departures, &flow->departure);
        return;
    }
    takt_keys_insert(&share->departures, &flow->departure);
    takt_entity_set_state(&flow->departure, TAKT_STATE_READY);
    share->backlogged += flow->weight;
}

/* ---- postponed jobs ----------------------------------------------------------------------------------- */

/* Returns the first postponed job of `flow`. */
static takt_arrival_t *first_put_off(const takt_share_flow_t *flow) {
    const takt_task_extension_t *extension = flow->task->extension;
    return takt_task_arrival(extension, extension->count - flow->put_off);
}

/* All jobs of a flow take the same time, so the virtual start follows from the tag. */
static void await_start(takt_share_flow_t *flow) {
    flow->start.key = first_put_off(flow)->tag - flow->span;
    takt_keys_insert(&flow->share->starts, &flow->start);
}

/* Returns the instant at which virtual time reaches `later`, if no flow departs before. */
static takt_instant_t instant_of(const takt_share_t *share, takt_key_t later) {
    const takt_wide_t needed = work_until(share, later);
    const takt_wide_t kept = {0, share->kept};
    if (later <= share->virtual_time || !takt_wide_is_less(kept, needed)) {
        return share->advanced_to;
    }
    const takt_wide_t rest =
        takt_wide_plus(takt_wide_minus(needed, kept), (takt_wide_t){0, TAKT_SHARE_TICK - 1u});
    return rest.high < TAKT_SHARE_TICK
               ? share->advanced_to + takt_wide_quotient(rest, (takt_wide_t){0, TAKT_SHARE_TICK})
               : TAKT_NEVER;
}

/* Arms the timer at the next start, or at an earlier departure, which changes the instant of that start. */
static void arm(takt_share_t *share) {
    takt_timers_t *timers = &share->allocation.dispatcher->root.timers;
    takt_timers_remove(timers, &share->allocation.timer);
    if (share->starts.count == 0) {
        return;
    }
    const takt_key_t start = share->starts.slots[0]->key;
    const takt_key_t departure = is_idle(share) ? start : share->departures.slots[0]->key;
    const takt_instant_t instant = instant_of(share, start < departure ? start : departure);
    if (instant < LATEST) {
        takt_timers_insert(timers, &share->allocation.timer, instant);
    }
}

/* Lets the first postponed job start; the next one of its flow takes its place. */
static void start_first(takt_share_t *share, takt_instant_t instant) {
    takt_entity_t *first = share->starts.slots[0];
    takt_share_flow_t *flow = TAKT_CONTAINER_OF(first, takt_share_flow_t, start);
    takt_arrival_t *arrival = first_put_off(flow);
    takt_keys_remove(&share->starts, first);
    flow->put_off--;
    if (flow->put_off > 0) {
        await_start(flow);
    }
    takt_rule_release(flow->task, arrival, instant);
}

static void look_for_starts(takt_allocation_t *allocation, takt_instant_t instant) {
    takt_share_t *share = TAKT_CONTAINER_OF(allocation, takt_share_t, allocation);
    advance(share, instant);
    if (share->starts.count > 0 && share->starts.slots[0]->key <= share->virtual_time) {
        start_first(share, instant);
    }
    arm(share);
}

static void put_off(takt_share_flow_t *flow, takt_arrival_t *arrival) {
    arrival->instant = TAKT_NEVER;
    flow->put_off++;
    if (flow->put_off == 1u) {
        await_start(flow);
    }
}

/* ---- arrivals ------------------------------------------------------------------------------------------ */

static void tag_from(takt_share_flow_t *flow, takt_arrival_t *arrival, takt_key_t start) {
    flow->tag = takt_deadline_after(start, flow->span);
    arrival->tag = flow->tag;
}

static void generic_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    takt_share_flow_t *flow = flow_of(task);
    if (flow->span == 0) {
        const uint64_t whole = scaled(task->wcet, flow->share->weights, flow->weight);
        const takt_wide_t exact = takt_wide_product(task->wcet, flow->share->weights);
        flow->span = whole + takt_wide_is_less(takt_wide_product(whole, flow->weight), exact);
    }
    tag_from(flow, arrival, takt_later_of(arrival->nominal, flow->tag));
}

static void wfq_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    takt_share_flow_t *flow = flow_of(task);
    advance(flow->share, arrival->instant);
    tag_from(flow, arrival, takt_later_of(flow->share->virtual_time, flow->tag));
    serve(flow);
}

static void wf2q_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    takt_share_flow_t *flow = flow_of(task);
    wfq_arrive(task, arrival);
    if (flow->put_off > 0 || arrival->tag - flow->span > flow->share->virtual_time) {
        put_off(flow, arrival);
    }
    arm(flow->share);
}

static const takt_allocator_t functions = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "share",
    .timer = look_for_starts,
};

void takt_share_init(takt_share_t *share, takt_share_variant_t variant, takt_dispatcher_t *dispatcher,
                     takt_entity_t **departures, takt_entity_t **starts) {
    takt_allocation_init(&share->allocation, &functions, dispatcher);
    share->variant = variant;
    share->departures.slots = departures;
    share->starts.slots = starts;
}

void takt_share_add(takt_share_t *share, takt_share_flow_t *flow, takt_task_t *task, uint64_t weight) {
    static void (*const arrive[])(takt_task_t *, takt_arrival_t *) = {generic_arrive, wfq_arrive,
                                                                      wf2q_arrive};
    flow->rule.arrive = arrive[share->variant];
    flow->share = share;
    flow->task = task;
    flow->weight = weight;
    flow->span = share->variant == TAKT_SHARE_GENERIC ? 0u : scaled(task->wcet, TAKT_SHARE_TICK, weight);
    flow->departure.tie = takt_entity_number(task->entity);
    flow->start.tie = takt_entity_number(task->entity);
    share->weights += weight;
    task->extension->rule = &flow->rule;
}

/* ---- the policy ---------------------------------------------------------------------------------------- */

/* An entity without a tag, a thread, comes last. */
static void share_release(takt_entity_t *entity, const takt_job_t *job) {
    const takt_task_extension_t *extension = entity->task != NULL ? entity->task->extension : NULL;
    entity->key = extension != NULL && extension->tag > 0 ? extension->tag : TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_share = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "share",
    .summary = TAKT_POLICY_LINE("a share for each task by its weight: virtual deadlines, WFQ or WF2Q"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = share_release,
    .traits = TAKT_POLICY_RULE | TAKT_POLICY_VIRTUAL_TIME | TAKT_POLICY_WORK_CONSERVING,
};
