/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What takt.bpf.c has: the functions of the domain, and memory. Included by it alone, after the kernel's types. */
#ifndef TAKT_LINUX_BPF_MEMORY_H
#define TAKT_LINUX_BPF_MEMORY_H

#include "linux/desk.h"
#include "linux/layout.h"
#include "linux/slot.h"

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
u64 takt_domain_tell(u64 domain, u64 entity, u64 told);

/* Which of the domain's functions are used: see runtime.bpf.c. Set by the daemon. */
const volatile u8 takt_used[TAKT_FUNCTIONS] SEC(".rodata.used");

/* ---- memory that is shared with programs and the daemon --------------------------------------------------- */

takt_desk_t desks[TAKT_DESKS] SEC(".data.desks");

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

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_DESK_SLOTS); /* as that of the slots */
    __type(key, u32);
    __type(value, u32); /* CREW_ */
} crew SEC(".maps");

/* ---- memory of the kernel's programs ---------------------------------------------------------------------- */

typedef struct takt_alarm {
    struct bpf_timer timer;
} takt_alarm_t;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, TAKT_DESKS);
    __type(key, u32);
    __type(value, takt_alarm_t);
} alarms SEC(".maps");

takt_ending_t ending;

#endif
