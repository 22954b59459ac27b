/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Visits: what keeps the watchdog of Linux from a thread that gets no job for long. Included by takt.bpf.c alone.
 *
 * Linux ends a scheduler one of whose threads is runnable and does not run for timeout_ms. The domain may have no job for a
 * thread for any time. So a thread that has waited for LONG_NS is switched to, and off before it executes an instruction of
 * its program: that is a visit. */
#ifndef TAKT_LINUX_BPF_VISITS_H
#define TAKT_LINUX_BPF_VISITS_H

#include "linux/bpf/memory.h"

enum { CHECKED = 16 }; /* entities at a time */

/* A thread is visited at the latest after LONG_NS and ROUND_NS, and SOON_NS for each other thread that waits. */
#define LONG_NS 4000000000ull
#define ROUND_NS 2000000000ull /* in which each entity is checked */
#define SOON_NS 1000000ull     /* between two visits */

/* The thread of a seat waits, from now on if it did not before. */
INLINE void begin_waiting(u64 seat, u64 now_ns) {
    takt_member_t *member = member_of(cpu_of(seat), (u32)seat);
    if (member && !member->waiting_ns) {
        member->waiting_ns = now_ns;
    }
}

/* The thread of a seat runs. Returns whether that is a visit, unless the entity is selected now. */
INLINE bool end_waiting(takt_desk_t *desk, u64 seat) {
    takt_member_t *member = member_of(cpu_of(seat), (u32)seat);
    bool is_visited = desk->visited == (u32)seat;
    if (member) {
        member->waiting_ns = 0;
    }
    desk->visited = TAKT_DESK_NONE;
    return is_visited;
}

/* Returns an entity whose thread has waited for long, TAKT_DESK_NONE for none of those that are checked now. */
INLINE u32 find_waiting(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    u32 i;
    if (now_ns < desk->check_ns) {
        return TAKT_DESK_NONE;
    }
    desk->check_ns = now_ns + ROUND_NS / (desk->entities / CHECKED + 1);
    bpf_for(i, 0, CHECKED) {
        u32 entity = desk->checked + 1 < desk->entities ? desk->checked + 1 : 0;
        const takt_member_t *member = member_of(cpu, entity);
        desk->checked = entity;
        if (member && member->waiting_ns && now_ns - member->waiting_ns >= LONG_NS) {
            desk->check_ns = now_ns + SOON_NS;
            return entity;
        }
    }
    return TAKT_DESK_NONE;
}

/* Visits a thread that has waited for long, if its entity is not `next`, which is selected. Returns whether there is one. */
INLINE bool visit(takt_desk_t *desk, u32 cpu, u32 next, u64 now_ns) {
    u32 entity = find_waiting(desk, cpu, now_ns);
    if (entity == TAKT_DESK_NONE || entity == next) {
        return false;
    }
    desk->visited = entity;
    return scx_bpf_dsq_move_to_local(queue_of(cpu, entity));
}

#endif
