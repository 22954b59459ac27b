/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The checks of invariants.h: slow, and without any of core's shortcuts. */
#include "tests/fuzz/invariants.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/lock_invariants.h"

/* ---- the tree ------------------------------------------------------------------------------------ */

takt_duration_t budget_of(const takt_server_t *server) { return server->job.remaining; }

static uint32_t entity_count(const takt_system_t *system) {
    return system->server_count + system->task_count + system->thread_count;
}

static uint32_t children_of(takt_system_t *system, const takt_server_t *parent, bool only_ready) {
    uint32_t count = 0;
    for (uint32_t id = 1; id <= entity_count(system); id++) {
        const takt_entity_t *entity = takt_system_entity(system, id);
        count += entity->parent == parent && (!only_ready || takt_entity_is_ready(entity));
    }
    return count;
}

/* Whether the timers of `server` count: it has budget, or is of a kind that never waits. */
static bool looks_inside(const takt_server_t *server) {
    return takt_server_is_root(server) || budget_of(server) > 0 || server->kind->runs_timers_without_budget;
}

bool is_active_up_to_the_root(const takt_server_t *server) {
    while (!takt_server_is_root(server) && looks_inside(server)) {
        server = takt_server_parent(server);
    }
    return takt_server_is_root(server);
}

takt_entity_t *member_on_the_way(const takt_server_t *parent, takt_entity_t *entity) {
    while (entity->parent != parent && !takt_server_is_root(entity->parent)) {
        entity = &entity->parent->entity;
    }
    return entity->parent == parent ? entity : NULL;
}

bool goes_first(const takt_server_t *parent, const takt_entity_t *a, const takt_entity_t *b) {
    const bool has_ties = parent->ready.order == TAKT_ORDER_KEYS && a->key <= TAKT_KEY_LEAST_URGENT;
    return a->key < b->key || (has_ties && a->key == b->key && a->tie < b->tie);
}

/* ---- timers -------------------------------------------------------------------------------------- */

static takt_instant_t earlier(takt_instant_t least, const takt_timer_t *timer) {
    return takt_timer_is_armed(timer) && timer->instant < least ? timer->instant : least;
}

static takt_instant_t earliest_of_task(const takt_task_t *task, takt_instant_t least) {
    least = earlier(least, &task->timer);
    if (task->extension != NULL) {
        least = earlier(least, &task->extension->expiry);
        least = earlier(least, &task->extension->resume);
    }
    return least;
}

/* The instant of the first timer of `parent`'s children. */
static takt_instant_t earliest_inside(const takt_system_t *system, const takt_server_t *parent) {
    takt_instant_t least = TAKT_NEVER;
    for (uint32_t i = 0; i < system->task_count; i++) {
        const takt_task_t *task = &system->tasks[i];
        least = task->entity->parent == parent ? earliest_of_task(task, least) : least;
    }
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        if (server->entity.parent == parent) {
            least = earlier(earlier(least, &server->replenishment), &server->wake);
            least = earlier(least, &server->instant_end);
        }
    }
    return least;
}

/* Whether a check at `next` is not late for an item at `instant`: overdue items may be checked at
 * any instant that is over. */
static bool is_in_time(takt_instant_t next, takt_instant_t instant, takt_instant_t now) {
    return next <= instant || next <= now;
}

static void check_wheel(const takt_system_t *system, const takt_server_t *parent, takt_instant_t now) {
    const takt_instant_t earliest = earliest_inside(system, parent);
    const takt_instant_t next = takt_timers_next(&parent->timers);
    HOLDS(is_in_time(next, earliest, now));
    HOLDS(next != TAKT_NEVER || earliest == TAKT_NEVER);
}

/* It may look at what is not there any more, once. */
static void check_wake(const takt_system_t *system, const takt_server_t *server, takt_instant_t now) {
    const takt_instant_t earliest = earliest_inside(system, server);
    const bool is_armed = takt_timer_is_armed(&server->wake);
    HOLDS(!is_armed || looks_inside(server));
    HOLDS(is_armed || !looks_inside(server) || earliest == TAKT_NEVER);
    HOLDS(!is_armed || is_in_time(server->wake.instant, earliest, now));
}

