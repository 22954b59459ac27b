/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How this machine sleeps; one file for each way. */
#ifndef SLEEP_RTOS_SLEEP_H
#define SLEEP_RTOS_SLEEP_H

#include "core/types.h"

/* As takt_sleep_t of kernel/sleep.h. */
takt_duration_t sleep_deep(takt_duration_t ticks);

#endif
