/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The fake port's own functions. */
#include "fake_port.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

fake_port_t fake_port;

static jmp_buf started;

takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to) {
    (void)from;
    fake_port.running = to;
    fake_port.switches++;
    return takt_port_open();
}

void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    (void)bytes;
    (void)entry;
    (void)argument;
    return bottom;
}

void takt_port_clock_start(void) { fake_port.now = 0; }

void takt_port_start(struct takt_thread *first) {
    fake_port.running = first;
    fake_port.level = 0;
    longjmp(started, 1);
}

void takt_port_fault(void) { abort(); }

void takt_port_print(const char *text) { (void)text; }

void fake_port_reset(void) {
    takt_kernel = (takt_kernel_t){0};
    takt_timeouts = (takt_timeouts_t){0};
    memset(takt_kernel_rows, 0, sizeof(takt_timers_row_t[TAKT_KERNEL_ROWS]));
    fake_port = (fake_port_t){0};
}

takt_status_t fake_port_start_kernel(void) {
    if (setjmp(started) == 0) {
        return takt_kernel_start();
    }
    return TAKT_OK;
}

void fake_port_interrupt(void (*handler)(void *argument), void *argument) {
    fake_port.is_in_isr = true;
    handler(argument);
    if (fake_port.is_pended) {
        fake_port.is_pended = false;
        takt_kernel_preempt();
    }
    fake_port.is_in_isr = false;
}
