/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Build: makes core's objects from the description of a system, in the caller's memory.
 *
 *     takt_system_t system;                          zeroed; then what the caller has: dispatcher, cpus, entities,
 * threads
 *     takt_system_size(&system, &spec)               bytes for all else
 *     takt_system_build(&system, &spec, memory)      zeroed, aligned to 16 bytes
 *
 * Simulator, replay and firmware use the same builder, so that a host replays the system that a board runs. It
 * allocates nothing; sim/system.h does that on hosts.
 *
 * When not to use it: for a program that knows its threads when it is compiled; see kernel/. */
#ifndef TAKT_SYSTEM_BUILD_H
#define TAKT_SYSTEM_BUILD_H

#include "core/dispatcher.h"
#include "system/rules.h"
#include "system/spec.h"

/* A built system. Entity numbers: the root 0, server i is 1 + i, task i is 1 + server_count + i, thread i
 * follows the tasks. */
typedef struct takt_system {
    takt_dispatcher_t *dispatcher; /* the caller's, as the next ones, where they are not NULL before */
    takt_cpu_t *cpus;
    takt_entity_t *entities; /* of task 0; a kernel's stand in its threads */
    size_t stride;           /* bytes from one to the next; 0 as long as `entities` is NULL */
    takt_plain_t *threads;   /* the plain threads, in a row */
    takt_lock_wait_t *waits; /* of the threads, in a row */
    bool is_global;          /* the spec counts processors */
    bool is_remote; /* set by the caller after building: the scheduler acts by itself, at a distance */
    uint32_t server_count;
    uint32_t task_count;
    uint32_t thread_count;
    uint32_t extension_count;
    uint32_t resource_count;
    takt_server_t *servers;
    uint32_t *levels; /* of the root's children, then of those of each server */
    takt_task_t *tasks;
    takt_task_extension_t *extensions; /* of the tasks that need one */
    takt_arrival_t *rings;             /* the first ones, of the external tasks */
    takt_server_returns_t *returns;    /* of the servers whose kind has some */
    takt_resource_t *resources;
    uint32_t change_count;
    takt_change_t *changes;
    const takt_server_t **resource_parents; /* of each resource: where its users are */
    takt_rate_based_t rate_based;           /* if the root is rate-based */
    takt_rate_task_t *rates;                /* of each task; NULL unless the root is rate-based */
    takt_rate_share_t *rate_shares;         /* of each resource; likewise */
    takt_rate_use_t *rate_uses;
    takt_allocation_t allocations[TAKT_WINDOWS]; /* of the tasks with windows, by kind */
    takt_calls_t calls;                          /* of their allocators */
    takt_windowed_t *windowed;                   /* of each task with windows */
    uint32_t windowed_count;
    takt_rules_t rules;
    char *memory;
    uint64_t bytes;
} takt_system_t;

/* Returns the bytes that takt_system_build needs; 0 if the spec has more entities than TAKT_ENTITY_LIMIT. */
uint64_t takt_system_size(takt_system_t *system, const takt_system_spec_t *spec);

/* Builds the system of `spec` in `memory`. Call takt_system_size before. The spec is not kept. */
void takt_system_build(takt_system_t *system, const takt_system_spec_t *spec, void *memory);

/* Returns the entity of task `index`. */
TAKT_INLINE takt_entity_t *takt_system_entity_of(const takt_system_t *system, uint32_t index) {
    return (takt_entity_t *)(void *)((char *)system->entities + index * system->stride);
}

/* Returns the entity with number `id`, NULL if there is none or it is the root. */
takt_entity_t *takt_system_entity(takt_system_t *system, uint32_t id);

#endif
