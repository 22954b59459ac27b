/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Events of threads, noted and posted to the domain. Included by takt.bpf.c alone. */
#ifndef TAKT_LINUX_BPF_EVENTS_H
#define TAKT_LINUX_BPF_EVENTS_H

#include "linux/bpf/publish.h"

enum {
    RECEIVED = 0,       /* as takt_receipt_t */
    EVENT_COMPLETE = 1, /* as takt_event_kind_t */
    EVENT_BLOCK = 2,
    EVENT_WAKE = 3,
    EVENT_ARRIVAL = 9,
};

#define OF_THREAD (1ull << 31) /* as TAKT_DOMAIN_OF_THREAD, above the kind */

INLINE u64 post(takt_shared_t *shared, u32 entity, u64 kind, u32 job, u64 value, u64 now_ns) {
    u64 receipt = takt_domain_post(shared->domain, kind << 32 | entity, job, value, ticks(shared, now_ns));
    shared->is_selected = 0;
    if (receipt > 1 && receipt != TAKT_SLOT_REJECTED) {
        shared->refused++;
    }
    return receipt;
}

/* The number of the current job of an entity. */
INLINE u32 job_of(takt_shared_t *shared, u32 cpu, u32 entity) {
    ask_report(shared, cpu, entity);
    return (report_of(cpu)->state & STATE_HAS_JOB) != 0 ? report_of(cpu)->job : 0;
}

/* The domain may await the wake of an entity's thread, or not any more. */
INLINE void set_blocked(u32 cpu, u32 entity, bool is_blocked) {
    takt_member_t *member = member_of(cpu, entity);
    if (member) {
        member->is_blocked = is_blocked;
    }
}

/* An event of the current job of an entity. */
INLINE void post_job(takt_shared_t *shared, u32 cpu, u32 entity, u64 kind, u64 now_ns) {
    if (kind == EVENT_BLOCK || kind == EVENT_WAKE) {
        set_blocked(cpu, entity, kind == EVENT_BLOCK);
    }
    post(shared, entity, kind, job_of(shared, cpu, entity), ticks(shared, now_ns), now_ns);
}

/* Posts what a thread requests; `request` was read from its slot. Returns whether it was received. */
INLINE bool post_request(takt_shared_t *shared, u32 entity, takt_linux_slot_t *slot, u32 request,
                         u64 now_ns) {
    u64 kind = request & (OF_THREAD - 1);
    u64 value = READ_ONCE(slot->request_value);
    if (kind == TAKT_SLOT_SUSPEND) {
        value = ticks(shared, value + shared->tick_ns - 1);
    } else if (kind == TAKT_SLOT_ARRIVAL) {
        value = ticks(shared, now_ns);
    }
    if (kind == TAKT_SLOT_CHANGE) {
        takt_demand_t __arena *demand = (takt_demand_t __arena *)shared->demand;
        demand->period_ns = value;
        demand->deadline_ns = READ_ONCE(slot->request_deadline_ns);
        demand->wcet_ns = READ_ONCE(slot->request_wcet_ns);
        demand->weight = READ_ONCE(slot->request_weight);
        value = shared->demand;
    }
    u64 receipt = post(shared, entity, kind | OF_THREAD, READ_ONCE(slot->request_job), value, now_ns);
    slot->receipt = receipt;
    slot->answered++;
    slot->request = TAKT_SLOT_NONE;
    return receipt == RECEIVED;
}

/* The event of an entity's thread that the thread's state implies. A thread that does anything but sleep is awake, so that no
 * block outlasts the WAKE that would have ended it. */
