/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The micro:bit under an emulator that takes 64 ns for an instruction. */
#include "tests/conformance/board.h"

#include "firmware/semihost.h"
#include "kernel/port.h"
#include "tests/conformance/conformance.h"

#include <takt_board.h>

void board_begin(void) {}

bool board_is_punctual(void) { return true; }

void board_print(const char *text) { takt_semihost_print(text); }

void board_exit(int status) { takt_semihost_exit(status); }

/* Of a core that needs half as many instructions again for the same work. */
takt_duration_t board_span(uint32_t instructions) {
    return (takt_duration_t)instructions * 96u / TAKT_BOARD_TICK_NS | 1u;
}

void board_pass(void) {}

void board_settle(void) {}

/* ---- interrupts ---------------------------------------------------------------------------------- */

enum { FIRST_INTERRUPT = 28 };

static void (*handlers[BOARD_INTERRUPTS])(void);

void takt_board_interrupt_28(void);
void takt_board_interrupt_29(void);
void takt_board_interrupt_28(void) { handlers[0](); }
void takt_board_interrupt_29(void) { handlers[1](); }

static void synchronise(void) { __asm volatile("dsb\n\tisb" : : : "memory"); }

void board_interrupt_enable(uint32_t number, void (*handler)(void)) {
    handlers[number] = handler;
    takt_board_interrupt_enable(FIRST_INTERRUPT + number, TAKT_PORT_KERNEL_LEVEL);
}

void board_interrupt_pend(uint32_t number) {
    takt_board_interrupt_pend(FIRST_INTERRUPT + number);
    synchronise();
}

bool board_interrupt_is_urgent(void (*handler)(void)) {
    (void)handler;
    return false;
}

#define ICSR_NMIPENDSET (UINT32_C(1) << 31)

/* NMI, which a board leaves to takt_port_fault. */
bool board_intrude(uint32_t number, void (*handler)(void)) {
    if (number == 0) {
        on_fault(handler);
        TAKT_PORT_ICSR = ICSR_NMIPENDSET;
        synchronise();
        on_fault(NULL);
    }
    return number == 0;
}

static void (*ticker_handler)(void);

void TAKT_BOARD_ALARM_HANDLER(void) {
    takt_board_alarm_served();
    ticker_handler();
}

void board_ticker_start(takt_duration_t period, void (*handler)(void)) {
    ticker_handler = handler;
    takt_board_alarm_every((uint32_t)period);
}

void board_ticker_stop(void) { takt_board_alarm_stop(); }

/* ---- guards: there are none ---------------------------------------------------------------------- */

void *board_guard(void *stack) { return stack; }

uint32_t board_guard_bytes(void) { return 0; }

/* The bus finds nobody, for data; for an instruction; likewise, with interrupts masked. */
void board_trespass(uint32_t number, void (*handler)(void)) {
    void (*const nowhere)(void) = (void (*)(void))UINT32_C(0xA0000001);
    on_fault(handler);
    if (number == 0) {
        *(volatile uint32_t *)UINT32_C(0xA0000000) = 1;
    } else if (number == 2) {
        __asm volatile("cpsid i" : : : "memory");
    }
    nowhere();
}

/* ---- levels of the lock -------------------------------------------------------------------------- */

uint32_t board_levels(void) { return 2; }

void board_level_set(uint32_t index) { __asm volatile("msr primask, %0\n\tisb" : : "r"(index) : "memory"); }

uint32_t board_level(void) {
    uint32_t level;
    __asm volatile("mrs %0, primask" : "=r"(level));
    return level;
}

uint32_t board_level_locked(uint32_t before) {
    (void)before;
    return 1;
}

/* ---- registers ----------------------------------------------------------------------------------- */

/* Each register holds a number of its own; multiple transfers and a comparison lie in between. What is not as it should
 * be at the end makes a sum that is not 0: the numbers are powers of two, so that no two faults cancel. */
