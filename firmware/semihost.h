/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semihosting: files, text and exit of the machine that runs the emulator or the debugger.
 *
 * Source: Arm, "Semihosting for AArch32 and AArch64", operations by number.
 * When not to use it: without a host listening; the breakpoint then faults. */
#ifndef TAKT_FIRMWARE_SEMIHOST_H
#define TAKT_FIRMWARE_SEMIHOST_H

#include "core/types.h"

TAKT_C_BEGIN

/* Prints `text`, which ends with 0. */
void takt_semihost_print(const char *text);

/* Reads the file `name` into `data`, which has room for `limit` bytes, and writes its size to `bytes`. Returns true if
 * the file exists and fits. */
bool takt_semihost_load(const char *name, void *data, size_t limit, size_t *bytes);

/* Writes `bytes` of `data` into the new file `name`. Returns true if all was written. */
bool takt_semihost_save(const char *name, const void *data, size_t bytes);

/* Copies the program's command line into `line`. Returns true if there is one and it fits. */
bool takt_semihost_command_line(char *line, size_t bytes);

/* Ends the program with `status`, 0 .. 255. */
__attribute__((noreturn)) void takt_semihost_exit(int status);

TAKT_C_END

#endif
