/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Periodic threads that lock, suspend themselves, are late and stand in servers, on the Linux port in virtual time. Prints
 * which thread has executed in each tick, then every job that has ended: its thread, number and instant, and whether it was late, which
 * its thread is told when the next one runs: 2 until then.
 *
 * Reads: traced? horizon; policy; servers, each: kind policy period budget offset priority; resources, each: protocol ceiling
 * server; threads, each: period deadline wcet offset priority server on_miss class non-preemptive?, number of demands and
 * these, number of marks and these, after how many ticks, kind (0 lock, 1 unlock, 2 suspension), resource or length. A server
 * is its number, 0: the root. */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"
#include "policy/table.h"

void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void));
void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant);
__attribute__((noreturn)) void takt_posix_exit(int status);

enum { SERVERS = 4, RESOURCES = 4, THREADS = 8, DEMANDS = 4, MARKS = 32, HORIZON = 1000, ENDS = 2000 };
enum { STACK_BYTES = TAKT_STACK_BYTES_MIN + 16384 };
enum { LOCK, UNLOCK, SUSPENSION };
enum { UNKNOWN = 2 };

typedef struct mark {
    takt_duration_t at;
    uint64_t kind, what;
} mark_t;

typedef struct actor {
    takt_periodic_thread_t thread;
    takt_job_parameters_t parameters;
    takt_task_extension_t extension;
    uint32_t demand_count, mark_count;
    takt_duration_t demands[DEMANDS];
    mark_t marks[MARKS];
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} actor_t;

typedef struct job_end {
    const actor_t *actor;
    uint32_t number;
    takt_instant_t at;
    uint32_t is_late;
} job_end_t;

static const takt_policy_t *const policies[] = {&takt_policy_fp, &takt_policy_rm, &takt_policy_dm,
                                                &takt_policy_edf, &takt_policy_llf};

static takt_instant_t horizon;
static uint32_t end_count;
static takt_thread_server_t servers[SERVERS];
static takt_server_returns_t returns[SERVERS];
static takt_resource_t resources[RESOURCES];
static actor_t actors[THREADS];
static job_end_t ends[ENDS];
static char executed[HORIZON + 1];
static takt_trace_t trace;

static void must(takt_status_t status) {
    if (status != TAKT_OK) {
        (void)printf("failed: %s\n", takt_status_message(status));
        takt_posix_exit(1);
    }
}

static __attribute__((noreturn)) void finish(void) {
    for (takt_instant_t i = 0; i < horizon; i++) {
        executed[i] = executed[i] != 0 ? executed[i] : '.';
    }
    executed[horizon] = 0;
    (void)printf("%s\n", executed);
    for (const job_end_t *end = ends; end < ends + end_count; end++) {
        (void)printf("%d %u %llu %u\n", (int)(end->actor - actors), end->number, (unsigned long long)end->at,
                     end->is_late);
    }
    takt_posix_exit(0);
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

static void tick(const actor_t *actor) {
    takt_port_work(1);
    const takt_instant_t now = takt_kernel_now();
    if (now > horizon) {
        finish();
    }
    executed[now - 1u] = (char)('a' + (actor - actors));
}

/* What is unlocked at one instant is one event, and what is due at the instant of a lock is decided about before it. */
static void pass(const actor_t *actor, const mark_t *mark) {
    const mark_t *next = mark + 1;
    const bool is_more = next < actor->marks + actor->mark_count && next->at == mark->at;
    if (mark->kind == LOCK) {
        must(takt_job_settle());
        must(takt_job_lock(&resources[mark->what]));
    } else if (mark->kind == SUSPENSION) {
        must(takt_job_suspend(mark->what));
    } else if (is_more && next->kind == UNLOCK) {
        must(takt_job_unlock_first(&resources[mark->what]));
    } else {
        must(takt_job_unlock(&resources[mark->what]));
    }
}

static void do_job(const actor_t *actor) {
    const takt_duration_t demand = actor->demands[takt_job_number() % actor->demand_count];
    const mark_t *mark = actor->marks, *end = actor->marks + actor->mark_count;
    for (takt_duration_t i = 0; i < demand; i++) {
        for (; mark < end && mark->at == i; mark++) {
            pass(actor, mark);
        }
        tick(actor);
    }
}

static void execute(void *argument) {
    const actor_t *actor = argument;
    for (;;) {
        do_job(actor);
        job_end_t *end = &ends[end_count++];
        *end = (job_end_t){
            .actor = actor, .number = takt_job_number(), .at = takt_kernel_now(), .is_late = UNKNOWN};
        end->is_late = takt_wait_next_period() == TAKT_DEADLINE_MISSED;
    }
}

/* ---- input ------------------------------------------------------------------------------------------ */

static uint64_t number(void) {
    unsigned long long value = 0;
    if (scanf("%llu", &value) != 1) {
        exit(2);
    }
    return value;
}

static takt_thread_server_t *read_server(void) {
    const uint64_t which = number();
    return which > 0 ? &servers[which - 1u] : NULL;
}

static void make_server(uint32_t index) {
    takt_thread_server_parameters_t parameters = {.kind = takt_server_kinds[number()]};
    parameters.returns = parameters.kind->has_returns ? &returns[index] : NULL;
    parameters.policy = policies[number()];
    parameters.period = number();
    parameters.budget = number();
    parameters.offset = number();
    parameters.priority = (uint32_t)number();
    must(takt_thread_server_create(&servers[index], &parameters));
}

static void make_resource(uint32_t index) {
    const takt_protocol_t protocol = (takt_protocol_t)number();
    const takt_key_t ceiling = number();
    must(takt_job_resource_init(&resources[index], protocol, ceiling, read_server()));
}

static void read_marks(actor_t *actor) {
    actor->demand_count = (uint32_t)number();
    for (uint32_t i = 0; i < actor->demand_count; i++) {
        actor->demands[i] = number();
    }
    actor->mark_count = (uint32_t)number();
    for (uint32_t i = 0; i < actor->mark_count; i++) {
        actor->marks[i].at = number();
        actor->marks[i].kind = number();
        actor->marks[i].what = number();
    }
}

static void make_actor(uint32_t index) {
    actor_t *actor = &actors[index];
    takt_job_parameters_t parameters = {
        .thread = {.entry = execute, .argument = actor, .stack = actor->stack, .stack_bytes = STACK_BYTES},
        .extension = &actor->extension};
    parameters.period = number();
    parameters.relative_deadline = number();
    parameters.wcet = number();
    parameters.offset = number();
    parameters.thread.priority = (uint32_t)number();
    parameters.thread.server = read_server();
    parameters.on_miss = (takt_on_miss_t)number();
    parameters.task_class = (takt_task_class_t)number();
    parameters.is_limited = number() != 0;
    read_marks(actor);
    must(takt_periodic_thread_create(&actor->thread, &parameters));
}

static void make_all(void (*make)(uint32_t index)) {
    const uint32_t count = (uint32_t)number();
    for (uint32_t i = 0; i < count; i++) {
        make(i);
    }
}

static void ignore(takt_trace_t *to, const takt_record_t *record) { (void)to, (void)record; }

void takt_posix_stalled(void) { finish(); }

int main(void) {
    trace.record = ignore;
    const bool is_traced = number() != 0;
    horizon = number();
    must(takt_kernel_init(policies[number()]));
    if (is_traced) {
        must(takt_kernel_trace_to(&trace));
    }
    make_all(make_server);
    make_all(make_resource);
    make_all(make_actor);
    takt_posix_interrupt_enable(0, finish);
    takt_posix_interrupt_announce(0, horizon);
    must(takt_kernel_start());
}
