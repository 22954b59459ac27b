/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A slow model of which of several threads and jobs runs that share resources, made from SPEC.md, 9 alone: one record for
 * each of them, no lists, and every question answered by a look at all. It knows nothing of core.
 *
 * A smaller number is a higher level. An entity that became ready earlier has the smaller place; one that is put ahead of its equals
 * gets one below all that there are. */
#ifndef TAKT_TESTS_LOCK_MODEL_H
#define TAKT_TESTS_LOCK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

enum { MODEL_ACTORS = 8, MODEL_RESOURCES = 4, MODEL_NOBODY = -1, MODEL_LEAST = 1000000 };

typedef enum model_protocol {
    MODEL_NONE,
    MODEL_NPCS,
    MODEL_PIP,
    MODEL_PCP,
    MODEL_ICPP,
    MODEL_SRP,
} model_protocol_t;

/* A thread, or a task: that is only told to be ready by arrivals, and holds nothing beyond a job. */
typedef struct model_actor {
    bool is_task;
    int level;
    int key;       /* of a task where keys order */
    bool is_ready; /* it competes */
    bool is_out;
    int blocked_at;
    int64_t out_since;
    int64_t place;
    int wants;
    int cycle; /* what it waits for in a cycle that has been reported */
} model_actor_t;

typedef struct model_resource {
    model_protocol_t protocol;
    int ceiling;
    int holder;
    int64_t since;
} model_resource_t;

typedef struct model {
    bool has_keys;
    int actors;
    int resources;
    model_actor_t actor[MODEL_ACTORS];
    model_resource_t resource[MODEL_RESOURCES];
    int64_t clock; /* grows at whatever has an order */
    int deadlocks; /* cycles that were reported */
} model_t;

/* ---- urgency --------------------------------------------------------------------------------------------- */

static inline bool model_is_involved(const model_t *m, int a) {
    bool is = m->actor[a].wants != MODEL_NOBODY;
    for (int r = 0; r < m->resources; r++) {
        is |= m->resource[r].holder == a;
    }
    return is;
}

/* By which ceilings and protocols judge it. */
static inline int model_level(const model_t *m, int a) {
    if (!m->has_keys) {
        return m->actor[a].level;
    }
    return m->actor[a].is_task ? m->actor[a].key : MODEL_LEAST;
}

/* How urgent it is by itself: a thread where keys order, behind all that have a key, but by its level among threads. */
static inline int model_own(const model_t *m, int a) {
    const bool is_behind = m->has_keys && !m->actor[a].is_task;
    return is_behind ? MODEL_LEAST + m->actor[a].level : model_level(m, a);
}

/* What is in force: its own urgency, or that of something that it holds. */
static inline int model_force(const model_t *m, int a) {
    int force = model_own(m, a);
    for (int r = 0; r < m->resources; r++) {
        if (m->resource[r].holder == a) {
            const int raised = m->resource[r].protocol == MODEL_NPCS   ? 0
                               : m->resource[r].protocol == MODEL_ICPP ? m->resource[r].ceiling
                                                                       : force;
            force = raised < force ? raised : force;
        }
    }
    return force;
}

/* Of equal keys: those involved in locks before others, tasks before threads, the smaller number first. */
static inline int64_t model_rank(const model_t *m, int a) {
    if (!m->has_keys || model_force(m, a) > MODEL_LEAST) {
        return m->actor[a].place;
    }
    return (model_is_involved(m, a) ? 0 : 2000) + (m->actor[a].is_task ? 0 : 1000) + a;
}

static inline bool model_is_before(const model_t *m, int a, int b) {
    const int one = model_force(m, a);
    const int other = model_force(m, b);
    return one < other || (one == other && model_rank(m, a) < model_rank(m, b));
}

static inline int model_best(const model_t *m) {
    int best = MODEL_NOBODY;
    for (int a = 0; a < m->actors; a++) {
        if (m->actor[a].is_ready && (best == MODEL_NOBODY || model_is_before(m, a, best))) {
            best = a;
        }
    }
    return best;
}

