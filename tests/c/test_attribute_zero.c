/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* With attributes zero both layers of the kernel decide alike (rule 2 of DESIGN.md).
 *
 * Random sequences of yield, take, give and give from an interrupt over plain threads run twice on the
 * fake port: once inline, once with TAKT_ATTRIBUTE_FULL_PASS on all threads, so that every event takes the
 * full pass. The thread that runs after each operation must be the same. The same with some threads in servers, where
 * the untraced run goes from one layer to the other, and time passes. A last run fires an interrupt in
 * every opening between the steps of a pass and checks that nothing is lost. */
#include <string.h>

#include "check.h"
#include "tests/fake_port/fake_port.h"
#include "kernel/semaphore.h"
#include "policy/table.h"

enum { SEQUENCES = 3000, OPERATIONS = 300, THREAD_LIMIT = 8, SEMAPHORE_LIMIT = 3, SERVER_LIMIT = 2 };

typedef struct subject {
    takt_thread_t threads[THREAD_LIMIT];
    uint64_t stacks[THREAD_LIMIT][TAKT_STACK_BYTES_MIN / sizeof(uint64_t)];
    uint32_t thread_count;
    takt_semaphore_t semaphores[SEMAPHORE_LIMIT];
    uint32_t semaphore_count;
    takt_thread_server_t servers[SERVER_LIMIT];
    uint32_t server_count;
} subject_t;

static subject_t subject;
static uint32_t ran[OPERATIONS + 1]; /* entity numbers, of the run that is compared with */

static void entry(void *argument) { (void)argument; }

static uint32_t records;

static void count_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    (void)record;
    records++;
}

static takt_trace_t trace = {.record = count_record};

/* ---- a system ------------------------------------------------------------------------------------ */

static void create_servers(uint64_t priorities) {
    for (uint32_t index = 0; index < subject.server_count; index++) {
        const takt_duration_t period = 5 + check_below(100);
        const takt_thread_server_parameters_t parameters = {
            .kind = &takt_server_deferrable,
            .policy = &takt_policy_fp,
            .period = period,
            .budget = 1 + check_below(period),
            .offset = check_below(20),
            .priority = (uint32_t)(check_below(priorities) * 29 / priorities),
        };
        CHECK(takt_thread_server_create(&subject.servers[index], &parameters) == TAKT_OK);
    }
}

/* Under the root, or in one of the servers. */
static takt_thread_server_t *draw_parent(void) {
    const uint64_t parent = check_below(2u * subject.server_count + 1u);
    return parent < subject.server_count ? &subject.servers[parent] : NULL;
}

static void create_threads(uint64_t priorities) {
    for (uint32_t index = 0; index < subject.thread_count; index++) {
        const takt_thread_parameters_t parameters = {
            .entry = entry,
            .stack = subject.stacks[index],
            .stack_bytes = sizeof subject.stacks[index],
            .priority = (uint32_t)(check_below(priorities) * 29 / priorities),
            .server = draw_parent(),
        };
        CHECK(takt_thread_create(&subject.threads[index], &parameters) == TAKT_OK);
    }
}

/* Draws the same system whenever the seed is the same. */
static void build(bool is_traced, uint32_t servers) {
    fake_port_reset();
    subject = (subject_t){0};
    records = 0;
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    if (is_traced) {
        CHECK(takt_kernel_trace_to(&trace) == TAKT_OK);
    }
    subject.thread_count = 1 + (uint32_t)check_below(THREAD_LIMIT);
    subject.semaphore_count = 1 + (uint32_t)check_below(SEMAPHORE_LIMIT);
    subject.server_count = servers;
    const uint64_t priorities = 1 + check_below(5);
    create_servers(priorities);
    create_threads(priorities);
    for (uint32_t index = 0; index < subject.semaphore_count; index++) {
        /* This port does not switch: a call that waits returns, and leaves no record that an order could need. */
        CHECK(takt_semaphore_init_fifo(&subject.semaphores[index], (int32_t)check_below(3)) == TAKT_OK);
    }
    CHECK(fake_port_start_kernel() == TAKT_OK);
}

