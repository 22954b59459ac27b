/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The programs that make a domain the scheduler of a processor, under sched_ext. They observe events and switches; the
 * domain decides (linux/domain.h), lowered into the same object.
 *
 *     quiescent, yield, disable   a thread sleeps, hands a request over, ends: noted
 *     set_cpumask                 a thread leaves its processor: noted as its end
 *     enqueue     a thread is runnable; if it slept, that is noted. Attend: post what is noted, select; is it to run?
 *     dispatch    the processor is free, or the timer has expired: attend; move the selected thread in, or the foreseen one
 *     running     a thread begins to run: attend; take: the decision takes effect
 *     cpu_release another class takes the processor: noted
 *     decide      what the others ask of the domain
 *
 * Rules:
 * 1. All of these hold the lock of the processor's run queue. That lock is the domain's: the threads of a domain are
 *    bound to its processor. The timer holds no lock, so it only asks for a dispatch.
 * 2. A decision is taken when its thread begins to run, never before. A thread that is switched to and would not be
 *    selected any more is switched off at once, without a decision (shared.mismatches).
 * 3. A runnable thread that is not to run waits in a queue of its own. The kernel sees the one that is to run, and no
 *    other. Threads of no domain wait in one queue for each processor, and run while its domain selects none; those that may
 *    run on a processor without a domain wait in one that all processors serve. If a task
 *    stands for them (shared.others), they also run while that is selected. Its job arrives when one of them is runnable, and
 *    ends when it is selected and none of them is. A switch between two of them is no decision.
 * 4. If the selected thread is not runnable in the kernel, its job is charged as if it ran (shared.absences): the thread may
 *    be about to wake. After GRACE_NS the job is blocked, so that others run. A job that core does not let block is charged
 *    on, and completed after PATIENCE_NS (shared.orphans). If the thread is gone, its job is completed at once (likewise).
 * 5. While another class has the processor of a job that runs, the domain gets no events; they are noted. Then the decision
 *    is taken again. So what other classes take is charged to no budget.
 * 6. Only `decide` calls the domain, because the verifier checks all of it for each program that does. No program can call
 *    another one, but the kernel calls a program when a function begins. The others call such a function, which does
 *    nothing else of interest. Question and answer stand in its record (shared.h).
 * 7. When the domain decides that nothing runs, it foresees what it decides next if only time passes. The thread of that
 *    entity runs ahead of it, without a question. At the next question, whatever it is, the domain first decides as of the
 *    instant at which that thread began to run: it is at most one decision behind. So it is when a job ends as was foreseen, and
 *    the next one that is ready runs. If it does not agree, that is counted
 *    (shared.misforeseen), and the domain counts. What is foreseen is forgotten with any question before.
 * 8. A thread that waits for long, also one of no domain, is visited: it is switched to, and off at once, without a decision
 *    (shared.visits).
 *
 * Source: docs/explanation/linux.md. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "linux/bpf/decisions.h"
#include "linux/bpf/memory.h"
#include "linux/bpf/publish.h"
#include "linux/bpf/visits.h"

char _license[] SEC("license") = "Dual MIT/GPL";

enum {
    CLOCK = 1,         /* CLOCK_MONOTONIC */
    STATE_DEAD = 0x80, /* TASK_DEAD */
    /* what is asked of the domain */
    ASKED_ATTEND = 1, /* post what is noted, and select */
    ASKED_TAKE = 2,   /* if the entity is selected: take the decision, publish it */
    ASKED_ORPHAN = 4, /* if the entity is selected: complete its job, and select */
    ASKED_ARM = 8,    /* arm the timer */
    ASKED_ENTER = 16, /* likewise, unless the entity is selected */
    ASKED_BLOCK =
        32, /* block the job of the entity, which is selected, and select; unless core does not let it */
    ABSENT_MOST = 8, /* jobs whose threads are gone or absent that a dispatch completes or blocks */
};

#define GRACE_NS BACKSTOP_NS      /* for a thread that is about to wake */
#define PATIENCE_NS 1000000000ull /* with an absent thread whose job cannot block */

