/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The threads of linux/program/ on a Linux of virtual time: they are real, but one at a time executes, and the kernel is
 * this file. It plays the scheduler's side of linux/slot.h, with a domain that decides.
 *
 *     virtual_threads IMAGE RECORDS HOW [TASK...]
 *
 * The linker hands the calls of libtakt and of the program that need a kernel over to it. Time passes only where a thread
 * spins and where all wait. HOW is `run`, or what goes wrong: `stranger` (the last task has no place), `detach` (the
 * scheduler ends halfway), `few` (room for one job record), `swapped` (memory cannot be locked), `restless` (a signal
 * comes before every other sleep).
 *
 * With the names of all tasks it runs the example that it is linked with (examples/linux/example.h), and no program; the
 * scheduler ends at the horizon.
 *
 * Else it prints the status, then the jobs: task, number, release, start, end in ticks, and the outcome. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/negotiation.h"
#include "linux/program/internal.h"
#include "linux/slot.h"
#include "system/work.h"
#include "words.h"

enum { JOBS = 1 << 17, RECORDS = 1 << 18, STEP = 2000, AGAIN_MOST = 8 };

int takt_example(const takt_linux_transport_t *transport) __attribute__((weak));

#define EPOCH UINT64_C(7000000000)

typedef struct thread {
    takt_linux_slot_t slot;
    pthread_cond_t turn;
    int32_t id;
    bool is_ext;
    uint64_t asleep_until;
    uint64_t used; /* CPU time */
} thread_t;

static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t at_horizon = PTHREAD_COND_INITIALIZER;
static takt_domain_t *domain;
static thread_t *threads; /* by entity */
static uint32_t lowest, count;
static __thread thread_t *own;
static thread_t *turn;  /* the thread that executes */
static uint32_t parked; /* threads that have come to their first wait */
static uint64_t now = EPOCH, detach_at = UINT64_MAX;
static bool is_example, is_over, is_detached, is_restless, has_memory = true;

/* ---- the domain --------------------------------------------------------------------------------------- */

static uint64_t address(void) { return (uint64_t)(uintptr_t)domain; }

static uint64_t ns_of(takt_instant_t instant) {
    return instant == TAKT_NEVER ? UINT64_MAX : EPOCH + instant * domain->program.resolution_ns;
}

static takt_instant_t ticks_of(uint64_t ns) { return (ns - EPOCH) / domain->program.resolution_ns; }

static uint32_t entity_of(const thread_t *thread) { return (uint32_t)(thread - threads); }

static void write_state(uint32_t entity) {
    takt_linux_slot_t *slot = &threads[entity].slot;
    const uint64_t state = takt_domain_state(address(), entity);
    slot->state = TAKT_SLOT_ATTACHED | ((state & TAKT_DOMAIN_HAS_JOB) != 0 ? TAKT_SLOT_HAS_JOB : 0u);
    slot->rate = takt_domain_rate(domain, takt_system_entity(&domain->system, entity)->task);
    slot->should_yield = (state & (TAKT_DOMAIN_YIELDS | TAKT_DOMAIN_HAS_POINTS)) ==
                         (TAKT_DOMAIN_YIELDS | TAKT_DOMAIN_HAS_POINTS);
}

static void write_next_release(uint32_t entity) {
    const takt_instant_t release = takt_domain_next_release(address(), entity);
    threads[entity].slot.next_release_ns = release != TAKT_NEVER ? ns_of(release) : 0;
}

static void write_answer(takt_linux_slot_t *slot) {
    const takt_answer_t *answer = &domain->answer;
    slot->job = answer->job;
    slot->is_missed = answer->is_missed;
    slot->waiting = answer->waiting;
    slot->release_ns = ns_of(answer->release);
    slot->deadline_ns = ns_of(answer->deadline);
    slot->change = answer->change == TAKT_NO_CHANGE ? 0 : answer->change + 1u;
    slot->started++;
}

static void write_slots(void) {
    for (uint32_t i = lowest; i < lowest + count; i++) {
        if ((threads[i].slot.state & TAKT_SLOT_ATTACHED) != 0) {
            write_state(i);
        }
    }
}

