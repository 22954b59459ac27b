/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The thread's side of linux/slot.h. */
#define _GNU_SOURCE
#include "linux/lib/takt_linux.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "linux/lib/calls.h"
#include "linux/lib/clock.h"
#include "linux/slot.h"

enum {
    STACK_BYTES = 65536,
    RECEIPT_RECEIVED = 0,
    RECEIPT_STALE = 1,
    RECEIPT_UNFIT = 3,
    RECEIPT_FULL = 4
}; /* as takt_receipt_t */

#define PATIENCE_NS UINT64_C(10000000) /* until the scheduler is asked again */

struct takt_linux_thread {
    takt_linux_slot_t *slot; /* NULL: the thread has not joined */
    const takt_linux_transport_t *transport;
    takt_linux_binding_t binding;
    int32_t id;
    uint32_t job;      /* that the thread executes, or executed last */
    bool has_entered;  /* the scheduler decides when the thread runs */
    bool has_job;      /* it has not ended as far as the thread knows */
    bool has_begun;    /* any */
    bool is_dismissed; /* written by another thread */
    takt_linux_counts_t counts;
};

static __thread takt_linux_thread_t self;

static const uint32_t no_flag = 0;
__thread const volatile uint32_t *takt_linux_flag = &no_flag;

#define TAKT_LINUX_CASE(name, value, message) \
    case TAKT_LINUX_##name:                   \
        return message;

const char *takt_linux_message(takt_linux_status_t status) {
    switch (status) {
        TAKT_LINUX_STATUSES(TAKT_LINUX_CASE)
    default:
        return "no status";
    }
}

/* ---- the slot --------------------------------------------------------------------------------------- */

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static uint64_t load_instant(const uint64_t *instant) { return __atomic_load_n(instant, __ATOMIC_ACQUIRE); }

static bool is_attached(void) { return (load(&self.slot->state) & TAKT_SLOT_ATTACHED) != 0; }

/* The scheduler has a current job of the entity, and its number is that of the thread's job, or not. */
static bool has_job_of_number(bool is_own) {
    return (load(&self.slot->state) & TAKT_SLOT_HAS_JOB) != 0 &&
           (load(&self.slot->job) == self.job) == is_own;
}

/* The job that the thread executes is the current one of the scheduler. */
static bool is_current(void) { return has_job_of_number(true); }

/* There is a job that the thread has not begun. */
static bool has_next(void) {
    return self.has_begun ? has_job_of_number(false) : (load(&self.slot->state) & TAKT_SLOT_HAS_JOB) != 0;
}

static bool is_pending(void) { return load(&self.slot->request) != TAKT_SLOT_NONE; }

static void request(takt_slot_request_t kind, uint64_t value) {
    takt_linux_slot_t *slot = self.slot;
    slot->request_job = self.job;
    slot->request_value = value;
    __atomic_store_n(&slot->request, (uint32_t)kind, __ATOMIC_RELEASE);
}

/* Hands the request over, if it was not. Returns false, and withdraws it, if no scheduler takes it. */
static bool hand_over(void) {
    if (is_pending()) {
        (void)sched_yield();
    }
    const bool is_taken = !is_pending();
    __atomic_store_n(&self.slot->request, TAKT_SLOT_NONE, __ATOMIC_RELEASE);
    return is_taken;
}

static uint64_t now_ns(void) { return takt_clock_read(CLOCK_MONOTONIC); }

/* May return earlier: the caller reads what is the case then. */
static void sleep_until(uint64_t instant_ns) {
    const struct timespec until = takt_clock_time(instant_ns);
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* ---- to join ---------------------------------------------------------------------------------------- */

static void forget(void) {
    memset(&self, 0, sizeof self);
    takt_linux_flag = &no_flag;
}

/* The child of fork has the slot of its parent, and is another thread. */
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, forget); }

