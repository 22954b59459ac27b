/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What takt.bpf.c has: the functions of the domain, and memory. Included by it and its parts alone, after the kernel's types. */
#ifndef TAKT_LINUX_BPF_MEMORY_H
#define TAKT_LINUX_BPF_MEMORY_H

#include "linux/shared.h"
#include "linux/layout.h"
#include "linux/slot.h"

#define NONE ((u64)TAKT_SHARED_NONE)
/* The word that sched_ext leaves to a scheduler in each thread is its binding: the processor stands above the entity. That of a
 * thread without a binding is the instant since which it waits, or 0. */
#define BOUND (1ull << 63)
#define ASLEEP (1ull << 62)
/* Each frame counts: the domain needs the others. */
#define INLINE static inline __attribute__((always_inline))
#define NEVER (~0ull)
#define __arena __attribute__((address_space(1)))
/* Of memory that a program may write at any time. */
#define READ_ONCE(member) (*(const volatile typeof(member) *)&(member))

/* ---- the domain, in the arena --------------------------------------------------------------------------- */

struct {
    __uint(type, BPF_MAP_TYPE_ARENA);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, TAKT_ARENA_BYTES / 4096);
    __ulong(map_extra, TAKT_ARENA_BASE);
} arena SEC(".maps");

u64 takt_domain_post(u64 domain, u64 kind_and_entity, u64 job, u64 value, u64 now);
u64 takt_domain_pass(u64 domain, u64 now);
u64 takt_domain_selected(u64 domain);
u64 takt_domain_settle(u64 domain, u64 now);
u64 takt_domain_commit(u64 domain, u64 now);
u64 takt_domain_state(u64 domain, u64 entity);
u64 takt_domain_report(u64 domain, u64 entity, u64 report);
u64 takt_domain_foresee(u64 domain, u64 foresight);
u64 takt_domain_agrees(u64 domain, u64 foresight);

/* Which of the domain's functions are used: see runtime.bpf.c. Set by the daemon. */
const volatile u8 takt_used[TAKT_FUNCTIONS] SEC(".rodata.used");

/* ---- memory that is shared with programs and the daemon --------------------------------------------------- */

takt_shared_t processors[TAKT_CPUS] SEC(".data.processors");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries,
           TAKT_SHARED_SLOTS); /* the daemon sets it: a row of TAKT_SHARED_SLOTS for each processor */
    __type(key, u32);
    __type(value, takt_linux_slot_t);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, TAKT_BINDINGS);
    __type(key, u32); /* thread */
    __type(value, takt_binding_t);
} bindings SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* the daemon sets it: TAKT_SWITCHES for each processor */
    __type(key, u32);
    __type(value, takt_switch_t);
} switches SEC(".maps");

enum { MEMBER_AWAKE = 1, MEMBER_ASLEEP = 2 };

/* The thread of an entity. */
typedef struct takt_member {
    u64 absent_ns; /* it did not run when its job was selected, for the first time since it slept; 0: it did */
    u64 waiting_ns; /* it is runnable since then, and has not run; 0: it sleeps, or has run */
    u32 state;      /* MEMBER_; 0: the entity has no thread */
    u32 refused;    /* one more than the number of the job that core did not let block; 0: none */
    u32 noted;      /* events of it that the domain has not got yet, NOTED_MOST at most */
    u32 last;       /* the place of the last one of them */
    u32 is_blocked; /* 1: the domain awaits its WAKE, or may */
    u32 unused;
} takt_member_t;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_SHARED_SLOTS); /* as that of the slots */
    __type(key, u32);
    __type(value, takt_member_t);
} members SEC(".maps");

enum { NOTED_MOST = TAKT_PENDING / TAKT_SHARED_SLOTS };

/* Events that the domain has not got yet, as a ring. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_PENDING); /* the daemon sets it: TAKT_PENDING for each processor */
    __type(key, u32);
    __type(value, takt_pending_t);
} pending SEC(".maps");

/* ---- memory of the kernel's programs ---------------------------------------------------------------------- */

typedef struct takt_alarm {
    struct bpf_timer timer;
} takt_alarm_t;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_CPUS);
    __type(key, u32);
    __type(value, takt_alarm_t);
} alarms SEC(".maps");

takt_ending_t ending;

/* ---- where what is ---------------------------------------------------------------------------------------- */

/* A program may use the arena if it has its map. */
INLINE takt_shared_t *shared_of(u32 cpu) {
    asm volatile("" : : "r"(&arena));
    return cpu < TAKT_CPUS && processors[cpu].domain ? &processors[cpu] : NULL;
}

INLINE takt_linux_slot_t *slot_of(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_SHARED_SLOTS + entity;
    return bpf_map_lookup_elem(&slots, &key);
}

INLINE takt_member_t *member_of(u32 cpu, u32 entity) {
    u32 key = cpu * TAKT_SHARED_SLOTS + entity;
    return entity < TAKT_SHARED_SLOTS ? bpf_map_lookup_elem(&members, &key) : NULL;
}

INLINE takt_pending_t *pending_of(u32 cpu, u32 place) {
    u32 key = cpu * TAKT_PENDING + place % TAKT_PENDING;
    return bpf_map_lookup_elem(&pending, &key);
}

/* The verifier sees the bound of a mask. */
INLINE u32 cpu_of(u64 binding) { return (u32)(binding >> 32) & (TAKT_CPUS - 1); }

/* The binding of a thread, 0 for none. */
INLINE u64 binding_of(const struct task_struct *p) {
    return (p->scx.dsq_vtime & BOUND) != 0 ? p->scx.dsq_vtime : 0;
}

/* The record of the processor of a binding, NULL for none. */
INLINE takt_shared_t *shared_at(u64 binding) {
    return (binding & BOUND) != 0 ? shared_of(cpu_of(binding)) : NULL;
}

/* The queue of a thread that waits. */
INLINE u64 queue_of(u32 cpu, u32 entity) { return (u64)(cpu + 1) << 32 | entity; }

/* The queue of the threads that may run on a processor without a domain. All processors serve it. Those of the kernel's own
 * queue would run before it asks for a dispatch. */
INLINE u64 queue_of_all(void) { return queue_of(TAKT_CPUS, TAKT_SHARED_NONE); }

/* The queue of the other threads of no domain. */
INLINE u64 queue_of_others(u32 cpu) {
    return shared_of(cpu) ? queue_of(cpu, TAKT_SHARED_NONE) : queue_of_all();
}

INLINE takt_report_t __arena *report_of(u32 cpu) {
    return (takt_report_t __arena *)(TAKT_ARENA_TOLD + cpu * TAKT_ARENA_TOLD_BYTES);
}

/* Behind the report and a demand. */
INLINE takt_foresight_t __arena *foresight_of(u32 cpu) {
    return (takt_foresight_t __arena *)(TAKT_ARENA_TOLD + cpu * TAKT_ARENA_TOLD_BYTES +
                                        sizeof(takt_report_t) + sizeof(takt_demand_t));
}

#endif
