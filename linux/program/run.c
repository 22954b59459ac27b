/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The threads of a run, from their creation to their end. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "linux/lib/clock.h"
#include "linux/program/internal.h"

enum { STACK_BYTES = 128 * 1024, TOUCHED_BYTES = 32 * 1024, NAME_BYTES = 16, PATIENCE_NS = 5000000 };

/* ---- one thread --------------------------------------------------------------------------------------- */

static const char *name_of(const takt_worker_t *worker) {
    const char *const *names = worker->threads->run->names;
    return names != NULL ? names[worker->task] : NULL;
}

static uint32_t entity_of(const takt_worker_t *worker) {
    return 1u + worker->threads->program.spec.server_count + worker->task;
}

/* Remembers the first failure of the threads, whose lock is held. */
static void fail(takt_worker_t *worker, takt_program_status_t status, takt_linux_status_t why) {
    takt_threads_t *threads = worker->threads;
    if (threads->status == TAKT_PROGRAM_OK) {
        threads->status = status;
        threads->run->task = worker->task;
        threads->run->why = why;
    }
}

static takt_linux_status_t join(const takt_worker_t *worker) {
    const takt_linux_parameters_t parameters = {
        .name = name_of(worker), .entity = entity_of(worker), .stack_bytes = TOUCHED_BYTES};
    return takt_linux_join(worker->threads->run->transport, &parameters);
}

/* Joins; returns, when all have, whether the thread is to execute jobs. */
static bool begin(takt_worker_t *worker) {
    takt_threads_t *threads = worker->threads;
    const takt_linux_status_t status = join(worker);
    (void)pthread_mutex_lock(&threads->lock);
    worker->joined = takt_linux_self();
    threads->run->is_in_memory &= status == TAKT_LINUX_OK;
    if (status < 0) {
        fail(worker, TAKT_PROGRAM_JOIN, status);
    }
    threads->joined++;
    (void)pthread_cond_broadcast(&threads->changed);
    while (!threads->may_begin) {
        (void)pthread_cond_wait(&threads->begun, &threads->lock);
    }
    (void)pthread_mutex_unlock(&threads->lock);
    return !__atomic_load_n(&threads->is_over, __ATOMIC_ACQUIRE);
}

/* The thread may wait for the lock only in its own class. */
static void end(takt_worker_t *worker, takt_linux_status_t status) {
    takt_threads_t *threads = worker->threads;
    if (takt_linux_self() != NULL) {
        takt_linux_dismiss(takt_linux_self());
    }
    (void)pthread_mutex_lock(&threads->lock);
    worker->joined = NULL;
    if (!__atomic_load_n(&threads->is_over, __ATOMIC_ACQUIRE)) {
        fail(worker, TAKT_PROGRAM_LOST, status);
    }
    (void)pthread_mutex_unlock(&threads->lock);
    (void)takt_linux_leave();
    (void)pthread_mutex_lock(&threads->lock);
    worker->has_ended = true;
    (void)pthread_cond_broadcast(&threads->changed);
    (void)pthread_mutex_unlock(&threads->lock);
}

static void *work(void *argument) {
    takt_worker_t *worker = argument;
    end(worker, begin(worker) ? takt_worker_execute(worker) : TAKT_LINUX_ERROR_DISMISSED);
    return NULL;
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static void ignore(int number) { (void)number; }

static void name_thread(const takt_worker_t *worker) {
    char name[NAME_BYTES];
    if (name_of(worker) != NULL) {
        (void)snprintf(name, sizeof name, "%s", name_of(worker));
    } else {
        (void)snprintf(name, sizeof name, "takt-%u", entity_of(worker));
    }
    (void)pthread_setname_np(worker->thread, name);
}

/* Creates the threads; those that were created are counted. */
static void create(takt_threads_t *threads) {
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (threads->count < threads->program.spec.task_count) {
        takt_worker_t *worker = &threads->workers[threads->count];
        worker->threads = threads;
        worker->task = threads->count;
        if (pthread_create(&worker->thread, &attributes, work, worker) != 0) {
            (void)pthread_mutex_lock(&threads->lock);
            fail(worker, TAKT_PROGRAM_THREAD, TAKT_LINUX_OK);
            (void)pthread_mutex_unlock(&threads->lock);
            break;
        }
        name_thread(worker);
        threads->count++;
    }
    (void)pthread_attr_destroy(&attributes);
}

/* Lets the threads begin once each has joined. */
static void start(takt_threads_t *threads) {
    takt_program_run_t *run = threads->run;
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->joined < threads->count) {
        (void)pthread_cond_wait(&threads->changed, &threads->lock);
    }
    if (threads->status == TAKT_PROGRAM_OK) {
        threads->epoch = run->begin(run->context);
    } else {
        __atomic_store_n(&threads->is_over, true, __ATOMIC_RELEASE);
    }
    threads->may_begin = true;
    (void)pthread_cond_broadcast(&threads->begun);
    (void)pthread_mutex_unlock(&threads->lock);
}