static void take_binding(const takt_linux_transport_t *transport, const takt_linux_binding_t *binding,
                         int32_t id) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    forget();
    self.transport = transport;
    self.binding = *binding;
    self.id = id;
    self.slot = binding->slot;
    __atomic_store_n(&self.slot->request, TAKT_SLOT_NONE, __ATOMIC_RELEASE); /* of the thread before */
    __atomic_store_n(&self.slot->mode, 0, __ATOMIC_RELEASE);
    takt_linux_flag = &binding->slot->should_yield;
}

takt_linux_status_t takt_linux_join(const takt_linux_transport_t *transport,
                                    const takt_linux_parameters_t *parameters) {
    if (transport == NULL || parameters == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    if (self.slot != NULL) {
        return TAKT_LINUX_ERROR_JOINED;
    }
    const bool is_locked = takt_linux_lock_memory();
    takt_linux_touch_stack(parameters->stack_bytes > 0 ? parameters->stack_bytes : STACK_BYTES);
    const int32_t id = takt_linux_thread_id();
    takt_linux_binding_t binding = {.connection = -1};
    const takt_linux_status_t status = transport->join(transport->context, parameters, id, &binding);
    if (status != TAKT_LINUX_OK) {
        return status;
    }
    take_binding(transport, &binding, id);
    takt_linux_set_slack(1);
    if (binding.cpu >= 0 && !takt_linux_bind(binding.cpu)) {
        (void)takt_linux_leave();
        return TAKT_LINUX_ERROR_PROCESSOR;
    }
    return is_locked ? TAKT_LINUX_OK : TAKT_LINUX_NOT_IN_MEMORY;
}

takt_linux_status_t takt_linux_leave(void) {
    if (self.slot == NULL) {
        return TAKT_LINUX_ERROR_NOT_JOINED;
    }
    (void)takt_linux_set_class(self.id, false);
    takt_linux_set_slack(0);
    takt_linux_flag = &no_flag; /* the slot may be gone */
    self.transport->leave(self.transport->context, &self.binding, self.id);
    forget();
    return TAKT_LINUX_OK;
}

takt_linux_thread_t *takt_linux_self(void) { return self.slot != NULL ? &self : NULL; }

void takt_linux_dismiss(takt_linux_thread_t *thread) {
    __atomic_store_n(&thread->is_dismissed, true, __ATOMIC_RELEASE);
    (void)takt_linux_set_class(thread->id, false);
}

static bool is_dismissed(void) { return __atomic_load_n(&self.is_dismissed, __ATOMIC_ACQUIRE); }

/* Returns why the thread can make no call. */
static takt_linux_status_t obstacle(void) {
    if (self.slot == NULL) {
        return TAKT_LINUX_ERROR_NOT_JOINED;
    }
    if (is_dismissed()) {
        return TAKT_LINUX_ERROR_DISMISSED;
    }
    return is_attached() ? TAKT_LINUX_OK : TAKT_LINUX_ERROR_DETACHED;
}

/* Lets the scheduler decide when the thread runs, before its first wait. */
static takt_linux_status_t enter(void) {
    if (self.slot == NULL || self.has_entered || is_dismissed()) {
        return obstacle();
    }
    takt_linux_status_t status = self.transport->enter(self.transport->context, &self.binding, self.id);
    while (status == TAKT_LINUX_ERROR_NOT_BEGUN && !is_dismissed()) {
        sleep_until(now_ns() + PATIENCE_NS);
        status = self.transport->enter(self.transport->context, &self.binding, self.id);
    }
    if (status != TAKT_LINUX_OK) {
        return is_dismissed() ? TAKT_LINUX_ERROR_DISMISSED : status;
    }
    self.has_entered = takt_linux_set_class(self.id, true);
    return self.has_entered ? obstacle() : TAKT_LINUX_ERROR_CLASS;
}

/* As obstacle, after a scheduler did not answer, or selected a thread without a job. */
static takt_linux_status_t obstacle_found(void) {
    const takt_linux_status_t status = obstacle();
    return status != TAKT_LINUX_OK ? status : TAKT_LINUX_ERROR_DETACHED;
}

/* ---- from job to job ---------------------------------------------------------------------------------- */

/* A call that waits for the event of the next job. */
typedef struct takt_linux_call {
    void (*function)(void *argument);
    void *argument;
    bool is_made;
} takt_linux_call_t;

static void make_call(takt_linux_call_t *call) {
    call->is_made = true;
    call->function(call->argument);
}

static void sleep_to_release(void *argument) {
    const uint64_t *next = argument;
    if (*next != 0) {
        sleep_until(*next);
    }
}

/* Returns what becomes of the current job if it ends now. */
static takt_linux_status_t judged(void) {
    const uint64_t now = now_ns();
    const uint64_t deadline = load_instant(&self.slot->deadline_ns);
    const uint64_t next = load_instant(&self.slot->next_release_ns);
    if (deadline != 0 && now > deadline) {
        return TAKT_LINUX_MISSED;
    }
    return load(&self.slot->waiting) > 0 || (next != 0 && next < now) ? TAKT_LINUX_OVERRUN : TAKT_LINUX_OK;
}

static takt_linux_status_t ended(takt_linux_status_t verdict) {
    self.has_job = false;
    self.counts.completed += verdict != TAKT_LINUX_ABORTED;
    self.counts.aborted += verdict == TAKT_LINUX_ABORTED;
    self.counts.missed += verdict == TAKT_LINUX_MISSED;
    self.counts.overruns += verdict == TAKT_LINUX_OVERRUN;
    return verdict;
}

/* A kernel that detaches a scheduler runs threads that are not selected, before they learn of it. Their jobs cannot end. */
static takt_linux_status_t obstacle_behind_refusal(void) {
    sleep_until(now_ns() + PATIENCE_NS);
    const takt_linux_status_t status = obstacle();
    return status != TAKT_LINUX_OK ? status : TAKT_LINUX_ERROR_REFUSED;
}

/* Ends the current job; makes `call` if no job waits. Returns what became of the job, or an error: it continues. */
static takt_linux_status_t complete(takt_linux_call_t *call, uint32_t waiting) {
    if (!is_current()) {
        return ended(TAKT_LINUX_ABORTED);
    }
    const takt_linux_status_t verdict = judged();
    request(TAKT_SLOT_COMPLETE, 0);
    if (waiting == 0) {
        make_call(call);
    }
    if (!hand_over()) {
        return obstacle_found();
    }
    const uint32_t receipt = load(&self.slot->receipt);
    if (receipt > RECEIPT_STALE) {
        return obstacle_behind_refusal();
    }
    return ended(receipt == RECEIPT_STALE ? TAKT_LINUX_ABORTED : verdict);
}

/* Begins the next job; `verdict` is about the one before. */
static takt_linux_status_t begin(takt_linux_status_t verdict) {
    const uint32_t number = load(&self.slot->job);
    self.counts.lost += self.has_begun ? number - self.job - 1 : 0;
    self.job = number;
    self.has_job = true;
    self.has_begun = true;
    return verdict;
}

/* Sleeps to the next release, or yields: a thread without a job is dispatched when it has one. Returns false if it was
 * dispatched without. */
static bool pass_time(uint64_t next) {
    if (next > now_ns()) {
        sleep_until(next);
        return true;
    }
    (void)sched_yield();
    return has_next();
}

takt_linux_status_t takt_linux_wait(void) {
    takt_linux_status_t verdict = enter();
    if (verdict != TAKT_LINUX_OK) {
        return verdict;
    }
    takt_linux_slot_t *slot = self.slot;
    uint64_t next = load_instant(&slot->next_release_ns); /* before `waiting`: rule 6 */
    __atomic_store_n(&slot->mode, 0, __ATOMIC_RELEASE);
    if (self.has_job) {
        takt_linux_call_t call = {sleep_to_release, &next, false};
        verdict = complete(&call, load(&slot->waiting));
        next = load_instant(&slot->next_release_ns);
    }
    while (verdict >= 0 && !has_next()) {
        const takt_linux_status_t found = obstacle();
        const takt_linux_status_t status =
            found != TAKT_LINUX_OK || pass_time(next) ? found : obstacle_found();
        verdict = status != TAKT_LINUX_OK ? status : verdict;
        next = load_instant(&slot->next_release_ns);
    }
    return verdict >= 0 ? begin(verdict) : verdict;
}

/* The event was there before the thread could sleep. */
static takt_linux_status_t arrive(void) {
    request(TAKT_SLOT_ARRIVAL, 0);
    if (!hand_over()) {
        return obstacle_found();
    }
    if (load(&self.slot->receipt) != RECEIPT_RECEIVED) {
        return TAKT_LINUX_ERROR_REFUSED;
    }
    return has_next() ? TAKT_LINUX_OK : obstacle_found();
}

/* As enter. A thread without a job does not run in SCHED_EXT: so it waits for its first event before, and enters with the
 * request for the job. */
static takt_linux_status_t enter_with(takt_linux_call_t *call) {
    if (self.slot == NULL || self.has_entered || is_dismissed()) {
        return enter();
    }
    make_call(call);
    __atomic_store_n(&self.slot->mode, TAKT_SLOT_WAKE_ARRIVES, __ATOMIC_RELEASE);
    request(TAKT_SLOT_ARRIVAL, 0);
    const takt_linux_status_t status = enter();
    if (status != TAKT_LINUX_OK) {
        __atomic_store_n(&self.slot->request, TAKT_SLOT_NONE, __ATOMIC_RELEASE);
    }
    return status;
}

takt_linux_status_t takt_linux_wait_in(void (*call)(void *argument), void *argument) {
    if (call == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    takt_linux_call_t made = {call, argument, false};
    takt_linux_status_t verdict = enter_with(&made);
    if (verdict != TAKT_LINUX_OK) {
        return verdict;
    }
    __atomic_store_n(&self.slot->mode, TAKT_SLOT_WAKE_ARRIVES, __ATOMIC_RELEASE);
    if (self.has_job) {
        verdict = complete(&made, load(&self.slot->waiting));
    }
    if (verdict >= 0 && !made.is_made) {
        make_call(&made);
    }
    takt_linux_status_t status = obstacle();
    if (verdict >= 0 && status == TAKT_LINUX_OK && !has_next()) {
        status = arrive();
    }
    verdict = verdict >= 0 && status != TAKT_LINUX_OK ? status : verdict;
    return verdict >= 0 ? begin(verdict) : verdict;
}

/* ---- the current job -------------------------------------------------------------------------------- */

takt_linux_status_t takt_linux_job(takt_linux_job_t *job) {
    if (job == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    if (self.slot == NULL) {
        return TAKT_LINUX_ERROR_NOT_JOINED;
    }
    if (!self.has_job) {
        return TAKT_LINUX_ERROR_NO_JOB;
    }
    const takt_linux_slot_t *slot = self.slot;
    const uint64_t deadline = load_instant(&slot->deadline_ns);
    *job = (takt_linux_job_t){
        .release_ns = load_instant(&slot->release_ns),
        .deadline_ns = deadline,
        .next_release_ns = load_instant(&slot->next_release_ns),
        .number = self.job,
        .waiting = load(&slot->waiting),
        .change = load(&slot->change),
        .is_missed = deadline != 0 && now_ns() > deadline,
        .is_aborted = takt_linux_is_aborted(),
    };
    return TAKT_LINUX_OK;
}

bool takt_linux_is_aborted(void) { return self.has_job && is_attached() && !is_current(); }

takt_linux_status_t takt_linux_counts(takt_linux_counts_t *counts) {
    if (counts == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    if (self.slot == NULL) {
        return TAKT_LINUX_ERROR_NOT_JOINED;
    }
    *counts = self.counts;
    return TAKT_LINUX_OK;
}

/* ---- what a job does -------------------------------------------------------------------------------- */

/* Returns why the thread can request nothing for its job. */
static takt_linux_status_t obstacle_of_job(void) {
    const takt_linux_status_t status = obstacle();
    if (status != TAKT_LINUX_OK) {
        return status;
    }
    if (!self.has_job) {
        return TAKT_LINUX_ERROR_NO_JOB;
    }
    return is_current() ? TAKT_LINUX_OK : TAKT_LINUX_ABORTED;
}

/* Returns the status of the request that was handed over; `refused` if the scheduler does not take it. */
static takt_linux_status_t answered(takt_linux_status_t refused) {
    if (!is_current()) {
        return is_attached() ? TAKT_LINUX_ABORTED : TAKT_LINUX_ERROR_DETACHED;
    }
    return load(&self.slot->receipt) == RECEIPT_RECEIVED ? TAKT_LINUX_OK : refused;
}

static void write_demand(const takt_linux_demand_t *demand) {
    self.slot->request_deadline_ns = demand->deadline_ns > 0 ? demand->deadline_ns : demand->period_ns;
    self.slot->request_wcet_ns = demand->wcet_ns;
    self.slot->request_weight = demand->weight;
}

static takt_linux_status_t request_of_job(takt_slot_request_t kind, uint64_t value,
                                          takt_linux_status_t refused) {
    const takt_linux_status_t status = obstacle_of_job();
    if (status != TAKT_LINUX_OK) {
        return status;
    }
    request(kind, value);
    if (kind == TAKT_SLOT_SUSPEND) {
        sleep_until(value);
    }
    return hand_over() ? answered(refused) : obstacle_found();
}

takt_linux_status_t takt_linux_meet_point(void) {
    return request_of_job(TAKT_SLOT_POINT, 0, TAKT_LINUX_ERROR_REFUSED);
}

takt_linux_status_t takt_linux_yield(void) {
    return request_of_job(TAKT_SLOT_YIELD, 0, TAKT_LINUX_ERROR_REFUSED);
}

takt_linux_status_t takt_linux_suspend_until(uint64_t until_ns) {
    return request_of_job(TAKT_SLOT_SUSPEND, until_ns, TAKT_LINUX_ERROR_REFUSED);
}

takt_linux_status_t takt_linux_lock(uint32_t resource) {
    return request_of_job(TAKT_SLOT_LOCK, resource, TAKT_LINUX_ERROR_RESOURCE);
}

takt_linux_status_t takt_linux_unlock(uint32_t resource) {
    return request_of_job(TAKT_SLOT_UNLOCK, resource, TAKT_LINUX_ERROR_RESOURCE);
}

/* ---- negotiation ------------------------------------------------------------------------------------- */

static takt_linux_status_t refusal_of_demand(uint32_t receipt) {
    switch (receipt) {
    case TAKT_SLOT_REJECTED:
        return TAKT_LINUX_ERROR_REJECTED;
    case RECEIPT_FULL:
        return TAKT_LINUX_ERROR_REQUESTS;
    case RECEIPT_UNFIT:
        return TAKT_LINUX_ERROR_DEMAND;
    default:
        return TAKT_LINUX_ERROR_ALLOCATOR;
    }
}

takt_linux_status_t takt_linux_negotiate(const takt_linux_demand_t *demand) {
    if (demand == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    if (self.slot != NULL) {
        write_demand(demand);
    }
    const takt_linux_status_t status =
        request_of_job(TAKT_SLOT_CHANGE, demand->period_ns, TAKT_LINUX_ERROR_REJECTED);
    return status == TAKT_LINUX_ERROR_REJECTED ? refusal_of_demand(load(&self.slot->receipt)) : status;
}

takt_linux_status_t takt_linux_rate(uint32_t *rate) {
    if (rate == NULL) {
        return TAKT_LINUX_ERROR_NULL;
    }
    if (self.slot == NULL) {
        return TAKT_LINUX_ERROR_NOT_JOINED;
    }
    *rate = load(&self.slot->rate);
    return TAKT_LINUX_OK;
}
