/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* MUST, and the words of an image file: what the programs of this folder share. */
#ifndef TAKT_TESTS_LINUX_WORDS_H
#define TAKT_TESTS_LINUX_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) must(condition, #condition, __FILE__, __LINE__)

static inline void must(bool holds, const char *condition, const char *file, int line) {
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, condition);
        exit(1);
    }
}

static inline uint64_t *read_words(const char *name, uint64_t *count) {
    FILE *file = fopen(name, "rb");
    MUST(file != NULL && fseek(file, 0, SEEK_END) == 0);
    const size_t bytes = (size_t)ftell(file);
    uint64_t *words = malloc(bytes);
    MUST(words != NULL);
    rewind(file);
    const size_t read = fread(words, 1, bytes, file);
    (void)fclose(file);
    MUST(read == bytes);
    *count = bytes / sizeof *words;
    return words;
}

#endif
