/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Torture: an interrupt at every instruction of a call. The board's alarm is set to expire 1, 2, 3 ... ticks after it, which are
 * less than an instruction, until it comes behind the call. The interrupt wakes a more urgent thread, or changes the object of
 * the call; whenever it comes, the call and both threads end as a sequence of the two would, in one order or the other. */
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "tests/conformance/conformance.h"

#include <takt_board.h>

/* Every how many ticks an interrupt is tried. */
#ifndef TORTURE_STEP
#define TORTURE_STEP 1
#endif

enum { LOW = 4, HIGH = 9, MOST = 20000, BEHIND = 3, BYTES = 16 };

#define MUST(call) check((call) == TAKT_OK, #call)

static takt_thread_t low, high, helper, made;
static conformance_stack_t stacks[4];
static takt_semaphore_t object, wanted, partner;
static takt_mutex_t mutex;
static takt_messages_t queue;
static uint32_t places[4][BYTES / sizeof(uint32_t)], message[BYTES / sizeof(uint32_t)];
static volatile uint32_t interrupts, highs, helps, taken;

/* ---- what the interrupt does ---------------------------------------------------------------------------------- */

static void wake(void) { MUST(takt_semaphore_give_from_isr(&wanted)); }

static void give_object(void) { MUST(takt_semaphore_give_from_isr(&object)); }

/* ---- calls: what is done, and what must be so when both have ended --------------------------------------------- */

typedef struct act {
    const char *name;
    void (*interrupt)(void);
    void (*call)(void);
    void (*check)(void);
} act_t;

static void has_woken(void) { check(highs == 1, "the_thread_that_an_interrupt_wakes_runs_once"); }

static void give(void) { MUST(takt_semaphore_give(&object)); }
static void has_one(void) {
    has_woken();
    MUST(takt_semaphore_try_take(&object));
}
static void has_two(void) {
    MUST(takt_semaphore_try_take(&object));
    MUST(takt_semaphore_try_take(&object));
    check(takt_semaphore_try_take(&object) == TAKT_TIMEOUT, "both_units_are_there_once");
}

static void try_take(void) { taken += takt_semaphore_try_take(&object) == TAKT_OK; }
static void has_rest(void) {
    while (takt_semaphore_try_take(&object) == TAKT_OK) {
        taken++;
    }
    check(taken == 1, "a_unit_is_taken_once");
}

static void take(void) { MUST(takt_semaphore_take(&object)); }
static void has_none(void) { check(takt_semaphore_try_take(&object) == TAKT_TIMEOUT, "no_unit_is_left"); }

static void take_for(void) {
    const takt_status_t status = takt_semaphore_take_for(&object, board_span(600));
    check(status == TAKT_OK || status == TAKT_TIMEOUT, "a_take_succeeds_or_its_time_is_up");
    taken += status == TAKT_OK;
}

/* The helper, as urgent, gives back. */
static void hand_over(void) {
    const uint32_t before = helps;
    MUST(takt_semaphore_give(&partner));
    MUST(takt_thread_yield());
    check(helps == before + 1u, "a_yield_lets_the_equal_run");
}

static void lock(void) {
    MUST(takt_mutex_lock(&mutex));
    MUST(takt_mutex_unlock(&mutex));
}
static void is_unlocked(void) {
    has_woken();
    check(mutex.resource.holder == NULL, "a_mutex_is_free_behind_its_unlock");
}

static void send(void) {
    MUST(takt_messages_send(&queue, message));
    MUST(takt_messages_receive(&queue, message));
}

static void delay(void) { MUST(takt_thread_delay(board_span(300))); }

static void run_made(void *argument) {
    (void)argument;
    taken++;
}

static void create(void) {
    thread_begin(&made, stacks[3], LOW + 1, run_made, NULL);
    check(taken == 1, "a_more_urgent_thread_runs_at_its_creation");
}

static void delete_one(void) {
    thread_begin(&made, stacks[3], LOW - 1, run_made, NULL);
    MUST(takt_thread_delete(&made));
    check(taken == 0, "a_deleted_thread_does_not_run");
}

static void set_priority(void) {
    MUST(takt_thread_set_priority(&helper, LOW - 2));
    MUST(takt_thread_set_priority(&helper, LOW));
}

static const act_t acts[] = {
    {"give", wake, give, has_one},
    {"give, twice", give_object, give, has_two},
    {"try to take", give_object, try_take, has_rest},
    {"take", give_object, take, has_none},
    {"take with an end", give_object, take_for, has_rest},
    {"give and yield", wake, hand_over, has_woken},
    {"lock and unlock", wake, lock, is_unlocked},
    {"send and receive", wake, send, has_woken},
    {"delay", wake, delay, has_woken},
    {"create", wake, create, has_woken},
    {"create and delete", wake, delete_one, has_woken},
    {"set priority", wake, set_priority, has_woken},
};
enum { ACTS = sizeof acts / sizeof *acts };

static const act_t *volatile act;

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void on_interrupt(void) {
    if (interrupts++ == 0) {
        act->interrupt();
    }
}

static void run_high(void *argument) {
    (void)argument;
    for (;;) {
        MUST(takt_semaphore_take(&wanted));
        highs++;
    }
}

static void run_helper(void *argument) {
    (void)argument;
    for (;;) {
        MUST(takt_semaphore_take(&partner));
        helps++;
    }
}

static void reset(void) {
    interrupts = 0;
    highs = 0;
    taken = 0;
}

/* Returns whether the interrupt came before the end of the call. */
static bool try_at(uint32_t ticks) {
    reset();
    takt_board_alarm_once(ticks);
    act->call();
    const bool is_within = interrupts != 0;
    while (interrupts == 0) {
        board_pass();
    }
    act->check();
    return is_within;
}

static void try_all(void *argument) {
    (void)argument;
    uint32_t tried = 0;
    MUST(takt_thread_yield()); /* the helper waits */
    board_ticker_start(1u << 28, on_interrupt);
    for (uint32_t number = 0; number < ACTS; number++) {
        act = &acts[number];
        uint32_t behind = 0;
        for (uint32_t ticks = 1u + number % (TORTURE_STEP); behind < BEHIND && ticks < MOST;
             ticks += (TORTURE_STEP)) {
            behind = try_at(ticks) ? 0 : behind + 1u;
            tried++;
            /* A take returns only behind its interrupt. */
            if (act->call == take && ticks > 2000) {
                break;
            }
        }
    }
    check(tried > 10u * ACTS / (TORTURE_STEP), "interrupts_come_within_calls");
    board_exit(0);
}

int main(void) {
    kernel_begin();
    const takt_mutex_parameters_t pip = {.protocol = TAKT_PROTOCOL_PIP};
    semaphore_begin(&object, 0);
    semaphore_begin(&wanted, 0);
    semaphore_begin(&partner, 0);
    MUST(takt_mutex_init(&mutex, &pip));
    MUST(takt_messages_init(&queue, places, BYTES, 4));
    thread_begin(&high, stacks[0], HIGH, run_high, NULL);
    thread_begin(&low, stacks[1], LOW, try_all, NULL);
    thread_begin(&helper, stacks[2], LOW, run_helper, NULL);
    kernel_go();
}
