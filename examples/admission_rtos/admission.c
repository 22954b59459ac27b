/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The analysis of admission.h. All memory is static, 6 KB for 20 tasks. */
#include "admission.h"

/* The thread that admits is one of the set, behind all others; in front of them stands the work of the kernel. */
enum { ALL = ADMISSION_TASKS + 1, EXPANDED = 2 * ALL + 1, SELDOM = 1000000000 };

static takt_sporadic_t all[ALL];
static takt_duration_t masked[ALL];

static takt_sporadic_t tasks_with_costs[EXPANDED];
static takt_duration_t blocking[EXPANDED];
static takt_fp_end_t ends[EXPANDED];
static uint32_t above[EXPANDED];
static takt_fraction_t fractions[EXPANDED];
static uint64_t next_releases[EXPANDED], later_releases[EXPANDED];
static takt_response_t found[EXPANDED];

static const takt_draft_t draft = {
    tasks_with_costs, blocking, ends, {fractions, next_releases, later_releases}};

/* It computes while no other thread does, and has no deadline; others wait only while it masks interrupts. */
static takt_sporadic_t admitting(void) {
    const takt_duration_t wcet = admission_masked > 0 ? admission_masked : 1u;
    return (takt_sporadic_t){wcet, SELDOM, SELDOM, 0};
}

static takt_overhead_set_t gather(const takt_sporadic_t *tasks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        all[i] = tasks[i];
        masked[i] = 0;
    }
    all[count] = admitting();
    masked[count] = admission_masked;
    return (takt_overhead_set_t){
        .tasks = all, .count = count + 1u, .longest = masked, .costs = admission_costs};
}

/* Up to the first that is late, or not known to be in time. */
static admission_answer_t read_answer(const takt_sporadic_t *tasks, uint32_t count,
                                      const takt_response_t *responses) {
    for (uint32_t i = 0; i < count; i++) {
        if (!responses[i].is_decided) {
            return (admission_answer_t){.verdict = TAKT_UNDECIDED};
        }
        if (!responses[i].is_bounded || responses[i].ticks > tasks[i].deadline) {
            return (admission_answer_t){.verdict = TAKT_UNSCHEDULABLE, .late = i};
        }
    }
    return (admission_answer_t){.verdict = TAKT_SCHEDULABLE};
}

admission_answer_t admission_judge(const takt_sporadic_t *tasks, uint32_t count, takt_response_t *responses) {
    const takt_overhead_set_t set = gather(tasks, count);
    takt_effort_t effort = ADMISSION_STEPS;
    takt_fp_set_t expanded;
    if (!takt_overheads_expand(&set, &draft, above, &expanded)) {
        return (admission_answer_t){.verdict = TAKT_UNDECIDED};
    }
    takt_fp_responses(&expanded, draft.memory, &effort, found);
    for (uint32_t i = 0; i < count; i++) {
        responses[i] = found[expanded.count - set.count + i];
    }
    admission_answer_t answer = read_answer(tasks, count, responses);
    answer.steps = ADMISSION_STEPS - (uint32_t)effort;
    return answer;
}