/* Why the scheduler ends. */
char unanswered[] SEC(".data.reasons") = "the program that decides does not answer";
char endless[] SEC(".data.reasons") = "a loop of the scheduler did not end";
char unloaded[] SEC(".data.reasons") = "function %llx of the scheduler was called, which is not loaded";
volatile const bool is_full; /* threads of the fair class are scheduled here, too */

/* ---- bindings ------------------------------------------------------------------------------------------------ */

/* Its thread begins to be in `state`, MEMBER_ or 0; what is noted of it stays. */
INLINE void set_member(u64 binding, u32 state) {
    takt_member_t *member = member_of(cpu_of(binding), (u32)binding);
    if (member) {
        *member = (takt_member_t){
            .state = state, .noted = member->noted, .last = member->last, .is_blocked = member->is_blocked};
    }
}

INLINE void set_thread(u64 binding, u32 has_thread, u32 state) {
    takt_linux_slot_t *slot = slot_of(cpu_of(binding), (u32)binding);
    set_member(binding, has_thread);
    if (slot) {
        slot->state = state;
    }
}

INLINE bool is_bound(const struct task_struct *p, u32 cpu) {
    return p->nr_cpus_allowed == 1 && bpf_cpumask_test_cpu(cpu, p->cpus_ptr);
}

/* Gives a thread of SCHED_EXT the binding that the daemon reserved for it, if it is bound to the processor of that: rule 1.
 * Returns it, or 0. */
INLINE u64 bind_thread(struct task_struct *p) {
    u32 thread = p->pid;
    const takt_binding_t *given =
        p->policy == TAKT_SLOT_CLASS_EXT ? bpf_map_lookup_elem(&bindings, &thread) : NULL;
    if (!given || given->cpu >= TAKT_CPUS || given->entity >= TAKT_SHARED_SLOTS || !is_bound(p, given->cpu)) {
        return 0;
    }
    const takt_linux_slot_t *slot = slot_of(given->cpu, given->entity);
    u64 binding = BOUND | (u64)given->cpu << 32 | given->entity;
    binding |= !p->on_rq || (slot && READ_ONCE(slot->mode) & TAKT_SLOT_SLEEP_COMPLETES) ? ASLEEP : 0;
    set_thread(binding, MEMBER_AWAKE, TAKT_SLOT_ATTACHED);
    begin_waiting(binding, p->scx.dsq_vtime);
    p->scx.dsq_vtime = binding;
    takt_shared_t *shared = shared_at(binding);
    if (shared && slot && READ_ONCE(slot->request) == TAKT_SLOT_ARRIVAL) { /* also before instant 0 */
        note(shared, cpu_of(binding), (u32)binding, TAKT_PENDING_YIELD, bpf_ktime_get_ns());
    }
    return binding;
}

/* The thread is no thread of a domain any more. */
INLINE void unbind(struct task_struct *p, u64 binding) {
    takt_shared_t *shared = shared_at(binding);
    u64 now_ns = bpf_ktime_get_ns();
    if (shared && has_begun(shared, now_ns)) {
        note(shared, cpu_of(binding), (u32)binding, TAKT_PENDING_END, now_ns);
        scx_bpf_kick_cpu(cpu_of(binding), SCX_KICK_PREEMPT);
    }
    if (shared && shared->running == (u32)binding) {
        shared->running = TAKT_SHARED_NONE;
    }
    p->scx.dsq_vtime = waiting_since(binding);
    set_thread(binding, 0, 0);
}

/* In full mode, threads are under this scheduler before they join, and when they have left. */
INLINE u64 binding_now(struct task_struct *p) {
    u64 binding = binding_of(p);
    if (is_full && !binding) {
        return bind_thread(p);
    }
    if (is_full && p->policy != TAKT_SLOT_CLASS_EXT) {
        unbind(p, binding);
        return 0;
    }
    return binding;
}

