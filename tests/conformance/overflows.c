/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thread whose stack has overflowed is told by name as soon as it stops running: when it calls, or, with OVERFLOW_DISPLACED,
 * when an interrupt makes a more urgent one ready. takt_port_fault follows. With OVERFLOW_JUMP one frame jumps over the lowest
 * word, which stays as it was: that is told when the thread calls. With OVERFLOW_PRINTED the kernel's own hook is there. */
#include "kernel/hooks.h"
#include "tests/conformance/conformance.h"

#ifndef OVERFLOW_DISPLACED
#define OVERFLOW_DISPLACED 0
#endif

#ifndef OVERFLOW_JUMP
#define OVERFLOW_JUMP 0
#endif
#ifndef OVERFLOW_PRINTED
#define OVERFLOW_PRINTED 0
#endif

enum { BELOW_BYTES = 16384, FRAME_WORDS = 64 };

/* What overflows lies over memory that may be damaged. */
static struct {
    uint64_t below[BELOW_BYTES / sizeof(uint64_t)];
    conformance_stack_t stack;
} memory;

static takt_thread_t overflowing, healthy;
static conformance_stack_t healthy_stack;
static takt_semaphore_t semaphore;
static takt_thread_t *volatile told;

#if !OVERFLOW_PRINTED
void takt_hook_stack_overflow(takt_thread_t *thread) {
    check(told == NULL, "an_overflow_is_told_once");
    told = thread;
}
#endif

static void end_well(void) {
    const takt_thread_t *expected = (OVERFLOW_PRINTED) != 0 ? NULL : &overflowing;
    check(told == expected, "the_thread_that_has_overflowed_is_told_before_the_fault");
    board_exit(0);
}

static void give(void) { (void)takt_semaphore_give_from_isr(&semaphore); }

static void stop_running(void) {
    if ((OVERFLOW_DISPLACED) != 0) {
        board_interrupt_pend(0);
        board_pass();
    } else {
        (void)takt_thread_delay(board_span(5000));
    }
}

/* Frames, all of whose words are written, down to below the stack. */
static __attribute__((noinline)) uint32_t descend(uintptr_t bottom) {
    volatile uint32_t frame[FRAME_WORDS];
    for (uint32_t word = 0; word < FRAME_WORDS; word++) {
        frame[word] = word;
    }
    if ((uintptr_t)frame >= bottom) {
        return descend(bottom) + frame[1];
    }
    stop_running();
    return frame[2];
}

/* Nothing is written between its caller's frame and memory below the stack. */
static __attribute__((noinline)) uint32_t jump(void) {
    volatile unsigned char hole[sizeof(conformance_stack_t)];
    hole[0] = 1;
    stop_running();
    return hole[0];
}

static volatile uint32_t depth;

static void overflow(void *argument) {
    (void)argument;
    depth = (OVERFLOW_JUMP) != 0 ? jump() : descend((uintptr_t)memory.stack);
    check(false, "who_has_overflowed_its_stack_does_not_go_on");
}

/* More urgent, and on its own stack. */
static void wait(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&semaphore) == TAKT_OK, "a_take_succeeds");
    }
}

int main(void) {
    on_fault(end_well);
    kernel_begin();
    semaphore_begin(&semaphore, 0);
    board_interrupt_enable(0, give);
    thread_begin(&healthy, healthy_stack, 9, wait, NULL);
    thread_begin(&overflowing, memory.stack, 5, overflow, NULL);
    overflowing.name = "deep";
    kernel_go();
}
