/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What threads are asked about: state, priorities, server, budget, counts, the list of all threads, their report; and words
 * of threads. */
#include "kernel/inspect.h"
#include "kernel/local.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "tests/conformance/conformance.h"

#include "policy/table.h"

enum { ASKING = 9, HOLDING = 3, WANTING = 5, CEILING = 11, INSIDE = 2, PERIODIC = 20, REPORT_BYTES = 1024 };

static takt_thread_t asking, holding, wanting, inside, brief, no_thread;
static takt_periodic_thread_t periodic;
static conformance_stack_t asking_stack, holding_stack, wanting_stack, inside_stack, periodic_stack,
    brief_stack;
static takt_semaphore_t semaphore, turns;
static takt_mutex_t ceiling, inherited;
static takt_messages_t messages;
static uint32_t places[2];
static takt_thread_server_t outer, inner;
static takt_thread_t *threads[TAKT_KERNEL_ENTITY_LIMIT];

#define MUST(call) check((call) == TAKT_OK, #call)

/* ---- what is asked ------------------------------------------------------------------------------------ */

static void is_in_state(const takt_thread_t *thread, takt_thread_state_t state, const char *sentence) {
    check(takt_thread_state(thread) == state, sentence);
}

static uint32_t base(const takt_thread_t *thread) {
    uint32_t priority = UINT32_MAX;
    MUST(takt_thread_priority(thread, &priority));
    return priority;
}

static uint32_t effective(takt_thread_t *thread) {
    uint32_t priority = UINT32_MAX;
    MUST(takt_thread_effective_priority(thread, &priority));
    return priority;
}

static takt_duration_t budget(const takt_thread_t *thread) {
    takt_duration_t ticks = 0;
    MUST(takt_thread_budget(thread, &ticks));
    return ticks;
}

/* ---- other threads ------------------------------------------------------------------------------------- */

static void take(void *argument) {
    (void)argument;
    MUST(takt_semaphore_take(&semaphore));
    for (;;) {
        MUST(takt_semaphore_take(&turns));
    }
}

static void hold(void *argument) {
    (void)argument;
    MUST(takt_mutex_lock(&inherited));
    MUST(takt_semaphore_take(&turns));
    MUST(takt_mutex_unlock(&inherited));
    check(effective(&holding) == HOLDING, "a_mutex_that_is_unlocked_no_longer_raises");
    MUST(takt_semaphore_take(&turns));
}

/* Begins when the holder has locked. */
static void want(void *argument) {
    (void)argument;
    MUST(takt_thread_delay(board_span(8000)));
    MUST(takt_mutex_lock(&inherited));
    MUST(takt_mutex_unlock(&inherited));
}

static void end(void *argument) { (void)argument; }

static void work(void *argument) {
    (void)argument;
    for (;;) {
        MUST(takt_wait_next_period());
    }
}

/* ---- in an interrupt ------------------------------------------------------------------------------------- */

static bool has_asked;

static void ask_in_an_interrupt(void) {
    is_in_state(&asking, TAKT_THREAD_RUNNING, "an_interrupted_thread_runs");
    is_in_state(&inside, TAKT_THREAD_READY, "an_interrupt_sees_that_a_thread_was_woken");
    check(base(&holding) == HOLDING && budget(&asking) == TAKT_NEVER, "an_interrupt_asks");
    check(takt_kernel_thread(takt_thread_number(&wanting)) == &wanting, "an_interrupt_sees_the_list");
    has_asked = true;
}

/* ---- the asking thread ----------------------------------------------------------------------------------- */

static void ask_about_states(void) {
    is_in_state(&asking, TAKT_THREAD_RUNNING, "the_running_thread_runs");
    is_in_state(&inside, TAKT_THREAD_READY, "a_thread_that_has_not_run_yet_is_ready");
    is_in_state(&periodic.job.thread, TAKT_THREAD_WAITING, "a_job_that_is_not_released_waits");
    is_in_state(&no_thread, TAKT_THREAD_ENDED, "memory_that_was_no_thread_has_ended");
    is_in_state(NULL, TAKT_THREAD_ENDED, "no_thread_has_ended");
    MUST(takt_thread_suspend(&inside));
    is_in_state(&inside, TAKT_THREAD_IS_SUSPENDED, "a_suspended_thread_is_suspended");
    MUST(takt_thread_resume(&inside));
    MUST(takt_thread_delay(board_span(30000)));
    is_in_state(&inside, TAKT_THREAD_WAITING, "a_thread_that_takes_in_vain_waits");
    MUST(takt_thread_suspend(&inside));
    is_in_state(&inside, TAKT_THREAD_IS_SUSPENDED, "a_thread_that_waits_may_be_suspended");
    MUST(takt_thread_resume(&inside));
    is_in_state(&brief, TAKT_THREAD_ENDED, "a_thread_that_has_returned_has_ended");
}