INLINE void note_of(struct task_struct *p, u64 binding, u32 what) {
    takt_shared_t *shared = shared_at(binding);
    u64 now_ns = bpf_ktime_get_ns();
    if (!shared) {
        return;
    }
    bool is_asleep = what == TAKT_PENDING_SLEEP;
    p->scx.dsq_vtime = is_asleep ? binding | ASLEEP : binding & ~ASLEEP;
    set_member(binding, is_asleep ? MEMBER_ASLEEP : MEMBER_AWAKE);
    if (has_begun(shared, now_ns)) {
        note(shared, cpu_of(binding), (u32)binding, what, now_ns);
    }
}

/* ---- asking the domain ------------------------------------------------------------------------------------ */

/* Whether `entity` is selected; NONE is a thread of no domain, or none. */
INLINE bool is_selected(const takt_shared_t *shared, u32 entity) {
    u32 selected = shared->selected;
    return selected == entity || (entity == TAKT_SHARED_NONE && selected == shared->others);
}

/* Takes the decision that the selected entity runs; publishes it to its thread. */
INLINE void take_selected(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u32 entity = shared->selected;
    bool has_started = shared->decided != entity;
    take(shared, entity, now_ns);
    if (entity != TAKT_SHARED_NONE) {
        ask_report(shared, cpu, entity);
        publish(shared, cpu, entity, has_started);
    }
}

/* The selected job has no thread, or no more: completes it. */
INLINE void complete_orphan(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u32 entity = (u32)shared->selected;
    take(shared, entity, now_ns);
    post_job(shared, cpu, entity, EVENT_COMPLETE, now_ns);
    shared->orphans += entity != shared->others;
    select(shared, now_ns);
}

/* The thread of the selected job is absent: blocks the job, if core lets it. */
INLINE void block_absent(takt_shared_t *shared, u32 cpu, u32 entity, u64 now_ns) {
    takt_member_t *member = member_of(cpu, entity);
    u32 job = job_of(shared, cpu, entity);
    u64 now = ticks(shared, now_ns);
    if (!member || member->refused == job + 1) {
        return;
    }
    if (takt_domain_post(shared->domain, (u64)EVENT_BLOCK << 32 | entity, job, now, now) != RECEIVED) {
        member->refused = job + 1;
        return;
    }
    member->is_blocked = 1;
    select(shared, now_ns);
}

/* The program that calls the domain. The kernel calls it when a program of this object calls the function that stands in
 * its section, which gives a processor's capacity. */
SEC("fentry/scx_bpf_cpuperf_cap")
int BPF_PROG(takt_decide, s32 on) {
    u32 cpu = on;
    takt_shared_t *shared = shared_of(cpu);
    if (!shared || shared->asker != bpf_get_smp_processor_id() + 1) {
        return 0; /* another program's call */
    }
    u32 asked = shared->asked, entity = shared->asked_entity;
    u64 now_ns = shared->asked_ns;
    shared->asker = 0;
    shared->foreseen = TAKT_SHARED_NONE;
    shared->has_ended = 0;
    if (asked & ASKED_ATTEND) {
        catch_up(shared, cpu, now_ns);
    }
    if (shared->ahead_ns) { /* the question is asked again */
        follow(shared, cpu, shared->ahead_ns);
        return 0;
    }
    if (asked & ASKED_BLOCK) {
        block_absent(shared, cpu, entity, now_ns);
    }
    if (asked & ASKED_ORPHAN && is_selected(shared, entity)) {
        complete_orphan(shared, cpu, now_ns);
    }
    bool is_armed = asked & ASKED_ARM || (asked & ASKED_ENTER && !is_selected(shared, entity));
    if (asked & ASKED_TAKE && is_selected(shared, entity)) {
        take_selected(shared, cpu, now_ns);
    }
    if (is_armed) {
        foresee(shared, cpu);
        publish_yield(shared, cpu);
        arm(shared, cpu);
    }
    return 0;
}

/* Loaded in place of takt_decide while nothing is attached: the kernel asks the same privileges for both. */
SEC("fentry/scx_bpf_cpuperf_cap")
int BPF_PROG(takt_decide_later, s32 on) { return 0; }

