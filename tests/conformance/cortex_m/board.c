/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board mps2-an385 under an emulator that takes 64 ns for an instruction. */
#include "tests/conformance/board.h"

#include "firmware/semihost.h"
#include "kernel/port.h"
#include "tests/conformance/conformance.h"

#include <takt_board.h>

void board_begin(void) {}

bool board_is_punctual(void) { return true; }

void board_print(const char *text) { takt_semihost_print(text); }

void board_exit(int status) { takt_semihost_exit(status); }

takt_duration_t board_span(uint32_t instructions) {
    return (takt_duration_t)instructions * 64u / TAKT_BOARD_TICK_NS | 1u;
}

void board_pass(void) {}

void board_settle(void) {}

/* ---- interrupts ---------------------------------------------------------------------------------- */

enum { FIRST_INTERRUPT = 28, URGENT_INTERRUPT = 30 };

static void (*handlers[BOARD_INTERRUPTS])(void);
static void (*urgent_handler)(void);

void takt_board_interrupt_28(void);
void takt_board_interrupt_29(void);
void takt_board_interrupt_30(void);
void takt_board_interrupt_28(void) { handlers[0](); }
void takt_board_interrupt_29(void) { handlers[1](); }
void takt_board_interrupt_30(void) { urgent_handler(); }

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
    urgent_handler = handler;
    takt_board_interrupt_enable(URGENT_INTERRUPT, TAKT_PORT_KERNEL_LEVEL - 0x20);
    takt_board_interrupt_pend(URGENT_INTERRUPT);
    synchronise();
    return true;
}

/* The reset value of NVIC, one below the lock's level, and the interrupt that nothing masks. */
static void pend_urgent(uint32_t priority) {
    takt_board_interrupt_enable(URGENT_INTERRUPT, priority);
    takt_board_interrupt_pend(URGENT_INTERRUPT);
}

#define ICSR_NMIPENDSET (UINT32_C(1) << 31)

