/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The programs that make a domain the scheduler of a processor, under sched_ext. They observe events and switches; the
 * domain decides (linux/domain.h), lowered into the same object.
 *
 *     quiescent, yield, disable   a thread sleeps, hands a request over, ends: noted
 *     set_cpumask                 a thread leaves its processor: noted as its end
 *     enqueue     a thread is runnable; if it slept, that is noted. Attend: post what is noted, select; is it to run?
 *     dispatch    the processor is free, or the timer has expired: attend; move the selected thread in
 *     running     a thread begins to run: attend; take: the decision takes effect
 *     cpu_release, stopping       another class takes the processor: noted
 *     decide      what the others ask of the domain
 *
 * Rules:
 * 1. All of these hold the lock of the processor's run queue. That lock is the domain's: the threads of a domain are
 *    bound to its processor. The timer holds no lock, so it only asks for a dispatch.
 * 2. A decision is taken when its thread begins to run, never before. A thread that is switched to and would not be
 *    selected any more is switched off at once, without a decision (desk.mismatches).
 * 3. A runnable thread that is not to run waits in a queue of its own. The kernel sees the one that is to run, and no
 *    other. Threads of no domain wait in one queue for each processor, and run while its domain selects none. If a task
 *    stands for them (desk.others), they also run while that is selected. Its job arrives when one of them is runnable, and
 *    ends when it is selected and none of them is. A switch between two of them is no decision.
 * 4. If the selected thread is not runnable in the kernel, no thread of the domain runs (desk.absences). If it is gone,
 *    its job is completed at once (desk.orphans).
 * 5. While another class has the processor of a job that runs, the domain gets no events; they are noted. Then the decision
 *    is taken again. So what other classes take is charged to no budget.
 * 6. Only `decide` calls the domain, because the verifier checks all of it for each program that does. No program can call
 *    another one, but the kernel calls a program when a function begins. The others call such a function, which does
 *    nothing else of interest. What is asked and answered stands in the desk.
 *
 * Source: docs/explanation/linux.md. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "linux/bpf/memory.h"
#include "linux/bpf/publish.h"

char _license[] SEC("license") = "Dual MIT/GPL";

enum {
    EVENT_COMPLETE = 1, /* as takt_event_kind_t */
    EVENT_BLOCK = 2,
    EVENT_WAKE = 3,
    EVENT_ARRIVAL = 9,
    CLOCK = 1,         /* CLOCK_MONOTONIC */
    STATE_DEAD = 0x80, /* TASK_DEAD */
    DROPPED_MOST = 4,  /* decisions in a row that a lock drops which waited for its budget */
    /* what is asked of the domain */
    ASKED_ATTEND = 1, /* post what is noted, and select */
    ASKED_TAKE = 2,   /* if the entity is selected: take the decision, tell its thread */
    ASKED_ORPHAN = 4, /* complete the selected job, which has no thread, and select */
    ASKED_ARM = 8,    /* arm the timer */
    ASKED_ENTER = 16, /* likewise, unless the entity is selected */
    ORPHANS_MOST = 8, /* jobs without a thread that a dispatch completes */
};

#define OF_THREAD (1ull << 31) /* as TAKT_DOMAIN_OF_THREAD, above the kind */
#define OUTDATED (1ull << 32)  /* as TAKT_DOMAIN_OUTDATED */

char unanswered[] SEC(".data.unanswered") = "the program that decides does not answer";
volatile const bool is_full; /* threads of the fair class are scheduled here, too */

/* ---- events ----------------------------------------------------------------------------------------------- */

INLINE u64 post(takt_desk_t *desk, u32 entity, u64 kind, u32 job, u64 value, u64 now_ns) {
    u64 receipt = takt_domain_post(desk->domain, kind << 32 | entity, job, value, ticks(desk, now_ns));
    desk->is_selected = 0;
    if (receipt > 1 && receipt != TAKT_SLOT_REJECTED) {
        desk->refused++;
    }
    return receipt;
}

/* An event of the current job of an entity. */
INLINE void post_job(takt_desk_t *desk, u32 cpu, u32 entity, u64 kind, u64 now_ns) {
    tell(desk, cpu, entity);
    u32 job = told_of(cpu)->state & STATE_HAS_JOB ? told_of(cpu)->job : 0;
    post(desk, entity, kind, job, ticks(desk, now_ns), now_ns);
}

