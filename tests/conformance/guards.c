/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thread that writes to the guard of its stack is told by name at once, without a call of the kernel, and takt_port_fault
 * follows. GUARDS_ACT says what the thread does; GUARDS_MARGIN how many bytes are left above the guard, GUARDS_KIND which bad
 * access is made where that matters. With GUARDS_PRINTED the kernel's own hook is there. */
#include "kernel/hooks.h"
#include "kernel/job.h"
#include "tests/conformance/conformance.h"

#ifndef GUARDS_ACT
#define GUARDS_ACT JUMP
#endif
#ifndef GUARDS_MARGIN
#define GUARDS_MARGIN 0
#endif
#ifndef GUARDS_KIND
#define GUARDS_KIND 0
#endif
#ifndef GUARDS_PRINTED
#define GUARDS_PRINTED 0
#endif

/* 1: the thread has used the floating-point unit before, so that more is saved. */
#ifndef GUARDS_COMPUTE
#define GUARDS_COMPUTE 0
#endif

enum act {
    JUMP,           /* a frame jumps over the lowest word, writes above it, and does not end */
    RECUR,          /* frame by frame, all of which are written */
    YIELD,          /* what a switch saves does not fit */
    BE_INTERRUPTED, /* what an interrupt, or the preemption that follows, saves does not fit */
    OVERFLOW_ANEW, /* like JUMP, in memory that was the stack of threads that were deleted or have returned */
    OVERFLOW_AS_JOB, /* like JUMP, in a job whose context was built anew while the one before stood on the stack */
    TRESPASS,        /* no overflow: an access to memory that is not there */
};

enum { FRAME_WORDS = 16, SPINS = 5000000, LIFE_INSTRUCTIONS = 20000 };

static struct {
    uint64_t below[STACK_BYTES / sizeof(uint64_t)];
    conformance_stack_t stack;
} memory;

static takt_thread_t overflowing, healthy;
static takt_periodic_thread_t periodic;
static takt_task_extension_t extension;
static conformance_stack_t healthy_stack, director_stack;
static takt_semaphore_t semaphore;
static takt_thread_t *volatile told;
static const takt_thread_t *expected;

#if !GUARDS_PRINTED
void takt_hook_stack_overflow(takt_thread_t *thread) {
    check(told == NULL, "an_overflow_is_told_once");
    told = thread;
}
#endif

static void end_well(void) {
    check(told == ((GUARDS_PRINTED) != 0 ? NULL : expected), "the_thread_that_has_hit_its_guard_is_told");
    board_exit(0);
}

static void end_untold(void) {
    check(told == NULL, "a_bad_access_is_no_overflow");
    board_exit(0);
}

/* ---- ways to overflow ------------------------------------------------------------------------------- */

static void spin(void) {
    for (uint32_t count = 0; count < SPINS && told == NULL; count++) {
        board_pass();
    }
}

/* Bytes from `address` down to `end`, as many as a frame can have. */
static size_t bytes_between(volatile const void *address, uintptr_t end) {
    const uintptr_t distance = (uintptr_t)address - end;
    return distance < sizeof(conformance_stack_t) ? distance & ~(size_t)7 : 0;
}

static __attribute__((noinline)) void jump(uintptr_t guard) {
    volatile char *top = __builtin_alloca(16);
    volatile char *hole = __builtin_alloca(bytes_between(top, guard) + 64u);
    hole[(size_t)(guard - (uintptr_t)hole)] = 1;
    spin();
}

static __attribute__((noinline)) uint32_t recur(uintptr_t guard) {
    volatile uint32_t frame[FRAME_WORDS];
    for (uint32_t word = 0; word < FRAME_WORDS; word++) {
        frame[word] = word;
    }
    return (uintptr_t)frame < guard ? frame[0] : recur(guard) + frame[1];
}

/* Calls `act` with the stack pointer as near above the guard's end as GUARDS_MARGIN says, and nothing written there. */
static __attribute__((noinline)) void descend_and(void (*act)(void), uintptr_t guard) {
    volatile char *top = __builtin_alloca(16);
    const size_t bytes = bytes_between(top, guard + board_guard_bytes() + GUARDS_MARGIN);
    volatile char *hole = __builtin_alloca(bytes);
    hole[bytes - 1u] = 1;
    act();
    hole[bytes - 1u] = 2;
}

