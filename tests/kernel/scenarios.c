/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Programs of a few threads on the Linux port in virtual time: prints which thread has executed in each tick, then what was said.
 *
 * Reads the name of one of `scenarios`. Threads are a, b, c ... in the order of their creation. */
#include <stdio.h>
#include <string.h>

#include "kernel/component.h"
#include "kernel/kernel.h"
#include "kernel/rate.h"
#include "kernel/slice.h"
#include "kernel/sporadic.h"
#include "policy/table.h"

void takt_posix_interrupt_enable(uint32_t number, void (*handler)(void));
void takt_posix_interrupt_announce(uint32_t number, takt_instant_t instant);
__attribute__((noreturn)) void takt_posix_exit(int status);

enum { HORIZON = 40, THREADS = 4, SAID = 4000, STACK_BYTES = TAKT_STACK_BYTES_MIN + 16384 };

static uint64_t stacks[THREADS][STACK_BYTES / sizeof(uint64_t)];
static char executed[HORIZON + 1], said[SAID];
static uint32_t stack_count;
static char name_a[] = "a", name_b[] = "b", name_c[] = "c";

static void say(const char *what, uint64_t number) {
    const size_t used = strlen(said);
    (void)snprintf(said + used, SAID - used, "%llu %s %lld\n", (unsigned long long)takt_kernel_now(), what,
                   (long long)number);
}

static void must(takt_status_t status) {
    if (status != TAKT_OK) {
        (void)printf("failed: %s\n", takt_status_message(status));
        takt_posix_exit(1);
    }
}

static __attribute__((noreturn)) void finish(void) {
    for (uint32_t i = 0; i < HORIZON; i++) {
        executed[i] = executed[i] != 0 ? executed[i] : '.';
    }
    (void)printf("%s\n%s", executed, said);
    takt_posix_exit(0);
}

static void work(char name, takt_duration_t ticks) {
    for (; ticks > 0; ticks--) {
        takt_port_work(1);
        if (takt_kernel_now() > HORIZON) {
            finish();
        }
        executed[takt_kernel_now() - 1u] = name;
    }
}

/* Executes `argument`, a letter. */
static void work_for_ever(void *argument) {
    for (;;) {
        work(*(const char *)argument, 1);
    }
}

static takt_thread_parameters_t thread_of(void (*entry)(void *), void *argument, uint32_t priority) {
    return (takt_thread_parameters_t){.entry = entry,
                                      .argument = argument,
                                      .stack = stacks[stack_count++],
                                      .stack_bytes = STACK_BYTES,
                                      .priority = priority};
}

static takt_job_parameters_t periodic_of(void (*entry)(void *), uint32_t priority, takt_duration_t period) {
    return (takt_job_parameters_t){
        .thread = thread_of(entry, NULL, priority), .period = period, .relative_deadline = period};
}

static takt_thread_t plain[THREADS];
static takt_periodic_thread_t periodic[THREADS];
static takt_sporadic_thread_t sporadic;
static takt_task_extension_t extension;
static takt_thread_server_t outer, inner;

/* ---- servers ---------------------------------------------------------------------------------------- */

static void ask_budgets(void) {
    takt_duration_t budget;
    takt_instant_t instant;
    must(takt_thread_server_budget(&outer, &budget));
    say("outer", budget);
    must(takt_thread_server_budget(&inner, &budget));
    say("inner", budget);
    must(takt_thread_server_next_replenishment(&inner, &instant));
    say("next", instant);
}

static void ask_budgets_in_interrupt(void) {
    ask_budgets();
    if (takt_kernel_now() == 5) {
        takt_posix_interrupt_announce(0, 12);
    }
}

static void work_and_ask(void *argument) {
    work('a', 2);
    ask_budgets();
    work_for_ever(argument);
}

static void nested(void) {
    takt_thread_server_parameters_t server = {
        .kind = &takt_server_deferrable, .policy = &takt_policy_fp, .period = 10, .budget = 6, .priority = 9};
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_thread_server_create(&outer, &server));
    server.parent = &outer;
    server.budget = 4;
    must(takt_thread_server_create(&inner, &server));
    takt_thread_parameters_t parameters = thread_of(work_and_ask, name_a, 1);
    parameters.server = &inner;
    must(takt_thread_create(&plain[0], &parameters));
    parameters = thread_of(work_for_ever, name_b, 1);
    parameters.server = &outer;
    must(takt_thread_create(&plain[1], &parameters));
    parameters = thread_of(work_for_ever, name_c, 1);
    must(takt_thread_create(&plain[2], &parameters));
    ask_budgets();
    takt_posix_interrupt_enable(0, ask_budgets_in_interrupt);
    takt_posix_interrupt_announce(0, 5);
    must(takt_kernel_start());
}

