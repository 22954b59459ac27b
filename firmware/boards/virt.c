/* QEMU's board virt as board.h wants it: a loop of instructions, the alarm of the goldfish clock, memory.
 *
 * Source: QEMU's documentation of the machine; its goldfish clock counts nanoseconds and has one alarm.
 * When not to use it: for cycles of silicon. The load is instructions under the emulator's clock, 2^6 ns each. */
#include "port/riscv/virt.h"

#include "firmware/board.h"
#include "kernel/port.h"

enum {
    LONGEST_SHOT = 0x20000000, /* ticks; an early interrupt is legal */
    LOOP_OVERHEAD = 24,        /* loops that the way around one costs */
};

/* Nanoseconds. Reading the lower half latches the upper one. */
static uint64_t clock_now(void) {
    const uint32_t low = TAKT_BOARD_ALARM_CLOCK->time_low;
    return (uint64_t)TAKT_BOARD_ALARM_CLOCK->time_high << 32 | low;
}

void takt_firmware_prepare(uint64_t tick_ns) {
    (void)tick_ns;
    TAKT_BOARD_ALARM_CLOCK->interrupt_enabled = 1;
    takt_board_interrupt_enable(TAKT_BOARD_ALARM_INTERRUPT);
}

void takt_firmware_announce(takt_instant_t now, takt_instant_t instant) {
    const takt_duration_t ahead = instant > now ? instant - now : 1u;
    const takt_duration_t shot = ahead < LONGEST_SHOT ? ahead : (takt_duration_t)LONGEST_SHOT;
    const uint64_t alarm = clock_now() + shot * TAKT_BOARD_TICK_NS;
    TAKT_BOARD_ALARM_CLOCK->alarm_high = (uint32_t)(alarm >> 32);
    TAKT_BOARD_ALARM_CLOCK->alarm_low = (uint32_t)alarm;
}

void takt_board_interrupt_11(void) {
    TAKT_BOARD_ALARM_CLOCK->interrupt_clear = 1;
    takt_firmware_input();
}

/* Two instructions of 64 ns in a loop, ticks of 100 ns. */
static uint64_t loops_of(takt_duration_t ticks) {
    const uint64_t loops = ticks / 32u * 25u + ticks % 32u * 25u / 32u;
    return loops > LOOP_OVERHEAD ? loops - LOOP_OVERHEAD : 1u;
}

void takt_firmware_burn(takt_duration_t ticks) {
    uint64_t loops = loops_of(ticks);
    while (loops > 0) {
        uint32_t chunk = loops < UINT32_MAX ? (uint32_t)loops : UINT32_MAX;
        loops -= chunk;
        __asm volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(chunk));
    }
}

extern uint8_t takt_board_psram_start[], takt_board_psram_end[];

uint8_t *takt_firmware_memory(uint8_t **end) {
    *end = takt_board_psram_end;
    return takt_board_psram_start;
}
