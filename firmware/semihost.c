/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semihosting calls: an operation and its block of parameters, which are words of the machine. How a machine calls is its port's takt_semihost.h. */
#include "firmware/semihost.h"

#include <takt_semihost.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_FLEN = 0x0C,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
    OPEN_READ_BINARY = 1,
    OPEN_WRITE_BINARY = 5,
    APPLICATION_EXIT = 0x20026,
};

static uint32_t length_of(const char *text) {
    uint32_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

void takt_semihost_print(const char *text) { (void)takt_port_semihost(SYS_WRITE0, text); }

static uintptr_t open_file(const char *name, uint32_t mode) {
    const uintptr_t block[] = {(uintptr_t)name, mode, length_of(name)};
    return takt_port_semihost(SYS_OPEN, block);
}

bool takt_semihost_load(const char *name, void *data, size_t limit, size_t *bytes) {
    const uintptr_t file[] = {open_file(name, OPEN_READ_BINARY)};
    if (file[0] == UINTPTR_MAX) {
        return false;
    }
    *bytes = takt_port_semihost(SYS_FLEN, file);
    const uintptr_t read[] = {file[0], (uintptr_t)data, *bytes};
    const bool is_read =
        *bytes <= limit && takt_port_semihost(SYS_READ, read) == 0; /* answers how much is left */
    return takt_port_semihost(SYS_CLOSE, file) == 0 && is_read;
}

bool takt_semihost_save(const char *name, const void *data, size_t bytes) {
    const uintptr_t file = open_file(name, OPEN_WRITE_BINARY);
    if (file == UINTPTR_MAX) {
        return false;
    }
    const uintptr_t write[] = {file, (uintptr_t)data, bytes};
    const bool is_written = takt_port_semihost(SYS_WRITE, write) == 0; /* answers how much is left */
    const uintptr_t close[] = {file};
    return takt_port_semihost(SYS_CLOSE, close) == 0 && is_written;
}

bool takt_semihost_command_line(char *line, size_t bytes) {
    const uintptr_t block[] = {(uintptr_t)line, bytes};
    return takt_port_semihost(SYS_GET_CMDLINE, block) == 0;
}

void takt_semihost_exit(int status) {
    const uintptr_t block[] = {APPLICATION_EXIT, (uintptr_t)status};
    for (;;) {
        (void)takt_port_semihost(SYS_EXIT_EXTENDED, block);
    }
}
