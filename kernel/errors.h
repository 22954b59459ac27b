/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Status codes: the one list of the results of kernel calls.
 *
 * Every call returns takt_status_t. The enum, the messages and the documentation are generated from this list. A code
 * below 0 is a misuse, and nothing has changed; 0 and above are ordinary outcomes.
 *
 * TAKT_CHECKS is the level of misuse checks, the same for the whole program:
 *   0  off     a misuse is undefined
 *   1  usual   the default: what is found at little cost, most of it where a thread waits or is woken. The calls that
 *              are made most often cost at most 15 % more than without checks
 *   2  debug   every misuse, in the call that is wrong
 * docs/reference/kernel.md has the level and the price of each check. Checks of set-up calls are always compiled in, because
 * their inputs may come from a file. */
#ifndef TAKT_KERNEL_ERRORS_H
#define TAKT_KERNEL_ERRORS_H

#include "core/types.h"

TAKT_C_BEGIN

/* The level of misuse checks: 0, 1 or 2. The same for the whole program. */
#ifndef TAKT_CHECKS
#define TAKT_CHECKS 1
#endif

/* X(name, value, message) */
#define TAKT_STATUS_LIST(X)                                                                                 \
    X(OK, 0, "done")                                                                                        \
    X(DEADLINE_MISSED, 1, "the job that has just ended was later than its deadline")                        \
    X(TIMEOUT, 2, "what was waited for did not come in time")                                               \
    X(ACTIVATION_MISSED, 3,                                                                                 \
      "the job that has just ended was in time, and the next one has been released meanwhile")              \
    X(REJECTED, 4, "what a thread asked for was not granted, and all is as it was")                         \
    X(ABORTED, 5, "another thread has ended the wait")                                                      \
    X(ERROR_NULL, -1, "a pointer that must not be NULL is NULL")                                            \
    X(ERROR_IN_ISR, -2, "this call is for threads, and an interrupt made it")                               \
    X(ERROR_NOT_IN_ISR, -3, "this call is for interrupts, and a thread made it")                            \
    X(ERROR_LOCKED, -4, "a call that may switch threads was made with interrupts masked")                   \
    X(ERROR_NOT_STARTED, -5, "this call needs a running kernel")                                            \
    X(ERROR_STARTED, -6, "this call is for the time before takt_kernel_start")                              \
    X(ERROR_NOT_INITIALISED, -7, "takt_kernel_init has not been called")                                    \
    X(ERROR_COUNT, -8, "a semaphore's count would exceed TAKT_SEMAPHORE_MAX")                               \
    X(ERROR_PRIORITY, -9, "a priority is not below TAKT_PRIORITIES")                                        \
    X(ERROR_PERIOD, -10, "a period is 0")                                                                   \
    X(ERROR_DEADLINE, -11, "a relative deadline is 0")                                                      \
    X(ERROR_BUDGET, -12, "a server's budget is 0 or exceeds its period")                                    \
    X(ERROR_STACK, -13, "a stack is too small (TAKT_STACK_BYTES_MIN) or not aligned to 8 bytes")            \
    X(ERROR_ORDER, -14, "servers are created before threads")                                               \
    X(ERROR_FULL, -15, "more entities than the kernel's geometry has room for")                             \
    X(ERROR_NOT_PERIODIC, -16, "only a periodic thread can wait for its next period")                       \
    X(ERROR_POLICY, -17, "the policy was compiled against another version of its interface")                \
    X(ERROR_THRESHOLD, -18, "a preemption level is less urgent than the priority it protects")              \
    X(ERROR_OBJECT, -19, "an object that was not initialised, or a thread that was deleted")                \
    X(ERROR_JOBS, -20,                                                                                      \
      "this call, or a creation that suspends, is for plain threads, and the thread executes jobs")         \
    X(ERROR_SUSPENDED, -21, "a thread that is to be suspended is so already")                               \
    X(ERROR_NOT_SUSPENDED, -22, "a thread that is to be resumed is not suspended")                          \
    X(ERROR_EXISTS, -23, "a thread that is to be created exists already")                                   \
    X(ERROR_SIZE, -24, "a size is 0, too large or no multiple of a word, or memory not aligned")            \
    X(ERROR_BLOCK, -25, "a pointer is no block of this pool, or its block is free already")                 \
    X(ERROR_MASK, -26, "the flag mask is 0, or the wait mode is invalid")                                   \
    X(ERROR_PROTOCOL, -27, "a protocol among servers, or a ceiling under a policy without levels")          \
    X(ERROR_RESOURCE, -28,                                                                                  \
      "a lock of what is held already, of another server or without a section of it, or an unlock of what " \
      "is not held, or by a job was not locked last")                                                       \
    X(ERROR_HOLDS, -29, "a thread that holds a mutex is to end")                                            \
    X(ERROR_EXTENSION, -30,                                                                                 \
      "a job suspends itself or locks without an extension, or a parameter belongs to another kind of job") \
    X(ERROR_ARRIVALS, -31, "a task takes no arrivals, or has no room for one more")                         \
    X(ERROR_LENGTH, -32, "an array is empty or too short, or its length is no power of two")                \
    X(ERROR_KIND, -33, "a kind of server that needs deadlines, under a policy without")                     \
    X(ERROR_CHANGES, -34,                                                                                   \
      "no record is left to keep what a thread asks for, or there are some where threads share")            \
    X(ERROR_WAITS, -35, "blocking call in a job that the scheduler may end")                                \
    X(ERROR_KEY, -36, "priority cannot be set: the thread is scheduled by deadline or reservation")         \
    X(ERROR_DEADLINES, -45,                                                                                 \
      "a deadline under a policy that orders by none, or together with a mutex of npcs or icpp")            \
    X(ERROR_INTERRUPT, -37,                                                                                 \
      "an interrupt that the kernel's lock does not mask made this call; give it a less urgent priority")

