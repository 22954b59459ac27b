/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based tasks on the Linux port in virtual time: as threads of a rate-based kernel, or over fixed priorities by the
 * adapter. Prints which thread has executed in each tick, and then what every request was answered.
 *
 * Reads: hybrid? horizon; beta sigma grid rule background, numbers of records and of resources; tasks, each: class wcet period
 * deadline weight, number of demands and these, number of sections and these, resource and length, number of marks and
 * these, after how many ticks, lock?, resource; requests, ascending: instant task kind (0 enter, 1 leave, 2 parameters) wcet
 * period deadline weight. The adapter shares nothing. Before the horizon there is no answer to more. */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/hybrid.h"
#include "kernel/kernel.h"
#include "kernel/rate.h"
#include "policy/table.h"

void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void));
void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant);
__attribute__((noreturn)) void takt_posix_exit(int status);

enum {
    TASKS = 8,
    DEMANDS = 8,
    REQUESTS = 64,
    RECORDS = 64,
    HORIZON = 20000,
    STACK_BYTES = TAKT_STACK_BYTES_MIN + 16384
};
enum { SECTIONS = 4, MARKS = 16 };
enum { ENTER, LEAVE, PARAMETERS };
enum { OF_REQUESTS = TASKS, MANAGER_PRIORITY = TAKT_PRIORITIES - 1 };

/* After so many ticks a job locks or unlocks something. */
typedef struct mark {
    takt_duration_t at;
    bool is_lock;
    takt_resource_t *resource;
} mark_t;

typedef struct task {
    takt_task_class_t type;
    takt_rate_demand_t demand;
    uint32_t demand_count;
    takt_duration_t demands[DEMANDS];
    uint32_t begun;
    uint32_t section_count, mark_count;
    takt_rate_section_t sections[SECTIONS];
    mark_t marks[MARKS];
    takt_rate_thread_t native;
    takt_thread_t plain;
    takt_hybrid_task_t over;
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} task_t;

typedef struct request {
    takt_instant_t instant;
    uint32_t task;
    uint32_t kind;
    takt_rate_demand_t demand;
    int answer;
} request_t;

static uint32_t is_hybrid, record_count, resource_count, task_count, request_count, next_request;
static takt_instant_t horizon;
static takt_rate_settings_t settings;
static task_t tasks[TASKS];
static request_t requests[REQUESTS];
static char executed[HORIZON + 1];
static takt_rates_t rates;
static takt_resource_t resources[SECTIONS];
static takt_rate_share_t shares[SECTIONS];
static takt_change_t changes[RECORDS];
static takt_hybrid_t hybrid;
static takt_thread_t manager, idler;
static uint64_t manager_stack[STACK_BYTES / sizeof(uint64_t)], idler_stack[STACK_BYTES / sizeof(uint64_t)];

