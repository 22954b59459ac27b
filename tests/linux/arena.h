/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The arena of a test: see arena.c. */
#ifndef TAKT_TESTS_LINUX_ARENA_H
#define TAKT_TESTS_LINUX_ARENA_H

#include <stdbool.h>
#include <stdint.h>

extern const bool *arena_used;     /* the functions that may be called; NULL: all */
extern uint64_t arena_table_bytes; /* of the tables, with what stands behind them */
extern uint64_t arena_iterations;  /* that loops may still have */
extern bool arena_was_endless;     /* a loop reached that bound */

#endif
