/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A woken thread may free what it has waited for, also while the call that has woken it has not returned: no call touches
 * an object after it has made the waiting thread ready. An interrupt that drifts through the waking calls makes the woken
 * thread the most urgent one, so that it frees the object at once. */
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "tests/conformance/conformance.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define __asan_poison_memory_region(memory, bytes) ((void)(memory))
#define __asan_unpoison_memory_region(memory, bytes) ((void)(memory))
#endif

enum {
    HIGHEST = 9,
    RAISED = 8,
    WAKING = 5,
    WAITING = 2,
    FREED = 0xA5,
    ROUNDS = 150,
    SETTLE = 6000,
    UNIT = 1
};

#define MUST(call) check((call) == TAKT_OK, #call)

static union {
    takt_semaphore_t semaphore;
    takt_messages_t messages;
    takt_flags_t flags;
    takt_pool_t pool;
    takt_mutex_t mutex;
    unsigned char bytes[sizeof(takt_mutex_t) + 64];
} object;

static takt_thread_t waiting, waking, raising;
static conformance_stack_t stacks[3];
static takt_semaphore_t turn, storm, never;
static uint32_t places[1], message;
static uint64_t block_memory[4];
static void *block;
static uint32_t bits;
static volatile bool is_freed;
static volatile uint32_t raisings, early;

/* ---- the ways to wait, and to wake ------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    void (*prepare)(void); /* by the waking thread */
    void (*wait)(void);
    void (*wake)(void);
} way_t;

static void make_semaphore(void) { MUST(takt_semaphore_init(&object.semaphore, 0)); }
static void take(void) { MUST(takt_semaphore_take(&object.semaphore)); }
static void take_for(void) { MUST(takt_semaphore_take_for(&object.semaphore, board_span(100000000))); }
static void give(void) { MUST(takt_semaphore_give(&object.semaphore)); }
static void signal(void) { MUST(takt_semaphore_signal(&object.semaphore)); }
static void give_in_an_interrupt(void) { board_interrupt_pend(0); }
static void handler(void) { MUST(takt_semaphore_give_from_isr(&object.semaphore)); }

static void make_messages(void) { MUST(takt_messages_init(&object.messages, places, sizeof places, 1)); }
static void make_full_messages(void) {
    make_messages();
    MUST(takt_messages_try_send(&object.messages, &message));
}
static void receive(void) { MUST(takt_messages_receive(&object.messages, &message)); }
static void send(void) { MUST(takt_messages_send(&object.messages, &message)); }

static void make_flags(void) { MUST(takt_flags_init(&object.flags)); }
static void await_flags(void) { MUST(takt_flags_wait(&object.flags, UNIT, TAKT_FLAGS_ANY, &bits)); }
static void set_flags(void) { MUST(takt_flags_set(&object.flags, UNIT)); }

static void make_pool(void) {
    MUST(takt_pool_init(&object.pool, block_memory, sizeof block_memory, 1));
    MUST(takt_pool_try_allocate(&object.pool, &block));
}
static void allocate(void) {
    void *own;
    MUST(takt_pool_allocate(&object.pool, &own));
}
static void free_block(void) { MUST(takt_pool_free(&object.pool, block)); }

static void make_mutex(void) {
    MUST(takt_mutex_init(&object.mutex, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}));
    MUST(takt_mutex_lock(&object.mutex));
}
static void lock(void) {
    MUST(takt_mutex_lock(&object.mutex));
    MUST(takt_mutex_unlock(&object.mutex));
}
static void lock_for(void) {
    MUST(takt_mutex_lock_for(&object.mutex, board_span(100000000)));
    MUST(takt_mutex_unlock(&object.mutex));
}
static void unlock(void) { MUST(takt_mutex_unlock(&object.mutex)); }

static const way_t ways[] = {
    {"semaphore", make_semaphore, take, give},
    {"semaphore, signalled", make_semaphore, take, signal},
    {"semaphore, with an end", make_semaphore, take_for, give},
    {"semaphore, in an interrupt", make_semaphore, take, give_in_an_interrupt},
    {"queue, received", make_messages, receive, send},
    {"queue, sent", make_full_messages, send, receive},
    {"flags", make_flags, await_flags, set_flags},
    {"pool", make_pool, allocate, free_block},
    {"mutex", make_mutex, lock, unlock},
    {"mutex, with an end", make_mutex, lock_for, unlock},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const way_t *volatile way;

/* ---- threads ------------------------------------------------------------------------------------------------ */

static void fill(unsigned char value) {
    for (uint32_t place = 0; place < sizeof object.bytes; place++) {
        object.bytes[place] = value;
    }
}

static void wait_and_free(void *argument) {
    (void)argument;
    for (;;) {
        MUST(takt_semaphore_take(&turn));
        way->wait();
        fill(FREED);
        __asan_poison_memory_region(&object, sizeof object);
        is_freed = true;
        MUST(takt_thread_set_priority(&waiting, WAITING));
    }
}

static void raise(void *argument) {
    (void)argument;
    for (;;) {
        MUST(takt_semaphore_take(&storm));
        raisings++;
        MUST(takt_thread_set_priority(&waiting, RAISED));
    }
}

static void interrupt(void) { (void)takt_semaphore_signal_from_isr(&storm); }

static void settle(void) { (void)takt_semaphore_take_for(&never, board_span(SETTLE)); }

static void is_untouched(void) {
    check(is_freed, "the_woken_thread_has_freed_the_object");
    __asan_unpoison_memory_region(&object, sizeof object);
    for (uint32_t place = 0; place < sizeof object.bytes; place++) {
        if (object.bytes[place] != FREED) {
            board_print(way->name);
        }
        check(object.bytes[place] == FREED, ": no_call_writes_to_an_object_that_a_woken_thread_has_freed");
    }
}

static void try_way(void) {
    fill(0);
    is_freed = false;
    way->prepare();
    MUST(takt_semaphore_give(&turn));
    settle();
    check(!is_freed, "the_thread_waits");
    way->wake();
    early += is_freed ? 1u : 0u;
    settle();
    is_untouched();
}

static void wake(void *argument) {
    (void)argument;
    for (uint32_t number = 0; number < WAYS; number++) {
        way = &ways[number];
        board_ticker_start(board_span(2503 + 4 * number), interrupt);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            try_way();
        }
        board_ticker_stop();
    }
    check(raisings > WAYS * ROUNDS / 4, "the_interrupt_comes_often");
    check(early > 0 || !board_is_punctual(), "some_objects_are_freed_before_the_call_returns");
    board_exit(0);
}

int main(void) {
    kernel_begin();
    semaphore_begin(&turn, 0);
    semaphore_begin(&storm, 0);
    semaphore_begin(&never, 0);
    board_interrupt_enable(0, handler);
    thread_begin(&raising, stacks[0], HIGHEST, raise, NULL);
    thread_begin(&waking, stacks[1], WAKING, wake, NULL);
    thread_begin(&waiting, stacks[2], WAITING, wait_and_free, NULL);
    kernel_go();
}
