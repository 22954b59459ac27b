/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board virt under an emulator that takes 64 ns for an instruction and derives the time of day from that, and the
 * chip of hardware/, where an instruction takes about 6 cycles of 20 ns. */
#include "tests/conformance/board.h"

#include "firmware/semihost.h"
#include "kernel/port.h"
#include "tests/conformance/conformance.h"

#include <takt_board.h>

#if TAKT_PORT_HAS_ATOMICS
enum { INSTRUCTION_NS = 64, EXCEPTION = 0x00100073 /* ebreak */ };
#define USE_AN_ATOMIC "amoor.w zero, zero, (sp)\n"
#else
enum { INSTRUCTION_NS = 120, EXCEPTION = 0x00000073 /* ecall */ };
#define USE_AN_ATOMIC ""
#endif

void board_begin(void) {}

bool board_is_punctual(void) { return true; }

void board_print(const char *text) { takt_semihost_print(text); }

void board_exit(int status) { takt_semihost_exit(status); }

takt_duration_t board_span(uint32_t instructions) {
    return (takt_duration_t)instructions * INSTRUCTION_NS / TAKT_BOARD_TICK_NS | 1u;
}

void board_pass(void) {}

void board_settle(void) { __asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop" : : : "memory"); }

/* ---- interrupts ---------------------------------------------------------------------------------- */

enum { FIRST_INTERRUPT = 28 };

static void (*handlers[BOARD_INTERRUPTS])(void);

void takt_board_interrupt_28(void);
void takt_board_interrupt_29(void);
void takt_board_interrupt_28(void) { handlers[0](); }
void takt_board_interrupt_29(void) { handlers[1](); }

void board_interrupt_enable(uint32_t number, void (*handler)(void)) {
    handlers[number] = handler;
    takt_board_interrupt_enable(FIRST_INTERRUPT + number);
}

void board_interrupt_pend(uint32_t number) {
    takt_board_interrupt_pend(FIRST_INTERRUPT + number);
    board_settle();
}

/* The lock masks all. */
bool board_interrupt_is_urgent(void (*handler)(void)) {
    (void)handler;
    return false;
}

/* An exception, which would come again and again: its handler takes the instruction out, and it is put back. */
extern volatile uint32_t board_exception[];
static void (*intruder)(void);

enum { NOP = 0x00000013 };

static void write_instruction(uint32_t instruction) {
    board_exception[0] = instruction;
    __asm volatile("fence.i" : : : "memory");
}

static void leave_exception(void) {
    intruder();
    write_instruction(NOP);
}

static __attribute__((noinline, noclone)) void raise_exception(void) {
    __asm volatile(
        "    .option push          \n"
        "    .option norvc         \n"
        "    .balign 4             \n"
        "    .global board_exception\n"
        "board_exception:          \n"
        "    .word %[exception]    \n"
        "    .option pop           \n"
        :
        : [exception] "i"(EXCEPTION)
        : "memory");
}

bool board_intrude(uint32_t number, void (*handler)(void)) {
    if (number > 0) {
        return false;
    }
    intruder = handler;
    on_fault(leave_exception);
    raise_exception();
    on_fault(NULL);
    write_instruction(EXCEPTION);
    return true;
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

/* None. */
void *board_guard(void *stack) {
    (void)stack;
    return NULL;
}

uint32_t board_guard_bytes(void) { return 0; }

/* All are one kind here. */
void board_trespass(uint32_t number, void (*handler)(void)) {
    on_fault(handler);
    *(volatile uint32_t *)((uintptr_t)0x40 + 4u * number) = 1;
}

/* ---- levels of the lock -------------------------------------------------------------------------- */

uint32_t board_levels(void) { return 2; }

void board_level_set(uint32_t index) {
    if (index == 0) {
        (void)takt_port_open();
    } else {
        takt_port_close();
    }
}

uint32_t board_level(void) {
    uintptr_t status;
    __asm volatile("csrr %0, mstatus" : "=r"(status));
    return (uint32_t)status & 8u;
}

uint32_t board_level_locked(uint32_t before) {
    (void)before;
    return 0;
}

/* ---- registers ----------------------------------------------------------------------------------- */

#define KEPT_REGISTERS "s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra"
#define NUMBERS                                                                                              \
    "1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, " \
    "31"
#define KEPT_NUMBERS "8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27"

#if __riscv_xlen == 64
#define STORE "sd"
#define LOAD "ld"
#define WORD "8"
#else
#define STORE "sw"
#define LOAD "lw"
#define WORD "4"
#endif

#define PUSH                                        \
    "addi sp, sp, -16 * " WORD                      \
    "          \n"                                  \
    ".set place, 0                        \n"       \
    ".irp register, " KEPT_REGISTERS "    \n" STORE \
    " \\register, place(sp)        \n"              \
    ".set place, place + " WORD                     \
    "         \n"                                   \
    ".endr                                \n"

#define POP_AND_RETURN                             \
    ".set place, 0                        \n"      \
    ".irp register, " KEPT_REGISTERS "    \n" LOAD \
    " \\register, place(sp)         \n"            \
    ".set place, place + " WORD                    \
    "         \n"                                  \
    ".endr                                \n"      \
    "addi sp, sp, 16 * " WORD                      \
    "           \n"                                \
    "ret                                  \n"

#define SET_EACH(numbers)                     \
    ".irp number, " numbers                   \
    "             \n"                         \
    "li x\\number, \\number               \n" \
    ".endr                                \n"

/* What a register has beside its number leaves bits in `bits`. */
#define COMPARE_EACH(numbers, bits)                       \
    ".irp number, " numbers                               \
    "                         \n"                         \
    "xori x\\number, x\\number, \\number              \n" \
    ".ifnc x\\number, " bits                              \
    "                        \n"                          \
    "or " bits ", " bits                                  \
    ", x\\number                 \n"                      \
    ".endif                                           \n" \
    ".endr                                            \n"

/* Each register holds its number, but for sp, gp and tp. */
__attribute__((naked)) bool board_registers_hold(void) {
    __asm volatile(PUSH SET_EACH(NUMBERS) USE_AN_ATOMIC "addi x5, x5, 1 \n addi x5, x5, -1 \n" COMPARE_EACH(
        NUMBERS, "x1") "seqz a0, x1              \n" POP_AND_RETURN);
}

#if TAKT_PORT_HAS_ATOMICS
bool board_reservation_survives(const volatile uint32_t *switches) {
    static uint32_t word;
    uint32_t before, after, is_broken;
    __asm volatile(
        "lr.w %0, (%3)       \n"
        "lw   %0, (%4)       \n"
        "nop \n nop \n nop \n nop \n"
        "lw   %1, (%4)       \n"
        "sc.w %2, zero, (%3) \n"
        : "=&r"(before), "=&r"(after), "=&r"(is_broken)
        : "r"(&word), "r"(switches)
        : "memory");
    return is_broken == 0 && before != after;
}
#else
bool board_reservation_survives(const volatile uint32_t *switches) {
    (void)switches;
    return false;
}
#endif

void board_registers_clobber(void) {
    __asm volatile(
        ".irp register, t0, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7 \n"
        "li \\register, 170                                                        \n"
        ".endr                                                                     \n"
        :
        :
        : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s0",
          "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory");
}

__attribute__((naked)) bool board_registers_survive(void (*call)(void *argument), void *argument) {
    (void)call;
    (void)argument;
    __asm volatile(PUSH SET_EACH(KEPT_NUMBERS) "mv t0, a0 \n mv a0, a1 \n jalr t0 \n" COMPARE_EACH(
        KEPT_NUMBERS, "x8") "seqz a0, x8 \n" POP_AND_RETURN);
}