/* ---- jobs that arrive ------------------------------------------------------------------------------- */

static takt_arrival_t arrivals[2];

static void do_arrived(void *argument) {
    (void)argument;
    for (;;) {
        work('a', 2);
        say("answer", (uint64_t)takt_wait_next_period());
    }
}

static void let_arrive(void *argument) {
    (void)argument;
    work('b', 2);
    say("arrive", (uint64_t)takt_job_arrive(&sporadic.job));
    work('b', 1);
    for (uint32_t i = 0; i < 3; i++) {
        say("arrive", (uint64_t)takt_job_arrive(&sporadic.job));
    }
    work('b', 15);
    say("arrive", (uint64_t)takt_job_arrive(&sporadic.job));
    work_for_ever(name_b);
}

static void arrivals_of(takt_duration_t separation) {
    const takt_job_parameters_t parameters = {
        .thread = thread_of(do_arrived, NULL, 5),
        .separation = separation,
        .relative_deadline = 3,
        .arrivals = arrivals,
        .capacity = 2,
    };
    takt_thread_parameters_t caller = thread_of(let_arrive, NULL, 1);
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_sporadic_thread_create(&sporadic, &parameters));
    must(takt_thread_create(&plain[0], &caller));
    must(takt_kernel_start());
}

static void separated(void) { arrivals_of(5); }
static void aperiodic(void) { arrivals_of(0); }

/* ---- late jobs -------------------------------------------------------------------------------------- */

static const takt_duration_t demands[] = {2, 13, 2, 2};

/* The job number says which demand it has. */
static void do_late(void *argument) {
    (void)argument;
    for (;;) {
        say("number", takt_job_number());
        work('a', demands[takt_job_number() & 3u]);
        say("answer", (uint64_t)takt_wait_next_period());
    }
}

static void late(takt_on_miss_t on_miss, takt_duration_t deadline) {
    takt_job_parameters_t parameters = periodic_of(do_late, 5, 10);
    takt_thread_parameters_t rest = thread_of(work_for_ever, name_b, 1);
    parameters.relative_deadline = deadline;
    parameters.on_miss = on_miss;
    parameters.extension = &extension;
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_periodic_thread_create(&periodic[0], &parameters));
    must(takt_thread_create(&plain[0], &rest));
    must(takt_kernel_start());
}

static void continued(void) { late(TAKT_ON_MISS_CONTINUE, 10); }
static void aborted(void) { late(TAKT_ON_MISS_ABORT, 6); }
static void skipped(void) { late(TAKT_ON_MISS_SKIP, 10); }
static void dropped(void) { late(TAKT_ON_MISS_DROP, 12); }
static void overtaken(void) { late(TAKT_ON_MISS_CONTINUE, 20); }

/* ---- limited preemption and equals ------------------------------------------------------------------ */

static void do_urgent(void *argument) {
    (void)argument;
    for (;;) {
        work('a', 1);
        (void)takt_wait_next_period();
    }
}

/* Four parts; between them a point, an optional one, and none. */
static void do_in_parts(void *argument) {
    (void)argument;
    for (;;) {
        work('b', 3);
        say("flag", takt_job_should_yield());
        must(takt_job_point());
        say("flag", takt_job_should_yield());
        work('b', 9);
        must(takt_job_optional_point());
        say("flag", takt_job_should_yield());
        work('b', 1);
        (void)takt_wait_next_period();
    }
}

static void in_parts(bool is_limited) {
    takt_job_parameters_t parameters = periodic_of(do_urgent, 9, 10);
    parameters.offset = 1;
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_periodic_thread_create(&periodic[0], &parameters));
    parameters = periodic_of(do_in_parts, 5, 20);
    parameters.is_limited = is_limited;
    must(takt_periodic_thread_create(&periodic[1], &parameters));
    must(takt_kernel_start());
}

