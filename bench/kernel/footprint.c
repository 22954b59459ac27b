/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The reference application of the footprint: threads, semaphores, messages, delays and, unless FEATURE_WITHOUT_MUTEX is
 * defined, a mutex, under fixed priorities. It is linked and not run; functions without a caller are dropped. */
#include "kernel/kernel.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"
#include "policy/table.h"

enum { STACK_BYTES = 1024, WORDS = 4, CAPACITY = 8 };

static takt_semaphore_t ready;
#ifndef FEATURE_WITHOUT_MUTEX
static takt_mutex_t mutex;
#endif
static takt_messages_t messages;
static uint32_t memory[WORDS * CAPACITY];
static uint32_t total;

static void produce(void *argument) {
    (void)argument;
    uint32_t message[WORDS] = {0};
    for (;;) {
        (void)takt_thread_delay(1000);
        message[0]++;
        (void)takt_messages_send(&messages, message);
        (void)takt_semaphore_give(&ready);
    }
}

static void consume(void *argument) {
    (void)argument;
    uint32_t message[WORDS];
    for (;;) {
        (void)takt_semaphore_take(&ready);
        (void)takt_messages_receive(&messages, message);
#ifdef FEATURE_WITHOUT_MUTEX
        total += message[0];
#else
        (void)takt_mutex_lock(&mutex);
        total += message[0];
        (void)takt_mutex_unlock(&mutex);
#endif
        (void)takt_thread_yield();
    }
}

static takt_thread_t threads[2];
static uint64_t stacks[2][STACK_BYTES / sizeof(uint64_t)];

static void create(uint32_t index, void (*entry)(void *)) {
    const takt_thread_parameters_t parameters = {
        .entry = entry, .stack = stacks[index], .stack_bytes = STACK_BYTES, .priority = 5 + index};
    (void)takt_thread_create(&threads[index], &parameters);
}

int main(void) {
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_semaphore_init(&ready, 0);
#ifndef FEATURE_WITHOUT_MUTEX
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP};
    (void)takt_mutex_init(&mutex, &inheritance);
#endif
    (void)takt_messages_init(&messages, memory, sizeof(uint32_t[WORDS]), CAPACITY);
    create(0, consume);
    create(1, produce);
    (void)takt_kernel_start();
    return 1;
}