/* The holder has the mutex, the wanting thread waits for it. */
static void ask_about_priorities(void) {
    check(base(&asking) == ASKING && effective(&asking) == ASKING, "a_priority_is_the_one_of_creation");
    is_in_state(&wanting, TAKT_THREAD_WAITING, "a_thread_that_wants_a_mutex_waits");
    check(base(&holding) == HOLDING && effective(&holding) == WANTING, "a_holder_inherits");
    check(base(&wanting) == WANTING && effective(&wanting) == WANTING, "a_waiting_thread_keeps_its_priority");
    MUST(takt_mutex_lock(&ceiling));
    check(base(&asking) == ASKING && effective(&asking) == CEILING, "a_ceiling_raises");
    MUST(takt_mutex_unlock(&ceiling));
    check(effective(&asking) == ASKING, "a_ceiling_ends_with_its_mutex");
    check(base(&periodic.job.thread) == PERIODIC, "a_job_has_the_priority_of_its_thread");
    MUST(takt_thread_set_priority(&asking, ASKING + 1));
    check(base(&asking) == ASKING + 1 && effective(&asking) == ASKING + 1,
          "a_priority_that_is_set_is_answered");
    MUST(takt_thread_set_priority(&asking, ASKING));
    MUST(takt_semaphore_give(&turns));
}

static void ask_about_servers(void) {
    takt_duration_t of_inner, of_outer;
    MUST(takt_thread_server_budget(&inner, &of_inner));
    MUST(takt_thread_server_budget(&outer, &of_outer));
    check(takt_thread_server(&inside) == &inner && takt_thread_server(&asking) == NULL &&
              takt_thread_server(NULL) == NULL,
          "a_thread_knows_its_server");
    check(budget(&inside) == (of_inner < of_outer ? of_inner : of_outer), "the_least_budget_counts");
    check(budget(&asking) == TAKT_NEVER, "nobody_pays_under_the_root");
}

static void ask_about_counts(void) {
    uint32_t message = 0;
    check(takt_semaphore_count(&semaphore) == 0 && takt_semaphore_count(NULL) == 0,
          "no_units_while_one_waits");
    MUST(takt_semaphore_give(&semaphore));
    check(takt_semaphore_count(&semaphore) == 0, "a_unit_that_is_handed_over_is_not_counted");
    MUST(takt_semaphore_give(&semaphore));
    check(takt_semaphore_count(&semaphore) == 1, "a_unit_is_counted");
    MUST(takt_messages_send(&messages, &message));
    check(takt_messages_count(&messages) == 1, "a_message_is_counted");
}

/* ---- misuse ------------------------------------------------------------------------------------------------ */

static void ask_wrongly(void) {
    uint32_t priority = 77;
    takt_duration_t ticks = 77;
    check(takt_thread_priority(NULL, &priority) == TAKT_ERROR_NULL &&
              takt_thread_priority(&asking, NULL) == TAKT_ERROR_NULL &&
              takt_thread_priority(&no_thread, &priority) == TAKT_ERROR_OBJECT,
          "a_priority_of_no_thread_is_refused");
    check(takt_thread_effective_priority(NULL, &priority) == TAKT_ERROR_NULL &&
              takt_thread_effective_priority(&asking, NULL) == TAKT_ERROR_NULL &&
              takt_thread_effective_priority(&no_thread, &priority) == TAKT_ERROR_OBJECT,
          "a_priority_in_force_of_no_thread_is_refused");
    check(takt_thread_budget(NULL, &ticks) == TAKT_ERROR_NULL &&
              takt_thread_budget(&asking, NULL) == TAKT_ERROR_NULL &&
              takt_thread_budget(&no_thread, &ticks) == TAKT_ERROR_OBJECT,
          "a_budget_of_no_thread_is_refused");
    check(priority == 77 && ticks == 77, "what_is_refused_writes_nothing");
    check(takt_thread_effective_priority(&inside, &priority) == TAKT_ERROR_KEY, "keys_are_no_priorities");
    check(takt_kernel_list_to(threads) == TAKT_ERROR_ORDER, "a_list_begins_before_the_first_thread");
    check(takt_kernel_thread(TAKT_KERNEL_ENTITY_LIMIT) == NULL && takt_kernel_thread(UINT32_MAX) == NULL,
          "a_number_that_is_too_large_is_no_threads");
}