static void limited(void) { in_parts(true); }
static void preemptive(void) { in_parts(false); }

static void do_cooperative(void *argument) {
    const char name = *(const char *)argument;
    for (;;) {
        work(name, 2);
        must(takt_thread_yield());
        work(name, 1);
        (void)takt_wait_next_period();
    }
}

static void equals(void) {
    must(takt_kernel_init(&takt_policy_fp));
    for (uint32_t i = 0; i < 2; i++) {
        takt_job_parameters_t parameters = periodic_of(do_cooperative, 5, 20);
        parameters.thread.argument = i == 0 ? name_a : name_b;
        must(takt_periodic_thread_create(&periodic[i], &parameters));
    }
    must(takt_kernel_start());
}

static void do_suspending(void *argument) {
    (void)argument;
    for (;;) {
        work('a', 2);
        must(takt_job_suspend(3));
        work('a', 1);
        say("answer", (uint64_t)takt_wait_next_period());
    }
}

static void suspending(void) {
    takt_job_parameters_t parameters = periodic_of(do_suspending, 5, 20);
    takt_thread_parameters_t rest = thread_of(work_for_ever, name_b, 1);
    parameters.extension = &extension;
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_periodic_thread_create(&periodic[0], &parameters));
    must(takt_thread_create(&plain[0], &rest));
    must(takt_kernel_start());
}

/* ---- locks ------------------------------------------------------------------------------------------ */

static takt_resource_t resource;

static void do_bar(void *argument) {
    (void)argument;
    for (;;) {
        work('a', 1);
        must(takt_job_lock(&resource));
        work('a', 4);
        must(takt_job_unlock(&resource));
        work('a', 1);
        (void)takt_wait_next_period();
    }
}

static void do_resume(void *argument) {
    (void)argument;
    must(takt_thread_delay(2));
    work('b', 1);
    must(takt_thread_resume(&plain[1]));
    must(takt_thread_delay(TAKT_NEVER));
}

static void do_after_resumption(void *argument) {
    (void)argument;
    must(takt_thread_suspend(&plain[1]));
    work_for_ever(name_c);
}

/* A plain thread wakes another one while a job holds what has a ceiling between them. */
static void barred(void) {
    takt_job_parameters_t parameters = periodic_of(do_bar, 1, 20);
    parameters.extension = &extension;
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_job_resource_init(&resource, TAKT_PROTOCOL_SRP, takt_level_from_priority(9, TAKT_PRIORITIES),
                                NULL));
    must(takt_periodic_thread_create(&periodic[0], &parameters));
    const takt_thread_parameters_t above = thread_of(do_resume, NULL, 12);
    const takt_thread_parameters_t below = thread_of(do_after_resumption, NULL, 5);
    must(takt_thread_create(&plain[0], &above));
    must(takt_thread_create(&plain[1], &below));
    must(takt_kernel_start());
}

/* ---- rates ------------------------------------------------------------------------------------------ */

static const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 8};
static takt_rates_t rates;
static takt_change_t changes[4];
static takt_rate_thread_t rated[2];

static void tell_state(const char *what, const takt_rate_thread_t *thread) {
    takt_rate_state_t state;
    must(takt_rate_thread_get(thread, &state));
    say(what, state.remaining);
    say("budget", state.budget);
    say("period", state.period);
    say("percent", state.rate * 100u / TAKT_RATE_WHOLE);
    say("deadline", state.deadline);
}

/* Wants more than its wcet. */
static void do_too_much(void *argument) {
    (void)argument;
    for (;;) {
        work('a', 1);
        tell_state("left", &rated[0]);
        work('a', 4);
        say("answer", (uint64_t)takt_wait_next_period());
    }
}

static void do_as_said(void *argument) {
    (void)argument;
    for (;;) {
        work('b', 5);
        say("answer", (uint64_t)takt_wait_next_period());
    }
}

static void add_rated(uint32_t index, void (*entry)(void *), takt_duration_t wcet, takt_duration_t period) {
    const takt_rate_parameters_t parameters = {.thread = thread_of(entry, NULL, 0),
                                               .rates = &rates,
                                               .type = TAKT_CLASS_HARD,
                                               .demand = {.wcet = wcet, .period = period}};
    must(takt_rate_thread_create(&rated[index], &parameters));
}

