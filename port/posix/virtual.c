/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Virtual time: a number that loads and waiting increase.
 *
 * Invariant: only the program's own calls change anything, so two runs of it are the same. */
#include "port/posix/machine.h"

#include <stdio.h>

static takt_instant_t now;
static takt_instant_t instants[TAKT_POSIX_INTERRUPTS + 1]; /* of announced interrupts and of the alarm */
static uint64_t announced;                                 /* bits of the announced ones */

static const takt_posix_device_t *device; /* beside the processor, NULL for none */

void takt_posix_add_device(const takt_posix_device_t *added) { device = added; }

static void announce(uint32_t number, takt_instant_t instant) {
    const uint64_t mask = UINT64_C(1) << number;
    instants[number] = instant;
    announced = instant == TAKT_NEVER ? announced & ~mask : announced | mask;
}

/* The earliest instant at which something is due, TAKT_NEVER if there is none. */
static takt_instant_t soonest(void) {
    takt_instant_t least = device != NULL ? device->next() : TAKT_NEVER;
    for (uint64_t rest = announced; rest != 0; rest &= rest - 1) {
        const takt_instant_t instant = instants[__builtin_ctzll(rest)];
        least = instant < least ? instant : least;
    }
    return least;
}

static void mark_due(void) {
    for (uint64_t rest = announced; rest != 0; rest &= rest - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(rest);
        if (instants[number] <= now) {
            announce(number, TAKT_NEVER);
            (void)takt_posix_mark(number);
        }
    }
}

/* Advances to the soonest instant, or by all of `ticks`. Returns the rest of them. The running thread may have set the
 * alarm to the past since the last check. */
static takt_duration_t pass(takt_duration_t ticks) {
    const takt_instant_t next = soonest();
    const takt_duration_t ahead = next > now ? next - now : 0;
    const takt_duration_t step = ticks < ahead ? ticks : ahead;
    now += step;
    return ticks - step;
}

/* Lets the device act if it is due. Returns whether it was. */
static bool run_device(void) {
    const bool is_due = device != NULL && device->next() <= now;
    if (is_due) {
        device->act();
    }
    return is_due;
}

/* Checks before time passes and not after: the end of a load comes before what is due at its instant. */
static void work(takt_duration_t ticks) {
    while (ticks > 0) {
        takt_port_sync();
        if (!run_device()) {
            ticks = pass(ticks);
        }
    }
}

/* Lets the device act if it is due, else advances to the next instant at which something is. */
static void proceed(void) {
    if (run_device()) {
        return;
    }
    const takt_instant_t next = soonest();
    if (next == TAKT_NEVER) {
        takt_posix_stalled();
        takt_posix_exit(TAKT_POSIX_EXIT_STALLED);
    }
    now = next > now ? next : now;
}

static void idle(void) {
    proceed();
    takt_port_sync();
}

void takt_posix_await(void) {
    proceed();
    mark_due();
}

__attribute__((weak)) void takt_posix_stalled(void) {
    (void)fprintf(stderr, "takt: nothing will ever happen after instant %llu\n", (unsigned long long)now);
}

static takt_instant_t read_now(void) { return now; }

/* What was announced for the time that is skipped is due behind it. */
static void skip(takt_duration_t ticks) { now += ticks; }

static void timer_set(takt_instant_t until) { announce(TAKT_POSIX_ALARM, until); }

/* The clock stands still until a thread works or waits. */
static void do_nothing(void) {}

const takt_posix_clock_t takt_posix_virtual_clock = {
    .start = do_nothing,
    .stop = do_nothing,
    .now = read_now,
    .timer_set = timer_set,
    .mark_due = mark_due,
    .idle = idle,
    .wait = takt_posix_await,
    .skip = skip,
    .work = work,
    .announce = announce,
    .notify = do_nothing,
};
