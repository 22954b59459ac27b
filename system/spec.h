/* Spec: a system as a description, in tables of the caller's.
 *
 * Levels count from 1 = most urgent, as in core; whoever reads task-set files ranks the users' priorities. What stands
 * below "the platform's" core never learns and replay does not need: how long jobs run, what they do, and when those
 * come that no period tells. Freestanding; build.h makes core's objects of it. */
#ifndef TAKT_SYSTEM_SPEC_H
#define TAKT_SYSTEM_SPEC_H

#include "core/dispatcher.h"
#include "policy/bandwidth.h"
#include "policy/rate_based.h"
#include "policy/rbe.h"
#include "policy/share.h"
#include "policy/window.h"

struct takt_stream;

/* Capacity of a ring of arrivals that the platform makes grow. */
enum { TAKT_SYSTEM_RING = 4 };

/* Home of what sits directly under the root. */
#define TAKT_ROOT (-1)

/* One thing that a job does. */
typedef enum takt_item_kind {
    TAKT_ITEM_RUN = 0,
    TAKT_ITEM_POINT = 1,
    TAKT_ITEM_OPTIONAL_POINT = 2,
    TAKT_ITEM_SUSPEND = 3,
    TAKT_ITEM_LOCK = 4,
    TAKT_ITEM_UNLOCK = 5,
} takt_item_kind_t;

typedef struct takt_item {
    takt_item_kind_t kind;
    takt_duration_t ticks; /* run, suspend: >= 1; lock, unlock: number of the resource */
} takt_item_t;

/* Who opens and closes the windows of a task. */
typedef enum takt_windows {
    TAKT_WINDOWS_NONE = 0,
    TAKT_WINDOWS_SUSPEND = 1, /* the wcet is its budget in each period */
    TAKT_WINDOWS_ABORT = 2,   /* the wcet is the budget of each job */
    TAKT_WINDOWS_TIME_DRIVEN = 3,
    TAKT_WINDOWS_DUAL_PRIORITY = 4,
    TAKT_WINDOWS_IMPRECISE = 5,
    TAKT_WINDOWS_TOP = 6,        /* the allocator's own task: on top of all others; see policy/calls.h */
    TAKT_WINDOWS_SPARE_TIME = 7, /* likewise: in spare time, and on top from the last safe instant on */
    TAKT_WINDOWS = 8,            /* how many words these are */
} takt_windows_t;

/* A task of any kind but the first is directly under the root, periodic, without preemption key, suspensions, locks and
 * on_miss. The kinds that have the names of policies stand under these, the others under none of these. The last two are
 * of the last task, which executes the calls for all others that have windows: the period is that of its budget, and
 * in a ready set of levels its level is the last one and nobody else's. */
typedef struct takt_window_spec {
    takt_windows_t kind;
    takt_window_parameters_t parameters;
} takt_window_spec_t;

/* Where members are NULL or 0, the task is plain: periodic, every job runs for `demand` ticks. What stands
 * below "the platform's" core never learns, and replay does not need. */
typedef struct takt_task_spec {
    takt_duration_t period;            /* ticks, >= 1 if periodic, 0 for a task that has none */
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_instant_t offset;
    takt_duration_t wcet;
    uint32_t level;            /* 1 .. levels of its dispatcher; ignored by keyed policies */
    int32_t server;            /* index of its server, or TAKT_ROOT */
    bool is_limited;           /* has a preemption key */
    takt_key_t preemption_key; /* 0: nobody displaces a started job; else see core/policy.h, start */
    takt_task_class_t task_class;
    takt_on_miss_t on_miss;
    bool is_external; /* its jobs arrive as events */
    uint32_t
        ring; /* if so: how many may wait, a power of two; 0: TAKT_SYSTEM_RING, and the platform makes it grow */
    bool suspends;   /* its jobs may suspend themselves */
    bool locks;      /* its jobs may lock resources */
    bool is_absent;  /* it waits for a change that lets it enter */
    bool changes;    /* some changes are of it */
    bool adapts;     /* in a rate-based system, of class soft: its estimate follows what its jobs execute */
    uint32_t events; /* of an external task: its deadlines are those of rate-based execution, of this many
                                  in each interval, 1 .. TAKT_RBE_EVENTS; else 0 */
    takt_duration_t interval; /* >= 1 with events */
    uint64_t
        weight; /* in a rate-based system, of class none: 1 .. TAKT_RATE_WEIGHTS - 1; with shares 1 .. TAKT_SHARE_WEIGHTS */
    takt_rate_blocking_t blocking; /* in a rate-based system with resources */
    bool
        is_greedy; /* in a rate-based system: its jobs use the whole budget of a window, whatever their demand */
    /* the platform's */
    takt_duration_t demand;            /* ticks that each job runs, >= 1 */
    const struct takt_stream *demands; /* instead of `demand`, >= 1 each */
    const struct takt_stream
        *arrivals;           /* of an external task: listed instants from the offset on, or separations;
                                       NULL: period and jitter */
    takt_duration_t jitter;  /* of an external task with a period: a release is up to this later */
    const takt_item_t *body; /* begins and ends in any way; the demand decides when a job is complete */
    uint32_t body_count;
} takt_task_spec_t;

