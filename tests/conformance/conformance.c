/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the conformance programs share. */
#include "tests/conformance/conformance.h"

void check(bool holds, const char *sentence) {
    if (!holds) {
        board_print("failed: ");
        board_print(sentence);
        board_print("\n");
        board_exit(1);
    }
}

static void (*fault_handler)(void);

void on_fault(void (*handler)(void)) { fault_handler = handler; }

void takt_port_fault(void) {
    check(fault_handler != NULL, "nothing_faults");
    fault_handler();
}

/* ---- the kernel ------------------------------------------------------------------------------------ */

static void must(takt_status_t status) { check(status == TAKT_OK, takt_status_message(status)); }

/* Records are not looked at here: it is the full pass that a trace brings. */
static void forget(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    (void)record;
}

static takt_trace_t trace = {.record = forget};

void kernel_begin_under(const takt_policy_t *policy, bool is_traced) {
    board_begin();
    must(takt_kernel_init(policy));
    if (is_traced) {
        must(takt_kernel_trace_to(&trace));
    }
}

void semaphore_begin(takt_semaphore_t *semaphore, int32_t count) {
    must(takt_semaphore_init(semaphore, count));
}

void thread_begin(takt_thread_t *thread, conformance_stack_t stack, uint32_t priority,
                  void (*entry)(void *argument), void *argument) {
    const takt_thread_parameters_t parameters = {
        .entry = entry,
        .argument = argument,
        .stack = stack,
        .stack_bytes = sizeof(conformance_stack_t),
        .priority = priority,
    };
    must(takt_thread_create(thread, &parameters));
}

void periodic_begin(takt_periodic_thread_t *thread, conformance_stack_t stack, uint32_t priority,
                    void (*entry)(void *argument), takt_duration_t period, takt_instant_t offset) {
    const takt_job_parameters_t parameters = {
        .thread = {.entry = entry,
                   .stack = stack,
                   .stack_bytes = sizeof(conformance_stack_t),
                   .priority = priority},
        .period = period,
        .relative_deadline = period,
        .offset = offset,
    };
    must(takt_periodic_thread_create(thread, &parameters));
}

void kernel_go(void) {
    must(takt_kernel_start());
    check(false, "the_start_does_not_return");
    board_exit(1);
}
