/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A line of text, built without a C library and printed at once, so that an interrupting thread does not write into
 * it. */
#ifndef BLINKY_LINE_H
#define BLINKY_LINE_H

#include <stdint.h>

enum { LINE_BYTES = 96 };

typedef struct line {
    char text[LINE_BYTES];
    uint32_t length;
} line_t;

/* Adds `text`, filled up with spaces to `width`; a line that is full stays as it is. */
void line_add(line_t *line, const char *text, uint32_t width);

/* Adds `number`, with spaces before it up to `width`. */
void line_add_number(line_t *line, uint32_t number, uint32_t width);

/* Prints the line, which is empty afterwards. */
void line_print(line_t *line);

#endif
