/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The semihosting call: that of all Cortex-M. */
#include "port/cortex_m/takt_semihost.h"
