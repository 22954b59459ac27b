/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Timers beyond half of 32 bits, beyond all of them, and beyond what the kernel's wheel looks at: they expire on time. */
#include "tests/conformance/conformance.h"

enum { JOBS = 3, LATENESS_INSTRUCTIONS = 8000 };

/* Ticks: about 2^31, 2^32 and 2^36. */
static const takt_duration_t periods[] = {UINT64_C(3000000019), UINT64_C(5000000029), UINT64_C(68719476767)};

enum { STREAMS = sizeof periods / sizeof *periods };

static takt_periodic_thread_t threads[STREAMS + 1], late_thread;
static conformance_stack_t stacks[STREAMS], late_stack;
static uint32_t jobs[STREAMS], late_jobs;

static uint32_t own_index(void) {
    uint32_t index = 0;
    while ((void *)takt_kernel_running() != (void *)&threads[index]) {
        index++;
    }
    return index;
}

static void finish(void) {
    check(jobs[0] == JOBS * periods[STREAMS - 1] / periods[0], "every_job_is_released_once");
    check(jobs[1] == JOBS * periods[STREAMS - 1] / periods[1], "every_job_is_released_once");
    check(late_jobs == jobs[1], "every_job_is_released_once");
    board_exit(0);
}

static void work(void *argument) {
    (void)argument;
    const uint32_t index = own_index();
    for (;;) {
        jobs[index]++;
        const takt_instant_t now = takt_kernel_now();
        const takt_instant_t release = jobs[index] * periods[index];
        check(now >= release, "no_job_starts_before_its_release");
        check(now - release < board_span(LATENESS_INSTRUCTIONS),
              "releases_beyond_the_range_of_the_timer_are_on_time");
        if (index == STREAMS - 1 && jobs[index] == JOBS) {
            finish();
        }
        check(takt_wait_next_period() == TAKT_OK, "a_job_in_time_is_told_so");
    }
}

static void work_late(void *argument) {
    (void)argument;
    for (;;) {
        late_jobs++;
        const takt_instant_t now = takt_kernel_now();
        while (takt_kernel_now() <= now + 1u) {
            board_pass();
        }
        check(takt_wait_next_period() == TAKT_DEADLINE_MISSED, "a_late_job_is_told_so");
    }
}

static void create_late(void) {
    const takt_job_parameters_t parameters = {
        .thread = {.entry = work_late, .stack = late_stack, .stack_bytes = sizeof late_stack, .priority = 9},
        .period = periods[1],
        .relative_deadline = 1,
        .offset = periods[1],
    };
    check(takt_periodic_thread_create(&late_thread, &parameters) == TAKT_OK, "creation_succeeds");
}

int main(void) {
    kernel_begin();
    create_late();
    for (uint32_t index = 0; index < STREAMS; index++) {
        periodic_begin(&threads[index], stacks[index], 8u - index, work, periods[index], periods[index]);
    }
    kernel_go();
}
