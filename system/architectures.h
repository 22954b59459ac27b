/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Architectures: where the scheduler runs, a row each. Simulator, check and analyses ask for traits and name no
 * architecture; an analysis covers the combinations of traits that it has a proof for. Source: SPEC.md, 5. */
#ifndef TAKT_SYSTEM_ARCHITECTURES_H
#define TAKT_SYSTEM_ARCHITECTURES_H

#include "core/types.h"

typedef struct takt_architecture_kind {
    const char *name; /* as in task-set files */
    /* At ticks of a timer and at completions, on the processor of the tasks; else the scheduler runs
     * beside it, decides at events, and only switches take time of the processor. */
    bool is_entered;
    bool has_latency;   /* it decides `latency` after an event */
    bool idles_between; /* after a completion it switches to idle before it decides */
} takt_architecture_kind_t;

/* X(constant, name, traits): the rows. Images number them in this order. */
#define TAKT_ARCHITECTURE_LIST(X)                                             \
    X(SOFTWARE, "software", .is_entered = true)                               \
    X(COPROCESSOR, "coprocessor", .has_latency = true, .idles_between = true) \
    X(HARDWARE, "hardware", .is_entered = false)

#define TAKT_ARCHITECTURE_MODEL(constant, ...) TAKT_ARCHITECTURE_##constant,
typedef enum takt_architecture_model {
    TAKT_ARCHITECTURE_LIST(TAKT_ARCHITECTURE_MODEL) TAKT_ARCHITECTURES /* how many there are */
} takt_architecture_model_t;

/* The names, each behind a blank. */
#define TAKT_ARCHITECTURE_WORD(constant, name, ...) " " name
#define TAKT_ARCHITECTURE_WORDS TAKT_ARCHITECTURE_LIST(TAKT_ARCHITECTURE_WORD)

/* The table of architectures, by takt_architecture_model_t. */
extern const takt_architecture_kind_t takt_architecture_kinds[TAKT_ARCHITECTURES];

#endif