__attribute__((naked)) bool board_registers_hold(void) {
    __asm volatile(
        ".syntax unified\n"
        "push {r4-r7, lr}   \n"
        "mov  r4, r8        \n mov r5, r9    \n mov r6, r10   \n mov r7, r11   \n"
        "push {r4-r7}       \n"
        "movs r0, #1        \n lsls r1, r0, #1 \n lsls r2, r0, #2 \n lsls r3, r0, #3 \n"
        "lsls r4, r0, #8    \n mov r8, r4    \n lsls r4, r0, #9  \n mov r9, r4     \n"
        "lsls r4, r0, #10   \n mov r10, r4   \n lsls r4, r0, #11 \n mov r11, r4    \n"
        "lsls r4, r0, #12   \n mov r12, r4   \n lsls r4, r0, #13 \n mov lr, r4     \n"
        "lsls r4, r0, #4    \n lsls r5, r0, #5 \n lsls r6, r0, #6 \n lsls r7, r0, #7 \n"
        "cmp  r0, r1        \n" /* lower */
        "push {r0-r7}       \n"
        "bhs  1f            \n"
        "mov  r0, lr        \n"
        "movs r0, r0        \n" /* not 0, and no carry of the comparison is lost: nothing sets it */
        "bhs  1f            \n"
        "pop  {r0-r7}       \n"
        "bhs  2f            \n"
        "b    3f            \n"
        "1:                 \n"
        "pop  {r0-r7}       \n"
        "2:                 \n"
        "adds r1, #99       \n"
        "3:                 \n"
        "add  r0, r1        \n add r0, r2    \n add r0, r3    \n add r0, r4    \n add r0, r5    \n"
        "add  r0, r6        \n add r0, r7    \n add r0, r8    \n add r0, r9    \n add r0, r10   \n"
        "add  r0, r11       \n add r0, r12   \n add r0, lr    \n"
        "movs r1, #1        \n lsls r1, r1, #14 \n subs r1, #1 \n" /* the sum of 2^0 to 2^13 */
        "subs r0, r0, r1    \n"
        "beq  4f            \n"
        "movs r0, #1        \n"
        "4:                 \n"
        "movs r1, #1        \n"
        "eors r0, r1        \n"
        "pop  {r4-r7}       \n"
        "mov  r8, r4        \n mov r9, r5    \n mov r10, r6   \n mov r11, r7   \n"
        "pop  {r4-r7, pc}   \n");
}

/* ARMv6-M has no reservations. */
bool board_reservation_survives(const volatile uint32_t *switches) {
    (void)switches;
    return false;
}

void board_registers_clobber(void) {
    __asm volatile(
        ".syntax unified\n"
        "movs r0, #170 \n mov r1, r0 \n mov r2, r0 \n mov r3, r0 \n mov r12, r0 \n cmp r0, #0 \n"
        :
        :
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

__attribute__((naked)) bool board_registers_survive(void (*call)(void *argument), void *argument) {
    (void)call;
    (void)argument;
    __asm volatile(
        ".syntax unified\n"
        "push {r3-r7, lr}   \n"
        "mov  r4, r8        \n mov r5, r9    \n mov r6, r10   \n mov r7, r11   \n"
        "push {r4-r7}       \n"
        "movs r2, #1        \n"
        "lsls r4, r2, #8    \n mov r8, r4    \n lsls r4, r2, #9  \n mov r9, r4  \n"
        "lsls r4, r2, #10   \n mov r10, r4   \n lsls r4, r2, #11 \n mov r11, r4 \n"
        "lsls r4, r2, #4    \n lsls r5, r2, #5 \n lsls r6, r2, #6 \n lsls r7, r2, #7 \n"
        "mov  r2, r0        \n"
        "mov  r0, r1        \n"
        "blx  r2            \n"
        "mov  r0, r4        \n add r0, r5    \n add r0, r6    \n add r0, r7    \n"
        "add  r0, r8        \n add r0, r9    \n add r0, r10   \n add r0, r11   \n"
        "movs r1, #255      \n lsls r1, r1, #4 \n" /* the sum of 2^4 to 2^11 */
        "subs r0, r0, r1    \n"
        "beq  1f            \n"
        "movs r0, #1        \n"
        "1:                 \n"
        "movs r1, #1        \n"
        "eors r0, r1        \n"
        "pop  {r4-r7}       \n"
        "mov  r8, r4        \n mov r9, r5    \n mov r10, r6   \n mov r11, r7   \n"
        "pop  {r3-r7, pc}   \n");
}
