/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads come and go: thousands in fresh memory, as many at a time as there is room for, and none is refused because of those
 * that have ended. */
#include "tests/conformance/conformance.h"

enum { LIVING = 5, CYCLES = 3000, ENTITIES = TAKT_KERNEL_ENTITY_LIMIT };

static takt_thread_t blocks[LIVING], many[ENTITIES];
static conformance_stack_t stacks[LIVING];
static volatile uint32_t runs;

/* The memory of the control block is new to the kernel. */
static takt_status_t create(takt_thread_t *thread, uint32_t place, void (*entry)(void *argument)) {
    const takt_thread_parameters_t parameters = {
        .entry = entry, .stack = stacks[place], .stack_bytes = STACK_BYTES, .priority = 7};
    *thread = (takt_thread_t){.stack = NULL};
    return takt_thread_create(thread, &parameters);
}

static void end(void *argument) {
    (void)argument;
    runs = runs + 1u;
}

static void end_by_itself(void *argument) {
    end(argument);
    (void)takt_thread_delete(takt_kernel_running());
}

static void stay(void *argument) {
    end(argument);
    (void)takt_thread_suspend(takt_kernel_running());
}

static void numbers_come_back(void) {
    static void (*const entries[])(void *argument) = {end, end_by_itself, stay};
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint32_t place = cycle % LIVING;
        (void)takt_thread_delete(&blocks[place]); /* one that stays */
        check(create(&blocks[place], place, entries[cycle % 3u]) == TAKT_OK,
              "a_deleted_thread_takes_no_room");
        check(takt_thread_delay(board_span(5000)) == TAKT_OK, "a_delay_succeeds");
        check(runs == cycle + 1u, "each_thread_runs_once");
    }
    for (uint32_t place = 0; place < LIVING; place++) {
        (void)takt_thread_delete(&blocks[place]);
    }
}

/* None of them runs, so that one stack does. */
static uint32_t fill(void) {
    uint32_t count = 0;
    const takt_thread_parameters_t parameters = {
        .entry = end, .stack = stacks[0], .stack_bytes = STACK_BYTES, .priority = 0};
    while (count < ENTITIES && takt_thread_create(&many[count], &parameters) == TAKT_OK) {
        count++;
    }
    check(takt_thread_create(&many[count], &parameters) == TAKT_ERROR_FULL, "what_does_not_fit_is_refused");
    return count;
}

static void room_comes_back(void) {
    const uint32_t count = fill();
    for (uint32_t index = 0; index < count; index++) {
        check(takt_thread_delete(&many[index]) == TAKT_OK, "a_delete_succeeds");
        many[index] = (takt_thread_t){.stack = NULL};
    }
    check(count > 20 && fill() == count, "all_room_comes_back");
}

static void test(void *argument) {
    (void)argument;
    numbers_come_back();
    room_comes_back();
    board_exit(0);
}

static takt_thread_t thread;
static conformance_stack_t stack;

int main(void) {
    kernel_begin();
    thread_begin(&thread, stack, 5, test, NULL);
    kernel_go();
}
