/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Machine: the domains of the processors of this machine, in the kernel.
 *
 *     takt_machine_survey(uses, tables, image)     which functions the domain of an image needs
 *     takt_machine_open(machine, object, tables)   the programs are loaded; they are not attached
 *     takt_machine_add(machine, cpu, image, ...)   a domain for a processor, before attaching
 *     takt_machine_attach(machine)                 what the domains need is loaded, if it is not; from now on the kernel asks
 *                                                  the domains
 *     takt_machine_bind(machine, thread, cpu, entity)
 *     takt_machine_begin(machine, epoch_ns)        instant 0 of all domains
 *     takt_machine_detach(machine)                 all threads are of the fair class again
 *     takt_machine_end(machine, cpu)               closes the log
 *
 * One per process, because the arena is at a fixed address. */
#ifndef TAKT_LINUX_MACHINE_H
#define TAKT_LINUX_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/daemon/uses.h"
#include "linux/shared.h"
#include "linux/domain.h"
#include "linux/negotiation.h"
#include "linux/slot.h"

struct bpf_object; /* of libbpf */
struct bpf_link;

typedef struct takt_machine {
    struct bpf_object *memory; /* of all programs */
    struct bpf_object *object; /* the programs; NULL: none are loaded */
    struct bpf_link *link;
    struct bpf_link *switch_link;
    struct bpf_link *decide_link;
    takt_shared_t *shared;
    takt_ending_t *ending;
    takt_linux_slot_t *slots;
    takt_switch_t *switches;
    uint64_t next; /* free memory of the arena */
    /* Set by the caller: threads of the fair class are scheduled too, while the domains select none. */
    bool is_full;
    bool is_quiet;           /* set by the caller: libbpf says nothing */
    bool is_lazy;            /* set by the caller: the program that decides is loaded when it is attached */
    const takt_uses_t *uses; /* set by the caller: the functions that are loaded first; NULL: all */
    takt_uses_t needs;       /* functions of the domains */
    bool loaded[TAKT_FUNCTIONS];
    bool has_switches;
    const char *name; /* of the file that has all functions */
    size_t tables_bytes;
    uint32_t processors; /* for which there is memory */
    const char *folder;  /* the kernel's folder of sched_ext; set by opening */
    const char *what;    /* the step that failed */
    int error;           /* errno of that */
} takt_machine_t;

/* Adds the functions that a domain of `count` words of an image needs to `uses`, zeroed before the first one. Nothing is loaded
 * at that time. Returns false if that is unknown. An image that no domain can be built from needs none. */
bool takt_machine_survey(takt_uses_t *uses, const char *tables, const uint64_t *words, uint64_t count);

/* Loads the programs of the file `object`, or of the smallest one beside it that has what is used, for `processors` processors.
 * The name is kept. `tables` has the constants of the scheduler. Returns false with machine->what and machine->error. */
bool takt_machine_open(takt_machine_t *machine, const char *object, const char *tables, uint32_t processors,
                       bool has_switches);

/* Forgets all domains, after detaching: others can be added. */
void takt_machine_clear(takt_machine_t *machine);

/* Builds the domain of `cpu` from `count` words of an image, with room for `records`. Its ticks have `tick_ns`. Returns what
 * became of it, and the order with details. */
takt_domain_status_t takt_machine_add(takt_machine_t *machine, uint32_t cpu, const uint64_t *words,
                                      uint64_t count, uint64_t records, uint64_t tick_ns,
                                      takt_domain_order_t *order);

/* Loads what the domains need, if it is not loaded, and attaches the scheduler. Errors are those of takt_machine_open. */
bool takt_machine_attach(takt_machine_t *machine);

/* The file of the memory of the slots: those of processor 0, of processor 1, ... */
int takt_machine_slots_file(const takt_machine_t *machine);

/* Returns the slot of `entity` of `cpu`. */
takt_linux_slot_t *takt_machine_slot(const takt_machine_t *machine, uint32_t cpu, uint32_t entity);

/* `thread` executes the jobs of `entity` of `cpu` from its entry of SCHED_EXT on; or not any more. If instant 0 is known,
 * its slot has its next release. */
bool takt_machine_bind(takt_machine_t *machine, int32_t thread, uint32_t cpu, uint32_t entity);
void takt_machine_unbind(takt_machine_t *machine, int32_t thread);

/* Instant 0 of all domains; they get events up to `end_ns`. */
void takt_machine_begin(takt_machine_t *machine, uint64_t epoch_ns, uint64_t end_ns);

/* Returns how long before instant 0 takt_machine_begin is to be called, in ns: the threads that wait for it enter SCHED_EXT
 * meanwhile, one after another. */
static inline uint64_t takt_machine_lead(const takt_machine_t *machine) {
    uint64_t entities = 0;
    for (uint32_t cpu = 0; cpu < TAKT_CPUS; cpu++) {
        entities += machine->shared[cpu].entities;
    }
    return (entities > 50 ? entities : 50) * UINT64_C(1000000);
}

/* Returns the kind of the kernel's reason, 0 while the scheduler is attached; `reason` is for people. */
int takt_machine_state(const takt_machine_t *machine, const char **reason);

void takt_machine_detach(takt_machine_t *machine);

/* The domain of `cpu`, NULL for none. In the arena: its pointers are to be read only. */
takt_domain_t *takt_machine_domain(const takt_machine_t *machine, uint32_t cpu);

/* Closes the log of `cpu` at `now_ns`. Returns the number of records. Call after detaching. */
uint64_t takt_machine_end(takt_machine_t *machine, uint32_t cpu, uint64_t now_ns);

/* What program `index` of the kernel's has cost since it was loaded. Returns false if there is none, or if the kernel does
 * not measure: kernel.bpf_stats_enabled is 0. */
typedef struct takt_cost {
    char name[16];
    uint64_t calls, ns;
} takt_cost_t;
bool takt_machine_cost(const takt_machine_t *machine, uint32_t index, takt_cost_t *cost);

/* Writes request number `index` of the domain of `cpu` to `row`. Returns whether there is one. Call after detaching. */
bool takt_machine_requested(const takt_machine_t *machine, uint32_t cpu, uint64_t index,
                            takt_requested_t *row);

void takt_machine_close(takt_machine_t *machine);

#endif
