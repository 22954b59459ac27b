/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response times where scheduling takes time and releases are detected late.
 *
 * Sources: the models are those of Vetromille et al. 2006 (SoRTS, Co-SoRTS, HaRTS) as SPEC.md, 5 has them; the paper has no test. Tindell, Burns
 * and Wellings 1994 (a scheduler with ticks delays releases, as jitter does); Audsley et al. 1993 (jitter); Spuri 1996 (EDF).
 * This analysis combines them.
 *
 * A decision is an instant at which the scheduler detects releases and selects a job. From the decision that detects
 * it, a job is scheduled without delay: the most urgent of the detected jobs is selected, at once when one completes
 * and when another is detected; only the scheduler's own work comes in between. A busy period of some tasks begins at 0
 * with a decision that detects a job of theirs while none is detected, and ends when none is. With
 *
 *   G     a job that is detected at 0 or later was released at -G or later: the decision before 0 detected all earlier
 *         jobs
 *   lag   a job that executes, or is switched to, before x was released before x - lag
 *   e(x)  the number of entries by the timer that begin in [0, x)
 *   s     the time to switch to the detected job: to the first one, or to one that preempts
 *   v     the time from the end of a job, or its drop, until another one executes
 *
 * [0, x) of a busy period contains, beside execution, e(x) entries, at most s for each detected job, and v for each job
 * that ended. Of task j at most n_j(x) = ceil((x - lag + G + J_j) / T_j) jobs can execute in it. So:
 *
 *   (1)  fixed priorities: in a busy period of i and hp(i), job k of i ends by F_k, the least x = e(x) CS + k (C_i + s + v) +
 *        s + C_i + sum over hp(i) of n_j(x) (C_j + s + v). For [0, x) is full; if the job had not ended, jobs that are
 *        counted, their s and v, and the entries would have taken less than x.
 *   (2)  R_i = max over k of G + J_i + F_k - k T_i. That is lag, and what response_times.c finds of tasks (C + s + v, T, J + G
 *        - lag) whose last job takes C + s, behind one task (CS, P) that makes the entries.
 *   (3)  EDF: in a busy period of all jobs with deadlines up to some instant, y after -G, the last one ends by F(y), the least
 *        x = e(x) CS + sum of min(n_j(x), due_j(y)) (C_j + s + v) - v, due_j(y) jobs having release and deadline in y ticks.
 *        So R_i = max over y >= D_i - J_i of G + F(y) - (y - D_i). F changes at deadlines only, and is never beyond the
 *        longest busy period L.
 *
 * The parameters of the models, with h = floor(CS / 2):
 *
 *   software     lag = CS, s = 0, v = CS: a job that an entry selects executes after it; a completion is an entry.
 *                Entries at ticks begin P apart at least, P = I + CS, or I if ticks are fixed; decisions follow each
 *                other after P at most, since a tick that a completion's entry delays comes right after it. Either
 *                (a) the decision at 0 is a tick's: G = P - 1, e(x) = ceil(x / P); or
 *                (b) it is a completion's, before the timer expires: G = P - 2. Its entry is one more, and the timer's
 *                    follow from CS on, or, if fixed, are due from 1 on: e(x) = 1 + ceil((x - CS) / P), or
 *                    1 + ceil((x - 1) / P). A job executed between the previous decision and this one, and a tick after
 *                    that: P > CS + 1.
 *                A tick that the previous entry delayed has G = CS - 1: (b) covers it. The larger response counts.
 *   hardware     lag = 0, s = v = h: a release waits for the end of a switch that began before it, G = h - 1.
 *   coprocessor  lag = L, s = h, v = 2 h + L: to idle, a decision, to the next. A decision that falls into a switch waits for
 *                its end, G = L + h - 1; one that falls on a completion, or behind it, until L behind the switch to idle: of a
 *                release L before it, G = 2 L + h.
 *
 * The scheduler drops a job that is unfinished at its deadline, or at the next release of its task. A dropped job
 * executes less and costs no more than v, so all bounds hold whichever jobs are dropped. R_i covers jobs that are not
 * dropped; no job of i is dropped if R_i <= min(D_i, T_i).
 *
 * Under EDF the search ends where a job may be late; then no task has a bound.
 *
 * Bound: U <= 1 with e, s and v is decided first, U < 1 under EDF. Then the longest busy period is at most (2 CS + sum of C (1
 * + (G + J) / T)) / (1 - U) with costs in C, and the deadlines in it, and up to the longest one, bound the rest. Left out: a
 * tick and a completion at one instant, which are one entry; jobs that come together, for which one switch does; offsets; the
 * order among equals. So all of this is sufficient only. When not to use it: where jobs do more than run. */
