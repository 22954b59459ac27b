/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The tick of a process, for programs with durations in units (kernel/units.h). In virtual time the program alone says
 * what a tick stands for; in real time this is what it hands to takt_posix_use_real_time. A build may define another. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#ifndef TAKT_BOARD_TICK_NS
#define TAKT_BOARD_TICK_NS 1000
#endif

#endif
