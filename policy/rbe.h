/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based execution (x, y, d): how many events may come in which time, not how far apart. See rbe.c. */
#ifndef TAKT_POLICY_RBE_H
#define TAKT_POLICY_RBE_H

#include "core/rule.h"

TAKT_C_BEGIN

/* Events of one interval are at most this. */
enum { TAKT_RBE_EVENTS = 65535 };

/* The rule of one task. */
typedef struct takt_rbe {
    takt_rule_t rule;          /* first of all */
    uint32_t events;           /* x */
    uint32_t next;             /* place of the oldest deadline, or of the first unused one */
    takt_duration_t interval;  /* y */
    takt_instant_t *deadlines; /* caller's memory: of the last x events */
    bool is_full;              /* x events have come */
} takt_rbe_t;

/* Makes `rbe` the rule for `events` (1 .. TAKT_RBE_EVENTS) in each `interval` (>= 1); d is the task's relative
 * deadline. `deadlines` has room for `events`. Put it into the task's extension. */
void takt_rbe_init(takt_rbe_t *rbe, uint32_t events, takt_duration_t interval, takt_instant_t *deadlines);

TAKT_C_END

#endif