/* ---- ready sets ---------------------------------------------------------------------------------- */

static uint32_t check_heap(const takt_server_t *parent) {
    const takt_keys_t *keys = &parent->ready.keys;
    for (uint32_t slot = 0; slot < keys->count; slot++) {
        const takt_entity_t *entity = keys->slots[slot];
        HOLDS(entity->slot == slot && entity->parent == parent && takt_entity_is_ready(entity));
        HOLDS(slot == 0 || !goes_first(parent, entity, keys->slots[(slot - 1u) / 4u]));
    }
    return keys->count;
}

/* Each member stands in the list of its own level once, linked both ways. Where keys order, the high word says that it
 * is in the tail. */
static uint32_t check_list(const takt_server_t *parent, uint32_t level, uint32_t limit) {
    const bool is_tail = parent->ready.order == TAKT_ORDER_KEYS;
    const takt_entity_t *head = parent->ready.levels.heads[level];
    const takt_entity_t *entity = head;
    uint32_t count = 0;
    if (head == NULL) {
        return 0;
    }
    do {
        HOLDS(entity->key == level + (is_tail ? TAKT_KEY_OF_TAIL : 0u));
        HOLDS(entity->parent == parent && takt_entity_is_ready(entity));
        HOLDS(entity->next->prev == entity && entity->prev->next == entity);
        HOLDS(count < limit);
        count++;
        entity = entity->next;
    } while (entity != head);
    return count;
}

static bool is_marked(uint32_t word, uint32_t index) { return (word >> (31u - index) & 1u) != 0; }

/* Row by row upwards: a bit says whether anything stands below it; that of level 0 of a tail, whether the heap is used. */
static void check_bitmap(const takt_levels_t *levels, uint32_t count, bool is_heap_used) {
    for (uint32_t row = levels->depth; row > 0; row--) {
        const uint32_t *words = row == 1 ? &levels->top : levels->rows[row - 2u];
        for (uint32_t index = 0; index < count; index++) {
            const bool is_used =
                row == levels->depth ? levels->heads[index] != NULL : levels->rows[row - 1u][index] != 0;
            const bool stands_for_heap = is_heap_used && row == levels->depth && index == 0;
            HOLDS(is_marked(words[index / 32u], index % 32u) == (is_used || stands_for_heap));
        }
        count = (count + 31u) / 32u;
    }
}

static uint32_t check_levels(const takt_server_t *parent, uint32_t levels, uint32_t limit) {
    uint32_t count = 0;
    for (uint32_t level = 0; level <= levels; level++) {
        count += check_list(parent, level, limit);
    }
    check_bitmap(&parent->ready.levels, levels + 1u, takt_ready_has_keys(&parent->ready));
    return count;
}

/* Level 0 of the tail stands for the heap. */
static uint32_t check_tail(const takt_server_t *parent, uint32_t limit) {
    const takt_levels_t *levels = &parent->ready.levels;
    if (levels->heads == NULL) {
        HOLDS(levels->top == (takt_ready_has_keys(&parent->ready) ? takt_bit(0) : 0u));
        return 0;
    }
    HOLDS(levels->heads[0] == NULL);
    return check_levels(parent, levels->depth == 1 ? 31u : TAKT_PLAIN_LEVELS_MOST, limit);
}

/* The members are exactly the children that say that they are ready. */
static void check_ready_set(takt_system_t *system, const takt_server_t *parent, uint32_t levels) {
    const uint32_t limit = children_of(system, parent, false);
    const bool is_heap = parent->ready.order == TAKT_ORDER_KEYS;
    const uint32_t members =
        is_heap ? check_heap(parent) + check_tail(parent, limit) : check_levels(parent, levels, limit);
    HOLDS(members == children_of(system, parent, true));
    HOLDS(takt_ready_is_empty(&parent->ready) == (members == 0));
}

