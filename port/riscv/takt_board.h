/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board of this folder, for programs that run on any: its tick in nanoseconds, its alarm, the memory that it
 * leaves to them. */
#include "port/riscv/virt.h"