static uint32_t running_number(void) { return takt_entity_number(&takt_kernel_running()->plain.entity); }

static bool is_idle(void) { return takt_kernel_running() == &takt_kernel.idle; }

/* ---- invariants ---------------------------------------------------------------------------------- */

static uint32_t waiters_of(takt_semaphore_t *semaphore) {
    uint32_t count = 0;
    const takt_entity_t *place = takt_queue_place(&semaphore->waiters.queue);
    for (const takt_entity_t *entity = place->next; entity != place; entity = entity->next) {
        CHECK((entity->state & TAKT_STATE_WAITING) != 0 && !takt_entity_is_ready(entity));
        count++;
    }
    return count;
}

static void check_invariants(void) {
    uint32_t waiting = 0;
    for (uint32_t index = 0; index < subject.semaphore_count; index++) {
        takt_semaphore_t *semaphore = &subject.semaphores[index];
        const uint32_t count = waiters_of(semaphore);
        CHECK(count == (semaphore->waiters.count < 0 ? (uint32_t)-semaphore->waiters.count : 0u));
        waiting += count;
    }
    for (uint32_t index = 0; index < subject.thread_count; index++) {
        waiting -= !takt_entity_is_ready(&subject.threads[index].plain.entity);
    }
    CHECK(waiting == 0);
    if (subject.server_count == 0) {
        CHECK(takt_kernel.cpu.running == takt_levels_best(takt_kernel_levels(), 1));
    }
    CHECK(fake_port.running == takt_kernel_running());
    CHECK(fake_port.level == 0 && takt_kernel.busy == 0);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static void give_handler(void *argument) { CHECK(takt_semaphore_give_from_isr(argument) == TAKT_OK); }

static void give_twice_handler(void *argument) {
    give_handler(argument);
    give_handler(&subject.semaphores[0]);
}

static void operate_thread(uint64_t choice, takt_semaphore_t *semaphore) {
    if (choice < 30) {
        CHECK(takt_thread_yield() == TAKT_OK);
    } else if (choice < 70) {
        CHECK(takt_semaphore_take(semaphore) == TAKT_OK);
    } else {
        CHECK(takt_semaphore_give(semaphore) == TAKT_OK);
    }
}

static void timer_handler(void *argument) {
    (void)argument;
    takt_kernel_timer_expired();
}

static void let_time_pass(void) {
    fake_port.now += check_below(5);
    if (fake_port.now >= fake_port.until) {
        fake_port_interrupt(timer_handler, NULL);
    }
}

static void operate(void) {
    let_time_pass();
    const uint64_t choice = check_below(120);
    takt_semaphore_t *semaphore = &subject.semaphores[check_below(subject.semaphore_count)];
    if (choice >= 100 || is_idle()) {
        fake_port_interrupt(choice % 2 == 0 ? give_handler : give_twice_handler, semaphore);
    } else {
        operate_thread(choice, semaphore);
    }
    check_invariants();
}

/* ---- the tests ----------------------------------------------------------------------------------- */

static void run_first(uint32_t servers) {
    build(false, servers);
    ran[0] = running_number();
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate();
        ran[operation + 1] = running_number();
    }
}

static void run_traced(uint32_t servers) {
    build(true, servers);
    CHECK(ran[0] == running_number());
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate();
        CHECK(ran[operation + 1] == running_number());
    }
    CHECK(records > subject.thread_count);
}

static void with_attributes_zero_both_layers_decide_alike(void) {
    const uint64_t seed = check_run.seed;
    run_first(0);
    CHECK(!takt_kernel_has_pass() &&
          takt_kernel.dispatcher.sequence == 0u); /* not even the wakes of the start */
    check_seed(seed);
    run_traced(0);
}

static void beside_servers_both_layers_decide_alike(void) {
    const uint64_t seed = check_run.seed;
    const uint32_t servers = 1 + (uint32_t)(seed % SERVER_LIMIT);
    run_first(servers);
    check_seed(seed);
    run_traced(servers);
}

