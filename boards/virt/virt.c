/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Board virt: what boards/riscv/ asks of a board: start-up, and the lines of the PLIC; and the program's alarm. */
#include "boards/riscv/lines.h"
#include "port/riscv/scratch.h"
#include "port/riscv/trap.h"

#include <takt_board.h>

/* ---- lines ---------------------------------------------------------------------------------------- */

#define PLIC_PRIORITY ((volatile uint32_t *)(uintptr_t)0x0C000000)
#define PLIC_ENABLE (*(volatile uint32_t *)(uintptr_t)0x0C002000) /* machine mode of hart 0 */
#define PLIC_CLAIM (*(volatile uint32_t *)(uintptr_t)0x0C200004)

/* Of number 0: nothing. */
void takt_board_lines_enable(uint32_t numbers) {
    for (uint32_t number = 0; number < TAKT_BOARD_INTERRUPTS; number++) {
        PLIC_PRIORITY[number] = numbers >> number & 1u;
    }
    PLIC_ENABLE = numbers;
}

/* 0: no interrupt is pending any more. */
void takt_board_line_serve(void) {
    const uint32_t number = PLIC_CLAIM;
    if (number != 0) {
        takt_board_interrupt_handle(number);
        PLIC_CLAIM = number;
    }
}

/* ---- the alarm ---------------------------------------------------------------------------------- */

/* The goldfish clock of the day, in nanoseconds. Reading the lower half of its time latches the upper one, writing the
 * lower half of the alarm arms it; an alarm in the past comes at once. */
typedef struct goldfish {
    volatile uint32_t time_low;
    volatile uint32_t time_high;
    volatile uint32_t alarm_low;
    volatile uint32_t alarm_high;
    volatile uint32_t interrupt_enabled;
    volatile uint32_t alarm_clear;
    volatile uint32_t alarm_status;
    volatile uint32_t interrupt_clear;
} goldfish_t;

#define GOLDFISH ((goldfish_t *)(uintptr_t)0x00101000)

enum { ALARM_INTERRUPT = 11, LONGEST_SHOT = 0x20000000 /* ticks */ };

static uint64_t alarm, alarm_period; /* nanoseconds; a period of 0: once */

static uint64_t time_of_day(void) {
    const uint32_t low = GOLDFISH->time_low;
    return (uint64_t)GOLDFISH->time_high << 32 | low;
}

static void arm(uint64_t instant) {
    alarm = instant;
    GOLDFISH->alarm_high = (uint32_t)(instant >> 32);
    GOLDFISH->alarm_low = (uint32_t)instant;
}

static void begin(uint64_t ahead, uint64_t period) {
    const takt_port_level_t level = takt_port_lock();
    alarm_period = period;
    arm(time_of_day() + ahead);
    GOLDFISH->interrupt_enabled = 1;
    takt_board_interrupt_enable(ALARM_INTERRUPT);
    takt_port_unlock(level);
}

void takt_board_alarm_once(uint64_t ahead) {
    begin((ahead < LONGEST_SHOT ? ahead : LONGEST_SHOT) * TAKT_BOARD_TICK_NS, 0);
}

void takt_board_alarm_every(uint32_t period) {
    const uint64_t period_ns = (uint64_t)period * TAKT_BOARD_TICK_NS;
    begin(period_ns, period_ns);
}

/* The clock has one-shots only: the next one follows from the last instant, so that a period does not drift. */
void takt_board_alarm_served(void) {
    GOLDFISH->interrupt_clear = 1;
    if (alarm_period != 0) {
        arm(alarm + alarm_period);
    }
}

void takt_board_alarm_stop(void) {
    GOLDFISH->interrupt_enabled = 0;
    GOLDFISH->alarm_clear = 1;
}

/* ---- start-up ----------------------------------------------------------------------------------- */

/* Interrupts that come before the kernel's start have a stack below main's. Harts but the first sleep. */
__attribute__((naked, section(".start"))) void takt_board_reset(void) {
    __asm volatile(
        "    .option push                    \n"
        "    .option norelax                 \n"
        "    la   gp, __global_pointer$      \n"
        "    .option pop                     \n"
        "    csrr t0, mhartid                \n"
        "    beqz t0, 2f                     \n"
        "1:  wfi                             \n"
        "    j    1b                         \n"
        "2:  la   sp, takt_board_stack_end   \n"
        "    la   t1, takt_board_early_stack_end\n"
        TAKT_PORT_SCRATCH_WRITE(t1)
        "    la   t0, takt_port_trap_entry   \n"
        "    csrw mtvec, t0                  \n"
        "    j    %[begin]                   \n"
        :
        : [begin] "i"(takt_board_begin));
}
