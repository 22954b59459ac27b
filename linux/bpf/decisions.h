/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Decisions of a domain: what is noted is posted, an entity selected, the decision taken. Included by takt.bpf.c alone. */
#ifndef TAKT_LINUX_BPF_DECISIONS_H
#define TAKT_LINUX_BPF_DECISIONS_H

#include "linux/bpf/events.h"

enum {
    DROPPED_MOST = 4, /* decisions in a row that a lock drops which waited for its budget */
};

#define FOLLOW_NS BACKSTOP_NS

#define OUTDATED (1ull << 32) /* as TAKT_DOMAIN_OUTDATED */

/* Handles what is due, and selects. */
INLINE void select(takt_shared_t *shared, u64 now_ns) {
    shared->next_ns = instant(shared, takt_domain_pass(shared->domain, ticks(shared, now_ns)));
    shared->selected = takt_domain_selected(shared->domain);
    shared->is_selected = 1;
}

/* Takes the decision, in force from `now` on; execution is charged up to `settled`. Returns whether it was taken. */
INLINE bool commit(takt_shared_t *shared, u64 settled, u64 now) {
    u32 i;
    bpf_for(i, 0, DROPPED_MOST) {
        takt_domain_settle(shared->domain, settled);
        shared->takes++;
        shared->is_selected = 0;
        if (takt_domain_commit(shared->domain, now)) {
            return true;
        }
        settled = now;
    }
    return false;
}

/* Gives the job that runs back its processor. */
INLINE void give_back(takt_shared_t *shared, u64 now_ns) {
    shared->is_stolen = 0;
    shared->stolen++;
    shared->stolen_ns += now_ns - shared->stopped_ns;
    commit(shared, ticks(shared, shared->stopped_ns), ticks(shared, now_ns));
}

INLINE bool is_due(const takt_shared_t *shared, u64 now_ns) {
    return shared->next_ns && shared->next_ns <= now_ns;
}

/* The threads of no domain have a job as long as they are awake, also when the scheduler has ended one. */
INLINE void post_others(takt_shared_t *shared, u64 now_ns) {
    if (shared->is_others_awake && !(takt_domain_state(shared->domain, shared->others) & STATE_HAS_JOB)) {
        post(shared, shared->others, EVENT_ARRIVAL, 0, ticks(shared, now_ns), now_ns);
    }
}

INLINE void take(takt_shared_t *shared, u32 entity, u64 now_ns) {
    if (shared->selected & OUTDATED) {
        shared->is_selected = commit(shared, ticks(shared, now_ns), ticks(shared, now_ns));
        shared->decided = entity;
        shared->selected = entity; /* up to `next_ns`, as foresee writes it, or a call for the same instant */
    }
}

/* A foreseen job runs since `since_ns`, as of which all is posted and selected: the domain takes its decision. */
INLINE void follow(takt_shared_t *shared, u32 cpu, u64 since_ns) {
    u32 entity = shared->decided;
    if ((u32)shared->selected == entity) {
        take(shared, entity, since_ns);
    } else {
        shared->decided = TAKT_SHARED_NONE;
    }
    shared->ahead_ns = 0;
    shared->misforeseen += !takt_domain_agrees(shared->domain, (u64)foresight_of(cpu));
}

/* Posts what is noted, and selects; a selection that still holds stands. If a foreseen job runs ahead, that is done as of the
 * instant at which it began to run. */
INLINE void catch_up(takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u64 since_ns = shared->ahead_ns, at_ns = since_ns ? since_ns : now_ns;
    if (shared->is_stolen && !since_ns) {
        give_back(shared, now_ns);
    }
    post_until(shared, cpu, since_ns ? shared->count - shared->ahead_count : 0);
    if (since_ns || !shared->is_selected || is_due(shared, at_ns)) {
        post_others(shared, at_ns);
        select(shared, at_ns);
    }
}

/* Whether the thread that ran sleeps with the end of its job, and nothing else has happened: what is next was foreseen. */
INLINE bool has_ended_as_foreseen(const takt_shared_t *shared, u32 cpu, u64 now_ns) {
    u32 entity = shared->after;
    if (shared->foreseen == TAKT_SHARED_NONE || entity == TAKT_SHARED_NONE || shared->count != 1 ||
        shared->is_stolen || shared->is_followed || now_ns >= shared->until_ns ||
        now_ns >= shared->check_ns) {
        return false;
    }
    const takt_pending_t *event = pending_of(cpu, shared->first);
    const takt_linux_slot_t *slot = slot_of(cpu, entity);
    return event && slot && event->entity == entity && event->what == TAKT_PENDING_SLEEP &&
           READ_ONCE(slot->request) == TAKT_SLOT_COMPLETE && READ_ONCE(slot->request_job) == slot->job;
}

/* Whether a release has come as was foreseen, and nothing else has happened. Its thread may wait for it instead of sleeping, as
 * each one does before its first job. */
INLINE bool is_released_as_foreseen(const takt_shared_t *shared, u64 now_ns) {
    return !shared->has_ended && !shared->is_followed && now_ns < shared->check_ns &&
           shared->foreseen != TAKT_SHARED_NONE && is_foreseen(shared, shared->foreseen, now_ns);
}

/* For the daemon, if no question follows. */
INLINE void note_end(takt_shared_t *shared, u32 cpu) {
    const takt_pending_t *event = pending_of(cpu, shared->first);
    const takt_linux_slot_t *slot = slot_of(cpu, shared->after);
    shared->has_ended = 1;
    shared->ended_job = slot ? slot->job : 0;
    shared->ended_ns = event ? event->at_ns : 0;
}

/* The thread of the foreseen entity begins to run: its job runs ahead of the domain. A wake that preempts it would wait until
 * the domain has followed, so that is asked to after FOLLOW_NS. */
INLINE void run_ahead(takt_shared_t *shared, u32 cpu, u32 entity, u64 now_ns) {
    u64 until_ns = shared->has_ended ? next_instant(shared, cpu) : shared->until_ns;
    u64 most_ns = shared->budget_ns < FOLLOW_NS ? shared->budget_ns : FOLLOW_NS;
    publish_foreseen(shared, cpu, entity, now_ns);
    shared->foreseen = TAKT_SHARED_NONE;
    shared->has_ended = 0;
    shared->decided = entity;
    shared->ahead_ns = now_ns;
    shared->ahead_count = shared->count;
    shared->ahead++;
    arm_at(shared, cpu, earlier(earlier(until_ns, now_ns + most_ns), shared->check_ns));
}

#endif
