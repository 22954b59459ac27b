/* Semihosting calls: an operation and its block of parameters. How a machine calls is its port's takt_semihost.h. */
#include "firmware/semihost.h"

#include <takt_semihost.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
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

bool takt_semihost_save(const char *name, const void *data, size_t bytes) {
    const uint32_t open[] = {(uint32_t)name, OPEN_WRITE_BINARY, length_of(name)};
    const uint32_t file = takt_port_semihost(SYS_OPEN, open);
    if (file == UINT32_MAX) {
        return false;
    }
    const uint32_t write[] = {file, (uint32_t)data, bytes};
    const bool is_written = takt_port_semihost(SYS_WRITE, write) == 0; /* answers how much is left */
    const uint32_t close[] = {file};
    return takt_port_semihost(SYS_CLOSE, close) == 0 && is_written;
}

bool takt_semihost_command_line(char *line, size_t bytes) {
    const uint32_t block[] = {(uint32_t)line, bytes};
    return takt_port_semihost(SYS_GET_CMDLINE, block) == 0;
}

void takt_semihost_exit(int status) {
    const uint32_t block[] = {APPLICATION_EXIT, (uint32_t)status};
    for (;;) {
        (void)takt_port_semihost(SYS_EXIT_EXTENDED, block);
    }
}
