// SPDX-License-Identifier: Apache-2.0 OR MIT
// Measures what preemption points cost a job while no other job waits: Figure 4 of Bergsma et al. 2009.
//
// Usage: points. A thread counts to 20,000, and does one of these at every nth count: nothing; a point of libtakt, which reads
// the should-yield word; a system call, as a scheduler without that word needs one. Prints a line for each: the way, n, the
// points, and the shortest time of all turns in ns. To be run under a class of the kernel, or as a client of takt-linux:
// sched_yield is then a call into Takt. A client has no slot that it knows of; libtakt's word of a thread that has not joined
// is read by the same instructions.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "linux/lib/takt_linux.h"

enum { ROUNDS = 20000, TURNS = 5, NS_PER_S = 1000000000 };

static volatile uint32_t counter;

static uint64_t now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

typedef void (*job_t)(uint32_t every);

// The same loop for each way, so that they differ by what they do at a point.
#define JOB(name, point)                        \
    static void name(uint32_t every) {          \
        uint32_t left = every;                  \
        for (uint32_t i = 0; i < ROUNDS; ++i) { \
            counter = counter + 1;              \
            if (--left == 0) {                  \
                left = every;                   \
                point;                          \
            }                                   \
        }                                       \
    }

JOB(count_only, __asm__ volatile(""))
JOB(reach_points, (void)takt_linux_point())
JOB(call_system, (void)sched_yield())

static const struct {
    const char *name;
    job_t job;
} ways[] = {{"counter", count_only}, {"point", reach_points}, {"call", call_system}};

static const uint32_t distances[] = {10, 20, 50, 100, 200, 500, 1000, 5000, 20000};

static uint64_t shortest(job_t job, uint32_t every) {
    uint64_t least = UINT64_MAX;
    for (int turn = 0; turn < TURNS; ++turn) {
        const uint64_t begin = now();
        job(every);
        const uint64_t taken = now() - begin;
        least = taken < least ? taken : least;
    }
    return least;
}

static void *measure(void *unused) {
    // takt-linux gives a new thread its binding meanwhile.
    const struct timespec pause = {0, NS_PER_S / 5};
    (void)nanosleep(&pause, NULL);
    for (size_t n = 0; n < sizeof distances / sizeof *distances; ++n) {
        for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
            const uint64_t least = shortest(ways[way].job, distances[n]);
            printf("%s %u %u %lu\n", ways[way].name, distances[n], ROUNDS / distances[n], least);
        }
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, measure, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    return 0;
}
