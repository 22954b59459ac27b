/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lets a domain call those functions only that linux/daemon/uses.h finds for it; any other call ends the program. The
 * functions' indices are written to the file that TAKT_USED names, if it is set. It is linked with
 * --wrap=takt_domain_build. */
#include "arena.h"
#include "linux/daemon/uses.h"
#include "linux/domain.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t __real_takt_domain_build(uint64_t memory, uint64_t bytes, uint64_t order);
uint64_t __wrap_takt_domain_build(uint64_t memory, uint64_t bytes, uint64_t order);

static void write_indices(const takt_uses_t *uses, const char *name) {
    FILE *file = fopen(name, "w");
    MUST(file != NULL);
    for (uint64_t i = 0; i < uses->functions; i++) {
        if (uses->is_used[i]) {
            fprintf(file, "%llu\n", (unsigned long long)i);
        }
    }
    MUST(fclose(file) == 0);
}

uint64_t __wrap_takt_domain_build(uint64_t memory, uint64_t bytes, uint64_t order) {
    static takt_uses_t uses;
    const takt_domain_order_t *given = (const takt_domain_order_t *)(uintptr_t)order;
    arena_used = NULL;
    const uint64_t status = __real_takt_domain_build(memory, bytes, order);
    if (status == TAKT_DOMAIN_OK) {
        MUST(takt_uses_begin(&uses, TAKT_ARENA_TABLES, arena_table_bytes));
        takt_uses_add(&uses, (const uint64_t *)(uintptr_t)memory, given->bytes / sizeof(uint64_t));
        arena_used = uses.is_used;
        if (getenv("TAKT_USED") != NULL) {
            write_indices(&uses, getenv("TAKT_USED"));
        }
    }
    return status;
}
