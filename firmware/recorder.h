/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Recorder: the trace of a program on the kernel as a file (docs/trace-format.md), which describes the program itself.
 *
 *     takt_kernel_init(&takt_policy_fp)
 *     takt_recorder_begin(&recorder, records, RECORDS)   before servers and threads
 *     ...
 *     takt_recorder_end(&recorder)
 *     takt_recorder_write(&recorder, &about, put)        the bytes of the file, in order
 *
 * The description has servers, plain threads and the resources that they lock. Names and levels are copied when a thread
 * is created, so that a thread may end meanwhile. A thread whose number another name had before is recorded under the
 * first name with a "+" behind it.
 *
 * Cost: that of a trace (kernel/statistics.h), and 24 bytes for each entity number.
 *
 * When not to use it: for periodic threads and other threads with jobs, which `takt run --on` records; where a thread
 * takes the number of one in another server, or two servers share a resource. Writing then refuses. */
#ifndef TAKT_FIRMWARE_RECORDER_H
#define TAKT_FIRMWARE_RECORDER_H

#include "core/trace.h"
#include "kernel/geometry.h"
#include "kernel/inspect.h"

TAKT_C_BEGIN

enum {
    TAKT_RECORDER_NAME_BYTES = 17, /* of a name, its "+" and the 0 at its end: longer ones are cut */
    TAKT_RECORDER_RESOURCES = 8,   /* that threads lock, at most */
};

/* A thread as it was when its number was given out first. Private. */
typedef struct takt_recorded_thread {
    char name[TAKT_RECORDER_NAME_BYTES]; /* empty: the number is no thread's */
    uint8_t level;
    uint32_t server; /* number of its server, 0: the root */
} takt_recorded_thread_t;

/* The state of a recorder. Private. */
typedef struct takt_recorder {
    takt_trace_t trace; /* first of all */
    takt_record_t *records;
    uint32_t length;
    uint32_t count;
    bool is_full;
    bool is_ended;
    takt_status_t status; /* why there is no description */
    takt_instant_t end;
    uint32_t limit; /* numbers are below this */
    takt_thread_t *threads[TAKT_KERNEL_ENTITY_LIMIT];
    const struct takt_server *root;
    const struct takt_server *servers[TAKT_KERNEL_ENTITY_LIMIT + 1];
    takt_instant_t offsets[TAKT_KERNEL_ENTITY_LIMIT];
    takt_recorded_thread_t known[TAKT_KERNEL_ENTITY_LIMIT];
    const struct takt_resource *resources[TAKT_RECORDER_RESOURCES];
    uint32_t resource_servers[TAKT_RECORDER_RESOURCES];
    uint32_t resource_count;
} takt_recorder_t;

/* Starts to record into `records`, memory for `length`; the caller's until the recorder is written. When it is full, the
 * trace ends, and says so. After takt_kernel_init, before servers and threads. Returns ERROR_NULL, _LENGTH (0), _ORDER or
 * _NOT_INITIALISED. */
takt_status_t takt_recorder_begin(takt_recorder_t *recorder, takt_record_t *records, uint32_t length);

/* Ends the trace. From anywhere that may call the kernel. Returns ERROR_NULL, or _OBJECT if it did not begin. */
takt_status_t takt_recorder_end(takt_recorder_t *recorder);

/* What a file says besides. */
typedef struct takt_recording {
    const char *program;    /* name */
    const char *platform;   /* such as "cortex_m" */
    uint64_t resolution_ns; /* length of a tick, at least 1 */
} takt_recording_t;

/* Takes `count` bytes of the file, which follow those of the last call. Returns false if it could not. */
typedef bool (*takt_recorder_put_t)(const void *bytes, uint32_t count);

/* Writes the file of a trace that has ended, by `put`. Returns ERROR_NULL; _ORDER if the trace has not ended or is empty; _OBJECT,
 * _JOBS or _FULL if the program has what no description holds (above); _TIMEOUT if `put` failed. */
takt_status_t takt_recorder_write(const takt_recorder_t *recorder, const takt_recording_t *about,
                                  takt_recorder_put_t put);

TAKT_C_END

#endif
