// SPDX-License-Identifier: Apache-2.0 OR MIT
// Measures how long threads of a scheduling class wait from the instant of a timer until they run, and how long a switch takes
// from one to another, beside an ordinary process that never sleeps.
//
// Usage: wake CLASS [THREADS [WAKES [SPACING_NS [switch]]]], CLASS one of fifo, deadline, other, ext.
//
// Threads sleep until absolute instants, in turn: one wake each SPACING_NS, WAKES in all (default 20,000). The default of
// 1,007,000 ns is no divisor of the kernel's tick, so that wakes have every distance from it. Prints the median, the 99th
// percentile and the largest latency in ns. With `switch`, two threads wake at each instant and execute 100 us each; the
// figures are from the end of the first one until the second one runs. Exit status 2: the class was refused.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEADLINE = 6,
    EXT = 7,
    PRIORITY = 90,
    STACK_BYTES = 1 << 16,
    WARM_UP_NS = 100000000,
    WORK_NS = 100000, // of a thread from which is switched
    NS_PER_S = 1000000000
};

static const struct {
    const char *name;
    uint32_t policy;
} classes[] = {{"fifo", SCHED_FIFO}, {"deadline", DEADLINE}, {"other", SCHED_OTHER}, {"ext", EXT}};

// The first version of struct sched_attr; the kernel's header of it and <sched.h> exclude each other.
typedef struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
} class_t;

