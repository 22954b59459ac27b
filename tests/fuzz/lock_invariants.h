/* What core promises of shared resources between any two calls (SPEC.md, 9), found by looking at everything. */
#ifndef TAKT_TESTS_FUZZ_LOCK_INVARIANTS_H
#define TAKT_TESTS_FUZZ_LOCK_INVARIANTS_H

#include "sim/system.h"

/* Who holds what stands in the lists, who is parked where, keys aside. */
void check_locks(takt_system_t *system);

/* If somebody in the home of `entity`, which runs, holds something under srp: it is above that, or holds it. */
void check_may_run(takt_system_t *system, takt_entity_t *entity);

/* Who runs instead of `entity`: itself if nothing blocks it, NULL if that is a circle. */
takt_entity_t *end_of_chain(takt_system_t *system, takt_entity_t *entity);

/* Whether `entity` waits, in the end, for itself. */
bool is_in_a_circle(takt_system_t *system, takt_entity_t *entity);

/* The key of `entity` by itself, `own`, or of what it holds. */
takt_key_t key_of_holder(const takt_entity_t *entity, takt_key_t own);

/* Whether `entity` holds or wants a resource. */
static inline bool is_locking(const takt_entity_t *entity) {
    const takt_task_extension_t *extension = entity->task != NULL ? entity->task->extension : NULL;
    return extension != NULL && (extension->held != NULL || extension->wait.wanted != NULL);
}

#endif