static void must(takt_status_t status) {
    if (status != TAKT_OK) {
        (void)printf("failed: %s\n", takt_status_message(status));
        takt_posix_exit(1);
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

static takt_rate_demand_t read_demand(void) {
    takt_rate_demand_t demand;
    demand.wcet = number();
    demand.period = number();
    demand.relative_deadline = number();
    demand.weight = number();
    return demand;
}

static void read_sections(task_t *task) {
    task->section_count = (uint32_t)number();
    for (uint32_t i = 0; i < task->section_count; i++) {
        task->sections[i].resource = &resources[number()];
        task->sections[i].longest = number();
    }
    task->mark_count = (uint32_t)number();
    for (uint32_t i = 0; i < task->mark_count; i++) {
        task->marks[i].at = number();
        task->marks[i].is_lock = number() != 0;
        task->marks[i].resource = &resources[number()];
    }
}

static void read_task(task_t *task) {
    task->type = (takt_task_class_t)number();
    task->demand = read_demand();
    task->demand_count = (uint32_t)number();
    for (uint32_t i = 0; i < task->demand_count; i++) {
        task->demands[i] = number();
    }
    read_sections(task);
}

static void read_all(void) {
    is_hybrid = (uint32_t)number();
    horizon = number();
    settings.beta = number();
    settings.sigma = number();
    settings.grid = number();
    settings.rule = (takt_rate_rule_t)number();
    settings.has_background = number() != 0;
    settings.estimate_jobs = 8;
    record_count = (uint32_t)number();
    resource_count = (uint32_t)number();
    task_count = (uint32_t)number();
    for (uint32_t i = 0; i < task_count; i++) {
        read_task(&tasks[i]);
    }
    request_count = (uint32_t)number();
    for (uint32_t i = 0; i < request_count; i++) {
        requests[i].instant = number();
        requests[i].task = (uint32_t)number();
        requests[i].kind = (uint32_t)number();
        requests[i].demand = read_demand();
    }
}

/* ---- what happens ----------------------------------------------------------------------------------- */

static __attribute__((noreturn)) void finish(void) {
    for (takt_instant_t i = 0; i < horizon; i++) {
        executed[i] = executed[i] != 0 ? executed[i] : '.';
    }
    executed[horizon] = 0;
    (void)printf("%s\n", executed);
    for (uint32_t i = 0; i < next_request; i++) {
        (void)printf("%d\n", requests[i].answer);
    }
    takt_posix_exit(0);
}

/* A tick of work. Another thread may execute before it, none within. */
static void tick(const task_t *task) {
    takt_port_work(1);
    const takt_instant_t now = takt_kernel_now();
    if (now > horizon) {
        finish();
    }
    executed[now - 1u] = (char)('a' + (task - tasks));
}

/* What is unlocked at one instant is one event, and what is due at the instant of a lock is decided about before it. */
static void pass(const task_t *task, const mark_t *mark) {
    const mark_t *next = mark + 1;
    if (mark->is_lock) {
        must(takt_job_settle());
        must(takt_job_lock(mark->resource));
    } else if (next < task->marks + task->mark_count && next->at == mark->at && !next->is_lock) {
        must(takt_job_unlock_first(mark->resource));
    } else {
        must(takt_job_unlock(mark->resource));
    }
}

static void do_job(task_t *task) {
    const takt_duration_t demand = task->demands[task->begun++ % task->demand_count];
    const mark_t *mark = task->marks, *end = task->marks + task->mark_count;
    for (takt_duration_t i = 0; i < demand; i++) {
        for (; mark < end && mark->at == i; mark++) {
            pass(task, mark);
        }
        tick(task);
    }
}

static void announce(void) {
    const bool is_last = next_request == request_count;
    const takt_instant_t instant = is_last ? horizon : requests[next_request].instant;
    takt_posix_interrupt_announce(0, instant < horizon ? instant : horizon);
}

/* The next request that is due, NULL if none is. */
static request_t *take_request(void) {
    const takt_instant_t now = takt_kernel_now();
    const bool is_due = next_request < request_count && requests[next_request].instant <= now;
    return is_due ? &requests[next_request++] : NULL;
}

/* ---- native ----------------------------------------------------------------------------------------- */

static void native_entry(void *argument) {
    task_t *task = argument;
    for (;;) {
        do_job(task);
        (void)takt_wait_next_period();
    }
}

static takt_status_t ask_native(const request_t *request) {
    takt_rate_thread_t *thread = &tasks[request->task].native;
    switch (request->kind) {
    case ENTER:
        return takt_rate_thread_enter_from_isr(thread);
    case LEAVE:
        return takt_rate_thread_leave_from_isr(thread);
    default:
        return takt_rate_thread_request_from_isr(thread, &request->demand);
    }
}

static void native_interrupt(void) {
    request_t *request;
    if (takt_kernel_now() >= horizon) {
        finish();
    }
    while ((request = take_request()) != NULL) {
        request->answer = ask_native(request);
    }
    announce();
}

static void make_native(void) {
    must(takt_kernel_init(&takt_policy_rate_based));
    must(takt_rates_init(&rates, &settings, changes, record_count));
    if (resource_count > 0) {
        must(takt_rates_share(&rates, resources, shares, resource_count));
    }
    for (uint32_t i = 0; i < task_count; i++) {
        const takt_rate_parameters_t parameters = {
            .thread = {.entry = native_entry,
                       .argument = &tasks[i],
                       .stack = tasks[i].stack,
                       .stack_bytes = STACK_BYTES},
            .rates = &rates,
            .type = tasks[i].type,
            .demand = tasks[i].demand,
            .sections = tasks[i].sections,
            .section_count = tasks[i].section_count,
        };
        must(takt_rate_thread_create(&tasks[i].native, &parameters));
    }
    takt_posix_interrupt_enable(0, native_interrupt);
}

/* ---- over fixed priorities -------------------------------------------------------------------------- */

static void set_priority(void *thread, uint32_t priority) {
    must(takt_thread_set_priority(thread, priority));
}

static const takt_hybrid_host_t host = {.set_priority = set_priority};

static void worker_entry(void *argument) {
    task_t *task = argument;
    for (;;) {
        do_job(task);
        must(takt_thread_notify(&manager, 1u << (task - tasks)));
    }
}

static void hybrid_interrupt(void) {
    if (takt_kernel_now() >= horizon) {
        finish();
    }
    must(takt_thread_notify_from_isr(&manager, 1u << OF_REQUESTS));
}

static takt_status_t ask_over(const request_t *request, takt_instant_t now) {
    takt_hybrid_task_t *task = &tasks[request->task].over;
    switch (request->kind) {
    case ENTER:
        return takt_hybrid_enter(&hybrid, task, now);
    case LEAVE:
        return takt_hybrid_leave(&hybrid, task, now);
    default:
        return takt_hybrid_request(&hybrid, task, &request->demand, now);
    }
}

static void serve(uint32_t bits, takt_instant_t now) {
    request_t *request;
    for (uint32_t i = 0; i < task_count; i++) {
        if ((bits & 1u << i) != 0) {
            takt_hybrid_complete(&hybrid, &tasks[i].over, now);
        }
    }
    while ((bits & 1u << OF_REQUESTS) != 0 && (request = take_request()) != NULL) {
        request->answer = ask_over(request, now);
    }
    if ((bits & 1u << OF_REQUESTS) != 0) {
        announce();
    }
}

/* What comes from outside at the instant of a completion follows it before anything is decided. */
static void manage(void *argument) {
    (void)argument;
    uint32_t bits = 0;
    for (;;) {
        takt_port_sync();
        uint32_t more = 0;
        (void)takt_notification_take_for(&more, 0);
        const takt_instant_t now = takt_kernel_now();
        serve(bits | more, now);
        const takt_instant_t until = takt_hybrid_step(&hybrid, now);
        (void)takt_notification_take_for(&bits, until == TAKT_NEVER ? TAKT_NEVER : until - now);
    }
}

static void idle(void *argument) {
    (void)argument;
    for (;;) {
        takt_port_idle();
    }
}

static void make_plain(takt_thread_t *thread, uint64_t *stack, uint32_t priority, void (*entry)(void *),
                       void *argument) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .argument = argument,
                                                 .stack = stack,
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = priority};
    must(takt_thread_create(thread, &parameters));
}

static void make_hybrid(void) {
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_hybrid_init(&hybrid, &host, &settings, MANAGER_PRIORITY - 1, changes, record_count));
    for (uint32_t i = 0; i < task_count; i++) {
        task_t *task = &tasks[i];
        must(takt_hybrid_add(&hybrid, &task->over, &task->plain, task->type, &task->demand));
        make_plain(&task->plain, task->stack, TAKT_HYBRID_BARRED, worker_entry, task);
    }
    make_plain(&idler, idler_stack, TAKT_HYBRID_IDLE, idle, NULL);
    make_plain(&manager, manager_stack, MANAGER_PRIORITY, manage, NULL);
    takt_posix_interrupt_enable(0, hybrid_interrupt);
}

int main(void) {
    read_all();
    if (is_hybrid != 0) {
        make_hybrid();
    } else {
        make_native();
    }
    announce();
    must(takt_kernel_start());
}
