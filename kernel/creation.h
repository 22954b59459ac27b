/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the creation of all kinds of threads has in common. Private to kernel/.
 *
 * Numbers: the root is 0. Servers, then threads of all kinds follow in the order of their creation; the idle thread is
 * last. At one instant, and for equal computed key and class, the smaller number goes first. The number of a deleted
 * thread is reused: a thread created while the kernel runs gets the least free number, or a new one if there is none.
 *
 * Room: the numbers are bounded by the rows of the timers, and a heap of keys by its slots. At the root one slot is the
 * idle thread's. A heap has room for all of its children, ready or not; a deleted thread is no child. */
#ifndef TAKT_KERNEL_CREATION_H
#define TAKT_KERNEL_CREATION_H

#include "kernel/server.h"
#include "kernel/state.h"

/* Checks that the call is between init and start, the phase for servers and jobs. */
takt_status_t takt_creation_check_phase(void);

/* Bytes of the smallest stack, under the pass that there is. */
TAKT_INLINE uint32_t takt_creation_stack_bytes_min(void) {
    return takt_kernel_has_full_pass() ? TAKT_STACK_BYTES_MIN : TAKT_STACK_BYTES_PLAIN;
}

/* True if the stack of `parameters` is valid. */
bool takt_creation_is_stack(const takt_thread_parameters_t *parameters);

/* The full pass is about to be set, for a thread with a stack of `bytes`. Returns ERROR_STACK if that, or the stack of a
 * thread that was created before, is too small for it. */
takt_status_t takt_creation_check_full_stacks(uint32_t bytes);

/* Checks whether `thread` can be created from `parameters`, regardless of phase and room. */
takt_status_t takt_creation_check_thread(const takt_thread_t *thread,
                                         const takt_thread_parameters_t *parameters);

/* Checks phase, parameters and room for a thread that executes jobs. */
takt_status_t takt_creation_check_job(const takt_job_thread_t *thread,
                                      const takt_thread_parameters_t *parameters);

/* The core server of `server`; NULL: the root. */
takt_server_t *takt_creation_parent(takt_thread_server_t *server);

/* Checks whether `parent` has room for one more entity. */
takt_status_t takt_creation_check_room(takt_server_t *parent);

/* Returns a number for a child of `parent`, which has room. */
uint32_t takt_creation_number(takt_server_t *parent);

/* Lets `thread`, which was created suspended, begin at the start, which has not come yet. */
void takt_creation_begin(takt_thread_t *thread);

/* Removes `entity`, whose thread ends, from the children, and frees its number. Closed. */
void takt_creation_release(const takt_entity_t *entity);

/* Checks what all kinds of jobs have in common, and phase and room. A level's preemption key is at least as urgent as
 * the level; keys of policies have no such rule. */
takt_status_t takt_creation_check_task(const takt_job_thread_t *thread,
                                       const takt_job_parameters_t *parameters);

/* Adds `thread`, which executes the jobs of `task`, with `extension`; NULL: it has none. Returns TAKT_OK. */
takt_status_t takt_creation_add_task(takt_job_thread_t *thread, takt_task_t *task,
                                     const takt_job_parameters_t *parameters,
                                     takt_task_extension_t *extension);

/* Initialises `resource` for entities in `server`, NULL: under the root; calls `expect` before, which sets a pass. `kind` is
 * the row of `protocol`, NULL if there is none. Returns ERROR_PROTOCOL, _NOT_INITIALISED or _ORDER. */
takt_status_t takt_creation_add_resource(takt_resource_t *resource, takt_protocol_t protocol,
                                         const takt_protocol_kind_t *kind, takt_key_t ceiling,
                                         const takt_thread_server_t *server, void (*expect)(void));

TAKT_INLINE takt_key_t takt_creation_level(uint32_t priority) {
    return takt_level_from_priority(priority, TAKT_PRIORITIES);
}

#endif
