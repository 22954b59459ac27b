/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The programs that make a domain the scheduler of a processor, under sched_ext. They observe events and switches; the
 * domain decides (linux/domain.h), lowered into the same object.
 *
 *     quiescent, runnable, yield, disable   a thread sleeps, wakes, hands a request over, ends: noted
 *     set_cpumask                           a thread leaves its processor: noted as its end
 *     enqueue     a thread is runnable: post what is noted; peek: is it to run?
 *     dispatch    the processor is free, or the timer has expired: post; peek; move the selected thread in
 *     running     a thread begins to run: post; take: the decision takes effect
 *     cpu_release, stopping       another class takes the processor: noted
 *
 * Rules:
 * 1. All of these hold the lock of the processor's run queue. That lock is the domain's: the threads of a domain are
 *    bound to its processor. The timer holds no lock, so it only asks for a dispatch.
 * 2. A decision is taken when its thread begins to run, never before. A thread that is switched to and would not be
 *    selected any more is switched off at once, without a decision (desk.mismatches).
 * 3. A runnable thread that is not to run waits in a queue of its own. The kernel sees the one that is to run, and no
 *    other. Threads of no domain wait in one queue for each processor, and run while its domain selects none.
 * 4. If the selected thread is not runnable in the kernel, no thread of the domain runs (desk.absences). If it is gone,
 *    its job is completed at once (desk.orphans).
 * 5. While another class has the processor of a job that runs, the domain gets no events; they are noted. Then the decision
 *    is taken again. So what other classes take is charged to no budget.
 *
 * Only three programs call the domain: the verifier checks all of it for each one.
 *
 * Source: docs/explanation/linux.md. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "linux/bpf/memory.h"

char _license[] SEC("license") = "Dual MIT/GPL";

enum {
    EVENT_COMPLETE = 1, /* as takt_event_kind_t */
    EVENT_BLOCK = 2,
    EVENT_WAKE = 3,
    EVENT_ARRIVAL = 9,
    STATE_HAS_JOB = 1, /* as TAKT_DOMAIN_ */
    STATE_BLOCKED = 4,
    STATE_YIELDS = 16,
    STATE_HAS_POINTS = 64,
    CREW_AWAKE = 1, /* the entity has a thread */
    CREW_ASLEEP = 2,
    BACKSTOP_NS = 200000, /* after the instant for which a thread has set its own timer */
    CLOCK = 1,            /* CLOCK_MONOTONIC */
    STATE_DEAD = 0x80,    /* TASK_DEAD */
    DROPPED_MOST = 4,     /* decisions in a row that a lock drops which waited for its budget */
    ASKED_ATTEND = 1,
    ASKED_TAKE = 2,
    ASKED_ORPHAN = 4,
    ASKED_ARM = 8,
    ORPHANS_MOST = 8,     /* jobs without a thread that a dispatch completes */
};

#define OF_THREAD (1ull << 31) /* as TAKT_DOMAIN_OF_THREAD, above the kind */
#define OUTDATED (1ull << 32)  /* as TAKT_DOMAIN_OUTDATED */
#define NONE ((u64)TAKT_DESK_NONE)
/* Each frame counts: the domain needs the others. */
#define INLINE static inline __attribute__((always_inline))
#define NEVER (~0ull)
#define __arena __attribute__((address_space(1)))

volatile const bool is_full; /* threads of the fair class are scheduled here, too */

/* A program may use the arena if it has its map. */
INLINE takt_desk_t *desk_of(u32 cpu) {
    asm volatile("" : : "r"(&arena));
    return cpu < TAKT_DESKS && desks[cpu].domain ? &desks[cpu] : NULL;
}

INLINE takt_linux_slot_t *slot_of(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_DESK_SLOTS + entity;
    return bpf_map_lookup_elem(&slots, &key);
}

INLINE place_t *place_of(struct task_struct *p) { return bpf_task_storage_get(&places, p, NULL, 0); }

/* The queue of a thread that waits. */
INLINE u64 queue_of(u32 cpu, u32 entity) { return (u64)(cpu + 1) << 32 | entity; }

/* The queue of the threads that are not of a domain; processors without a domain share one. Those of the kernel's own queue
 * would run before it asks for a dispatch. */
INLINE u64 queue_of_others(u32 cpu) { return queue_of(desk_of(cpu) ? cpu : TAKT_DESKS, TAKT_DESK_NONE); }

