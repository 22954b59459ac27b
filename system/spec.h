/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Spec: the description of a system, in the caller's tables. fields.def has the fields with their units and ranges.
 *
 * Levels count from 1 = most urgent, as in core; the reader of task-set files ranks the users' priorities. Fields below
 * "the platform's" are unknown to core and not needed by replay: execution times, bodies, and arrivals that no period
 * determines. Freestanding; build.h makes core's objects from it. */
#ifndef TAKT_SYSTEM_SPEC_H
#define TAKT_SYSTEM_SPEC_H

#include "core/dispatcher.h"
#include "policy/bandwidth.h"
#include "policy/rate_based.h"
#include "policy/rbe.h"
#include "policy/share.h"
#include "policy/window.h"
#include "system/architectures.h"

/* Capacity of a ring of arrivals that the platform makes grow. */
enum { TAKT_SYSTEM_RING = 4 };

/* Index of the root as a parent. */
#define TAKT_ROOT (-1)

/* Times of a description are at most this: the sum of two is below 2^63. */
#define TAKT_TIME_MOST ((UINT64_C(1) << 62) - 1u)

/* The bits of the largest double below 2^62. */
#define TAKT_REAL_MOST UINT64_C(0x43CFFFFFFFFFFFFF)

#define TAKT_LEVELS_MOST ((UINT32_C(1) << 20) - 1u)

/* What a job does next. */
typedef enum takt_item_kind {
    TAKT_ITEM_RUN = 0,
    TAKT_ITEM_POINT = 1,
    TAKT_ITEM_OPTIONAL_POINT = 2,
    TAKT_ITEM_SUSPEND = 3,
    TAKT_ITEM_LOCK = 4,
    TAKT_ITEM_UNLOCK = 5,
    TAKT_ITEM_RELEASE = 6,
} takt_item_kind_t;

/* The allocator that opens and closes the windows of a task. */
typedef enum takt_windows {
    TAKT_WINDOWS_NONE = 0,
    TAKT_WINDOWS_SUSPEND = 1, /* the wcet is its budget in each period */
    TAKT_WINDOWS_ABORT = 2,   /* the wcet is the budget of each job */
    TAKT_WINDOWS_TIME_DRIVEN = 3,
    TAKT_WINDOWS_DUAL_PRIORITY = 4,
    TAKT_WINDOWS_IMPRECISE = 5,
    TAKT_WINDOWS_TOP = 6,        /* the allocator's own task: on top of all others; see policy/calls.h */
    TAKT_WINDOWS_SPARE_TIME = 7, /* likewise: in spare time, and on top from the last safe instant on */
    TAKT_WINDOWS = 8,            /* number of kinds */
} takt_windows_t;

typedef enum takt_stream_kind {
    TAKT_STREAM_LISTED = 0,
    TAKT_STREAM_UNIFORM = 1,     /* on the whole numbers a .. b, both included */
    TAKT_STREAM_NORMAL = 2,      /* mean a, standard deviation b */
    TAKT_STREAM_WEIBULL = 3,     /* scale a, shape b */
    TAKT_STREAM_EXPONENTIAL = 4, /* mean a */
} takt_stream_kind_t;

#include "system/fields.def"

#define TAKT_MEMBER(record, type, member, key, kind, unit, least, most, initial, analysis, meaning) \
    type member;

typedef struct takt_item {
    TAKT_ITEM_FIELDS(TAKT_MEMBER, )
} takt_item_t;

/* Numbers that are listed or drawn; sim/stream.h draws. */
typedef struct takt_stream {
    TAKT_STREAM_FIELDS(TAKT_MEMBER, )
    const uint64_t *values; /* what is listed; caller's memory */
} takt_stream_t;

/* A task of any kind but the first is directly under the root, periodic, without preemption key, suspensions, locks and
 * on_miss. A kind named after a policy needs that policy; the others need any other policy. The last two kinds are for
 * the last task, which executes the calls of all others with windows. Its period is that of its budget. In a ready
 * set of levels its level is the last one, and no other entity has it. */
