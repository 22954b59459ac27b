/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The observer of observe.h. What runs is seen by the linker: it wraps the port's functions that switch, so that the
 * backend has no part in it. */
#include "firmware/backends/observe.h"

#include <inttypes.h>
#include <stdio.h>

#include "firmware/scheduler.h"
#include "kernel/kernel.h"
#include "kernel/thread.h"
#include "remote/observer.h"

enum {
    MADE = 4096, /* as many events as the mailbox holds messages */
    WORDS_BYTES = 64,
    LINE_BYTES = 512,
    MESSAGES = 4, /* in a row until a signal is answered: the signal, a fetch in vain, its answer, a fetch */
};

static takt_observer_t observer;

static const uint64_t made_kinds = UINT64_C(1) << TAKT_RECORD_COMPLETE | UINT64_C(1) << TAKT_RECORD_SUSPEND |
                                   UINT64_C(1) << TAKT_RECORD_LOCK | UINT64_C(1) << TAKT_RECORD_UNLOCK |
                                   UINT64_C(1) << TAKT_RECORD_ARRIVAL | UINT64_C(1) << TAKT_RECORD_ENTER |
                                   UINT64_C(1) << TAKT_RECORD_LEAVE | UINT64_C(1) << TAKT_RECORD_CHANGE |
                                   UINT64_C(1) << TAKT_RECORD_YIELD | UINT64_C(1) << TAKT_RECORD_PRIORITY;

static takt_duration_t longest(const takt_stream_t *delays) {
    takt_duration_t most = 0;
    for (uint32_t i = 0; delays != NULL && i < delays->count; i++) {
        most = delays->values[i] > most ? delays->values[i] : most;
    }
    return most;
}

/* A decision of a program of plain threads always names one: only a task set needs `idle`. */
takt_trace_t *takt_firmware_observe(const takt_program_t *program, takt_trace_t *trace) {
    const uint32_t servers = 1u + program->spec.server_count;
    takt_observer_init(&observer,
                       &(takt_observer_setup_t){.next = trace,
                                                .made = takt_firmware_allocate(MADE * sizeof(takt_made_t)),
                                                .made_limit = MADE,
                                                .servers = servers,
                                                .idle = servers + program->spec.task_count,
                                                .kinds = made_kinds,
                                                .patience = MESSAGES * longest(program->delays)});
    return &observer.trace;
}

void takt_firmware_made(takt_record_kind_t kind, const takt_entity_t *entity) {
    takt_observer_made(&observer, kind, entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY,
                       takt_port_now());
}

void takt_firmware_makes(takt_record_kind_t kind) {
    takt_firmware_made(kind, &takt_kernel_running()->plain.entity);
}

void takt_firmware_asks(void) { takt_observer_asks(&observer, takt_port_now()); }

/* ---- what runs ------------------------------------------------------------------------------------- */

static void see(const takt_thread_t *thread) {
    takt_observer_runs(&observer, takt_entity_number(&thread->plain.entity), takt_port_now());
}

takt_status_t __real_takt_port_switch(takt_thread_t *from, takt_thread_t *to);
takt_status_t __wrap_takt_port_switch(takt_thread_t *from, takt_thread_t *to);
void __real_takt_posix_switch(takt_thread_t *from, takt_thread_t *to);
void __wrap_takt_posix_switch(takt_thread_t *from, takt_thread_t *to);
__attribute__((noreturn)) void __real_takt_port_start(takt_thread_t *first);
__attribute__((noreturn)) void __wrap_takt_port_start(takt_thread_t *first);

takt_status_t __wrap_takt_port_switch(takt_thread_t *from, takt_thread_t *to) {
    see(to);
    return __real_takt_port_switch(from, to);
}

/* After an interrupt. */
void __wrap_takt_posix_switch(takt_thread_t *from, takt_thread_t *to) {
    see(to);
    __real_takt_posix_switch(from, to);
}

void __wrap_takt_port_start(takt_thread_t *first) {
    see(first);
    __real_takt_port_start(first);
}

/* ---- the finding ----------------------------------------------------------------------------------- */

/* Writes `before` and the entity into `words`, and returns them. */
static const char *name_of(char *words, const char *before, uint32_t entity) {
    if (entity == TAKT_NO_ENTITY) {
        (void)snprintf(words, WORDS_BYTES, "%snone", before);
    } else {
        (void)snprintf(words, WORDS_BYTES, "%sentity %" PRIu32, before, entity);
    }
    return words;
}

static const char *line_of(const takt_finding_t *finding) {
    static char line[LINE_BYTES], about[WORDS_BYTES], decided[WORDS_BYTES];
    (void)snprintf(line, sizeof line, "at %" PRIu64 ", %s: of instant %" PRIu64 ", %s; %s, job %" PRIu32,
                   finding->now, takt_observer_message(finding->rule), finding->since,
                   name_of(about, "", finding->entity),
                   name_of(decided, "the last decision names ", finding->decided), finding->decided_job);
    return line;
}

void takt_firmware_judge(void (*complain)(const char *finding)) {
    const takt_finding_t *finding = takt_observer_reach(&observer, takt_port_now());
    if (finding->rule != TAKT_OBSERVER_OK) {
        complain(line_of(finding));
    }
}