#include "analysis/architectures.h"

#include "analysis/edf_blocking.h"

enum { MOST_STARTS = 2 };

/* One way in which a busy period can begin; names as above. */
typedef struct start {
    uint64_t reach;        /* G */
    uint64_t lag;          /* at most G */
    uint64_t entry;        /* CS of an entry by the timer; 0: there are none */
    uint64_t entry_period; /* P; 1 and up */
    uint64_t entry_jitter; /* e(x) = ceil((x + entry_jitter) / P) */
    uint64_t to;           /* s */
    uint64_t ending;       /* v */
} start_t;

static bool is_small(const takt_scheduled_set_t *set) {
    const uint64_t most = TAKT_ANALYSIS_TIME_MAX / 16u;
    const takt_scheduler_t *scheduler = &set->scheduler;
    bool is_small =
        scheduler->context_switch <= most && scheduler->interval <= most && scheduler->latency <= most;
    for (uint32_t i = 0; i < set->count && is_small; i++) {
        is_small = set->tasks[i].wcet <= most && set->tasks[i].jitter <= most;
    }
    return is_small;
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

/* Writes (a), and (b) if a completion fits between two ticks; returns the number of starts. */
static uint32_t software_starts(const takt_scheduler_t *scheduler, start_t *starts) {
    const bool is_fixed = scheduler->model == TAKT_SCHEDULER_FIXED;
    const uint64_t cost = scheduler->context_switch;
    const uint64_t period = scheduler->interval + (is_fixed ? 0 : cost);
    const uint64_t first = is_fixed ? 1u : cost;
    const uint64_t reach = period > cost ? period - 1u : cost;
    starts[0] = (start_t){reach, cost, cost, period, 0, 0, cost};
    starts[1] = (start_t){reach - 1u, cost, cost, period, period - first, 0, cost};
    return cost > 0 && period > cost + 1u ? 2 : 1;
}

static start_t hardware_start(const takt_scheduler_t *scheduler) {
    const uint64_t half = scheduler->context_switch / 2u;
    return (start_t){half > 0 ? half - 1u : 0, 0, 0, 1, 0, half, half};
}

static start_t coprocessor_start(const takt_scheduler_t *scheduler) {
    const uint64_t half = scheduler->context_switch / 2u;
    const uint64_t latency = scheduler->latency;
    return (start_t){2u * latency + half, latency, 0, 1, 0, half, 2u * half + latency};
}

static uint32_t find_starts(const takt_scheduler_t *scheduler, start_t *starts) {
    if (scheduler->model == TAKT_SCHEDULER_HARDWARE) {
        starts[0] = hardware_start(scheduler);
        return 1;
    }
    if (scheduler->model == TAKT_SCHEDULER_COPROCESSOR) {
        starts[0] = coprocessor_start(scheduler);
        return 1;
    }
    return software_starts(scheduler, starts);
}

/* ---- responses of several starts --------------------------------------------------------------------------------- */

/* The larger response; an undecided one takes precedence, then an unbounded one. */
static takt_response_t worse_of(takt_response_t a, takt_response_t b) {
    const bool is_decided = a.is_decided && b.is_decided;
    const bool is_bounded = is_decided && a.is_bounded && b.is_bounded;
    const uint64_t ticks = a.ticks > b.ticks ? a.ticks : b.ticks;
    return (takt_response_t){is_bounded ? ticks : 0, 0, is_bounded, is_decided};
}

static void make_all(uint32_t count, takt_response_t *responses, takt_response_t what) {
    for (uint32_t i = 0; i < count; i++) {
        responses[i] = worse_of(responses[i], what);
    }
}

static const takt_response_t undecided = {0, 0, false, false};
static const takt_response_t unbounded = {0, 0, false, true};

/* The cost of a job that is not the last one. */
static uint64_t job_of(const takt_sporadic_t *task, const start_t *start) {
    return task->wcet + start->to + start->ending;
}

/* Returns the number of starts whose responses are to be computed; 0 if there is no bound. */
static uint32_t begin(const takt_scheduled_set_t *set, start_t *starts, takt_response_t *responses) {
    const bool is_decided = is_small(set);
    for (uint32_t i = 0; i < set->count; i++) {
        responses[i] = (takt_response_t){0, 0, is_decided, is_decided};
    }
    return is_decided ? find_starts(&set->scheduler, starts) : 0;
}

/* ---- fixed priorities ------------------------------------------------------------------------------------------ */

static uint32_t put_entries(const start_t *start, const takt_scheduled_room_t *room) {
    if (start->entry == 0) {
        return 0;
    }
    room->draft.tasks[0] =
        (takt_sporadic_t){start->entry, start->entry_period, TAKT_ANALYSIS_TIME_MAX, start->entry_jitter};
    room->draft.ends[0] = (takt_fp_end_t){start->entry, 1, 0};
    room->above[0] = 0;
    return 1;
}

/* Builds the set of (2). */
static takt_fp_set_t expand(const takt_scheduled_set_t *set, const start_t *start,
                            const takt_scheduled_room_t *room) {
    const takt_draft_t *draft = &room->draft;
    const uint32_t front = put_entries(start, room);
    for (uint32_t i = 0; i < set->count; i++) {
        const takt_sporadic_t *task = &set->tasks[i];
        draft->tasks[front + i] = *task;
        draft->tasks[front + i].wcet = job_of(task, start);
        draft->tasks[front + i].jitter = task->jitter + start->reach - start->lag;
        draft->ends[front + i] = (takt_fp_end_t){task->wcet + start->to, 1, 0};
        room->above[front + i] = front + (set->above != NULL ? set->above[i] : i);
    }
    return (takt_fp_set_t){draft->tasks, front + set->count, NULL, draft->ends, NULL, room->above};
}

static void add_lag(takt_response_t *response, uint64_t lag) {
    if (response->is_bounded && !takt_checked_plus(response->ticks, lag, &response->ticks)) {
        *response = undecided;
    }
}

static void respond_from(const takt_scheduled_set_t *set, const start_t *start,
                         const takt_scheduled_room_t *room, takt_effort_t *effort,
                         takt_response_t *responses) {
    const takt_fp_set_t expanded = expand(set, start, room);
    takt_response_t *found = room->responses + (expanded.count - set->count);
    takt_fp_responses(&expanded, room->draft.memory, effort, room->responses);
    for (uint32_t i = 0; i < set->count; i++) {
        add_lag(&found[i], start->lag);
        responses[i] = worse_of(responses[i], found[i]);
    }
}

void takt_scheduled_fp_responses(const takt_scheduled_set_t *set, const takt_scheduled_room_t *room,
                                 takt_effort_t *effort, takt_response_t *responses) {
    start_t starts[MOST_STARTS];
    const uint32_t count = begin(set, starts, responses);
    for (uint32_t i = 0; i < count; i++) {
        respond_from(set, &starts[i], room, effort, responses);
    }
}

/* ---- EDF ------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const takt_scheduled_set_t *set;
    start_t start;
    takt_effort_t *effort;
    takt_response_t *responses;
} search_t;

/* Of a y behind all deadlines. */
#define ALL UINT64_MAX

static uint64_t lesser_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t greater_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The jobs of a task that can execute before x and are due in y ticks. */
static uint64_t jobs_of(const start_t *start, const takt_sporadic_t *task, uint64_t x, uint64_t y) {
    const uint64_t released = takt_ceiling(x + (start->reach - start->lag) + task->jitter, task->period);
    return y == ALL ? released : lesser_of(released, takt_jobs_due(task, y));
}

/* *sum += jobs cost; false if that is not below TAKT_ANALYSIS_LIMIT. */
static bool add(uint64_t *sum, uint64_t jobs, uint64_t cost) {
    uint64_t product = 0;
    return takt_checked_times(jobs, cost, &product) && takt_checked_plus(*sum, product, sum);
}

/* The sum of (3), with v of the last job. */
static bool find_work(const search_t *search, uint64_t x, uint64_t y, uint64_t *sum) {
    const takt_scheduled_set_t *set = search->set;
    const start_t *start = &search->start;
    *sum = 0;
    bool is_known = add(sum, takt_ceiling(x + start->entry_jitter, start->entry_period), start->entry);
    for (uint32_t j = 0; j < set->count && is_known; j++) {
        is_known = add(sum, jobs_of(start, &set->tasks[j], x, y), job_of(&set->tasks[j], start));
    }
    return is_known;
}

/* Raises *x to the least one by which the sum of (3), less `spared`, is done, or beyond `until`. On entry *x is at most
 * that. False: undecided. */
static bool advance(const search_t *search, uint64_t y, uint64_t spared, uint64_t until, uint64_t *x) {
    uint64_t sum = 0;
    uint64_t next = *x;
    do {
        *x = next;
        if (!takt_effort_step(search->effort) || !find_work(search, *x, y, &sum) ||
            sum > TAKT_ANALYSIS_TIME_MAX) {
            return false;
        }
        next = sum > spared ? sum - spared : 0;
    } while (next > *x && *x <= until);
    return true;
}

/* The first deadline after y, of all tasks. */
static uint64_t deadline_behind(const takt_scheduled_set_t *set, uint64_t y) {
    uint64_t first = ALL;
    for (uint32_t j = 0; j < set->count; j++) {
        const takt_sporadic_t *task = &set->tasks[j];
        first = lesser_of(first, task->deadline + takt_jobs_due(task, y) * task->period - task->jitter);
    }
    return first;
}

/* Updates R_i: jobs due y after -G finish by `finish`. False: a job is late or unfinished at the next release. */
static bool take_finish(const search_t *search, uint64_t y, uint64_t finish) {
    bool is_met = true;
    for (uint32_t i = 0; i < search->set->count; i++) {
        const takt_sporadic_t *task = &search->set->tasks[i];
        const uint64_t from_release = search->start.reach + finish + task->deadline;
        if (takt_jobs_due(task, y) > 0 && from_release > y) {
            const takt_response_t found = {from_release - y, 0, true, true};
            search->responses[i] = worse_of(search->responses[i], found);
            is_met = is_met && found.ticks <= lesser_of(task->deadline, task->period);
        }
    }
    return is_met;
}

/* The largest y to check: a job that is due later finishes by `end`, the end of the busy period. */
static uint64_t last_of(const search_t *search, uint64_t end) {
    uint64_t last = search->start.reach + end;
    for (uint32_t i = 0; i < search->set->count; i++) {
        last = greater_of(last, search->set->tasks[i].deadline);
    }
    return last;
}

/* (3). The busy period is extended only up to y: near U = 1 it is long, and a job is late early in it. */
static takt_verdict_t look_at_deadlines(const search_t *search) {
    uint64_t end = 1;
    uint64_t finish = 1;
    for (uint64_t y = deadline_behind(search->set, 0);; y = deadline_behind(search->set, y)) {
        if (!advance(search, ALL, 0, y, &end)) {
            return TAKT_UNDECIDED;
        }
        if (y >= last_of(search, end)) {
            return takt_verdict_of(take_finish(search, last_of(search, end), end));
        }
        if (!advance(search, y, search->start.ending, ALL, &finish)) {
            return TAKT_UNDECIDED;
        }
        if (!take_finish(search, y, finish)) {
            return TAKT_UNSCHEDULABLE;
        }
    }
}

static takt_comparison_t load_of(const search_t *search, takt_fraction_t *fractions, uint64_t *rest) {
    const takt_scheduled_set_t *set = search->set;
    const start_t *start = &search->start;
    for (uint32_t j = 0; j < set->count; j++) {
        fractions[j] = (takt_fraction_t){job_of(&set->tasks[j], start), set->tasks[j].period};
    }
    fractions[set->count] = (takt_fraction_t){start->entry, start->entry_period};
    return takt_fractions_compare(fractions, set->count + 1u, rest, search->effort);
}

static void respond_by_deadlines(const search_t *search, takt_fraction_t *fractions, uint64_t *rest) {
    const takt_comparison_t load = load_of(search, fractions, rest);
    const takt_verdict_t verdict = load == TAKT_LESS            ? look_at_deadlines(search)
                                   : load == TAKT_ORDER_UNKNOWN ? TAKT_UNDECIDED
                                                                : TAKT_UNSCHEDULABLE;
    if (verdict != TAKT_SCHEDULABLE) {
        make_all(search->set->count, search->responses, verdict == TAKT_UNDECIDED ? undecided : unbounded);
    }
}

void takt_scheduled_edf_responses(const takt_scheduled_set_t *set, takt_fraction_t *fractions, uint64_t *rest,
                                  takt_effort_t *effort, takt_response_t *responses) {
    start_t starts[MOST_STARTS];
    const uint32_t count = begin(set, starts, responses);
    for (uint32_t i = 0; i < count; i++) {
        const search_t search = {set, starts[i], effort, responses};
        respond_by_deadlines(&search, fractions, rest);
    }
}
