/* Policy: what orders the children of one dispatcher. The interface; the policies are in policy/.
 *
 * Source: S3's split of allocator (fills attributes) and dispatcher (obeys them); design rule 7. */
#ifndef TAKT_CORE_POLICY_H
#define TAKT_CORE_POLICY_H

#include "core/ready.h"

enum { TAKT_POLICY_VERSION = 1 };

/* The job that an entity executes, or the current period of a server seen as a job. */
typedef struct takt_job {
    takt_key_t level;        /* static urgency, 1 = most urgent; see takt_level_from_priority */
    takt_instant_t release;  /* nominal */
    takt_instant_t deadline; /* absolute */
    uint32_t number;         /* 0, 1, 2 ... */
} takt_job_t;

typedef struct takt_policy {
    uint16_t version;    /* TAKT_POLICY_VERSION */
    uint16_t size;       /* sizeof(takt_policy_t) of who compiled it */
    takt_order_t order;  /* which ready set its dispatchers have */
    const char *name;    /* as in task-set files */
    const char *summary; /* one line */
    const char *tie;     /* one line: who goes first among equals */
    /* Writes entity->key (1 .. TAKT_KEY_LEAST_URGENT, with levels below their number) and
     * entity->tie for `job`. Called at every release, and for a server at every replenishment. */
    void (*release)(takt_entity_t *entity, const takt_job_t *job);
} takt_policy_t;

#endif
