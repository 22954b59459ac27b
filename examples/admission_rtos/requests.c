/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The lines of requests.h. */
#include "requests.h"

enum { MOST = 100000000 /* of a number: 100 s */, MOST_PRIORITY = 29, WORD_BYTES = REQUEST_NAME_BYTES };

bool request_is_name(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* ---- words -------------------------------------------------------------------------------------------- */

static bool is_end(char character) { return character == 0 || character == '\n'; }

static void skip_spaces(const char **text) {
    while (**text == ' ') {
        ++*text;
    }
}

/* False: there is none, or it is too long. */
static bool read_word(const char **text, char *word) {
    uint32_t length = 0;
    skip_spaces(text);
    while (!is_end(**text) && **text != ' ' && length < WORD_BYTES - 1u) {
        word[length++] = *(*text)++;
    }
    word[length] = 0;
    return length > 0 && (is_end(**text) || **text == ' ');
}

static bool read_number(const char **text, uint32_t least, uint32_t most, uint32_t *number) {
    char word[WORD_BYTES];
    const char *digit = word;
    uint64_t value = 0;
    if (!read_word(text, word)) {
        return false;
    }
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        value = 10u * value + (uint64_t)(*digit - '0');
    }
    *number = (uint32_t)value;
    return *digit == 0 && value >= least && value <= most;
}

/* ---- lines -------------------------------------------------------------------------------------------- */

static bool read_kind(const char **text, request_kind_t *kind) {
    static const char *const names[] = {
        [REQUEST_ENTER] = "enter", [REQUEST_LEAVE] = "leave", [REQUEST_END] = "end"};
    char word[WORD_BYTES];
    if (!read_word(text, word)) {
        return false;
    }
    for (*kind = REQUEST_ENTER; *kind <= REQUEST_END; ++*kind) {
        if (request_is_name(word, names[*kind])) {
            return true;
        }
    }
    return false;
}

static bool read_task(const char **text, request_t *request) {
    return read_number(text, 1, MOST, &request->wcet) && read_number(text, 1, MOST, &request->period) &&
           read_number(text, 1, MOST, &request->deadline) &&
           read_number(text, 1, MOST_PRIORITY, &request->priority);
}

static void skip_empty_lines(const char **text) {
    for (skip_spaces(text); **text == '#' || **text == '\n'; skip_spaces(text)) {
        while (!is_end(**text)) {
            ++*text;
        }
        *text += **text == '\n';
    }
}

bool request_read(const char **text, request_t *request) {
    skip_empty_lines(text);
    if (!read_number(text, 0, MOST, &request->ms) || !read_kind(text, &request->kind) ||
        (request->kind != REQUEST_END && !read_word(text, request->name)) ||
        (request->kind == REQUEST_ENTER && !read_task(text, request))) {
        return false;
    }
    skip_spaces(text);
    return is_end(**text);
}
