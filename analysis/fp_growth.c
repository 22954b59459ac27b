/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest wcet that each task may have under fixed priorities, by cuts and witnesses instead of whole analyses.
 *
 * Sources: Lehoczky, Sha, Ding 1989 (a job is done by t if its level requests t at most); Bini, Di Natale, Buttazzo 2008
 * (sensitivity: how much a wcet may grow at such a t). Of a level i in which only the first job of the active period counts
 * (R_0 + J_i <= T_i) and that is preempted anywhere, the test succeeds if some t <= min(D_i, T_i) - J_i has
 *
 *   B_i + C_i + sum over the interfering j of ceil((t + J_j) / T_j) C_j + grown jobs_k(t) <= t
 *
 * with jobs_k(t) jobs of task k, 1 if k is i. So each t by which a level was ever finished is a witness: a division
 * gives the wcet of any task k up to which the level meets its deadline. A fixed point is needed only where no witness
 * decides, a search only where it fails; levels that fail often come first. Results are those of a bisection with
 * takt_fp_responses: levels with D > T or a last region use takt_fp_response where no witness decides.
 *
 * Left out: tasks k with regions, whose growth changes what blocks others. */
#include "analysis/fp_growth.h"

typedef struct search {
    const takt_children_t *set;
    takt_children_t changed; /* with another wcet of `task` */
    takt_fp_growth_memory_t room;
    const bool *is_wanted;
    takt_effort_t effort;
    uint32_t task;
    takt_duration_t wcet; /* that it has in `changed` */
    /* By when the first job of the level is done with a shorter wcet, at the earliest; or 1. */
    takt_duration_t done;
} search_t;

static takt_fp_end_t end_of(const takt_children_t *set, uint32_t task) {
    return set->ends != NULL ? set->ends[task] : (takt_fp_end_t){set->tasks[task].wcet, 1, 0};
}

static uint32_t above_of(const takt_children_t *set, uint32_t task) {
    return set->above != NULL ? set->above[task] : task;
}

/* Whether the wcet of the task of the search counts in the response of another. */
static bool interferes(const search_t *search, uint32_t level) {
    return search->task == level || search->task < above_of(search->set, level);
}

static bool is_met(const search_t *search, uint32_t level) {
    const takt_response_t now = search->room.responses[level];
    return now.is_bounded && now.ticks <= search->set->tasks[level].deadline;
}

static void set_wcet(search_t *search, uint32_t task, takt_duration_t wcet) {
    search->task = task;
    search->wcet = wcet;
    search->room.tasks[task].wcet = wcet;
    search->room.ends[task].path = wcet;
}

/* ---- witnesses -------------------------------------------------------------------------------------------- */

/* By when the first job must be done so that no other job counts: 0 of a level that is not judged so. */
static takt_duration_t limit_of(const search_t *search, uint32_t level) {
    const takt_sporadic_t *task = &search->set->tasks[level];
    const takt_duration_t end = task->deadline < task->period ? task->deadline : task->period;
    return end_of(search->set, level).last > 1u || end <= task->jitter ? 0 : end - task->jitter;
}

/* The number of jobs of the task of the search that count for a level in an interval. */
static uint64_t jobs_in(const search_t *search, uint32_t level, takt_duration_t length) {
    const takt_sporadic_t *task = &search->set->tasks[search->task];
    return level == search->task ? 1u : takt_ceiling(length + task->jitter, task->period);
}

/* The longest wcet of the task of the search with which a witness shows that a level meets its deadline. */
static takt_duration_t shown_by(const search_t *search, uint32_t level, takt_fp_witness_t witness) {
    const takt_duration_t wcet = search->set->tasks[search->task].wcet;
    const uint64_t jobs = jobs_in(search, level, witness.length);
    if (witness.left >= 0) {
        return wcet + (uint64_t)witness.left / jobs;
    }
    const uint64_t less = takt_ceiling((uint64_t)-witness.left, jobs);
    return less < wcet ? wcet - less : 0;
}

