/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the conformance programs share: checks, and kernel objects without parameters.
 *
 * A program says nothing and exits with 0, or prints what failed and exits with 1. */
#ifndef TAKT_TESTS_CONFORMANCE_H
#define TAKT_TESTS_CONFORMANCE_H

#include "kernel/kernel.h"
#include "kernel/semaphore.h"
#include "policy/table.h"
#include "tests/conformance/board.h"

/* The root's policy of programs that run under several, and whether every pass is recorded. */
#ifndef CONFORMANCE_POLICY
#define CONFORMANCE_POLICY takt_policy_fp
#endif
#ifndef CONFORMANCE_TRACED
#define CONFORMANCE_TRACED 0
#endif

enum { STACK_BYTES = TAKT_STACK_BYTES_MIN + 1024 };

/* At 32 bits x86 aligns members of 64 bits to 4. */
typedef uint64_t conformance_stack_t[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));

/* Ends the program with `sentence` unless `holds`. */
void check(bool holds, const char *sentence);

/* From now on takt_port_fault calls `handler`; NULL, as at first: it fails. */
void on_fault(void (*handler)(void));

/* An empty kernel, as CONFORMANCE_POLICY and CONFORMANCE_TRACED say. */
#define kernel_begin() kernel_begin_under(&CONFORMANCE_POLICY, (CONFORMANCE_TRACED) != 0)
void kernel_begin_under(const takt_policy_t *policy, bool is_traced);

/* A semaphore with `count` units. */
void semaphore_begin(takt_semaphore_t *semaphore, int32_t count);

/* A thread on `stack`. Where keys order, threads that are created earlier are more urgent. */
void thread_begin(takt_thread_t *thread, conformance_stack_t stack, uint32_t priority,
                  void (*entry)(void *argument), void *argument);

/* A periodic thread on `stack`, whose deadlines are its periods' ends and whose first release is at `offset`. */
void periodic_begin(takt_periodic_thread_t *thread, conformance_stack_t stack, uint32_t priority,
                    void (*entry)(void *argument), takt_duration_t period, takt_instant_t offset);

/* Starts the kernel. */
__attribute__((noreturn)) void kernel_go(void);

#endif