static void monitored(void) {
    must(takt_kernel_init(&takt_policy_rate_based));
    must(takt_rates_init(&rates, &settings, changes, 4));
    add_rated(0, do_too_much, 2, 10);
    add_rated(1, do_as_said, 5, 10);
    must(takt_rate_thread_enter(&rated[0]));
    must(takt_rate_thread_enter(&rated[1]));
    must(takt_kernel_start());
}

/* Asks for other parameters, once it is there. */
static void do_negotiate(void *argument) {
    (void)argument;
    const takt_rate_demand_t too_much = {.wcet = 8, .period = 10}, enough = {.wcet = 4, .period = 10};
    work('a', 2);
    say("more", (uint64_t)takt_rate_thread_request(&rated[0], &too_much));
    for (uint32_t i = 0; i < 6; i++) {
        say("other", (uint64_t)takt_rate_thread_request(&rated[0], &enough));
    }
    tell_state("left", &rated[0]);
    for (;;) {
        (void)takt_wait_next_period();
        work('a', 1);
        tell_state("left", &rated[0]);
        work('a', 2);
        if (takt_kernel_now() > 20) {
            say("leave", (uint64_t)takt_rate_thread_leave(&rated[0]));
        }
    }
}

static void negotiated(void) {
    must(takt_kernel_init(&takt_policy_rate_based));
    must(takt_rates_init(&rates, &settings, changes, 4));
    add_rated(0, do_negotiate, 2, 10);
    add_rated(1, do_as_said, 5, 10);
    must(takt_rate_thread_enter(&rated[0]));
    must(takt_rate_thread_enter(&rated[1]));
    say("again", (uint64_t)takt_rate_thread_enter(&rated[1]));
    must(takt_kernel_start());
}

static void rejected(void) {
    must(takt_kernel_init(&takt_policy_rate_based));
    must(takt_rates_init(&rates, &settings, NULL, 0));
    add_rated(0, do_as_said, 5, 10);
    add_rated(1, do_too_much, 6, 10);
    say("first", (uint64_t)takt_rate_thread_enter(&rated[0]));
    say("second", (uint64_t)takt_rate_thread_enter(&rated[1]));
    const takt_rate_demand_t less = {.wcet = 1, .period = 10};
    say("record", (uint64_t)takt_rate_thread_request(&rated[0], &less));
    must(takt_kernel_start());
}

static takt_resource_t shared;
static takt_rate_share_t share;

/* The section is longer than the budget. */
static void do_long_section(void *argument) {
    (void)argument;
    work('a', 1);
    must(takt_job_lock(&shared));
    work('a', 2);
    tell_state("left", &rated[0]);
    work('a', 2);
    must(takt_job_unlock(&shared));
    tell_state("left", &rated[0]);
    work('a', 1);
    (void)takt_rate_thread_leave(&rated[0]);
    (void)takt_wait_next_period();
}

static void do_short_section(void *argument) {
    (void)argument;
    for (;;) {
        must(takt_job_lock(&shared));
        work('b', 1);
        must(takt_job_unlock(&shared));
        (void)takt_wait_next_period();
    }
}

static void sectioned(void) {
    static takt_rate_section_t sections[] = {{.resource = &shared, .longest = 4},
                                             {.resource = &shared, .longest = 1}};
    takt_rate_parameters_t parameters = {
        .rates = &rates, .demand = {.wcet = 2, .period = 10}, .type = TAKT_CLASS_SOFT, .section_count = 1};
    must(takt_kernel_init(&takt_policy_rate_based));
    must(takt_rates_init(&rates, &settings, NULL, 0));
    must(takt_rates_share(&rates, &shared, &share, 1));
    parameters.thread = thread_of(do_long_section, NULL, 0);
    parameters.sections = &sections[0];
    must(takt_rate_thread_create(&rated[0], &parameters));
    parameters.thread = thread_of(do_short_section, NULL, 0);
    parameters.sections = &sections[1];
    parameters.type = TAKT_CLASS_HARD;
    must(takt_rate_thread_create(&rated[1], &parameters));
    must(takt_rate_thread_enter(&rated[0]));
    must(takt_rate_thread_enter(&rated[1]));
    must(takt_kernel_start());
}

/* ---- components ------------------------------------------------------------------------------------- */