INLINE u64 given_up(void) { return *(volatile u64 __arena *)TAKT_ARENA_REFUSED; }

/* Ends the scheduler if the domain has not answered, or has done what it must not. */
INLINE void judge_answer(const takt_shared_t *shared) {
    u64 refused = given_up(), number = refused - 1;
    if (shared->asker) {
        scx_bpf_error_bstr(unanswered, &number, 0);
    } else if (refused && number == TAKT_ENDLESS) {
        scx_bpf_error_bstr(endless, &number, 0);
    } else if (refused) {
        scx_bpf_error_bstr(unloaded, &number, sizeof number);
    }
}

INLINE void call(takt_shared_t *shared, u32 cpu) {
    if (!given_up()) {
        shared->asker = bpf_get_smp_processor_id() + 1;
        barrier();
        scx_bpf_cpuperf_cap(cpu);
        barrier();
    }
}

/* Asks the domain; returns the number of the entity that would run. A domain that has given up is not asked again: the kernel
 * still switches threads until the scheduler has ended. */
static __noinline u32 ask(takt_shared_t *shared, u32 cpu, u32 what, u32 entity, u64 now_ns) {
    shared->asked = what;
    shared->asked_entity = entity;
    shared->asked_ns = now_ns;
    if (shared->ahead_ns) {
        call(shared, cpu); /* it follows */
    }
    call(shared, cpu);
    judge_answer(shared);
    return shared->selected;
}

/* Whether the domain gets events now. */
INLINE bool is_open(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    if (now_ns < shared->epoch_ns && shared->epoch_ns < NEVER / 2) {
        arm_at(shared, cpu, shared->epoch_ns);
    }
    return has_begun(shared, now_ns) && !shared->is_stolen;
}

/* ---- the operations --------------------------------------------------------------------------------------- */

/* Whether the domain has decided that none runs, and nothing has happened since. */
INLINE bool is_at_rest(const takt_shared_t *shared, u64 now_ns) {
    return shared->is_selected && shared->selected == NONE && shared->decided == TAKT_SHARED_NONE &&
           shared->count == 0 && !shared->is_stolen && !is_due(shared, now_ns);
}

/* The domain selects `next`, or none: what runs stops if it is another one. The alarm that would have stopped it is armed
 * for a later instant now. */
INLINE void kick_for(const takt_shared_t *shared, u32 cpu, u32 next) {
    if (next != shared->running) {
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    }
}

/* One of the threads of no domain is runnable, and none was. */
INLINE void wake_others(takt_shared_t *shared, u32 cpu) {
    u64 now_ns = bpf_ktime_get_ns();
    shared->is_others_awake = 1;
    shared->is_selected = 0;
    if (is_open(shared, cpu, now_ns)) {
        kick_for(shared, cpu, ask(shared, cpu, ASKED_ATTEND | ASKED_ENTER, shared->others, now_ns));
    }
}

/* The last one that is runnable has to ask for the dispatch. */
INLINE void enqueue_other(struct task_struct *p, u64 flags) {
    u32 cpu = scx_bpf_task_cpu(p);
    takt_shared_t *shared = shared_of(cpu);
    insert_other(p, cpu, flags);
    if (flags & SCX_ENQ_LAST) {
        scx_bpf_kick_cpu(cpu, 0);
    }
    if (shared && shared->others != TAKT_SHARED_NONE && !shared->is_others_awake) {
        wake_others(shared, cpu);
    }
}

/* The thread of a binding, which slept, is runnable. That is an event if the domain has not got the sleep yet, or waits for the
 * wake. */
