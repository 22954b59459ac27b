/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Who may call from an interrupt: one that the lock masks. Every call that interrupts may make is made by one, and then from each
 * context of the machine that the lock does not mask: it answers ERROR_INTERRUPT, and not a byte of any object has changed. */
#include "kernel/alarm.h"
#include "kernel/allocated.h"
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "kernel/ring.h"
#include "kernel/sporadic.h"
#include "kernel/statistics.h"
#include "tests/conformance/conformance.h"

enum { CAPACITY = 2, BLOCKS = 4, RECORDS = 4, ENTITIES = 8, PERIOD = 1000 * 1000 * 1000 };

/* All that a call could change. */
static struct {
    takt_semaphore_t semaphore, unit;
    takt_messages_t messages;
    takt_pool_t pool;
    takt_flags_t flags;
    takt_alarm_t alarm;
    takt_trace_ring_t ring;
    takt_statistics_t statistics;
    takt_thread_server_t server;
    takt_thread_t sleeping;
    takt_thread_t waiting;
    takt_sporadic_thread_t sporadic;
    takt_allocated_thread_t allocated;
} objects;

static unsigned char snapshot[sizeof objects];

static uint32_t places[CAPACITY], message;
static void *blocks[BLOCKS][2], *block, *taken;
static takt_record_t records[RECORDS], record;
static takt_execution_t executions[ENTITIES], execution;
static takt_duration_t ticks;
static takt_instant_t instant;

/* ---- calls ---------------------------------------------------------------------------------------- */

static takt_status_t give(void) { return takt_semaphore_give_from_isr(&objects.semaphore); }
static takt_status_t signal(void) { return takt_semaphore_signal_from_isr(&objects.unit); }
static takt_status_t try_take(void) { return takt_semaphore_try_take(&objects.unit); }
static takt_status_t send(void) { return takt_messages_send_from_isr(&objects.messages, &message); }
static takt_status_t receive(void) { return takt_messages_receive_from_isr(&objects.messages, &message); }
static takt_status_t free_block(void) { return takt_pool_free_from_isr(&objects.pool, block); }
static takt_status_t allocate(void) { return takt_pool_try_allocate(&objects.pool, &taken); }
static takt_status_t set(void) { return takt_flags_set_from_isr(&objects.flags, 1); }
static takt_status_t clear(void) { return takt_flags_clear(&objects.flags, 1); }
static takt_status_t start(void) { return takt_alarm_start(&objects.alarm, PERIOD); }
static takt_status_t start_periodic(void) {
    return takt_alarm_start_periodic(&objects.alarm, PERIOD, PERIOD);
}
static takt_status_t remaining(void) { return takt_alarm_remaining(&objects.alarm, &ticks); }
static takt_status_t stop(void) { return takt_alarm_stop(&objects.alarm); }
static takt_status_t resume(void) { return takt_thread_resume_from_isr(&objects.sleeping); }
static takt_status_t notify(void) { return takt_thread_notify_from_isr(&objects.waiting, 1); }
static takt_status_t arrive(void) { return takt_job_arrive_from_isr(&objects.sporadic.job, 0); }
static takt_status_t enter(void) { return takt_allocated_thread_enter_from_isr(&objects.allocated.job); }
static takt_status_t leave(void) { return takt_allocated_thread_leave_from_isr(&objects.allocated.job); }
static takt_status_t budget(void) { return takt_thread_server_budget(&objects.server, &ticks); }
static takt_status_t replenishment(void) {
    return takt_thread_server_next_replenishment(&objects.server, &instant);
}
static takt_status_t executed(void) {
    return takt_statistics_read(&objects.statistics, &objects.waiting, &execution);
}
static takt_status_t take_record(void) { return takt_trace_ring_take(&objects.ring, &record); }
static takt_status_t change(void) { return takt_job_change_from_isr(NULL, 0); }

/* `of_kernel` is what the interrupt is told that may call. */
typedef struct row {
    const char *name;
    takt_status_t (*make)(void);
    takt_status_t of_kernel;
} row_t;

