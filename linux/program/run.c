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
    const char *const *names = worker->crew->run->names;
    return names != NULL ? names[worker->task] : NULL;
}

static uint32_t entity_of(const takt_worker_t *worker) {
    return 1u + worker->crew->program.spec.server_count + worker->task;
}

/* Remembers the first failure of the crew, whose lock is held. */
static void fail(takt_worker_t *worker, takt_program_status_t status, takt_linux_status_t why) {
    takt_crew_t *crew = worker->crew;
    if (crew->status == TAKT_PROGRAM_OK) {
        crew->status = status;
        crew->run->task = worker->task;
        crew->run->why = why;
    }
}

static takt_linux_status_t join(const takt_worker_t *worker) {
    const takt_linux_parameters_t parameters = {
        .name = name_of(worker), .entity = entity_of(worker), .stack_bytes = TOUCHED_BYTES};
    return takt_linux_join(worker->crew->run->transport, &parameters);
}

/* Joins; returns, when all have, whether the thread is to execute jobs. */
static bool begin(takt_worker_t *worker) {
    takt_crew_t *crew = worker->crew;
    const takt_linux_status_t status = join(worker);
    (void)pthread_mutex_lock(&crew->lock);
    worker->joined = takt_linux_self();
    crew->run->is_in_memory &= status == TAKT_LINUX_OK;
    if (status < 0) {
        fail(worker, TAKT_PROGRAM_JOIN, status);
    }
    crew->joined++;
    (void)pthread_cond_broadcast(&crew->changed);
    while (!crew->may_begin) {
        (void)pthread_cond_wait(&crew->begun, &crew->lock);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return !__atomic_load_n(&crew->is_over, __ATOMIC_ACQUIRE);
}

/* The thread may wait for the lock only in its own class. */
static void end(takt_worker_t *worker, takt_linux_status_t status) {
    takt_crew_t *crew = worker->crew;
    if (takt_linux_self() != NULL) {
        takt_linux_dismiss(takt_linux_self());
    }
    (void)pthread_mutex_lock(&crew->lock);
    worker->joined = NULL;
    if (!__atomic_load_n(&crew->is_over, __ATOMIC_ACQUIRE)) {
        fail(worker, TAKT_PROGRAM_LOST, status);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    (void)takt_linux_leave();
    (void)pthread_mutex_lock(&crew->lock);
    worker->has_ended = true;
    (void)pthread_cond_broadcast(&crew->changed);
    (void)pthread_mutex_unlock(&crew->lock);
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
static void create(takt_crew_t *crew) {
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (crew->count < crew->program.spec.task_count) {
        takt_worker_t *worker = &crew->workers[crew->count];
        worker->crew = crew;
        worker->task = crew->count;
        if (pthread_create(&worker->thread, &attributes, work, worker) != 0) {
            (void)pthread_mutex_lock(&crew->lock);
            fail(worker, TAKT_PROGRAM_THREAD, TAKT_LINUX_OK);
            (void)pthread_mutex_unlock(&crew->lock);
            break;
        }
        name_thread(worker);
        crew->count++;
    }
    (void)pthread_attr_destroy(&attributes);
}

/* Lets the threads begin once each has joined. */
static void start(takt_crew_t *crew) {
    takt_program_run_t *run = crew->run;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->joined < crew->count) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (crew->status == TAKT_PROGRAM_OK) {
        crew->epoch = run->begin(run->context);
    } else {
        __atomic_store_n(&crew->is_over, true, __ATOMIC_RELEASE);
    }
    crew->may_begin = true;
    (void)pthread_cond_broadcast(&crew->begun);
    (void)pthread_mutex_unlock(&crew->lock);
}

/* Returns at the horizon, or when a thread has failed. */
static void await_horizon(takt_crew_t *crew) {
    const struct timespec horizon =
        takt_clock_time(crew->epoch + crew->program.horizon * crew->program.resolution_ns);
    int waited = 0;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->status == TAKT_PROGRAM_OK && waited == 0) {
        waited = pthread_cond_timedwait(&crew->changed, &crew->lock, &horizon);
    }
    __atomic_store_n(&crew->is_over, true, __ATOMIC_RELEASE);
    (void)pthread_mutex_unlock(&crew->lock);
}

/* Makes the threads return from their calls. Returns whether all have ended. Under the lock. */
static bool dismiss(takt_crew_t *crew) {
    bool have_ended = true;
    for (uint32_t i = 0; i < crew->count; i++) {
        const takt_worker_t *worker = &crew->workers[i];
        have_ended &= worker->has_ended;
        if (worker->joined != NULL) {
            takt_linux_dismiss(worker->joined);
            (void)pthread_kill(worker->thread, TAKT_PROGRAM_SIGNAL);
        }
    }
    return have_ended;
}

/* A thread that was about to sleep when the signal came gets another one. */
static void finish(takt_crew_t *crew) {
    (void)pthread_mutex_lock(&crew->lock);
    while (!dismiss(crew)) {
        const struct timespec until = takt_clock_time(takt_program_now() + PATIENCE_NS);
        (void)pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    for (uint32_t i = 0; i < crew->count; i++) {
        (void)pthread_join(crew->workers[i].thread, NULL);
    }
}

static void open_crew(takt_crew_t *crew) {
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&crew->lock, NULL);
    (void)pthread_cond_init(&crew->changed, &attributes);
    (void)pthread_cond_init(&crew->begun, NULL);
    (void)pthread_condattr_destroy(&attributes);
}

static takt_program_status_t result_of(const takt_crew_t *crew) {
    takt_program_run_t *run = crew->run;
    if (run->job_count <= run->job_limit) {
        return crew->status;
    }
    run->job_count = run->job_limit;
    return crew->status != TAKT_PROGRAM_OK ? crew->status : TAKT_PROGRAM_FULL;
}

static takt_program_status_t run_crew(takt_crew_t *crew) {
    const struct sigaction quiet = {.sa_handler = ignore}; /* without SA_RESTART: it ends a sleep */
    crew->workers = calloc(crew->program.spec.task_count, sizeof *crew->workers);
    if (crew->workers == NULL) {
        return TAKT_PROGRAM_MEMORY;
    }
    open_crew(crew);
    (void)sigaction(TAKT_PROGRAM_SIGNAL, &quiet, NULL);
    crew->run->is_in_memory = true;
    create(crew);
    start(crew);
    await_horizon(crew);
    finish(crew);
    (void)pthread_cond_destroy(&crew->begun);
    (void)pthread_cond_destroy(&crew->changed);
    (void)pthread_mutex_destroy(&crew->lock);
    free(crew->workers);
    return result_of(crew);
}

takt_program_status_t takt_program_run(takt_program_run_t *run) {
    takt_crew_t crew = {.run = run, .status = TAKT_PROGRAM_OK};
    void *memory;
    takt_program_status_t status = takt_program_read(run, &crew.program, &memory);
    if (status == TAKT_PROGRAM_OK) {
        status = run_crew(&crew);
    }
    free(memory);
    return status;
}
