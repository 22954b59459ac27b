/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How a test uses the fake port. */
#ifndef TAKT_TESTS_FAKE_PORT_USE_H
#define TAKT_TESTS_FAKE_PORT_USE_H

#include "kernel/state.h"

/* An empty kernel on a fresh machine. */
void fake_port_reset(void);

/* Starts the kernel and comes back with the first thread running. */
takt_status_t fake_port_start_kernel(void);

/* Runs `handler` as an interrupt, then what it asked for. */
void fake_port_interrupt(void (*handler)(void *argument), void *argument);

#endif
