/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A synthetic load: a thread executes for a given time, whatever interrupts it. On posix the port has it. */
#ifndef TAKT_FIRMWARE_LOAD_H
#define TAKT_FIRMWARE_LOAD_H

#include "core/types.h"

TAKT_C_BEGIN

/* Executes for `ticks` of the port's clock, accurate to a few instructions on an emulated board. */
void takt_port_work(takt_duration_t ticks);

TAKT_C_END

#endif
