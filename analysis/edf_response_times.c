/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times under EDF.
 *
 * Sources: Spuri 1996 (preemptive, jitter, blocking); George, Rivierre, Spuri 1996 (non-preemptive); Bril, Lukkien,
 * Verhaegh 2009 (a last region, under fixed priorities). The worst response of a task is found in a busy period that all
 * other tasks begin at their longest jitter, for some release a of a job of its own (which arrived at a - J, and has the
 * deadline a - J + D). The last region of the job, of Q ticks, begins at s and runs to the end. Q = 1 is the preemptive
 * job, Q = C the non-preemptive one. With caps, how many jobs of each other task have deadlines up to that of the job:
 *     s = B + own jobs, this one included - Q + sum min( floor((s + J_j) / T_j) + 1, cap_j ) C_j,  f = s + Q
 *     response  f - a + J
 * Among equal deadlines the other job counts as first; with ranks only one of a smaller rank does, which is as if each
 * deadline of a larger rank were a tick later. (That of a job that blocks is not: one tick further on the job counts.)
 * Only those a matter at which a deadline of the job meets one of another task's, or a step of B, or at which own
 * jobs are released as early as they may. Own jobs count even if the busy period ends before they come: the least
 * f is not above the finish in the later busy period, so nothing becomes pessimistic.
 *
 * The search for a larger response goes down from the last a, as QPA does: f does not grow towards smaller a while B is
 * constant. A response above the largest so far, R, needs f > X = a + R - J. If the right side of the equation, at X
 * with the largest blocking, is not above X, then f is at most that value, and all a down to that value + J - R are
 * excluded at once. Upper estimates by multiplication with inverses suffice. Where they fail, f is computed for the
 * last a that matters.
 * When not to use it: for a verdict, which QPA gives in a small part of the time.
 * Bounds: a is below the span of demand.h; f at most that, or the deadline, and the longest period, jitter and blocking
 * together, as U <= 1. */
#include "analysis/edf_response_times.h"

typedef struct job_search {
    const takt_sporadic_t *tasks;
    const takt_edf_blocking_t *blocking;
    const takt_duration_t *lasts; /* NULL: 1 each */
    const uint64_t *ranks;        /* NULL: all go before the analysed task */
    takt_edf_line_t *lines;
    uint64_t *caps;
    uint32_t count;
    uint32_t own;
    uint32_t shift;    /* of the inverses */
    bool has_inverses; /* which are fine enough */
    takt_duration_t blocking_most;
    takt_duration_t last; /* no a is larger */
} job_search_t;

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Q of the analysed task. */
static takt_duration_t last_region(const job_search_t *search) {
    return search->lasts != NULL ? search->lasts[search->own] : 1u;
}

/* The length from the begin of the busy period to the deadline; 0 if that comes before. */
static takt_duration_t interval_of(const job_search_t *search, takt_duration_t release) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    return release + own->deadline > own->jitter ? release + own->deadline - own->jitter : 0;
}

/* The relative deadline of another task, a tick later if the analysed task goes before it at equal deadlines. */
static takt_duration_t deadline_of(const job_search_t *search, uint32_t other) {
    const bool is_behind = search->ranks != NULL && search->ranks[other] > search->ranks[search->own];
    return search->tasks[other].deadline + (is_behind ? 1u : 0u);
}

/* Sets the number of jobs of each task with deadlines up to the job's; signed, as jitter may exceed the deadline. */
static void set_caps(const job_search_t *search, takt_duration_t release) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    for (uint32_t i = 0; i < search->count; i++) {
        const takt_sporadic_t *task = &search->tasks[i];
        const int64_t deadline = (int64_t)(release + own->deadline) - (int64_t)own->jitter;
        const int64_t reach = deadline + (int64_t)task->jitter - (int64_t)deadline_of(search, i);
        search->caps[i] = reach < 0 ? 0 : (uint64_t)reach / task->period + 1u;
    }
    search->caps[search->own] = 0;
}

/* The largest number of jobs of `task` released up to s = `instant`. */
static uint64_t jobs_by(const takt_sporadic_t *task, takt_duration_t instant) {
    return (instant + task->jitter) / task->period + 1u;
}

