/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Who waits for an object of the kernel of one priority is served in the order of coming, each by one call, from a thread and from an
 * interrupt alike. Then the object counts no waiter too many or too few: the next call leaves what it gave in the object. On
 * Linux in virtual time. */
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"
#include "posix_run.h"

enum { WAITERS = 3, CALLS = WAITERS + 1, INTERRUPT = 0, WORDS = 4, URGENT = 5 };

/* An object, and the pair of calls of which one waits for the other. */
typedef struct pair {
    takt_status_t (*init)(void);
    takt_status_t (*wait)(uint32_t waiter); /* checks what the waiter was given, too */
    takt_status_t (*serve)(uint32_t call);
    takt_status_t (*serve_from_isr)(uint32_t call);
    uint32_t (*count)(void);
    uint32_t served;  /* count when all waiters are served */
    uint32_t further; /* count after one call more */
} pair_t;

/* ---- semaphores ---------------------------------------------------------------------------------------- */

static takt_semaphore_t semaphore;

static takt_status_t init_semaphore(void) { return takt_semaphore_init(&semaphore, 0); }

static takt_status_t take(uint32_t waiter) {
    (void)waiter;
    return takt_semaphore_take(&semaphore);
}

static takt_status_t give(uint32_t call) {
    (void)call;
    return takt_semaphore_give(&semaphore);
}

static takt_status_t give_from_isr(uint32_t call) {
    (void)call;
    return takt_semaphore_give_from_isr(&semaphore);
}

static uint32_t count_semaphore(void) { return (uint32_t)semaphore.waiters.count; }

/* ---- message queues: receivers that wait, then senders ------------------------------------------------- */

static takt_messages_t messages;
static uint32_t room;

static uint32_t count_messages(void) { return takt_messages_count(&messages); }

static takt_status_t init_empty(void) { return takt_messages_init(&messages, &room, sizeof room, 1); }

static takt_status_t receive(uint32_t waiter) {
    uint32_t message = UINT32_MAX;
    const takt_status_t status = takt_messages_receive(&messages, &message);
    CHECK(message == waiter);
    return status;
}

static takt_status_t send(uint32_t call) { return takt_messages_send(&messages, &call); }

static takt_status_t send_from_isr(uint32_t call) { return takt_messages_send_from_isr(&messages, &call); }

/* The first message is there; waiter i sends number i + 1. */
static takt_status_t init_full(void) {
    const uint32_t first = 0;
    CHECK(init_empty() == TAKT_OK);
    return takt_messages_send(&messages, &first);
}

static takt_status_t send_next(uint32_t waiter) { return send(waiter + 1u); }

static takt_status_t receive_one(uint32_t call) { return receive(call); }

static takt_status_t receive_from_isr(uint32_t call) {
    uint32_t message = UINT32_MAX;
    const takt_status_t status = takt_messages_receive_from_isr(&messages, &message);
    CHECK(message == call);
    return status;
}

/* ---- pools ----------------------------------------------------------------------------------------------- */

static takt_pool_t pool;
static uintptr_t memory[CALLS][WORDS];
static void *blocks[CALLS];

static takt_status_t init_pool(void) {
    CHECK(takt_pool_init(&pool, memory, sizeof *memory, CALLS) == TAKT_OK);
    for (uint32_t i = 0; i < CALLS; i++) {
        CHECK(takt_pool_try_allocate(&pool, &blocks[i]) == TAKT_OK);
    }
    return TAKT_OK;
}

static takt_status_t allocate(uint32_t waiter) {
    void *block = NULL;
    const takt_status_t status = takt_pool_allocate(&pool, &block);
    CHECK(block == blocks[waiter]);
    return status;
}

static takt_status_t free_block(uint32_t call) { return takt_pool_free(&pool, blocks[call]); }

static takt_status_t free_from_isr(uint32_t call) { return takt_pool_free_from_isr(&pool, blocks[call]); }

static uint32_t count_pool(void) { return takt_pool_count(&pool); }

static const pair_t pairs[] = {
    {init_semaphore, take, give, give_from_isr, count_semaphore, 0, 1},
    {init_empty, receive, send, send_from_isr, count_messages, 0, 1},
    {init_full, send_next, receive_one, receive_from_isr, count_messages, 1, 0},
    {init_pool, allocate, free_block, free_from_isr, count_pool, 0, 1},
};

/* ---- the program ----------------------------------------------------------------------------------------- */

static const pair_t *pair;
static bool is_isr;
static uint32_t begun, woken, called;

static void wait_once(void *argument) {
    (void)argument;
    const uint32_t waiter = begun++;
    CHECK(pair->wait(waiter) == TAKT_OK);
    CHECK(waiter == woken);
    woken++;
}

static void interrupt(void) { CHECK(pair->serve_from_isr(called) == TAKT_OK); }

static void call(void) {
    if (is_isr) {
        takt_posix_interrupt_announce(INTERRUPT, takt_kernel_now() + 1);
        takt_port_work(2);
    } else {
        CHECK(pair->serve(called) == TAKT_OK);
    }
    called++;
}

static void serve(void *argument) {
    (void)argument;
    CHECK(begun == WAITERS && woken == 0);
    while (called < WAITERS) {
        call();
        CHECK(woken == called);
    }
    CHECK(pair->count() == pair->served);
    call();
    CHECK(woken == WAITERS && pair->count() == pair->further);
    takt_posix_exit(0);
}

static void run_pair(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    CHECK(pair->init() == TAKT_OK);
    for (uint32_t i = 0; i < WAITERS; i++) {
        make_thread(wait_once, NULL, URGENT);
    }
    make_thread(serve, NULL, 1);
    takt_posix_interrupt_enable(INTERRUPT, interrupt);
    CHECK(takt_kernel_start() == TAKT_OK);
}

int main(void) {
    for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        pair = &pairs[i];
        is_isr = false;
        run_until_exit(run_pair, 0);
        is_isr = true;
        run_until_exit(run_pair, 0);
    }
    return check_report("test_served");
}
