/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The programs that make a domain the scheduler of a processor, under sched_ext. They observe events and switches; the
 * domain decides (linux/domain.h), lowered into the same object.
 *
 *     quiescent   a thread sleeps: its request, or a BLOCK             ──► post
 *     yield       a thread hands a request over                        ──► post
 *     enqueue     a thread is runnable: WAKE or ARRIVAL; who would run? ──► post, peek
 *     dispatch    the processor is free, or a timer has expired        ──► peek
 *     running     a thread begins to run: the decision takes effect    ──► peek, take
 *
 * Rules:
 * 1. All of these hold the lock of the processor's run queue. That lock is the domain's: the threads of a domain are bound to
 *    its processor. The timer holds no lock, so it only asks for a dispatch.
 * 2. A decision is taken when its thread begins to run, never before. A thread that is switched to and would not be selected
 *    any more is switched off at once, without a decision (desk.mismatches).
 * 3. A runnable thread that is not to run waits in a queue of its own. The kernel sees the one that is to run, and no other.
 * 4. If the selected thread is not runnable in the kernel, no thread of the domain runs (desk.absences).
 *
 * Source: docs/explanation/linux.md. */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "linux/desk.h"
#include "linux/layout.h"
#include "linux/slot.h"

char _license[] SEC("license") = "Dual MIT/GPL";

enum {
    EVENT_COMPLETE = 1, /* as takt_event_kind_t */
    EVENT_BLOCK = 2,
    EVENT_WAKE = 3,
    EVENT_ARRIVAL = 9,
    STATE_HAS_JOB = 1, /* as TAKT_DOMAIN_ */
    STATE_BLOCKED = 4,
    STATE_YIELDS = 16,
    STATE_PERIODIC = 32,
    CLOCK = 1, /* CLOCK_MONOTONIC */
    QUEUE_OF_OTHERS = 1,
};

#define NONE ((u64)TAKT_DESK_NONE)
/* Each frame counts: the domain needs the others. */
#define INLINE static inline __attribute__((always_inline))
#define NEVER (~0ull)
#define __arena __attribute__((address_space(1)))

/* ---- the domain, in the arena --------------------------------------------------------------------------- */

struct {
    __uint(type, BPF_MAP_TYPE_ARENA);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, TAKT_ARENA_BYTES / 4096);
    __ulong(map_extra, TAKT_ARENA_BASE);
} arena SEC(".maps");

u64 takt_domain_post(u64 domain, u64 kind_and_entity, u64 job, u64 value, u64 now);
u64 takt_domain_peek(u64 domain, u64 now);
u64 takt_domain_take(u64 domain, u64 now);
u64 takt_domain_next(u64 domain);
u64 takt_domain_tell(u64 domain, u64 entity, u64 told);

/* ---- memory that is shared with programs and the daemon --------------------------------------------------- */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, TAKT_DESKS);
    __type(key, u32);
    __type(value, takt_desk_t);
} desks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries,
           TAKT_DESK_SLOTS); /* the daemon sets it: a row of TAKT_DESK_SLOTS for each processor */
    __type(key, u32);
    __type(value, takt_linux_slot_t);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, TAKT_SEATS);
    __type(key, u32); /* thread */
    __type(value, takt_seat_t);
} seats SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* the daemon sets it: TAKT_SWITCHES for each processor */
    __type(key, u32);
    __type(value, takt_switch_t);
} switches SEC(".maps");

/* ---- memory of the kernel's programs ---------------------------------------------------------------------- */

typedef struct place {
    takt_seat_t seat;
    u32 is_asleep;
} place_t;

struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, place_t);
} places SEC(".maps");

typedef struct takt_alarm {
    struct bpf_timer timer;
} takt_alarm_t;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_DESKS);
    __type(key, u32);
    __type(value, takt_alarm_t);
} alarms SEC(".maps");

volatile const bool is_full; /* threads of the fair class are scheduled here too */

/* How the kernel ended the scheduler. */
struct {
    s32 kind; /* 0: it is attached */
    char reason[124];
} ending;

/* A program may use the arena if it has its map. */
INLINE takt_desk_t *desk_of(u32 cpu) {
    asm volatile("" : : "r"(&arena));
    takt_desk_t *desk = bpf_map_lookup_elem(&desks, &cpu);
    return desk && desk->domain ? desk : NULL;
}

