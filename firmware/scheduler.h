/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Where the scheduler of a program stands: on the processor of the jobs (direct.c), or beside it, as a
 * folder of backends/ has it. A recipe names one of the files. */
#ifndef TAKT_FIRMWARE_SCHEDULER_H
#define TAKT_FIRMWARE_SCHEDULER_H

#include "system/build.h"
#include "system/image.h"

/* Prepares the scheduler of `program`, whose system is `built` in the kernel; plain threads need not be in it. `trace`
 * takes the records. Call once, before the threads are created. */
void takt_firmware_schedule(const takt_program_t *program, takt_system_t *built, takt_trace_t *trace);

/* The run ends now. A scheduler at a distance receives the events that are under way: those that happened before now,
 * and completions at it. It decides nothing any more. */
void takt_firmware_schedule_last(void);

/* ---- defined by the program, as main.c does ------------------------------------------------------------------- */

/* Returns zeroed memory, aligned to 16 bytes. Ends the program if there is not enough. */
void *takt_firmware_allocate(uint64_t bytes);

/* Ends the program with status 2: it cannot run this task set. */
__attribute__((noreturn)) void takt_firmware_refuse(const char *what, const char *detail);

#endif
