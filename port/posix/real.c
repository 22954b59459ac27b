/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Real time: CLOCK_MONOTONIC, timers of POSIX, and one signal for all interrupts.
 *
 * Each announced interrupt has its own timer, and so has the alarm; the signal names its timer. Loads are measured by
 * the processor time of this POSIX thread, so that time that Linux takes away does not count.
 *
 * The handler of the signal executes on the stack of the thread that it interrupts. If that thread is preempted, the
 * frame of the signal stays there. The thread continues by returning from the handler, which restores all of its
 * registers. The signal is blocked while its handler has not closed the state yet or has opened it already, so that
 * frames do not pile up. While other threads execute, it is open.
 *
 * Sources: POSIX.1-2008, 2.4 (signals) and timer_settime; signal(7), sigreturn(2) and timer_create(2) of Linux. */
#define _GNU_SOURCE 1 /* gettid, and a timer whose signal goes to one thread */

#include "port/posix/machine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#if _POSIX_TIMERS <= 0 || _POSIX_MONOTONIC_CLOCK < 0 || _POSIX_REALTIME_SIGNALS <= 0 || _POSIX_THREADS <= 0
#error "this clock needs timers, a monotonic clock, real-time signals and threads of POSIX"
#endif

#ifndef sigev_notify_thread_id /* older C libraries have the member only */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define NS_PER_SECOND UINT64_C(1000000000)
#define LONGEST_NS (UINT64_C(1) << 61) /* 73 years; the sum of two is still no error of timer_settime */

enum { TIMERS = TAKT_POSIX_INTERRUPTS + 1 }; /* of announced interrupts, and of the alarm */

static uint64_t tick_ns;
static uint64_t start_ns;               /* 0: not started, and there are no timers yet */
static volatile uint64_t armed[TIMERS]; /* what they are set to */
static timer_t timers[TIMERS];
static pthread_t processor;
static sigset_t signal_only, unblocked;
static volatile uint64_t away_ns; /* of the running thread: since any origin, while others executed */

