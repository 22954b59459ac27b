/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The chip in hardware/: what boards/riscv/ asks of a board, and the program's alarm, the last comparator of the CLINT.
 *
 * The alarm's line is the only external interrupt. The cores have one level in front of it, a mask of their own. */
#include "boards/riscv/lines.h"
#include "port/riscv/scratch.h"
#include "port/riscv/trap.h"

#include <takt_board.h>

/* ---- the alarm ---------------------------------------------------------------------------------- */

#define ALARM ((volatile uint32_t *)(TAKT_PORT_CLINT + 0x4020u))

enum { ALARM_INTERRUPT = 11, ALARM_LINE = 0 };

static uint64_t alarm, alarm_period; /* cycles of mtime; a period of 0: once */

/* In this order no intermediate value is smaller than both the old one and the new one. */
static void arm(uint64_t instant) {
    alarm = instant;
    ALARM[0] = UINT32_MAX;
    ALARM[1] = (uint32_t)(instant >> 32);
    ALARM[0] = (uint32_t)instant;
}

static void begin(uint64_t ahead, uint64_t period) {
    const takt_port_level_t level = takt_port_lock();
    alarm_period = period;
    arm(takt_board_mtime() + ahead);
    takt_board_interrupt_enable(ALARM_INTERRUPT);
    takt_port_unlock(level);
}

void takt_board_alarm_once(uint64_t ahead) {
    const uint64_t longest = UINT64_MAX / 2u;
    begin(ahead < longest ? ahead : longest, 0);
}

void takt_board_alarm_every(uint32_t period) { begin(period, period); }

void takt_board_alarm_served(void) { arm(alarm_period != 0 ? alarm + alarm_period : UINT64_MAX); }

void takt_board_alarm_stop(void) { arm(UINT64_MAX); }

/* ---- lines ---------------------------------------------------------------------------------------- */

void takt_board_lines_enable(uint32_t numbers) {
    const uint32_t mask = (numbers >> ALARM_INTERRUPT & 1u) << ALARM_LINE;
    __asm volatile("csrw 0xBC0, %0" : : "r"(mask));
}

/* The line may have gone down since the trap began. */
void takt_board_line_serve(void) {
    if (takt_board_mtime() >= alarm) {
        takt_board_interrupt_handle(ALARM_INTERRUPT);
    }
}

/* ---- start-up ----------------------------------------------------------------------------------- */

/* Interrupts that come before the kernel's start have a stack below main's. */
__attribute__((naked, section(".start"))) void takt_board_reset(void) {
    __asm volatile(
        "    .option push                    \n"
        "    .option norelax                 \n"
        "    la   gp, __global_pointer$      \n"
        "    .option pop                     \n"
        "    csrci mstatus, 8                \n"
        "    la   sp, takt_board_stack_end   \n"
        "    la   t1, takt_board_early_stack_end\n"
        TAKT_PORT_SCRATCH_WRITE(t1)
        "    la   t0, takt_port_trap_entry   \n"
        "    csrw mtvec, t0                  \n"
        "    j    %[begin]                   \n"
        :
        : [begin] "i"(takt_board_begin));
}
