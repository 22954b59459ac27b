/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the headers of core promise between any two calls, checked by looking at everything. */
#ifndef TAKT_TESTS_FUZZ_INVARIANTS_H
#define TAKT_TESTS_FUZZ_INVARIANTS_H

#include "sim/system.h"

/* Ready sets, servers, tasks, resources and timers, whatever was called last; `now` is the last instant handed in. */
void check_invariants(takt_system_t *system, const takt_system_spec_t *spec, takt_instant_t now,
                      bool have_levels_changed);

/* The same, when a step at `now` has said that nothing more is due. */
void check_nothing_due(takt_system_t *system, const takt_system_spec_t *spec, takt_instant_t now);

/* The decision taken at `now` is the most urgent ready entity down the tree, and ends in time. */
void check_decision(takt_system_t *system, const takt_decision_t *decision, takt_instant_t now);

/* True if a ready entity of the same dispatcher is more urgent than the own key of `entity`, a started job. */
bool somebody_is_more_urgent(takt_system_t *system, takt_entity_t *entity);

/* How much budget `server` has left. */
takt_duration_t budget_of(const takt_server_t *server);

/* Whether `server` and all servers above have budget or never wait, so that nothing of theirs waits. */
bool is_active_up_to_the_root(const takt_server_t *server);

/* The child of `parent` on the way to `entity`, NULL if there is none. */
takt_entity_t *member_on_the_way(const takt_server_t *parent, takt_entity_t *entity);

/* Whether `a` goes before `b` in `parent`: levels are first in, first out and have no ties. */
bool goes_first(const takt_server_t *parent, const takt_entity_t *a, const takt_entity_t *b);

#endif