static void do_ever(void *argument) {
    const char name = *(const char *)argument;
    for (;;) {
        work(name, 8);
        (void)takt_wait_next_period();
    }
}

static void components(void) {
    static takt_component_thread_t threads[2];
    const takt_thread_server_parameters_t interface = {
        .kind = &takt_server_idling, .policy = &takt_policy_edf, .period = 10, .budget = 4, .priority = 3};
    const takt_component_t both[] = {{&outer, interface, &threads[0], 1},
                                     {&inner, interface, &threads[1], 1}};
    takt_thread_parameters_t rest = thread_of(work_for_ever, name_c, 1);
    for (uint32_t i = 0; i < 2; i++) {
        threads[i] = (takt_component_thread_t){&periodic[i], periodic_of(do_ever, 3, 20)};
        threads[i].parameters.thread.argument = i == 0 ? name_a : name_b;
    }
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_components_create(both, 2));
    must(takt_thread_create(&plain[0], &rest));
    must(takt_kernel_start());
}

/* ---- time slices ------------------------------------------------------------------------------------- */

static takt_sliced_thread_t sliced[THREADS];
static char name_d[] = "d";

static void work_a_tick_in_five(void *argument) {
    for (;;) {
        must(takt_thread_delay(4));
        work(*(const char *)argument, 1);
    }
}

static void create_sliced(uint32_t number, char *name, takt_duration_t slice, takt_thread_server_t *server) {
    takt_thread_parameters_t parameters = thread_of(work_for_ever, name, 5);
    parameters.server = server;
    must(takt_sliced_thread_create(&sliced[number], &parameters, slice));
}

static void slices(void) {
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_slices_set(3));
    create_sliced(0, name_a, 0, NULL);
    create_sliced(1, name_b, 3, NULL);
    create_sliced(2, name_c, 2, NULL);
    const takt_thread_parameters_t urgent = thread_of(work_a_tick_in_five, name_d, 9);
    must(takt_thread_create(&plain[0], &urgent));
    must(takt_kernel_start());
}

/* A server of 6 ticks in 10; a slice outlives the budget. */
static void slices_in_server(void) {
    const takt_thread_server_parameters_t server = {
        .kind = &takt_server_deferrable, .policy = &takt_policy_fp, .period = 10, .budget = 6, .priority = 9};
    must(takt_kernel_init(&takt_policy_fp));
    must(takt_thread_server_create(&outer, &server));
    create_sliced(0, name_a, 4, &outer);
    create_sliced(1, name_b, 4, &outer);
    const takt_thread_parameters_t rest = thread_of(work_for_ever, name_c, 1);
    must(takt_thread_create(&plain[0], &rest));
    must(takt_kernel_start());
}

/* The one without a slice is not displaced. */
static void slice_of_one(void) {
    must(takt_kernel_init(&takt_policy_fp));
    create_sliced(0, name_a, 5, NULL);
    const takt_thread_parameters_t other = thread_of(work_for_ever, name_b, 5);
    must(takt_thread_create(&plain[0], &other));
    must(takt_kernel_start());
}

/* Under keys there are no equals. */
static void slices_under_keys(void) {
    must(takt_kernel_init(&takt_policy_edf));
    create_sliced(0, name_a, 5, NULL);
    create_sliced(1, name_b, 5, NULL);
    must(takt_kernel_start());
}

/* ---- which ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"nested", nested},
    {"separated", separated},
    {"aperiodic", aperiodic},
    {"continued", continued},
    {"aborted", aborted},
    {"skipped", skipped},
    {"dropped", dropped},
    {"overtaken", overtaken},
    {"limited", limited},
    {"preemptive", preemptive},
    {"equals", equals},
    {"suspending", suspending},
    {"monitored", monitored},
    {"negotiated", negotiated},
    {"rejected", rejected},
    {"sectioned", sectioned},
    {"components", components},
    {"barred", barred},
    {"slices", slices},
    {"slices_in_server", slices_in_server},
    {"slice_of_one", slice_of_one},
    {"slices_under_keys", slices_under_keys},
};

void takt_posix_stalled(void) { finish(); }

int main(void) {
    char name[32];
    if (scanf("%31s", name) != 1) {
        return 2;
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(name, scenarios[i].name) == 0) {
            scenarios[i].run();
        }
    }
    return 2;
}
