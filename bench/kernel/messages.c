/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Single operations of message queues of 16 bytes, measured as in operations.c. */
#include "kernel/messages.h"

#include "bench/kernel/program.h"

enum { ROUNDS = 64, WORDS = 4, CAPACITY = 8 };

typedef enum operation { SEND, RECEIVE, SEND_RUNS, RECEIVE_BLOCKS, OPERATIONS } operation_t;

static const char *const names[OPERATIONS] = {
    [SEND] = "send", [RECEIVE] = "receive", [SEND_RUNS] = "send_runs", [RECEIVE_BLOCKS] = "receive_blocks"};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

enum { HIGH, CONTROLLER };

static takt_messages_t free_messages, high_messages;
static uint32_t free_memory[WORDS * CAPACITY], high_memory[WORDS * CAPACITY];

static void high(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    uint32_t message[WORDS];
    for (;;) {
        BENCH_BEGIN();
        (void)takt_messages_receive(&high_messages, message);
        BENCH_END(SEND_RUNS);
    }
}

static void measure_free(const uint32_t *message) {
    BENCH_MEASURING;
    uint32_t received[WORDS];
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_messages_send(&free_messages, message);
        BENCH_END(SEND);
        BENCH_BEGIN();
        (void)takt_messages_receive(&free_messages, received);
        BENCH_END(RECEIVE);
    }
}

static void measure_wake(const uint32_t *message) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_messages_send(&high_messages, message);
        BENCH_END(RECEIVE_BLOCKS);
    }
}

static void controller(void *argument) {
    (void)argument;
    const uint32_t message[WORDS] = {1, 2, 3, 4};
    measure_free(message);
    measure_wake(message);
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
    }
    takt_semihost_exit(0);
}

int main(void) {
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_messages_init(&free_messages, free_memory, sizeof(uint32_t[WORDS]), CAPACITY);
    (void)takt_messages_init(&high_messages, high_memory, sizeof(uint32_t[WORDS]), CAPACITY);
    bench_create(HIGH, high, 20);
    bench_create(CONTROLLER, controller, 5);
    bench_start();
    return 0;
}