static void yield(void) { (void)takt_thread_yield(); }

static void interrupt(void) { (void)takt_semaphore_give_from_isr(&semaphore); }

static void overflow(void *argument) {
    const uintptr_t guard = (uintptr_t)board_guard(memory.stack);
    (void)argument;
#if GUARDS_COMPUTE
    board_floats_clobber();
#endif
    if ((GUARDS_ACT) == RECUR) {
        (void)recur(guard);
    } else if ((GUARDS_ACT) == YIELD) {
        descend_and(yield, guard);
    } else if ((GUARDS_ACT) == BE_INTERRUPTED) {
        board_ticker_start(board_span(LIFE_INSTRUCTIONS), interrupt);
        descend_and(spin, guard);
    } else {
        jump(guard);
    }
    check(false, "who_has_hit_the_guard_does_not_go_on");
}

/* ---- threads ---------------------------------------------------------------------------------------- */

static void wait(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&semaphore) == TAKT_OK, "a_take_succeeds");
    }
}

static void go_on(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_yield();
    }
}

static void end_at_once(void *argument) { (void)argument; }

static void trespass(void *argument) {
    (void)argument;
    board_trespass(GUARDS_KIND, end_untold);
    check(false, "a_bad_access_does_not_go_on");
}

/* The memory of a thread that was deleted, or has returned, is like any other. */
static void use_memory(void) {
    volatile uint64_t *words = memory.stack;
    for (uint32_t word = 0; word < sizeof memory.stack / sizeof *words; word++) {
        words[word] = UINT64_MAX;
    }
}

static void direct(void *argument) {
    (void)argument;
    thread_begin(&overflowing, memory.stack, 9, wait, NULL);
    check(takt_thread_delete(&overflowing) == TAKT_OK, "a_thread_is_deleted");
    use_memory();
    thread_begin(&overflowing, memory.stack, 9, end_at_once, NULL);
    use_memory();
    thread_begin(&overflowing, memory.stack, 9, overflow, NULL);
}

/* The first job lasts beyond its deadline, and is ended there; the second one overflows. */
static void work_too_long(void *argument) {
    static volatile uint32_t jobs;
    jobs = jobs + 1u;
    check(jobs <= 2, "who_has_hit_the_guard_does_not_go_on");
    if (jobs == 2) {
        overflow(argument);
    }
    for (;;) {
        board_pass();
    }
}

static void begin_job(void) {
    const takt_duration_t period = board_span(LIFE_INSTRUCTIONS);
    const takt_job_parameters_t parameters = {
        .thread = {.name = "deep",
                   .entry = work_too_long,
                   .stack = memory.stack,
                   .stack_bytes = sizeof memory.stack,
                   .priority = 5},
        .period = period,
        .relative_deadline = period,
        .on_miss = TAKT_ON_MISS_ABORT,
        .extension = &extension,
    };
    expected = &periodic.job.thread;
    check(takt_periodic_thread_create(&periodic, &parameters) == TAKT_OK, "a_periodic_thread_is_created");
}

int main(void) {
    on_fault(end_well);
    kernel_begin();
    semaphore_begin(&semaphore, 0);
    expected = &overflowing;
    thread_begin(&healthy, healthy_stack, (GUARDS_ACT) == YIELD ? 5 : 9, (GUARDS_ACT) == YIELD ? go_on : wait,
                 NULL);
    if ((GUARDS_ACT) == OVERFLOW_ANEW) {
        static takt_thread_t director;
        thread_begin(&director, director_stack, 5, direct, NULL);
    } else if ((GUARDS_ACT) == OVERFLOW_AS_JOB) {
        begin_job();
    } else {
        thread_begin(&overflowing, memory.stack, 5, (GUARDS_ACT) == TRESPASS ? trespass : overflow, NULL);
        overflowing.name = "deep";
    }
    kernel_go();
}
