/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls of the system that libtakt makes, beyond sched_yield and the clock. */
#ifndef TAKT_LINUX_LIB_CALLS_H
#define TAKT_LINUX_LIB_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the id of the calling thread. */
int32_t takt_linux_thread_id(void);

/* Puts `thread` into SCHED_EXT, or back into SCHED_OTHER. Returns whether the kernel did. */
bool takt_linux_set_class(int32_t thread, bool is_ext);

/* Binds the calling thread to processor `cpu`. Returns whether the kernel did. */
bool takt_linux_bind(int32_t cpu);

/* Sets the timer slack of the calling thread; 0: back to the default. The kernel adds it to the end of each sleep. */
void takt_linux_set_slack(uint32_t ns);

/* Locks the memory of the process, now and later, once. Returns whether it is locked. */
bool takt_linux_lock_memory(void);

/* Writes to `bytes` of the stack below the caller, or to what is left of it. */
void takt_linux_touch_stack(uint32_t bytes);

#endif