INLINE takt_told_t __arena *told_of(u32 cpu) {
    return (takt_told_t __arena *)(TAKT_ARENA_TOLD + cpu * TAKT_ARENA_TOLD_BYTES);
}

/* ---- time ------------------------------------------------------------------------------------------------- */

INLINE u64 ticks(const takt_desk_t *desk, u64 now_ns) {
    return now_ns > desk->epoch_ns ? (now_ns - desk->epoch_ns) / desk->tick_ns : 0;
}

INLINE u64 instant(const takt_desk_t *desk, u64 ticks) {
    return ticks < NEVER / desk->tick_ns ? desk->epoch_ns + ticks * desk->tick_ns : 0;
}

INLINE bool has_begun(const takt_desk_t *desk, u64 now_ns) {
    return now_ns >= desk->epoch_ns && now_ns < desk->end_ns;
}

static int expire(void *map, u32 *cpu, takt_alarm_t *alarm) {
    takt_desk_t *desk = desk_of(*cpu);
    if (desk) {
        desk->timer_ns = 0;
        scx_bpf_kick_cpu(*cpu, SCX_KICK_PREEMPT);
    }
    return 0;
}

INLINE void arm_at(takt_desk_t *desk, u32 cpu, u64 at_ns) {
    takt_alarm_t *alarm = bpf_map_lookup_elem(&alarms, &cpu);
    if (alarm && desk->timer_ns != at_ns) {
        desk->timer_ns = at_ns;
        bpf_timer_start(&alarm->timer, at_ns, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
    }
}

/* A thread that sleeps until its release has a timer of its own: a second one at the same instant would delay it. */
INLINE void arm(takt_desk_t *desk, u32 cpu) {
    u64 next = instant(desk, takt_domain_next(desk->domain));
    if (!next || next >= desk->end_ns || desk->epoch_ns >= desk->end_ns) {
        return;
    }
    u32 key = cpu * TAKT_DESK_SLOTS + (u32)takt_domain_next_sleeper(desk->domain);
    u32 *sleeper = bpf_map_lookup_elem(&crew, &key);
    arm_at(desk, cpu, sleeper && *sleeper == CREW_ASLEEP ? next + BACKSTOP_NS : next);
}

/* ---- slots ------------------------------------------------------------------------------------------------ */

/* Writes what the domain says of an entity into its slot. */
INLINE u32 publish(takt_desk_t *desk, u32 cpu, u32 entity) {
    takt_linux_slot_t *slot = slot_of(cpu, entity);
    takt_told_t __arena *told = told_of(cpu);
    u32 state = takt_domain_tell(desk->domain, entity, (u64)told);
    if (!slot) {
        return 0;
    }
    slot->job = told->job;
    slot->waiting = told->waiting;
    slot->change = told->change;
    slot->rate = told->rate;
    slot->is_missed = told->is_missed;
    slot->should_yield = (state & STATE_YIELDS) != 0;
    slot->release_ns = instant(desk, told->release);
    slot->deadline_ns = instant(desk, told->deadline);
    slot->state = (slot->state & TAKT_SLOT_ATTACHED) | (state & STATE_HAS_JOB ? TAKT_SLOT_HAS_JOB : 0);
    slot->next_release_ns = instant(desk, told->next_release);
    desk->has_points = (state & STATE_HAS_POINTS) != 0;
    return state;
}

/* Another event may have made the running job's yield due. */
INLINE void publish_yield(const takt_desk_t *desk, u32 cpu) {
    if (!desk->has_points || desk->running == TAKT_DESK_NONE) {
        return;
    }
    takt_linux_slot_t *slot = slot_of(cpu, desk->running);
    if (slot && takt_domain_tell(desk->domain, desk->running, (u64)told_of(cpu)) & STATE_YIELDS) {
        slot->should_yield = 1;
    }
}

/* ---- events ----------------------------------------------------------------------------------------------- */

INLINE u64 post(takt_desk_t *desk, u32 entity, u64 kind, u32 job, u64 value, u64 now_ns) {
    u64 receipt = takt_domain_post(desk->domain, kind << 32 | entity, job, value, ticks(desk, now_ns));
    if (receipt > 1 && receipt != TAKT_SLOT_REJECTED) {
        desk->refused++;
    }
    return receipt;
}

INLINE u32 state_of(const takt_desk_t *desk, u32 cpu, u32 entity) {
    return takt_domain_tell(desk->domain, entity, (u64)told_of(cpu));
}

/* Handles what is due; returns the number of the entity that would run, with OUTDATED if the decision is to be taken. */
INLINE u64 peek(const takt_desk_t *desk, u64 now_ns) {
    takt_domain_pass(desk->domain, ticks(desk, now_ns));
    return takt_domain_selected(desk->domain);
}

/* Posts what a thread requests. */
INLINE void post_request(takt_desk_t *desk, u32 entity, takt_linux_slot_t *slot, u64 now_ns) {
    u64 kind = slot->request & (OF_THREAD - 1);
    u64 value = kind == TAKT_SLOT_SUSPEND   ? ticks(desk, slot->request_value + desk->tick_ns - 1)
                : kind == TAKT_SLOT_ARRIVAL ? ticks(desk, now_ns)
                                            : slot->request_value;
    if (kind == TAKT_SLOT_CHANGE) {
        takt_demand_t __arena *demand = (takt_demand_t __arena *)desk->demand;
        demand->period_ns = value;
        demand->deadline_ns = slot->request_deadline_ns;
        demand->wcet_ns = slot->request_wcet_ns;
        demand->weight = slot->request_weight;
        value = desk->demand;
    }
    slot->receipt = post(desk, entity, kind | OF_THREAD, slot->request_job, value, now_ns);
    slot->answered++;
    slot->request = TAKT_SLOT_NONE;
}

/* The event of an entity's thread that the thread's state implies. */
INLINE void post_implied(takt_desk_t *desk, u32 cpu, const takt_pending_t *event, takt_linux_slot_t *slot) {
    u32 state = state_of(desk, cpu, event->entity);
    bool has_job = state & STATE_HAS_JOB, is_blocked = state & STATE_BLOCKED;
    u64 kind = 0;
    if (event->what == TAKT_PENDING_SLEEP) {
        u64 ended = slot->mode & TAKT_SLOT_SLEEP_COMPLETES ? EVENT_COMPLETE : EVENT_BLOCK;
        kind = has_job && !is_blocked ? ended : 0;
    } else if (event->what >= TAKT_PENDING_WAKE) {
        kind = is_blocked ? EVENT_WAKE : 0;
    }
    if (!has_job && event->what != TAKT_PENDING_SLEEP && event->what != TAKT_PENDING_END &&
        slot->mode & TAKT_SLOT_WAKE_ARRIVES) {
        kind = EVENT_ARRIVAL;
    }
    if (kind) {
        post(desk, event->entity, kind, has_job ? told_of(cpu)->job : 0, ticks(desk, event->at_ns),
             event->at_ns);
    }
}

/* Posts an event. */
INLINE void post_event(takt_desk_t *desk, u32 cpu, const takt_pending_t *event) {
    takt_linux_slot_t *slot = slot_of(cpu, event->entity);
    if (!slot) {
        return;
    }
    u32 request = slot->request;
    bool is_handed_over = event->what == TAKT_PENDING_YIELD
                              ? request != TAKT_SLOT_NONE
                              : event->what == TAKT_PENDING_SLEEP &&
                                    (request == TAKT_SLOT_COMPLETE || request == TAKT_SLOT_SUSPEND);
    if (is_handed_over) {
        post_request(desk, event->entity, slot, event->at_ns);
    }
    /* a thread that yields without a next job has its next event already */
    if (!is_handed_over || (event->what == TAKT_PENDING_YIELD && request == TAKT_SLOT_COMPLETE)) {
        post_implied(desk, cpu, event, slot);
    }
    if (is_handed_over) {
        publish(desk, cpu, event->entity);
    }
}

/* Notes an event for the next program that calls the domain. */
INLINE void note(takt_desk_t *desk, u32 entity, u32 what, u64 now_ns) {
    if (desk->count >= TAKT_PENDING) {
        desk->lost++;
        return;
    }
    takt_pending_t *event = &desk->pending[(desk->first + desk->count) % TAKT_PENDING];
    event->at_ns = now_ns;
    event->entity = entity;
    event->what = what;
    desk->count++;
}

/* Takes the decision, in force from `now` on; execution is charged up to `settled`. */
INLINE void commit(takt_desk_t *desk, u64 settled, u64 now) {
    u32 i;
    bpf_for(i, 0, DROPPED_MOST) {
        takt_domain_settle(desk->domain, settled);
        desk->takes++;
        if (takt_domain_commit(desk->domain, now)) {
            return;
        }
        settled = now;
    }
}

/* Posts what is noted, and gives the job that runs back its processor. Returns the number of the entity that would run. */
INLINE u64 catch_up(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    if (desk->is_stolen) {
        desk->is_stolen = 0;
        desk->stolen++;
        desk->stolen_ns += now_ns - desk->stopped_ns;
        commit(desk, ticks(desk, desk->stopped_ns), ticks(desk, now_ns));
    }
    u32 i;
    bpf_for(i, 0, TAKT_PENDING) {
        if (desk->count == 0) {
            break;
        }
        const takt_pending_t *event = &desk->pending[desk->first % TAKT_PENDING];
        desk->first++;
        desk->count--;
        post_event(desk, cpu, event);
    }
    return peek(desk, now_ns);
}

INLINE void take(takt_desk_t *desk, u32 entity, u64 now_ns) {
    commit(desk, ticks(desk, now_ns), ticks(desk, now_ns));
    desk->decided = entity;
}

/* ---- the operations --------------------------------------------------------------------------------------- */

/* The last one that is runnable has to ask for the dispatch. */
INLINE void enqueue_other(struct task_struct *p, u64 flags) {
    u32 cpu = scx_bpf_task_cpu(p);
    scx_bpf_dsq_insert(p, queue_of_others(cpu), SCX_SLICE_DFL, flags);
    if (flags & SCX_ENQ_LAST) {
        scx_bpf_kick_cpu(cpu, 0);
    }
}

INLINE void set_crew(const takt_seat_t *seat, u32 has_thread, u32 state) {
    u32 key = seat->cpu * TAKT_DESK_SLOTS + seat->entity;
    takt_linux_slot_t *slot = slot_of(seat->cpu, seat->entity);
    bpf_map_update_elem(&crew, &key, &has_thread, BPF_ANY);
    if (slot) {
        slot->state = state;
    }
}

INLINE bool is_bound(const struct task_struct *p, u32 cpu) {
    return p->nr_cpus_allowed == 1 && bpf_cpumask_test_cpu(cpu, p->cpus_ptr);
}

/* Gives a thread of SCHED_EXT the seat that the daemon reserved for it, if it is bound to the processor of that: rule 1. */
INLINE place_t *seat_of(struct task_struct *p) {
    u32 thread = p->pid;
    takt_seat_t *seat = bpf_map_lookup_elem(&seats, &thread);
    if (!seat || seat->cpu >= TAKT_DESKS || seat->entity >= TAKT_DESK_SLOTS ||
        p->policy != TAKT_SLOT_CLASS_EXT || !is_bound(p, seat->cpu)) {
        return NULL;
    }
    const takt_linux_slot_t *slot = slot_of(seat->cpu, seat->entity);
    place_t place = {*seat, slot && slot->mode & TAKT_SLOT_SLEEP_COMPLETES};
    set_crew(seat, CREW_AWAKE, TAKT_SLOT_ATTACHED);
    takt_desk_t *desk = desk_of(seat->cpu);
    if (desk && slot && slot->request == TAKT_SLOT_ARRIVAL) { /* also before instant 0 */
        note(desk, seat->entity, TAKT_PENDING_YIELD, bpf_ktime_get_ns());
    }
    return bpf_task_storage_get(&places, p, &place, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* The thread is no thread of a domain any more. */
INLINE void unseat(struct task_struct *p, place_t *place) {
    takt_desk_t *desk = desk_of(place->seat.cpu);
    u64 now_ns = bpf_ktime_get_ns();
    if (desk && has_begun(desk, now_ns)) {
        note(desk, place->seat.entity, TAKT_PENDING_END, now_ns);
    }
    set_crew(&place->seat, 0, 0);
    scx_bpf_kick_cpu(place->seat.cpu, SCX_KICK_PREEMPT);
    bpf_task_storage_delete(&places, p);
}

/* Threads of the fair class are under this scheduler before they join, and when they have left. */
INLINE place_t *place_now(struct task_struct *p) {
    place_t *place = place_of(p);
    if (!is_full) {
        return place;
    }
    u32 thread = p->pid;
    if (!place) {
        return seat_of(p);
    }
    if (p->policy != TAKT_SLOT_CLASS_EXT || !bpf_map_lookup_elem(&seats, &thread)) {
        unseat(p, place);
        return NULL;
    }
    return place;
}

INLINE void note_of(struct task_struct *p, u32 what) {
    place_t *place = place_now(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk) {
        return;
    }
    place->is_asleep = what == TAKT_PENDING_SLEEP;
    u32 key = place->seat.cpu * TAKT_DESK_SLOTS + place->seat.entity,
        state = place->is_asleep ? CREW_ASLEEP : CREW_AWAKE;
    u32 *member = bpf_map_lookup_elem(&crew, &key);
    if (member) {
        *member = state;
    }
    if (has_begun(desk, now_ns)) {
        note(desk, place->seat.entity, what, now_ns);
    }
}

/* ---- asking the domain ------------------------------------------------------------------------------------ */

/* Takes the decision that `entity` runs, NONE for none, if that is selected; tells its thread. */
INLINE void take_for(takt_desk_t *desk, u32 cpu, u32 entity, u64 now_ns) {
    if ((u32)desk->selected != entity) {
        return;
    }
    if (desk->selected & OUTDATED) {
        take(desk, entity, now_ns);
    }
    if (entity != TAKT_DESK_NONE) {
        publish(desk, cpu, entity);
    }
}

/* The selected job has no thread: completes it. */
INLINE void complete_orphan(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    u32 entity = (u32)desk->selected;
    if (desk->selected & OUTDATED) {
        take(desk, entity, now_ns);
    }
    state_of(desk, cpu, entity);
    post(desk, entity, EVENT_COMPLETE, told_of(cpu)->job, ticks(desk, now_ns), now_ns);
    desk->orphans++;
    desk->selected = peek(desk, now_ns);
}

/* The program that calls the domain. The kernel calls it when a program of this object calls the function named here, which
 * tells a processor's capacity. */
SEC("fentry/scx_bpf_cpuperf_cap")
int BPF_PROG(takt_decide, s32 on) {
    u32 cpu = on;
    takt_desk_t *desk = desk_of(cpu);
    if (!desk || desk->asker != bpf_get_smp_processor_id() + 1) {
        return 0;
    }
    u32 asked = desk->asked;
    u64 now_ns = desk->asked_ns;
    desk->asker = 0;
    if (asked & ASKED_ATTEND) {
        desk->selected = catch_up(desk, cpu, now_ns);
    }
    if (asked & ASKED_TAKE) {
        take_for(desk, cpu, desk->asked_entity, now_ns);
    }
    if (asked & ASKED_ORPHAN) {
        complete_orphan(desk, cpu, now_ns);
    }
    if (asked & ASKED_ARM) {
        publish_yield(desk, cpu);
        arm(desk, cpu);
    }
    return 0;
}

/* Asks the domain; returns the number of the entity that would run. */
INLINE u64 ask(takt_desk_t *desk, u32 cpu, u32 what, u32 entity, u64 now_ns) {
    desk->asked = what;
    desk->asked_entity = entity;
    desk->asked_ns = now_ns;
    desk->asker = bpf_get_smp_processor_id() + 1;
    barrier();
    scx_bpf_cpuperf_cap(cpu);
    barrier();
    return desk->selected;
}

/* Posts what is noted; returns the number of the entity that would run. */
INLINE u64 attend(takt_desk_t *desk, u32 cpu) {
    u64 now_ns = bpf_ktime_get_ns();
    if (now_ns < desk->epoch_ns && desk->epoch_ns < NEVER / 2) {
        arm_at(desk, cpu, desk->epoch_ns);
    }
    if (!has_begun(desk, now_ns) || desk->is_stolen) {
        return NONE;
    }
    return (u32)ask(desk, cpu, ASKED_ATTEND, TAKT_DESK_NONE, now_ns);
}

SEC("struct_ops/takt_enqueue")
void BPF_PROG(takt_enqueue, struct task_struct *p, u64 flags) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    if (!desk) {
        enqueue_other(p, flags);
        return;
    }
    u64 next = attend(desk, place->seat.cpu);
    if (next == place->seat.entity) {
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);
        return;
    }
    scx_bpf_dsq_insert(p, queue_of(place->seat.cpu, place->seat.entity), SCX_SLICE_INF, flags);
    /* a thread that is switched to does these in `running` */
    ask(desk, place->seat.cpu, ASKED_ARM, TAKT_DESK_NONE, 0);
    if (next != NONE && next != desk->running) {
        scx_bpf_kick_cpu(place->seat.cpu, SCX_KICK_PREEMPT);
    }
}

INLINE bool has_thread(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_DESK_SLOTS + entity;
    u32 *member = bpf_map_lookup_elem(&crew, &key);
    return member && *member;
}

static __noinline void move_other(u32 cpu) { scx_bpf_dsq_move_to_local(queue_of_others(cpu)); }

SEC("struct_ops/takt_dispatch")
void BPF_PROG(takt_dispatch, s32 cpu, struct task_struct *prev) {
    takt_desk_t *desk = desk_of(cpu);
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk || !has_begun(desk, now_ns)) {
        move_other(cpu);
        return;
    }
    desk->stopped_ns = 0;
    place_t *place = prev ? place_of(prev) : NULL;
    u64 selected = ask(desk, cpu, ASKED_ATTEND, TAKT_DESK_NONE, now_ns);
    u32 i;
    bpf_for(i, 0, ORPHANS_MOST) {
        u32 next = (u32)selected;
        if (next == TAKT_DESK_NONE) {
            ask(desk, cpu, ASKED_TAKE, TAKT_DESK_NONE, now_ns);
            move_other(cpu);
            break;
        }
        if (place && place->seat.entity == next && prev->scx.flags & SCX_TASK_QUEUED) {
            prev->scx.slice = SCX_SLICE_INF;
            ask(desk, cpu, ASKED_TAKE, next, now_ns);
            break;
        }
        if (scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {
            break;
        }
        if (has_thread(cpu, next)) {
            desk->absences++;
            move_other(cpu);
            break;
        }
        selected = ask(desk, cpu, ASKED_ORPHAN, TAKT_DESK_NONE, now_ns);
    }
    ask(desk, cpu, ASKED_ARM, TAKT_DESK_NONE, now_ns);
}

SEC("struct_ops/takt_running")
void BPF_PROG(takt_running, struct task_struct *p) {
    place_t *place = place_of(p);
    if (!place && !is_full) {
        return;
    }
    u32 cpu = place ? place->seat.cpu : bpf_get_smp_processor_id();
    u32 entity = place ? place->seat.entity : TAKT_DESK_NONE;
    takt_desk_t *desk = desk_of(cpu);
    if (!desk) {
        return;
    }
    u64 now_ns = bpf_ktime_get_ns();
    desk->running = entity;
    if (now_ns >= desk->end_ns) {
        return;
    }
    u32 decided = desk->decided;
    u64 selected = has_begun(desk, now_ns) ? ask(desk, cpu, ASKED_ATTEND | ASKED_TAKE | ASKED_ARM, entity, now_ns) : NONE;
    desk->stopped_ns = 0;
    if ((u32)selected != entity) {
        desk->mismatches++;
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    } else if (place && decided != entity) {
        takt_linux_slot_t *slot = slot_of(cpu, entity);
        if (slot) {
            slot->started++;
        }
    }
}

SEC("struct_ops/takt_stopping")
void BPF_PROG(takt_stopping, struct task_struct *p, bool is_runnable) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    if (!desk) {
        return;
    }
    desk->stopped_ns = is_runnable && desk->decided == place->seat.entity ? bpf_ktime_get_ns() : 0;
    desk->running = TAKT_DESK_NONE;
}

