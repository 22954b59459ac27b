/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What lowered code asks of a program of the host (linux/daemon/machine.c): the tables at their address, frames, and which
 * functions are used. The file TABLES has the tables. All other objects may be anywhere. */
#define _GNU_SOURCE
#include "arena.h"
#include "linux/layout.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool takt_may_continue(void);
void *takt_frame(uint64_t offset);
bool takt_is_used(uint64_t function);
void takt_give_up(uint64_t reason);

const bool *arena_used;
uint64_t arena_table_bytes;
uint64_t arena_iterations = UINT64_MAX;
bool arena_was_endless;

bool takt_is_used(uint64_t function) { return arena_used == NULL || arena_used[function]; }

/* With all functions used it is one that the code does not know: it may be a table that has none. */
void takt_give_up(uint64_t reason) {
    if (reason == TAKT_ENDLESS) {
        arena_was_endless = true;
    } else if (reason != 0) {
        fprintf(stderr, "function %llu is called\n", (unsigned long long)(reason - TAKT_FIRST_FUNCTION));
        abort();
    }
}

bool takt_may_continue(void) {
    const bool may_continue = arena_iterations > 0;
    arena_iterations -= may_continue;
    return may_continue;
}

void *takt_frame(uint64_t offset) { return (void *)(uintptr_t)(TAKT_ARENA_FRAMES + offset); }

__attribute__((constructor)) static void map_arena(void) {
    void *base = (void *)(uintptr_t)TAKT_ARENA_BASE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    MUST(mmap(base, TAKT_ARENA_DOMAINS - TAKT_ARENA_BASE, PROT_READ | PROT_WRITE, flags, -1, 0) == base);
    FILE *file = fopen(TABLES, "rb");
    MUST(file != NULL);
    const size_t most = TAKT_ARENA_TOLD - TAKT_ARENA_TABLES;
    const size_t bytes = fread((void *)(uintptr_t)TAKT_ARENA_TABLES, 1, most, file);
    MUST(fclose(file) == 0 && bytes > 0 && bytes < most);
    arena_table_bytes = bytes;
}
