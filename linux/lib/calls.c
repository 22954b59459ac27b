/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of calls.h. */
#define _GNU_SOURCE
#include "linux/lib/calls.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/slot.h"

enum {
    CLASS_OTHER = 0,
    RESERVE = 4096, /* of a stack, not touched */
    PAGE = 4096,    /* the smallest one there is */
};

int32_t takt_linux_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

/* Not by sched_setscheduler: some C libraries refuse it. */
bool takt_linux_set_class(int32_t thread, bool is_ext) {
    const struct sched_param none = {.sched_priority = 0};
    return syscall(SYS_sched_setscheduler, thread, is_ext ? TAKT_SLOT_CLASS_EXT : CLASS_OTHER, &none) == 0;
}

bool takt_linux_bind(int32_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

void takt_linux_set_slack(uint32_t ns) { (void)prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0L, 0L, 0L); }

bool takt_linux_lock_memory(void) {
    static pid_t locked; /* a child of fork has no locks */
    const pid_t self = getpid();
    if (__atomic_load_n(&locked, __ATOMIC_ACQUIRE) == self) {
        return true;
    }
    const bool is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (is_locked) {
        __atomic_store_n(&locked, self, __ATOMIC_RELEASE);
    }
    return is_locked;
}

/* Returns the bytes of the stack of the calling thread below `here`. */
static size_t stack_left(const volatile char *here) {
    pthread_attr_t attributes;
    void *base = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    (void)pthread_attr_getstack(&attributes, &base, &bytes);
    (void)pthread_attr_destroy(&attributes);
    const size_t left = (size_t)(here - (const volatile char *)base);
    return left > RESERVE ? left - RESERVE : 0;
}

__attribute__((noinline)) void takt_linux_touch_stack(uint32_t bytes) {
    volatile char here = 0;
    const size_t left = stack_left(&here);
    const size_t touched = bytes < left ? bytes : left;
    if (touched > 0) {
        volatile char *stack = __builtin_alloca(touched);
        for (size_t i = 0; i < touched; i += PAGE) {
            stack[i] = 0;
        }
        stack[touched - 1] = 0;
    }
    (void)here;
}