static uint64_t work_by(const job_search_t *search, uint64_t fixed, takt_duration_t instant) {
    uint64_t work = fixed;
    for (uint32_t i = 0; i < search->count; i++) {
        const takt_sporadic_t *task = &search->tasks[i];
        if (search->caps[i] > 0) {
            work += smaller_of(jobs_by(task, instant), search->caps[i]) * task->wcet;
        }
    }
    return work;
}

/* The least s with so much work of its own and blocking. */
static bool settle(const job_search_t *search, uint64_t fixed, takt_duration_t *instant,
                   takt_effort_t *effort) {
    uint64_t work = fixed;
    do {
        *instant = work;
        if (!takt_effort_step(effort)) {
            return false;
        }
        work = work_by(search, fixed, *instant);
    } while (work > *instant);
    return true;
}

/* Own jobs released up to `release`. */
static uint64_t own_jobs(const job_search_t *search, takt_duration_t release) {
    return release / search->tasks[search->own].period + 1u;
}

/* The finish with blocking of `ticks`; the jobs of other tasks are limited by the caps only. */
static bool settle_blocked(const job_search_t *search, takt_duration_t release, takt_duration_t ticks,
                           takt_duration_t *finish, takt_effort_t *effort) {
    const uint64_t own = own_jobs(search, release) * search->tasks[search->own].wcet;
    const takt_duration_t last = last_region(search);
    takt_duration_t start = 0;
    const bool is_settled = settle(search, ticks + own - last, &start, effort);
    *finish = larger_of(*finish, start + last);
    return is_settled;
}

/* A job that blocks although its task has earlier deadlines within the interval, by jitter: those jobs are over. */
static bool settle_behind(const job_search_t *search, takt_duration_t release, uint32_t blocker,
                          takt_duration_t *finish, takt_effort_t *effort) {
    const uint64_t cap = search->caps[blocker];
    search->caps[blocker] = 0;
    const bool is_settled =
        settle_blocked(search, release, search->blocking->regions[blocker] - 1u, finish, effort);
    search->caps[blocker] = cap;
    return is_settled;
}

static bool has_region_behind(const job_search_t *search, uint32_t task, takt_duration_t interval) {
    return search->blocking->regions != NULL && task != search->own &&
           search->tasks[task].deadline > interval && search->blocking->regions[task] > 1u;
}

/* The latest finish of the job released at `release`, over all blocking tasks. */
static bool finish_of(const job_search_t *search, takt_duration_t release, takt_duration_t *finish,
                      takt_effort_t *effort) {
    const takt_duration_t interval = interval_of(search, release);
    const takt_edf_blocking_t sections = {search->blocking->steps, search->blocking->count, NULL};
    takt_duration_t ticks = takt_edf_blocking_at(search->tasks, search->count, &sections, interval).ticks;
    bool is_settled = true;
    *finish = 0;
    set_caps(search, release);
    for (uint32_t i = 0; i < search->count && is_settled; i++) {
        if (has_region_behind(search, i, interval) && search->caps[i] > 0) {
            is_settled = settle_behind(search, release, i, finish, effort);
        } else if (has_region_behind(search, i, interval)) {
            ticks = larger_of(ticks, search->blocking->regions[i] - 1u);
        }
    }
    return is_settled && settle_blocked(search, release, ticks, finish, effort);
}

/* ---- which releases --------------------------------------------------------------------------------- */

/* The latest of offset, offset + period, ... that is not after `limit`, and not before 0; -1 if there is none. */
static int64_t latest_of(int64_t offset, takt_duration_t period, int64_t limit) {
    if (limit < offset) {
        return -1;
    }
    const int64_t latest = limit - (int64_t)((uint64_t)(limit - offset) % period);
    return latest < 0 ? -1 : latest;
}

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* The latest release up to `limit` that matters; -1 if there is none. */
static int64_t latest_release(const job_search_t *search, int64_t limit) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    const int64_t window = (int64_t)own->deadline - (int64_t)own->jitter;
    int64_t latest = -1;
    for (uint32_t i = 0; i < search->count; i++) {
        const takt_sporadic_t *task = &search->tasks[i];
        const int64_t offset = (int64_t)deadline_of(search, i) - (int64_t)task->jitter - window;
        latest = later_of(latest, latest_of(offset, task->period, limit));
    }
    for (uint32_t k = 0; k < search->blocking->count; k++) {
        const int64_t step = (int64_t)search->blocking->steps[k].from - window;
        latest = step <= limit ? later_of(latest, step) : latest;
    }
    return latest;
}