/* ---- keys ---------------------------------------------------------------------------------------- */

/* `entity` with the key that its policy gives it for `job`. */
static takt_entity_t keyed_by(const takt_entity_t *entity, const takt_job_t *job) {
    takt_entity_t keyed = *entity;
    entity->parent->policy->release(&keyed, job);
    return keyed;
}

static void check_unmodified_key(const takt_entity_t *entity, const takt_job_t *job) {
    const takt_entity_t own = keyed_by(entity, job);
    HOLDS(own.key <= TAKT_KEY_LEAST_URGENT);
    HOLDS(entity->key == own.key && entity->tie == own.tie);
}

/* A started job is as urgent as was said then, if that is known, a holder as urgent as that makes it, and both
 * remember their own keys. */
static void check_displaced_key(takt_entity_t *entity, const takt_job_t *job) {
    const bool is_started = (entity->state & TAKT_STATE_STARTED) != 0;
    const takt_entity_t own = keyed_by(entity, job);
    const takt_key_t held = key_of_holder(entity, own.key);
    HOLDS(entity->task->base_key == own.key && entity->task->base_tie == own.tie);
    HOLDS(entity->key <= held && (is_started || entity->key == held));
    if (is_started && entity->task->extension != NULL) {
        const takt_key_t started = entity->task->extension->threshold;
        HOLDS(entity->key == (started < held ? started : held));
    }
    if (is_locking(entity) && entity->parent->ready.order == TAKT_ORDER_KEYS) {
        const bool is_first = is_started && entity->task->extension->threshold == TAKT_KEY_MOST_URGENT;
        HOLDS(entity->tie >> 20 == (is_first ? 0u : 1u + entity->task->job.task_class));
    }
}

/* A job that has neither started nor holds nor waits has the key of its job. */
static void check_key(takt_entity_t *entity, const takt_job_t *job) {
    if ((entity->state & TAKT_STATE_STARTED) != 0 || is_locking(entity)) {
        check_displaced_key(entity, job);
    } else {
        check_unmodified_key(entity, job);
    }
}

/* ---- servers, tasks, threads --------------------------------------------------------------------- */

static bool has_begun(const takt_server_t *server) { return server->job.number > 0; }

/* What is there, what has been charged in this interval and what is to return is the capacity. */
static void check_returns(const takt_server_t *server) {
    const takt_server_returns_t *returns = server->returns;
    takt_duration_t sum = returns->untouched;
    HOLDS(returns->count + returns->arrived <= TAKT_SERVER_RETURNS);
    for (uint32_t i = 0; i < returns->count; i++) {
        const takt_server_return_t *one = takt_server_return(returns, i);
        HOLDS(one->amount > 0 && (i == 0 || one->instant >= takt_server_return(returns, i - 1u)->instant));
        sum += one->amount;
    }
    HOLDS(sum == server->capacity);
    HOLDS(returns->untouched >= budget_of(server));
    HOLDS(takt_timer_is_armed(&server->replenishment) == (returns->count > 0));
    HOLDS(returns->count == 0 || server->replenishment.instant == returns->ring[returns->first].instant);
}

/* A constant-bandwidth server waits for its budget only while that is used up, or when that instant is over; if it
 * has work it does wait, or has got another budget at once. */
static void check_bandwidth(const takt_server_t *server, bool has_work, takt_instant_t now) {
    const bool waits = takt_timer_is_armed(&server->replenishment);
    HOLDS(!waits || server->kind == &takt_server_hard_cbs);
    HOLDS(!waits || budget_of(server) == 0 || server->replenishment.instant <= now);
    HOLDS(!has_work || budget_of(server) > 0 || waits);
}

