/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of semihost.h for a program that is a Linux process, its own host.
 *
 * They run under the lock: in real time a thread can be preempted inside stdio, and the next thread would find its
 * buffers inconsistent. */
#include "firmware/semihost.h"

#include <stdio.h>

#include "kernel/port.h"

/* ---- text and files ------------------------------------------------------------------------------- */

void takt_semihost_print(const char *text) {
    const takt_port_level_t level = takt_port_lock();
    (void)fputs(text, stdout);
    (void)fflush(stdout);
    takt_port_unlock(level);
}

/* One byte more than there is room for would show that the file does not fit. */
static bool read_and_close(FILE *file, void *data, size_t limit, size_t *bytes) {
    *bytes = fread(data, 1, limit, file);
    const bool is_all = fgetc(file) == EOF && ferror(file) == 0;
    return fclose(file) == 0 && is_all;
}

bool takt_semihost_load(const char *name, void *data, size_t limit, size_t *bytes) {
    const takt_port_level_t level = takt_port_lock();
    FILE *file = fopen(name, "rb");
    const bool is_loaded = file != NULL && read_and_close(file, data, limit, bytes);
    takt_port_unlock(level);
    return is_loaded;
}

static bool write_and_close(FILE *file, const void *data, size_t bytes) {
    const bool is_written = fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && is_written;
}

bool takt_semihost_save(const char *name, const void *data, size_t bytes) {
    const takt_port_level_t level = takt_port_lock();
    FILE *file = fopen(name, "wb");
    const bool is_saved = file != NULL && write_and_close(file, data, bytes);
    takt_port_unlock(level);
    return is_saved;
}

/* ---- command line --------------------------------------------------------------------------------- */

/* Linux keeps the arguments with a 0 behind each: all but the last become spaces. */
static void join(char *line, size_t length) {
    for (size_t place = 0; place + 1 < length; place++) {
        line[place] = line[place] == 0 ? ' ' : line[place];
    }
}

static bool read_line(FILE *file, char *line, size_t bytes) {
    const size_t length = fread(line, 1, bytes, file);
    const bool is_all = length > 0 && fgetc(file) == EOF;
    join(line, length);
    return is_all;
}

bool takt_semihost_command_line(char *line, size_t bytes) {
    const takt_port_level_t level = takt_port_lock();
    FILE *file = fopen("/proc/self/cmdline", "rb");
    const bool is_read = file != NULL && read_line(file, line, bytes);
    if (file != NULL) {
        (void)fclose(file);
    }
    takt_port_unlock(level);
    return is_read;
}

void takt_semihost_exit(int status) { takt_posix_exit(status); }