/* The same by all witnesses of a level. */
static takt_duration_t shown(const search_t *search, uint32_t level) {
    const takt_fp_witness_t *witnesses = &search->room.witnesses[level * TAKT_FP_WITNESSES];
    takt_duration_t most = is_met(search, level) ? search->set->tasks[search->task].wcet : 0;
    for (uint32_t i = 0; i < TAKT_FP_WITNESSES && witnesses[i].length != 0; i++) {
        const takt_duration_t wcet = shown_by(search, level, witnesses[i]);
        most = wcet > most ? wcet : most;
    }
    return most;
}

/* The newest witness comes first, the oldest is dropped. */
static void keep(const search_t *search, uint32_t level, takt_fp_witness_t witness) {
    takt_fp_witness_t *witnesses = &search->room.witnesses[level * TAKT_FP_WITNESSES];
    for (uint32_t i = TAKT_FP_WITNESSES - 1u; i > 0; i--) {
        witnesses[i] = witnesses[i - 1u];
    }
    witnesses[0] = witness;
}

/* ---- one level -------------------------------------------------------------------------------------------- */

/* The requests of a level before `length`, if at most `limit`; else some value above `limit`. No sum overflows: length
 * and work are below 2^62, and since C <= T a task requests at most L + J + T. */
static uint64_t requested(const search_t *search, uint32_t level, takt_duration_t length,
                          takt_duration_t limit) {
    const takt_children_t *set = &search->changed;
    const uint32_t count = above_of(set, level);
    uint64_t work = (set->blocking != NULL ? set->blocking[level] : 0) + set->tasks[level].wcet;
    for (uint32_t j = 0; j < count && work <= limit; j++) {
        const takt_sporadic_t *task = &set->tasks[j];
        work += j == level ? 0 : (length + task->jitter + task->period - 1u) / task->period * task->wcet;
    }
    return work;
}

/* Keeps the interval by which a level is done, as a witness for other wcets. */
static void witness_fixed_point(const search_t *search, uint32_t level, takt_duration_t length) {
    const uint64_t jobs = jobs_in(search, level, length);
    const takt_duration_t wcet = search->set->tasks[search->task].wcet;
    const int64_t left = search->wcet >= wcet ? (int64_t)((search->wcet - wcet) * jobs)
                                              : -(int64_t)((wcet - search->wcet) * jobs);
    keep(search, level, (takt_fp_witness_t){length, left});
}

/* Whether the first job of a level is done by `limit`, which is not 0. */
static takt_verdict_t is_done(search_t *search, uint32_t level, takt_duration_t limit) {
    for (uint64_t length = search->done, work = 0; takt_effort_step(&search->effort); length = work) {
        work = requested(search, level, length, limit);
        if (work > limit) {
            return TAKT_UNSCHEDULABLE;
        }
        if (work <= length) {
            witness_fixed_point(search, level, length);
            search->done = length;
            return TAKT_SCHEDULABLE;
        }
    }
    return TAKT_UNDECIDED;
}

/* Whether a level meets its deadline with the wcet that the task of the search now has. */
static takt_verdict_t judge(search_t *search, uint32_t level) {
    const takt_sporadic_t *task = &search->set->tasks[level];
    const takt_duration_t limit = limit_of(search, level);
    const bool is_all = task->deadline <= task->period && end_of(search->set, level).last == 1u;
    if (is_all && limit == 0) {
        return TAKT_UNSCHEDULABLE;
    }
    const takt_verdict_t first = limit != 0 ? is_done(search, level, limit) : TAKT_UNSCHEDULABLE;
    if (is_all || first != TAKT_UNSCHEDULABLE) {
        return first;
    }
    const takt_response_t found =
        takt_fp_response(&search->changed, level, task->deadline, search->room.memory, &search->effort);
    return found.is_decided ? takt_verdict_of(found.is_bounded && found.ticks <= task->deadline)
                            : TAKT_UNDECIDED;
}

/* A lower bound of the finish of a level's first job with the given wcets: fixed points begin there. */
static takt_duration_t done_now(const search_t *search, uint32_t level) {
    const takt_response_t now = search->room.responses[level];
    const takt_duration_t jitter = search->set->tasks[level].jitter;
    const bool is_first = now.is_bounded && now.job == 0 && now.ticks > jitter;
    return is_first && limit_of(search, level) >= now.ticks - jitter ? now.ticks - jitter : 1u;
}

