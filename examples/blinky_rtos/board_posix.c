/* A Linux process, in virtual time, or in real time if the environment has BLINKY_REAL_TIME. A tick is a microsecond. */
#define _XOPEN_SOURCE 700

#include "board.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "port/posix/posix.h"

enum { TICK_NS = 1000, TICKS_IN_A_MILLISECOND = 1000, TICKS_OF_WORK = 100, BUTTON_INTERRUPT = 0 };

static bool is_real;

void board_begin(void) {
    is_real = getenv("BLINKY_REAL_TIME") != NULL;
    if (is_real) {
        (void)takt_posix_use_real_time(TICK_NS);
    }
}

takt_duration_t board_ticks(uint32_t milliseconds) {
    return (takt_duration_t)milliseconds * TICKS_IN_A_MILLISECOND;
}

uint32_t board_microseconds(takt_duration_t ticks) { return (uint32_t)ticks; }

void board_led_set(bool is_on) { (void)is_on; }

static takt_duration_t button_period;
static takt_instant_t next_press;
static void (*on_button)(void);

static void announce(void) {
    next_press += button_period;
    takt_posix_interrupt_announce(BUTTON_INTERRUPT, next_press);
}

static void press_in_virtual_time(void) {
    announce();
    on_button();
}

static void start_in_virtual_time(void) {
    takt_posix_interrupt_enable(BUTTON_INTERRUPT, press_in_virtual_time);
    const takt_port_level_t level = takt_port_lock();
    next_press = takt_port_now();
    announce();
    takt_port_unlock(level);
}

static void on_signal(int number) {
    (void)number;
    takt_posix_interrupt_raise(BUTTON_INTERRUPT);
}

static void start_in_real_time(void) {
    timer_t timer;
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    const struct timespec period = {.tv_nsec = (long)(button_period * TICK_NS)};
    const struct itimerspec always = {.it_interval = period, .it_value = period};
    takt_posix_interrupt_enable(BUTTON_INTERRUPT, on_button);
    (void)sigaction(SIGRTMIN + 1, &action, NULL);
    (void)timer_create(CLOCK_MONOTONIC, &event, &timer);
    (void)timer_settime(timer, 0, &always, NULL);
}

void board_button_start(takt_duration_t period, void (*handler)(void)) {
    button_period = period;
    on_button = handler;
    if (is_real) {
        start_in_real_time();
    } else {
        start_in_virtual_time();
    }
}

void board_work(void) { takt_port_work(TICKS_OF_WORK); }
