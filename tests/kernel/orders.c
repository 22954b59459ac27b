/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* In which order threads are served that wait for an object: random programs against a list that is searched.
 *
 * A director, above all others, lets threads of random priorities wait, serves one, and changes the priority of one,
 * suspends, resumes, deletes or creates one. Who must be served next is found by a look at all who wait. An attendant
 * below all others says when everybody waits. Waits have an end, now and then. */
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "tests/conformance/conformance.h"

enum { WAITERS = 12, PRIORITIES = 5, STEPS = 400, PASSES = 20, FOR_EVER_IN = 4 };

typedef struct waiter {
    takt_thread_t thread;
    conformance_stack_t stack;
    takt_semaphore_t again;
    uint32_t priority, came; /* `came` counts arrivals, 0: it does not wait */
    bool is_suspended, is_served, is_timed;
} waiter_t;

/* An object: how a thread waits for it, and how one is served. */
typedef struct object {
    void (*make)(void);
    takt_status_t (*wait)(takt_duration_t duration);
    takt_status_t (*serve)(void);
    bool is_fifo;
} object_t;

static waiter_t waiters[WAITERS];
static const object_t *object;
static takt_semaphore_t attendant_go, all_wait, semaphore;
static takt_messages_t queue;
static takt_pool_t pool;
static bool attendant_serves;
static takt_flags_t flags;
static void *blocks[1][2];
static uint32_t spot[1], arrivals, timeouts, random = 1;

static uint32_t draw(uint32_t bound) {
    random = random * 1664525u + 1013904223u;
    return (random >> 16) % bound;
}

/* ---- objects ------------------------------------------------------------------------------------ */

static void must(takt_status_t status) { check(status == TAKT_OK, "a_call_succeeds"); }

static void make_semaphore(void) { must(takt_semaphore_init(&semaphore, 0)); }
static void make_fifo_semaphore(void) { must(takt_semaphore_init_fifo(&semaphore, 0)); }
static takt_status_t take(takt_duration_t duration) {
    return duration == TAKT_NEVER ? takt_semaphore_take(&semaphore)
                                  : takt_semaphore_take_for(&semaphore, duration);
}
static takt_status_t give(void) { return takt_semaphore_give(&semaphore); }

static void make_empty(void) { must(takt_messages_init(&queue, spot, sizeof spot, 1)); }
static void make_fifo_empty(void) { must(takt_messages_init_fifo(&queue, spot, sizeof spot, 1)); }
static takt_status_t receive(takt_duration_t duration) {
    uint32_t message;
    return takt_messages_receive_for(&queue, &message, duration);
}
static takt_status_t send(void) {
    const uint32_t message = 1;
    return takt_messages_try_send(&queue, &message);
}

static void make_full(void) {
    must(takt_messages_init(&queue, spot, sizeof spot, 1));
    must(send());
}
static takt_status_t send_late(takt_duration_t duration) {
    const uint32_t message = 2;
    return takt_messages_send_for(&queue, &message, duration);
}
static takt_status_t receive_one(void) {
    uint32_t message;
    return takt_messages_try_receive(&queue, &message);
}

static void make_pool(void) {
    void *block;
    must(takt_pool_init(&pool, blocks, sizeof blocks[0], 1));
    must(takt_pool_allocate(&pool, &block));
}
static void make_fifo_pool(void) {
    void *block;
    must(takt_pool_init_fifo(&pool, blocks, sizeof blocks[0], 1));
    must(takt_pool_allocate(&pool, &block));
}
static takt_status_t allocate(takt_duration_t duration) {
    void *block;
    return takt_pool_allocate_for(&pool, &block, duration);
}
static takt_status_t free_one(void) { return takt_pool_free(&pool, blocks[0]); }

static void make_flags(void) { must(takt_flags_init(&flags)); }
static void make_fifo_flags(void) { must(takt_flags_init_fifo(&flags)); }
static takt_status_t await(takt_duration_t duration) {
    uint32_t bits;
    return takt_flags_wait_for(&flags, 1, TAKT_FLAGS_CLEAR, &bits, duration);
}
static takt_status_t set(void) { return takt_flags_set(&flags, 1); }

static const object_t objects[] = {
    {make_semaphore, take, give, false},        {make_fifo_semaphore, take, give, true},
    {make_empty, receive, send, false},         {make_fifo_empty, receive, send, true},
    {make_full, send_late, receive_one, false}, {make_pool, allocate, free_one, false},
    {make_fifo_pool, allocate, free_one, true}, {make_flags, await, set, false},
    {make_fifo_flags, await, set, true},
};

/* ---- threads ------------------------------------------------------------------------------------ */

static takt_duration_t duration_of_a_wait(waiter_t *self) {
    self->is_timed = draw(FOR_EVER_IN) == 0;
    return self->is_timed ? board_span(1000 + draw(9000)) : TAKT_NEVER;
}

