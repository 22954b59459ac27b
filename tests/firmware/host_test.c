/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The host's calls from a thread: prints the command line, copies the file that it names, and ends with 42. In real time
 * if the last word says so. */
#include <string.h>

#include "firmware/semihost.h"
#include "kernel/kernel.h"
#include "policy/table.h"
#include "port/posix/posix.h"

enum { LINE_BYTES = 256, FILE_BYTES = 64 };

static char line[LINE_BYTES];

static void require(bool holds, const char *sentence) {
    if (!holds) {
        takt_semihost_print(sentence);
        takt_semihost_exit(1);
    }
}

static void copy(const char *name) {
    char data[FILE_BYTES];
    char short_data[2];
    size_t bytes = 0;
    require(takt_semihost_load(name, data, sizeof data, &bytes), "a file is read");
    require(takt_semihost_save("copy", data, bytes), "a file is written");
    require(!takt_semihost_load(name, short_data, sizeof short_data, &bytes),
            "a file that does not fit is refused");
    require(!takt_semihost_load("missing", data, sizeof data, &bytes), "a file that is not there is refused");
    require(!takt_semihost_save("missing/copy", data, bytes), "a file that cannot be written is refused");
}

static void work(void *argument) {
    (void)argument;
    takt_semihost_print(line);
    takt_port_work(1000);
    copy("original");
    takt_semihost_exit(42);
}

static takt_thread_t thread;
static uint64_t stack[TAKT_STACK_BYTES_MIN / sizeof(uint64_t)];

int main(void) {
    const takt_thread_parameters_t parameters = {
        .entry = work, .stack = stack, .stack_bytes = sizeof stack, .priority = 1};
    char none[2];
    require(takt_semihost_command_line(line, sizeof line), "there is a command line");
    require(!takt_semihost_command_line(none, sizeof none), "a command line that does not fit is refused");
    if (strstr(line, "real") != NULL) {
        require(takt_posix_use_real_time(1000) == TAKT_OK, "real time can be chosen");
    }
    require(takt_kernel_init(&takt_policy_fp) == TAKT_OK, "creation succeeds");
    require(takt_thread_create(&thread, &parameters) == TAKT_OK, "creation succeeds");
    require(takt_kernel_start() == TAKT_OK, "the start does not return");
    return 1;
}
