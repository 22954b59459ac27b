/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The clients of clients.h. The threads of a process are those of /proc; no event announces new ones, so it is read again. */
#define _GNU_SOURCE
#include "linux/daemon/clients.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/lib/calls.h"
#include "linux/lib/clock.h"

enum {
    HIGHEST = 99, /* priority of the thread that bindings: a client that never sleeps must not keep it out */
    NOT_STARTED = 127,      /* exit status, as of a shell */
    BY_SIGNAL = 128,        /* likewise */
    OFTEN_NS = 10000000,    /* between passes, while threads are new or have asked for another class */
    SELDOM_NS = 1000000000, /* when none has for as long */
};

static void sleep_until(uint64_t instant_ns) {
    const struct timespec until = takt_clock_time(instant_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
}

static uint64_t now_ns(void) { return takt_clock_read(CLOCK_MONOTONIC); }

/* ---- one thread ------------------------------------------------------------------------------------------- */

/* Puts a thread into its class, if it is in another one. */
static void keep(takt_clients_t *clients, int32_t thread) {
    const long class = syscall(SYS_sched_getscheduler, thread);
    if (class < 0 || class == TAKT_SLOT_CLASS_EXT) {
        return;
    }
    clients->changed_ns = now_ns();
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(clients->cpu, &set);
    if (sched_setaffinity(thread, sizeof set, &set) == 0 && !takt_linux_set_class(thread, true)) {
        clients->refuse = "SCHED_EXT for a thread of the command";
    }
}

static void binding(takt_clients_t *clients, int32_t thread) {
    const uint32_t entity = clients->first + clients->bound;
    takt_machine_slot(clients->machine, clients->cpu, entity)->mode =
        TAKT_SLOT_WAKE_ARRIVES | TAKT_SLOT_SLEEP_COMPLETES;
    if (!takt_machine_bind(clients->machine, thread, clients->cpu, entity)) {
        clients->refuse = "a binding for a thread of the command";
        return;
    }
    clients->threads[clients->bound] = thread;
    clients->bound++;
    keep(clients, thread);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

/* Returns the least number of a thread of the command that is above `last`, 0 for none. */
static int32_t next_thread(const takt_clients_t *clients, int32_t last) {
    char name[32];
    int32_t least = 0;
    (void)snprintf(name, sizeof name, "/proc/%d/task", clients->process);
    DIR *folder = opendir(name);
    for (const struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const int32_t thread = (int32_t)strtol(entry->d_name, NULL, 10);
        if (thread > last && (least == 0 || thread < least)) {
            least = thread;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return least;
}

/* Binds the threads that are new, and puts those back that have asked for another class. */
static void update(takt_clients_t *clients) {
    for (uint32_t i = 0; i < clients->bound; i++) {
        keep(clients, clients->threads[i]);
    }
    while (clients->bound < clients->count && clients->refuse == NULL) {
        const int32_t last = clients->bound > 0 ? clients->threads[clients->bound - 1] : clients->process;
        const int32_t thread = next_thread(clients, last);
        if (thread == 0) {
            return;
        }
        binding(clients, thread);
    }
}

static bool has_ended(const takt_clients_t *clients) {
    siginfo_t found = {.si_pid = 0};
    return waitid(P_PID, (id_t)clients->process, &found, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           found.si_pid != 0;
}

static void leave(takt_clients_t *clients) {
    for (uint32_t i = 0; i < clients->bound; i++) {
        takt_machine_unbind(clients->machine, clients->threads[i]);
        (void)takt_linux_set_class(clients->threads[i], false);
    }
}

static _Noreturn void become(char **command) {
    (void)execvp(command[0], command);
    perror(command[0]);
    _exit(NOT_STARTED);
}

bool takt_clients_run(takt_clients_t *clients, char **command) {
    sleep_until(clients->begin_ns);
    clients->changed_ns = clients->begin_ns;
    takt_linux_set_slack(1); /* as of the real-time classes; the default of a child is what its parent has */
    clients->process = fork();
    if (clients->process == 0) {
        become(command);
    }
    const struct sched_param highest = {.sched_priority = HIGHEST};
    if (clients->process < 0 || sched_setscheduler(0, SCHED_FIFO, &highest) != 0) {
        return false;
    }
    while (!has_ended(clients) && now_ns() < clients->end_ns) {
        update(clients);
        const uint64_t now = now_ns();
        sleep_until(now + (now < clients->changed_ns + SELDOM_NS ? OFTEN_NS : SELDOM_NS));
    }
    leave(clients);
    return true;
}

int takt_clients_await(const takt_clients_t *clients) {
    int status = 0;
    (void)waitpid(clients->process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}
