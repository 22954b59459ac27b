/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline part of the port to a Linux process. Included by kernel/port.h, which has the contract.
 *
 * One POSIX thread is the processor; Takt's threads are contexts on it. Interrupts are bits of one word,
 * takt_posix_pending, which opening the lock checks: no system call, whatever the clock. In real time a
 * signal makes the processor check as well.
 *
 * State: bits of one word that only the processor writes, and every handler of a signal leaves as it was.
 *
 *     0            a thread executes, the lock is open
 *     CLOSED       the lock is closed
 *     ISR          a handler of a program's interrupt executes
 *     ALARMING     takt_kernel_timer_expired executes; interrupts of programs run where it opens the lock
 *     PREEMPTING   takt_kernel_preempt executes; all interrupts run where it opens the lock
 *
 * The last two may be set together, and each keeps out what is less urgent: the alarm and preemption, or preemption.
 * Invariant: a bit that is pending while the state is 0 is about to be taken, by the code that opened the lock or the
 * signal that came with it. So none is lost, and none is waited for. */
#ifndef TAKT_PORT_POSIX_H
#define TAKT_PORT_POSIX_H

#if !defined(__linux__)
#error "this port is for Linux: it relies on how Linux delivers signals to threads"
#endif
#if UINTPTR_MAX != UINT32_MAX && UINTPTR_MAX != UINT64_MAX
#error "this port finds a thread's stack pointer behind pointers of 4 or of 8 bytes"
#endif
#if __GCC_ATOMIC_LLONG_LOCK_FREE != 2 || __GCC_ATOMIC_INT_LOCK_FREE != 2
#error "this port needs 64-bit atomics without locks: a handler of a signal must not wait for one"
#endif
#if defined(__SANITIZE_THREAD__)
#error "this port's contexts are not known to the thread sanitizer"
#endif

typedef uint32_t takt_port_level_t;

#define TAKT_PORT_GUARDS (TAKT_GUARD == 1) /* see guard.c */
#define TAKT_PORT_GUARDS_MEMORY TAKT_PORT_GUARDS

enum {
    TAKT_PORT_SP_OFFSET = sizeof(void *) == 8 ? 64 : 40,
    /* A handler of a signal executes on the stack of the thread that it interrupts, at most four deep: one that
     * preempts, one for the alarm between the steps of its pass, one for an interrupt between timeouts, and one that
     * only leaves a mark. Linux needs up to 11 KB for each
     * (AVX-512 and AMX; `getauxval(AT_MINSIGSTKSZ)`). Untouched pages cost nothing. */
    TAKT_POSIX_FRAMES_BYTES = 65536,
    TAKT_POSIX_GUARD_LOSS = (TAKT_PORT_GUARDS) != 0 ? 8192 : 0, /* a page, with what aligns it */
    TAKT_PORT_STACK_BYTES_MIN = TAKT_POSIX_FRAMES_BYTES + TAKT_POSIX_GUARD_LOSS,
    TAKT_POSIX_CLOSED = 1u << 0,
    TAKT_POSIX_ISR = 1u << 1,
    TAKT_POSIX_ALARMING = 1u << 2,
    TAKT_POSIX_PREEMPTING = 1u << 3,
    TAKT_POSIX_ALARM = 32,      /* bit of `pending`, after the 32 of programs */
    TAKT_POSIX_PREEMPTION = 33, /* likewise: takt_kernel_preempt is asked for */
};

/* What a preemption leaves for the end of the interrupt: the thread to switch to, NULL for none. */
typedef struct takt_posix_exchange {
    struct takt_thread *from;
    struct takt_thread *to;
} takt_posix_exchange_t;

extern volatile uint32_t takt_posix_state;
extern uint64_t takt_posix_pending __attribute__((aligned(8))); /* written by atomic operations */
extern takt_posix_exchange_t takt_posix_exchange;
extern __thread bool takt_posix_is_handling; /* this POSIX thread executes an interrupt */

/* Runs all pending interrupts. The lock is open and no handler executes. */
void takt_posix_take(void);

/* The compiler moves no access over this; no barrier is needed: the reader is the processor that wrote. */
TAKT_INLINE void takt_posix_fence(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

TAKT_INLINE void takt_posix_set_state(uint32_t state) {
    takt_posix_fence();
    takt_posix_state = state;
    takt_posix_fence();
}

TAKT_INLINE bool takt_posix_is_masked(uint32_t state) {
    return (state & (TAKT_POSIX_CLOSED | TAKT_POSIX_ISR)) != 0;
}

TAKT_INLINE bool takt_posix_is_pending(void) {
    return __atomic_load_n(&takt_posix_pending, __ATOMIC_RELAXED) != 0;
}

TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    const takt_port_level_t level = takt_posix_state;
    takt_posix_set_state(level | TAKT_POSIX_CLOSED);
    return level;
}

TAKT_INLINE void takt_port_unlock(takt_port_level_t level) {
    takt_posix_set_state(level);
    if (TAKT_UNLIKELY(takt_posix_is_pending()) && !takt_posix_is_masked(level)) {
        takt_posix_take();
    }
}

TAKT_INLINE void takt_port_close(void) { takt_posix_set_state(takt_posix_state | TAKT_POSIX_CLOSED); }

TAKT_INLINE takt_status_t takt_port_open(void) {
    takt_port_unlock(takt_posix_state & ~(uint32_t)TAKT_POSIX_CLOSED);
    return TAKT_OK;
}

TAKT_INLINE bool takt_port_is_in_isr(void) { return (takt_posix_state & ~(uint32_t)TAKT_POSIX_CLOSED) != 0; }

/* True for an interrupt of this POSIX thread with the lock open. False for a handler of the program's own signal, which
 * may come while the lock is closed, and for another POSIX thread. */
TAKT_INLINE bool takt_port_is_kernel_isr(void) {
    return takt_posix_is_handling && (takt_posix_state & TAKT_POSIX_CLOSED) == 0 && takt_port_is_in_isr();
}

TAKT_INLINE bool takt_port_is_open(void) { return takt_posix_state == 0; }

/* The end of the interrupt switches on the stack of `from`, still locked, with the same call as a thread. */
TAKT_INLINE void takt_port_preempt(struct takt_thread *from, struct takt_thread *to) {
    takt_posix_exchange.from = from;
    takt_posix_exchange.to = to;
}

#if TAKT_PORT_GUARDS_MEMORY
void takt_port_guard(void *bottom, size_t bytes);
void takt_port_unguard(void *bottom, size_t bytes);
#endif

void takt_port_pend(void);
takt_instant_t takt_port_now(void);
void takt_port_timer_set(takt_instant_t until, takt_instant_t now);
void takt_port_breathe(void);
void takt_port_idle(void);

/* Pending interrupts wait while the lock is closed. */
TAKT_INLINE void takt_port_sleep_begin(void) { takt_port_close(); }

void takt_port_sleep_wait(void);
void takt_port_sleep_end(void);
void takt_port_clock_skip(takt_duration_t ticks);

/* ---- beyond the contract ---------------------------------------------------------------------- */

/* Executes a synthetic load of `ticks` for the caller: it makes no progress while others run. In virtual time this and
 * waiting let time pass; in real time the load is processor time. From anywhere; a closed lock delays interrupts. */
void takt_port_work(takt_duration_t ticks);

/* Runs the interrupts whose instants have come. The lock is open. */
void takt_port_sync(void);

/* Ends the program with `status`, on the stack of its main function, so that exit handlers have room. */
__attribute__((noreturn)) void takt_posix_exit(int status);

#endif
