/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The scheduler on the processor of the jobs; see scheduler.h. */
#include "firmware/scheduler.h"
#include "kernel/kernel.h"

void takt_firmware_schedule(const takt_program_t *program, takt_system_t *built, takt_trace_t *trace) {
    (void)built;
    if (program->is_remote) {
        takt_firmware_refuse("the image is for a scheduler at a distance", "");
    }
    const takt_status_t status = takt_kernel_trace_to(trace);
    if (status != TAKT_OK) {
        takt_firmware_refuse("trace: ", takt_status_message(status));
    }
}

void takt_firmware_schedule_last(void) {}
