/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The lines of line.h. */
#include "line.h"

#include "firmware/semihost.h"

static void add_character(line_t *line, char character) {
    if (line->length < LINE_BYTES - 2u) {
        line->text[line->length++] = character;
    }
}

void line_add(line_t *line, const char *text, uint32_t width) {
    const uint32_t end = line->length + width;
    while (*text != 0) {
        add_character(line, *text++);
    }
    while (line->length < end && line->length < LINE_BYTES - 2u) {
        add_character(line, ' ');
    }
}

void line_add_number(line_t *line, uint32_t number, uint32_t width) {
    char digits[10];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number > 0);
    for (uint32_t spaces = count; spaces < width; spaces++) {
        add_character(line, ' ');
    }
    while (count > 0) {
        add_character(line, digits[--count]);
    }
}

void line_print(line_t *line) {
    line->text[line->length] = '\n';
    line->text[line->length + 1u] = 0;
    takt_semihost_print(line->text);
    line->length = 0;
}
