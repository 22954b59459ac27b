/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blinky, and what a small product has beside it: the beginning of a program on the kernel.
 *
 *     blink      a periodic thread: switches the LED every 100 ms, and counts the jobs that came too late
 *     load       works all the time, in a server that pays for 10 ms of every 50: no less urgent thread waits for more
 *     press      waits behind a semaphore that the button's interrupt gives
 *     display    says four times a second what the button did, and at the end what every thread did
 *
 * Press and display share the panel, under a mutex. Everything is in static memory. Trace and statistics are there to
 * be seen: a product leaves out takt_kernel_trace_to, and its switches are many times faster.
 *
 * `make blinky`, `make blinky PORT=riscv`, `make blinky PORT=posix`. */
#include "board.h"
#include "firmware/semihost.h"
#include "kernel/job.h"
#include "kernel/kernel.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"
#include "kernel/statistics.h"
#include "line.h"
#include "policy/table.h"

enum {
    BLINKS = 10,
    BLINK_MS = 100,
    BUTTON_MS = 130,
    DISPLAY_MS = 250,
    BUDGET_MS = 10,
    BUDGET_PERIOD_MS = 50
};
enum { BLINK_PRIORITY = 20, LOAD_PRIORITY = 15, PRESS_PRIORITY = 10, DISPLAY_PRIORITY = 5 };
enum { STACK_BYTES = TAKT_STACK_BYTES_MIN + 1024, ENTITIES = 8 };

typedef uint64_t stack_words_t[STACK_BYTES / sizeof(uint64_t)];

/* Ends the program with a line if a call answers what it must not. */
static void require(takt_status_t status, const char *what) {
    if (status != TAKT_OK) {
        takt_semihost_print(what);
        takt_semihost_print(": ");
        takt_semihost_print(takt_status_message(status));
        takt_semihost_print("\n");
        takt_semihost_exit(1);
    }
}

void takt_port_fault(void) {
    takt_semihost_print("the machine faulted, or a stack has overflowed\n");
    takt_semihost_exit(1);
}

static uint32_t milliseconds(takt_instant_t instant) { return board_microseconds(instant) / 1000u; }

/* ---- blink: a periodic thread ------------------------------------------------------------------------ */

static takt_periodic_thread_t blink;
static stack_words_t blink_stack;
static takt_semaphore_t finished;
static uint32_t blinks, misses;

static void say_led(bool is_on) {
    line_t line = {.length = 0};
    line_add(&line, "[", 0);
    line_add_number(&line, milliseconds(takt_kernel_now()), 4);
    line_add(&line, is_on ? " ms] LED on" : " ms] LED off", 0);
    line_print(&line);
}

static void blink_once(void) {
    const bool is_on = blinks++ % 2u == 0;
    board_led_set(is_on);
    say_led(is_on);
    if (blinks == BLINKS) {
        require(takt_semaphore_give(&finished), "finished");
    }
}

static void run_blink(void *argument) {
    (void)argument;
    for (;;) {
        if (blinks < BLINKS) {
            blink_once();
        }
        if (takt_wait_next_period() == TAKT_DEADLINE_MISSED) {
            misses++;
        }
    }
}

/* ---- press: behind an interrupt ------------------------------------------------------------------------ */

static takt_thread_t press;
static stack_words_t press_stack;
static takt_semaphore_t pressed;

typedef struct panel {
    uint32_t presses;
    takt_instant_t last;
} panel_t;

static panel_t panel;
static takt_mutex_t panel_mutex;

/* In the interrupt. */
static void on_button(void) { (void)takt_semaphore_give_from_isr(&pressed); }

static void run_press(void *argument) {
    (void)argument;
    board_button_start(board_ticks(BUTTON_MS), on_button);
    for (;;) {
        require(takt_semaphore_take(&pressed), "pressed");
        require(takt_mutex_lock(&panel_mutex), "lock");
        panel.presses++;
        panel.last = takt_kernel_now();
        require(takt_mutex_unlock(&panel_mutex), "unlock");
    }
}

/* ---- load: a server pays -------------------------------------------------------------------------------- */

static takt_thread_server_t background;
static takt_thread_t load;
static stack_words_t load_stack;

static void run_load(void *argument) {
    (void)argument;
    for (;;) {
        board_work();
    }
}

/* ---- display ---------------------------------------------------------------------------------------------- */

static takt_thread_t display;
static stack_words_t display_stack;
static takt_statistics_t statistics;
static takt_execution_t executions[ENTITIES];