/* When its budget comes back, which each kind has in its own way. */
static void check_replenishment(const takt_server_t *server, bool has_work, takt_instant_t now) {
    if (!has_begun(server)) {
        HOLDS(takt_timer_is_armed(&server->replenishment) && budget_of(server) == 0);
    } else if (server->kind->has_returns) {
        check_returns(server);
    } else if (server->kind->runs_timers_without_budget) {
        check_bandwidth(server, has_work, now);
    } else {
        HOLDS(server->replenishment.instant == server->job.deadline);
        HOLDS(takt_timer_is_armed(&server->replenishment));
    }
}

static void check_server(takt_system_t *system, takt_server_t *server, takt_instant_t now) {
    const bool has_work = children_of(system, server, true) > 0;
    const bool is_active = budget_of(server) > 0;
    HOLDS(budget_of(server) <= server->capacity);
    HOLDS(takt_entity_is_ready(&server->entity) == (is_active && (has_work || server->kind->idles)));
    HOLDS(server->kind->loses_idle_budget || !takt_timer_is_armed(&server->instant_end));
    check_replenishment(server, has_work, now);
    check_wheel(system, server, now);
    check_wake(system, server, now);
    if (takt_entity_is_ready(&server->entity)) {
        check_key(&server->entity, &server->job);
    }
}

/* Waiting jobs and later arrivals share the ring; the release timer stands at the first of the latter. */
static void check_release_timer(const takt_task_t *task) {
    const bool is_armed = takt_timer_is_armed(&task->timer);
    if (!takt_task_is_periodic(task)) {
        HOLDS(task->waiting <= task->extension->count);
        HOLDS(task->extension->count <= task->extension->capacity);
        HOLDS(is_armed == (task->extension->count > task->waiting));
    }
    HOLDS(is_armed || !takt_task_is_periodic(task));
}

static void check_extension(const takt_task_t *task, bool is_active) {
    const takt_task_extension_t *extension = task->extension;
    const bool is_suspended = takt_timer_is_armed(&extension->resume);
    const bool expires = takt_timer_is_armed(&extension->expiry);
    HOLDS(expires == (is_active && (extension->on_miss & TAKT_ON_MISS_ABORT) != 0));
    HOLDS(!expires || extension->expiry.instant == task->job.deadline);
    HOLDS(!is_suspended || (is_active && !takt_entity_is_ready(task->entity)));
    HOLDS(!is_suspended || (task->entity->state & TAKT_STATE_STARTED) == 0);
    HOLDS(!is_locking(task->entity) || (is_active && !is_suspended));
    HOLDS(extension->skipped == 0 || (is_active && (extension->on_miss & TAKT_ON_MISS_SKIP) != 0));
}

static void check_job(const takt_task_t *task) {
    HOLDS(task->job.deadline == task->job.release + task->relative_deadline);
    HOLDS(task->job.remaining <= task->wcet);
    check_key(task->entity, &task->job);
}