static inline void model_go_last(model_t *m, int a) { m->actor[a].place = ++m->clock; }

static inline void model_go_first(model_t *m, int a) { m->actor[a].place = -(++m->clock); }

/* ---- what blocks what ------------------------------------------------------------------------------------- */

/* Of what others hold under `protocol`, the one with the highest ceiling, of several the last one locked, if the level
 * of `a` is not above it. */
static inline int model_ceiling(const model_t *m, int a, model_protocol_t protocol) {
    int highest = MODEL_NOBODY;
    for (int r = 0; r < m->resources; r++) {
        const model_resource_t *it = &m->resource[r];
        const bool is_asked = it->protocol == protocol && it->holder != MODEL_NOBODY && it->holder != a;
        if (!is_asked || (protocol == MODEL_SRP && !m->actor[it->holder].is_ready)) {
            continue;
        }
        if (highest == MODEL_NOBODY || it->ceiling < m->resource[highest].ceiling ||
            (it->ceiling == m->resource[highest].ceiling && it->since > m->resource[highest].since)) {
            highest = r;
        }
    }
    return highest != MODEL_NOBODY && m->resource[highest].ceiling <= model_level(m, a) ? highest
                                                                                        : MODEL_NOBODY;
}

/* What must be unlocked before `a` gets what it wants. */
static inline int model_blocker(const model_t *m, int a) {
    const int wants = m->actor[a].wants;
    if (wants == MODEL_NOBODY) {
        return MODEL_NOBODY;
    }
    if (m->resource[wants].protocol == MODEL_PCP && model_ceiling(m, a, MODEL_PCP) != MODEL_NOBODY) {
        return model_ceiling(m, a, MODEL_PCP);
    }
    return m->resource[wants].holder != MODEL_NOBODY ? wants : MODEL_NOBODY;
}

static inline int model_next_in_chain(const model_t *m, int a) {
    const int blocker = model_blocker(m, a);
    return blocker != MODEL_NOBODY ? m->resource[blocker].holder : MODEL_NOBODY;
}

/* Whether `a` waits, in the end, for itself. */
static inline bool model_is_in_cycle(const model_t *m, int a) {
    int next = model_next_in_chain(m, a);
    for (int i = 0; i < m->actors && next != MODEL_NOBODY && next != a; i++) {
        next = model_next_in_chain(m, next);
    }
    return next == a;
}

/* ---- not ready because of a resource --------------------------------------------------------------------- */

static inline void model_take_out(model_t *m, int a, int resource) {
    model_actor_t *it = &m->actor[a];
    it->is_ready = false;
    it->is_out = true;
    it->blocked_at = resource;
    it->out_since = ++m->clock;
}

static inline void model_report_cycle(model_t *m, int first) {
    int a = first;
    m->deadlocks++;
    do {
        m->actor[a].cycle = model_blocker(m, a);
        a = model_next_in_chain(m, a);
    } while (a != first);
    do {
        if (m->actor[a].is_ready) {
            model_take_out(m, a, m->actor[a].cycle);
        }
        a = model_next_in_chain(m, a);
    } while (a != first);
}

static inline void model_forget_cycle(model_t *m, int a) {
    while (m->actor[a].cycle != MODEL_NOBODY) {
        const int next = m->resource[m->actor[a].cycle].holder;
        m->actor[a].cycle = MODEL_NOBODY;
        a = next;
    }
}

/* The one of those that are out at `resource` that has stood there longest, not counting those in `seen`. */
static inline int model_first_out(const model_t *m, int resource, const bool *seen) {
    int first = MODEL_NOBODY;
    for (int a = 0; a < m->actors; a++) {
        const bool stands = m->actor[a].is_out && m->actor[a].blocked_at == resource && !seen[a];
        if (stands && (first == MODEL_NOBODY || m->actor[a].out_since < m->actor[first].out_since)) {
            first = a;
        }
    }
    return first;
}

