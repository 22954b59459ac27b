/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A program of libtakt: a thread for each name executes jobs of 1 ms until its scheduler is gone, and then goes on.
 *
 * usage: joiner SOCKET USER NAME... ; it runs as USER, a number. If CLOSES is set in the environment, its connections are
 * closed after five jobs, and its threads stay where they are.
 *
 * Prints, for each name, `NAME joined STATUS`, and later `NAME ended STATUS after JOBS jobs in class CLASS`. It ends when all
 * threads have. */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "linux/lib/takt_linux.h"

enum { THREADS = 16, STACK_BYTES = 256 * 1024 };

static takt_linux_transport_t transport;

static double used(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1000000;
}

static void burn(void) {
    const double end = used() + 1;
    while (used() < end) {
    }
}

static void *work(void *name) {
    const takt_linux_parameters_t parameters = {.name = name};
    takt_linux_status_t status = takt_linux_join(&transport, &parameters);
    printf("%s joined %d\n", (const char *)name, (int)status);
    if (status < 0) {
        return NULL;
    }
    takt_linux_counts_t counts = {.completed = 0};
    while ((status = takt_linux_wait()) >= 0) {
        (void)takt_linux_counts(&counts);
        if (counts.completed == 5 && getenv("CLOSES") != NULL) {
            (void)close_range(STDERR_FILENO + 1, ~0u, 0);
        }
        burn();
    }
    (void)takt_linux_counts(&counts);
    const int class = sched_getscheduler(0);
    (void)takt_linux_leave();
    burn(); /* it goes on */
    printf("%s ended %d after %u jobs in class %d then %d\n", (const char *)name, (int)status,
           counts.completed, class, sched_getscheduler(0));
    return NULL;
}

int main(int count, char **words) {
    static pthread_t threads[THREADS];
    pthread_attr_t attributes;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    transport = takt_linux_socket(words[1]);
    if (count < 4 || count - 3 > THREADS || setgroups(0, NULL) != 0 || setgid((gid_t)atoi(words[2])) != 0 ||
        setuid((uid_t)atoi(words[2])) != 0) {
        perror("joiner");
        return 1;
    }
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 3; i < count; i++) {
        (void)pthread_create(&threads[i - 3], &attributes, work, words[i]);
    }
    for (int i = 3; i < count; i++) {
        (void)pthread_join(threads[i - 3], NULL);
    }
    return 0;
}
