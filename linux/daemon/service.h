/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Service: what taktd replies to the calls of linux/protocol.h. It judges each call. None blocks but ATTACH, which
 * loads the programs that the domains need: some seconds.
 *
 *     takt_service_admit(service, connection)   a program has connected
 *     takt_service_serve(service, client)       its next call is there, or it has closed the connection
 *     takt_service_attend(service)              from time to time, and no later than takt_service_next(service)
 *
 * The scheduler is a takt_machine_t, opened by the caller. */
#ifndef TAKT_LINUX_SERVICE_H
#define TAKT_LINUX_SERVICE_H

#include <sys/types.h>

#include "linux/daemon/machine.h"
#include "linux/protocol.h"

enum {
    TAKT_CLIENTS = TAKT_BINDINGS, /* connections, at most */
    TAKT_NO_CLIENT = -1,
};

/* One connection. */
typedef struct takt_client {
    int connection; /* -1: there is none */
    pid_t process;  /* of the peer */
    uid_t user;     /* likewise */
    int32_t thread; /* that has joined; 0: none */
    uint32_t cpu;   /* of it */
    uint32_t entity;
    bool has_entered;
} takt_client_t;

/* What was loaded for a processor. */
typedef struct takt_part {
    char *text; /* names of the entities, then the header of the trace file; NULL: nothing was loaded */
    uint64_t names_bytes;
    uint64_t header_bytes;
    uint64_t records; /* of the trace that has ended, the closing one included; 0: none has */
} takt_part_t;

typedef struct takt_service {
    takt_machine_t *machine;
    const char *others; /* set by the caller: the task that stands for the threads of no domain; NULL: none */
    takt_daemon_state_t state;
    int most;           /* connections */
    int loader;         /* the client that adds domains, TAKT_NO_CLIENT for none */
    bool waits_for_all; /* instant 0 is when each task has a thread */
    uint64_t end_ns;    /* of the domains */
    char reason[104];   /* why the kernel ended the last scheduler; empty: it did not */
    takt_part_t parts[TAKT_CPUS];
    takt_client_t clients[TAKT_CLIENTS];
} takt_service_t;

/* Makes `service`, which is zeroed, ready for at most `most` connections, up to TAKT_CLIENTS. */
void takt_service_open(takt_service_t *service, takt_machine_t *machine, int most);

/* Of `most` connections: the share of a user other than root, and what is kept for root. */
static inline int takt_service_quota(int most) { return most < 4 ? 1 : most / 4; }
static inline int takt_service_kept(int most) { return most < 32 ? most / 4 : 8; }

/* Takes `connection`, or closes it if there are too many, or too many of its user. */
void takt_service_admit(takt_service_t *service, int connection);

/* Receives one message of `client` and replies, or drops the client. */
void takt_service_serve(takt_service_t *service, takt_client_t *client);

/* Ends what has ended: the domains at their horizon, a scheduler that the kernel has ended, bindings of threads that are gone. */
void takt_service_attend(takt_service_t *service);

/* Returns the CLOCK_MONOTONIC of the next takt_service_attend at the latest. */
uint64_t takt_service_next(const takt_service_t *service);

/* Detaches, and closes all connections. */
void takt_service_close(takt_service_t *service);

#endif