typedef struct model_queue {
    bool seen[MODEL_ACTORS];
    int member[MODEL_ACTORS];
    int count;
} model_queue_t;

static inline void model_queue_out(const model_t *m, model_queue_t *queue, int resource) {
    int a;
    while ((a = model_first_out(m, resource, queue->seen)) != MODEL_NOBODY) {
        queue->seen[a] = true;
        queue->member[queue->count++] = a;
    }
}

/* Those that are out at what `a` holds, for the last lock first. */
static inline void model_queue_waiters(const model_t *m, model_queue_t *queue, int a) {
    int64_t before = INT64_MAX;
    for (;;) {
        int last = MODEL_NOBODY;
        for (int r = 0; r < m->resources; r++) {
            const model_resource_t *it = &m->resource[r];
            const bool is_next = it->holder == a && it->since < before;
            if (is_next && (last == MODEL_NOBODY || it->since > m->resource[last].since)) {
                last = r;
            }
        }
        if (last == MODEL_NOBODY) {
            return;
        }
        before = m->resource[last].since;
        model_queue_out(m, queue, last);
    }
}

/* All in the queue compete again, and those that wait for them, and so on; except waiters under none for what is held. */
static inline void model_come_back(model_t *m, model_queue_t *queue) {
    for (int i = 0; i < queue->count; i++) {
        const int a = queue->member[i];
        const int wants = m->actor[a].wants;
        const bool stays = wants != MODEL_NOBODY && m->resource[wants].protocol == MODEL_NONE &&
                           m->resource[wants].holder != MODEL_NOBODY;
        if (!stays) {
            m->actor[a].is_out = false;
            m->actor[a].is_ready = true;
            model_go_last(m, a);
        }
        model_queue_waiters(m, queue, a);
    }
}

static inline void model_lend(model_t *m, int a) {
    model_queue_t queue = {.count = 0};
    model_queue_waiters(m, &queue, a);
    model_come_back(m, &queue);
}

/* `a`, which is out, competes again, and its waiters do. */
static inline void model_return(model_t *m, int a) {
    model_queue_t queue = {.count = 1, .member = {a}};
    queue.seen[a] = true;
    model_come_back(m, &queue);
}

/* ---- what happens ---------------------------------------------------------------------------------------- */

static inline void model_hold(model_t *m, int a, int resource) {
    const int before = model_force(m, a);
    m->resource[resource].holder = a;
    m->resource[resource].since = ++m->clock;
    m->actor[a].wants = MODEL_NOBODY;
    if (model_force(m, a) != before) {
        model_go_first(m, a);
    }
}

static inline void model_lock(model_t *m, int a, int resource) {
    m->actor[a].wants = resource;
    if (model_blocker(m, a) == MODEL_NOBODY) {
        model_hold(m, a, resource);
    } else if (model_is_in_cycle(m, a)) {
        model_report_cycle(m, a);
    } else if (m->resource[resource].protocol == MODEL_NONE) {
        model_take_out(m, a, resource);
    }
}

static inline int model_last_locked(const model_t *m, int a) {
    int last = MODEL_NOBODY;
    for (int r = 0; r < m->resources; r++) {
        const bool is_held = m->resource[r].holder == a;
        if (is_held && (last == MODEL_NOBODY || m->resource[r].since > m->resource[last].since)) {
            last = r;
        }
    }
    return last;
}

static inline void model_unlock(model_t *m, int a) {
    const int before = model_force(m, a);
    const int resource = model_last_locked(m, a);
    model_queue_t queue = {.count = 0};
    m->resource[resource].holder = MODEL_NOBODY;
    model_queue_out(m, &queue, resource);
    model_come_back(m, &queue);
    if (model_force(m, a) != before) {
        model_go_first(m, a);
    }
}

static inline void model_block(model_t *m, int a) { m->actor[a].is_ready = false; }

static inline void model_wake(model_t *m, int a) {
    m->actor[a].is_ready = true;
    model_go_last(m, a);
    model_lend(m, a);
}

static inline void model_yield(model_t *m, int a) { model_go_last(m, a); }

