/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The observer of a program whose scheduler is at a distance: what the program reports to it.
 * With -DTAKT_OBSERVED. Without it, as on the direct backend, there is none, and nothing is reported. */
#ifndef TAKT_FIRMWARE_BACKENDS_OBSERVE_H
#define TAKT_FIRMWARE_BACKENDS_OBSERVE_H

#include "core/entity.h"
#include "core/trace.h"
#include "system/image.h"

#ifdef TAKT_OBSERVED

/* Starts to observe a run of `program`. Returns the sink for the records of the scheduler side, which passes them on to
 * `trace`. */
takt_trace_t *takt_firmware_observe(const takt_program_t *program, takt_trace_t *trace);

/* The program makes an event: it is about to call the kernel. NULL: of no entity. */
void takt_firmware_made(takt_record_kind_t kind, const takt_entity_t *entity);

/* The running job makes one. */
void takt_firmware_makes(takt_record_kind_t kind);

/* The running job asks for a decision without an event. */
void takt_firmware_asks(void);

/* Calls `complain` with what was found so far, for people, if anything was. */
void takt_firmware_judge(void (*complain)(const char *finding));

#else

TAKT_INLINE takt_trace_t *takt_firmware_observe(const takt_program_t *program, takt_trace_t *trace) {
    (void)program;
    return trace;
}

TAKT_INLINE void takt_firmware_made(takt_record_kind_t kind, const takt_entity_t *entity) {
    (void)kind;
    (void)entity;
}

TAKT_INLINE void takt_firmware_makes(takt_record_kind_t kind) { (void)kind; }

TAKT_INLINE void takt_firmware_asks(void) {}

TAKT_INLINE void takt_firmware_judge(void (*complain)(const char *finding)) { (void)complain; }

#endif

#endif
