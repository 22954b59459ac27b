/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A kernel for libtakt in a process: preloaded, it hands the scheduling calls of threads over to a script. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CLASS_EXT = 7 };

/* Set by the script: called with the instant of a sleep, or 0 for a yield. Returns whether that is done. */
int (*takt_fake_call)(uint64_t until_ns);
int takt_fake_class; /* of the last thread that changed its class */

int sched_yield(void) {
    if (takt_fake_call != NULL) {
        (void)takt_fake_call(0);
    }
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    static int (*real)(clockid_t, int, const struct timespec *, struct timespec *);
    const uint64_t ns = (uint64_t)until->tv_sec * UINT64_C(1000000000) + (uint64_t)until->tv_nsec;
    if (takt_fake_call != NULL && takt_fake_call(ns)) {
        return 0;
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "clock_nanosleep");
    }
    return real(clock, flags, until, left);
}

int mlockall(int flags) {
    (void)flags;
    return 0;
}

/* All but a change of the class is the kernel's. */
long syscall(long number, ...) {
    static long (*real)(long, ...);
    long words[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++) {
        words[i] = va_arg(arguments, long);
    }
    va_end(arguments);
    if (number == SYS_sched_setscheduler) {
        takt_fake_class = (int)words[1];
        return 0;
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    }
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
