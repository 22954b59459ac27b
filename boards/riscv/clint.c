/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What boards with RISC-V and a CLINT have in common: clock and timer, interrupts that a program makes pending, traps,
 * the serial line, and what start-up does in C.
 *
 * Clock: mtime, 64 bits. Instants count from its reading at the start, because a machine need not let a program set
 * it. Timer: mtimecmp, 64 bits, so no setting saturates but "never".
 *
 * The software interrupt serves two: takt_port_pend and interrupts that a program makes pending. What it was raised
 * for stands in memory. */
#include "boards/riscv/lines.h"
#include "port/riscv/trap.h"

#include <takt_board.h>

/* ---- clock and timer ------------------------------------------------------------------------ */

#define MTIMECMP ((volatile uint32_t *)(TAKT_PORT_CLINT + 0x4000u))
#define MTIME ((volatile uint32_t *)(TAKT_PORT_CLINT + 0xBFF8u))

static uint64_t epoch; /* mtime at instant 0, modulo 2^64 */

/* Again when the low half has overflowed between the readings. */
uint64_t takt_board_mtime(void) {
    uint32_t high;
    uint32_t low;
    do {
        high = MTIME[1];
        low = MTIME[0];
    } while (high != MTIME[1]);
    return (uint64_t)high << 32 | low;
}

/* In this order no intermediate value is smaller than both the old one and the new one. */
static void set_mtimecmp(uint64_t value) {
    MTIMECMP[0] = UINT32_MAX;
    MTIMECMP[1] = (uint32_t)(value >> 32);
    MTIMECMP[0] = (uint32_t)value;
}

takt_instant_t takt_port_now(void) { return takt_board_mtime() - epoch; }

void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    const uint64_t from = now + epoch; /* mtime then */
    const uint64_t value = until > now ? from + (until - now) : from;
    set_mtimecmp(value >= from ? value : UINT64_MAX);
}

/* mtime runs on; the origin of instants moves, below 0 too. */
void takt_port_clock_skip(takt_duration_t ticks) { epoch -= ticks; }

void takt_port_clock_start(void) {
    epoch = takt_board_mtime();
    set_mtimecmp(UINT64_MAX);
}

enum { SOFTWARE = 1 << 3, TIMER = 1 << 7, EXTERNAL = 1 << 11 }; /* bits of mie and mip */

/* The interrupt is pending as long as mtime is not below mtimecmp. The kernel opens the lock in between: other
 * interrupts come then, but not this one. */
static void serve_timer(void) {
    __asm volatile("csrc mie, %0" : : "r"(TIMER) : "memory");
    set_mtimecmp(UINT64_MAX);
    takt_kernel_timer_expired();
    takt_port_close();
    __asm volatile("csrs mie, %0" : : "r"(TIMER) : "memory");
}

/* ---- numbered interrupts ---------------------------------------------------------------------- */

/* clang-format off */
#define EACH_INTERRUPT(X)                                                                             \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
/* clang-format on */

#define DECLARE(number) __attribute__((weak, alias("unexpected"))) void takt_board_interrupt_##number(void);
#define ENTRY(number) takt_board_interrupt_##number,

/* The 16550 of the board: what it sends, and bit 5 of its state, which says that there is room. */
#define SERIAL_DATA (*(volatile uint8_t *)(uintptr_t)0x10000000)
#define SERIAL_STATE (*(volatile uint8_t *)(uintptr_t)0x10000005)

enum { SERIAL_HAS_ROOM = 1 << 5, SERIAL_PATIENCE = 1 << 16 };

__attribute__((weak)) void takt_port_print(const char *text) {
    for (; *text != 0; text++) {
        for (uint32_t i = 0; i < SERIAL_PATIENCE && (SERIAL_STATE & SERIAL_HAS_ROOM) == 0; i++) {
        }
        SERIAL_DATA = (uint8_t)*text;
    }
}

__attribute__((weak)) void takt_port_fault(void) {
    for (;;) {
    }
}

/* The weak names need a body in this file. */
__attribute__((used)) static void unexpected(void) { takt_port_fault(); }
EACH_INTERRUPT(DECLARE)

static void (*const handlers[TAKT_BOARD_INTERRUPTS])(void) = {EACH_INTERRUPT(ENTRY)};
static uint32_t enabled, pended;

void takt_board_interrupt_enable(uint32_t number) {
    const takt_port_level_t level = takt_port_lock();
    enabled |= UINT32_C(1) << number;
    takt_board_lines_enable(enabled);
    TAKT_PORT_MSIP = 1; /* it may be pending already */
    takt_port_unlock(level);
}

static void add_pended(uint32_t bit) {
#if defined(__riscv_atomic)
    (void)__atomic_fetch_or(&pended, bit, __ATOMIC_SEQ_CST);
#else
    const takt_port_level_t level = takt_port_lock();
    pended |= bit;
    takt_port_unlock(level);
#endif
}

void takt_board_interrupt_pend(uint32_t number) {
    add_pended(UINT32_C(1) << number);
    TAKT_PORT_MSIP = 1;
}

void takt_board_interrupt_handle(uint32_t number) { handlers[number](); }

static uint32_t first_of(uint32_t bits) {
    uint32_t number = 0;
    while ((bits & UINT32_C(1) << number) == 0) {
        number++;
    }
    return number;
}

/* Acknowledged first: what is pended from now on raises it again. */
static void serve_software(void) {
    TAKT_PORT_MSIP = 0;
    for (uint32_t bits = pended & enabled; bits != 0; bits = pended & enabled) {
        const uint32_t number = first_of(bits);
        pended &= ~(UINT32_C(1) << number);
        handlers[number]();
    }
}

/* ---- traps -------------------------------------------------------------------------------------- */

/* The timer last: the kernel asks for that. */
static void serve(void) {
    uintptr_t pending;
    uintptr_t enabled_causes;
    __asm volatile("csrr %0, mip" : "=r"(pending));
    __asm volatile("csrr %0, mie" : "=r"(enabled_causes));
    pending &= enabled_causes;
    if ((pending & EXTERNAL) != 0) {
        takt_board_line_serve();
    }
    if ((pending & SOFTWARE) != 0) {
        serve_software();
    }
    if ((pending & TIMER) != 0) {
        serve_timer();
    }
}

/* Interrupts may request it again while takt_kernel_preempt has opened the lock. Then the software interrupt comes when
 * the running code opens it. */
static void preempt(void) {
    takt_port_is_preemption_wanted = false;
    serve_software();
    takt_kernel_preempt();
    takt_port_close();
    if (takt_port_is_preemption_wanted) {
        TAKT_PORT_MSIP = 1;
    }
}

void takt_port_trap(bool is_nested) {
    intptr_t cause;
    __asm volatile("csrr %0, mcause" : "=r"(cause));
    if (cause >= 0) { /* no interrupt */
        takt_port_exception((uint32_t)cause, is_nested);
    }
    serve();
    if (takt_port_is_preemption_wanted && !is_nested) {
        preempt();
    }
}

/* ---- start-up ----------------------------------------------------------------------------------- */

extern uint32_t takt_board_bss_start[], takt_board_bss_end[];

int main(void);

/* The loader has put .data where it belongs: the board has no read-only memory of its own. */
void takt_board_begin(void) {
    for (uint32_t *word = takt_board_bss_start; word < takt_board_bss_end; word++) {
        *word = 0;
    }
    takt_port_fpu_begin();
    set_mtimecmp(UINT64_MAX);
    __asm volatile("csrw mie, %0" : : "r"(SOFTWARE | TIMER | EXTERNAL));
    (void)takt_port_open();
    (void)main();
    takt_port_fault();
}
