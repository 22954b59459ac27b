/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel's own hooks. */
#include "kernel/hooks.h"

static void print_error(const char *before, const takt_thread_t *thread, const char *after) {
    takt_port_print(before);
    takt_port_print(thread->name != NULL ? thread->name : "without a name");
    takt_port_print(after);
}

/* Arrays, because literals of one file are linked together. */
static const char has_overflowed[] = "\" has overflowed; give it a larger one\n";
static const char has_abandoned[] = "\" has returned while it holds a mutex; unlock before\n";

__attribute__((weak)) void takt_hook_stack_overflow(takt_thread_t *thread) {
    print_error("takt: the stack of thread \"", thread, has_overflowed);
}

__attribute__((weak)) void takt_hook_switch(takt_thread_t *from, takt_thread_t *to) {
    (void)from;
    (void)to;
}

__attribute__((weak)) void takt_hook_idle(void) { takt_port_idle(); }

__attribute__((weak)) void takt_hook_abandoned(takt_thread_t *thread) {
    print_error("takt: thread \"", thread, has_abandoned);
}
