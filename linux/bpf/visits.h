/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Visits: what keeps the watchdog of Linux from a thread that gets no job for long. Included by takt.bpf.c alone.
 *
 * Linux ends a scheduler one of whose threads is runnable and does not run for timeout_ms. The domain may have no job for a
 * thread for any time, and no time for the threads of no domain. So a thread that has waited for LONG_NS is switched to, and
 * off before it executes an instruction of its program: that is a visit. */
#ifndef TAKT_LINUX_BPF_VISITS_H
#define TAKT_LINUX_BPF_VISITS_H

#include "linux/bpf/memory.h"

enum {
    CHECKED = 16,                     /* entities at a time */
    OF_NO_DOMAIN = TAKT_SHARED_SLOTS, /* in place of an entity */
};

/* A thread is visited at the latest after LONG_NS and ROUND_NS, and SOON_NS for each other thread that waits. */
#define LONG_NS 4000000000ull
#define ROUND_NS 2000000000ull /* in which each entity is checked */
#define SOON_NS 1000000ull     /* between two visits */

/* The instant since which the thread of a binding waits; 0: it does not. */
INLINE u64 waiting_since(u64 binding) {
    const takt_member_t *member = member_of(cpu_of(binding), (u32)binding);
    return member ? member->waiting_ns : 0;
}

/* The thread of a binding waits, since then if it did not before. */
INLINE void begin_waiting(u64 binding, u64 since_ns) {
    takt_member_t *member = member_of(cpu_of(binding), (u32)binding);
    if (member && !member->waiting_ns) {
        member->waiting_ns = since_ns;
    }
}

/* A thread runs, with a binding or 0. Returns whether that is a visit, unless the entity is selected now. */
INLINE bool end_waiting(takt_shared_t *shared, u64 binding) {
    takt_member_t *member = binding ? member_of(cpu_of(binding), (u32)binding) : NULL;
    bool is_visited = shared->visited == (binding ? (u32)binding : OF_NO_DOMAIN);
    if (member) {
        member->waiting_ns = 0;
    }
    shared->visited = TAKT_SHARED_NONE;
    return is_visited;
}

/* Returns whether a thread may run on a processor without a domain. */
INLINE bool may_run_elsewhere(const struct task_struct *p) {
    const struct cpumask *online = scx_bpf_get_online_cpumask();
    bool is_found = false;
    u32 cpu;
    bpf_for(cpu, 0, TAKT_CPUS) {
        is_found =
            !shared_of(cpu) && bpf_cpumask_test_cpu(cpu, online) && bpf_cpumask_test_cpu(cpu, p->cpus_ptr);
        if (is_found) {
            break;
        }
    }
    scx_bpf_put_cpumask(online);
    return is_found;
}

/* Has a thread of no domain wait, in the order in which they began. One that may run on a processor without a domain waits
 * for that one, so that a domain that never idles does not hold it. */
INLINE void insert_other(struct task_struct *p, u32 cpu, u64 flags) {
    u64 since = p->scx.dsq_vtime ? p->scx.dsq_vtime : bpf_ktime_get_ns();
    bool is_movable = p->nr_cpus_allowed > 1 && shared_of(cpu) && may_run_elsewhere(p);
    u64 queue = is_movable ? queue_of_all() : queue_of_others(cpu);
    scx_bpf_dsq_insert_vtime(p, queue, SCX_SLICE_DFL, since, flags);
    s32 idle = is_movable ? scx_bpf_pick_idle_cpu(p->cpus_ptr, 0) : -1;
    if (idle >= 0) {
        scx_bpf_kick_cpu(idle, SCX_KICK_IDLE);
    }
}

/* Returns whether the first of the threads of no domain has waited for long. */
INLINE bool has_waiting_other(u32 cpu, u64 now_ns) {
    struct task_struct *p;
    bool is_long = false;
    bpf_for_each(scx_dsq, p, queue_of_others(cpu), 0) {
        is_long = now_ns - p->scx.dsq_vtime >= LONG_NS;
        break;
    }
    return is_long;
}

/* Returns an entity whose thread has waited for long, TAKT_SHARED_NONE for none of those that are checked now. */
INLINE u32 find_waiting(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u32 i;
    bpf_for(i, 0, CHECKED) {
        u32 entity = shared->checked + 1 < shared->entities ? shared->checked + 1 : 0;
        const takt_member_t *member = member_of(cpu, entity);
        shared->checked = entity;
        if (member && member->waiting_ns && now_ns - member->waiting_ns >= LONG_NS) {
            return entity;
        }
    }
    return has_waiting_other(cpu, now_ns) ? OF_NO_DOMAIN : TAKT_SHARED_NONE;
}

/* Visits a thread that has waited for long, if its entity is not `next`, which is selected. Returns whether there is one. */
INLINE bool visit(takt_shared_t *shared, u32 cpu, u32 next, u64 now_ns) {
    if (now_ns < shared->check_ns) {
        return false;
    }
    u32 entity = find_waiting(shared, cpu, now_ns);
    bool is_long = entity != TAKT_SHARED_NONE;
    shared->check_ns = now_ns + (is_long ? SOON_NS : ROUND_NS / (shared->entities / CHECKED + 1));
    u64 queue = entity == OF_NO_DOMAIN ? queue_of_others(cpu) : queue_of(cpu, entity);
    if (!is_long || entity == next || !scx_bpf_dsq_move_to_local(queue)) {
        return false;
    }
    shared->visited = entity;
    return true;
}

#endif