static void check_task(const takt_task_t *task) {
    const uint32_t state = task->entity->state;
    const bool is_active = (state & TAKT_STATE_ACTIVE) != 0;
    const bool is_limited = (task->entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0;
    HOLDS((state & TAKT_STATE_WAITING) == 0);
    HOLDS(is_active || ((state & (TAKT_STATE_READY | TAKT_STATE_STARTED)) == 0 && task->waiting == 0));
    HOLDS(is_limited || (state & TAKT_STATE_STARTED) == 0);
    check_release_timer(task);
    if (task->extension != NULL) {
        check_extension(task, is_active);
    }
    if (is_active) {
        check_job(task);
    }
}

/* Its own level, or that of what it holds; where keys order, in the tail, or behind all that has a job of that key. */
static void check_thread(takt_entity_t *entity) {
    const bool has_keys = entity->parent->ready.order == TAKT_ORDER_KEYS;
    const uint32_t rank = is_locking(entity) ? TAKT_TIE_RANK_LOCKING : TAKT_TIE_RANK_OWN;
    HOLDS((entity->state & ~(uint32_t)TAKT_STATE_READY) == 0);
    HOLDS(entity->task == NULL);
    const takt_key_t own = entity->level + (has_keys ? TAKT_KEY_OF_TAIL : 0u);
    HOLDS(entity->key == key_of_holder(entity, own));
    HOLDS(!has_keys || entity->key == own || entity->tie >> 20 == TAKT_CLASS_NONE + rank);
}

void check_invariants(takt_system_t *system, const takt_system_spec_t *spec, takt_instant_t now,
                      bool have_levels_changed) {
    check_ready_set(system, &system->dispatcher->root, spec->levels);
    check_wheel(system, &system->dispatcher->root, now);
    for (uint32_t i = 0; i < system->server_count; i++) {
        check_ready_set(system, &system->servers[i], spec->servers[i].levels);
        check_server(system, &system->servers[i], now);
    }
    for (uint32_t i = 0; i < system->task_count; i++) {
        check_task(&system->tasks[i]);
    }
    for (uint32_t i = 0; i < system->thread_count; i++) {
        check_thread(&system->threads[i].entity);
    }
    check_locks(system, have_levels_changed);
}

/* ---- after the steps ----------------------------------------------------------------------------- */

static uint64_t released_by(const takt_task_spec_t *task, takt_instant_t now) {
    return now < task->offset ? 0u : (now - task->offset) / task->period + 1u;
}

static uint64_t jobs_so_far(const takt_task_t *task) {
    const bool is_active = (task->entity->state & TAKT_STATE_ACTIVE) != 0;
    const uint32_t skipped = task->extension != NULL ? task->extension->skipped : 0u;
    return (uint64_t)task->job.number + is_active + task->waiting + skipped;
}

static void check_releases(const takt_task_t *task, const takt_task_spec_t *spec, takt_instant_t now) {
    const takt_task_extension_t *extension = task->extension;
    HOLDS(!takt_timer_is_armed(&task->timer) || task->timer.instant > now);
    HOLDS(!takt_task_is_periodic(task) || jobs_so_far(task) == released_by(spec, now));
    if (extension != NULL) {
        HOLDS(!takt_timer_is_armed(&extension->expiry) || extension->expiry.instant > now);
        HOLDS(!takt_timer_is_armed(&extension->resume) || extension->resume.instant > now);
    }
}

/* A server that loses its idle budget has no budget after an instant at which it had no work. */
static void check_server_settled(takt_system_t *system, const takt_server_t *server, takt_instant_t now) {
    const bool has_work = children_of(system, server, true) > 0;
    HOLDS(!takt_timer_is_armed(&server->replenishment) || server->replenishment.instant > now);
    HOLDS(!takt_timer_is_armed(&server->instant_end) || server->instant_end.instant > now);
    HOLDS(!server->kind->loses_idle_budget || has_work || budget_of(server) == 0);
}

void check_nothing_due(takt_system_t *system, const takt_system_spec_t *spec, takt_instant_t now) {
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        if (is_active_up_to_the_root(takt_server_parent(server))) {
            check_server_settled(system, server, now);
        }
    }
    for (uint32_t i = 0; i < system->task_count; i++) {
        if (is_active_up_to_the_root(system->tasks[i].entity->parent)) {
            check_releases(&system->tasks[i], &spec->tasks[i], now);
        }
    }
}

/* ---- decisions ----------------------------------------------------------------------------------- */

static void check_most_urgent(takt_system_t *system, const takt_server_t *parent, const takt_entity_t *best) {
    for (uint32_t id = 1; id <= entity_count(system); id++) {
        const takt_entity_t *other = takt_system_entity(system, id);
        if (other->parent == parent && takt_entity_is_ready(other)) {
            HOLDS(!goes_first(parent, other, best));
        }
    }
}

/* `chosen` is the most urgent child of its parent, or in the end blocks that one. */
static void check_choice(takt_system_t *system, takt_entity_t *chosen) {
    takt_server_t *parent = chosen->parent;
    takt_entity_t *best = takt_ready_best(&parent->ready);
    HOLDS(takt_entity_is_ready(chosen));
    HOLDS(best != NULL && end_of_chain(system, best) == chosen);
    check_most_urgent(system, parent, best);
}