INLINE takt_linux_slot_t *slot_of(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_DESK_SLOTS + entity;
    return bpf_map_lookup_elem(&slots, &key);
}

INLINE place_t *place_of(struct task_struct *p) { return bpf_task_storage_get(&places, p, NULL, 0); }

/* The queue of a thread that waits. */
INLINE u64 queue_of(u32 cpu, u32 entity) { return (u64)(cpu + 1) << 32 | entity; }

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

INLINE void arm(takt_desk_t *desk, u32 cpu) {
    u64 next = instant(desk, takt_domain_next(desk->domain));
    if (next && next < desk->end_ns) {
        arm_at(desk, cpu, next);
    }
}

/* ---- slots ------------------------------------------------------------------------------------------------ */

/* Writes what the domain says of an entity into its slot. */
INLINE u32 publish(const takt_desk_t *desk, u32 cpu, u32 entity) {
    takt_linux_slot_t *slot = slot_of(cpu, entity);
    takt_told_t __arena *told = told_of(cpu);
    u32 state = takt_domain_tell(desk->domain, entity, (u64)told);
    if (!slot) {
        return 0;
    }
    slot->job = told->job;
    slot->waiting = told->waiting;
    slot->change = told->change;
    slot->is_missed = told->is_missed;
    slot->should_yield = (state & STATE_YIELDS) != 0;
    slot->release_ns = instant(desk, told->release);
    slot->deadline_ns = instant(desk, told->deadline);
    slot->state = TAKT_SLOT_ATTACHED | (state & STATE_HAS_JOB ? TAKT_SLOT_HAS_JOB : 0);
    slot->next_release_ns = instant(desk, told->next_release);
    return state;
}

/* Another event may have made the running job's yield due. */
INLINE void publish_yield(const takt_desk_t *desk, u32 cpu) {
    takt_linux_slot_t *slot = desk->running != TAKT_DESK_NONE ? slot_of(cpu, desk->running) : NULL;
    if (slot && takt_domain_tell(desk->domain, desk->running, (u64)told_of(cpu)) & STATE_YIELDS) {
        slot->should_yield = 1;
    }
}

/* ---- events ----------------------------------------------------------------------------------------------- */

INLINE u64 post(takt_desk_t *desk, u32 entity, u32 kind, u32 job, u64 value, u64 now_ns) {
    u64 receipt = takt_domain_post(desk->domain, (u64)kind << 32 | entity, job, value, ticks(desk, now_ns));
    if (receipt > 1) {
        desk->refused++;
    }
    return receipt;
}

/* Posts what a thread requests. */
INLINE void post_request(takt_desk_t *desk, u32 entity, takt_linux_slot_t *slot, u64 now_ns) {
    u32 kind = slot->request;
    u64 value = slot->request_value;
    if (kind == TAKT_SLOT_SUSPEND) {
        value = ticks(desk, value + desk->tick_ns - 1);
    }
    if (kind == TAKT_SLOT_ARRIVAL) {
        value = ticks(desk, now_ns);
    }
    slot->receipt = post(desk, entity, kind, slot->request_job, value, now_ns);
    slot->answered++;
    slot->request = TAKT_SLOT_NONE;
}

INLINE u32 state_of(const takt_desk_t *desk, u32 cpu, u32 entity) {
    return takt_domain_tell(desk->domain, entity, (u64)told_of(cpu));
}

/* A thread sleeps. */
INLINE void post_sleep(takt_desk_t *desk, const takt_seat_t *seat, u64 now_ns) {
    takt_linux_slot_t *slot = slot_of(seat->cpu, seat->entity);
    if (!slot) {
        return;
    }
    if (slot->request == TAKT_SLOT_COMPLETE || slot->request == TAKT_SLOT_SUSPEND) {
        post_request(desk, seat->entity, slot, now_ns);
    } else if ((state_of(desk, seat->cpu, seat->entity) & (STATE_HAS_JOB | STATE_BLOCKED)) == STATE_HAS_JOB) {
        post(desk, seat->entity, EVENT_BLOCK, told_of(seat->cpu)->job, ticks(desk, now_ns), now_ns);
    }
}