static uint64_t read_ns(clockid_t clock) {
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

static uint64_t ns_of(takt_duration_t ticks) {
    return ticks < LONGEST_NS / tick_ns ? ticks * tick_ns : LONGEST_NS;
}

static takt_instant_t now(void) { return (read_ns(CLOCK_MONOTONIC) - start_ns) / tick_ns; }

/* ---- timers ----------------------------------------------------------------------------------- */

static void set_timer(uint32_t bit, takt_instant_t until) {
    const uint64_t at = start_ns + ns_of(until);
    const struct itimerspec once = {
        .it_value = {.tv_sec = (time_t)(at / NS_PER_SECOND), .tv_nsec = (long)(at % NS_PER_SECOND)}};
    (void)timer_settime(timers[bit], TIMER_ABSTIME, &once, NULL);
}

/* Timers armed before the start are set at the start. */
static void arm(uint32_t bit, takt_instant_t until) {
    const bool is_new = until != armed[bit];
    armed[bit] = until;
    if (is_new && start_ns != 0) {
        set_timer(bit, until);
    }
}

static void timer_set(takt_instant_t until) { arm(TAKT_POSIX_ALARM, until); }

/* ---- signal ----------------------------------------------------------------------------------- */

static void interrupt(uint32_t level) {
    do {
        takt_posix_set_state(level | TAKT_POSIX_CLOSED);
        (void)pthread_sigmask(SIG_SETMASK, &unblocked, NULL);
        takt_posix_drain(level);
        (void)pthread_sigmask(SIG_BLOCK, &signal_only, NULL);
    } while (takt_posix_is_takeable(level));
    takt_posix_set_state(level);
}

/* Other threads update `away_ns` for themselves while this thread does not execute. */
static void interrupt_and_account(uint32_t level) {
    const int error = errno;
    const uint64_t away_before = away_ns;
    const uint64_t begin = read_ns(CLOCK_THREAD_CPUTIME_ID);
    interrupt(level);
    away_ns = away_before + (read_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    errno = error;
}

static void notify(void) { (void)pthread_kill(processor, SIGRTMIN); }

/* A closed state is left alone: the code that opens it finds the mark. A signal sent to the whole process may hit
 * another thread. */
static void on_signal(int number, siginfo_t *information, void *context) {
    (void)number;
    (void)context;
    if (information->si_code == SI_TIMER) {
        const uint32_t bit = (uint32_t)information->si_value.sival_int;
        armed[bit] = TAKT_NEVER;
        (void)takt_posix_mark(bit);
    }
    if (!pthread_equal(pthread_self(), processor)) {
        notify();
    } else if (!takt_posix_is_masked(takt_posix_state)) {
        interrupt_and_account(takt_posix_state);
    }
}

/* ---- start and stop --------------------------------------------------------------------------- */

static bool handle_signal(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = on_signal;
    (void)sigemptyset(&action.sa_mask);
    return sigaction(SIGRTMIN, &action, NULL) == 0;
}

static void unblock_signal(void) {
    (void)sigemptyset(&signal_only);
    (void)sigaddset(&signal_only, SIGRTMIN);
    (void)pthread_sigmask(SIG_UNBLOCK, &signal_only, NULL);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &unblocked);
}

/* The timers' signals go to the processor: another thread would have to run first to pass them on. */
static bool create_timers(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event.sigev_notify_thread_id = gettid();
    bool is_done = true;
    for (uint32_t bit = 0; bit < TIMERS; bit++) {
        event.sigev_value.sival_int = (int)bit;
        is_done = is_done && timer_create(CLOCK_MONOTONIC, &event, &timers[bit]) == 0;
    }
    return is_done;
}

static void set_timers(void) {
    for (uint32_t bit = 0; bit < TIMERS; bit++) {
        set_timer(bit, armed[bit]);
    }
}

static void start(void) {
    processor = pthread_self();
    start_ns = read_ns(CLOCK_MONOTONIC);
    if (!handle_signal() || !create_timers()) {
        takt_posix_complain("no timers or no signal for the clock in real time");
    }
    set_timers();
    unblock_signal();
}

static void stop(void) {
    (void)pthread_sigmask(SIG_BLOCK, &signal_only, NULL);
    for (uint32_t bit = 0; bit < TIMERS; bit++) {
        (void)timer_delete(timers[bit]);
    }
}

/* ---- load and waiting -------------------------------------------------------------------------- */

/* Execution time of the calling thread since any origin. Both readings are of one stretch without interruption. */
static uint64_t executed_ns(void) {
    uint64_t away, time;
    do {
        away = away_ns;
        time = read_ns(CLOCK_THREAD_CPUTIME_ID);
    } while (away != away_ns);
    return time - away;
}

static void work(takt_duration_t ticks) {
    const uint64_t begin = executed_ns();
    const uint64_t load = ns_of(ticks);
    while (executed_ns() - begin < load) {
    }
}

/* The signal is blocked, so that nothing comes between the check and the wait. */
static void idle(void) {
    (void)pthread_sigmask(SIG_BLOCK, &signal_only, NULL);
    if (!takt_posix_is_pending()) {
        (void)sigsuspend(&unblocked);
    }
    (void)pthread_sigmask(SIG_SETMASK, &unblocked, NULL);
}

/* All timers are set again: they have instants of CLOCK_MONOTONIC. */
static void skip(takt_duration_t ticks) {
    start_ns -= ns_of(ticks);
    set_timers();
}

/* Signals mark what is due. */
static void mark_due(void) {}

const takt_posix_clock_t takt_posix_real_clock = {
    .start = start,
    .stop = stop,
    .now = now,
    .timer_set = timer_set,
    .mark_due = mark_due,
    .idle = idle,
    .wait = idle,
    .skip = skip,
    .work = work,
    .announce = arm,
    .notify = notify,
};

takt_status_t takt_posix_use_real_time(uint64_t tick) {
    if (tick == 0) {
        return TAKT_ERROR_PERIOD;
    }
    if (start_ns != 0) {
        return TAKT_ERROR_STARTED;
    }
    tick_ns = tick;
    for (uint32_t bit = 0; bit < TIMERS; bit++) {
        armed[bit] = TAKT_NEVER;
    }
    takt_posix_clock = &takt_posix_real_clock;
    return TAKT_OK;
}
