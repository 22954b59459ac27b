/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs of the kernel note of threads and post to a domain (linux/bpf/events.h), compiled for the host.
 *
 *     noted_events IMAGE SEED
 *
 * With seed 0 all threads sleep, and wake before anything is posted. With any other seed threads do anything in any order,
 * and what is noted is posted from time to time. Whenever all is posted, only jobs whose threads sleep are blocked.
 * Exit status 1 and a line otherwise. */
#define _GNU_SOURCE
#include "linux/domain.h"
#include "words.h"

#include <string.h>
#include <sys/mman.h>

/* ---- what a program of the kernel has ---------------------------------------------------------------------- */

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define SEC(name)
#define __uint(name, value) int name
#define __ulong(name, value) int name
#define __type(name, kind) kind *name
#define bpf_for(i, first, end) for ((i) = (first); (i) < (end); (i)++)

enum { BPF_F_TIMER_ABS, BPF_F_TIMER_CPU_PIN, SCX_KICK_PREEMPT };

struct task_struct {
    struct {
        u64 dsq_vtime;
    } scx;
};

struct bpf_timer {
    u64 unused;
};

static u64 now_ns;

static void *bpf_map_lookup_elem(const void *map, const u32 *key);
static u64 bpf_ktime_get_ns(void) { return now_ns; }
static void bpf_timer_start(struct bpf_timer *timer, u64 at_ns, u64 flags) {
    (void)timer, (void)at_ns, (void)flags;
}
static void scx_bpf_kick_cpu(u32 cpu, u64 flags) { (void)cpu, (void)flags; }

#include "linux/bpf/events.h"

static takt_linux_slot_t slot_rows[TAKT_SHARED_SLOTS];
static takt_member_t kept[TAKT_SHARED_SLOTS];
static takt_pending_t ring[TAKT_PENDING];
static takt_alarm_t alarm_of_shared;

static void *bpf_map_lookup_elem(const void *map, const u32 *key) {
    if (map == &alarms) {
        return &alarm_of_shared;
    }
    MUST(*key < (map == &pending ? TAKT_PENDING : TAKT_SHARED_SLOTS));
    return map == &slots ? (void *)&slot_rows[*key] : map == &members ? (void *)&kept[*key] : &ring[*key];
}

/* ---- threads ----------------------------------------------------------------------------------------------- */

enum { TICK_NS = 1000, FIRST = 1, STEPS = 40000, POSTED_ONE_IN = 40, LONG_ONE_IN = 6 };

enum { MEMBER_GONE = 0 };

static takt_shared_t *const own = &processors[0];
static u32 states[TAKT_SHARED_SLOTS];
static u64 chance;

static u32 draw(u32 count) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (u32)(chance % count);
}

static void build(const char *name) {
    takt_domain_order_t order = {.records = 1000000};
    order.words = read_words(name, &order.count);
    u64 bytes = 0, status = TAKT_DOMAIN_MEMORY;
    void *memory = NULL;
    for (int trial = 0; trial < 4 && status == TAKT_DOMAIN_MEMORY; trial++) {
        free(memory);
        memory = calloc(bytes + 1u, 1);
        status = takt_domain_build((u64)(uintptr_t)memory, bytes, (u64)(uintptr_t)&order);
        bytes = order.bytes;
    }
    MUST(status == TAKT_DOMAIN_OK);
    const takt_domain_t *domain = memory;
    const u64 told = TAKT_ARENA_TOLD;
    MUST(mmap((void *)(uintptr_t)told, TAKT_ARENA_TOLD_BYTES, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)(uintptr_t)told);
    *own = (takt_shared_t){.domain = (u64)(uintptr_t)memory,
                           .demand = told + sizeof(takt_report_t),
                           .tick_ns = TICK_NS,
                           .end_ns = NEVER,
                           .entities = FIRST + domain->system.task_count,
                           .others = TAKT_SHARED_NONE,
                           .running = TAKT_SHARED_NONE};
}