/* A thread that slept is runnable. */
INLINE void post_wake(takt_desk_t *desk, const takt_seat_t *seat, u64 now_ns) {
    takt_linux_slot_t *slot = slot_of(seat->cpu, seat->entity);
    u32 state = state_of(desk, seat->cpu, seat->entity);
    if (state & STATE_BLOCKED) {
        post(desk, seat->entity, EVENT_WAKE, told_of(seat->cpu)->job, ticks(desk, now_ns), now_ns);
    } else if (slot && !(state & STATE_HAS_JOB) && slot->mode & TAKT_SLOT_WAKE_ARRIVES) {
        post(desk, seat->entity, EVENT_ARRIVAL, 0, ticks(desk, now_ns), now_ns);
    }
}

/* ---- the operations --------------------------------------------------------------------------------------- */

INLINE void enqueue_other(struct task_struct *p, u64 flags) {
    scx_bpf_dsq_insert(p, SCX_DSQ_GLOBAL, SCX_SLICE_DFL, flags);
}

SEC("struct_ops/takt_enqueue")
void BPF_PROG(takt_enqueue, struct task_struct *p, u64 flags) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    if (!desk) {
        enqueue_other(p, flags);
        return;
    }
    u64 now_ns = bpf_ktime_get_ns();
    u32 cpu = place->seat.cpu, entity = place->seat.entity;
    u64 next = NONE;
    if (has_begun(desk, now_ns)) {
        if (place->is_asleep) {
            post_wake(desk, &place->seat, now_ns);
        }
        next = takt_domain_peek(desk->domain, ticks(desk, now_ns));
        publish_yield(desk, cpu);
        arm(desk, cpu);
    } else if (now_ns < desk->epoch_ns && desk->epoch_ns < NEVER / 2) {
        arm_at(desk, cpu, desk->epoch_ns);
    }
    place->is_asleep = 0;
    if (next == entity) {
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT);
        return;
    }
    scx_bpf_dsq_insert(p, queue_of(cpu, entity), SCX_SLICE_INF, flags);
    if (next != NONE && next != desk->running) {
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
    }
}

/* Takes the decision that none runs, or that a server idles. */
INLINE void take_idle(takt_desk_t *desk, u32 cpu, u64 now_ns) {
    state_of(desk, cpu, 0);
    if (told_of(cpu)->is_outdated) {
        takt_domain_take(desk->domain, ticks(desk, now_ns));
        desk->takes++;
        desk->decided = TAKT_DESK_NONE;
    }
}

SEC("struct_ops/takt_dispatch")
void BPF_PROG(takt_dispatch, s32 cpu, struct task_struct *prev) {
    takt_desk_t *desk = desk_of(cpu);
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk || !has_begun(desk, now_ns)) {
        return;
    }
    u64 next = takt_domain_peek(desk->domain, ticks(desk, now_ns));
    if (next == NONE) {
        take_idle(desk, cpu, now_ns);
        arm(desk, cpu);
        return;
    }
    place_t *place = prev ? place_of(prev) : NULL;
    if (place && place->seat.entity == next && prev->scx.flags & SCX_TASK_QUEUED) {
        prev->scx.slice = SCX_SLICE_INF;
        state_of(desk, cpu, next);
        if (told_of(cpu)->is_outdated) {
            takt_domain_take(desk->domain, ticks(desk, now_ns));
            desk->takes++;
        }
        publish(desk, cpu, next);
    } else if (!scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {
        desk->absences++;
    }
    arm(desk, cpu);
}

SEC("struct_ops/takt_running")
void BPF_PROG(takt_running, struct task_struct *p) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    if (!desk) {
        return;
    }
    u32 cpu = place->seat.cpu, entity = place->seat.entity;
    u64 now_ns = bpf_ktime_get_ns();
    desk->running = entity;
    if (now_ns >= desk->end_ns) {
        return;
    }
    u64 next = has_begun(desk, now_ns) ? takt_domain_peek(desk->domain, ticks(desk, now_ns)) : NONE;
    if (next != entity) {
        desk->mismatches++;
        scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
        return;
    }
    state_of(desk, cpu, entity);
    if (told_of(cpu)->is_outdated || desk->decided != entity) {
        takt_domain_take(desk->domain, ticks(desk, now_ns));
        desk->takes++;
        desk->decided = entity;
        takt_linux_slot_t *slot = slot_of(cpu, entity);
        if (slot) {
            slot->started++;
        }
    }
    publish(desk, cpu, entity);
    arm(desk, cpu);
}

