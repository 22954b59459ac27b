/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clients: the threads of a command that knows nothing of Takt, as the threads of tasks.
 *
 * The threads that the command creates, in the order of their numbers, get the tasks of a domain in their order; the first
 * thread of the process and those for which there is no task stay where they are. A wake is the arrival of a job, a sleep its
 * end. Whatever class a thread asks for, it gets SCHED_EXT. */
#ifndef TAKT_LINUX_CLIENTS_H
#define TAKT_LINUX_CLIENTS_H

#include "linux/daemon/machine.h"

typedef struct takt_clients {
    takt_machine_t *machine; /* attached and begun */
    uint32_t cpu;
    uint32_t first;      /* entity of the first task */
    uint32_t count;      /* tasks */
    int32_t *threads;    /* of the tasks; 0: none so far */
    uint64_t begin_ns;   /* of the domain: a wake before it would be no arrival */
    uint64_t end_ns;     /* no thread is a client from here on */
    uint32_t bound;      /* threads that were */
    uint64_t changed_ns; /* a thread was put into its class */
    int32_t process;     /* of the command */
    const char *refuse;  /* what the kernel refused, NULL for nothing */
} takt_clients_t;

/* Starts `command`, and binds its threads until it has ended or `end_ns` has come. Then its threads are of the fair class.
 * Returns whether the command was started. */
bool takt_clients_run(takt_clients_t *clients, char **command);

/* Waits for the command. Returns its exit status, 128 and the signal if one ended it. */
int takt_clients_await(const takt_clients_t *clients);

#endif
