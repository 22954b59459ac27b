/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The file of loaded.h. */
#define _GNU_SOURCE
#include "linux/daemon/loaded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES UINT64_C(0x4000000) /* of each part */

static bool is_load(const takt_load_t *parts, uint64_t bytes) {
    return parts->image_bytes <= MOST_BYTES && parts->names_bytes <= MOST_BYTES &&
           parts->header_bytes <= MOST_BYTES && parts->image_bytes % sizeof(uint64_t) == 0 &&
           parts->image_bytes > 0 && parts->names_bytes > 0 &&
           sizeof *parts + parts->image_bytes + parts->names_bytes + parts->header_bytes == bytes;
}

static bool read_at(int file, void *memory, uint64_t bytes, uint64_t at) {
    return pread(file, memory, bytes, (off_t)at) == (ssize_t)bytes;
}

bool takt_loaded_read(takt_loaded_t *load, int file) {
    struct stat state;
    takt_load_t *parts = &load->parts;
    if (file < 0 || fstat(file, &state) != 0 || !S_ISREG(state.st_mode) ||
        !read_at(file, parts, sizeof *parts, 0) || !is_load(parts, (uint64_t)state.st_size)) {
        return false;
    }
    const uint64_t bytes = parts->names_bytes + parts->header_bytes;
    load->words = malloc(parts->image_bytes);
    load->text = malloc(bytes);
    return load->words != NULL && load->text != NULL &&
           read_at(file, load->words, parts->image_bytes, sizeof *parts) &&
           read_at(file, load->text, bytes, sizeof *parts + parts->image_bytes);
}

bool takt_loaded_has_names(const takt_loaded_t *load, uint32_t count) {
    const char *name = load->text, *end = name + load->parts.names_bytes;
    uint32_t found = 0;
    while (name < end) {
        const size_t length = strnlen(name, (size_t)(end - name));
        if (length >= TAKT_NAME_BYTES || name + length == end) {
            return false;
        }
        found++;
        name += length + 1;
    }
    return found == count;
}