/* ---- the search ------------------------------------------------------------------------------------- */

/* An upper bound of `reach` / T, rounded down; 0 below 0. */
static uint64_t quotient_above(const job_search_t *search, const takt_edf_line_t *line, int64_t reach) {
    const uint64_t seen = reach > 0 ? (uint64_t)reach : 0;
    return search->has_inverses ? seen * line->inverse >> search->shift : seen / line->period;
}

/* An upper bound of the work of others that counts for a deadline after `interval` and a last region from `instant`. */
static uint64_t work_above(const job_search_t *search, int64_t interval, takt_duration_t instant) {
    uint64_t work = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const takt_edf_line_t *line = &search->lines[i];
        const uint64_t due = quotient_above(search, line, interval + line->due);
        const uint64_t released = quotient_above(search, line, (int64_t)instant + line->released);
        work += smaller_of(due, released) * line->wcet;
    }
    return work;
}

/* An upper bound of the finish of the job released at `release`, if that gives a response of at most `largest`;
 * else some later instant. */
static takt_duration_t finish_above(const job_search_t *search, int64_t release, takt_duration_t largest) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    const int64_t interval = release + (int64_t)own->deadline - (int64_t)own->jitter;
    const uint64_t latest = (uint64_t)release + largest - own->jitter;
    const uint64_t tail = last_region(search);
    const uint64_t before = own_jobs(search, (uint64_t)release) * own->wcet - tail;
    return search->blocking_most + before + work_above(search, interval, latest - tail) + tail;
}

/* The first release that the finish of the one at `release` says nothing about: B may be larger before. */
static int64_t first_like(const job_search_t *search, int64_t release) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    const takt_duration_t interval = interval_of(search, (uint64_t)release);
    const takt_blocking_piece_t piece =
        takt_edf_blocking_at(search->tasks, search->count, search->blocking, interval);
    return (int64_t)piece.from - (int64_t)own->deadline + (int64_t)own->jitter;
}

static void raise(const job_search_t *search, int64_t release, takt_duration_t finish,
                  takt_response_t *largest) {
    const uint64_t end = finish + search->tasks[search->own].jitter;
    if (end > largest->ticks + (uint64_t)release) {
        largest->ticks = end - (uint64_t)release;
        largest->job = own_jobs(search, (uint64_t)release) - 1u;
    }
}

/* Checks `release` or, before it, the last release that matters; returns the next one to check, or a negative. */
static int64_t look_at(const job_search_t *search, int64_t release, takt_response_t *largest,
                       takt_effort_t *effort) {
    const int64_t jitter = (int64_t)search->tasks[search->own].jitter;
    const int64_t latest = release + (int64_t)largest->ticks - jitter;
    takt_duration_t finish = finish_above(search, release, largest->ticks);
    if (finish <= (uint64_t)latest) {
        return (int64_t)finish + jitter - (int64_t)largest->ticks - 1;
    }
    const int64_t exact = latest_release(search, release);
    if (exact < 0) {
        return -1;
    }
    if (!finish_of(search, (uint64_t)exact, &finish, effort)) {
        largest->is_decided = false;
        return -1;
    }
    raise(search, exact, finish, largest);
    const int64_t end =
        later_of((int64_t)finish + jitter - (int64_t)largest->ticks, first_like(search, exact));
    return (end < exact ? end : exact) - 1;
}

static void search_range(const job_search_t *search, int64_t first, int64_t last, takt_response_t *largest,
                         takt_effort_t *effort) {
    int64_t release = last;
    while (release >= first && largest->is_decided) {
        largest->is_decided = takt_effort_step(effort);
        release = look_at(search, release, largest, effort);
    }
}