static void say_panel(void) {
    require(takt_mutex_lock(&panel_mutex), "lock");
    const panel_t seen = panel;
    require(takt_mutex_unlock(&panel_mutex), "unlock");
    line_t line = {.length = 0};
    line_add(&line, "[", 0);
    line_add_number(&line, milliseconds(takt_kernel_now()), 4);
    line_add(&line, " ms] presses: ", 0);
    line_add_number(&line, seen.presses, 0);
    line_add(&line, ", last at ", 0);
    line_add_number(&line, milliseconds(seen.last), 0);
    line_add(&line, " ms", 0);
    line_print(&line);
}

/* NULL is the idle thread, whose stack is the kernel's own affair. */
static void say_thread(const char *name, const takt_thread_t *thread) {
    takt_execution_t execution;
    require(takt_statistics_read(&statistics, thread, &execution), name);
    line_t line = {.length = 0};
    line_add(&line, name, 10);
    line_add_number(&line, execution.completed, 6);
    line_add_number(&line, execution.chosen, 8);
    line_add_number(&line, board_microseconds(execution.executed), 13);
    line_add_number(&line, board_microseconds(execution.longest), 12);
    if (thread != NULL) {
        line_add_number(&line, takt_thread_stack_unused(thread), 14);
    }
    line_print(&line);
}

static void say_misses(void) {
    line_t line = {.length = 0};
    line_add_number(&line, blinks, 0);
    line_add(&line, " blinks, ", 0);
    line_add_number(&line, misses, 0);
    line_add(&line, " late", 0);
    line_print(&line);
}

static __attribute__((noreturn)) void report(void) {
    say_misses();
    takt_semihost_print("thread      jobs  chosen  executed us  longest us  stack unused\n");
    say_thread("blink", &blink.job.thread);
    say_thread("load", &load);
    say_thread("press", &press);
    say_thread("display", &display);
    say_thread("idle", NULL);
    takt_semihost_exit(0);
}

static void run_display(void *argument) {
    (void)argument;
    while (takt_semaphore_take_for(&finished, board_ticks(DISPLAY_MS)) == TAKT_TIMEOUT) {
        say_panel();
    }
    report();
}

/* ---- set-up ----------------------------------------------------------------------------------------------- */

static void create_objects(void) {
    require(takt_semaphore_init(&finished, 0), "finished");
    require(takt_semaphore_init(&pressed, 0), "pressed");
    require(takt_mutex_init(&panel_mutex, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}),
            "panel");
}

static void create_server(void) {
    const takt_thread_server_parameters_t parameters = {
        .kind = &takt_server_deferrable,
        .policy = &takt_policy_fp,
        .period = board_ticks(BUDGET_PERIOD_MS),
        .budget = board_ticks(BUDGET_MS),
        .priority = LOAD_PRIORITY,
    };
    require(takt_thread_server_create(&background, &parameters), "background");
}

static void create_blink(void) {
    const takt_job_parameters_t parameters = {
        .thread = {.name = "blink",
                   .entry = run_blink,
                   .stack = blink_stack,
                   .stack_bytes = sizeof blink_stack,
                   .priority = BLINK_PRIORITY},
        .period = board_ticks(BLINK_MS),
        .relative_deadline = board_ticks(BLINK_MS),
    };
    require(takt_periodic_thread_create(&blink, &parameters), "blink");
}

static void create_thread(takt_thread_t *thread, const takt_thread_parameters_t *parameters) {
    require(takt_thread_create(thread, parameters), parameters->name);
}

static void create_threads(void) {
    create_blink();
    create_thread(&load, &(takt_thread_parameters_t){.name = "load",
                                                     .entry = run_load,
                                                     .stack = load_stack,
                                                     .stack_bytes = sizeof load_stack,
                                                     .server = &background});
    create_thread(&press, &(takt_thread_parameters_t){.name = "press",
                                                      .entry = run_press,
                                                      .stack = press_stack,
                                                      .stack_bytes = sizeof press_stack,
                                                      .priority = PRESS_PRIORITY});
    create_thread(&display, &(takt_thread_parameters_t){.name = "display",
                                                        .entry = run_display,
                                                        .stack = display_stack,
                                                        .stack_bytes = sizeof display_stack,
                                                        .priority = DISPLAY_PRIORITY});
}

int main(void) {
    board_begin();
    require(takt_kernel_init(&takt_policy_fp), "kernel");
    require(takt_statistics_init(&statistics, executions, ENTITIES, NULL), "statistics");
    require(takt_kernel_trace_to(&statistics.trace), "trace");
    create_server();
    create_threads();
    create_objects();
    require(takt_kernel_start(), "start");
    return 0;
}
