/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocking by shared resources.
 *
 * Sources: L. Sha, R. Rajkumar, J. Lehoczky, Priority inheritance protocols, IEEE Transactions on Computers 1990
 * (pip: theorems 3 and 6; pcp: theorem 12); T. P. Baker, Stack-based scheduling of realtime processes, 1991 (srp,
 * also under EDF); M. Spuri 1996 (B(L)); integer time: algorithms.md 7. A holder has executed at least one tick of
 * its section before a more urgent job comes, since a lock is attempted when its first tick is to be executed, so
 * that cs - 1 ticks are left of it.
 *
 *   npcs              B = max { cs - 1 : task below }
 *   pcp, srp, icpp    B = max { cs - 1 : task below, resource used by i or a task above } under fixed priorities
 *   the same, EDF     B = max { cs - 1 : D beyond Y } + sum over tasks with D below Y of their longest cs - 1, of
 *                         resources with a ceiling of Y or less; Y = max { D : D - J <= L }
 *   pip               B = min( sum over tasks below of their longest such cs - 1, sum over such resources of the longest below )
 *
 * The last line holds for nested sections and for mixed protocols too, if there is no deadlock. Then a resource counts as
 * used by every task whose urgency its holder may get: where no job displaces a holder, by all; inside of another section,
 * by the tasks that the other one delays. A task below delays i only while it holds such a resource. It has held it since
 * before i came, because without it the task does not execute before i. So it delays i in one section, the outermost that
 * counts, and no two tasks hold one resource. Of an interval of
 * length L under EDF, below means a deadline beyond the interval, and what matters is used by a task whose deadline
 * can lie in it. Blocked are only those that began before the interval, once each. Ceilings are relative deadlines, and
 * bar by them whatever is left of a job's deadline when it is released: with jitter, or beside a server whose deadline is
 * nearer than its period, those with D up to Y are in the interval. A task that locks such a resource while another task
 * holds one has a level above that one's ceiling: D < Y. Without jitter Y <= L, and one task holds. algorithms.md 7 has
 * cs instead of cs - 1 for pip, which is safe and not sharp.
 *
 * Exact for npcs, pcp, srp and icpp; for pip a bound, attained where the tasks below hold all these sections at once.
 * Jobs do not suspend themselves. Not for `none`, which bounds nothing. */
#include "analysis/resource_blocking.h"

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void fill(uint64_t *values, uint32_t count, uint64_t value) {
    for (uint32_t i = 0; i < count; i++) {
        values[i] = value;
    }
}

/* Of each resource the most urgent user: a ceiling is a level, which knows no jitter; inheritance begins with a job. */
static void find_ceilings(const takt_sharing_t *sharing, uint64_t *ceilings) {
    const uint64_t *urgency = sharing->locking == TAKT_LOCKING_CEILING ? sharing->late : sharing->early;
    fill(ceilings, sharing->resources, UINT64_MAX);
    for (uint32_t i = 0; i < sharing->count; i++) {
        const takt_section_t *section = &sharing->sections[i];
        ceilings[section->resource] = smaller_of(ceilings[section->resource], urgency[section->task]);
    }
}

/* The lowest preemption level of the jobs that may be delayed, at most `at`: a higher ceiling blocks one of them. */
static uint64_t lowest_level(const takt_sharing_t *sharing, uint64_t at) {
    uint64_t lowest = 0;
    for (uint32_t i = 0; i < sharing->tasks; i++) {
        lowest = sharing->early[i] <= at ? larger_of(lowest, sharing->late[i]) : lowest;
    }
    return lowest;
}

static bool counts(const takt_sharing_t *sharing, const takt_section_t *section, const uint64_t *ceilings,
                   uint64_t at, uint64_t level) {
    const bool is_below = sharing->late[section->task] > at;
    return is_below && (sharing->locking == TAKT_LOCKING_NPCS || ceilings[section->resource] <= level);
}

