/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A port for tests on the host: nothing runs. A switch is only recorded, the lock is a level in memory,
 * time is a variable. The test plays the running thread and the interrupts itself. */
#ifndef TAKT_TESTS_FAKE_PORT_H
#define TAKT_TESTS_FAKE_PORT_H

#include <stdlib.h>

typedef uint32_t takt_port_level_t;

enum { TAKT_PORT_SP_OFFSET = sizeof(void *) == 8 ? 64 : 40, TAKT_PORT_STACK_BYTES_MIN = 64 };

typedef struct fake_port {
    takt_port_level_t level; /* 0 open, 1 closed */
    bool is_in_isr;
    bool is_pended;
    takt_instant_t now;
    takt_instant_t until;
    uint32_t switches;
    struct takt_thread *running; /* whose context a machine would execute */
    void (*breathing)(void);     /* called while the lock is open between steps, NULL for nothing */
} fake_port_t;

extern fake_port_t fake_port;

TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    const takt_port_level_t level = fake_port.level;
    fake_port.level = 1;
    return level;
}

TAKT_INLINE void takt_port_unlock(takt_port_level_t level) { fake_port.level = level; }

TAKT_INLINE void takt_port_close(void) { fake_port.level = 1; }

/* Who opens has closed: else what went before was not under the lock. */
TAKT_INLINE takt_status_t takt_port_open(void) {
    if (fake_port.level == 0) {
        abort();
    }
    fake_port.level = 0;
    return TAKT_OK;
}

TAKT_INLINE void takt_port_breathe(void) {
    (void)takt_port_open();
    if (fake_port.breathing != NULL) {
        fake_port.breathing();
    }
    takt_port_close();
}

TAKT_INLINE bool takt_port_is_in_isr(void) { return fake_port.is_in_isr; }

TAKT_INLINE bool takt_port_is_kernel_isr(void) { return fake_port.is_in_isr; }

TAKT_INLINE bool takt_port_is_open(void) { return !fake_port.is_in_isr && fake_port.level == 0; }

TAKT_INLINE void takt_port_pend(void) { fake_port.is_pended = true; }

TAKT_INLINE void takt_port_preempt(struct takt_thread *from, struct takt_thread *to) {
    (void)from;
    fake_port.running = to;
    fake_port.switches++;
    fake_port.level = 0;
}

TAKT_INLINE takt_instant_t takt_port_now(void) { return fake_port.now; }

TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    (void)now;
    fake_port.until = until;
}

TAKT_INLINE void takt_port_idle(void) {}

TAKT_INLINE void takt_port_sleep_begin(void) { fake_port.level = 1; }
TAKT_INLINE void takt_port_sleep_wait(void) {}
TAKT_INLINE void takt_port_sleep_end(void) { fake_port.level = 0; }
TAKT_INLINE void takt_port_clock_skip(takt_duration_t ticks) { fake_port.now += ticks; }

#endif