/* Handles what is due, and selects. */
INLINE void select(takt_desk_t *desk, u64 now_ns) {
    desk->next_ns = instant(desk, takt_domain_pass(desk->domain, ticks(desk, now_ns)));
    desk->selected = takt_domain_selected(desk->domain);
    desk->is_selected = 1;
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
    u32 state = takt_domain_state(desk->domain, event->entity);
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
        post_job(desk, cpu, event->entity, kind, event->at_ns);
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
        tell(desk, cpu, event->entity);
        publish(desk, cpu, event->entity, false);
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
        desk->is_selected = 0;
        if (takt_domain_commit(desk->domain, now)) {
            return;
        }
        settled = now;
    }
}

/* Gives the job that runs back its processor. */
INLINE void give_back(takt_desk_t *desk, u64 now_ns) {
    desk->is_stolen = 0;
    desk->stolen++;
    desk->stolen_ns += now_ns - desk->stopped_ns;
    commit(desk, ticks(desk, desk->stopped_ns), ticks(desk, now_ns));
}

INLINE void post_all(takt_desk_t *desk, u32 cpu) {
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
}

INLINE bool is_due(const takt_desk_t *desk, u64 now_ns) { return desk->next_ns && desk->next_ns <= now_ns; }

/* The threads of no domain have a job as long as they are awake, also when the scheduler has ended one. */
INLINE void post_others(takt_desk_t *desk, u64 now_ns) {
    if (desk->is_others_awake && !(takt_domain_state(desk->domain, desk->others) & STATE_HAS_JOB)) {
        post(desk, desk->others, EVENT_ARRIVAL, 0, ticks(desk, now_ns), now_ns);
    }
}

/* Posts what is noted, and selects; a selection that still holds stands. */
INLINE void catch_up(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    if (desk->is_stolen) {
        give_back(desk, now_ns);
    }
    post_all(desk, cpu);
    if (!desk->is_selected || is_due(desk, now_ns)) {
        post_others(desk, now_ns);
        select(desk, now_ns);
    }
}

INLINE void take(takt_desk_t *desk, u32 entity, u64 now_ns) {
    if (desk->selected & OUTDATED) {
        commit(desk, ticks(desk, now_ns), ticks(desk, now_ns));
        desk->decided = entity;
    }
}

/* ---- seats ------------------------------------------------------------------------------------------------ */

INLINE void set_crew(u64 seat, u32 has_thread, u32 state) {
    u32 key = cpu_of(seat) * TAKT_DESK_SLOTS + (u32)seat;
    takt_linux_slot_t *slot = slot_of(cpu_of(seat), (u32)seat);
    bpf_map_update_elem(&crew, &key, &has_thread, BPF_ANY);
    if (slot) {
        slot->state = state;
    }
}

INLINE bool is_bound(const struct task_struct *p, u32 cpu) {
    return p->nr_cpus_allowed == 1 && bpf_cpumask_test_cpu(cpu, p->cpus_ptr);
}

/* Gives a thread of SCHED_EXT the seat that the daemon reserved for it, if it is bound to the processor of that: rule 1.
 * Returns it, or 0. */
INLINE u64 give_seat(struct task_struct *p) {
    u32 thread = p->pid;
    p->scx.dsq_vtime = 0;
    const takt_seat_t *given = p->policy == TAKT_SLOT_CLASS_EXT ? bpf_map_lookup_elem(&seats, &thread) : NULL;
    if (!given || given->cpu >= TAKT_DESKS || given->entity >= TAKT_DESK_SLOTS || !is_bound(p, given->cpu)) {
        return 0;
    }
    const takt_linux_slot_t *slot = slot_of(given->cpu, given->entity);
    u64 seat = SEATED | (u64)given->cpu << 32 | given->entity;
    seat |= slot && slot->mode & TAKT_SLOT_SLEEP_COMPLETES ? ASLEEP : 0;
    set_crew(seat, CREW_AWAKE, TAKT_SLOT_ATTACHED);
    p->scx.dsq_vtime = seat;
    takt_desk_t *desk = desk_at(seat);
    if (desk && slot && slot->request == TAKT_SLOT_ARRIVAL) { /* also before instant 0 */
        note(desk, (u32)seat, TAKT_PENDING_YIELD, bpf_ktime_get_ns());
    }
    return seat;
}

/* The thread is no thread of a domain any more. */
INLINE void unseat(struct task_struct *p, u64 seat) {
    takt_desk_t *desk = desk_at(seat);
    u64 now_ns = bpf_ktime_get_ns();
    if (desk && has_begun(desk, now_ns)) {
        note(desk, (u32)seat, TAKT_PENDING_END, now_ns);
        scx_bpf_kick_cpu(cpu_of(seat), SCX_KICK_PREEMPT);
    }
    p->scx.dsq_vtime = 0;
    set_crew(seat, 0, 0);
}

