/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The end of another thread's wait; a file of its own, because few programs need it. */
#include "kernel/wait.h"

takt_status_t takt_thread_abort_wait(takt_thread_t *thread) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE((thread->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_OPEN();
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED);
    takt_port_close();
    if (thread->plain.entity.task == NULL && thread->plain.wait != NULL) {
        return takt_kernel.mutexes->abort(thread);
    }
    const bool waits = (thread->plain.entity.state & TAKT_STATE_WAITING) != 0 && thread->wait != NULL;
    return waits ? takt_wait_abort(thread) : takt_kernel_refuse(TAKT_REJECTED);
}