/* Another class takes the processor. */
SEC("struct_ops/takt_cpu_release")
void BPF_PROG(takt_cpu_release, s32 cpu, struct scx_cpu_release_args *args) {
    takt_desk_t *desk = desk_of(cpu);
    if (desk && desk->stopped_ns && has_begun(desk, desk->stopped_ns)) {
        desk->is_stolen = 1;
    }
}

SEC("struct_ops/takt_runnable")
void BPF_PROG(takt_runnable, struct task_struct *p, u64 flags) {
    place_t *place = place_now(p);
    if (place && place->is_asleep) {
        note_of(p, TAKT_PENDING_WAKE);
    }
}

SEC("struct_ops/takt_quiescent")
void BPF_PROG(takt_quiescent, struct task_struct *p, u64 flags) {
    place_t *place = p->__state & STATE_DEAD ? place_of(p) : NULL;
    if (place) {
        unseat(p, place); /* `disable` comes when the kernel frees the thread, some 10 ms later */
    } else if (flags & SCX_DEQ_SLEEP) {
        note_of(p, TAKT_PENDING_SLEEP);
    }
}

SEC("struct_ops/takt_yield")
bool BPF_PROG(takt_yield, struct task_struct *from, struct task_struct *to) {
    from->scx.slice = 0;
    note_of(from, TAKT_PENDING_YIELD);
    return false;
}

