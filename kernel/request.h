/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Requests to allocators: how one is handed over, from threads, from interrupts and before the start. Private to kernel/.
 *
 *     takt_request_open(where)             whether the call is allowed there; closed after TAKT_OK
 *     an event, at takt_request_now()      the allocator has answered when it was posted
 *     takt_request_close(where, answer)    what follows from it happens */
#ifndef TAKT_KERNEL_REQUEST_H
#define TAKT_KERNEL_REQUEST_H

#include "kernel/state.h"

/* Who asks. */
typedef struct takt_request {
    bool is_from_isr;
    takt_port_level_t level; /* before it was opened */
} takt_request_t;

/* Closes the lock, for a request that a thread makes, or the program before the start, or else an interrupt. Returns
 * ERROR_IN_ISR, _LOCKED, _NOT_IN_ISR or _INTERRUPT, and nothing is closed then. */
takt_status_t takt_request_open(takt_request_t *request);

/* The instant; before the start it is 0. */
takt_instant_t takt_request_now(void);

/* Decides, or asks for a decision, and opens. Returns `answer`. */
takt_status_t takt_request_close(const takt_request_t *request, takt_status_t answer);

#endif