/* Of each task, and of each resource, the longest section that counts, less the tick that is over. */
static void find_longest(const takt_sharing_t *sharing, uint64_t at, uint64_t level,
                         takt_sharing_memory_t memory) {
    fill(memory.by_task, sharing->tasks, 0);
    fill(memory.by_resource, sharing->resources, 0);
    for (uint32_t i = 0; i < sharing->count; i++) {
        const takt_section_t *section = &sharing->sections[i];
        const uint64_t left = counts(sharing, section, memory.ceilings, at, level) ? section->ticks - 1u : 0;
        memory.by_task[section->task] = larger_of(memory.by_task[section->task], left);
        memory.by_resource[section->resource] = larger_of(memory.by_resource[section->resource], left);
    }
}

/* The sum, at most TAKT_ANALYSIS_LIMIT. */
static uint64_t sum_of(const uint64_t *values, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum = smaller_of(sum + values[i], TAKT_ANALYSIS_LIMIT);
    }
    return sum;
}

static uint64_t largest_of(const uint64_t *values, uint32_t count) {
    uint64_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        largest = larger_of(largest, values[i]);
    }
    return largest;
}

/* One holder, and those that have locked since although it holds something: they have a higher level than its ceiling. */
static uint64_t longest_chain(const takt_sharing_t *sharing, const uint64_t *by_task, uint64_t level) {
    uint64_t first = 0;
    uint64_t others = 0;
    for (uint32_t i = 0; i < sharing->tasks; i++) {
        const bool is_higher = sharing->late[i] < level;
        first = is_higher ? first : larger_of(first, by_task[i]);
        others = is_higher ? smaller_of(others + by_task[i], TAKT_ANALYSIS_LIMIT) : others;
    }
    return smaller_of(first + others, TAKT_ANALYSIS_LIMIT);
}

bool takt_sharing_blocking(const takt_sharing_t *sharing, uint64_t at, takt_sharing_memory_t memory,
                           takt_duration_t *blocking) {
    const bool has_levels = sharing->locking == TAKT_LOCKING_CEILING;
    const uint64_t level = has_levels ? lowest_level(sharing, at) : at;
    find_ceilings(sharing, memory.ceilings);
    find_longest(sharing, at, level, memory);
    const uint64_t by_task = sum_of(memory.by_task, sharing->tasks);
    switch (sharing->locking) {
    case TAKT_LOCKING_PIP:
        *blocking = smaller_of(by_task, sum_of(memory.by_resource, sharing->resources));
        break;
    case TAKT_LOCKING_CEILING:
        *blocking = longest_chain(sharing, memory.by_task, level);
        break;
    default:
        *blocking = largest_of(memory.by_task, sharing->tasks);
        break;
    }
    return *blocking <= TAKT_ANALYSIS_TIME_MAX;
}

/* The least value above `at` at which a task begins to count, or is below no longer; UINT64_MAX if there is none. */
static uint64_t next_change(const takt_sharing_t *sharing, uint64_t at) {
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < sharing->tasks; i++) {
        next = sharing->late[i] > at ? smaller_of(next, sharing->late[i]) : next;
        next = sharing->early[i] > at ? smaller_of(next, sharing->early[i]) : next;
    }
    return next;
}

/* The longest region of a task below, less the tick that is over. */
static uint64_t longest_region(const takt_sharing_t *sharing, const takt_duration_t *regions, uint64_t at) {
    uint64_t longest = 1;
    for (uint32_t i = 0; i < sharing->tasks; i++) {
        longest = sharing->late[i] > at ? larger_of(longest, regions[i]) : longest;
    }
    return longest - 1u;
}

bool takt_sharing_steps(const takt_sharing_t *sharing, const takt_duration_t *regions,
                        takt_sharing_memory_t memory, takt_blocking_step_t *steps, uint32_t *count) {
    bool is_known = true;
    *count = 0;
    for (uint64_t at = 0; at != UINT64_MAX && is_known; at = next_change(sharing, at)) {
        takt_blocking_step_t *step = &steps[*count];
        step->from = at;
        is_known = takt_sharing_blocking(sharing, at, memory, &step->ticks);
        step->ticks += regions != NULL ? longest_region(sharing, regions, at) : 0;
        is_known &= step->ticks <= TAKT_ANALYSIS_TIME_MAX;
        *count += 1;
    }
    return is_known;
}