/* In full mode, threads are under this scheduler before they join, and when they have left. */
INLINE u64 seat_now(struct task_struct *p) {
    u64 seat = p->scx.dsq_vtime;
    if (is_full && !seat) {
        return give_seat(p);
    }
    if (is_full && p->policy != TAKT_SLOT_CLASS_EXT) {
        unseat(p, seat);
        return 0;
    }
    return seat;
}

INLINE void note_of(struct task_struct *p, u64 seat, u32 what) {
    takt_desk_t *desk = desk_at(seat);
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk) {
        return;
    }
    u32 key = cpu_of(seat) * TAKT_DESK_SLOTS + (u32)seat;
    u32 *member = bpf_map_lookup_elem(&crew, &key);
    bool is_asleep = what == TAKT_PENDING_SLEEP;
    p->scx.dsq_vtime = is_asleep ? seat | ASLEEP : seat & ~ASLEEP;
    if (member) {
        *member = is_asleep ? CREW_ASLEEP : CREW_AWAKE;
    }
    if (has_begun(desk, now_ns)) {
        note(desk, (u32)seat, what, now_ns);
    }
}

/* ---- asking the domain ------------------------------------------------------------------------------------ */

/* Whether `entity` is selected; NONE is a thread of no domain, or none. */
INLINE bool is_selected(const takt_desk_t *desk, u32 entity) {
    u32 selected = desk->selected;
    return selected == entity || (entity == TAKT_DESK_NONE && selected == desk->others);
}

/* Takes the decision that the selected entity runs; tells its thread. */
INLINE void take_selected(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    u32 entity = desk->selected;
    bool has_started = desk->decided != entity;
    take(desk, entity, now_ns);
    tell(desk, cpu, entity);
    if (entity != TAKT_DESK_NONE) {
        publish(desk, cpu, entity, has_started);
    }
}

/* The selected job has no thread, or no more: completes it. */
INLINE void complete_orphan(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    u32 entity = (u32)desk->selected;
    take(desk, entity, now_ns);
    post_job(desk, cpu, entity, EVENT_COMPLETE, now_ns);
    desk->orphans += entity != desk->others;
    select(desk, now_ns);
}

/* The program that calls the domain. The kernel calls it when a program of this object calls the function that stands in
 * its section, which tells a processor's capacity. */
SEC("fentry/scx_bpf_cpuperf_cap")
int BPF_PROG(takt_decide, s32 on) {
    u32 cpu = on;
    takt_desk_t *desk = desk_of(cpu);
    if (!desk || desk->asker != bpf_get_smp_processor_id() + 1) {
        return 0; /* another program's call */
    }
    u32 asked = desk->asked, entity = desk->asked_entity;
    u64 now_ns = desk->asked_ns;
    desk->asker = 0;
    if (asked & ASKED_ATTEND) {
        catch_up(desk, cpu, now_ns);
    }
    if (asked & ASKED_ORPHAN) {
        complete_orphan(desk, cpu, now_ns);
    }
    bool is_armed = asked & ASKED_ARM || (asked & ASKED_ENTER && !is_selected(desk, entity));
    if (asked & ASKED_TAKE && is_selected(desk, entity)) {
        take_selected(desk, cpu, now_ns);
    } else if (is_armed) {
        tell(desk, cpu, TAKT_DESK_NONE);
    }
    if (is_armed) {
        publish_yield(desk, cpu);
        arm(desk, cpu);
    }
    return 0;
}

/* Asks the domain; returns the number of the entity that would run. */
static __noinline u32 ask(takt_desk_t *desk, u32 cpu, u32 what, u32 entity, u64 now_ns) {
    desk->asked = what;
    desk->asked_entity = entity;
    desk->asked_ns = now_ns;
    desk->asker = bpf_get_smp_processor_id() + 1;
    barrier();
    scx_bpf_cpuperf_cap(cpu);
    barrier();
    if (desk->asker) {
        u64 nothing = 0;
        scx_bpf_error_bstr(unanswered, &nothing, 0);
    }
    return desk->selected;
}

/* Whether the domain gets events now. */
INLINE bool is_open(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    if (now_ns < desk->epoch_ns && desk->epoch_ns < NEVER / 2) {
        arm_at(desk, cpu, desk->epoch_ns);
    }
    return has_begun(desk, now_ns) && !desk->is_stolen;
}

