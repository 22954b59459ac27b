/* Requests to allocators: how one is handed over, from threads, from interrupts and before the start. Private to kernel/.
 *
 *     takt_request_open(where)                 whether the call is allowed there; closed after TAKT_OK
 *     takt_request_post(kind, entity, number)  the allocator has answered when it returns
 *     takt_request_close(where, answer)        what follows from it happens */
#ifndef TAKT_KERNEL_REQUEST_H
#define TAKT_KERNEL_REQUEST_H

#include "kernel/state.h"

/* Who asks. */
typedef struct takt_request {
    bool is_from_isr;
    takt_port_level_t level; /* before it was opened */
} takt_request_t;

/* Closes the lock, for a request that a thread makes, or the program before the start, or else an interrupt. Returns
 * ERROR_IN_ISR, _LOCKED or _NOT_IN_ISR, and nothing is closed then. */
takt_status_t takt_request_open(takt_request_t *request);

/* Hands the event over, at the instant now. */
void takt_request_post(takt_event_kind_t kind, takt_entity_t *entity, uint64_t nominal);

/* Decides, or asks for a decision, and opens. Returns `answer`. */
takt_status_t takt_request_close(const takt_request_t *request, takt_status_t answer);

#endif