static struct {
    class_t class;
    uint32_t threads;
    uint32_t wakes; // of each thread
    uint64_t spacing;
    uint32_t together;   // threads that wake at an instant: 1, or 2 for switches
    uint64_t begin;      // instant of the first wake of all, ns of CLOCK_MONOTONIC
    uint64_t *latencies; // of the first thread's wakes, then of the next one's
    uint64_t *ends;      // likewise: when the thread sleeps again, from the same instant
    _Atomic int error;   // of a thread that was refused
    pthread_barrier_t ready;
    pthread_barrier_t set;
} plan;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static void sleep_until(uint64_t instant) {
    const struct timespec time = {(time_t)(instant / NS_PER_S), (long)(instant % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

// Of a thread's wakes.
static uint64_t period(void) { return plan.threads / plan.together * plan.spacing; }

static void *run(void *argument) {
    const uint64_t number = (uint64_t)(uintptr_t)argument;
    uint64_t *latency = plan.latencies + number * plan.wakes;
    // The classes FIFO and DEADLINE have timers without slack; the others' default is 50 us.
    (void)prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    if (syscall(SYS_sched_setattr, 0, &plan.class, 0) != 0) {
        plan.error = errno;
    }
    pthread_barrier_wait(&plan.ready);
    pthread_barrier_wait(&plan.set);
    uint64_t *end = plan.ends + number * plan.wakes;
    uint64_t instant = plan.begin + number / plan.together * plan.spacing;
    for (uint32_t wake = 0; wake < plan.wakes; ++wake) {
        sleep_until(instant);
        latency[wake] = now() - instant;
        end[wake] = latency[wake];
        while (plan.together > 1 && end[wake] < latency[wake] + WORK_NS) {
            end[wake] = now() - instant;
        }
        instant += period();
    }
    // The end of a thread takes longer than a wake: after the last wake of all.
    sleep_until(plan.begin + (plan.wakes + 1) * period());
    return NULL;
}

static class_t attributes(uint32_t policy) {
    class_t class = {.size = sizeof class, .policy = policy};
    if (policy == SCHED_FIFO) {
        class.priority = PRIORITY;
    } else if (policy == DEADLINE) {
        // All threads together may take a quarter of the processor.
        class.runtime = plan.spacing / 4;
        class.deadline = period();
        class.period = class.deadline;
    }
    return class;
}

// Replaces the latencies of each pair of threads by the lengths of the switches between the two.
static void pair(void) {
    for (size_t wake = 0; wake < (size_t)plan.threads / 2 * plan.wakes; ++wake) {
        const size_t a = wake / plan.wakes * 2 * plan.wakes + wake % plan.wakes, b = a + plan.wakes;
        const size_t first = plan.latencies[a] < plan.latencies[b] ? a : b;
        plan.latencies[wake] = plan.latencies[a + b - first] - plan.ends[first];
    }
}

static int by_value(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static pid_t start_hog(void) {
    const pid_t hog = fork();
    if (hog == 0) {
        for (volatile uint64_t turns = 0;; ++turns) {
        }
    }
    return hog;
}

// Starts the threads; they sleep before their first wake. Gives the error of one of them, or 0.
static int start(pthread_t *threads) {
    pthread_attr_t small;
    int error = pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    for (uint32_t i = 0; i < plan.threads && error == 0; ++i) {
        error = pthread_create(&threads[i], &small, run, (void *)(uintptr_t)i);
    }
    if (error == 0) {
        pthread_barrier_wait(&plan.ready);
        error = plan.error;
    }
    return error;
}

// Lets the threads run to their ends, beside the hog.
static void measure(const pthread_t *threads) {
    const pid_t hog = start_hog();
    plan.begin = now() + WARM_UP_NS + plan.threads * plan.spacing;
    pthread_barrier_wait(&plan.set);
    for (uint32_t i = 0; i < plan.threads; ++i) {
        pthread_join(threads[i], NULL);
    }
    kill(hog, SIGKILL);
    waitpid(hog, NULL, 0);
}

static uint32_t number(int argc, char **argv, int which, uint32_t otherwise) {
    return argc > which ? (uint32_t)strtoul(argv[which], NULL, 10) : otherwise;
}

static void print(const char *name) {
    const size_t count = (size_t)plan.threads / plan.together * plan.wakes;
    uint64_t *latency = plan.latencies;
    qsort(latency, count, sizeof *latency, by_value);
    printf("%s threads %u wakes %zu p50 %lu p99 %lu max %lu\n", name, plan.threads, count, latency[count / 2],
           latency[count - 1 - count / 100], latency[count - 1]);
}

// Reads the arguments but the class. Returns whether they make sense.
static bool read_plan(int argc, char **argv) {
    const bool is_switch = argc > 5 && strcmp(argv[5], "switch") == 0;
    plan.together = is_switch ? 2 : 1;
    plan.threads = number(argc, argv, 2, 1);
    plan.spacing = number(argc, argv, 4, 1007000);
    const uint32_t instants = plan.threads / plan.together;
    plan.wakes = instants != 0 ? number(argc, argv, 3, 20000) / instants : 0;
    return plan.wakes != 0 && plan.threads % plan.together == 0 && plan.spacing != 0 && argc <= 5 + is_switch;
}

int main(int argc, char **argv) {
    size_t which = 0;
    while (which < 4 && (argc < 2 || strcmp(argv[1], classes[which].name) != 0)) {
        ++which;
    }
    if (which == 4 || !read_plan(argc, argv)) {
        fprintf(stderr, "usage: wake fifo|deadline|other|ext [THREADS [WAKES [SPACING_NS [switch]]]]\n");
        return 1;
    }
    plan.class = attributes(classes[which].policy);
    const size_t all = (size_t)plan.threads * plan.wakes;
    pthread_t *started = calloc(plan.threads, sizeof *started);
    plan.latencies = calloc(all, sizeof *plan.latencies);
    plan.ends = calloc(all, sizeof *plan.ends);
    if (started == NULL || plan.latencies == NULL || plan.ends == NULL ||
        mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fprintf(stderr, "wake: memory cannot be had or locked\n");
        return 1;
    }
    pthread_barrier_init(&plan.ready, NULL, plan.threads + 1);
    pthread_barrier_init(&plan.set, NULL, plan.threads + 1);
    const int error = start(started);
    if (error != 0) {
        fprintf(stderr, "wake: class %s: %s\n", classes[which].name, strerror(error));
        return 2;
    }
    measure(started);
    if (plan.together == 2) {
        pair();
    }
    print(classes[which].name);
    return 0;
}