INLINE void post_implied(takt_shared_t *shared, u32 cpu, const takt_pending_t *event,
                         const takt_linux_slot_t *slot) {
    u32 state = takt_domain_state(shared->domain, event->entity), mode = READ_ONCE(slot->mode);
    bool has_job = state & STATE_HAS_JOB, is_blocked = state & STATE_BLOCKED;
    u64 kind = 0;
    if (event->what == TAKT_PENDING_SLEEP) {
        u64 ended = (mode & TAKT_SLOT_SLEEP_COMPLETES) != 0 ? EVENT_COMPLETE : EVENT_BLOCK;
        kind = has_job && !is_blocked ? ended : 0;
    } else if (is_blocked) {
        kind = EVENT_WAKE;
    } else if (!has_job && event->what != TAKT_PENDING_END && mode & TAKT_SLOT_WAKE_ARRIVES) {
        kind = EVENT_ARRIVAL;
    }
    if (kind) {
        post_job(shared, cpu, event->entity, kind, event->at_ns);
    }
}

/* A thread that hands a request over is awake. */
INLINE void end_block(takt_shared_t *shared, u32 cpu, const takt_pending_t *event) {
    if (takt_domain_state(shared->domain, event->entity) & STATE_BLOCKED) {
        post_job(shared, cpu, event->entity, EVENT_WAKE, event->at_ns);
    }
}

/* Posts an event. */
INLINE void post_event(takt_shared_t *shared, u32 cpu, const takt_pending_t *event) {
    takt_linux_slot_t *slot = slot_of(cpu, event->entity);
    if (!slot) {
        return;
    }
    u32 request = READ_ONCE(slot->request);
    bool is_yield = event->what == TAKT_PENDING_YIELD;
    bool is_handed_over = is_yield ? request != TAKT_SLOT_NONE
                                   : event->what == TAKT_PENDING_SLEEP &&
                                         (request == TAKT_SLOT_COMPLETE || request == TAKT_SLOT_SUSPEND);
    if (is_yield && is_handed_over) {
        end_block(shared, cpu, event);
    }
    bool is_received = is_handed_over && post_request(shared, event->entity, slot, request, event->at_ns);
    /* a thread that yields without a next job has its next event already; one whose request is refused sleeps all the same */
    if (is_yield ? !is_handed_over || request == TAKT_SLOT_COMPLETE : !is_received) {
        post_implied(shared, cpu, event, slot);
    }
    if (is_received && !is_yield && request == TAKT_SLOT_COMPLETE) { /* its next decision says the rest */
        slot->state &= TAKT_SLOT_ATTACHED;
    } else if (is_handed_over) {
        ask_report(shared, cpu, event->entity);
        publish(shared, cpu, event->entity, false);
    }
}

/* ---- noted events ------------------------------------------------------------------------------------------- */

/* Notes an event for the next program that calls the domain. There is room for NOTED_MOST events of each entity. A later one
 * replaces the last one: what counts of a thread is what it did first, and what it does now. */
INLINE void note(takt_shared_t *shared, u32 cpu, u32 entity, u32 what, u64 now_ns) {
    takt_member_t *member = member_of(cpu, entity);
    if (!member) {
        return;
    }
    if (member->noted < NOTED_MOST) {
        member->last = shared->first + shared->count;
        member->noted++;
        shared->count++;
    } else {
        shared->lost++;
    }
    takt_pending_t *event = pending_of(cpu, member->last);
    if (event) {
        *event = (takt_pending_t){.at_ns = now_ns, .entity = entity, .what = what};
    }
}

/* Posts the first of the noted events. */
INLINE void post_first(takt_shared_t *shared, u32 cpu) {
    const takt_pending_t *event = pending_of(cpu, shared->first);
    takt_member_t *member = event ? member_of(cpu, event->entity) : NULL;
    shared->first++;
    shared->count--;
    if (member) {
        member->noted--;
        post_event(shared, cpu, event);
    }
}

/* Posts noted events until `left` of them are left. */
INLINE void post_until(takt_shared_t *shared, u32 cpu, u32 left) {
    u32 i;
    bpf_for(i, 0, TAKT_PENDING) {
        if (shared->count <= left) {
            break;
        }
        post_first(shared, cpu);
    }
}

#endif
