/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Units and words of the core: instants, durations, keys.
 *
 * Rules 6, 7 and 8 of DESIGN.md. Time is 64-bit unsigned ticks; the length of a tick is the
 * platform's business. A key is an urgency: smaller = more urgent; those of policies are below 2^63. */
#ifndef TAKT_CORE_TYPES_H
#define TAKT_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
/* Begins the declarations of a header, which are C's for C++ too. */
#define TAKT_C_BEGIN
/* Ends them. */
#define TAKT_C_END
#else
#define TAKT_C_BEGIN extern "C" {
#define TAKT_C_END }
#ifndef _Static_assert
#define _Static_assert(condition, message) static_assert(condition, message)
#endif
#define _Alignas alignas
#endif

typedef uint64_t takt_instant_t;  /* ticks since the start of the system */
typedef uint64_t takt_duration_t; /* ticks */
typedef uint64_t takt_key_t;      /* urgency, smaller = more urgent; of a policy < 2^63 */

/* An instant that never comes. */
#define TAKT_NEVER UINT64_MAX

/* The least urgent key of a policy: background work. */
#define TAKT_KEY_LEAST_URGENT (UINT64_MAX >> 1)

/* Where keys order, a plain thread without a deadline has this and its level as its key: it comes after all that have a
 * key of the policy. */
#define TAKT_KEY_OF_TAIL (TAKT_KEY_LEAST_URGENT + 1u)

/* No key: what does not raise any. */
#define TAKT_KEY_OF_NOTHING UINT64_MAX

/* In the level of a priority event for a plain thread under deadlines: the rest is its absolute deadline from now on,
 * 1 .. TAKT_KEY_LEAST_URGENT, the last of which is none. */
#define TAKT_LEVEL_IS_DEADLINE (UINT64_C(1) << 63)

/* The key of a started non-preemptive job: no job displaces it. No policy assigns it at release:
 * levels start at 1 and deadlines are at least 1. */
#define TAKT_KEY_MOST_URGENT ((takt_key_t)0)

/* Entity number in records that concern no entity. */
#define TAKT_NO_ENTITY UINT32_MAX

/* Number of entity numbers: 20 bits of a tie. */
#define TAKT_ENTITY_LIMIT (UINT32_C(1) << 20)

/* The structure that embeds `member` at `pointer`. */
#define TAKT_CONTAINER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* 1 if optimised for size: no second, faster text stands beside the one that does all. */
#ifdef __OPTIMIZE_SIZE__
#define TAKT_IS_SMALL 1
#else
#define TAKT_IS_SMALL 0
#endif

#if defined(__GNUC__)
#define TAKT_INLINE static inline __attribute__((always_inline)) /* in every build */
/* As TAKT_INLINE; optimised for size, one function for all callers, of which the linker keeps one. */
#ifdef __OPTIMIZE_SIZE__
#define TAKT_SHARED __attribute__((weak, noinline))
#else
#define TAKT_SHARED TAKT_INLINE
#endif
#define TAKT_MUST_USE __attribute__((warn_unused_result)) /* the caller acts on the result */
#define TAKT_RARE __attribute__((cold, noinline))         /* kept out of the way of what is frequent */
#define TAKT_LIKELY(x) __builtin_expect(!!(x), 1)         /* what is frequent */
#define TAKT_UNLIKELY(x) __builtin_expect(!!(x), 0)       /* what is rare, and may be slow */
#else
#define TAKT_INLINE static inline
#define TAKT_SHARED TAKT_INLINE
#define TAKT_MUST_USE
#define TAKT_RARE
#define TAKT_LIKELY(x) (x)
#define TAKT_UNLIKELY(x) (x)
#endif

/* Returns the smaller of two durations. */
TAKT_INLINE takt_duration_t takt_least_of(takt_duration_t a, takt_duration_t b) { return a < b ? a : b; }

/* Returns the later of two instants. */
TAKT_INLINE takt_instant_t takt_later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

/* The one comparison of urgencies: key first, then tie; equal means that neither displaces the other. */
TAKT_INLINE bool takt_is_more_urgent(takt_key_t key_a, uint32_t tie_a, takt_key_t key_b, uint32_t tie_b) {
    return key_a < key_b || (key_a == key_b && tie_a < tie_b);
}

/* The one conversion of a user's priority (larger = more urgent, 0 .. levels-1) to a level
 * (smaller = more urgent). Level 0 is left to TAKT_KEY_MOST_URGENT: `levels` priorities take the
 * levels 1 .. levels. */
TAKT_INLINE takt_key_t takt_level_from_priority(uint32_t priority, uint32_t levels) {
    return (takt_key_t)(levels - priority);
}

#endif