/* Takes the request of the thread that calls. */
static void take_request(void) {
    takt_linux_slot_t *slot = &own->slot;
    const bool is_time = slot->request == TAKT_SLOT_SUSPEND;
    const bool is_lock = slot->request == TAKT_SLOT_LOCK || slot->request == TAKT_SLOT_UNLOCK;
    const bool is_change = slot->request == TAKT_SLOT_CHANGE;
    const takt_demand_t demand = {slot->request_value, slot->request_deadline_ns, slot->request_wcet_ns,
                                  slot->request_weight};
    const uint64_t value = is_time     ? ticks_of(slot->request_value)
                           : is_lock   ? slot->request_value
                           : is_change ? (uint64_t)(uintptr_t)&demand
                                       : ticks_of(now);
    const uint64_t kind = ((uint64_t)slot->request << TAKT_DOMAIN_KIND_SHIFT) | TAKT_DOMAIN_OF_THREAD;
    slot->receipt =
        (uint32_t)takt_domain_post(address(), kind | entity_of(own), slot->request_job, value, ticks_of(now));
    slot->answered++;
    slot->request = TAKT_SLOT_NONE;
    MUST(is_change || slot->receipt <= TAKT_RECEIPT_STALE);
}

static void end_attachment(void) {
    for (uint32_t i = lowest; i < lowest + count; i++) {
        threads[i].slot.state = 0;
        threads[i].is_ext = false;
        (void)pthread_cond_signal(&threads[i].turn);
    }
    is_detached = true;
    (void)pthread_cond_signal(&at_horizon);
}

/* ---- the processor ------------------------------------------------------------------------------------ */

static void end_run(void) {
    is_over = true;
    (void)pthread_cond_signal(&at_horizon);
}

static uint64_t horizon(void) { return ns_of(domain->program.horizon); }

/* Decides. Returns the thread that is to run; NULL: none is ready now. The job of a thread that has left is complete. */
static thread_t *decide(void) {
    const uint64_t selected = takt_domain_peek(address(), ticks_of(now));
    const bool is_new = domain->is_outdated;
    if (is_new) {
        MUST(takt_domain_take(address(), ticks_of(now)) == selected);
    }
    if (selected == TAKT_NO_ENTITY) {
        write_slots();
        return NULL;
    }
    thread_t *thread = &threads[selected];
    if (!thread->is_ext) {
        const uint64_t complete = (uint64_t)TAKT_EVENT_COMPLETE << TAKT_DOMAIN_KIND_SHIFT | selected;
        MUST(takt_domain_post(address(), complete, domain->answer.job, ticks_of(now), ticks_of(now)) ==
             TAKT_RECEIPT_RECEIVED);
        return decide();
    }
    if (is_new) {
        write_answer(&thread->slot);
        write_next_release((uint32_t)selected);
    }
    write_slots();
    return thread;
}

/* Gives the processor to the thread that the domain selects; lets time pass while it selects none. */
static void dispatch(void) {
    uint32_t again = 0; /* a decision may itself make something due at its instant */
    turn = NULL;
    while (turn == NULL && now < detach_at && now < horizon()) {
        turn = decide();
        if (turn == NULL) {
            const uint64_t next = ns_of(takt_domain_next(address()));
            again = next > now ? 0 : again + 1u;
            MUST(again < AGAIN_MOST);
            now = next > now ? takt_least_of(next, horizon()) : now;
        }
    }
    if (turn != NULL) {
        MUST(turn->asleep_until <= now);
        (void)pthread_cond_signal(&turn->turn);
    } else if (now >= detach_at || is_example) {
        end_attachment();
    } else {
        end_run();
    }
}

/* The thread that calls wants the processor, or sleeps: another one may run. */
static void wait_for_turn(void) {
    dispatch();
    while (turn != own && own->is_ext) {
        (void)pthread_cond_wait(&own->turn, &big);
    }
}

/* Threads begin together. */
static void park(void) {
    parked++;
    if (parked == count) {
        wait_for_turn();
        return;
    }
    while (turn != own && own->is_ext) {
        (void)pthread_cond_wait(&own->turn, &big);
    }
}

/* ---- calls of libtakt and of the program ---------------------------------------------------------------- */

int __wrap_sched_yield(void);
int __wrap_sched_yield(void) {
    (void)pthread_mutex_lock(&big);
    if (own->is_ext && !own->slot.started && own->slot.answered == 0 && turn != own) {
        park();
    } else if (own->is_ext) {
        if (own->slot.request == TAKT_SLOT_LOCK) {
            wait_for_turn(); /* what is due comes before a lock */
        }
        if (own->is_ext && own->slot.request != TAKT_SLOT_NONE) {
            take_request();
        }
        if (own->is_ext) {
            wait_for_turn();
        }
    }
    (void)pthread_mutex_unlock(&big);
    return 0;
}