/* ---- the list and its report --------------------------------------------------------------------------------- */

static char report[REPORT_BYTES];
static uint32_t report_length;

void takt_port_print(const char *text) {
    for (; *text != 0 && report_length < sizeof report - 1u; text++) {
        report[report_length++] = *text;
    }
}

static bool begins_with(const char *text, const char *start) {
    while (*start != 0 && *text == *start) {
        text++;
        start++;
    }
    return *start == 0;
}

static const char *line(uint32_t number) {
    const char *text = report;
    for (; number > 0; number--) {
        while (*text++ != '\n') {
        }
    }
    return text;
}

static void ask_for_the_list(void) {
    static const takt_thread_t *const expected[] = {&asking, &holding, &wanting, &inside,
                                                    &periodic.job.thread};
    uint32_t place = 0;
    const takt_thread_t *last = NULL;
    for (uint32_t number = 0; number < TAKT_KERNEL_ENTITY_LIMIT; number++) {
        const takt_thread_t *thread = takt_kernel_thread(number);
        if (thread != NULL && place < sizeof expected / sizeof *expected) {
            check(thread == expected[place++] && takt_thread_number(thread) == number,
                  "the_order_is_that_of_creation");
        }
        last = thread != NULL ? thread : last;
    }
    check(begins_with(last->name, "idle"), "the_idle_thread_is_listed_last");
    takt_kernel_report();
    check(begins_with(line(0), "thread              state      priority   stack  unused\n") &&
              begins_with(line(1), "asking              running           9") &&
              begins_with(line(2), "holding             ") &&
              begins_with(line(4), "inside              ready             -") &&
              begins_with(line(7), "idle                ready             -"),
          "the_report_has_a_line_for_each");
    thread_begin(&brief, brief_stack, ASKING - 1, take, NULL);
    check(takt_kernel_thread(takt_thread_number(&brief)) == &brief,
          "a_thread_that_is_created_later_is_listed");
    const uint32_t number = takt_thread_number(&brief);
    MUST(takt_thread_delete(&brief));
    check(takt_kernel_thread(number) == NULL, "a_thread_that_is_deleted_is_not_listed");
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

static takt_thread_t worded;
static takt_periodic_thread_t worded_job;
static conformance_stack_t worded_stack, worded_job_stack;
static uint32_t words_seen;

static void use_a_word(void *argument) {
    void **word = takt_thread_word(NULL);
    check(word != NULL && *word == NULL && word == takt_thread_word(&worded), "a_word_is_null_at_first");
    *word = argument;
    MUST(takt_thread_yield());
    check(*takt_thread_word(NULL) == argument, "a_word_stays");
    words_seen++;
}

static void count_in_a_word(void *argument) {
    (void)argument;
    static uint32_t last; /* jobs that end before they begin are not counted */
    void **word = takt_thread_word(NULL);
    check(*word == (void *)(uintptr_t)last, "a_word_stays_from_job_to_job");
    last = takt_job_number() + 1u;
    *word = (void *)(uintptr_t)last;
    words_seen++;
    board_pass();
    for (;;) {
        board_pass(); /* until the deadline, when the scheduler ends the job and builds its context anew */
    }
}

static takt_thread_parameters_t of(const char *name, void (*entry)(void *), void *stack, uint32_t priority) {
    return (takt_thread_parameters_t){.name = name,
                                      .entry = entry,
                                      .argument = &words_seen,
                                      .stack = stack,
                                      .stack_bytes = sizeof(conformance_stack_t),
                                      .priority = priority};
}

static void reserve_wrongly(void) {
    static takt_thread_t thread;
    takt_thread_parameters_t parameters = of("worded", use_a_word, worded_stack, 1);
    check(takt_thread_reserve_word(NULL, &parameters) == TAKT_ERROR_NULL &&
              takt_thread_reserve_word(&thread, NULL) == TAKT_ERROR_NULL,
          "a_word_of_nothing_is_refused");
    check(takt_thread_reserve_word(&asking, &parameters) == TAKT_ERROR_EXISTS,
          "a_word_comes_before_its_thread");
    parameters.stack_bytes = TAKT_STACK_BYTES_MIN;
    check(takt_thread_reserve_word(&thread, &parameters) == TAKT_ERROR_STACK,
          "a_stack_has_room_for_its_word");
    parameters.stack_bytes = sizeof worded_stack - 4;
    check(takt_thread_reserve_word(&thread, &parameters) == TAKT_ERROR_STACK, "a_word_is_aligned");
    parameters.stack_bytes = sizeof worded_stack;
    MUST(takt_thread_reserve_word(&thread, &parameters));
    check(takt_thread_reserve_word(&thread, &parameters) == TAKT_ERROR_EXISTS, "a_word_is_reserved_once");
    check(takt_thread_word(&thread) == NULL, "a_word_is_of_a_thread_that_exists");
    check(takt_thread_word(NULL) == NULL && takt_thread_word(&holding) == NULL,
          "a_thread_without_a_word_has_none");
}

static void use_words(void) {
    takt_thread_parameters_t parameters = of("worded", use_a_word, worded_stack, ASKING + 1);
    reserve_wrongly();
    MUST(takt_thread_reserve_word(&worded, &parameters));
    check(parameters.stack_bytes == sizeof worded_stack - TAKT_THREAD_WORD_BYTES, "a_word_is_of_the_stack");
    MUST(takt_thread_create(&worded, &parameters));
    check(words_seen >= 1 && takt_thread_word(&worded) == NULL, "a_word_ends_with_its_thread");
    const takt_thread_parameters_t without = of("again", end, worded_stack, 1);
    MUST(takt_thread_create(&worded, &without));
    check(takt_thread_word(&worded) == NULL, "the_same_memory_without_a_word_has_none");
    MUST(takt_thread_delete(&worded));
    while (words_seen < 4) {
        MUST(takt_thread_delay(board_span(20000)));
    }
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

static void ask(void *argument) {
    (void)argument;
    ask_about_states();
    ask_about_priorities();
    ask_about_counts();
    ask_about_servers();
    ask_wrongly();
    board_interrupt_enable(0, ask_in_an_interrupt);
    board_interrupt_pend(0);
    board_pass();
    check(has_asked, "an_interrupt_has_asked");
    ask_for_the_list();
    use_words();
    board_exit(0);
}

static void create(takt_thread_t *thread, const char *name, conformance_stack_t stack, uint32_t priority,
                   void (*entry)(void *), takt_thread_server_t *server) {
    takt_thread_parameters_t parameters = of(name, entry, stack, priority);
    parameters.server = server;
    MUST(takt_thread_create(thread, &parameters));
}

static void create_servers(void) {
    takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                  .policy = &takt_policy_fp,
                                                  .period = board_span(2000000),
                                                  .budget = board_span(1000000),
                                                  .priority = INSIDE};
    MUST(takt_thread_server_create(&outer, &parameters));
    parameters.parent = &outer;
    parameters.policy = &takt_policy_edf;
    parameters.budget = board_span(1500000);
    MUST(takt_thread_server_create(&inner, &parameters));
}

static void create_a_job_with_a_word(void) {
    static takt_task_extension_t extension;
    takt_job_parameters_t parameters = {
        .thread = of("counting", count_in_a_word, worded_job_stack, 1),
        .period = board_span(30000),
        .relative_deadline = board_span(30000),
        .on_miss = TAKT_ON_MISS_ABORT,
        .extension = &extension,
    };
    MUST(takt_thread_reserve_word(&worded_job.job.thread, &parameters.thread));
    MUST(takt_periodic_thread_create(&worded_job, &parameters));
}

int main(void) {
    check(takt_kernel_list_to(threads) == TAKT_ERROR_NOT_INITIALISED, "a_list_is_of_a_kernel");
    kernel_begin();
    check(takt_kernel_list_to(NULL) == TAKT_ERROR_NULL, "a_list_has_memory");
    check(takt_kernel_thread(0) == NULL, "nothing_is_listed_at_first");
    MUST(takt_kernel_list_to(threads));
    semaphore_begin(&semaphore, 0);
    semaphore_begin(&turns, 0);
    MUST(takt_messages_init(&messages, places, sizeof places[0], 2));
    create_servers();
    MUST(takt_mutex_init(&ceiling,
                         &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_ICPP, .ceiling = CEILING}));
    MUST(takt_mutex_init(&inherited, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}));
    create(&asking, "asking", asking_stack, ASKING, ask, NULL);
    create(&holding, "holding", holding_stack, HOLDING, hold, NULL);
    create(&wanting, "wanting", wanting_stack, WANTING, want, NULL);
    create(&inside, "inside", inside_stack, 1, take, &inner);
    periodic_begin(&periodic, periodic_stack, PERIODIC, work, board_span(8000000), board_span(8000000));
    create_a_job_with_a_word();
    create(&brief, "brief", brief_stack, ASKING + 1, end, NULL);
    is_in_state(&asking, TAKT_THREAD_READY, "a_thread_is_ready_before_the_start");
    check(takt_thread_word(NULL) == NULL, "no_thread_runs_before_the_start");
    kernel_go();
}