INLINE void wake(struct task_struct *p, takt_shared_t *shared, u64 binding, u64 now_ns) {
    u32 cpu = cpu_of(binding), entity = (u32)binding;
    takt_member_t *member = member_of(cpu, entity);
    const takt_linux_slot_t *slot = slot_of(cpu, entity);
    p->scx.dsq_vtime = binding & ~ASLEEP;
    if (!member || !slot) {
        return;
    }
    member->absent_ns = 0;
    member->refused = 0;
    member->state = MEMBER_AWAKE;
    if ((member->noted || member->is_blocked || READ_ONCE(slot->mode) & TAKT_SLOT_WAKE_ARRIVES) &&
        has_begun(shared, now_ns)) {
        note(shared, cpu, entity, TAKT_PENDING_WAKE, now_ns);
    }
}

SEC("struct_ops/takt_enqueue")
void BPF_PROG(takt_enqueue, struct task_struct *p, u64 flags) {
    u64 binding = binding_now(p);
    takt_shared_t *shared = shared_at(binding);
    if (!shared) {
        enqueue_other(p, flags);
        return;
    }
    u32 cpu = cpu_of(binding);
    u64 now_ns = bpf_ktime_get_ns();
    if (binding & ASLEEP) {
        wake(p, shared, binding, now_ns);
    }
    bool is_known = is_foreseen(shared, (u32)binding, now_ns);
    bool is_displaced =
        shared->is_on_way && !(flags & SCX_ENQ_WAKEUP); /* by the thread that the domain selects */
    bool is_asked = !is_known && !is_displaced && is_open(shared, cpu, now_ns);
    u32 next = is_known ? (u32)binding : TAKT_SHARED_NONE;
    if (is_asked) {
        next = ask(shared, cpu, ASKED_ATTEND | ASKED_ENTER, (u32)binding, now_ns);
    }
    if (next == (u32)binding) {
        shared->is_on_way = 1;
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);
        return;
    }
    begin_waiting(binding, now_ns);
    scx_bpf_dsq_insert(p, queue_of(cpu, (u32)binding), SCX_SLICE_INF, flags);
    if (is_asked) {
        kick_for(shared, cpu, next);
    }
}

/* Moves in a thread of no domain. */
INLINE bool move_other(u32 cpu) {
    return scx_bpf_dsq_move_to_local(queue_of_others(cpu)) || scx_bpf_dsq_move_to_local(queue_of_all());
}

/* Until the thread that was moved in runs: then the timer is armed for what it takes. */
INLINE void arm_next(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u64 at_ns = earlier(shared->next_ns, shared->check_ns);
    if (at_ns && !is_armed_by(shared, at_ns)) {
        ask(shared, cpu, ASKED_ARM, TAKT_SHARED_NONE, now_ns);
    }
}