typedef struct takt_server_spec {
    const takt_server_kind_t *kind;
    const takt_bandwidth_kind_t
        *bandwidth; /* instead of a kind: it holds tasks only, external ones, which compete
                                               in its parent with deadlines of its rule; see policy/bandwidth.h */
    const takt_policy_t *policy;
    takt_duration_t period;
    takt_duration_t capacity;
    takt_instant_t offset;
    uint32_t level;      /* in its parent */
    int32_t parent;      /* index of a server, or TAKT_ROOT */
    uint32_t levels;     /* levels that its children use: 1 .. levels */
    uint32_t order_rows; /* of its timers, 0: as many as the system needs */
    uint32_t time_rows;  /* of its timers, 0: all 16 */
} takt_server_spec_t;

/* Used by tasks of one dispatcher. What servers share is one resource in each of these servers and one in their
 * parent. */
typedef struct takt_resource_spec {
    takt_protocol_t protocol;
    takt_key_t ceiling; /* highest level of its users, see core/policy.h; read where the protocol has one */
    int32_t server;     /* index of the server that its users are in, or TAKT_ROOT */
    bool is_shared;     /* that server shares it with others; see takt_resource_share */
    uint32_t among;     /* if so, index of the resource that it is in the parent */
    takt_duration_t longest;
} takt_resource_spec_t;

/* In a rate-based system: that a task locks a resource. */
typedef struct takt_use_spec {
    uint32_t task;
    uint32_t resource; /* of protocol srp */
} takt_use_spec_t;

typedef struct takt_thread_spec {
    uint32_t level; /* under the root; keyed roots treat it as background */
} takt_thread_spec_t;

/* What becomes different. If the root is rate-based, its allocator is asked, and the policy is not changed. */
typedef struct takt_change_spec {
    takt_instant_t instant;
    takt_change_kind_t kind;
    uint32_t task;               /* unless it is of the policy */
    const takt_policy_t *policy; /* of the root; core/dispatcher.h says where there is none */
    takt_duration_t period;      /* this and what follows: parameters, all of them in force, as in the task */
    takt_duration_t relative_deadline;
    takt_duration_t wcet;
    uint32_t level;
    uint64_t weight;
    takt_task_class_t task_class;
    takt_duration_t demand;            /* the platform's */
    const struct takt_stream *demands; /* likewise */
} takt_change_spec_t;

typedef struct takt_system_spec {
    const takt_policy_t *policy; /* of the root */
    uint32_t levels;             /* that the root's children use */
    uint32_t order_rows;         /* of the root's timers, 0: as many as the system needs */
    uint32_t time_rows;          /* 0: all 16 */
    uint32_t cpu_count; /* up to TAKT_CPU_LIMIT processors, for what global.h says; 0: one, for all else */
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
    const takt_rate_settings_t
        *rates; /* NULL unless the root is rate-based: then all tasks are under the root,
                                          periodic and without preemption key, suspensions, locks and on_miss, and
                                          period, wcet and deadline are at most TAKT_RATE_LONGEST */
    const takt_change_spec_t
        *changes; /* in the order of time, and in which they are handed over; policies of an
                                          instant last */
    uint32_t change_count;
    const takt_window_spec_t *windows; /* of each task; NULL if none has any */
    uint32_t bulk;                     /* windows that one call of their allocator hands over; 0: one */
    bool has_shares; /* the root's policy is share: all tasks are under the root and external, with weights */
    takt_share_variant_t share;
} takt_system_spec_t;

/* Where what is in `server`, an index or TAKT_ROOT, competes: there, or in the parent of a bandwidth server. */
TAKT_INLINE int32_t takt_system_place(const takt_system_spec_t *spec, int32_t server) {
    const bool is_rule = server != TAKT_ROOT && spec->servers[server].bandwidth != NULL;
    return is_rule ? spec->servers[server].parent : server;
}

/* Whether task `index` of `spec` has windows. */
TAKT_INLINE bool takt_system_has_windows(const takt_system_spec_t *spec, uint32_t index) {
    return spec->windows != NULL && spec->windows[index].kind != TAKT_WINDOWS_NONE;
}

#endif
