/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Protocol: what programs and tools ask of taktd, over a socket of AF_UNIX and SOCK_SEQPACKET.
 *
 * Rules:
 * 1. A message is one structure, a call one of CALL_BYTES, its reply one of REPLY_BYTES, of the same kind. Words are in the
 *    order of the machine. taktd replies to each call, also to one that it does not understand.
 * 2. A connection has at most one thread: that of its last JOIN. It leaves when the connection is closed.
 * 3. JOIN, ENTER and LEAVE are for each peer; the thread must be one of the peer's process. ADD, ATTACH, DETACH and
 *    TRACE are for root and for the user that runs taktd.
 * 4. JOIN's reply has a file descriptor: memory in which the slot (linux/slot.h) stands at `slot_offset`. ADD has one: a file
 *    that begins with a takt_load_t. TRACE's reply has one: header and records, a trace file, and
 *    behind them the requests for rates (linux/negotiation.h), of which words[0] says the bytes.
 * 5. A reply's status says what became of the call. If it is not OK, nothing was done.
 *
 * Plain C without includes but <stdint.h>. */
#ifndef TAKT_LINUX_PROTOCOL_H
#define TAKT_LINUX_PROTOCOL_H

#include <stdint.h>

#define TAKT_PROTOCOL_VERSION 1u
#define TAKT_PROTOCOL_PATH "/run/takt/taktd.sock"

enum {
    TAKT_CALL_BYTES = 128,
    TAKT_REPLY_BYTES = 256,
    TAKT_NAME_BYTES = 64, /* of a task, with the closing 0 */
};

/* What is asked. */
typedef enum takt_call_kind {
    TAKT_CALL_JOIN = 1, /* `thread` is to execute the jobs of the task `name`, or `entity` if that is empty */
    TAKT_CALL_ENTER = 2,  /* the scheduler is to decide when it runs */
    TAKT_CALL_LEAVE = 3,  /* ends both */
    TAKT_CALL_STATUS = 4, /* of `cpu`, or of the first processor behind it that has a domain */
    TAKT_CALL_TASK = 5,   /* of `entity` of `cpu` */
    TAKT_CALL_ADD = 6,    /* a domain for `cpu` */
    TAKT_CALL_ATTACH = 7, /* the domains that were added decide from now on */
    TAKT_CALL_DETACH = 8, /* they do not any more, or are forgotten */
    TAKT_CALL_TRACE = 9,  /* what `cpu` decided, after a detach */
} takt_call_kind_t;

/* Bits of `flags`. */
enum {
    TAKT_CALL_WHEN_JOINED = 1, /* ATTACH: instant 0 is when each task has a thread; else at once */
};

typedef struct takt_socket_call {
    uint32_t version; /* TAKT_PROTOCOL_VERSION */
    uint32_t kind;    /* takt_call_kind_t */
    int32_t thread;   /* as gettid() gives it */
    uint32_t cpu;
    uint32_t entity;
    uint32_t flags;
    uint64_t tick_ns; /* of ADD */
    uint64_t records; /* of ADD: for which there is memory */
    uint64_t unused[3];
    char name[TAKT_NAME_BYTES];
} takt_socket_call_t;

/* X(constant, message): what became of a call. */
#define TAKT_REPLY_STATUSES(X)                                                                  \
    X(OK, "done")                                                                               \
    X(MESSAGE, "the message is none of this protocol: its length, version or kind, or a field") \
    X(ALLOWED, "only root and the user of taktd may do this")                                   \
    X(NAME, "the task set that is attached has no task of this name or number")                 \
    X(TAKEN, "another thread executes the jobs of this task")                                   \
    X(FOREIGN, "the thread is none of the process that asks")                                   \
    X(JOINED, "the thread, or this connection, has joined already")                             \
    X(NOT_JOINED, "this connection has no thread")                                              \
    X(NOT_BEGUN, "instant 0 is not known yet: threads are missing")                             \
    X(DETACHED, "no task set is attached")                                                      \
    X(ATTACHED, "a task set is attached; detach it first")                                      \
    X(OTHER, "another scheduler is attached; end it first")                                     \
    X(REFUSED, "the task set is refused")                                                       \
    X(KERNEL, "the kernel refuses")                                                             \
    X(NOTHING, "there is none")

#define TAKT_REPLY_STATUS(constant, message) TAKT_REPLY_##constant,
typedef enum takt_reply_status { TAKT_REPLY_STATUSES(TAKT_REPLY_STATUS) } takt_reply_status_t;
#undef TAKT_REPLY_STATUS

/* Of taktd. */
typedef enum takt_daemon_state {
    TAKT_DAEMON_IDLE = 0,     /* no task set is attached */
    TAKT_DAEMON_WAITS = 1,    /* attached; instant 0 is not known yet */
    TAKT_DAEMON_ATTACHED = 2, /* and it is */
} takt_daemon_state_t;

/* Of a processor. */
typedef struct takt_processor_status {
    uint64_t epoch_ns;  /* CLOCK_MONOTONIC of instant 0; 0: not known */
    uint64_t decisions; /* these are those of takt_shared_t */
    uint64_t mismatches;
    uint64_t absences;
    uint64_t refused;
    uint64_t stolen_ns;
    uint64_t stolen;
    uint64_t orphans;
    uint64_t lost;
    uint64_t records;      /* of the trace */
    uint64_t records_lost; /* without room */
    uint32_t daemon;       /* its process */
    uint32_t state;        /* takt_daemon_state_t */
    uint32_t entities;     /* of the domain */
    uint32_t is_full;      /* the fair class is scheduled, too */
    uint32_t running;      /* entity, UINT32_MAX for none */
    uint32_t first_task;   /* its entity */
    uint64_t visits;       /* as of takt_shared_t */
} takt_processor_status_t;

/* Of a task. */
typedef struct takt_task_status {
    uint64_t release_ns; /* as in the slot */
    uint64_t deadline_ns;
    uint64_t next_release_ns;
    int32_t thread; /* 0: none has joined */
    uint32_t job;
    uint32_t state; /* TAKT_SLOT_ */
    uint32_t waiting;
    uint32_t started;
    uint32_t is_missed;
} takt_task_status_t;

typedef struct takt_socket_reply {
    uint32_t version;
    uint32_t kind;
    uint32_t status; /* takt_reply_status_t */
    uint32_t cpu;
    uint32_t entity;
    uint32_t unused;
    uint64_t slot_offset; /* of JOIN */
    union {
        takt_processor_status_t processor; /* of STATUS */
        takt_task_status_t task;           /* of TASK */
        uint64_t words[15];
    } of;
    /* TASK: the name; STATUS: why the kernel ended the scheduler; REFUSED, OTHER, KERNEL: why. */
    char text[TAKT_REPLY_BYTES - 32 - 120];
} takt_socket_reply_t;

/* With what the file of ADD begins. Behind it stand the image, the names of its entities, each with a closing 0, and the
 * header of the trace file. */
typedef struct takt_load {
    uint64_t image_bytes; /* a multiple of 8 */
    uint64_t names_bytes;
    uint64_t header_bytes;
} takt_load_t;

_Static_assert(sizeof(takt_socket_call_t) == TAKT_CALL_BYTES, "a call has one length");
_Static_assert(sizeof(takt_socket_reply_t) == TAKT_REPLY_BYTES, "a reply has one length");

#endif