/* Lowers `growth` to the longest wcet with which a level meets its deadline; false if it is as long as that. */
static bool cut(search_t *search, uint32_t level, takt_growth_t *growth) {
    takt_duration_t beyond = growth->wcet + 1u;
    takt_duration_t least = shown(search, level);
    const takt_duration_t wcet = search->set->tasks[search->task].wcet;
    search->done = least >= wcet ? done_now(search, level) : 1u;
    for (takt_duration_t tried = growth->wcet; least + 1u < beyond && growth->is_decided;
         tried = least + (beyond - least) / 2u) {
        set_wcet(search, search->task, tried);
        const takt_verdict_t verdict = judge(search, level);
        *(verdict == TAKT_SCHEDULABLE ? &least : &beyond) = tried;
        growth->is_decided = verdict != TAKT_UNDECIDED;
    }
    if (least >= growth->wcet) {
        return false;
    }
    growth->wcet = least;
    return true;
}

/* ---- one task --------------------------------------------------------------------------------------------- */

/* Whether the tasks that are wanted, and that the task of the search does not delay, meet their deadlines. */
static takt_verdict_t judge_others(const search_t *search) {
    takt_verdict_t found = TAKT_SCHEDULABLE;
    for (uint32_t level = 0; found != TAKT_UNSCHEDULABLE && !interferes(search, level); level++) {
        if (search->is_wanted[level] && !is_met(search, level)) {
            found = search->room.responses[level].is_decided ? TAKT_UNSCHEDULABLE : TAKT_UNDECIDED;
        }
    }
    return found;
}

/* Moves a level to the front: a level that limits one task often limits others. */
static void ask_first(const search_t *search, uint32_t place) {
    uint32_t *order = search->room.order;
    const uint32_t level = order[place];
    for (uint32_t i = place; i > 0; i--) {
        order[i] = order[i - 1u];
    }
    order[0] = level;
}

static takt_growth_t grow(search_t *search, uint32_t task) {
    const takt_sporadic_t *own = &search->set->tasks[task];
    const takt_duration_t most = own->deadline < own->period ? own->deadline : own->period;
    search->task = task;
    const takt_verdict_t others = judge_others(search);
    takt_growth_t growth = {others == TAKT_UNSCHEDULABLE ? 0 : most, others != TAKT_UNDECIDED};
    for (uint32_t i = 0; i < search->set->count && growth.wcet > 0 && growth.is_decided; i++) {
        const uint32_t level = search->room.order[i];
        const bool is_asked = level == task || (search->is_wanted[level] && interferes(search, level));
        if (is_asked && shown(search, level) < growth.wcet && cut(search, level, &growth)) {
            ask_first(search, i);
        }
    }
    set_wcet(search, task, own->wcet);
    return growth;
}

/* ---- all tasks -------------------------------------------------------------------------------------------- */

static void begin(search_t *search) {
    const takt_children_t *set = search->set;
    for (uint32_t i = 0; i < set->count; i++) {
        search->room.tasks[i] = set->tasks[i];
        search->room.ends[i] = end_of(set, i);
        search->room.order[i] = i;
    }
    for (uint32_t i = 0; i < set->count * TAKT_FP_WITNESSES; i++) {
        search->room.witnesses[i] = (takt_fp_witness_t){0, 0};
    }
}

void takt_fp_growths(const takt_children_t *set, const bool *is_wanted, takt_fp_growth_memory_t memory,
                     takt_effort_t effort, takt_growth_t *growths) {
    const takt_children_t changed = {.tasks = memory.tasks,
                                     .count = set->count,
                                     .blocking = set->blocking,
                                     .ends = memory.ends,
                                     .above = set->above};
    search_t search = {
        .set = set, .changed = changed, .room = memory, .is_wanted = is_wanted, .effort = effort};
    begin(&search);
    takt_fp_responses(set, memory.memory, &search.effort, memory.responses);
    for (uint32_t task = 0; task < set->count; task++) {
        search.effort = effort;
        growths[task] = grow(&search, task);
    }
}
