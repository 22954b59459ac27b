/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A Linux process, in virtual time, or in real time if the environment has CONFORMANCE_REAL_TIME. A tick stands for an
 * instruction in virtual time and is 100 ns in real time. */
#define _XOPEN_SOURCE 700

#include "tests/conformance/board.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "port/posix/posix.h"

enum { TICK_NS = 100, TICKS_OF_A_PASS = 13, TICKER_INTERRUPT = 10 };

static bool is_real;

static void (*trespass_handler)(void);

static void on_bad_access(int number) {
    if (trespass_handler == NULL) {
        (void)signal(number, SIG_DFL);
        return;
    }
    trespass_handler();
}

/* The action is the one before the port's. */
void board_begin(void) {
    const struct sigaction action = {.sa_handler = on_bad_access};
    (void)sigaction(SIGSEGV, &action, NULL);
    is_real = getenv("CONFORMANCE_REAL_TIME") != NULL;
    if (is_real) {
        (void)takt_posix_use_real_time(TICK_NS);
    }
}

bool board_is_punctual(void) { return !is_real; }

void board_print(const char *text) { (void)!write(STDOUT_FILENO, text, strlen(text)); }

void board_exit(int status) { takt_posix_exit(status); }

takt_duration_t board_span(uint32_t instructions) { return instructions | 1u; }

void board_settle(void) {}

void board_pass(void) {
    if (!is_real) {
        takt_port_work(TICKS_OF_A_PASS);
    }
}

/* ---- interrupts ---------------------------------------------------------------------------------- */

void board_interrupt_enable(uint32_t number, void (*handler)(void)) {
    takt_posix_interrupt_enable(number, handler);
}

void board_interrupt_pend(uint32_t number) { takt_posix_interrupt_pend(number); }

/* The lock masks all. */
bool board_interrupt_is_urgent(void (*handler)(void)) {
    (void)handler;
    return false;
}

/* A signal of the program's own that comes while an interrupt has closed the lock, and another POSIX thread. */
enum { INTRUDED = 11 };

static void (*intruder)(void);

static void on_foreign_signal(int number) {
    (void)number;
    intruder();
}

static void be_intruded_by_a_signal(void) {
    const takt_port_level_t level = takt_port_lock();
    (void)pthread_kill(pthread_self(), SIGUSR1);
    takt_port_unlock(level);
}

static void *call_intruder(void *argument) {
    intruder();
    return argument;
}

static void be_intruded_by_a_thread(void) {
    pthread_t other;
    (void)pthread_create(&other, NULL, call_intruder, NULL);
    (void)pthread_join(other, NULL);
}

bool board_intrude(uint32_t number, void (*handler)(void)) {
    static void (*const contexts[])(void) = {be_intruded_by_a_signal, be_intruded_by_a_thread};
    const struct sigaction action = {.sa_handler = on_foreign_signal, .sa_flags = SA_RESTART};
    if (number >= sizeof contexts / sizeof *contexts) {
        return false;
    }
    intruder = handler;
    (void)sigaction(SIGUSR1, &action, NULL);
    takt_posix_interrupt_enable(INTRUDED, contexts[number]);
    takt_posix_interrupt_pend(INTRUDED);
    return true;
}

static takt_instant_t next_tick;
static takt_duration_t ticker_period;
static void (*ticker_handler)(void);
static timer_t timer;

static void tick_in_virtual_time(void) {
    next_tick += ticker_period;
    takt_posix_interrupt_announce(TICKER_INTERRUPT, next_tick);
    ticker_handler();
}

static void on_signal(int number) {
    (void)number;
    takt_posix_interrupt_raise(TICKER_INTERRUPT);
}

static void start_timer(void) {
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    const struct timespec period = {.tv_nsec = (long)(ticker_period * TICK_NS)};
    const struct itimerspec always = {.it_interval = period, .it_value = period};
    (void)sigaction(SIGRTMIN + 1, &action, NULL);
    (void)timer_create(CLOCK_MONOTONIC, &event, &timer);
    (void)timer_settime(timer, 0, &always, NULL);
}

void board_ticker_start(takt_duration_t period, void (*handler)(void)) {
    ticker_handler = handler;
    ticker_period = period;
    if (is_real) {
        takt_posix_interrupt_enable(TICKER_INTERRUPT, handler);
        start_timer();
        return;
    }
    takt_posix_interrupt_enable(TICKER_INTERRUPT, tick_in_virtual_time);
    const takt_port_level_t level = takt_port_lock();
    next_tick = takt_port_now() + period;
    takt_posix_interrupt_announce(TICKER_INTERRUPT, next_tick);
    takt_port_unlock(level);
}

void board_ticker_stop(void) {
    if (is_real) {
        (void)timer_delete(timer);
    } else {
        takt_posix_interrupt_announce(TICKER_INTERRUPT, TAKT_NEVER);
    }
}

/* ---- guards -------------------------------------------------------------------------------------- */

uint32_t board_guard_bytes(void) { return (uint32_t)sysconf(_SC_PAGESIZE); }

void *board_guard(void *stack) {
    const uintptr_t last = board_guard_bytes() - 1u;
    return (void *)(((uintptr_t)stack + last) & ~last);
}

static const uint32_t read_only = 1;

/* An address without memory; memory that is read-only; a signal that was sent. */
void board_trespass(uint32_t number, void (*handler)(void)) {
    trespass_handler = handler;
    if (number == 2) {
        (void)raise(SIGSEGV);
    } else {
        const uintptr_t address = number == 0 ? 64u : (uintptr_t)&read_only;
        *(volatile uint32_t *)address = 1;
    }
}

/* ---- levels of the lock -------------------------------------------------------------------------- */

uint32_t board_levels(void) { return 2u * TAKT_POSIX_PREEMPTING; }

void board_level_set(uint32_t index) { takt_posix_set_state(index); }

uint32_t board_level(void) { return takt_posix_state; }

uint32_t board_level_locked(uint32_t before) { return before | TAKT_POSIX_CLOSED; }

/* ---- registers ----------------------------------------------------------------------------------- */

enum { VALUES = 12 };

/* More values than a call keeps registers, so that all of those are in use. */
bool board_registers_survive(void (*call)(void *argument), void *argument) {
    uint64_t whole[VALUES];
    double parts[VALUES];
    for (uint32_t index = 0; index < VALUES; index++) {
        whole[index] = index * UINT64_C(0x123456789ABCDEF);
        parts[index] = index / 8.0;
        __asm volatile("" : "+r"(whole[index]));
    }
    call(argument);
    bool is_right = true;
    for (uint32_t index = 0; index < VALUES; index++) {
        is_right =
            is_right && whole[index] == index * UINT64_C(0x123456789ABCDEF) && parts[index] == index / 8.0;
    }
    return is_right;
}

static void pass(void *argument) {
    (void)argument;
    board_pass();
}

bool board_registers_hold(void) {
    errno = 0;
    return board_registers_survive(pass, NULL) && errno == 0;
}

/* The machine's own affair. */
bool board_reservation_survives(const volatile uint32_t *switches) {
    (void)switches;
    return false;
}

void board_registers_clobber(void) {
    uint64_t values[VALUES];
    for (uint32_t index = 0; index < VALUES; index++) {
        values[index] = UINT64_MAX;
        __asm volatile("" : "+r"(values[index]));
    }
    errno = EDOM;
}