/* Returns at the horizon, or when a thread has failed. */
static void await_horizon(takt_threads_t *threads) {
    const struct timespec horizon =
        takt_clock_time(threads->epoch + threads->program.horizon * threads->program.resolution_ns);
    int waited = 0;
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->status == TAKT_PROGRAM_OK && waited == 0) {
        waited = pthread_cond_timedwait(&threads->changed, &threads->lock, &horizon);
    }
    __atomic_store_n(&threads->is_over, true, __ATOMIC_RELEASE);
    (void)pthread_mutex_unlock(&threads->lock);
}

/* Makes the threads return from their calls. Returns whether all have ended. Under the lock. */
static bool dismiss(takt_threads_t *threads) {
    bool have_ended = true;
    for (uint32_t i = 0; i < threads->count; i++) {
        const takt_worker_t *worker = &threads->workers[i];
        have_ended &= worker->has_ended;
        if (worker->joined != NULL) {
            takt_linux_dismiss(worker->joined);
            (void)pthread_kill(worker->thread, TAKT_PROGRAM_SIGNAL);
        }
    }
    return have_ended;
}

/* A thread that was about to sleep when the signal came gets another one. */
static void finish(takt_threads_t *threads) {
    (void)pthread_mutex_lock(&threads->lock);
    while (!dismiss(threads)) {
        const struct timespec until = takt_clock_time(takt_program_now() + PATIENCE_NS);
        (void)pthread_cond_timedwait(&threads->changed, &threads->lock, &until);
    }
    (void)pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 0; i < threads->count; i++) {
        (void)pthread_join(threads->workers[i].thread, NULL);
    }
}

static void open_threads(takt_threads_t *threads) {
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&threads->lock, NULL);
    (void)pthread_cond_init(&threads->changed, &attributes);
    (void)pthread_cond_init(&threads->begun, NULL);
    (void)pthread_condattr_destroy(&attributes);
}

static takt_program_status_t result_of(const takt_threads_t *threads) {
    takt_program_run_t *run = threads->run;
    if (run->job_count <= run->job_limit) {
        return threads->status;
    }
    run->job_count = run->job_limit;
    return threads->status != TAKT_PROGRAM_OK ? threads->status : TAKT_PROGRAM_FULL;
}

static takt_program_status_t run_threads(takt_threads_t *threads) {
    const struct sigaction quiet = {.sa_handler = ignore}; /* without SA_RESTART: it ends a sleep */
    threads->workers = calloc(threads->program.spec.task_count, sizeof *threads->workers);
    if (threads->workers == NULL) {
        return TAKT_PROGRAM_MEMORY;
    }
    open_threads(threads);
    (void)sigaction(TAKT_PROGRAM_SIGNAL, &quiet, NULL);
    threads->run->is_in_memory = true;
    create(threads);
    start(threads);
    await_horizon(threads);
    finish(threads);
    (void)pthread_cond_destroy(&threads->begun);
    (void)pthread_cond_destroy(&threads->changed);
    (void)pthread_mutex_destroy(&threads->lock);
    free(threads->workers);
    return result_of(threads);
}

takt_program_status_t takt_program_run(takt_program_run_t *run) {
    takt_threads_t threads = {.run = run, .status = TAKT_PROGRAM_OK};
    void *memory;
    takt_program_status_t status = takt_program_read(run, &threads.program, &memory);
    if (status == TAKT_PROGRAM_OK) {
        status = run_threads(&threads);
    }
    free(memory);
    return status;
}
