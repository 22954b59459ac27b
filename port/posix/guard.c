/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Guards: in each stack the lowest complete page is read-only, if enough is left above it.
 *
 * A page is protected when its thread is created, so a switch does nothing for it. Linux answers a write to it with
 * SIGSEGV, and also a signal whose frame does not fit. The handler executes on its own stack: the thread's is full.
 *
 * Invariant: a guard stops only the thread that executes on its stack. Other code that writes there uses that memory
 * for something else, or does what it could do without guards: the guard is removed, and the write repeated.
 *
 * For any other fault the previous action is restored, and the instruction is repeated.
 *
 * Sources: mprotect(2), sigaltstack(2), sigaction(2), signal(7) of Linux. */
#define _GNU_SOURCE 1 /* names of registers */

#include "port/posix/machine.h"

#if TAKT_PORT_GUARDS

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    NOT_FOUND = TAKT_KERNEL_ENTITY_LIMIT, /* there are no more stacks */
    HANDLER_STACK_BYTES = 65536,
    FRAME_BYTES = 16384, /* a signal's, at the most */
};

static char *guards[TAKT_KERNEL_ENTITY_LIMIT]; /* pages, NULL: free */
static uintptr_t page_bytes;                   /* 0: the handler is not installed yet */
static struct sigaction action_before;
static pthread_t processor;

/* ---- pages --------------------------------------------------------------------------------------- */

static char *page_of(const void *bottom) {
    return (char *)(((uintptr_t)bottom + page_bytes - 1u) & ~(page_bytes - 1u));
}

static uint32_t find(const char *page) {
    uint32_t index = 0;
    while (index < TAKT_KERNEL_ENTITY_LIMIT && guards[index] != page) {
        index++;
    }
    return index;
}

/* Free entries contain no address. */
static uint32_t find_containing(const void *address) {
    uint32_t index = 0;
    while (index < TAKT_KERNEL_ENTITY_LIMIT &&
           (guards[index] == NULL || (uintptr_t)address - (uintptr_t)guards[index] >= page_bytes)) {
        index++;
    }
    return index;
}

static void take_away(uint32_t index) {
    (void)mprotect(guards[index], page_bytes, PROT_READ | PROT_WRITE);
    guards[index] = NULL;
}

/* ---- fault --------------------------------------------------------------------------------------- */

/* The interrupted stack pointer; 0 on a machine that is not listed. */
static uintptr_t stack_pointer_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__i386__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_ESP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

/* The guard that was hit. Linux gives no address if a signal's frame does not fit, nor for some bad addresses. Then the
 * interrupted stack pointer is near the guard. */
static uint32_t find_hit(const siginfo_t *information, const ucontext_t *context) {
    if (information->si_code == SEGV_ACCERR) {
        return find_containing(information->si_addr);
    }
    const char *page = page_of(takt_posix_bottom());
    const bool is_near = stack_pointer_of(context) - (uintptr_t)page < page_bytes + FRAME_BYTES;
    return information->si_code == SI_KERNEL && is_near ? find(page) : (uint32_t)NOT_FOUND;
}

/* A fault recurs when its instruction is repeated; a signal that was sent does not. */
static void leave_to_others(const siginfo_t *information) {
    (void)sigaction(SIGSEGV, &action_before, NULL);
    if (information->si_code <= 0) {
        (void)raise(SIGSEGV);
    }
}

static void on_fault(int number, siginfo_t *information, void *context) {
    (void)number;
    const uint32_t index = find_hit(information, context);
    if (index == NOT_FOUND) {
        leave_to_others(information);
        return;
    }
    if (guards[index] == page_of(takt_posix_bottom()) && pthread_equal(pthread_self(), processor)) {
        const uint32_t state = takt_posix_state;
        takt_posix_set_state(state | TAKT_POSIX_CLOSED);
        takt_kernel_guard_hit(guards[index]);
        takt_posix_set_state(state);
    }
    take_away(index);
}

/* ---- begin and end ------------------------------------------------------------------------------- */

static void handle_faults(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fault;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaddset(&action.sa_mask, SIGRTMIN); /* no thread is preempted on the handler's stack */
    if (sigaction(SIGSEGV, &action, &action_before) == 0) {
        page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    }
}

/* A handler stack of the program or of a sanitizer is kept. */
void takt_posix_guard_begin(void) {
    static char memory[HANDLER_STACK_BYTES];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    stack_t before;
    processor = pthread_self();
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) {
        (void)sigaltstack(&stack, NULL);
    }
}

void takt_posix_guard_end(void) {
    for (uint32_t index = 0; index < TAKT_KERNEL_ENTITY_LIMIT; index++) {
        if (guards[index] != NULL) {
            take_away(index);
        }
    }
}

/* ---- the contract -------------------------------------------------------------------------------- */

/* Under the lock: threads may create threads at the same time. */
static uint32_t note(char *page) {
    const takt_port_level_t level = takt_port_lock();
    const uint32_t index = find(NULL);
    if (index != NOT_FOUND) {
        guards[index] = page;
    }
    takt_port_unlock(level);
    return index;
}

void takt_port_guard(void *bottom, size_t bytes) {
    if (page_bytes == 0) {
        handle_faults();
    }
    char *page = page_of(bottom);
    const uintptr_t left = (uintptr_t)bottom + bytes - ((uintptr_t)page + page_bytes);
    if (page_bytes == 0 || left < TAKT_POSIX_FRAMES_BYTES || left > bytes) {
        return;
    }
    const uint32_t index = note(page);
    if (index != NOT_FOUND && mprotect(page, page_bytes, PROT_READ) != 0) {
        guards[index] = NULL;
    }
}

void takt_port_unguard(void *bottom, size_t bytes) {
    (void)bytes;
    const takt_port_level_t level = takt_port_lock();
    const uint32_t index = page_bytes != 0 ? find(page_of(bottom)) : (uint32_t)NOT_FOUND;
    if (index != NOT_FOUND) {
        take_away(index);
    }
    takt_port_unlock(level);
}

#endif
