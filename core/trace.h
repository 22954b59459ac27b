/* Trace: the inputs that a platform handed to the scheduler and the decisions that it got.
 *
 * Rule 5 of DESIGN.md. Every call that can change the scheduler's state is one record, in the order
 * of the calls; replaying the inputs must give the decisions bit for bit. */
#ifndef TAKT_CORE_TRACE_H
#define TAKT_CORE_TRACE_H

#include "core/types.h"

enum { TAKT_TRACE_VERSION = 1 };

typedef enum takt_record_kind {
    TAKT_RECORD_NONE = 0,
    /* inputs: `entity` is the one concerned */
    TAKT_RECORD_COMPLETE = 1, /* the running job of a task has done its work */
    TAKT_RECORD_BLOCK = 2,    /* an entity cannot go on */
    TAKT_RECORD_WAKE = 3,     /* a blocked entity can go on */
    TAKT_RECORD_YIELD = 4,    /* the running entity lets its equals go first */
    TAKT_RECORD_STEP = 5,     /* `value` steps at `now` */
    /* outputs */
    TAKT_RECORD_DECISION = 16, /* `entity` runs on `cpu` until `value` at the latest */
} takt_record_kind_t;

typedef struct takt_record {
    uint64_t now;      /* the instant handed in */
    uint64_t value;    /* decision: until; step: number of steps; event: nominal instant */
    uint32_t entity;   /* number in the entity table, TAKT_NOBODY for none */
    uint32_t sequence; /* of the event, and of the last event that a decision knows */
    uint8_t kind;      /* takt_record_kind_t */
    uint8_t cpu;
    uint16_t reserved; /* 0 */
    uint32_t job;      /* number of the job concerned, 0 for a plain thread */
} takt_record_t;

_Static_assert(sizeof(takt_record_t) == 32, "a record is 32 bytes in memory and in files");

/* Where records go. `record` may be called with interrupts masked and must not call core. */
typedef struct takt_trace {
    void (*record)(struct takt_trace *trace, const takt_record_t *record);
} takt_trace_t;

#endif
