/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Torture: many threads that are created, wait and are deleted at random, against a count of what each must have done.
 *
 * The master is the most urgent thread. It draws what happens, then waits until all others have done what they can; then each
 * thread has taken what it was given, and no more. */
#include "kernel/inspect.h"
#include "tests/conformance/conformance.h"

#ifndef TORTURE_THREADS
#define TORTURE_THREADS 20
#endif
#ifndef TORTURE_ROUNDS
#define TORTURE_ROUNDS 60
#endif
#ifndef TORTURE_SEED
#define TORTURE_SEED 1
#endif

enum { SMALL_STACK = TAKT_STACK_BYTES_MIN + 512, ACTS = TORTURE_THREADS, SETTLE = 4000 };

typedef struct slot {
    takt_thread_t thread;
    takt_semaphore_t semaphore;
    bool exists;
    bool is_to_end;
    volatile uint32_t done;
    uint32_t expected;
} slot_t;

static slot_t slots[TORTURE_THREADS];
static uint64_t memory[TORTURE_THREADS][SMALL_STACK / sizeof(uint64_t)] __attribute__((aligned(16)));
static takt_thread_t master;
static conformance_stack_t master_stack;
static uint32_t random_state = (TORTURE_SEED);

#define MUST(call) check((call) == TAKT_OK, #call)

static uint32_t draw(uint32_t below) {
    random_state = random_state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (random_state >> 8) % below;
}

/* Takes; every third time with an end that comes first now and then, and is then taken up again. */
static void take(void *argument) {
    slot_t *slot = argument;
    while (!slot->is_to_end) {
        const bool has_end = slot->done % 3u == 2u;
        const takt_status_t status =
            has_end ? takt_semaphore_take_for(&slot->semaphore, board_span(900) * TORTURE_THREADS)
                    : takt_semaphore_take(&slot->semaphore);
        check(status == TAKT_OK || (has_end && status == TAKT_TIMEOUT), "a_take_succeeds_or_its_time_is_up");
        slot->done += status == TAKT_OK;
        board_pass();
    }
}

static void create(slot_t *slot, uint32_t index) {
    const takt_thread_parameters_t parameters = {.entry = take,
                                                 .argument = slot,
                                                 .stack = memory[index],
                                                 .stack_bytes = SMALL_STACK,
                                                 .priority = 1u + draw(25)};
    slot->exists = true;
    slot->is_to_end = false;
    slot->done = 0;
    slot->expected = 0;
    semaphore_begin(&slot->semaphore, 0);
    MUST(takt_thread_create(&slot->thread, &parameters));
}

static void end(slot_t *slot) {
    if (draw(2) == 0) {
        MUST(takt_thread_delete(&slot->thread));
    } else {
        slot->is_to_end = true; /* it returns after what it is given */
        slot->expected++;
        MUST(takt_semaphore_give(&slot->semaphore));
    }
    slot->exists = false;
}

static void act(void) {
    const uint32_t index = draw(TORTURE_THREADS);
    slot_t *slot = &slots[index];
    if (!slot->exists) {
        if (takt_thread_state(&slot->thread) == TAKT_THREAD_ENDED) {
            create(slot, index);
        }
    } else if (draw(4) == 0) {
        end(slot);
    } else if (draw(5) == 0) {
        MUST(takt_thread_set_priority(&slot->thread, 1u + draw(25)));
    } else {
        slot->expected++;
        MUST(takt_semaphore_give(&slot->semaphore));
    }
}

static void check_all(void) {
    for (uint32_t i = 0; i < TORTURE_THREADS; i++) {
        if (slots[i].exists) {
            check(slots[i].done == slots[i].expected, "each_thread_has_done_what_it_was_given");
            const takt_thread_state_t state = takt_thread_state(&slots[i].thread);
            check(state == TAKT_THREAD_WAITING || state == TAKT_THREAD_READY, "a_thread_that_exists_waits");
        } else {
            check(takt_thread_state(&slots[i].thread) == TAKT_THREAD_ENDED, "a_thread_that_was_ended_is");
        }
    }
}

static void rule(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < TORTURE_THREADS; i++) {
        create(&slots[i], i);
    }
    for (uint32_t round = 0; round < TORTURE_ROUNDS; round++) {
        const uint32_t acts = 1u + draw(ACTS);
        for (uint32_t i = 0; i < acts; i++) {
            act();
        }
        MUST(takt_thread_delay(board_span(SETTLE) * TORTURE_THREADS));
        check_all();
    }
    board_exit(0);
}

int main(void) {
    kernel_begin();
    thread_begin(&master, master_stack, 29, rule, NULL);
    kernel_go();
}
