/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The two smallest stacks: threads on TAKT_STACK_BYTES_PLAIN make the deepest calls that there are without the full pass,
 * under a storm of interrupts; and what would bring the full pass to them is refused. */
#include "kernel/flags.h"
#include "kernel/job.h"
#include "kernel/recursive.h"
#include "kernel/slice.h"
#include "policy/table.h"
#include "tests/conformance/conformance.h"

enum {
    OWN_BYTES = 96, /* frames of the program's own functions */
    SMALL_BYTES = TAKT_STACK_BYTES_PLAIN + OWN_BYTES,
    ROUNDS = 200,
    STORM_INSTRUCTIONS = 1511,
    WAIT_INSTRUCTIONS = 4001,
    ROUND_INSTRUCTIONS = 6007,
};

typedef uint64_t small_stack_t[SMALL_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));

static small_stack_t locking_stack, other_stack, waiting_stack, awaiting_stack;
static conformance_stack_t judging_stack, large_stack;
static takt_thread_t locking, other, waiting, awaiting, judging;
static takt_recursive_mutex_t mutex;
static takt_semaphore_t given;
static takt_flags_t flags;
static takt_sliced_thread_t sliced;
static takt_periodic_thread_t periodic;
static takt_resource_t resource;

static void interrupt(void) { (void)takt_semaphore_give_from_isr(&given); }

static void lock(void *argument) {
    (void)argument;
    for (;;) {
        if (takt_recursive_mutex_lock_for(&mutex, board_span(WAIT_INSTRUCTIONS)) == TAKT_OK) {
            (void)takt_thread_delay(board_span(WAIT_INSTRUCTIONS / 2));
            (void)takt_recursive_mutex_unlock(&mutex);
        }
    }
}

static void take(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&given);
    }
}

static void await(void *argument) {
    uint32_t bits;
    (void)argument;
    for (;;) {
        (void)takt_flags_wait_for(&flags, 1, TAKT_FLAGS_CLEAR, &bits, board_span(WAIT_INSTRUCTIONS));
    }
}

static takt_thread_parameters_t of(void (*entry)(void *argument), void *stack, uint32_t bytes,
                                   uint32_t priority) {
    return (takt_thread_parameters_t){
        .entry = entry, .stack = stack, .stack_bytes = bytes, .priority = priority};
}

static void begin(takt_thread_t *thread, void (*entry)(void *argument), void *stack, uint32_t priority) {
    const takt_thread_parameters_t parameters = of(entry, stack, SMALL_BYTES, priority);
    check(takt_thread_create(thread, &parameters) == TAKT_OK, "a_plain_thread_has_a_small_stack");
}

static void refuse(void) {
    takt_thread_parameters_t parameters = of(take, large_stack, sizeof large_stack, 1);
    check(takt_sliced_thread_create(&sliced, &parameters, 1000) == TAKT_ERROR_STACK,
          "no_slices_beside_small_stacks");
    const takt_job_parameters_t of_job = {.thread = parameters, .period = 1000, .relative_deadline = 1000};
    check(
        takt_periodic_thread_create(&periodic, &of_job) == TAKT_ERROR_STACK || takt_kernel_running() != NULL,
        "no_jobs_beside_small_stacks");
    check(takt_job_resource_init(&resource, TAKT_PROTOCOL_PIP, 0, NULL) == TAKT_ERROR_STACK,
          "no_resources_of_jobs_beside_small_stacks");
}

static void is_whole(const takt_thread_t *thread) {
    check(takt_thread_stack_unused(thread) >= sizeof(uint32_t), "a_small_stack_holds_every_call");
}

static void judge(void *argument) {
    (void)argument;
    board_ticker_start(board_span(STORM_INSTRUCTIONS), interrupt);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_thread_delay(board_span(ROUND_INSTRUCTIONS));
        (void)takt_flags_set(&flags, 1);
    }
    board_ticker_stop();
    refuse();
    is_whole(&locking);
    is_whole(&other);
    is_whole(&waiting);
    is_whole(&awaiting);
    board_exit(0);
}

/* With the full pass nothing is smaller than TAKT_STACK_BYTES_MIN. */
static void refuse_all(void) {
    const takt_thread_parameters_t parameters = of(take, large_stack, TAKT_STACK_BYTES_MIN - 8, 1);
    check(takt_thread_create(&other, &parameters) == TAKT_ERROR_STACK, "the_full_pass_needs_a_larger_stack");
    board_exit(0);
}

int main(void) {
    const takt_mutex_parameters_t of_mutex = {.protocol = TAKT_PROTOCOL_PIP};
    kernel_begin();
    if (CONFORMANCE_TRACED != 0) {
        refuse_all();
    }
    semaphore_begin(&given, 0);
    check(takt_flags_init(&flags) == TAKT_OK, "flags");
    check(takt_recursive_mutex_init(&mutex, &of_mutex) == TAKT_OK, "a_mutex");
    const takt_thread_parameters_t too_small = of(take, large_stack, TAKT_STACK_BYTES_PLAIN - 8, 1);
    check(takt_thread_create(&other, &too_small) == TAKT_ERROR_STACK, "there_is_a_smallest_stack");
    begin(&locking, lock, locking_stack, 2);
    begin(&other, lock, other_stack, 3);
    begin(&waiting, take, waiting_stack, 5);
    begin(&awaiting, await, awaiting_stack, 4);
    refuse();
    thread_begin(&judging, judging_stack, 6, judge, NULL);
    kernel_go();
}
