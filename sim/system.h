/* System: a task set built in memory, ready to be driven by the simulator or by replay.
 *
 * The description uses levels (1 = most urgent) as core does; whoever reads task-set files ranks the
 * users' priorities. Hosted C11; the one place of this room that allocates. */
#ifndef TAKT_SIM_SYSTEM_H
#define TAKT_SIM_SYSTEM_H

#include "core/dispatcher.h"
#include "core/global.h"
#include "policy/rate_based.h"
#include "policy/window.h"
#include "sim/rules.h"
#include "sim/stream.h"

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
 * below "the simulator's" core never learns, and replay does not need. */
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
    bool suspends;    /* its jobs may suspend themselves */
    bool locks;       /* its jobs may lock resources */
    bool is_absent;   /* it waits for a change that lets it enter */
    bool changes;     /* some changes are of it */
    bool adapts;      /* in a rate-based system, of class soft: its estimate follows what its jobs execute */
    uint32_t events;  /* of an external task: its deadlines are those of rate-based execution, of this many
                                  in each interval, 1 .. TAKT_RBE_EVENTS; else 0 */
    takt_duration_t interval; /* >= 1 with events */
    uint64_t
        weight; /* in a rate-based system, of class none: 1 .. TAKT_RATE_WEIGHTS - 1; with shares 1 .. TAKT_SHARE_WEIGHTS */
    takt_rate_blocking_t blocking; /* in a rate-based system with resources */
    bool
        is_greedy; /* in a rate-based system: its jobs use the whole budget of a window, whatever their demand */
    /* the simulator's */
    takt_duration_t demand;        /* ticks that each job runs, >= 1 */
    const takt_stream_t *demands;  /* instead of `demand`, >= 1 each */
    const takt_stream_t *arrivals; /* of an external task: listed instants from the offset on, or separations;
                                       NULL: period and jitter */
    takt_duration_t jitter;        /* of an external task with a period: a release is up to this later */
    const takt_item_t *body;       /* begins and ends in any way; the demand decides when a job is complete */
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
    takt_duration_t demand;       /* the simulator's */
    const takt_stream_t *demands; /* likewise */
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

/* A built system. Entity numbers: the root 0, server i is 1 + i, task i is 1 + server_count + i, thread i
 * follows the tasks. */
typedef struct takt_system {
    takt_dispatcher_t dispatcher;
    takt_cpu_t cpu;
    takt_cpu_t *cpus;     /* in the place of `cpu` if the spec counts them */
    takt_global_t global; /* likewise */
    uint32_t server_count;
    uint32_t task_count;
    uint32_t thread_count;
    uint32_t extension_count;
    uint32_t resource_count;
    takt_server_t *servers;
    uint32_t *levels; /* of the root's children, then of those of each server */
    takt_task_t *tasks;
    takt_entity_t *entities; /* of the tasks */
    takt_plain_t *threads;
    takt_lock_wait_t *waits;           /* of the threads */
    takt_task_extension_t *extensions; /* of the tasks that need one */
    takt_server_returns_t *returns;    /* of the servers whose kind has some */
    takt_resource_t *resources;
    uint32_t change_count;
    takt_change_t *changes;
    const takt_server_t **resource_homes; /* of each resource: where its users are */
    takt_rate_based_t rate_based;         /* if the root is rate-based */
    takt_rate_task_t *rates;              /* of each task; NULL unless the root is rate-based */
    takt_rate_share_t *rate_shares;       /* of each resource; likewise */
    takt_rate_use_t *rate_uses;
    takt_allocation_t allocations[TAKT_WINDOWS]; /* of the tasks with windows, by kind */
    takt_calls_t calls;                          /* of their allocators */
    takt_windowed_t *windowed;                   /* of each task with windows */
    uint32_t windowed_count;
    takt_rules_t rules;
    void *memory;
} takt_system_t;

/* Builds the system of `spec` in `system`; false when memory is short or there are more entities than
 * TAKT_ENTITY_LIMIT. The spec is not kept. */
TAKT_MUST_USE bool takt_system_create(takt_system_t *system, const takt_system_spec_t *spec);

void takt_system_destroy(takt_system_t *system);

/* Makes room for one more arrival in the ring of task `index`, which is external; false when memory is
 * short. */
TAKT_MUST_USE bool takt_system_reserve(takt_system_t *system, uint32_t index);

/* Where what is in `server`, an index or TAKT_ROOT, competes: there, or in the parent of a bandwidth server. */
TAKT_INLINE int32_t takt_system_place(const takt_system_spec_t *spec, int32_t server) {
    const bool is_rule = server != TAKT_ROOT && spec->servers[server].bandwidth != NULL;
    return is_rule ? spec->servers[server].parent : server;
}

/* The entity with number `id`, NULL if there is none or it is the root. */
takt_entity_t *takt_system_entity(takt_system_t *system, uint32_t id);

#endif
