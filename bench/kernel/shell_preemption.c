/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The load of loads.c whose interrupt resumes a more urgent thread, through the shell; see shell_loads.c. A program of
 * its own, because its interrupt's handler is another one. */
#include "bench/kernel/load.h"
#include "bench/kernel/shell.h"

static volatile uint32_t interrupts, resumptions;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) {
    ++interrupts;
    (void)shell_resume_from_isr(1);
}

static void interrupted(void *argument) {
    (void)argument;
    BENCH_RAISING;
    for (;;) {
        BENCH_RAISE();
        BENCH_BARRIER();
        ++load_iterations[0];
    }
}

static void resumed(void *argument) {
    (void)argument;
    for (;;) {
        (void)shell_suspend(1);
        ++resumptions;
    }
}

static const load_t loads[] = {{"interrupt_preemption", {interrupted, resumed}, 1}};

int main(void) {
    (void)shell_init();
    const load_t *const load = load_named(loads, sizeof loads / sizeof *loads);
    (void)shell_create(0, interrupted, 5);
    (void)shell_create(1, resumed, 6);
    load_run(load);
    return 0;
}
