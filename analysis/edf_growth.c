/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest wcet that each task may have under EDF, by cuts.
 *
 * Sources: Zhang, Burns 2009 (QPA); Balbastre, Ripoll, Crespo 2008 (the longest wcet follows from an interval's demand).
 * An interval t in which the demand is h(t) with the wcets as they are bounds the growth of every task k that has
 * jobs_k(t) > 0 jobs due in it:
 *
 *   h(t) + grown jobs_k(t) <= t
 *
 * So each interval in which QPA finds too much demand is a cut for all tasks. The longest wcet that no cut forbids is
 * tried; where QPA refuses it, its interval is the next cut, and the wcet shrinks by one tick at least. What QPA accepts is
 * the answer, since the cuts show that one more tick is too much. Where U > 1 the answer is below: found by bisection.
 * Left out: blocking, which grows with regions and sections. */
#include "analysis/edf_growth.h"

/* The number of intervals that are kept. */
#define CUTS 16u

typedef struct edge {
    takt_duration_t length; /* 0 of a job that is released at its deadline */
    int64_t left;           /* its length less the demand; negative if demand exceeds it */
} edge_t;

typedef struct search {
    const takt_sporadic_t *tasks; /* as they are */
    uint32_t count;
    takt_edf_growth_memory_t memory;
    takt_effort_t effort;
    edge_t cuts[CUTS];
    uint64_t next; /* so many were found; the next one takes place next % CUTS */
} search_t;

/* The longest wcet of a task that a cut allows. */
static takt_duration_t allowed(const search_t *search, uint32_t task, edge_t cut) {
    const takt_duration_t wcet = search->tasks[task].wcet;
    const uint64_t jobs = takt_jobs_due(&search->tasks[task], cut.length);
    if (jobs == 0) {
        return cut.left < 0 ? 0 : TAKT_ANALYSIS_TIME_MAX;
    }
    if (cut.left >= 0) {
        return wcet + (uint64_t)cut.left / jobs;
    }
    const uint64_t less = takt_ceiling((uint64_t)-cut.left, jobs);
    return less < wcet ? wcet - less : 0;
}

static takt_duration_t allowed_by_all(const search_t *search, uint32_t task, takt_duration_t most) {
    for (uint32_t i = 0; i < CUTS && i < search->next; i++) {
        const takt_duration_t wcet = allowed(search, task, search->cuts[i]);
        most = wcet < most ? wcet : most;
    }
    return most;
}

/* Keeps the interval that a test found; false if its numbers are too large to count with signs. */
static bool keep(search_t *search, uint32_t task, takt_demand_t found) {
    const uint64_t jobs = takt_jobs_due(&search->tasks[task], found.interval);
    const int64_t grown = (int64_t)search->memory.tasks[task].wcet - (int64_t)search->tasks[task].wcet;
    uint64_t changed = 0;
    if (!takt_checked_times((uint64_t)(grown < 0 ? -grown : grown), jobs, &changed) ||
        (changed | found.ticks) > TAKT_ANALYSIS_TIME_MAX) {
        return false;
    }
    const int64_t left = (int64_t)found.interval - (int64_t)found.ticks;
    search->cuts[search->next % CUTS] = (edge_t){found.interval, left + grown * (int64_t)jobs};
    search->next++;
    return true;
}

/* The longest wcet below `beyond` with which U <= 1; 0 if none, or that is not decided. */
static takt_duration_t most_of_load(search_t *search, uint32_t task, takt_duration_t beyond) {
    const takt_children_t children = {.tasks = search->memory.tasks, .count = search->count};
    const takt_demand_room_t *room = &search->memory.room;
    takt_duration_t least = 0;
    while (beyond - least > 1u) {
        takt_duration_t *wcet = &search->memory.tasks[task].wcet;
        *wcet = least + (beyond - least) / 2u;
        const takt_comparison_t order =
            takt_demand_order(&children, room->shares, room->rests, &search->effort);
        *(takt_verdict_of_sum(order) == TAKT_SCHEDULABLE ? &least : &beyond) = *wcet;
    }
    return least;
}

/* Lowers the wcet of a task to one that what was found does not forbid; false if that is not known. */
static bool lower(search_t *search, uint32_t task, takt_demand_t found, takt_growth_t *growth) {
    if (found.ticks == 0) {
        growth->wcet = most_of_load(search, task, growth->wcet);
        return search->effort > 0;
    }
    if (!keep(search, task, found)) {
        return false;
    }
    growth->wcet = allowed_by_all(search, task, growth->wcet);
    return true;
}

static takt_growth_t grow(search_t *search, uint32_t task) {
    static const takt_edf_blocking_t none = {0};
    const takt_sporadic_t *own = &search->tasks[task];
    takt_sporadic_t *changed = &search->memory.tasks[task];
    const takt_children_t children = {.tasks = search->memory.tasks, .count = search->count};
    takt_growth_t growth = {own->deadline < own->period ? own->deadline : own->period, true};
    growth.wcet = allowed_by_all(search, task, growth.wcet);
    bool is_found = false;
    while (growth.wcet > 0 && growth.is_decided && !is_found) {
        changed->wcet = growth.wcet;
        const takt_demand_t found = takt_qpa(&children, &none, &search->memory.room, &search->effort);
        is_found = found.verdict == TAKT_SCHEDULABLE;
        growth.is_decided =
            is_found || (found.verdict == TAKT_UNSCHEDULABLE && lower(search, task, found, &growth));
    }
    changed->wcet = own->wcet;
    return growth;
}

void takt_edf_growths(const takt_sporadic_t *tasks, uint32_t count, takt_edf_growth_memory_t memory,
                      takt_effort_t effort, takt_growth_t *growths) {
    search_t search = {.tasks = tasks, .count = count, .memory = memory};
    for (uint32_t i = 0; i < count; i++) {
        search.memory.tasks[i] = tasks[i];
    }
    for (uint32_t task = 0; task < count; task++) {
        search.effort = effort;
        growths[task] = grow(&search, task);
    }
}
