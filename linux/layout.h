/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Layout of the arena: memory at one address in the kernel's programs and in the daemon. */
#ifndef TAKT_LINUX_LAYOUT_H
#define TAKT_LINUX_LAYOUT_H

#define TAKT_ARENA_BASE 0x100000000000ull
#define TAKT_ARENA_BYTES 0x8000000ull /* 128 MiB of addresses; pages are taken when they are written */

/* Constants of the scheduler; the linker lays them out. */
#define TAKT_ARENA_TABLES (TAKT_ARENA_BASE + 0x1000ull)

/* Objects on the stack of the lowered code, for each processor; the last frames are the daemon's. */
#define TAKT_ARENA_FRAMES (TAKT_ARENA_BASE + 0x40000ull)
#define TAKT_ARENA_FRAME_BYTES 0x1000ull

/* A word that is 0: see bpf/describe.py. */
#define TAKT_ARENA_ZERO (TAKT_ARENA_BASE + 0x800ull)

/* One more than why a function of the scheduler returned before its end, the last time: the number of a function that could
 * not be called, because it is none or is not used, or TAKT_ENDLESS. 0: none did. */
#define TAKT_ARENA_REFUSED (TAKT_ARENA_BASE + 0x840ull)

/* Numbers of functions: from the first one on, and how many there can be. */
#define TAKT_FIRST_FUNCTION 0x54414b00ull
#define TAKT_FUNCTIONS 512

/* Of no function: a loop has reached the bound of the verifier. */
#define TAKT_ENDLESS (TAKT_FIRST_FUNCTION - 2)

/* What domains say, a takt_report_t for each processor. */
#define TAKT_ARENA_TOLD (TAKT_ARENA_BASE + 0x30000ull)
#define TAKT_ARENA_TOLD_BYTES 0x100ull

/* Domains, one after the other. */
#define TAKT_ARENA_DOMAINS (TAKT_ARENA_BASE + 0x100000ull)

#endif
