/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a compiler calls to copy, clear and compare, for a toolchain without a C library. Weak: a program that has one
 * uses that.
 *
 * Without the attribute the compiler would recognise these loops and call what they define. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_LOOP __attribute__((weak, optimize("no-tree-loop-distribute-patterns")))

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

OWN_LOOP void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t index = 0; index < bytes; index++) {
        target[index] = source[index];
    }
    return to;
}

OWN_LOOP void *memmove(void *to, const void *from, size_t bytes) {
    uint8_t *target = to;
    const uint8_t *source = from;
    const bool is_forward = (uintptr_t)to <= (uintptr_t)from;
    for (size_t count = 0; count < bytes; count++) {
        const size_t index = is_forward ? count : bytes - 1u - count;
        target[index] = source[index];
    }
    return to;
}

OWN_LOOP void *memset(void *to, int value, size_t bytes) {
    uint8_t *target = to;
    for (size_t index = 0; index < bytes; index++) {
        target[index] = (uint8_t)value;
    }
    return to;
}

OWN_LOOP int memcmp(const void *a, const void *b, size_t bytes) {
    const uint8_t *one = a;
    const uint8_t *other = b;
    for (size_t index = 0; index < bytes; index++) {
        if (one[index] != other[index]) {
            return one[index] - other[index];
        }
    }
    return 0;
}
