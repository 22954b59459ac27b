/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Uses: the functions that a domain can call through a pointer, found before it is loaded into the kernel.
 *
 *     takt_uses_begin(uses, tables, bytes)
 *     takt_uses_add(uses, words, count)    the memory of a domain, once for each domain
 *     uses->is_used[function]
 *
 * Each word counts as a number of a function or an address in a table if it can be one. So more functions can be found than
 * are called, but none is missed: core makes no pointers to functions or tables but by copying them.
 *
 * Source: linux/bpf/uses.py. */
#ifndef TAKT_LINUX_USES_H
#define TAKT_LINUX_USES_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/layout.h"

enum { TAKT_USES_TABLES = 2048 /* at most */ };

typedef struct takt_uses {
    const uint64_t *starts; /* of each table, then of each list, and the end of the last one */
    uint64_t tables;
    uint64_t functions;
    bool is_reached[TAKT_USES_TABLES];
    bool is_used[TAKT_FUNCTIONS];
} takt_uses_t;

/* Reads the notes behind the tables, which have `bytes` bytes with the notes. `uses` is zeroed. Adds what the functions use
 * that programs call. Returns false if there are no notes that fit. */
bool takt_uses_begin(takt_uses_t *uses, uint64_t tables, uint64_t bytes);

/* Adds what can be called by the `count` words of a domain's memory. */
void takt_uses_add(takt_uses_t *uses, const uint64_t *words, uint64_t count);

#endif
