/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bounds each loop of what is compiled for the kernel; included first. The verifier has to see the end of
 * every loop: the condition asks the kernel, which says no after some eight million iterations, or 250 ms. Then the function
 * returns at once, and the scheduler ends: lower.py. */
#ifndef TAKT_LINUX_BPF_LOOPS_H
#define TAKT_LINUX_BPF_LOOPS_H

_Bool takt_may_continue(void);

/* clang-format off */
#define while(...) while (takt_may_continue() && (__VA_ARGS__))
#define for(...) for (__VA_ARGS__) if (!takt_may_continue()) { break; } else
/* clang-format on */

#endif
