/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Every misuse that the usual level of checks finds is told by its code, and changes nothing. misuse.c has those of debug
 * level; docs/reference/kernel.md has the level of each. */
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"
#include "tests/conformance/conformance.h"

enum { BLOCKS = 2, BLOCK_BYTES = 4 * sizeof(void *) };

static takt_semaphore_t empty, wanted, none;
static takt_messages_t queue, full_queue, wanted_queue, no_queue;
static takt_mutex_t mutex, held_mutex;
static takt_pool_t pool, empty_pool, no_pool;
static takt_thread_t tester, waiter, receiver, holder, suspended, absent;
static conformance_stack_t stacks[5];
static uint32_t places[3][2], message;
static void *blocks[BLOCKS][BLOCK_BYTES / sizeof(void *)], *more_blocks[BLOCKS][BLOCK_BYTES / sizeof(void *)];
static void *block;

static void answer(takt_status_t status, takt_status_t expected, const char *sentence) {
    check(status == expected, sentence);
}

/* ---- wrong arguments, by a thread ---------------------------------------------------------------- */

static void refuse_null(void) {
    const char *const sentence = "null_is_refused";
    answer(takt_semaphore_take(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_take_for(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_try_take(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_give(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_signal(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_give_from_isr(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_signal_from_isr(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_mutex_lock(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_mutex_lock_for(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_send(NULL, &message), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_send(&queue, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_receive(NULL, &message), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_try_allocate(NULL, &block), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_try_allocate(&pool, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_free(NULL, blocks[0]), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_free(&pool, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_thread_set_priority(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_thread_suspend(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_thread_resume(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_thread_resume_from_isr(NULL), TAKT_ERROR_NULL, sentence);
}

/* Where a call would wait. */
static void refuse_what_was_not_made(void) {
    const char *const sentence = "a_thread_does_not_wait_for_what_was_not_made";
    answer(takt_semaphore_take(&none), TAKT_ERROR_OBJECT, sentence);
    answer(takt_semaphore_take_for(&none, 1), TAKT_ERROR_OBJECT, sentence);
    answer(takt_messages_send(&no_queue, &message), TAKT_ERROR_OBJECT, sentence);
    answer(takt_messages_receive(&no_queue, &message), TAKT_ERROR_OBJECT, sentence);
    answer(takt_pool_allocate(&no_pool, &block), TAKT_ERROR_OBJECT, sentence);
    answer(takt_thread_suspend(&absent), TAKT_ERROR_OBJECT, "what_is_no_thread_is_not_suspended");
}

static void refuse_states(void) {
    answer(takt_mutex_unlock(&mutex), TAKT_ERROR_RESOURCE, "a_free_mutex_is_not_unlocked");
    answer(takt_mutex_unlock(&held_mutex), TAKT_ERROR_RESOURCE, "what_another_holds_is_not_unlocked");
    check(takt_mutex_lock(&mutex) == TAKT_OK, "a_free_mutex_is_locked");
    answer(takt_mutex_lock(&mutex), TAKT_ERROR_RESOURCE, "what_is_held_is_not_locked_again");
    answer(takt_mutex_lock_for(&mutex, 1), TAKT_ERROR_RESOURCE, "what_is_held_is_not_locked_again");
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "a_held_mutex_is_unlocked");
    check(takt_pool_allocate(&pool, &block) == TAKT_OK && takt_pool_free(&pool, block) == TAKT_OK,
          "a_block_is_freed");
    answer(takt_pool_free(&pool, block), TAKT_ERROR_BLOCK, "the_block_that_was_freed_last_is_refused");
    check(takt_pool_count(&pool) == BLOCKS, "a_refused_block_is_not_counted");
    answer(takt_thread_suspend(&suspended), TAKT_ERROR_SUSPENDED, "a_suspended_thread_is_not_suspended");
    answer(takt_thread_resume(&tester), TAKT_ERROR_NOT_SUSPENDED, "who_is_not_suspended_is_not_resumed");
    answer(takt_thread_set_priority(&tester, TAKT_PRIORITIES), TAKT_ERROR_PRIORITY, "a_priority_is_in_range");
}

/* ---- who calls ------------------------------------------------------------------------------------ */

static void refuse_interrupts(void) {
    const char *const sentence = "an_interrupt_does_not_wait_nor_wake_as_a_thread";
    answer(takt_semaphore_take(&empty), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_semaphore_take_for(&empty, 1), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_semaphore_give(&wanted), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_semaphore_signal(&wanted), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_mutex_lock(&held_mutex), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_messages_send(&full_queue, &message), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_messages_send(&wanted_queue, &message), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_messages_receive(&queue, &message), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_pool_allocate(&empty_pool, &block), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_yield(), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_delay(1), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_suspend(&tester), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_resume(&suspended), TAKT_ERROR_IN_ISR, sentence);
    answer(takt_thread_set_priority(&waiter, 1), TAKT_ERROR_IN_ISR, sentence);
}

static void refuse_threads(void) {
    const char *const sentence = "a_thread_does_not_wake_as_an_interrupt";
    answer(takt_semaphore_give_from_isr(&wanted), TAKT_ERROR_NOT_IN_ISR, sentence);
    answer(takt_semaphore_signal_from_isr(&wanted), TAKT_ERROR_NOT_IN_ISR, sentence);
    answer(takt_messages_send_from_isr(&queue, &message), TAKT_ERROR_NOT_IN_ISR, sentence);
    answer(takt_pool_free_from_isr(&pool, blocks[0]), TAKT_ERROR_NOT_IN_ISR, sentence);
    answer(takt_thread_resume_from_isr(&suspended), TAKT_ERROR_NOT_IN_ISR, sentence);
}

static void refuse_before_the_start(void) {
    const char *const sentence = "nobody_waits_before_the_start";
    answer(takt_semaphore_take(&empty), TAKT_ERROR_NOT_STARTED, sentence);
    answer(takt_messages_receive(&queue, &message), TAKT_ERROR_NOT_STARTED, sentence);
    answer(takt_mutex_lock(&mutex), TAKT_ERROR_NOT_STARTED, sentence);
    answer(takt_thread_yield(), TAKT_ERROR_NOT_STARTED, sentence);
    answer(takt_thread_delay(1), TAKT_ERROR_NOT_STARTED, sentence);
}

/* ---- the program ---------------------------------------------------------------------------------- */

static void wait_for_unit(void *argument) {
    (void)argument;
    (void)takt_semaphore_take(&wanted);
    check(false, "a_refused_call_wakes_nobody");
}

static void wait_for_message(void *argument) {
    (void)argument;
    (void)takt_messages_receive(&wanted_queue, &message);
    check(false, "a_refused_call_wakes_nobody");
}

static void hold(void *argument) {
    (void)argument;
    (void)takt_mutex_lock(&held_mutex);
    (void)takt_semaphore_take(&empty);
}

static void suspend_itself(void *argument) {
    (void)argument;
    (void)takt_thread_suspend(&suspended);
    check(false, "a_refused_call_resumes_nobody");
}

static void test(void *argument) {
    (void)argument;
    refuse_null();
    refuse_what_was_not_made();
    refuse_states();
    board_interrupt_enable(0, refuse_interrupts);
    board_interrupt_pend(0);
    refuse_threads();
    check(takt_messages_count(&queue) == 0 && takt_messages_count(&full_queue) == 1 &&
              takt_pool_count(&pool) == BLOCKS && takt_mutex_holder(&held_mutex) == &holder,
          "a_refused_call_changes_nothing");
    board_exit(0);
}

int main(void) {
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP};
    board_begin();
    kernel_begin();
    (void)takt_semaphore_init(&empty, 0);
    (void)takt_semaphore_init(&wanted, 0);
    (void)takt_messages_init(&queue, places[0], sizeof message, 1);
    (void)takt_messages_init(&full_queue, places[1], sizeof message, 1);
    (void)takt_messages_init(&wanted_queue, places[2], sizeof message, 1);
    (void)takt_messages_try_send(&full_queue, &message);
    (void)takt_mutex_init(&mutex, &inheritance);
    (void)takt_mutex_init(&held_mutex, &inheritance);
    (void)takt_pool_init(&pool, blocks, BLOCK_BYTES, BLOCKS);
    (void)takt_pool_init(&empty_pool, more_blocks, BLOCK_BYTES, 1);
    (void)takt_pool_try_allocate(&empty_pool, &block);
    refuse_before_the_start();
    thread_begin(&waiter, stacks[0], 9, wait_for_unit, NULL);
    thread_begin(&receiver, stacks[1], 9, wait_for_message, NULL);
    thread_begin(&holder, stacks[2], 9, hold, NULL);
    thread_begin(&suspended, stacks[3], 9, suspend_itself, NULL);
    thread_begin(&tester, stacks[4], 5, test, NULL);
    kernel_go();
}
