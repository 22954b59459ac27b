/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The report of all threads; see inspect.h. */
#include "kernel/inspect.h"

enum { DIGITS = 10, NAME_COLUMNS = 20, STATE_COLUMNS = 11, NUMBER_COLUMNS = 8 };

/* Prints `text`, then blanks up to `columns`. */
static void print_left(const char *text, uint32_t columns) {
    uint32_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    takt_port_print(text);
    for (; length < columns; length++) {
        takt_port_print(" ");
    }
}

/* Prints `text`, of `length` characters, at the right end of a column. */
static void print_right(const char *text, uint32_t length) {
    for (; length < NUMBER_COLUMNS; length++) {
        takt_port_print(" ");
    }
    takt_port_print(text);
}

static void print_number(uint32_t number) {
    char text[DIGITS + 1];
    uint32_t place = DIGITS;
    text[place] = 0;
    do {
        text[--place] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    print_right(&text[place], DIGITS - place);
}

static void print_priority(takt_thread_t *thread) {
    uint32_t priority;
    if (takt_thread_effective_priority(thread, &priority) == TAKT_OK) {
        print_number(priority);
    } else {
        print_right("-", 1);
    }
}

static void print_thread(takt_thread_t *thread) {
    print_left(thread->name, NAME_COLUMNS);
    print_left(takt_thread_state_name(takt_thread_state(thread)), STATE_COLUMNS);
    print_priority(thread);
    print_number(thread->stack_bytes);
    print_number(takt_thread_stack_unused(thread));
    takt_port_print("\n");
}

void takt_kernel_report(void) {
    print_left("thread", NAME_COLUMNS);
    print_left("state", STATE_COLUMNS);
    takt_port_print("priority   stack  unused\n");
    for (uint32_t number = 0; number < TAKT_KERNEL_ENTITY_LIMIT; number++) {
        takt_thread_t *thread = takt_kernel_thread(number);
        if (thread != NULL) {
            print_thread(thread);
        }
    }
}
