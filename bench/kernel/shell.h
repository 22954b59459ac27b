/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The shell between a load and a kernel: one function for each operation, on objects by number, as in Thread-Metric.
 *
 * Source: Express Logic, "Measuring Real-Time Performance of an RTOS" (Thread-Metric). It is a translation unit of its
 * own, so that no call of it is inlined. Each function tests the kernel's status and returns its own: SHELL_SUCCESS or
 * SHELL_ERROR.
 *
 * Operations that the original does without waiting have two functions here: try_ calls of the kernel, which never
 * wait, and calls that would wait. */
#ifndef TAKT_BENCH_KERNEL_SHELL_H
#define TAKT_BENCH_KERNEL_SHELL_H

#include <stdint.h>

typedef enum shell_status { SHELL_SUCCESS = 0, SHELL_ERROR = 1 } shell_status_t;

enum { SHELL_WORDS = 4 /* of a message */, SHELL_BLOCK_BYTES = 128 };

/* Makes the kernel, and object 0 of each kind; the semaphore has one unit. */
shell_status_t shell_init(void);

/* Makes thread `number`, ready from the start on. */
shell_status_t shell_create(uint32_t number, void (*entry)(void *), uint32_t priority);

void shell_relinquish(void);
shell_status_t shell_resume(uint32_t number);
shell_status_t shell_resume_from_isr(uint32_t number);
shell_status_t shell_suspend(uint32_t number);

shell_status_t shell_take(uint32_t number);
shell_status_t shell_take_waiting(uint32_t number);
shell_status_t shell_give(uint32_t number);
shell_status_t shell_give_from_isr(uint32_t number);

/* `message` has SHELL_WORDS words. */
shell_status_t shell_send(uint32_t number, const uint32_t *message);
shell_status_t shell_send_waiting(uint32_t number, const uint32_t *message);
shell_status_t shell_receive(uint32_t number, uint32_t *message);
shell_status_t shell_receive_waiting(uint32_t number, uint32_t *message);

shell_status_t shell_allocate(uint32_t number, void **block);
shell_status_t shell_allocate_waiting(uint32_t number, void **block);
shell_status_t shell_free(uint32_t number, void *block);

#endif