/* As the programs of the kernel do when the domain may get events. */
static void handle(void) {
    const u64 now = ticks(own, now_ns);
    post_until(own, 0, 0);
    MUST(own->count == 0);
    (void)takt_domain_pass(own->domain, now);
    (void)takt_domain_selected(own->domain);
    (void)takt_domain_settle(own->domain, now);
    (void)takt_domain_commit(own->domain, now);
    for (u32 entity = FIRST; entity < own->entities; entity++) {
        const bool is_blocked = (takt_domain_state(own->domain, entity) & STATE_BLOCKED) != 0;
        MUST(kept[entity].noted == 0 && (!is_blocked || states[entity] == MEMBER_ASLEEP));
    }
}

static void become(u32 entity, u32 state, u32 what) {
    states[entity] = state;
    note(own, 0, entity, what, now_ns);
}

static void request(u32 entity, u32 kind) {
    const u32 job = job_of(own, 0, entity);
    slot_rows[entity].request = kind;
    slot_rows[entity].request_job = draw(4) == 0 ? job + 1u : job;
    slot_rows[entity].request_value = kind == TAKT_SLOT_SUSPEND ? now_ns + draw(50) * TICK_NS : 0;
}

/* Another class takes the thread, or a thread gets the binding, awake or asleep. */
static void come_or_go(u32 entity) {
    if (states[entity] != MEMBER_GONE) {
        become(entity, MEMBER_GONE, TAKT_PENDING_END);
        return;
    }
    slot_rows[entity].mode = draw(4);
    states[entity] = draw(2) != 0 ? MEMBER_ASLEEP : MEMBER_AWAKE;
    if (states[entity] == MEMBER_AWAKE && draw(2) != 0) {
        request(entity, TAKT_SLOT_ARRIVAL);
        become(entity, MEMBER_AWAKE, TAKT_PENDING_YIELD);
    }
}

static void do_anything(u32 entity) {
    static const u32 requests[] = {TAKT_SLOT_NONE,  TAKT_SLOT_COMPLETE, TAKT_SLOT_SUSPEND, TAKT_SLOT_LOCK,
                                   TAKT_SLOT_YIELD, TAKT_SLOT_ARRIVAL,  TAKT_SLOT_NONE,    TAKT_SLOT_NONE};
    if (draw(LONG_ONE_IN) == 0 || states[entity] == MEMBER_GONE) {
        come_or_go(entity);
    } else if (states[entity] == MEMBER_ASLEEP) {
        become(entity, MEMBER_AWAKE, TAKT_PENDING_WAKE);
    } else {
        const bool is_sleep = draw(2) != 0;
        request(entity, requests[draw(sizeof requests / sizeof *requests)]);
        become(entity, is_sleep ? MEMBER_ASLEEP : MEMBER_AWAKE,
               is_sleep ? TAKT_PENDING_SLEEP : TAKT_PENDING_YIELD);
    }
}

static void wake_all(void) {
    for (u32 entity = FIRST; entity < own->entities; entity++) {
        become(entity, MEMBER_ASLEEP, TAKT_PENDING_SLEEP);
        handle();
        MUST(takt_domain_state(own->domain, entity) & STATE_BLOCKED);
    }
    for (u32 entity = FIRST; entity < own->entities; entity++) {
        become(entity, MEMBER_AWAKE, TAKT_PENDING_WAKE);
    }
    handle();
    MUST(own->lost == 0);
}

int main(int count, char **words) {
    MUST(count == 3);
    chance = strtoull(words[2], NULL, 10);
    build(words[1]);
    handle();
    if (chance == 0) {
        wake_all();
        return 0;
    }
    for (u32 step = 0; step < STEPS; step++) {
        now_ns += draw(20) * TICK_NS;
        do_anything(FIRST + draw(own->entities - FIRST));
        if (draw(POSTED_ONE_IN) == 0) {
            handle();
        }
    }
    handle();
    MUST(own->lost > 0 && own->refused > 0);
    return 0;
}
