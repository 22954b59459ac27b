/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Geometry: capacities of the kernel object. A build may define its own numbers.
 *
 * Entities are the root, servers, periodic threads and threads, including the idle thread. */
#ifndef TAKT_KERNEL_GEOMETRY_H
#define TAKT_KERNEL_GEOMETRY_H

#include "core/timers.h"

/* Order rows of every timer wheel, see core/timers.h. Two rows number 64 entities. 68 bytes each. */
#ifndef TAKT_KERNEL_ORDER_ROWS
#define TAKT_KERNEL_ORDER_ROWS 2
#endif

/* Time rows of every timer wheel; eight cover 2^32 ticks in one pass. 68 bytes each, and one row for later instants. */
#ifndef TAKT_KERNEL_TIME_ROWS
#define TAKT_KERNEL_TIME_ROWS 8
#endif

/* Entities in one heap of keys, 4 bytes each, among them plain threads, which may get a deadline. */
#ifndef TAKT_KERNEL_HEAP_SLOTS
#define TAKT_KERNEL_HEAP_SLOTS 32
#endif

/* Stack of the idle thread, a multiple of 8. More than the least of the port: for takt_hook_idle of a program that calls
 * functions. */
#ifndef TAKT_IDLE_STACK_BYTES
#define TAKT_IDLE_STACK_BYTES TAKT_PORT_STACK_BYTES_MIN
#endif

enum {
    TAKT_PRIORITIES = 30,        /* 0 .. 29, larger = more urgent */
    TAKT_KERNEL_LEVELS = 32,     /* of the root and of each server, more than there are priorities */
    TAKT_KERNEL_IDLE_LEVEL = 31, /* level 0 is left to TAKT_KEY_MOST_URGENT */
    TAKT_KERNEL_ENTITY_LIMIT = 1 << (4 * (TAKT_KERNEL_ORDER_ROWS)-2), /* entity numbers are below this */
    TAKT_KERNEL_ROWS =
        TAKT_TIMERS_ROWS(TAKT_KERNEL_ORDER_ROWS, TAKT_KERNEL_TIME_ROWS), /* total rows of a wheel */
};

_Static_assert(TAKT_KERNEL_HEAP_SLOTS >= 1, "the root's heap has room for the idle thread");
_Static_assert(TAKT_KERNEL_ORDER_ROWS >= 1 && TAKT_KERNEL_ORDER_ROWS <= 5, "entity numbers have 20 bits");

#endif