/* A thread comes under this scheduler. */
SEC("struct_ops/takt_enable")
void BPF_PROG(takt_enable, struct task_struct *p) { seat_of(p); }

/* It leaves, or ends. */
SEC("struct_ops/takt_disable")
void BPF_PROG(takt_disable, struct task_struct *p) {
    place_t *place = place_of(p);
    if (place) {
        unseat(p, place);
    }
}

/* A thread that may run on another processor is no thread of a domain any more. */
SEC("struct_ops/takt_set_cpumask")
void BPF_PROG(takt_set_cpumask, struct task_struct *p, const struct cpumask *allowed) {
    place_t *place = place_of(p);
    if (place && !is_bound(p, place->seat.cpu)) {
        unseat(p, place);
    }
}

SEC("struct_ops.s/takt_init")
s32 BPF_PROG(takt_init) {
    u32 cpu, entity;
    s32 error = scx_bpf_create_dsq(queue_of(TAKT_DESKS, TAKT_DESK_NONE), -1);
    if (error) {
        return error;
    }
    bpf_for(cpu, 0, TAKT_DESKS) {
        takt_desk_t *desk = desk_of(cpu);
        u32 key = cpu;
        takt_alarm_t *alarm = bpf_map_lookup_elem(&alarms, &key);
        if (!desk || !alarm) {
            continue;
        }
        bpf_timer_init(&alarm->timer, &alarms, CLOCK);
        bpf_timer_set_callback(&alarm->timer, expire);
        error = scx_bpf_create_dsq(queue_of(cpu, TAKT_DESK_NONE), -1);
        if (error) {
            return error;
        }
        bpf_for(entity, 0, desk->entities) {
            error = scx_bpf_create_dsq(queue_of(cpu, entity), -1);
            if (error) {
                return error;
            }
        }
    }
    return 0;
}