/* The result of a call. TAKT_STATUS_WORD is no status: it keeps the type a word on ABIs that pack enums (Arm). */
#define TAKT_STATUS_ENUM(name, value, message) TAKT_##name = (value),
typedef enum takt_status { TAKT_STATUS_LIST(TAKT_STATUS_ENUM) TAKT_STATUS_WORD = 0x7fffffff } takt_status_t;
#undef TAKT_STATUS_ENUM

/* The message of `status`, for users. Never NULL. */
const char *takt_status_message(takt_status_t status);

/* Whether checks of debug level are compiled in. */
#define TAKT_CHECKS_DEBUG ((TAKT_CHECKS) >= 2)

/* For the bench that measures the price of each check: the checks with an error whose text has this name are left out. */
#ifdef TAKT_CHECKS_WITHOUT
#define TAKT_CHECKS_HAVE(error) (__builtin_strstr(error, TAKT_CHECKS_WITHOUT) == NULL)
#else
#define TAKT_CHECKS_HAVE(error) 1
#endif

/* Returns `error` from the calling function unless `condition` holds, in builds where `is_checked` holds. A constant
 * decides, not the preprocessor. So a call reads the same in all builds, and all are compiled. */
#define TAKT_REQUIRE_IF(is_checked, condition, error) TAKT_REQUIRE_AS(is_checked, condition, error)
/* The same after the macros in `error` are replaced. */
#define TAKT_REQUIRE_AS(is_checked, condition, error)                  \
    do {                                                               \
        if ((is_checked) && TAKT_CHECKS_HAVE(#error) &&                \
            !__builtin_expect_with_probability((condition), 1, 0.6)) { \
            return (error);                                            \
        }                                                              \
    } while (0)

/* Likewise with checks of either level. */
#define TAKT_REQUIRE(condition, error) TAKT_REQUIRE_IF((TAKT_CHECKS) != 0, condition, error)
/* The same, of debug level alone. */
#define TAKT_DEBUG_REQUIRE(condition, error) TAKT_REQUIRE_IF(TAKT_CHECKS_DEBUG, condition, error)

TAKT_C_END

#endif