bool board_intrude(uint32_t number, void (*handler)(void)) {
    urgent_handler = handler;
    on_fault(handler);
    if (number == 2) {
        TAKT_PORT_ICSR = ICSR_NMIPENDSET;
    } else if (number < 2) {
        pend_urgent(number == 0 ? 0 : TAKT_PORT_KERNEL_LEVEL - 1u);
    }
    synchronise();
    on_fault(NULL);
    return number <= 2;
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

/* ---- guards -------------------------------------------------------------------------------------- */

enum { GUARD_BYTES = TAKT_PORT_LIMITS ? 0 : TAKT_PORT_GUARD_BYTES };

void *board_guard(void *stack) {
    const uintptr_t last = TAKT_PORT_LIMITS ? 7u : TAKT_PORT_GUARD_BYTES - 1u;
    return (void *)(((uintptr_t)stack + last) & ~last);
}

uint32_t board_guard_bytes(void) { return GUARD_BYTES; }

/* The bus finds nobody; memory that must not be executed; likewise, with exceptions masked. */
void board_trespass(uint32_t number, void (*handler)(void)) {
    void (*const nowhere)(void) = (void (*)(void))UINT32_C(0x40000001);
    on_fault(handler);
    if (number == 0) {
        *(volatile uint32_t *)UINT32_C(0xA0000000) = 1;
    } else if (number == 2) {
        __asm volatile("cpsid i" : : : "memory");
    }
    nowhere();
}

/* ---- levels of the lock -------------------------------------------------------------------------- */

uint32_t board_levels(void) { return 256; }

void board_level_set(uint32_t index) { __asm volatile("msr basepri, %0\n\tisb" : : "r"(index) : "memory"); }

uint32_t board_level(void) {
    uint32_t level;
    __asm volatile("mrs %0, basepri" : "=r"(level));
    return level;
}

/* 0 masks nothing, else the smaller the more. */
uint32_t board_level_locked(uint32_t before) {
    return before != 0 && before < TAKT_PORT_KERNEL_LEVEL ? before : TAKT_PORT_KERNEL_LEVEL;
}

/* ---- registers ----------------------------------------------------------------------------------- */

/* Each register holds its number; an IT block and two multiple transfers lie in between. What is not as it should be
 * at the end leaves a bit. */
__attribute__((naked)) bool board_registers_hold(void) {
    __asm volatile(
        "push {r4-r11, lr}  \n"
        "movs r0, #0   \n movs r1, #1   \n movs r2, #2   \n movs r3, #3  \n movs r4, #4  \n movs r5, #5   \n"
        "movs r6, #6   \n movs r7, #7   \n mov r8, #8    \n mov r9, #9   \n mov r10, #10 \n mov r11, #11  \n"
        "mov r12, #12  \n mov lr, #14   \n"
        "push {r0-r12, lr}  \n"
        "cmp r0, r1         \n"
        "itete lo           \n"
        "addlo r0, r0, #13  \n"
        "addhs r0, r0, #99  \n"
        "movlo r2, #2       \n"
        "movhs r2, #99      \n"
        "str r0, [sp]       \n"
        "cmp r1, r0         \n"
        "pop {r0-r12, lr}   \n"
        "it hs              \n"
        "addhs r0, r0, #99  \n"
        "sub r0, r0, #13    \n"
        "sub r1, r1, #1     \n orr r0, r1  \n sub r2, r2, #2    \n orr r0, r2  \n"
        "sub r3, r3, #3     \n orr r0, r3  \n sub r4, r4, #4    \n orr r0, r4  \n"
        "sub r5, r5, #5     \n orr r0, r5  \n sub r6, r6, #6    \n orr r0, r6  \n"
        "sub r7, r7, #7     \n orr r0, r7  \n sub r8, r8, #8    \n orr r0, r8  \n"
        "sub r9, r9, #9     \n orr r0, r9  \n sub r10, r10, #10 \n orr r0, r10 \n"
        "sub r11, r11, #11  \n orr r0, r11 \n sub r12, r12, #12 \n orr r0, r12 \n"
        "sub lr, lr, #14    \n orr r0, lr  \n"
        "clz r0, r0         \n"
        "lsrs r0, r0, #5    \n" /* 32 leading zeros: 1 */
        "pop {r4-r11, pc}   \n");
}

bool board_reservation_survives(const volatile uint32_t *switches) {
    static uint32_t word;
    uint32_t before, after, is_broken;
    __asm volatile(
        "ldrex %0, [%3]      \n"
        "ldr   %0, [%4]      \n"
        "nop \n nop \n nop \n nop \n"
        "ldr   %1, [%4]      \n"
        "strex %2, %1, [%3]  \n"
        : "=&r"(before), "=&r"(after), "=&r"(is_broken)
        : "r"(&word), "r"(switches)
        : "memory");
    return is_broken == 0 && before != after;
}

void board_registers_clobber(void) {
    __asm volatile("mov r0, #170 \n mov r1, r0 \n mov r2, r0 \n mov r3, r0 \n mov r12, r0 \n cmp r0, #0 \n"
                   :
                   :
                   : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc",
                     "memory");
}

__attribute__((naked)) bool board_registers_survive(void (*call)(void *argument), void *argument) {
    (void)call;
    (void)argument;
    __asm volatile(
        "push {r3-r11, lr}  \n"
        "movs r4, #4        \n movs r5, #5 \n movs r6, #6  \n movs r7, #7   \n"
        "mov r8, #8         \n mov r9, #9  \n mov r10, #10 \n mov r11, #11  \n"
        "mov r2, r0         \n"
        "mov r0, r1         \n"
        "blx r2             \n"
        "sub r0, r4, #4     \n"
        "sub r5, r5, #5     \n orr r0, r5  \n sub r6, r6, #6    \n orr r0, r6  \n"
        "sub r7, r7, #7     \n orr r0, r7  \n sub r8, r8, #8    \n orr r0, r8  \n"
        "sub r9, r9, #9     \n orr r0, r9  \n sub r10, r10, #10 \n orr r0, r10 \n"
        "sub r11, r11, #11  \n orr r0, r11 \n"
        "clz r0, r0         \n"
        "lsrs r0, r0, #5    \n"
        "pop {r3-r11, pc}   \n");
}
