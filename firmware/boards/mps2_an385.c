/* The emulated board mps2-an385 as board.h wants it: a loop of instructions, the first half of the dual timer, PSRAM.
 *
 * Source: Arm Application Note AN385 (interrupt 10); CMSDK technical reference manual DDI 0479, APB dual timer.
 * When not to use it: for cycles of silicon. The load is instructions under the emulator's clock, 2^6 ns each. */
#include "port/cortex_m/mps2_an385.h"

#include "firmware/board.h"
#include "kernel/port.h"

enum {
    INPUT_INTERRUPT = 10,
    INPUT_PRIORITY = 0x80,     /* it may call the kernel, and goes before the kernel's timer */
    LONGEST_SHOT = 0x40000000, /* an early interrupt is legal */
    ONE_SHOT = 0xE3,           /* counts, from the load that was written on, interrupts, 32 bits, once */
    LOOP_OVERHEAD = 24,        /* loops that the way around one costs */
};

typedef struct dual_timer {
    volatile uint32_t load; /* counts down from there at once */
    volatile uint32_t value;
    volatile uint32_t control;
    volatile uint32_t clear;
} dual_timer_t;

#define TIMER ((dual_timer_t *)UINT32_C(0x40002000))

void takt_firmware_prepare(uint64_t tick_ns) {
    (void)tick_ns;
    takt_board_interrupt_enable(INPUT_INTERRUPT, INPUT_PRIORITY);
}

void takt_firmware_announce(takt_instant_t now, takt_instant_t instant) {
    const takt_duration_t ahead = instant > now ? instant - now : 1u;
    TIMER->control = ONE_SHOT;
    TIMER->load = ahead < LONGEST_SHOT ? (uint32_t)ahead : (uint32_t)LONGEST_SHOT;
}

void takt_board_interrupt_10(void) {
    TIMER->clear = 1;
    takt_firmware_input();
}

/* Two instructions of 64 ns in a loop, ticks of 40 ns. */
static uint64_t loops_of(takt_duration_t ticks) {
    const uint64_t loops = ticks / 16u * 5u + ticks % 16u * 5u / 16u;
    return loops > LOOP_OVERHEAD ? loops - LOOP_OVERHEAD : 1u;
}

void takt_firmware_burn(takt_duration_t ticks) {
    uint64_t loops = loops_of(ticks);
    while (loops > 0) {
        uint32_t chunk = loops < UINT32_MAX ? (uint32_t)loops : UINT32_MAX;
        loops -= chunk;
        __asm volatile("1: subs %0, #1\n\tbne 1b" : "+l"(chunk) : : "cc");
    }
}

extern uint8_t takt_board_psram_start[], takt_board_psram_end[];

uint8_t *takt_firmware_memory(uint8_t **end) {
    *end = takt_board_psram_end;
    return takt_board_psram_start;
}
