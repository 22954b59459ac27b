/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain reports, written to the slots of its threads and to the timer of its processor. Included by takt.bpf.c alone. */
#ifndef TAKT_LINUX_BPF_PUBLISH_H
#define TAKT_LINUX_BPF_PUBLISH_H

#include "linux/bpf/memory.h"

enum {
    STATE_HAS_JOB = 1, /* as TAKT_DOMAIN_ */
    STATE_BLOCKED = 4,
    STATE_YIELDS = 16,
    STATE_HAS_POINTS = 64,
    BACKSTOP_NS = 200000, /* after the instant for which a thread has set its own timer */
};

/* ---- time ------------------------------------------------------------------------------------------------- */

INLINE u64 ticks(const takt_shared_t *shared, u64 now_ns) {
    return now_ns > shared->epoch_ns ? (now_ns - shared->epoch_ns) / shared->tick_ns : 0;
}

INLINE u64 instant(const takt_shared_t *shared, u64 ticks) {
    return ticks < NEVER / shared->tick_ns ? shared->epoch_ns + ticks * shared->tick_ns : 0;
}

INLINE bool has_begun(const takt_shared_t *shared, u64 now_ns) {
    return now_ns >= shared->epoch_ns && now_ns < shared->end_ns;
}

/* The timer is not put off, because that costs each switch; it starts itself again if it is early. */
static int expire(void *map, u32 *cpu, takt_alarm_t *alarm) {
    takt_shared_t *shared = shared_of(*cpu);
    if (!shared) {
        return 0;
    }
    shared->timer_ns = 0;
    if (shared->wanted_ns > bpf_ktime_get_ns()) {
        shared->timer_ns = shared->wanted_ns;
        bpf_timer_start(&alarm->timer, shared->wanted_ns, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
    } else {
        scx_bpf_kick_cpu(*cpu, SCX_KICK_PREEMPT);
    }
    return 0;
}

INLINE bool is_armed_by(const takt_shared_t *shared, u64 at_ns) {
    return shared->timer_ns && shared->timer_ns <= at_ns;
}

INLINE void arm_at(takt_shared_t *shared, u32 cpu, u64 at_ns) {
    shared->wanted_ns = at_ns;
    takt_alarm_t *alarm = is_armed_by(shared, at_ns) ? NULL : bpf_map_lookup_elem(&alarms, &cpu);
    if (alarm) {
        shared->timer_ns = at_ns;
        bpf_timer_start(&alarm->timer, at_ns, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
    }
}

/* When the domain is to be asked again, as it has said; 0: never. A thread that sleeps until its release has a timer of its
 * own: a second one at the same instant would delay it. */
INLINE u64 next_instant(const takt_shared_t *shared, u32 cpu) {
    const takt_member_t *sleeper = member_of(cpu, foresight_of(cpu)->sleeper);
    u64 next = shared->next_ns;
    return next && sleeper && sleeper->state == MEMBER_ASLEEP ? next + BACKSTOP_NS : next;
}

INLINE u64 earlier(u64 a, u64 b) { return a && (!b || a < b) ? a : b; }

/* Notes what the domain foresees. */
INLINE void foresee(takt_shared_t *shared, u32 cpu) {
    const takt_foresight_t __arena *foresight = foresight_of(cpu);
    takt_domain_foresee(shared->domain, (u64)foresight);
    shared->next_ns = instant(shared, foresight->next);
    shared->foreseen = foresight->entity;
    if (foresight->entity != TAKT_SHARED_NONE) {
        u64 until_ns = instant(shared, foresight->until);
        shared->until_ns = until_ns && until_ns < shared->end_ns ? until_ns : shared->end_ns;
        shared->after = foresight->after;
        shared->release_ns = instant(shared, foresight->release);
        shared->deadline_ns = instant(shared, foresight->deadline);
        shared->next_release_ns = instant(shared, foresight->next_release);
        shared->budget_ns =
            foresight->budget < NEVER / shared->tick_ns ? foresight->budget * shared->tick_ns : NEVER;
    }
}

/* Whether the domain is known to select `entity` now: its release has come, or the job before has ended. */
INLINE bool is_foreseen(const takt_shared_t *shared, u32 entity, u64 now_ns) {
    return shared->foreseen == entity && shared->count == shared->has_ended && !shared->is_stolen &&
           now_ns < shared->until_ns &&
           (shared->has_ended || (shared->after == TAKT_SHARED_NONE && now_ns >= shared->next_ns));
}

/* Asks for a dispatch at that instant, or when the patience with an absent thread ends, or the threads that wait are checked. */
INLINE void arm(takt_shared_t *shared, u32 cpu) {
    u64 at = earlier(next_instant(shared, cpu), earlier(shared->absent_until_ns, shared->check_ns));
    if (at && at < shared->end_ns && shared->epoch_ns < shared->end_ns) {
        arm_at(shared, cpu, at);
    }
}

/* ---- slots ------------------------------------------------------------------------------------------------ */

INLINE void ask_report(const takt_shared_t *shared, u32 cpu, u32 entity) {
    takt_domain_report(shared->domain, entity, (u64)report_of(cpu));
}

/* Writes what the domain reports of an entity into its slot. */
INLINE void publish(takt_shared_t *shared, u32 cpu, u32 entity, bool has_started) {
    takt_linux_slot_t *slot = slot_of(cpu, entity);
    const takt_report_t __arena *report = report_of(cpu);
    u32 state = report->state;
    if (!slot) {
        return;
    }
    slot->started += has_started;
    slot->job = report->job;
    slot->waiting = report->waiting;
    slot->change = report->change;
    slot->rate = report->rate;
    slot->is_missed = report->is_missed;
    slot->should_yield = (state & STATE_YIELDS) != 0;
    slot->release_ns = instant(shared, report->release);
    slot->deadline_ns = instant(shared, report->deadline);
    slot->state = (slot->state & TAKT_SLOT_ATTACHED) | ((state & STATE_HAS_JOB) != 0 ? TAKT_SLOT_HAS_JOB : 0);
    slot->next_release_ns = instant(shared, report->next_release);
    shared->has_points = (state & STATE_HAS_POINTS) != 0;
}

/* Writes the job that is foreseen into the slot of its thread. A task with a rate is not foreseen. */
INLINE void publish_foreseen(takt_shared_t *shared, u32 cpu, u32 entity, u64 now_ns) {
    takt_linux_slot_t *slot = slot_of(cpu, entity);
    const takt_foresight_t __arena *foresight = foresight_of(cpu);
    if (!slot) {
        return;
    }
    slot->started++;
    slot->job = foresight->job;
    slot->waiting = foresight->waiting;
    slot->change = foresight->change;
    slot->is_missed = now_ns >= shared->deadline_ns + shared->tick_ns;
    slot->should_yield = 0;
    slot->release_ns = shared->release_ns;
    slot->deadline_ns = shared->deadline_ns;
    slot->state = (slot->state & TAKT_SLOT_ATTACHED) | TAKT_SLOT_HAS_JOB;
    slot->next_release_ns = shared->next_release_ns;
    shared->has_points = (foresight->state & STATE_HAS_POINTS) != 0;
}

/* Another event may have made the running job's yield due. */
INLINE void publish_yield(const takt_shared_t *shared, u32 cpu) {
    if (!shared->has_points || shared->running == TAKT_SHARED_NONE) {
        return;
    }
    takt_linux_slot_t *slot = slot_of(cpu, shared->running);
    if (slot && takt_domain_state(shared->domain, shared->running) & STATE_YIELDS) {
        slot->should_yield = 1;
    }
}

#endif
