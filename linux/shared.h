/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared: the record of a processor and its domain, shared by the daemons and the programs in the kernel.
 *
 * Plain C without includes but <stdint.h>; a BPF program includes vmlinux.h before. Instants are CLOCK_MONOTONIC in ns. */
#ifndef TAKT_LINUX_SHARED_H
#define TAKT_LINUX_SHARED_H

#ifndef __VMLINUX_H__
#include <stdint.h>
#endif

enum {
    TAKT_CPUS = 64,                       /* processors, at most; a power of two */
    TAKT_SHARED_SLOTS = 2048,             /* entities of a domain, at most; a power of two */
    TAKT_BINDINGS = 4096,                 /* threads, at most */
    TAKT_SWITCHES = 1u << 18,             /* switches of a processor that are kept */
    TAKT_PENDING = 2 * TAKT_SHARED_SLOTS, /* events of a processor that the domain has not got yet, at most */
};

/* No entity. */
#define TAKT_SHARED_NONE 0xffffffffu

/* An event that the domain has not got yet. */
typedef struct takt_pending {
    uint64_t at_ns;
    uint32_t entity;
    uint32_t what; /* TAKT_PENDING_ */
} takt_pending_t;

enum {
    TAKT_PENDING_SLEEP = 0, /* a thread sleeps: with a request, or blocked */
    TAKT_PENDING_YIELD = 1, /* a thread hands a request over */
    TAKT_PENDING_WAKE = 2,  /* a thread that slept is runnable */
    TAKT_PENDING_END = 3,   /* a thread is gone */
};

/* One processor. The daemon writes the first part before the scheduler is attached; the kernel's programs write the rest. */
typedef struct takt_shared {
    uint64_t domain;       /* address in the arena; 0: the processor has no domain */
    uint64_t demand;       /* address in the arena of the takt_demand_t of a request */
    uint64_t epoch_ns;     /* instant 0 of the domain */
    uint64_t tick_ns;      /* length of a tick */
    uint64_t end_ns;       /* from here on the domain gets no events */
    uint32_t entities;     /* in its slots */
    uint32_t has_switches; /* 1: switches are kept */
    uint32_t others; /* the entity that stands for the threads of no domain, TAKT_SHARED_NONE for none */

    uint32_t is_others_awake; /* 1: some of these may be runnable */
    uint64_t timer_ns;        /* the timer is armed for this instant; 0: it is not */
    uint32_t decided;         /* entity of the last decision, TAKT_SHARED_NONE for none */
    uint32_t running;         /* entity whose thread runs, TAKT_SHARED_NONE for none */
    uint64_t takes;           /* decisions */
    /* A thread was switched to that was not selected any more; it is switched off at once. */
    uint64_t mismatches;
    uint64_t absences;   /* the selected thread was not runnable in the kernel, each time once */
    uint64_t refused;    /* events of threads that were not received */
    uint64_t switches;   /* in the row of switches */
    uint64_t stolen_ns;  /* time that other classes took from a job that runs; it is charged to no budget */
    uint64_t stolen;     /* how often */
    uint64_t lost;       /* events that a later one of the same thread has replaced */
    uint64_t orphans;    /* jobs completed for threads that are gone, or absent for too long */
    uint64_t stopped_ns; /* if is_stolen, since when */
    uint32_t has_points; /* 1: the job that runs is non-preemptive */
    uint32_t is_stolen;  /* 1: the job that runs has been stopped by another class, which runs now */
    uint32_t first;      /* of the pending events */
    uint32_t count;      /* likewise */
    uint64_t wanted_ns;  /* the timer has to expire then; it may be armed for an earlier instant */
    /* The thread of the selected job is absent, and waited for until then; 0: it is not. */
    uint64_t absent_until_ns;
    uint64_t check_ns; /* the threads that wait are checked then */
    uint64_t visits;   /* of threads that had waited for long */
    uint32_t checked;  /* the last entity */
    /* Whose thread is visited; TAKT_SHARED_SLOTS: one of no domain; TAKT_SHARED_NONE: none. */
    uint32_t visited;
    /* what a program asks of the domain */
    uint32_t asker;        /* the processor on which it executes, plus 1; 0: none asks */
    uint32_t asked;        /* bits of takt.bpf.c */
    uint64_t asked_ns;     /* instant */
    uint32_t asked_entity; /* TAKT_SHARED_NONE for none */
    /* the answer */
    uint32_t is_selected; /* 1: `selected` holds until an event, a decision or `next_ns` */
    uint64_t selected;    /* as of takt_domain_selected */
    uint64_t next_ns;     /* the domain is to be asked again then; 0: never */
    /* The domain selects this entity up to `until_ns` if nothing happens: from `next_ns` on or, if `after` is one, when the job
     * of that ends, which runs; TAKT_SHARED_NONE: it is not known. */
    uint32_t foreseen;
    uint32_t after;
    /* 1: the job of `after` has ended; its event is noted, and the thread of `foreseen` is switched to. */
    uint32_t has_ended;
    uint32_t is_followed; /* 1: no job runs ahead; the domain decides when its thread begins to run */
    uint64_t until_ns;
    uint64_t release_ns;      /* of the job that is foreseen */
    uint64_t deadline_ns;     /* likewise */
    uint64_t next_release_ns; /* after it */
    uint64_t budget_ns;       /* it may execute for so long */
    /* The job of `decided` runs since then, as was foreseen, and the domain has not decided yet; 0: it has. */
    uint64_t ahead_ns;
    uint32_t ahead_count; /* pending events from before */
    uint32_t unused;
    uint64_t ahead;       /* how often a job ran ahead */
    uint64_t misforeseen; /* how often the domain then decided otherwise */
} takt_shared_t;

