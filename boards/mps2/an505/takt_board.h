/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board mps2-an505 (Cortex-M33, in its secure state): its tick, where its devices are, and the interrupts of timer
 * and alarm.
 *
 * Source: Arm Application Note AN505; Arm IoT Kit, its secure addresses. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>

/* One tick of the scheduler is one cycle of the 20 MHz clock. */
enum { TAKT_BOARD_TICK_NS = 50, TAKT_BOARD_TIMER_INTERRUPT = 4, TAKT_BOARD_ALARM_INTERRUPT = 5 };

#define TAKT_BOARD_TIMER_HANDLER takt_board_interrupt_4
#define TAKT_BOARD_ALARM_HANDLER takt_board_interrupt_5

#define TAKT_BOARD_DEVICES UINT32_C(0x50000000)
#define TAKT_BOARD_UART UINT32_C(0x50200000)

#include "boards/mps2/mps2.h"

#endif
