/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Every misuse of queues, pools, flags and alarms is told by its code, and changes nothing.
 *
 * Each call is made with right arguments from four places: before the start, by a thread, by a thread that has closed the
 * lock, and in an interrupt. What it must answer there stands in its row; then it is made with wrong ones by a thread. */
#include "kernel/alarm.h"
#include "kernel/flags.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "tests/conformance/conformance.h"

enum { WORDS = 4, CAPACITY = 2, BLOCKS = 2, BLOCK_BYTES = 4 * sizeof(void *) };

static takt_messages_t messages, no_messages;
static takt_pool_t pool, no_pool, small_pool;
static takt_flags_t flags, no_flags;
static takt_alarm_t alarm, no_alarm;
static takt_semaphore_t no_semaphore;
static uint32_t places[CAPACITY][WORDS], message[WORDS], odd[WORDS + 1];
static void *blocks[BLOCKS][BLOCK_BYTES / sizeof(void *)], *small_blocks[2][2];
static void *block;
static uint32_t bits;
static takt_duration_t ticks;

static void do_nothing(void *argument) { (void)argument; }

static void *misaligned(void) { return (unsigned char *)odd + 1; }

/* ---- calls with right arguments ----------------------------------------------------------------- */

static takt_status_t send(void) { return takt_messages_send(&messages, message); }
static takt_status_t send_for(void) { return takt_messages_send_for(&messages, message, 1); }
static takt_status_t try_send(void) { return takt_messages_try_send(&messages, message); }
static takt_status_t send_from_isr(void) { return takt_messages_send_from_isr(&messages, message); }
static takt_status_t receive(void) { return takt_messages_receive(&messages, message); }
static takt_status_t receive_for(void) { return takt_messages_receive_for(&messages, message, 1); }
static takt_status_t try_receive(void) { return takt_messages_try_receive(&messages, message); }
static takt_status_t receive_from_isr(void) { return takt_messages_receive_from_isr(&messages, message); }
static takt_status_t allocate(void) { return takt_pool_allocate(&pool, &block); }
static takt_status_t allocate_for(void) { return takt_pool_allocate_for(&pool, &block, 1); }
static takt_status_t try_allocate(void) { return takt_pool_try_allocate(&pool, &block); }
static takt_status_t free_block(void) { return takt_pool_free(&pool, blocks[0]); }
static takt_status_t free_from_isr(void) { return takt_pool_free_from_isr(&pool, blocks[0]); }
static takt_status_t set(void) { return takt_flags_set(&flags, 1); }
static takt_status_t set_from_isr(void) { return takt_flags_set_from_isr(&flags, 1); }
static takt_status_t clear(void) { return takt_flags_clear(&flags, 1); }
static takt_status_t wait_for_any(void) { return takt_flags_wait(&flags, 1, TAKT_FLAGS_ANY, &bits); }
static takt_status_t wait_for(void) { return takt_flags_wait_for(&flags, 1, TAKT_FLAGS_ALL, &bits, 1); }
static takt_status_t start(void) { return takt_alarm_start(&alarm, 1000 * 1000); }
static takt_status_t start_periodic(void) {
    return takt_alarm_start_periodic(&alarm, 1000 * 1000, 1000 * 1000);
}
static takt_status_t stop(void) { return takt_alarm_stop(&alarm); }
static takt_status_t remaining(void) { return takt_alarm_remaining(&alarm, &ticks); }

enum { BEFORE, BY_THREAD, LOCKED, IN_ISR, PLACES };

/* Before the calls the queue has one message and one place, the pool one block that is free, the flag is set. */
typedef struct row {
    const char *name;
    takt_status_t (*make)(void);
    takt_status_t expected[PLACES];
} row_t;

#define FOR_THREADS \
    { TAKT_OK, TAKT_OK, TAKT_ERROR_LOCKED, TAKT_ERROR_IN_ISR }
#define FOR_INTERRUPTS \
    { TAKT_ERROR_NOT_IN_ISR, TAKT_ERROR_NOT_IN_ISR, TAKT_ERROR_NOT_IN_ISR, TAKT_OK }
#define FROM_ANYWHERE \
    { TAKT_OK, TAKT_OK, TAKT_OK, TAKT_OK }
#define AFTER_THE_START \
    { TAKT_ERROR_NOT_STARTED, TAKT_OK, TAKT_OK, TAKT_OK }

