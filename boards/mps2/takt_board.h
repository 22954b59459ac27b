/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards mps2-an385 (Cortex-M3), mps2-an386 (Cortex-M4) and mps2-an500 (Cortex-M7): their tick, where their devices
 * are, and the interrupts of timer and alarm. Their memory differs: see the linker scripts.
 *
 * Source: Arm Application Notes AN385, AN386 and AN500. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>

/* One tick of the scheduler is one cycle of the 25 MHz clock. */
enum { TAKT_BOARD_TICK_NS = 40, TAKT_BOARD_TIMER_INTERRUPT = 9, TAKT_BOARD_ALARM_INTERRUPT = 10 };

#define TAKT_BOARD_TIMER_HANDLER takt_board_interrupt_9
#define TAKT_BOARD_ALARM_HANDLER takt_board_interrupt_10

#define TAKT_BOARD_DEVICES UINT32_C(0x40000000)
#define TAKT_BOARD_UART UINT32_C(0x40004000)

#include "boards/mps2/mps2.h"

#endif