/* An interrupt may preempt a thread's own pass between two steps: it must leave the decision to it. */
static void interrupt_a_pass(void) {
    takt_semaphore_t *semaphore = &subject.semaphores[check_below(subject.semaphore_count)];
    const uint32_t switches = fake_port.switches;
    fake_port_interrupt(give_handler, semaphore);
    CHECK(fake_port.switches == switches);
}

static void interrupts_between_steps_lose_nothing(void) {
    build(true, 0);
    fake_port.breathing = interrupt_a_pass;
    for (uint32_t operation = 0; operation < OPERATIONS && !is_idle(); operation++) {
        operate_thread(check_below(100), &subject.semaphores[check_below(subject.semaphore_count)]);
        check_invariants();
    }
}

/* ---- misuse -------------------------------------------------------------------------------------- */

static void misuse_from_isr(void *argument) {
    (void)argument;
    CHECK(takt_thread_yield() == TAKT_ERROR_IN_ISR);
    CHECK(takt_semaphore_take(&subject.semaphores[0]) == TAKT_ERROR_IN_ISR);
    CHECK(takt_semaphore_give(&subject.semaphores[0]) == TAKT_ERROR_IN_ISR);
    CHECK(takt_wait_next_period() == TAKT_ERROR_IN_ISR);
    CHECK(takt_semaphore_give_from_isr(NULL) == TAKT_ERROR_NULL);
}

static void calls_before_the_start_are_refused(void) {
    fake_port_reset();
    takt_semaphore_t semaphore;
    CHECK(takt_semaphore_init(NULL, 0) == TAKT_ERROR_NULL &&
          takt_semaphore_init(&semaphore, -1) == TAKT_ERROR_COUNT);
    CHECK(takt_semaphore_init(&semaphore, 1) == TAKT_OK);
    CHECK(takt_semaphore_take(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_take(&semaphore) == TAKT_ERROR_NOT_STARTED && semaphore.waiters.count == 0);
    CHECK(takt_thread_yield() == TAKT_ERROR_NOT_STARTED && takt_wait_next_period() == TAKT_ERROR_NOT_STARTED);
    CHECK(takt_kernel_start() == TAKT_ERROR_NOT_INITIALISED && takt_kernel_init(NULL) == TAKT_ERROR_NULL);
    CHECK(takt_kernel_trace_to(&trace) == TAKT_ERROR_NOT_INITIALISED);
}

static void misuse_of_a_running_kernel_is_refused(void) {
    check_seed(1);
    build(false, 0);
    takt_semaphore_t full;
    CHECK(takt_semaphore_init(&full, TAKT_SEMAPHORE_MAX) == TAKT_OK);
    CHECK(takt_semaphore_give(&full) == TAKT_ERROR_COUNT && full.waiters.count == TAKT_SEMAPHORE_MAX);
    CHECK(takt_semaphore_give_from_isr(&full) == TAKT_ERROR_NOT_IN_ISR);
    CHECK(takt_semaphore_take(NULL) == TAKT_ERROR_NULL && takt_semaphore_give(NULL) == TAKT_ERROR_NULL);
    CHECK(takt_wait_next_period() == TAKT_ERROR_NOT_PERIODIC);
    CHECK(takt_kernel_start() == TAKT_ERROR_STARTED &&
          takt_kernel_init(&takt_policy_fp) == TAKT_ERROR_STARTED);
    fake_port_interrupt(misuse_from_isr, NULL);
    const takt_port_level_t level = takt_port_lock();
    CHECK(takt_thread_yield() == TAKT_ERROR_LOCKED && takt_semaphore_give(&full) == TAKT_ERROR_LOCKED);
    takt_port_unlock(level);
    check_invariants();
}

int main(void) {
    calls_before_the_start_are_refused();
    misuse_of_a_running_kernel_is_refused();
    check_sequences(with_attributes_zero_both_layers_decide_alike, SEQUENCES);
    check_sequences(beside_servers_both_layers_decide_alike, SEQUENCES);
    check_sequences(interrupts_between_steps_lose_nothing, SEQUENCES);
    return check_report("test_attribute_zero");
}