/* ---- the operations --------------------------------------------------------------------------------------- */

/* The thread of `next` is to run instead of the one that runs. */
INLINE void kick_for(const takt_desk_t *desk, u32 cpu, u32 next) {
    if (next != TAKT_DESK_NONE && next != desk->running) {
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    }
}

/* One of the threads of no domain is runnable, and none was. */
INLINE void wake_others(takt_desk_t *desk, u32 cpu) {
    u64 now_ns = bpf_ktime_get_ns();
    desk->is_others_awake = 1;
    desk->is_selected = 0;
    if (is_open(desk, cpu, now_ns)) {
        kick_for(desk, cpu, ask(desk, cpu, ASKED_ATTEND | ASKED_ENTER, desk->others, now_ns));
    }
}

/* The last one that is runnable has to ask for the dispatch. */
INLINE void enqueue_other(struct task_struct *p, u64 flags) {
    u32 cpu = scx_bpf_task_cpu(p);
    takt_desk_t *desk = desk_of(cpu);
    scx_bpf_dsq_insert(p, queue_of_others(cpu), SCX_SLICE_DFL, flags);
    if (flags & SCX_ENQ_LAST) {
        scx_bpf_kick_cpu(cpu, 0);
    }
    if (desk && desk->others != TAKT_DESK_NONE && !desk->is_others_awake) {
        wake_others(desk, cpu);
    }
}

SEC("struct_ops/takt_enqueue")
void BPF_PROG(takt_enqueue, struct task_struct *p, u64 flags) {
    u64 seat = seat_now(p);
    takt_desk_t *desk = desk_at(seat);
    if (!desk) {
        enqueue_other(p, flags);
        return;
    }
    if (seat & ASLEEP) {
        note_of(p, seat, TAKT_PENDING_WAKE);
    }
    u32 cpu = cpu_of(seat), next = TAKT_DESK_NONE;
    u64 now_ns = bpf_ktime_get_ns();
    if (is_open(desk, cpu, now_ns)) {
        next = ask(desk, cpu, ASKED_ATTEND | ASKED_ENTER, (u32)seat, now_ns);
    }
    if (next == (u32)seat) {
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);
        return;
    }
    scx_bpf_dsq_insert(p, queue_of(cpu, (u32)seat), SCX_SLICE_INF, flags);
    kick_for(desk, cpu, next);
}

INLINE bool has_thread(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_DESK_SLOTS + entity;
    u32 *member = bpf_map_lookup_elem(&crew, &key);
    return member && *member;
}

INLINE bool move_other(u32 cpu) { return scx_bpf_dsq_move_to_local(queue_of_others(cpu)); }

/* Until the thread that was moved in runs: then the timer is armed for what it takes. */
INLINE void arm_next(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    if (desk->next_ns && !is_armed_by(desk, desk->next_ns)) {
        ask(desk, cpu, ASKED_ARM, TAKT_DESK_NONE, now_ns);
    }
}

