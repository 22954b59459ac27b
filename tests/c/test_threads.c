/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How many threads may exist, by the order of the policy, how much of a stack was never written, and from where calls about
 * threads, semaphores and mutexes are refused. On the fake port. */
#include "check.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"
#include "policy/table.h"
#include "tests/fake_port/fake_port.h"

enum { LIMIT = TAKT_KERNEL_ENTITY_LIMIT + 1, WORDS = TAKT_STACK_BYTES_MIN / sizeof(uint64_t) };

static takt_thread_t threads[LIMIT];
static uint64_t stacks[LIMIT][WORDS];
static takt_thread_server_t server;

static void entry(void *argument) { (void)argument; }

static takt_status_t create(uint32_t index, takt_thread_server_t *parent) {
    const takt_thread_parameters_t parameters = {.entry = entry,
                                                 .stack = stacks[index],
                                                 .stack_bytes = sizeof stacks[index],
                                                 .priority = 3,
                                                 .server = parent};
    threads[index] = (takt_thread_t){0};
    return takt_thread_create(&threads[index], &parameters);
}

static void begin(const takt_policy_t *policy) {
    fake_port_reset();
    CHECK(takt_kernel_init(policy) == TAKT_OK);
}

/* Creates threads until one is refused; gives how many there are. */
static uint32_t fill(takt_thread_server_t *parent) {
    uint32_t count = 0;
    takt_status_t status = TAKT_OK;
    while (status == TAKT_OK) {
        CHECK(count < LIMIT);
        status = create(count, parent);
        count += status == TAKT_OK ? 1u : 0u;
    }
    CHECK(status == TAKT_ERROR_FULL);
    return count;
}

/* The root and the idle thread have numbers; of a heap of the root one place is left for the idle thread. */
static void levels_hold_all_and_heaps_what_fits_them(void) {
    begin(&takt_policy_fp);
    CHECK(fill(NULL) == TAKT_KERNEL_ENTITY_LIMIT - 2u);
    begin(&takt_policy_edf);
    CHECK(fill(NULL) == TAKT_KERNEL_HEAP_SLOTS - 1u);
}

static void create_server(const takt_policy_t *policy) {
    const takt_thread_server_parameters_t parameters = {
        .kind = &takt_server_deferrable, .policy = policy, .period = 10, .budget = 5, .priority = 4};
    server = (takt_thread_server_t){0};
    CHECK(takt_thread_server_create(&server, &parameters) == TAKT_OK);
}

/* A server has a number, too. */
static void a_server_holds_as_much_as_its_order_does(void) {
    begin(&takt_policy_fp);
    create_server(&takt_policy_fp);
    CHECK(fill(&server) == TAKT_KERNEL_ENTITY_LIMIT - 3u);
    begin(&takt_policy_fp);
    create_server(&takt_policy_edf);
    CHECK(fill(&server) == TAKT_KERNEL_HEAP_SLOTS);
}

static void a_thread_that_is_deleted_makes_room(void) {
    begin(&takt_policy_edf);
    const uint32_t count = fill(NULL);
    CHECK(fake_port_start_kernel() == TAKT_OK);
    CHECK(takt_thread_delete(&threads[1]) == TAKT_OK);
    CHECK(create(1, NULL) == TAKT_OK);
    CHECK(create(count, NULL) == TAKT_ERROR_FULL);
}

/* A stack grows down: unused is what lies before the first word that was written. */
static void what_was_never_written_of_a_stack_is_unused(void) {
    begin(&takt_policy_fp);
    CHECK(takt_thread_stack_unused(NULL) == 0);
    CHECK(create(0, NULL) == TAKT_OK);
    uint32_t *words = (uint32_t *)(void *)stacks[0];
    for (uint32_t at = 0; at < 2u * WORDS; at++) {
        words[at] = TAKT_STACK_PAINT;
    }
    CHECK(takt_thread_stack_unused(&threads[0]) == sizeof stacks[0]);
    for (uint32_t at = 2u * WORDS; at-- > 0;) {
        words[at] = 1;
        CHECK(takt_thread_stack_unused(&threads[0]) == at * sizeof *words);
    }
}

/* ---- calls by a thread that has closed the lock, and in an interrupt ------------------------------ */

static takt_semaphore_t semaphore;
static takt_mutex_t mutex;

static takt_status_t delete_thread(void) { return takt_thread_delete(&threads[1]); }
static takt_status_t set_priority(void) { return takt_thread_set_priority(&threads[1], 2); }
static takt_status_t delay(void) { return takt_thread_delay(1); }
static takt_status_t suspend(void) { return takt_thread_suspend(&threads[1]); }
static takt_status_t resume(void) { return takt_thread_resume(&threads[1]); }
static takt_status_t notify(void) { return takt_thread_notify(&threads[1], 1); }
static takt_status_t create_thread(void) { return create(2, NULL); }
static takt_status_t take(void) { return takt_semaphore_take(&semaphore); }
static takt_status_t take_for(void) { return takt_semaphore_take_for(&semaphore, 1); }
static takt_status_t give(void) { return takt_semaphore_give(&semaphore); }
static takt_status_t give_signal(void) { return takt_semaphore_signal(&semaphore); }
static takt_status_t lock(void) { return takt_mutex_lock(&mutex); }
static takt_status_t lock_for(void) { return takt_mutex_lock_for(&mutex, 1); }
static takt_status_t unlock(void) { return takt_mutex_unlock(&mutex); }

static takt_status_t (*const calls_of_threads[])(void) = {
    takt_thread_yield, delete_thread, set_priority, delay, suspend,  resume, notify, create_thread, take,
    take_for,          give,          give_signal,  lock,  lock_for, unlock};

/* Makes each call, which answers `status`. */
static void call_all(void *status) {
    for (uint32_t i = 0; i < sizeof calls_of_threads / sizeof *calls_of_threads; i++) {
        CHECK(calls_of_threads[i]() == *(const takt_status_t *)status);
    }
}

static void calls_of_threads_are_refused_with_the_lock_closed_and_in_an_interrupt(void) {
    const takt_mutex_parameters_t parameters = {.protocol = TAKT_PROTOCOL_PIP};
    takt_status_t locked = TAKT_ERROR_LOCKED, in_isr = TAKT_ERROR_IN_ISR;
    begin(&takt_policy_fp);
    CHECK(create(0, NULL) == TAKT_OK && create(1, NULL) == TAKT_OK);
    CHECK(takt_semaphore_init(&semaphore, 1) == TAKT_OK && takt_mutex_init(&mutex, &parameters) == TAKT_OK);
    CHECK(fake_port_start_kernel() == TAKT_OK);
    const takt_port_level_t level = takt_port_lock();
    call_all(&locked);
    takt_port_unlock(level);
    fake_port_interrupt(call_all, &in_isr);
    CHECK(delete_thread() == TAKT_OK); /* no refused call has deleted it */
}

int main(void) {
    levels_hold_all_and_heaps_what_fits_them();
    a_server_holds_as_much_as_its_order_does();
    a_thread_that_is_deleted_makes_room();
    what_was_never_written_of_a_stack_is_unused();
    calls_of_threads_are_refused_with_the_lock_closed_and_in_an_interrupt();
    return check_report("test_threads");
}
