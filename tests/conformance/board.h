/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the conformance programs ask of a machine beside its port. One board.c per port.
 *
 * A machine where instructions take no time (a process in virtual time) is interrupted in board_pass, between the
 * steps of a pass, and while nobody runs: the programs call board_pass in every loop. */
#ifndef TAKT_TESTS_CONFORMANCE_BOARD_H
#define TAKT_TESTS_CONFORMANCE_BOARD_H

#include "core/types.h"

/* Before anything else. */
void board_begin(void);

/* Prints `text`, from anywhere. */
void board_print(const char *text);

/* Ends the program with `status`, from anywhere. */
__attribute__((noreturn)) void board_exit(int status);

/* ---- time ---------------------------------------------------------------------------------------- */

/* Ticks that about so many instructions take, made odd, so that a period drifts through what is interrupted. */
takt_duration_t board_span(uint32_t instructions);

/* Whether the machine keeps its instants, and interrupts at the same places in every run. */
bool board_is_punctual(void);

/* Lets time pass where instructions take none. */
void board_pass(void);

/* ---- interrupts ---------------------------------------------------------------------------------- */

enum { BOARD_INTERRUPTS = 2 };

/* From now on `handler` is called for interrupt `number`, 0 .. BOARD_INTERRUPTS - 1; it may call the kernel. */
void board_interrupt_enable(uint32_t number, void (*handler)(void));

/* Makes interrupt `number` pending, and lets it run if the lock is open. */
void board_interrupt_pend(uint32_t number);

/* Executes as many instructions as the machine may need to see what is pending when the lock has been opened. */
void board_settle(void);

/* Pends an interrupt that the lock does not mask. Returns whether the machine has one; then `handler` has run. */
bool board_interrupt_is_urgent(void (*handler)(void));

/* Calls `handler` where something has interrupted that the lock does not mask, so that it must not call the kernel: in context
 * `number` of those that the machine has. Returns whether there is one of that number; then `handler` has run. */
bool board_intrude(uint32_t number, void (*handler)(void));

/* Calls `handler` in an interrupt every `period` ticks, until board_ticker_stop. After takt_kernel_start. */
void board_ticker_start(takt_duration_t period, void (*handler)(void));
void board_ticker_stop(void);

/* ---- guards -------------------------------------------------------------------------------------- */

/* Where the guard of a thread with the stack `stack` begins, and how many bytes it has; for machines that have guards. */
void *board_guard(void *stack);
uint32_t board_guard_bytes(void);

/* Makes a bad access, kind `number` of the BOARD_TRESPASSES that a machine may tell apart. `handler` is called then. */
enum { BOARD_TRESPASSES = 3 };
void board_trespass(uint32_t number, void (*handler)(void));

/* ---- levels of the lock -------------------------------------------------------------------------- */

/* All levels that a lock may find: as many as board_levels says. */
uint32_t board_levels(void);
void board_level_set(uint32_t index);

/* The level now, in the machine's own form, and the one that the lock has to have from `before`. */
uint32_t board_level(void);
uint32_t board_level_locked(uint32_t before);

/* ---- registers ----------------------------------------------------------------------------------- */

/* Uses every register, the flags, and what an instruction can be interrupted in. Returns whether all is right. */
bool board_registers_hold(void);

/* Begins to change a word as compare and swap does on this machine, waits a little, ends. Returns whether it took effect
 * although `*switches` had changed in between, which it must not. */
bool board_reservation_survives(const volatile uint32_t *switches);

/* Leaves other values in all registers that a call may change. */
void board_registers_clobber(void);

/* Calls call(argument) with known values in all registers that a call must keep. Returns whether it has. */
bool board_registers_survive(void (*call)(void *argument), void *argument);

/* ---- floating point ------------------------------------------------------------------------------ */

/* Of machines whose threads have a floating-point unit; floats.c in the port's folder has them. `pattern` gives every
 * register a number of its own, and the unit a mode of rounding. */

/* Whether every register holds its number, and the mode its value, through a few hundred instructions. */
bool board_floats_hold(uint32_t pattern);

/* Whether call(argument) keeps the registers that a call must keep, and the mode. */
bool board_floats_survive(uint32_t pattern, void (*call)(void *argument), void *argument);

/* Changes all registers, flags and the mode; or only those that a handler may change. */
void board_floats_clobber(void);
void board_floats_scratch(void);

/* Whether the calling thread has used the unit, as far as the port sees. */
bool board_floats_are_used(void);

#endif
