/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A storm of switches: a ring of threads that hand on one unit, with and without interrupts in between. Registers that a
 * call must keep are kept over a blocking call, nobody is passed over, and no stack grows. */
#include "tests/conformance/conformance.h"

enum { THREADS = 6, TURNS = 3000, PERIOD_INSTRUCTIONS = 1511 + 4096 * (CONFORMANCE_TRACED) };

typedef struct member {
    takt_thread_t thread;
    takt_semaphore_t turn;
    uint32_t turns;
    uint32_t untouched; /* of its stack, after half the turns */
    struct member *next;
    conformance_stack_t stack;
} member_t;

static member_t ring[THREADS];
static takt_thread_t disturbing, looking;
static conformance_stack_t disturbing_stack, looking_stack;
static takt_semaphore_t disturbance;
static uint32_t previous;

static void disturb(void) { (void)takt_semaphore_give_from_isr(&disturbance); }

static void take_turn(void *argument) {
    member_t *self = argument;
    check(takt_semaphore_take(&self->turn) == TAKT_OK, "a_turn_comes");
    const uint32_t index = (uint32_t)(self - ring);
    check(self->turns == 0 || index == (previous + 1u) % THREADS, "turns_come_in_the_order_of_the_ring");
    previous = index;
    board_registers_clobber();
    (void)takt_thread_yield();
    board_pass();
    check(takt_semaphore_give(&self->next->turn) == TAKT_OK, "a_turn_is_handed_on");
}

static void take_turns(void *argument) {
    member_t *self = argument;
    while (self->turns < TURNS) {
        check(board_registers_survive(take_turn, self), "a_call_that_switches_keeps_the_callers_registers");
        self->turns++;
        if (self->turns == TURNS / 2) {
            self->untouched = takt_thread_stack_unused(&self->thread);
        }
    }
}

static void disturbed(void *argument) {
    (void)argument;
    board_ticker_start(board_span(PERIOD_INSTRUCTIONS), disturb);
    for (;;) {
        (void)takt_semaphore_take(&disturbance);
        board_registers_clobber();
    }
}

/* The least urgent, so that it runs when all of the ring have returned. What grows, grows in half of the ring at the least;
 * a single one may have met its deepest interrupt late. */
static void look(void *argument) {
    (void)argument;
    uint32_t grown = 0;
    for (uint32_t index = 0; index < THREADS; index++) {
        const member_t *member = &ring[index];
        check(member->turns == TURNS, "everybody_has_had_all_turns");
        check(member->untouched > 0, "a_stack_is_large_enough");
        grown += takt_thread_stack_unused(&member->thread) < member->untouched;
    }
    check(grown < THREADS / 2 || !board_is_punctual(), "switches_do_not_grow_a_stack");
    board_exit(0);
}

/* Half of the ring is more urgent than the rest: some switches are preemptions by a give. */
int main(void) {
    kernel_begin();
    semaphore_begin(&disturbance, 0);
    thread_begin(&disturbing, disturbing_stack, 9, disturbed, NULL);
    for (uint32_t index = 0; index < THREADS; index++) {
        ring[index].next = &ring[(index + 1u) % THREADS];
        semaphore_begin(&ring[index].turn, index == 0 ? 1 : 0);
        thread_begin(&ring[index].thread, ring[index].stack, 1u + index % 2u, take_turns, &ring[index]);
    }
    thread_begin(&looking, looking_stack, 0, look, NULL);
    kernel_go();
}