static uint64_t ns_of_time(const struct timespec *time) {
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    static uint32_t sleeps;
    (void)left;
    MUST(clock == CLOCK_MONOTONIC && flags == TIMER_ABSTIME);
    if (is_restless && __atomic_fetch_add(&sleeps, 1u, __ATOMIC_RELAXED) % 2 == 0) {
        return EINTR;
    }
    (void)pthread_mutex_lock(&big);
    if (own->is_ext && ns_of_time(until) > now) {
        own->asleep_until = ns_of_time(until);
        if (turn != own) {
            park();
        } else {
            MUST(own->slot.request == TAKT_SLOT_COMPLETE || own->slot.request == TAKT_SLOT_SUSPEND);
            take_request();
            wait_for_turn();
        }
        own->asleep_until = 0;
    }
    (void)pthread_mutex_unlock(&big);
    return 0;
}

uint64_t __wrap_takt_program_now(void);
uint64_t __wrap_takt_program_now(void) {
    (void)pthread_mutex_lock(&big);
    const uint64_t instant = now;
    (void)pthread_mutex_unlock(&big);
    return instant;
}

uint64_t __wrap_takt_program_used(void);
uint64_t __wrap_takt_program_used(void) { return own->used; }

/* The thread that calls executes until `next`. */
static void advance(uint64_t next) {
    next = next < horizon() ? next : horizon();
    next = next < detach_at ? next : detach_at;
    own->used += next > now ? next - now : 0;
    now = next > now ? next : now;
}

static bool spins_on(uint64_t until, const bool *is_ended) {
    return own->is_ext && now < until && !is_over && !__atomic_load_n(is_ended, __ATOMIC_ACQUIRE) &&
           !takt_linux_is_aborted();
}

void __wrap_takt_program_spin(uint64_t until, const bool *is_ended);
void __wrap_takt_program_spin(uint64_t until, const bool *is_ended) {
    (void)pthread_mutex_lock(&big);
    while (spins_on(until, is_ended)) {
        const uint64_t due = ns_of(takt_domain_next(address()));
        advance(due < until ? due : until);
        if (now < until) {
            wait_for_turn();
        }
    }
    own->used += own->is_ext || now >= until ? 0 : until - now; /* in the fair class there is room for it */
    (void)pthread_mutex_unlock(&big);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    static const bool is_never = false;
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
        __wrap_takt_program_spin(now + STEP,
                                 &is_never); /* an example reads its CPU time until it has worked enough */
    }
    const uint64_t instant = clock == CLOCK_MONOTONIC ? __wrap_takt_program_now() : own->used;
    *time = (struct timespec){.tv_sec = (time_t)(instant / 1000000000u),
                              .tv_nsec = (long)(instant % 1000000000u)};
    return 0;
}

const takt_item_t *__real_takt_work_pass(takt_work_t *work, const takt_task_spec_t *task);
const takt_item_t *__wrap_takt_work_pass(takt_work_t *work, const takt_task_spec_t *task);

/* What is due at the instant of a point sets the flag before the job reads it. */
const takt_item_t *__wrap_takt_work_pass(takt_work_t *work, const takt_task_spec_t *task) {
    const takt_item_t *item = __real_takt_work_pass(work, task);
    (void)pthread_mutex_lock(&big);
    if (item->kind == TAKT_ITEM_POINT && own->is_ext &&
        (takt_domain_state(address(), entity_of(own)) & TAKT_DOMAIN_HAS_POINTS) != 0) {
        wait_for_turn();
    }
    (void)pthread_mutex_unlock(&big);
    return item;
}

/* The main thread waits for the horizon, and then for the threads. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until) {
    (void)cond;
    (void)pthread_mutex_unlock(mutex);
    (void)pthread_mutex_lock(&big);
    while (parked > 0 && !is_over && !is_detached && ns_of_time(until) > now) {
        (void)pthread_cond_wait(&at_horizon, &big);
    }
    const int result = is_over ? ETIMEDOUT : 0;
    (void)pthread_mutex_unlock(&big);
    const struct timespec shortly = {.tv_sec = 0, .tv_nsec = 200000};
    (void)nanosleep(&shortly, NULL);
    (void)pthread_mutex_lock(mutex);
    return result;
}

bool __wrap_takt_linux_bind(int32_t cpu);
bool __wrap_takt_linux_bind(int32_t cpu) { return cpu == 0; }

bool __wrap_takt_linux_lock_memory(void);
bool __wrap_takt_linux_lock_memory(void) { return has_memory; }

bool __wrap_takt_linux_set_class(int32_t id, bool is_ext);
bool __wrap_takt_linux_set_class(int32_t id, bool is_ext) {
    (void)pthread_mutex_lock(&big);
    for (uint32_t i = lowest; i < lowest + count; i++) {
        if (threads[i].id == id) {
            threads[i].is_ext = is_ext;
            (void)pthread_cond_signal(&threads[i].turn);
        }
    }
    if (!is_ext && own != NULL && turn == own && !is_over && !is_detached) {
        dispatch();
    }
    (void)pthread_mutex_unlock(&big);
    return true;
}

static bool bind(void *context, const takt_linux_place_t *place, int32_t id, bool is_bound) {
    (void)context;
    (void)pthread_mutex_lock(&big);
    thread_t *thread = &threads[place->entity];
    thread->id = is_bound ? id : 0;
    thread->slot.state = is_bound ? TAKT_SLOT_ATTACHED : 0;
    if (is_bound) {
        own = thread;
        write_state(place->entity);
        write_next_release(place->entity);
    }
    (void)pthread_mutex_unlock(&big);
    return true;
}

/* ---- the run ------------------------------------------------------------------------------------------ */