static const row_t rows[] = {
    {"give", give, TAKT_OK},
    {"signal", signal, TAKT_OK},
    {"try_take", try_take, TAKT_OK},
    {"send", send, TAKT_OK},
    {"receive", receive, TAKT_OK},
    {"free", free_block, TAKT_OK},
    {"allocate", allocate, TAKT_OK},
    {"set", set, TAKT_OK},
    {"clear", clear, TAKT_OK},
    {"start", start, TAKT_OK},
    {"start_periodic", start_periodic, TAKT_OK},
    {"remaining", remaining, TAKT_OK},
    {"stop", stop, TAKT_OK},
    {"resume", resume, TAKT_OK},
    {"notify", notify, TAKT_OK},
    {"arrive", arrive, TAKT_OK},
    {"enter", enter, TAKT_OK},
    {"leave", leave, TAKT_OK},
    {"budget", budget, TAKT_OK},
    {"replenishment", replenishment, TAKT_OK},
    {"executed", executed, TAKT_OK},
    {"take_record", take_record, TAKT_TIMEOUT},
    {"change", change, TAKT_ERROR_INTERRUPT}, /* there is none: it is made by intruders only */
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- who calls ------------------------------------------------------------------------------------- */

static const row_t *volatile current;
static volatile takt_status_t answer;
static volatile uint32_t calls;

static void call(void) {
    answer = current->make();
    calls = calls + 1u;
}

static void say_unless(bool holds, const char *sentence) {
    if (!holds) {
        board_print(current->name);
        check(false, sentence);
    }
}

static void expect(takt_status_t expected, const char *sentence) { say_unless(answer == expected, sentence); }

static void call_by_interrupt(void) {
    if (current->of_kernel != TAKT_ERROR_INTERRUPT) {
        board_interrupt_pend(0);
        expect(current->of_kernel, ": an_interrupt_that_the_lock_masks_may_call");
    }
}

static void remember(void) {
    for (uint32_t byte = 0; byte < sizeof objects; byte++) {
        snapshot[byte] = ((const unsigned char *)&objects)[byte];
    }
}

static bool is_as_before(void) {
    uint32_t byte = 0;
    while (byte < sizeof objects && snapshot[byte] == ((const unsigned char *)&objects)[byte]) {
        byte++;
    }
    return byte == sizeof objects;
}

static void intrude(void) {
    uint32_t contexts = 0;
    const uint32_t calls_before = calls;
    remember();
    while (board_intrude(contexts, call)) {
        contexts++;
        expect(TAKT_ERROR_INTERRUPT, ": who_is_not_masked_is_told");
        say_unless(is_as_before(), ": a_refused_call_changes_nothing");
    }
    check(contexts > 0 && calls == calls_before + contexts, "every_context_calls_once");
}

static void test(void *argument) {
    (void)argument;
    board_interrupt_enable(0, call);
    for (current = rows; current < rows + ROWS; current++) {
        intrude();
        call_by_interrupt();
        intrude();
    }
    board_exit(0);
}

/* ---- set-up ---------------------------------------------------------------------------------------- */

static void sleep(void *argument) {
    (void)argument;
    (void)takt_thread_suspend(&objects.sleeping);
    (void)takt_thread_suspend(&objects.sleeping);
}

static void wait_for_notification(void *argument) {
    (void)argument;
    for (;;) {
        uint32_t bits;
        (void)takt_notification_take(&bits);
    }
}

static void execute_jobs(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_wait_next_period();
    }
}

static void do_nothing(void *argument) { (void)argument; }

static void ignore(takt_task_t *task, takt_instant_t now) { (void)task, (void)now; }

static const takt_allocator_t functions = {
    .version = TAKT_ALLOCATOR_VERSION, .size = sizeof(takt_allocator_t), .enter = ignore, .leave = ignore};
static takt_allocation_t allocation;
static takt_task_extension_t extension;
static takt_arrival_t arrivals[CAPACITY * 2];
static conformance_stack_t stacks[5];

static takt_thread_parameters_t parameters_of(uint32_t number, void (*entry)(void *argument)) {
    return (takt_thread_parameters_t){
        .entry = entry, .stack = stacks[number], .stack_bytes = STACK_BYTES, .priority = 9};
}

static void must(takt_status_t status) { check(status == TAKT_OK, takt_status_message(status)); }

static void make_server(void) {
    const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                        .policy = &takt_policy_fp,
                                                        .period = PERIOD,
                                                        .budget = PERIOD / 2,
                                                        .priority = 1};
    must(takt_thread_server_create(&objects.server, &parameters));
}

static void make_jobs(void) {
    const takt_job_parameters_t of_sporadic = {.thread = parameters_of(0, execute_jobs),
                                               .relative_deadline = PERIOD,
                                               .arrivals = arrivals,
                                               .capacity = CAPACITY * 2};
    const takt_job_parameters_t of_allocated = {.thread = parameters_of(1, execute_jobs),
                                                .allocation = &allocation,
                                                .extension = &extension,
                                                .period = PERIOD,
                                                .relative_deadline = PERIOD};
    must(takt_kernel_add_allocator(&allocation, &functions));
    must(takt_sporadic_thread_create(&objects.sporadic, &of_sporadic));
    must(takt_allocated_thread_create(&objects.allocated, &of_allocated));
}

static void make_objects(void) {
    semaphore_begin(&objects.semaphore, 0);
    semaphore_begin(&objects.unit, 0);
    must(takt_messages_init(&objects.messages, places, sizeof places[0], CAPACITY));
    must(takt_pool_init(&objects.pool, blocks, sizeof blocks[0], BLOCKS));
    must(takt_pool_try_allocate(&objects.pool, &block));
    must(takt_flags_init(&objects.flags));
    must(takt_alarm_init(&objects.alarm, do_nothing, NULL));
    must(takt_trace_ring_init(&objects.ring, records, RECORDS));
    must(takt_statistics_init(&objects.statistics, executions, ENTITIES, NULL));
}

static takt_thread_t thread;

int main(void) {
    kernel_begin();
    make_objects();
    make_server();
    make_jobs();
    thread_begin(&objects.sleeping, stacks[2], 8, sleep, NULL);
    thread_begin(&objects.waiting, stacks[3], 8, wait_for_notification, NULL);
    thread_begin(&thread, stacks[4], 5, test, NULL);
    kernel_go();
}
