/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Co-routines: there are none. configUSE_CO_ROUTINES 1 is refused; a program that includes this file and has none compiles. */
#ifndef CO_ROUTINE_H
#define CO_ROUTINE_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before croutine.h"
#endif

#endif
