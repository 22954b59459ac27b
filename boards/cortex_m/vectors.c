/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Start-up and vectors of boards with a Cortex-M. Those of interrupts are weak here, and so stand apart from the files
 * that define some. */
#include "kernel/port.h"

#include <takt_board.h>

extern uint32_t takt_board_data_source[], takt_board_data_start[], takt_board_data_end[];
extern uint32_t takt_board_bss_start[], takt_board_bss_end[];
extern uint32_t takt_board_stack_end[];

int main(void);

void takt_board_reset(void) {
    takt_port_fpu_begin();
    const uint32_t *source = takt_board_data_source;
    for (uint32_t *word = takt_board_data_start; word < takt_board_data_end; word++) {
        *word = *source++;
    }
    for (uint32_t *word = takt_board_bss_start; word < takt_board_bss_end; word++) {
        *word = 0;
    }
    (void)main();
    takt_port_fault();
}

/* clang-format off */
#define EACH_INTERRUPT(X)                                                                             \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) EACH_FROM_32(X)
#if TAKT_BOARD_INTERRUPTS > 32
#define EACH_FROM_32(X)                                                                               \
    X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47)
#else
#define EACH_FROM_32(X)
#endif
/* clang-format on */

#define DECLARE(number) __attribute__((weak, alias("unexpected"))) void takt_board_interrupt_##number(void);
#define ENTRY(number) [16 + number] = takt_board_interrupt_##number,

/* The weak names need a body in this file. */
__attribute__((used)) static void unexpected(void) { takt_port_fault(); }
EACH_INTERRUPT(DECLARE)

/* fault.c has it in builds with guards or with TAKT_FAULTS; and a port that uses SVC has its handler. */
__attribute__((weak, alias("unexpected"))) void takt_port_memory_fault(void);
__attribute__((weak, alias("unexpected"))) void takt_port_svc_handler(void);

typedef void (*vector_t)(void);

__attribute__((used, section(".vectors"))) static const vector_t vectors[16 + TAKT_BOARD_INTERRUPTS] = {
    [0] = (vector_t)(uintptr_t)takt_board_stack_end,
    [1] = takt_board_reset,
    [2] = unexpected,
    [3] = takt_port_memory_fault,
    [4] = takt_port_memory_fault,
    [5] = takt_port_memory_fault,
    [6] = takt_port_memory_fault,
    [7] = unexpected,
    [11] = takt_port_svc_handler,
    [12] = unexpected,
    [14] = takt_port_pendsv_handler,
    [15] = unexpected,
    EACH_INTERRUPT(ENTRY)};