static const row_t rows[] = {
    {"send", send, FOR_THREADS},
    {"send_for", send_for, FOR_THREADS},
    {"try_send", try_send, FOR_THREADS},
    {"send_from_isr", send_from_isr, FOR_INTERRUPTS},
    {"receive", receive, FOR_THREADS},
    {"receive_for", receive_for, FOR_THREADS},
    {"try_receive", try_receive, FOR_THREADS},
    {"receive_from_isr", receive_from_isr, FOR_INTERRUPTS},
    {"allocate", allocate, FOR_THREADS},
    {"allocate_for", allocate_for, FOR_THREADS},
    {"try_allocate", try_allocate, FROM_ANYWHERE},
    {"free", free_block, FOR_THREADS},
    {"free_from_isr", free_from_isr, FOR_INTERRUPTS},
    {"set", set, FOR_THREADS},
    {"set_from_isr", set_from_isr, FOR_INTERRUPTS},
    {"clear", clear, FROM_ANYWHERE},
    {"wait", wait_for_any, FOR_THREADS},
    {"wait_for", wait_for, FOR_THREADS},
    {"start", start, AFTER_THE_START},
    {"start_periodic", start_periodic, AFTER_THE_START},
    {"stop", stop, FROM_ANYWHERE},
    {"remaining", remaining, FROM_ANYWHERE},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void prepare(void) {
    check(takt_messages_init(&messages, places, sizeof places[0], CAPACITY) == TAKT_OK, "a_queue_is_made");
    check(takt_pool_init(&pool, blocks, sizeof blocks[0], BLOCKS) == TAKT_OK, "a_pool_is_made");
    check(takt_flags_init(&flags) == TAKT_OK, "flags_are_made");
    check(takt_messages_try_send(&messages, message) == TAKT_OK, "a_queue_has_a_place");
    check(takt_pool_try_allocate(&pool, &block) == TAKT_OK && block == (void *)blocks[0],
          "a_pool_has_a_block");
    check(takt_flags_set(&flags, 1) == TAKT_OK, "flags_are_set");
}

static void answers(const row_t *row, uint32_t place, takt_status_t status) {
    if (status != row->expected[place]) {
        board_print(row->name);
        check(false, ": a_call_answers_what_it_must");
    }
}

static bool is_untouched(void) {
    return takt_messages_count(&messages) == 1 && takt_pool_count(&pool) == 1 && takt_flags_get(&flags) == 1;
}

/* A call that was refused has changed nothing. */
static void make_one(uint32_t place, const row_t *row) {
    const takt_status_t status = row->make();
    answers(row, place, status);
    check(status == TAKT_OK || is_untouched(), "a_refused_call_changes_nothing");
}

static void make_all(uint32_t place) {
    for (const row_t *row = rows; row < rows + ROWS; row++) {
        prepare();
        make_one(place, row);
    }
}

static const row_t *volatile of_interrupt;

static void interrupt(void) { make_one(IN_ISR, of_interrupt); }

/* ---- wrong arguments ---------------------------------------------------------------------------- */

static void answer(takt_status_t status, takt_status_t expected, const char *sentence) {
    check(status == expected, sentence);
}

static void refuse_null(void) {
    const char *const sentence = "null_is_refused";
    answer(takt_messages_init(NULL, places, 4, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_init(&messages, NULL, 4, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_init_fifo(NULL, places, 4, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_init_fifo(NULL, blocks, BLOCK_BYTES, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_init_fifo(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_semaphore_init_fifo(NULL, 0), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_send(NULL, message), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_send(&messages, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_receive(NULL, message), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_receive_for(&messages, NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_init(NULL, blocks, BLOCK_BYTES, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_init(&pool, NULL, BLOCK_BYTES, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_allocate(NULL, &block), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_try_allocate(&pool, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_pool_free(&pool, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_init(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_set(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_clear(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_wait(NULL, 1, 0, &bits), TAKT_ERROR_NULL, sentence);
    answer(takt_flags_wait(&flags, 1, 0, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_init(NULL, do_nothing, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_init(&alarm, NULL, NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_start(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_start_periodic(NULL, 1, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_stop(NULL), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_remaining(NULL, &ticks), TAKT_ERROR_NULL, sentence);
    answer(takt_alarm_remaining(&alarm, NULL), TAKT_ERROR_NULL, sentence);
    check(takt_messages_count(NULL) + takt_pool_count(NULL) + takt_flags_get(NULL) == 0, "null_has_nothing");
}

static void refuse_what_was_not_made(void) {
    const char *const sentence = "an_object_that_was_not_made_is_refused";
    answer(takt_messages_try_send(&no_messages, message), TAKT_ERROR_OBJECT, sentence);
    answer(takt_messages_try_receive(&no_messages, message), TAKT_ERROR_OBJECT, sentence);
    answer(takt_pool_allocate(&no_pool, &block), TAKT_ERROR_OBJECT, sentence);
    answer(takt_pool_try_allocate(&no_pool, &block), TAKT_ERROR_OBJECT, sentence);
    answer(takt_pool_free(&no_pool, blocks), TAKT_ERROR_OBJECT, sentence);
    answer(takt_flags_set(&no_flags, 1), TAKT_ERROR_OBJECT, sentence);
    answer(takt_flags_clear(&no_flags, 1), TAKT_ERROR_OBJECT, sentence);
    answer(takt_flags_wait(&no_flags, 1, 0, &bits), TAKT_ERROR_OBJECT, sentence);
    answer(takt_alarm_start(&no_alarm, 1), TAKT_ERROR_OBJECT, sentence);
    answer(takt_alarm_start_periodic(&no_alarm, 1, 1), TAKT_ERROR_OBJECT, sentence);
    answer(takt_alarm_stop(&no_alarm), TAKT_ERROR_OBJECT, sentence);
    answer(takt_alarm_remaining(&no_alarm, &ticks), TAKT_ERROR_OBJECT, sentence);
}

static void refuse_sizes(void) {
    const char *const sentence = "a_wrong_size_is_refused";
    answer(takt_messages_init(&no_messages, places, 0, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_init(&no_messages, places, 6, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_init_fifo(&no_messages, places, 6, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init_fifo(&no_pool, blocks, 0, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_semaphore_init_fifo(&no_semaphore, -1), TAKT_ERROR_COUNT, sentence);
    answer(takt_semaphore_try_take(&no_semaphore), TAKT_ERROR_OBJECT, sentence);
    answer(takt_messages_init(&no_messages, places, TAKT_MESSAGE_BYTES_MAX + 4, 1), TAKT_ERROR_SIZE,
           sentence);
    answer(takt_messages_init(&no_messages, places, 4, 0), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_init(&no_messages, misaligned(), 4, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_init(&no_messages, places, 1u << 16, 1u << 15), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_try_send(&messages, misaligned()), TAKT_ERROR_SIZE, sentence);
    answer(takt_messages_try_receive(&messages, misaligned()), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, blocks, 0, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, blocks, TAKT_POOL_BLOCK_BYTES_MIN - 4, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, blocks, TAKT_POOL_BLOCK_BYTES_MIN + 2, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, blocks, BLOCK_BYTES, 0), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, misaligned(), BLOCK_BYTES, 1), TAKT_ERROR_SIZE, sentence);
    answer(takt_pool_init(&no_pool, blocks, BLOCK_BYTES, UINT32_MAX / BLOCK_BYTES), TAKT_ERROR_SIZE,
           sentence);
    answer(takt_flags_wait(&flags, 0, 0, &bits), TAKT_ERROR_MASK, "a_mask_of_no_flags_is_refused");
    answer(takt_flags_wait_for(&flags, 1, 4, &bits, 1), TAKT_ERROR_MASK, "a_way_that_is_none_is_refused");
    answer(takt_alarm_start_periodic(&alarm, 1, 0), TAKT_ERROR_PERIOD, "a_period_of_0_is_refused");
}

static void refuse_blocks(void) {
    const char *const sentence = "what_is_no_block_is_refused";
    void *first, *second;
    check(takt_pool_init(&small_pool, small_blocks, sizeof small_blocks[0], 2) == TAKT_OK, "a_pool_is_made");
    answer(takt_pool_free(&small_pool, (unsigned char *)small_blocks + 4), TAKT_ERROR_BLOCK, sentence);
    answer(takt_pool_free(&small_pool, &small_blocks[2]), TAKT_ERROR_BLOCK, sentence);
    answer(takt_pool_free(&small_pool, blocks), TAKT_ERROR_BLOCK, sentence);
    answer(takt_pool_free(&small_pool, small_blocks[1]), TAKT_ERROR_BLOCK, "a_block_that_is_free_is_refused");
    check(takt_pool_allocate(&small_pool, &first) == TAKT_OK &&
              takt_pool_allocate(&small_pool, &second) == TAKT_OK,
          "a_pool_gives_its_blocks");
    check(first != second && takt_pool_count(&small_pool) == 0, "blocks_are_given_once");
    ((uintptr_t *)first)[1] = ~(uintptr_t)first;
    answer(takt_pool_free(&small_pool, first), TAKT_OK,
           "a_block_with_the_mark_of_free_ones_by_chance_is_freed");
    answer(takt_pool_free(&small_pool, second), TAKT_OK, "a_block_is_freed");
    answer(takt_pool_free(&small_pool, first), TAKT_ERROR_BLOCK, "a_block_that_was_freed_is_refused");
    check(takt_pool_count(&small_pool) == 2, "a_refused_block_is_not_counted");
}

/* ---- full and empty ----------------------------------------------------------------------------- */

static void tell_full_and_empty(void) {
    const char *const sentence = "what_is_full_or_empty_ends_in_time";
    void *taken;
    answer(takt_messages_try_send(&messages, message), TAKT_OK, sentence);
    answer(takt_messages_try_send(&messages, message), TAKT_TIMEOUT, sentence);
    answer(takt_messages_send_for(&messages, message, 0), TAKT_TIMEOUT, sentence);
    answer(takt_messages_send_for(&messages, message, 9), TAKT_TIMEOUT, sentence);
    answer(takt_messages_try_receive(&messages, message), TAKT_OK, sentence);
    answer(takt_messages_try_receive(&messages, message), TAKT_OK, sentence);
    answer(takt_messages_try_receive(&messages, message), TAKT_TIMEOUT, sentence);
    answer(takt_messages_receive_for(&messages, message, 0), TAKT_TIMEOUT, sentence);
    answer(takt_messages_receive_for(&messages, message, 9), TAKT_TIMEOUT, sentence);
    answer(takt_pool_allocate(&pool, &taken), TAKT_OK, sentence);
    answer(takt_pool_try_allocate(&pool, &taken), TAKT_TIMEOUT, sentence);
    answer(takt_pool_allocate_for(&pool, &taken, 0), TAKT_TIMEOUT, sentence);
    answer(takt_pool_allocate_for(&pool, &taken, 9), TAKT_TIMEOUT, sentence);
    answer(takt_flags_clear(&flags, 1), TAKT_OK, sentence);
    answer(takt_flags_wait_for(&flags, 1, TAKT_FLAGS_ANY, &bits, 0), TAKT_TIMEOUT, sentence);
    answer(takt_flags_wait_for(&flags, 1, TAKT_FLAGS_ANY, &bits, 9), TAKT_TIMEOUT, sentence);
    check(bits == 0, "a_wait_that_ended_in_time_has_no_bits");
    answer(takt_alarm_stop(&alarm), TAKT_OK, "an_alarm_that_is_not_armed_is_stopped");
    check(takt_alarm_remaining(&alarm, &ticks) == TAKT_OK && ticks == TAKT_NEVER, "it_never_comes");
}

static void full_and_empty_in_an_interrupt(void) {
    const char *const sentence = "an_interrupt_is_told_of_full_and_empty";
    answer(takt_messages_receive_from_isr(&messages, message), TAKT_TIMEOUT, sentence);
    answer(takt_messages_send_from_isr(&messages, message), TAKT_OK, sentence);
    answer(takt_messages_send_from_isr(&messages, message), TAKT_OK, sentence);
    answer(takt_messages_send_from_isr(&messages, message), TAKT_TIMEOUT, sentence);
    answer(takt_pool_free_from_isr(&pool, &small_blocks), TAKT_ERROR_BLOCK, sentence);
    answer(takt_pool_free_from_isr(&pool, blocks[0]), TAKT_OK, sentence);
    answer(takt_pool_free_from_isr(&pool, blocks[0]), TAKT_ERROR_BLOCK, sentence);
    answer(takt_flags_set_from_isr(NULL, 1), TAKT_ERROR_NULL, sentence);
    answer(takt_messages_send_from_isr(&no_messages, message), TAKT_ERROR_OBJECT, sentence);
}

/* ---- the program -------------------------------------------------------------------------------- */

static void make_locked(void) {
    for (const row_t *row = rows; row < rows + ROWS; row++) {
        prepare();
        const takt_port_level_t level = takt_port_lock();
        make_one(LOCKED, row);
        takt_port_unlock(level);
    }
}

static void make_in_isr(void) {
    board_interrupt_enable(0, interrupt);
    for (const row_t *row = rows; row < rows + ROWS; row++) {
        prepare();
        of_interrupt = row;
        board_interrupt_pend(0);
    }
}

static void test(void *argument) {
    (void)argument;
    make_all(BY_THREAD);
    make_locked();
    make_in_isr();
    check(takt_alarm_stop(&alarm) == TAKT_OK, "an_alarm_is_stopped");
    prepare();
    refuse_null();
    refuse_what_was_not_made();
    refuse_sizes();
    refuse_blocks();
    check(is_untouched(), "a_refused_call_changes_nothing");
    tell_full_and_empty();
    board_interrupt_enable(1, full_and_empty_in_an_interrupt);
    board_interrupt_pend(1);
    board_exit(0);
}

static takt_thread_t thread;
static conformance_stack_t stack;

int main(void) {
    board_begin();
    kernel_begin();
    check(takt_alarm_init(&alarm, do_nothing, NULL) == TAKT_OK, "an_alarm_is_made");
    make_all(BEFORE);
    prepare();
    check(takt_messages_try_receive(&messages, message) == TAKT_OK, "a_message_is_received");
    check(takt_messages_receive(&messages, message) == TAKT_ERROR_NOT_STARTED,
          "nobody_waits_before_the_start");
    check(takt_messages_count(&messages) == 0 && takt_messages_try_send(&messages, message) == TAKT_OK,
          "a_refused_wait_changes_nothing");
    thread_begin(&thread, stack, 5, test, NULL);
    kernel_go();
}
