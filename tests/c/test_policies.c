/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Order properties of every policy in the table: a policy enters this matrix by being in the table.
 *
 * Random jobs of distinct entities get their keys from the policy's release; the order of (key, tie) must
 * then be irreflexive, antisymmetric, transitive and, where ties decide, total, with the smaller entity number
 * first among equal keys; the same job must always get the same key; keys must lie in
 * 1 .. TAKT_KEY_LEAST_URGENT; and nothing but key and tie may be written. */
#include "policy/table.h"

#include <string.h>

#include "check.h"

#define REMAINING (UINT64_C(1) << 62)

enum { ENTITIES = 12, SEQUENCES = 2000, LEVELS = 40 };

static takt_entity_t entities[ENTITIES];
static takt_job_t jobs[ENTITIES];

static bool is_before(uint32_t a, uint32_t b) {
    return takt_is_more_urgent(entities[a].key, entities[a].tie, entities[b].key, entities[b].tie);
}

static bool are_ordered(uint32_t a, uint32_t b) { return is_before(a, b) || is_before(b, a); }

/* ---- the properties ------------------------------------------------------------------------ */

static void check_range(const takt_policy_t *policy, uint32_t index) {
    const takt_key_t key = entities[index].key;
    CHECK(key != TAKT_KEY_MOST_URGENT);
    CHECK(key <= TAKT_KEY_LEAST_URGENT);
    CHECK(policy->order == TAKT_ORDER_KEYS || key <= LEVELS);
}

/* SPEC.md, 3: class, then entity number. */
static bool is_first_of_equals(uint32_t a, uint32_t b) {
    if (jobs[a].task_class != jobs[b].task_class) {
        return jobs[a].task_class < jobs[b].task_class;
    }
    return takt_entity_number(&entities[a]) < takt_entity_number(&entities[b]);
}

static void check_pair(const takt_policy_t *policy, uint32_t a, uint32_t b) {
    CHECK(!(is_before(a, b) && is_before(b, a)));
    if (a == b) {
        CHECK(!is_before(a, b));
    } else if (policy->order == TAKT_ORDER_KEYS) {
        CHECK(are_ordered(a, b));
        CHECK(entities[a].key != entities[b].key || is_before(a, b) == is_first_of_equals(a, b));
    } else {
        CHECK(are_ordered(a, b) || entities[a].key == entities[b].key);
    }
}

/* Also for "neither goes first", or a list of equals would have no place in the order. */
static void check_triple(uint32_t a, uint32_t b, uint32_t c) {
    CHECK(!is_before(a, b) || !is_before(b, c) || is_before(a, c));
    CHECK(are_ordered(a, b) || are_ordered(b, c) || !are_ordered(a, c));
}

static void check_order(const takt_policy_t *policy) {
    for (uint32_t a = 0; a < ENTITIES; a++) {
        check_range(policy, a);
        for (uint32_t b = 0; b < ENTITIES; b++) {
            check_pair(policy, a, b);
            for (uint32_t c = 0; c < ENTITIES; c++) {
                check_triple(a, b, c);
            }
        }
    }
}

/* A second release of the same job, whatever key stood there, writes the same key and nothing else. */
static void check_release_is_a_function(const takt_policy_t *policy, uint32_t index) {
    takt_entity_t before;
    takt_job_t job;
    memcpy(&before, &entities[index], sizeof before);
    memcpy(&job, &jobs[index], sizeof job);
    entities[index].key = check_random();
    entities[index].tie = takt_tie_of((uint32_t)check_below(16), takt_entity_number(&before));
    policy->release(&entities[index], &jobs[index]);
    CHECK(memcmp(&entities[index], &before, sizeof before) == 0);
    CHECK(memcmp(&jobs[index], &job, sizeof job) == 0);
}