static void build(const uint64_t *words, uint64_t length) {
    takt_domain_order_t order = {.words = words, .count = length, .records = RECORDS};
    void *memory = NULL;
    uint64_t bytes = 0, status;
    do {
        free(memory);
        memory = calloc(bytes + 1u, 1);
        MUST(memory != NULL);
        status = takt_domain_build((uint64_t)(uintptr_t)memory, bytes, (uint64_t)(uintptr_t)&order);
        bytes = order.bytes;
    } while (status == TAKT_DOMAIN_MEMORY);
    domain = status == TAKT_DOMAIN_OK ? memory : NULL;
}

/* `names` are those of the tasks, or there are none. */
static takt_linux_table_t make_places(char **names) {
    lowest = 1u + domain->system.server_count;
    count = domain->system.task_count;
    threads = calloc(lowest + count, sizeof *threads);
    takt_linux_place_t *places = calloc(count, sizeof *places);
    MUST(threads != NULL && places != NULL);
    for (uint32_t i = 0; i < count; i++) {
        (void)pthread_cond_init(&threads[lowest + i].turn, NULL);
        places[i] = (takt_linux_place_t){.entity = lowest + i, .cpu = 0, .slot = &threads[lowest + i].slot};
        places[i].name = names[0] != NULL ? names[i] : NULL;
    }
    return (takt_linux_table_t){.places = places, .count = count, .bind = bind};
}

static uint64_t begin(void *context) {
    (void)context;
    return EPOCH;
}

static void print(const takt_program_run_t *run, takt_program_status_t status) {
    printf("%s|%s|%u|%d\n", takt_program_message(status), takt_linux_message(run->why), run->task,
           run->is_in_memory);
    const int64_t tick = domain != NULL ? (int64_t)domain->program.resolution_ns : 1;
    for (uint32_t i = 0; i < run->job_count; i++) {
        const takt_program_job_t *job = &run->jobs[i];
        printf("%u %u %" PRId64 " %" PRId64 " %" PRId64 " %d\n", job->task, job->number, job->release / tick,
               job->start / tick, job->end / tick, job->outcome);
    }
}

/* Requests stand behind the closing record. */
static void write_records(const char *name) {
    FILE *file = fopen(name, "wb");
    const uint64_t written = takt_domain_end(address(), ticks_of(now));
    takt_requested_t row;
    MUST(file != NULL && fwrite(domain->log.records, sizeof(takt_record_t), written, file) == written);
    for (uint64_t i = 0; takt_domain_requested(address(), i, (uint64_t)(uintptr_t)&row) != 0; i++) {
        MUST(fwrite(&row, sizeof row, 1, file) == 1);
    }
    MUST(fclose(file) == 0 && domain->refused == 0);
}

int main(int argc, char **argv) {
    MUST(argc >= 4);
    takt_program_run_t run = {.job_limit = JOBS, .begin = begin};
    run.words = read_words(argv[1], &run.count);
    build(run.words, run.count);
    takt_linux_table_t table = {.count = 0};
    if (domain != NULL) {
        table = make_places(&argv[4]);
        table.count -= strcmp(argv[3], "stranger") == 0;
        detach_at = strcmp(argv[3], "detach") == 0 ? EPOCH + (horizon() - EPOCH) / 2 : detach_at;
    }
    run.job_limit = strcmp(argv[3], "few") == 0 ? 1 : JOBS;
    is_restless = strcmp(argv[3], "restless") == 0;
    has_memory = strcmp(argv[3], "swapped") != 0;
    const takt_linux_transport_t transport = takt_linux_table(&table);
    is_example = argc > 4;
    if (is_example) {
        const int status = takt_example(&transport);
        write_records(argv[2]);
        return status;
    }
    run.transport = &transport;
    run.jobs = calloc(run.job_limit, sizeof *run.jobs);
    MUST(run.jobs != NULL);
    print(&run, takt_program_run(&run));
    if (domain != NULL) {
        write_records(argv[2]);
    }
    return 0;
}