SEC("struct_ops/takt_exit")
void BPF_PROG(takt_exit, struct scx_exit_info *info) {
    bpf_probe_read_kernel_str(ending.reason, sizeof ending.reason, info->reason);
    ending.kind = info->kind;
}

/* clang-format off */
#define OPERATIONS \
    .runnable = (void *)takt_runnable, \
    .enqueue = (void *)takt_enqueue, \
    .dispatch = (void *)takt_dispatch, \
    .running = (void *)takt_running, \
    .stopping = (void *)takt_stopping, \
    .cpu_release = (void *)takt_cpu_release, \
    .quiescent = (void *)takt_quiescent, \
    .yield = (void *)takt_yield, \
    .enable = (void *)takt_enable, \
    .disable = (void *)takt_disable, \
    .set_cpumask = (void *)takt_set_cpumask, \
    .init = (void *)takt_init, \
    .exit = (void *)takt_exit, \
    .timeout_ms = 10000, .name = "takt"
/* clang-format on */

/* Of the processors' threads these schedule those of class SCHED_EXT; the others come before them. */
SEC(".struct_ops.link")
struct sched_ext_ops takt_ops = {
    OPERATIONS,
    .flags = SCX_OPS_ENQ_LAST | SCX_OPS_SWITCH_PARTIAL,
};

/* These schedule the threads of the fair class, too: while the domain selects none. */
SEC(".struct_ops.link")
struct sched_ext_ops takt_ops_of_all = {
    OPERATIONS,
    .flags = SCX_OPS_ENQ_LAST,
};

/* The kernel's own record of switches, for checks: it knows nothing of decisions. */
SEC("tp_btf/sched_switch")
int BPF_PROG(takt_switch, bool is_preempted, struct task_struct *from, struct task_struct *to) {
    u32 cpu = bpf_get_smp_processor_id();
    takt_desk_t *desk = desk_of(cpu);
    if (!desk || !desk->has_switches || desk->switches >= TAKT_SWITCHES) {
        return 0;
    }
    u32 key = cpu * TAKT_SWITCHES + (u32)desk->switches;
    takt_switch_t *kept = bpf_map_lookup_elem(&switches, &key);
    if (kept) {
        *kept = (takt_switch_t){bpf_ktime_get_ns(), (u32)from->pid, (u32)to->pid};
        desk->switches++;
    }
    return 0;
}
