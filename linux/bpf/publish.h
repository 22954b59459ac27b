/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain has told, given to the slots of its threads and to the timer of its processor. Included by takt.bpf.c alone. */
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

INLINE u64 ticks(const takt_desk_t *desk, u64 now_ns) {
    return now_ns > desk->epoch_ns ? (now_ns - desk->epoch_ns) / desk->tick_ns : 0;
}

INLINE u64 instant(const takt_desk_t *desk, u64 ticks) {
    return ticks < NEVER / desk->tick_ns ? desk->epoch_ns + ticks * desk->tick_ns : 0;
}

INLINE bool has_begun(const takt_desk_t *desk, u64 now_ns) {
    return now_ns >= desk->epoch_ns && now_ns < desk->end_ns;
}

/* The timer is not put off, because that costs each switch; it starts itself again if it is early. */
static int expire(void *map, u32 *cpu, takt_alarm_t *alarm) {
    takt_desk_t *desk = desk_of(*cpu);
    if (!desk) {
        return 0;
    }
    desk->timer_ns = 0;
    if (desk->wanted_ns > bpf_ktime_get_ns()) {
        desk->timer_ns = desk->wanted_ns;
        bpf_timer_start(&alarm->timer, desk->wanted_ns, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
    } else {
        scx_bpf_kick_cpu(*cpu, SCX_KICK_PREEMPT);
    }
    return 0;
}

INLINE bool is_armed_by(const takt_desk_t *desk, u64 at_ns) {
    return desk->timer_ns && desk->timer_ns <= at_ns;
}

INLINE void arm_at(takt_desk_t *desk, u32 cpu, u64 at_ns) {
    desk->wanted_ns = at_ns;
    takt_alarm_t *alarm = is_armed_by(desk, at_ns) ? NULL : bpf_map_lookup_elem(&alarms, &cpu);
    if (alarm) {
        desk->timer_ns = at_ns;
        bpf_timer_start(&alarm->timer, at_ns, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
    }
}

/* When the domain is to be asked again, as it has told; 0: never. A thread that sleeps until its release has a timer of its
 * own: a second one at the same instant would delay it. */
INLINE u64 next_instant(const takt_desk_t *desk, u32 cpu) {
    const takt_told_t __arena *told = told_of(cpu);
    u64 next = instant(desk, told->next);
    const takt_member_t *sleeper = member_of(cpu, told->sleeper);
    return next && sleeper && sleeper->state == CREW_ASLEEP ? next + BACKSTOP_NS : next;
}

INLINE u64 earlier(u64 a, u64 b) { return a && (!b || a < b) ? a : b; }

/* Asks for a dispatch at that instant, or when the patience with an absent thread ends, or the threads that wait are checked. */
INLINE void arm(takt_desk_t *desk, u32 cpu) {
    u64 at = earlier(next_instant(desk, cpu), earlier(desk->absent_until_ns, desk->check_ns));
    if (at && at < desk->end_ns && desk->epoch_ns < desk->end_ns) {
        arm_at(desk, cpu, at);
    }
}

/* ---- slots ------------------------------------------------------------------------------------------------ */

INLINE void tell(const takt_desk_t *desk, u32 cpu, u32 entity) {
    takt_domain_tell(desk->domain, entity, (u64)told_of(cpu));
}

/* Writes what the domain has told of an entity into its slot. */
INLINE void publish(takt_desk_t *desk, u32 cpu, u32 entity, bool has_started) {
    takt_linux_slot_t *slot = slot_of(cpu, entity);
    const takt_told_t __arena *told = told_of(cpu);
    u32 state = told->state;
    if (!slot) {
        return;
    }
    slot->started += has_started;
    slot->job = told->job;
    slot->waiting = told->waiting;
    slot->change = told->change;
    slot->rate = told->rate;
    slot->is_missed = told->is_missed;
    slot->should_yield = (state & STATE_YIELDS) != 0;
    slot->release_ns = instant(desk, told->release);
    slot->deadline_ns = instant(desk, told->deadline);
    slot->state = (slot->state & TAKT_SLOT_ATTACHED) | ((state & STATE_HAS_JOB) != 0 ? TAKT_SLOT_HAS_JOB : 0);
    slot->next_release_ns = instant(desk, told->next_release);
    desk->has_points = (state & STATE_HAS_POINTS) != 0;
}

/* Another event may have made the running job's yield due. */
INLINE void publish_yield(const takt_desk_t *desk, u32 cpu) {
    if (!desk->has_points || desk->running == TAKT_DESK_NONE) {
        return;
    }
    takt_linux_slot_t *slot = slot_of(cpu, desk->running);
    if (slot && takt_domain_state(desk->domain, desk->running) & STATE_YIELDS) {
        slot->should_yield = 1;
    }
}

#endif