static void wait_again_and_again(void *argument) {
    waiter_t *self = argument;
    for (;;) {
        must(takt_semaphore_take(&self->again));
        self->came = ++arrivals;
        const takt_status_t status = object->wait(duration_of_a_wait(self));
        check(status == TAKT_OK || status == TAKT_TIMEOUT, "a_wait_ends_in_one_of_two_ways");
        self->is_served = status == TAKT_OK;
        timeouts += status == TAKT_TIMEOUT;
        self->came = 0;
    }
}

/* It is displaced by the thread that it serves. */
static void attend(void *argument) {
    (void)argument;
    for (;;) {
        must(takt_semaphore_take(&attendant_go));
        if (attendant_serves) {
            attendant_serves = false;
            must(object->serve());
        }
        must(takt_semaphore_give(&all_wait));
    }
}

/* Returns when all others wait. */
static void settle(void) {
    must(takt_semaphore_give(&attendant_go));
    must(takt_semaphore_take(&all_wait));
}

/* ---- what must happen --------------------------------------------------------------------------- */

static bool precedes(const waiter_t *one, const waiter_t *other) {
    if (!object->is_fifo && one->priority != other->priority) {
        return one->priority > other->priority;
    }
    return one->came < other->came;
}

static waiter_t *next_to_be_served(void) {
    waiter_t *next = NULL;
    for (waiter_t *waiter = waiters; waiter < waiters + WAITERS; waiter++) {
        if (waiter->came != 0 && !waiter->is_served && (next == NULL || precedes(waiter, next))) {
            next = waiter;
        }
    }
    return next;
}

/* One that was suspended is served without running. The time of the next one may be up just now. */
static void serve(void) {
    waiter_t *next = next_to_be_served();
    if (next == NULL) {
        return;
    }
    attendant_serves = draw(2) == 0;
    if (!attendant_serves) {
        must(object->serve());
    }
    if (next->is_suspended) {
        next->is_served = true;
    }
    settle();
    const bool has_timed_out = next->is_timed && next->came == 0 && !next->is_served;
    check(next->is_served || has_timed_out, "the_one_that_is_next_is_served");
    next->is_served = next->is_suspended;
}

static void start(waiter_t *waiter) {
    if (waiter->came == 0 && !waiter->is_suspended) {
        waiter->is_served = false;
        must(takt_semaphore_give(&waiter->again));
        settle();
    }
}

static void create(waiter_t *waiter) {
    semaphore_begin(&waiter->again, 0);
    waiter->priority = 2 + draw(PRIORITIES);
    waiter->came = 0;
    waiter->is_suspended = false;
    waiter->is_served = false;
    thread_begin(&waiter->thread, waiter->stack, waiter->priority, wait_again_and_again, waiter);
}

static void create_anew(waiter_t *waiter) {
    must(takt_thread_delete(&waiter->thread));
    create(waiter);
    settle();
}

/* Among new equals it is the last; with the same priority it keeps its spot. */
static void change(waiter_t *waiter) {
    const uint32_t priority = 2 + draw(PRIORITIES);
    must(takt_thread_set_priority(&waiter->thread, priority));
    if (!object->is_fifo && priority != waiter->priority && waiter->came != 0) {
        waiter->came = ++arrivals;
    }
    waiter->priority = priority;
}

/* Nothing tells when the wait of a suspended thread ends. */
static void suspend_or_resume(waiter_t *waiter) {
    if (waiter->is_timed && waiter->came != 0) {
        return;
    }
    must(waiter->is_suspended ? takt_thread_resume(&waiter->thread) : takt_thread_suspend(&waiter->thread));
    waiter->is_suspended = !waiter->is_suspended;
    settle();
    if (!waiter->is_suspended) {
        waiter->is_served = false;
    }
}

static void act(void) {
    waiter_t *waiter = &waiters[draw(WAITERS)];
    const uint32_t what = draw(20);
    if (what < 9) {
        start(waiter);
    } else if (what < 14) {
        serve();
    } else if (what < 17) {
        change(waiter);
    } else if (what < 19) {
        suspend_or_resume(waiter);
    } else {
        create_anew(waiter);
    }
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        board_pass();
    }
}

static void play(void) {
    object->make();
    for (uint32_t step = 0; step < STEPS; step++) {
        act();
    }
    for (waiter_t *waiter = waiters; waiter < waiters + WAITERS; waiter++) {
        create_anew(waiter);
    }
}

static void direct(void *argument) {
    (void)argument;
    for (object = objects; object < objects + sizeof objects / sizeof *objects; object++) {
        play();
    }
    check(timeouts > 0, "some_waits_end_by_time");
    board_exit(0);
}

static takt_thread_t director, attendant;
static conformance_stack_t director_stack, attendant_stack;

int main(void) {
    board_begin();
    kernel_begin();
    semaphore_begin(&attendant_go, 0);
    semaphore_begin(&all_wait, 0);
    thread_begin(&director, director_stack, 2 + PRIORITIES, direct, NULL);
    thread_begin(&attendant, attendant_stack, 1, attend, NULL);
    for (waiter_t *waiter = waiters; waiter < waiters + WAITERS; waiter++) {
        create(waiter);
    }
    kernel_go();
}