static inline void model_arrive(model_t *m, int a) {
    m->actor[a].is_ready = true;
    model_go_last(m, a);
}

static inline void model_complete(model_t *m, int a) {
    while (model_last_locked(m, a) != MODEL_NOBODY) {
        model_unlock(m, a);
    }
    m->actor[a].is_ready = false;
}

static inline void model_withdraw(model_t *m, int a) {
    model_forget_cycle(m, a);
    m->actor[a].wants = MODEL_NOBODY;
    if (m->actor[a].is_out) {
        model_return(m, a);
    }
}

/* An entity that is out tries again, unless that is under none, or still in its cycle. */
static inline void model_change_level(model_t *m, int a, int level) {
    const int before = model_force(m, a);
    model_actor_t *it = &m->actor[a];
    it->level = level;
    if (it->is_ready && model_force(m, a) != before) {
        model_go_last(m, a);
    }
    if (!it->is_out || m->resource[it->wants].protocol == MODEL_NONE ||
        (it->cycle != MODEL_NOBODY && it->cycle == model_blocker(m, a))) {
        if (it->cycle != MODEL_NOBODY && it->cycle != model_blocker(m, a)) {
            model_forget_cycle(m, a);
        }
        return;
    }
    model_forget_cycle(m, a);
    model_return(m, a);
}

/* ---- what runs -------------------------------------------------------------------------------------------- */

/* The end of the chain of waiters, from `a` on: an entity that can run, or none. */
static inline int model_end_of_chain(const model_t *m, int a) {
    for (;;) {
        const model_actor_t *it = &m->actor[a];
        const bool is_away = !it->is_ready && !it->is_out;
        if (it->cycle != MODEL_NOBODY || is_away) {
            return MODEL_NOBODY;
        }
        if (model_next_in_chain(m, a) == MODEL_NOBODY) {
            return it->is_ready ? a : MODEL_NOBODY;
        }
        a = model_next_in_chain(m, a);
    }
}

/* The first one behind `a` that is in a cycle which was not reported. */
static inline int model_unknown_cycle(const model_t *m, int a) {
    for (int i = 0; i < m->actors && a != MODEL_NOBODY && m->actor[a].cycle == MODEL_NOBODY; i++) {
        if (model_is_in_cycle(m, a)) {
            return a;
        }
        a = model_next_in_chain(m, a);
    }
    return MODEL_NOBODY;
}

static inline void model_park_chain(model_t *m, int a) {
    while (m->actor[a].is_ready) {
        const int blocker = model_blocker(m, a);
        model_take_out(m, a, blocker);
        a = m->resource[blocker].holder;
    }
}

/* What runs from now on. */
static inline int model_choose(model_t *m) {
    for (;;) {
        const int best = model_best(m);
        if (best == MODEL_NOBODY) {
            return MODEL_NOBODY;
        }
        const int bar = model_ceiling(m, best, MODEL_SRP);
        const int blocker = bar != MODEL_NOBODY ? bar : model_blocker(m, best);
        if (blocker == MODEL_NOBODY) {
            if (m->actor[best].wants != MODEL_NOBODY) {
                model_hold(m, best, m->actor[best].wants);
            }
            return best;
        }
        const int holder = m->resource[blocker].holder;
        if (m->resource[blocker].protocol == MODEL_NONE) {
            model_take_out(m, best, blocker);
            continue;
        }
        const int cycle = model_unknown_cycle(m, best);
        if (cycle != MODEL_NOBODY) {
            model_report_cycle(m, cycle);
            continue;
        }
        const int end = model_end_of_chain(m, holder);
        if (end != MODEL_NOBODY) {
            if (m->actor[end].wants != MODEL_NOBODY) {
                model_hold(m, end, m->actor[end].wants);
            }
            return end;
        }
        if (bar == MODEL_NOBODY || bar == model_blocker(m, best)) {
            model_take_out(m, best, blocker);
        }
        model_park_chain(m, holder);
    }
}

#endif