/* In ranges that grow by the factor 2: responses mostly grow towards small a, and a large R clears much of the rest. */
static takt_response_t search_job(const job_search_t *search, takt_effort_t *effort) {
    const takt_sporadic_t *own = &search->tasks[search->own];
    takt_response_t largest = {own->wcet + own->jitter, 0, true, true};
    for (uint64_t first = 0; first <= search->last && largest.is_decided; first = 2u * first + 1u) {
        search_range(search, (int64_t)first, (int64_t)smaller_of(2u * first, search->last), &largest, effort);
    }
    return largest.is_decided ? largest : (takt_response_t){0, 0, false, false};
}

/* ---- all tasks -------------------------------------------------------------------------------------- */

/* An upper bound of the instants of a search; false if it is not below the limit. */
static bool find_reach(const job_search_t *search, takt_duration_t span, uint64_t *reach) {
    uint64_t period = 0;
    uint64_t deadline = 0;
    uint64_t jitter = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        period = larger_of(period, search->tasks[i].period);
        deadline = larger_of(deadline, search->tasks[i].deadline);
        jitter = larger_of(jitter, search->tasks[i].jitter);
    }
    *reach = search->blocking_most;
    return span < TAKT_ANALYSIS_LIMIT && takt_checked_plus(*reach, span, reach) &&
           takt_checked_plus(*reach, period, reach) && takt_checked_plus(*reach, period, reach) &&
           takt_checked_plus(*reach, deadline, reach) && takt_checked_plus(*reach, jitter, reach) &&
           takt_checked_plus(*reach, jitter, reach);
}

/* Inverses as in qpa.c. */
static void fill_lines(job_search_t *search, uint64_t reach) {
    uint64_t period = TAKT_ANALYSIS_TIME_MAX;
    for (uint32_t i = 0; i < search->count; i++) {
        period = smaller_of(period, search->tasks[i].period);
    }
    search->shift = 63u - takt_bits_of(reach / period);
    search->has_inverses = reach < UINT64_C(1) << search->shift;
    for (uint32_t i = 0; i < search->count; i++) {
        const takt_sporadic_t *task = &search->tasks[i];
        const int64_t latest = (int64_t)(task->period + task->jitter);
        search->lines[i] = (takt_edf_line_t){(UINT64_C(1) << search->shift) / task->period + 1u, task->period,
                                             task->wcet, latest - (int64_t)task->deadline, latest};
    }
}

static void answer_all(takt_response_t *responses, uint32_t count, bool is_decided) {
    for (uint32_t i = 0; i < count; i++) {
        responses[i] = (takt_response_t){0, 0, false, is_decided};
    }
}

static void search_jobs(job_search_t *search, takt_response_t *responses, takt_edf_room_t *room,
                        takt_effort_t *effort) {
    const takt_children_t children = {.tasks = search->tasks, .count = search->count};
    const takt_comparison_t order = takt_demand_order(&children, room->shares, room->rests, effort);
    if (order == TAKT_GREATER || order == TAKT_ORDER_UNKNOWN) {
        answer_all(responses, search->count, order == TAKT_GREATER);
        return;
    }
    const takt_duration_t span = takt_edf_span(&children, search->blocking, order, effort);
    uint64_t reach = 0;
    search->blocking_most = takt_edf_blocking_longest(search->blocking, search->count);
    if (!find_reach(search, span, &reach)) {
        answer_all(responses, search->count, false);
        return;
    }
    search->lines = room->lines;
    search->caps = room->rests;
    search->last = span - 1u;
    fill_lines(search, reach);
    for (search->own = 0; search->own < search->count; search->own++) {
        takt_edf_line_t *line = &search->lines[search->own];
        line->wcet = 0;
        responses[search->own] = search_job(search, effort);
        line->wcet = search->tasks[search->own].wcet;
    }
}

void takt_edf_response_times(const takt_sporadic_t *tasks, uint32_t count,
                             const takt_edf_blocking_t *blocking, const takt_duration_t *lasts,
                             const uint64_t *ranks, takt_response_t *responses, takt_edf_room_t *room,
                             takt_effort_t *effort) {
    job_search_t search = {
        .tasks = tasks, .blocking = blocking, .lasts = lasts, .ranks = ranks, .count = count};
    search_jobs(&search, responses, room, effort);
}