SEC("struct_ops/takt_stopping")
void BPF_PROG(takt_stopping, struct task_struct *p, bool is_runnable) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    if (desk) {
        desk->running = TAKT_DESK_NONE;
    }
}

SEC("struct_ops/takt_quiescent")
void BPF_PROG(takt_quiescent, struct task_struct *p, u64 flags) {
    place_t *place = place_of(p);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    u64 now_ns = bpf_ktime_get_ns();
    if (!desk || !(flags & SCX_DEQ_SLEEP)) {
        return;
    }
    place->is_asleep = 1;
    if (has_begun(desk, now_ns)) {
        post_sleep(desk, &place->seat, now_ns);
        publish(desk, place->seat.cpu, place->seat.entity);
    }
}

SEC("struct_ops/takt_yield")
bool BPF_PROG(takt_yield, struct task_struct *from, struct task_struct *to) {
    place_t *place = place_of(from);
    takt_desk_t *desk = place ? desk_of(place->seat.cpu) : NULL;
    u64 now_ns = bpf_ktime_get_ns();
    from->scx.slice = 0;
    takt_linux_slot_t *slot = desk ? slot_of(place->seat.cpu, place->seat.entity) : NULL;
    if (!slot || !has_begun(desk, now_ns) || slot->request == TAKT_SLOT_NONE) {
        return false;
    }
    bool may_arrive = slot->request == TAKT_SLOT_COMPLETE && slot->mode & TAKT_SLOT_WAKE_ARRIVES;
    post_request(desk, place->seat.entity, slot, now_ns);
    u32 state = publish(desk, place->seat.cpu, place->seat.entity);
    if (may_arrive && !(state & STATE_HAS_JOB)) {
        post(desk, place->seat.entity, EVENT_ARRIVAL, 0, ticks(desk, now_ns), now_ns);
        publish(desk, place->seat.cpu, place->seat.entity);
    }
    return false;
}

/* A thread comes under this scheduler. */
SEC("struct_ops/takt_enable")
void BPF_PROG(takt_enable, struct task_struct *p) {
    u32 thread = p->pid;
    takt_seat_t *seat = bpf_map_lookup_elem(&seats, &thread);
    if (!seat || seat->cpu >= TAKT_DESKS || seat->entity >= TAKT_DESK_SLOTS) {
        return;
    }
    place_t place = {*seat, 0};
    bpf_task_storage_get(&places, p, &place, BPF_LOCAL_STORAGE_GET_F_CREATE);
    takt_linux_slot_t *slot = slot_of(seat->cpu, seat->entity);
    if (slot) {
        slot->state = TAKT_SLOT_ATTACHED;
    }
}

/* It leaves, or ends. */
SEC("struct_ops/takt_disable")
void BPF_PROG(takt_disable, struct task_struct *p) {
    place_t *place = place_of(p);
    if (!place) {
        return;
    }
    takt_linux_slot_t *slot = slot_of(place->seat.cpu, place->seat.entity);
    if (slot) {
        slot->state = 0;
    }
    bpf_task_storage_delete(&places, p);
}

SEC("struct_ops.s/takt_init")
s32 BPF_PROG(takt_init) {
    u32 cpu, entity;
    bpf_for(cpu, 0, TAKT_DESKS) {
        takt_desk_t *desk = desk_of(cpu);
        u32 key = cpu;
        takt_alarm_t *alarm = bpf_map_lookup_elem(&alarms, &key);
        if (!desk || !alarm) {
            continue;
        }
        bpf_timer_init(&alarm->timer, &alarms, CLOCK);
        bpf_timer_set_callback(&alarm->timer, expire);
        bpf_for(entity, 0, desk->entities) {
            s32 error = scx_bpf_create_dsq(queue_of(cpu, entity), -1);
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

SEC(".struct_ops.link")
struct sched_ext_ops takt_ops = {
    .enqueue = (void *)takt_enqueue,
    .dispatch = (void *)takt_dispatch,
    .running = (void *)takt_running,
    .stopping = (void *)takt_stopping,
    .quiescent = (void *)takt_quiescent,
    .yield = (void *)takt_yield,
    .enable = (void *)takt_enable,
    .disable = (void *)takt_disable,
    .init = (void *)takt_init,
    .exit = (void *)takt_exit,
    .flags = SCX_OPS_ENQ_LAST | SCX_OPS_SWITCH_PARTIAL,
    .timeout_ms = 10000,
    .name = "takt",
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
