/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the creation of every kind of thread has in common. Private to kernel/.
 *
 * Numbers: the root is 0; servers, then threads of all kinds follow in the order of their creation, the idle thread comes
 * last. At one instant, and among equals of a computed key and class, the smaller number goes first. The number of a deleted
 * thread comes back: a thread that is created while the kernel runs gets the least such number, a new one if there is none.
 *
 * Room: the numbers are bounded by the timers' rows, and a heap of keys by its slots, one of which is the idle thread's at
 * the root. A heap has room for all of its children, ready or not; a deleted thread is none. */
#ifndef TAKT_KERNEL_CREATION_H
#define TAKT_KERNEL_CREATION_H

#include "kernel/server.h"
#include "kernel/state.h"

/* The time for servers and jobs is between init and start. */
takt_status_t takt_creation_check_phase(void);

/* Whether the stack of `parameters` is one. */
bool takt_creation_is_stack(const takt_thread_parameters_t *parameters);

/* Whether `thread` can be made of `parameters`, as far as neither phase nor room matter. */
takt_status_t takt_creation_check_thread(const takt_thread_t *thread,
                                         const takt_thread_parameters_t *parameters);

/* Both, and room, of a thread that executes jobs. */
takt_status_t takt_creation_check_job(const takt_job_thread_t *thread,
                                      const takt_thread_parameters_t *parameters);

/* The server that `server` stands for; NULL: the root. */
takt_server_t *takt_creation_home(takt_thread_server_t *server);

/* Whether one more entity may be numbered and put under `home`. */
takt_status_t takt_creation_check_room(takt_server_t *home);

/* A number for a child of `home`, which has room. */
uint32_t takt_creation_number(takt_server_t *home);

/* `entity`, whose thread ends, is no child any more, and its number comes back. Closed. */
void takt_creation_release(const takt_entity_t *entity);

/* A level's preemption key protects, so it is at least as urgent as the level; keys of policies have no such rule. */
takt_status_t takt_creation_check_threshold(const takt_thread_parameters_t *parameters, bool is_limited,
                                            takt_key_t preemption_key);

/* Makes `resource`, for whoever stands in `server`, NULL: under the root. Returns ERROR_PROTOCOL, _NOT_INITIALISED or
 * _ORDER. */
takt_status_t takt_creation_add_resource(takt_resource_t *resource, takt_protocol_t protocol,
                                         takt_key_t ceiling, const takt_thread_server_t *server);

TAKT_INLINE takt_key_t takt_creation_level(uint32_t priority) {
    return takt_level_from_priority(priority, TAKT_PRIORITIES);
}

#endif