/* Has a thread of no domain run for the task that stands for them; if none is runnable, they sleep. Returns as carry_out. */
INLINE bool run_other(takt_desk_t *desk, u32 cpu, struct task_struct *prev, u64 now_ns) {
    u32 next = desk->others;
    if (move_other(cpu)) {
        desk->stopped_ns = desk->decided == next ? now_ns : 0; /* by another one that sleeps now */
        arm_next(desk, cpu, now_ns);
    } else if (prev && !(prev->scx.dsq_vtime & SEATED) && prev->scx.flags & SCX_TASK_QUEUED) {
        prev->scx.slice = SCX_SLICE_DFL;
        ask(desk, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
        desk->running = next;
    } else {
        desk->is_others_awake = 0;
        return true;
    }
    return false;
}

/* Has the thread of `next` run, if that is one and is runnable. Returns whether another entity is to be asked for. */
INLINE bool carry_out(takt_desk_t *desk, u32 cpu, u32 next, struct task_struct *prev, u64 now_ns) {
    u64 seat = prev ? prev->scx.dsq_vtime : 0;
    if (next == TAKT_DESK_NONE) {
        ask(desk, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
        move_other(cpu);
    } else if (next == desk->others) {
        return run_other(desk, cpu, prev, now_ns);
    } else if (seat & SEATED && (u32)seat == next && prev->scx.flags & SCX_TASK_QUEUED) {
        prev->scx.slice = SCX_SLICE_INF;
        ask(desk, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
    } else if (scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {
        arm_next(desk, cpu, now_ns);
    } else if (has_thread(cpu, next)) {
        desk->absences++;
        ask(desk, cpu, ASKED_ARM, TAKT_DESK_NONE, now_ns);
        move_other(cpu);
    } else {
        return true;
    }
    return false;
}

SEC("struct_ops/takt_dispatch")
void BPF_PROG(takt_dispatch, s32 cpu, struct task_struct *prev) {
    takt_desk_t *desk = desk_of(cpu);
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk || !has_begun(desk, now_ns)) {
        move_other(cpu);
        return;
    }
    desk->stopped_ns = 0;
    u32 next = ask(desk, cpu, ASKED_ATTEND, TAKT_DESK_NONE, now_ns);
    u32 i;
    bpf_for(i, 0, ORPHANS_MOST) {
        if (!carry_out(desk, cpu, next, prev, now_ns)) {
            return;
        }
        next = ask(desk, cpu, ASKED_ORPHAN | ASKED_ARM, next, now_ns);
    }
}

SEC("struct_ops/takt_running")
void BPF_PROG(takt_running, struct task_struct *p) {
    u64 seat = seat_now(p);
    if (!seat && !is_full) {
        return;
    }
    u32 cpu = seat ? cpu_of(seat) : (u32)scx_bpf_task_cpu(p);
    u32 entity = seat ? (u32)seat : TAKT_DESK_NONE;
    takt_desk_t *desk = desk_of(cpu);
    if (!desk) {
        return;
    }
    u64 now_ns = bpf_ktime_get_ns();
    desk->running = entity;
    if (now_ns >= desk->end_ns) {
        return;
    }
    u32 selected = TAKT_DESK_NONE;
    if (has_begun(desk, now_ns)) {
        selected = ask(desk, cpu, ASKED_ATTEND | ASKED_TAKE | ASKED_ARM, entity, now_ns);
    }
    desk->stopped_ns = 0;
    if (!seat && selected == desk->others) {
        desk->running = entity = selected;
    }
    if (selected != entity) {
        desk->mismatches++;
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    }
}

SEC("struct_ops/takt_stopping")
void BPF_PROG(takt_stopping, struct task_struct *p, bool is_runnable) {
    u64 seat = p->scx.dsq_vtime;
    takt_desk_t *desk = seat || !is_full ? desk_at(seat) : desk_of(scx_bpf_task_cpu(p));
    if (!desk || (!seat && desk->running == TAKT_DESK_NONE)) {
        return;
    }
    u32 entity = seat ? (u32)seat : desk->running;
    desk->stopped_ns = is_runnable && desk->decided == entity ? bpf_ktime_get_ns() : 0;
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

SEC("struct_ops/takt_quiescent")
void BPF_PROG(takt_quiescent, struct task_struct *p, u64 flags) {
    u64 seat = seat_now(p);
    if (seat && p->__state & STATE_DEAD) {
        unseat(p, seat); /* `disable` comes when the kernel frees the thread, some 10 ms later */
    } else if (seat && flags & SCX_DEQ_SLEEP) {
        note_of(p, seat, TAKT_PENDING_SLEEP);
    }
}

SEC("struct_ops/takt_yield")
bool BPF_PROG(takt_yield, struct task_struct *from, struct task_struct *to) {
    u64 seat = seat_now(from);
    from->scx.slice = 0;
    if (seat) {
        note_of(from, seat, TAKT_PENDING_YIELD);
    }
    return false;
}

/* A thread comes under this scheduler. */
SEC("struct_ops/takt_enable")
void BPF_PROG(takt_enable, struct task_struct *p) { give_seat(p); }

/* It leaves, or ends. */
SEC("struct_ops/takt_disable")
void BPF_PROG(takt_disable, struct task_struct *p) {
    u64 seat = p->scx.dsq_vtime;
    if (seat) {
        unseat(p, seat);
    }
}

/* A thread that may run on another processor is no thread of a domain any more. */
SEC("struct_ops/takt_set_cpumask")
void BPF_PROG(takt_set_cpumask, struct task_struct *p, const struct cpumask *allowed) {
    u64 seat = p->scx.dsq_vtime;
    if (seat && !is_bound(p, cpu_of(seat))) {
        unseat(p, seat);
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
    const char *reason = info->kind == SCX_EXIT_ERROR_BPF ? info->msg : info->reason;
    bpf_probe_read_kernel_str(ending.reason, sizeof ending.reason, reason);
    ending.kind = info->kind;
}

/* clang-format off */
#define OPERATIONS \
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

/* These schedule the threads of the fair class, too: rule 3. */
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
