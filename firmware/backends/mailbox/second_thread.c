/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The thread of second_thread.h. */
#include "firmware/backends/mailbox/second_thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "firmware/scheduler.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static bool is_its_turn;
static void (*its_act)(void);

/* Hands the turn over, or back; with the mutex. */
static void give_turn(bool to_thread) {
    is_its_turn = to_thread;
    (void)pthread_cond_broadcast(&turn);
}

static void await_turn(bool of_thread) {
    while (is_its_turn != of_thread) {
        (void)pthread_cond_wait(&turn, &mutex);
    }
}

static void *execute(void *argument) {
    (void)pthread_mutex_lock(&mutex);
    for (;;) {
        await_turn(true);
        its_act();
        give_turn(false);
    }
    return argument;
}

void takt_second_thread_begin(void (*act)(void)) {
    pthread_t thread;
    its_act = act;
    if (pthread_create(&thread, NULL, execute, NULL) != 0) {
        takt_firmware_refuse("the process cannot have a second thread", "");
    }
}

void takt_second_thread_execute(void) {
    (void)pthread_mutex_lock(&mutex);
    give_turn(true);
    await_turn(false);
    (void)pthread_mutex_unlock(&mutex);
}