/* Has a thread of no domain run for the task that stands for them; if none is runnable, they sleep. Returns as carry_out. */
INLINE u32 run_other(takt_shared_t *shared, u32 cpu, struct task_struct *prev, u64 now_ns) {
    u32 next = shared->others;
    if (move_other(cpu)) {
        shared->running = next; /* if another one of them slept, its job continues */
        arm_next(shared, cpu, now_ns);
    } else if (prev && !binding_of(prev) && prev->scx.flags & SCX_TASK_QUEUED) {
        prev->scx.slice = SCX_SLICE_DFL;
        ask(shared, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
        shared->running = next;
    } else {
        shared->is_others_awake = 0;
        return ASKED_ORPHAN;
    }
    return 0;
}

/* The selected entity `next` has no thread, or an absent one: rule 4. Returns as carry_out. */
INLINE u32 handle_absence(takt_shared_t *shared, u32 cpu, u32 next, u64 now_ns) {
    takt_member_t *member = member_of(cpu, next);
    if (!member || !member->state) {
        return ASKED_ORPHAN;
    }
    if (!member->absent_ns) {
        member->absent_ns = now_ns;
        shared->absences++;
    }
    u64 absent_ns = now_ns - member->absent_ns;
    shared->absent_until_ns = member->absent_ns + (absent_ns < GRACE_NS ? GRACE_NS : PATIENCE_NS);
    return absent_ns < GRACE_NS      ? ASKED_TAKE
           : absent_ns < PATIENCE_NS ? ASKED_BLOCK | ASKED_TAKE
                                     : ASKED_BLOCK | ASKED_ORPHAN;
}

/* Has the thread of `next` run, if that is one and is runnable. Returns what to ask of the domain else, 0 for nothing. */
INLINE u32 carry_out(takt_shared_t *shared, u32 cpu, u32 next, struct task_struct *prev, u64 now_ns) {
    u64 binding = prev ? binding_of(prev) : 0;
    if (next == TAKT_SHARED_NONE) {
        ask(shared, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
        move_other(cpu);
    } else if (next == shared->others) {
        return run_other(shared, cpu, prev, now_ns);
    } else if (binding && (u32)binding == next && prev->scx.flags & SCX_TASK_QUEUED) {
        prev->scx.slice = SCX_SLICE_INF;
        ask(shared, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);
    } else if (scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {
        arm_next(shared, cpu, now_ns);
    } else {
        return handle_absence(shared, cpu, next, now_ns);
    }
    return 0;
}

SEC("struct_ops/takt_dispatch")
void BPF_PROG(takt_dispatch, s32 cpu, struct task_struct *prev) {
    takt_shared_t *shared = shared_of(cpu);
    u64 now_ns = bpf_ktime_get_ns();
    if (!shared || !has_begun(shared, now_ns)) {
        move_other(cpu);
        return;
    }
    shared->absent_until_ns = 0;
    shared->is_on_way = 0;
    if (has_ended_as_foreseen(shared, cpu, now_ns) &&
        scx_bpf_dsq_move_to_local(queue_of(cpu, shared->foreseen))) {
        note_end(shared, cpu);
        return;
    }
    if (is_released_as_foreseen(shared, now_ns) &&
        scx_bpf_dsq_move_to_local(queue_of(cpu, shared->foreseen))) {
        return;
    }
    u32 next = ask(shared, cpu, ASKED_ATTEND, TAKT_SHARED_NONE, now_ns);
    if (visit(shared, cpu, next, now_ns)) {
        return;
    }
    u32 i;
    bpf_for(i, 0, ABSENT_MOST) {
        u32 what = carry_out(shared, cpu, next, prev, now_ns);
        if (!what) {
            return;
        }
        u32 absent = next;
        next = ask(shared, cpu, what | ASKED_ARM, absent, now_ns);
        if (what & ASKED_TAKE && next == absent) { /* its job is charged as if it ran */
            move_other(cpu);
            return;
        }
        shared->absent_until_ns = 0;
    }
    scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT); /* there are more of them */
}

SEC("struct_ops/takt_running")
void BPF_PROG(takt_running, struct task_struct *p) {
    u64 binding = binding_now(p);
    if (!binding) {
        p->scx.dsq_vtime = 0; /* it does not wait any more */
    }
    u32 cpu = binding ? cpu_of(binding) : (u32)scx_bpf_task_cpu(p);
    u32 entity = binding ? (u32)binding : TAKT_SHARED_NONE;
    takt_shared_t *shared = shared_of(cpu);
    if (!shared) {
        return;
    }
    u64 now_ns = bpf_ktime_get_ns();
    shared->running = entity;
    shared->is_on_way = 0;
    bool is_visited = end_waiting(shared, binding);
    if (now_ns >= shared->end_ns) {
        return;
    }
    if (binding && !shared->is_followed && is_foreseen(shared, entity, now_ns)) {
        run_ahead(shared, cpu, entity, now_ns);
        return;
    }
    u32 selected = TAKT_SHARED_NONE;
    if (has_begun(shared, now_ns) && (binding || !is_at_rest(shared, now_ns))) {
        selected = ask(shared, cpu, ASKED_ATTEND | ASKED_TAKE | ASKED_ARM, entity, now_ns);
    }
    if (!binding && selected == shared->others) {
        shared->running = entity = selected;
    }
    if (selected == entity) {
        shared->absent_until_ns = 0;
    } else if (is_visited) {
        shared->visits++;
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    } else if (binding || !shared->absent_until_ns) { /* the threads of no domain run while one is absent */
        shared->mismatches++;
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    }
}

/* Another class takes the processor. A thread that sleeps does not run any more. */
SEC("struct_ops/takt_cpu_release")
void BPF_PROG(takt_cpu_release, s32 cpu, struct scx_cpu_release_args *args) {
    takt_shared_t *shared = shared_of(cpu);
    if (!shared) {
        return;
    }
    u64 now_ns = bpf_ktime_get_ns();
    if (shared->running != TAKT_SHARED_NONE && shared->decided == shared->running &&
        has_begun(shared, now_ns)) {
        shared->is_stolen = 1;
        shared->stopped_ns = now_ns;
    }
    shared->running = TAKT_SHARED_NONE;
}

SEC("struct_ops/takt_quiescent")
void BPF_PROG(takt_quiescent, struct task_struct *p, u64 flags) {
    u64 binding = binding_now(p);
    takt_shared_t *shared = binding ? shared_at(binding) : shared_of(scx_bpf_task_cpu(p));
    if (shared && flags & SCX_DEQ_SLEEP) {
        shared->running = TAKT_SHARED_NONE;
    }
    if (binding && p->__state & STATE_DEAD) {
        unbind(p, binding); /* `disable` comes when the kernel frees the thread, some 10 ms later */
    } else if (binding && flags & SCX_DEQ_SLEEP) {
        note_of(p, binding, TAKT_PENDING_SLEEP);
    }
}

SEC("struct_ops/takt_yield")
bool BPF_PROG(takt_yield, struct task_struct *from, struct task_struct *to) {
    u64 binding = binding_now(from);
    from->scx.slice = 0;
    if (binding) {
        note_of(from, binding, TAKT_PENDING_YIELD);
    }
    return false;
}

/* A thread comes under this scheduler. */
SEC("struct_ops/takt_enable")
void BPF_PROG(takt_enable, struct task_struct *p) {
    p->scx.dsq_vtime = 0;
    bind_thread(p);
}

/* It leaves, or ends. */
SEC("struct_ops/takt_disable")
void BPF_PROG(takt_disable, struct task_struct *p) {
    u64 binding = binding_of(p);
    if (binding) {
        unbind(p, binding);
    }
}

/* A thread that may run on another processor is no thread of a domain any more. */
SEC("struct_ops/takt_set_cpumask")
void BPF_PROG(takt_set_cpumask, struct task_struct *p, const struct cpumask *allowed) {
    u64 binding = binding_of(p);
    if (binding && !is_bound(p, cpu_of(binding))) {
        unbind(p, binding);
    }
}

SEC("struct_ops.s/takt_init")
s32 BPF_PROG(takt_init) {
    u32 cpu, entity;
    s32 error = scx_bpf_create_dsq(queue_of_all(), -1);
    if (error) {
        return error;
    }
    bpf_for(cpu, 0, TAKT_CPUS) {
        takt_shared_t *shared = shared_of(cpu);
        u32 key = cpu;
        takt_alarm_t *alarm = bpf_map_lookup_elem(&alarms, &key);
        if (!shared || !alarm) {
            continue;
        }
        bpf_timer_init(&alarm->timer, &alarms, CLOCK);
        bpf_timer_set_callback(&alarm->timer, expire);
        error = scx_bpf_create_dsq(queue_of(cpu, TAKT_SHARED_NONE), -1);
        if (error) {
            return error;
        }
        bpf_for(entity, 0, shared->entities) {
            takt_member_t *member = member_of(cpu, entity);
            if (member) {
                *member = (takt_member_t){0};
            }
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
    takt_shared_t *shared = shared_of(cpu);
    if (!shared || !shared->has_switches || shared->switches >= TAKT_SWITCHES) {
        return 0;
    }
    u32 key = cpu * TAKT_SWITCHES + (u32)shared->switches;
    takt_switch_t *kept = bpf_map_lookup_elem(&switches, &key);
    if (kept) {
        *kept = (takt_switch_t){bpf_ktime_get_ns(), (u32)from->pid, (u32)to->pid};
        shared->switches++;
    }
    return 0;
}
