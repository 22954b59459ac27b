/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Guard pages of a process: whose writes they stop, and what becomes of them when threads and programs end. What a thread that
 * overflows is told, tests/conformance/guards.c has. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "posix_run.h"
#include "kernel/state.h"

static takt_thread_t thread;
static uint64_t stack[STACK_BYTES / sizeof(uint64_t)];

static void make(void (*entry)(void *argument)) {
    const takt_thread_parameters_t parameters = {
        .name = "thread", .entry = entry, .stack = stack, .stack_bytes = STACK_BYTES, .priority = 9};
    CHECK(takt_thread_create(&thread, &parameters) == TAKT_OK);
}

enum { READ_BYTES = 16384 /* with the guard among them */ };

/* Linux takes no fault for a system call: it refuses memory that cannot be written. */
static bool can_be_read_into(void *memory) {
    static const char text[READ_BYTES];
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], text, sizeof text) == sizeof text);
    const bool is_read = read(ends[0], memory, sizeof text) == sizeof text;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return is_read;
}

static void run(void (*entry)(void *argument)) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make_thread(entry, NULL, 5);
    (void)takt_kernel_start();
}

static void rest(void *argument) {
    (void)argument;
    (void)takt_thread_suspend(&thread);
}

static void end_at_once(void *argument) { (void)argument; }

/* ---- memory ---------------------------------------------------------------------------------------- */

static void end_threads(void *argument) {
    (void)argument;
    make(rest);
    CHECK(!can_be_read_into(stack));
    CHECK(takt_thread_delete(&thread) == TAKT_OK);
    CHECK(can_be_read_into(stack));
    make(end_at_once);
    CHECK(can_be_read_into(stack));
    takt_posix_exit(0);
}

static void memory_of_an_ended_thread_is_free(void) { run(end_threads); }

static void use_at_exit(void) {
    CHECK(can_be_read_into(stack));
    (void)memset(stack, 0, sizeof stack);
}

static void make_and_exit(void *argument) {
    (void)argument;
    CHECK(atexit(use_at_exit) == 0);
    make(rest);
    takt_posix_exit(7);
}

static void memory_is_free_at_exit(void) { run(make_and_exit); }

/* The memory of a thread that does not run has another use now: its guard makes way. */
static void write_over_another(void *argument) {
    (void)argument;
    make(rest);
    (void)memset(stack, 1, sizeof stack);
    CHECK(can_be_read_into(stack));
    takt_posix_exit(0);
}

static void a_guard_stops_its_own_thread_only(void) { run(write_over_another); }

/* A kernel that was not started is forgotten; the next one finds guards of the first. */
static void a_kernel_begins_anew_on_the_same_memory(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    make(rest);
    takt_kernel = (takt_kernel_t){0};
    takt_timeouts = (takt_timeouts_t){0};
    thread = (takt_thread_t){0};
    run(end_threads);
}

/* ---- faults ---------------------------------------------------------------------------------------- */

static void write_nowhere(void *argument) {
    volatile uint32_t *volatile nowhere = argument;
    *nowhere = 1;
}

static void another_fault_is_not_caught(void) { run(write_nowhere); }

static void send_fault(void *argument) {
    (void)argument;
    (void)raise(SIGSEGV);
}

static void a_signal_that_was_sent_is_not_caught(void) { run(send_fault); }

/* A sanitizer reports it, and ends with 1. */
static void run_until_fault(void (*program)(void)) {
    const int outcome = outcome_of(program);
    const bool is_reported = WIFEXITED(outcome) && WEXITSTATUS(outcome) == 1;
    CHECK(is_reported || (WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGSEGV));
}

int main(void) {
    run_until_exit(memory_of_an_ended_thread_is_free, 0);
    run_until_exit(memory_is_free_at_exit, 7);
    run_until_exit(a_guard_stops_its_own_thread_only, 0);
    run_until_exit(a_kernel_begins_anew_on_the_same_memory, 0);
    run_until_fault(another_fault_is_not_caught);
    run_until_fault(a_signal_that_was_sent_is_not_caught);
    return check_report("posix_guards");
}