/* The entity to which the daemon binds a thread. */
typedef struct takt_binding {
    uint32_t cpu;
    uint32_t entity;
} takt_binding_t;

/* The kernel's own record of a switch. */
typedef struct takt_switch {
    uint64_t at_ns;
    uint32_t from; /* threads */
    uint32_t to;
} takt_switch_t;

/* How the kernel ended the scheduler. */
typedef struct takt_ending {
    int32_t kind; /* as the kernel numbers it; 0: the scheduler is attached */
    char reason[124];
} takt_ending_t;

/* Parameters that a thread requests. */
typedef struct takt_demand {
    uint64_t period_ns;
    uint64_t deadline_ns; /* relative */
    uint64_t wcet_ns;
    uint64_t weight;
} takt_demand_t;

/* What a domain says of an entity. In the arena, one for each processor, and behind it a takt_demand_t and a takt_foresight_t.
 * Instants are in ticks; UINT64_MAX: none. */
typedef struct takt_report {
    uint64_t release;
    uint64_t deadline;
    uint64_t next_release;
    uint32_t state; /* TAKT_DOMAIN_ */
    uint32_t job;   /* its current job, or its last one */
    uint32_t waiting;
    uint32_t change;    /* one more than the number; 0: none */
    uint32_t is_missed; /* as of the last decision for it */
    uint32_t rate;
} takt_report_t;

/* What a domain foresees. Instants are in ticks; UINT64_MAX: none, for ever. */
typedef struct takt_foresight {
    uint64_t next; /* the domain is to be asked again then */
    /* The entity without a job that is released at `next`; TAKT_SHARED_NONE: none is. */
    uint32_t sleeper;
    /* The next decision names this entity; TAKT_SHARED_NONE: it is not known. The others are of it, else without meaning. */
    uint32_t entity;
    uint64_t until;    /* the decision holds until then, if it is taken from `next` on, or after the end */
    uint64_t budget;   /* and for so long */
    uint64_t release;  /* of the job */
    uint64_t deadline; /* likewise */
    uint64_t next_release; /* after it */
    uint32_t after;   /* if the job of this entity, which runs, ends; TAKT_SHARED_NONE: if only time passes */
    uint32_t waiting; /* this and what follows: as in takt_report_t */
    uint32_t change;
    uint32_t job;
    uint32_t state;
    uint32_t unused;
} takt_foresight_t;

#endif
