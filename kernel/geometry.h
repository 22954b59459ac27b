/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Geometry: how many of what the kernel object has room for. A build may define its own numbers.
 *
 * Entities are the root, servers, periodic threads and threads, the idle thread included. */
#ifndef TAKT_KERNEL_GEOMETRY_H
#define TAKT_KERNEL_GEOMETRY_H

#include "core/timers.h"

/* Rows of order of every timers wheel, see core/timers.h. Two number 64 entities. 68 bytes each. */
#ifndef TAKT_KERNEL_ORDER_ROWS
#define TAKT_KERNEL_ORDER_ROWS 2
#endif

/* Rows of time of every timers wheel. Eight see 2^32 ticks ahead without a second look. 68 bytes each, and one more. */
#ifndef TAKT_KERNEL_TIME_ROWS
#define TAKT_KERNEL_TIME_ROWS 8
#endif

/* Entities in one heap of keys, 4 bytes each; not less than the 32 levels, whose memory it shares. */
#ifndef TAKT_KERNEL_HEAP_SLOTS
#define TAKT_KERNEL_HEAP_SLOTS 32
#endif

enum {
    TAKT_PRIORITIES = 30,        /* 0 .. 29, larger = more urgent */
    TAKT_KERNEL_LEVELS = 32,     /* of the root and of each server, more than there are priorities */
    TAKT_KERNEL_IDLE_LEVEL = 31, /* level 0 is left to TAKT_KEY_MOST_URGENT */
    TAKT_KERNEL_ENTITY_LIMIT = 1 << (4 * (TAKT_KERNEL_ORDER_ROWS)-2), /* entities, from 0 */
    TAKT_KERNEL_ROWS =
        TAKT_TIMERS_ROWS(TAKT_KERNEL_ORDER_ROWS, TAKT_KERNEL_TIME_ROWS), /* of a wheel in all */
};

_Static_assert(TAKT_KERNEL_HEAP_SLOTS >= TAKT_KERNEL_LEVELS, "the levels lie in the memory of the heap");
_Static_assert(TAKT_KERNEL_ORDER_ROWS >= 1 && TAKT_KERNEL_ORDER_ROWS <= 5, "entity numbers have 20 bits");

#endif
