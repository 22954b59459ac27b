/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What lowered code asks of a program of the host (linux/daemon/machine.c): the tables at their address, and frames. The
 * file TABLES has the tables. All other objects may be anywhere. */
#define _GNU_SOURCE
#include "linux/layout.h"
#include "words.h"

#include <string.h>
#include <sys/mman.h>

bool takt_may_continue(void);
void *takt_frame(uint64_t offset);

bool takt_may_continue(void) { return true; }

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
}
