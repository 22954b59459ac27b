/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Requests to allocators, from threads, from interrupts and before the start. Private to kernel/.
 *
 *     takt_request_open(where)             checks whether the call is allowed there; closed after TAKT_OK
 *     post an event at takt_request_now()  the allocator has answered when the post returns
 *     takt_request_close(where, answer)    the consequences take effect */
#ifndef TAKT_KERNEL_REQUEST_H
#define TAKT_KERNEL_REQUEST_H

#include "kernel/state.h"

/* Context of the caller. */
typedef struct takt_request {
    bool is_from_isr;
    takt_port_level_t level; /* lock level before takt_request_open */
} takt_request_t;

/* Closes the lock for a request of a thread, of the program before the start, or else of an interrupt. On an error the
 * lock stays as it was. Returns ERROR_IN_ISR, _LOCKED, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_request_open(takt_request_t *request);

/* The current instant; 0 before the start. */
takt_instant_t takt_request_now(void);

/* Decides, or requests a decision, and opens the lock. Returns `answer`. */
takt_status_t takt_request_close(const takt_request_t *request, takt_status_t answer);

#endif
