/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Loaded: the file of ADD (linux/protocol.h), which is copied before it is judged. */
#ifndef TAKT_LINUX_LOADED_H
#define TAKT_LINUX_LOADED_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/protocol.h"

typedef struct takt_loaded {
    takt_load_t parts;
    uint64_t *words; /* the image */
    char *text;      /* the names and the header */
} takt_loaded_t;

/* Reads `file`, -1 for none, into `load`, which is zeroed. Returns false if it is none. Words and text are to be freed in
 * any case. */
bool takt_loaded_read(takt_loaded_t *load, int file);

/* True if there are `count` names, each with its closing 0 and short enough for a JOIN. */
bool takt_loaded_has_names(const takt_loaded_t *load, uint32_t count);

#endif