typedef struct takt_window_spec {
    takt_windows_t kind;
    takt_window_parameters_t parameters;
} takt_window_spec_t;

/* Where pointers are NULL or numbers 0, the task is plain: periodic, every job runs for `demand` ticks. */
typedef struct takt_task_spec {
    TAKT_TASK_FIELDS(TAKT_MEMBER, )
    const takt_item_t *body; /* begins and ends in any way; the demand decides when a job is complete */
    bool changes;            /* some changes are of it */
} takt_task_spec_t;

typedef struct takt_server_spec {
    TAKT_SERVER_FIELDS(TAKT_MEMBER, )
} takt_server_spec_t;

/* Used by tasks of one dispatcher. A resource shared by servers is one resource in each of these servers and one in
 * their parent. */
typedef struct takt_resource_spec {
    TAKT_RESOURCE_FIELDS(TAKT_MEMBER, )
} takt_resource_spec_t;

typedef struct takt_use_spec {
    TAKT_USE_FIELDS(TAKT_MEMBER, )
} takt_use_spec_t;

typedef struct takt_thread_spec {
    TAKT_THREAD_FIELDS(TAKT_MEMBER, )
} takt_thread_spec_t;

/* If the root is rate-based, changes are requests to its allocator, and the policy does not change. */
typedef struct takt_change_spec {
    TAKT_CHANGE_FIELDS(TAKT_MEMBER, )
} takt_change_spec_t;

/* The time of the kernel's own work. It is charged to no budget, and no job runs meanwhile. All zero: ideal hardware.
 * SPEC.md, 5 says when each is paid. */
typedef struct takt_sim_costs {
    TAKT_COSTS_FIELDS(TAKT_MEMBER, )
} takt_sim_costs_t;

typedef struct takt_architecture {
    TAKT_ARCHITECTURE_FIELDS(TAKT_MEMBER, )
} takt_architecture_t;

typedef struct takt_system_spec {
    TAKT_SYSTEM_FIELDS(
        TAKT_MEMBER, ) /* of cpu_count 0 is one, which alone has servers, locks and thresholds; of bulk 0 is 1 */
    const takt_server_spec_t *servers;
    uint32_t server_count;
    const takt_task_spec_t *tasks;
    uint32_t task_count;
    const takt_thread_spec_t *threads; /* plain threads, after the tasks in the entity table */
    uint32_t thread_count;
    const takt_resource_spec_t *resources;
    uint32_t resource_count;
    const takt_use_spec_t *uses; /* in a rate-based system, all there are, each once */
    uint32_t use_count;
    /* NULL unless the root is rate-based: then all tasks are under the root, periodic and without
     * preemption key, suspensions, locks and on_miss, and period, wcet and deadline are at most
     * TAKT_RATE_LONGEST. */
    const takt_rate_settings_t *rates;
    /* In the order of time, and in which they are handed over; policies of an instant last. */
    const takt_change_spec_t *changes;
    uint32_t change_count;
    const takt_window_spec_t *windows; /* of each task; NULL if none has any */
} takt_system_spec_t;

/* Returns where children of `server`, an index or TAKT_ROOT, compete: there, or in the parent of a bandwidth server. */
TAKT_INLINE int32_t takt_system_place(const takt_system_spec_t *spec, int32_t server) {
    const bool is_rule = server != TAKT_ROOT && spec->servers[server].bandwidth != NULL;
    return is_rule ? spec->servers[server].parent : server;
}

/* True if task `index` of `spec` has windows. */
TAKT_INLINE bool takt_system_has_windows(const takt_system_spec_t *spec, uint32_t index) {
    return spec->windows != NULL && spec->windows[index].kind != TAKT_WINDOWS_NONE;
}

#endif
