/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Durations with units, in ticks of the kernel's clock: TAKT_S(2), TAKT_MS(5), TAKT_US(250).
 *
 * Each is a constant expression, also in the initialiser of an object, and is rounded up to whole ticks. Whether it is
 * in range is checked when it is compiled: a count that is negative, that is no integer constant, or whose duration is
 * not below 2^63 ticks is an error of the compiler.
 *
 * The board's header says how long a tick is: TAKT_BOARD_TICK_NS, or TAKT_BOARD_TICK_HZ where that is no whole number
 * of nanoseconds. A build may define TAKT_TICK_HZ instead.
 *
 * When not to use it: for a duration that is computed at run time. Multiply one of these. */
#ifndef TAKT_KERNEL_UNITS_H
#define TAKT_KERNEL_UNITS_H

#include "core/types.h"

#ifndef TAKT_TICK_HZ
#include <takt_board.h>

/* Ticks in a second. */
#ifdef TAKT_BOARD_TICK_HZ
#define TAKT_TICK_HZ TAKT_BOARD_TICK_HZ
#else
#define TAKT_TICK_HZ (UINT64_C(1000000000) / TAKT_BOARD_TICK_NS)
_Static_assert(UINT64_C(1000000000) % TAKT_BOARD_TICK_NS == 0,
               "no whole number of ticks in a second: the board defines TAKT_BOARD_TICK_HZ");
#endif
#endif

_Static_assert((TAKT_TICK_HZ) > 0 && (TAKT_TICK_HZ) <= UINT64_C(1000000000000), "a tick is 1 ps .. 1 s");

/* `count` seconds in ticks. */
#define TAKT_S(count) TAKT_UNITS(count, 1)
/* `count` milliseconds in ticks. */
#define TAKT_MS(count) TAKT_UNITS(count, 1000)
/* `count` microseconds in ticks. */
#define TAKT_US(count) TAKT_UNITS(count, 1000000)

/* True if `count` units, `per_second` of which are a second, are fewer than 2^63 ticks. Private. */
#define TAKT_UNITS_FIT(count, per_second) \
    ((uint64_t)(count) / (per_second) < (uint64_t)INT64_MAX / (TAKT_TICK_HZ))

/* The ticks of as many units; seconds and the rest apart, so that no product overflows. Private. */
#define TAKT_UNITS_IN_TICKS(count, per_second)                             \
    ((takt_duration_t)((uint64_t)(count) / (per_second) * (TAKT_TICK_HZ) + \
                       ((uint64_t)(count) % (per_second) * (TAKT_TICK_HZ) + (per_second)-1) / (per_second)))

#ifndef __cplusplus
/* The same, in range. The operator refuses what is no integer. Private. */
#define TAKT_UNITS(count, per_second)                                                                      \
    (TAKT_UNITS_IN_TICKS(count, per_second) + 0 * sizeof(struct {                                          \
                                                  _Static_assert(TAKT_UNITS_FIT((count) | 0, per_second),  \
                                                                 "a duration is not 0 .. 2^63 - 1 ticks"); \
                                                  char unused;                                             \
                                              }))
#else
/* Likewise; a negative constant does not convert to the parameter. */
template <uint64_t count, uint64_t per_second>
struct takt_units {
    static_assert(TAKT_UNITS_FIT(count, per_second), "a duration is not 0 .. 2^63 - 1 ticks");
    static constexpr takt_duration_t ticks = TAKT_UNITS_IN_TICKS(count, per_second);
};
#define TAKT_UNITS(count, per_second) (+takt_units<(count), (per_second)>::ticks)
#endif

#endif
