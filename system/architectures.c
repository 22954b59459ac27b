/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of architectures. */
#include "system/architectures.h"

#define TAKT_ARCHITECTURE_ROW(constant, text, ...) {.name = text, __VA_ARGS__},
const takt_architecture_kind_t takt_architecture_kinds[] = {TAKT_ARCHITECTURE_LIST(TAKT_ARCHITECTURE_ROW)};