/* No timer that counts stands before `until`: of the root, and of servers with budget. */
static void check_until(const takt_system_t *system, takt_instant_t until, takt_instant_t now) {
    HOLDS(is_in_time(until, earliest_inside(system, &system->dispatcher->root), now));
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        HOLDS(!is_active_up_to_the_root(server) || is_in_time(until, earliest_inside(system, server), now));
    }
}

/* Not because it has started, nor for what it holds or blocks. */
static bool runs_by_its_own_key(takt_entity_t *entity) {
    const bool is_own = !is_locking(entity) || entity->key == entity->task->base_key;
    const bool is_best = entity == takt_ready_best(&entity->parent->ready);
    return is_own && is_best && (entity->state & TAKT_STATE_STARTED) == 0;
}

/* No waiting job goes before `entity` in the last tick that it may execute for `elapsed` ticks. */
static void check_not_overtaken(takt_system_t *system, takt_entity_t *entity, const takt_job_t *job,
                                takt_duration_t elapsed) {
    if (entity->parent->policy->overtake == NULL || elapsed == 0 || !runs_by_its_own_key(entity)) {
        return;
    }
    takt_job_t later = *job;
    later.remaining -= elapsed - 1u < later.remaining ? elapsed - 1u : later.remaining;
    takt_entity_t then = keyed_by(entity, &later);
    then.tie = entity->tie;
    for (uint32_t id = 1; id <= entity_count(system); id++) {
        const takt_entity_t *other = takt_system_entity(system, id);
        HOLDS(other == entity || other->parent != entity->parent || !takt_entity_is_ready(other) ||
              !goes_first(entity->parent, other, &then));
    }
}

static const takt_job_t *job_of(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return &takt_server_of(entity)->job;
    }
    return entity->task != NULL ? &entity->task->job : NULL;
}

/* A server that runs idles: nothing inside is ready. */
static bool idles(takt_system_t *system, takt_entity_t *entity) {
    const takt_server_t *server = takt_server_of(entity);
    return server->kind->idles && children_of(system, server, true) == 0 && budget_of(server) > 0;
}

static takt_duration_t budget_for(takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? budget_of(takt_server_of(entity)) : TAKT_NEVER;
}

void check_decision(takt_system_t *system, const takt_decision_t *decision, takt_instant_t now) {
    const takt_duration_t elapsed = decision->until > now ? decision->until - now : 0;
    takt_entity_t *entity = decision->entity;
    HOLDS(system->cpus->running == entity && system->cpus->charged_at == now);
    HOLDS(entity != NULL || children_of(system, &system->dispatcher->root, true) == 0);
    HOLDS(entity == NULL || !takt_entity_is_server(entity) || idles(system, entity));
    check_until(system, decision->until, now);
    while (entity != NULL) {
        HOLDS(elapsed <= budget_for(entity));
        check_choice(system, entity);
        if (job_of(entity) != NULL) {
            check_not_overtaken(system, entity, job_of(entity), elapsed);
        }
        entity = takt_server_is_root(entity->parent) ? NULL : &entity->parent->entity;
    }
}

bool somebody_is_more_urgent(takt_system_t *system, takt_entity_t *entity) {
    const bool has_ties = entity->parent->ready.order == TAKT_ORDER_KEYS;
    const takt_key_t key = key_of_holder(entity, entity->task->base_key);
    const uint32_t class_rank = TAKT_TIE_RANK_LOCKING + entity->task->job.task_class;
    const uint32_t tie =
        is_locking(entity) ? class_rank << 20 | takt_entity_number(entity) : entity->task->base_tie;
    for (uint32_t id = 1; id <= entity_count(system); id++) {
        const takt_entity_t *other = takt_system_entity(system, id);
        const bool competes =
            other != entity && other->parent == entity->parent && takt_entity_is_ready(other);
        if (competes && takt_is_more_urgent(other->key, other->tie, key, has_ties ? tie : 0u)) {
            return true;
        }
    }
    return false;
}