/* Whether `a`, which executes, still goes before `b` after `elapsed` more ticks. */
static bool stays_before(const takt_policy_t *policy, uint32_t a, uint32_t b, takt_duration_t elapsed) {
    takt_entity_t running = entities[a];
    takt_job_t job = jobs[a];
    job.remaining -= elapsed < job.remaining ? elapsed : job.remaining;
    policy->release(&running, &job);
    return takt_is_more_urgent(running.key, running.tie, entities[b].key, entities[b].tie);
}

/* The instant of overtaking is the first at which the waiting one goes before the running one. */
static void check_overtaking(const takt_policy_t *policy, uint32_t a, uint32_t b) {
    const takt_duration_t until = policy->overtake(&entities[a], &jobs[a], &entities[b]);
    CHECK(until > 0);
    if (until == TAKT_NEVER) {
        CHECK(stays_before(policy, a, b, jobs[a].remaining));
    } else {
        CHECK(stays_before(policy, a, b, until - 1u));
        CHECK(!stays_before(policy, a, b, until));
    }
}

static void check_all_overtaking(const takt_policy_t *policy) {
    for (uint32_t a = 0; policy->overtake != NULL && a < ENTITIES; a++) {
        for (uint32_t b = 0; b < ENTITIES; b++) {
            if (is_before(a, b) && entities[b].key < TAKT_KEY_LEAST_URGENT) {
                check_overtaking(policy, a, b);
            }
        }
    }
}

/* ---- random jobs --------------------------------------------------------------------------- */

/* Few values make many ties; deadlines go up to the largest key. */
static void make_job(takt_job_t *job, uint64_t values) {
    const takt_instant_t deadline = 1u + check_below(values);
    memset(job, 0, sizeof *job);
    job->task_class = (uint32_t)check_below(3);
    job->level = 1u + check_below(values < LEVELS ? values : LEVELS);
    job->deadline = deadline;
    job->release = check_below(deadline);
    job->number = (uint32_t)check_below(values);
    job->period = check_below(values);
    job->remaining = check_below(values < REMAINING ? values : REMAINING);
}

static void make_entity(takt_entity_t *entity, uint32_t id) {
    memset(entity, 0, sizeof *entity);
    entity->tie = id;
}

static void check_random_jobs(const takt_policy_t *policy) {
    const uint64_t values = check_below(2) == 0 ? 4u : TAKT_KEY_LEAST_URGENT;
    const uint32_t first_id = (uint32_t)check_below(TAKT_ENTITY_LIMIT - ENTITIES);
    for (uint32_t index = 0; index < ENTITIES; index++) {
        make_entity(&entities[index], first_id + index);
        make_job(&jobs[index], values);
        policy->release(&entities[index], &jobs[index]);
        check_release_is_a_function(policy, index);
    }
    check_order(policy);
    check_all_overtaking(policy);
}

static void random_sequence(void) {
    for (size_t index = 0; index < takt_policy_count; index++) {
        check_random_jobs(takt_policies[index]);
    }
}

/* ---- the table ----------------------------------------------------------------------------- */

static void check_is_filled(const takt_policy_t *policy) {
    CHECK(policy->version == TAKT_POLICY_VERSION);
    CHECK(policy->size == sizeof(takt_policy_t));
    CHECK(policy->order == TAKT_ORDER_LEVELS || policy->order == TAKT_ORDER_KEYS);
    CHECK(policy->release != NULL);
    CHECK(policy->name[0] != '\0' && policy->summary[0] != '\0' && policy->tie[0] != '\0');
}

static void check_table(void) {
    CHECK(takt_policy_count >= 1);
    for (size_t index = 0; index < takt_policy_count; index++) {
        check_is_filled(takt_policies[index]);
        CHECK(index == 0 || strcmp(takt_policies[index - 1]->name, takt_policies[index]->name) < 0);
    }
}

int main(void) {
    check_table();
    check_sequences(random_sequence, SEQUENCES);
    return check_report("test_policies");
}
