/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Phases of a pass, stamped from outside: what the kernel calls of core, and the interrupt of its timer.
 *
 * The linker puts these functions in the places of the kernel's (--wrap), so that the kernel that is measured is the
 * one that all programs link. A phase is measured from right before its call to right after it. What is kept is kept
 * between phases; only the tick spans several of them, and for it a program is linked that wraps nothing within.
 *
 *   tick        from the timer's interrupt to the end of the decision that follows
 *   scheduler   steps and decision of a tick: account, replenish, release, choose
 *   choose      a decision by which another server than before runs
 *   pass        event, steps and decision, of any pass, without what `phases_leave_out` says
 *
 * When not to use it: for the inline layer, which calls none of these. */
#ifndef TAKT_BENCH_KERNEL_STUDIES_PHASES_H
#define TAKT_BENCH_KERNEL_STUDIES_PHASES_H

#include "bench/kernel/program.h"
#include "kernel/state.h"

/* Ticks of one phase, over all its calls. */
typedef struct phase {
    bench_sample_t sample;
    uint32_t sum;
    uint32_t count;
} phase_t;

typedef struct phases {
    phase_t tick, scheduler, choose, pass, post, step;
    uint32_t tick_began;
    uint32_t spent;   /* in this pass up to now */
    uint32_t stepped; /* of it in steps */
    uint32_t steps;   /* how many */
    bench_sample_t steps_of_tick;
    uint32_t left_out; /* of the phase that is being measured */
    const takt_entity_t *server;
    bool is_tick;
    uint32_t values; /* ticks after which the program ends */
} phases_t;

static phases_t phases;
static volatile uint32_t phases_took_at; /* when the last decision was handed back */

/* The program prints what it has and ends. */
static void phases_end(void);

__attribute__((noinline, unused)) static void phase_keep(phase_t *phase, uint32_t ticks) {
    bench_keep(&phase->sample, ticks);
    phase->sum += ticks;
    phase->count++;
}

/* Two lines: "name least most" and "name.sum sum count". */
__attribute__((unused)) static void phase_print(const char *name, const phase_t *phase) {
    print_line(name, phase->sample.least, phase->sample.most);
    takt_semihost_print(name);
    print_line(".sum", phase->sum, phase->count);
}

/* Has every switch of `thread`, created and not started, take the pass: its phases are what is measured. */
__attribute__((unused)) static void phases_measure(takt_thread_t *thread) {
    thread->plain.entity.attributes |= TAKT_ATTRIBUTE_FULL_PASS;
}

/* `ticks` within a phase belong to another thread. */
__attribute__((unused)) static void phases_leave_out(uint32_t ticks) { phases.left_out += ticks; }

static uint32_t phase_spent(uint32_t begin, uint32_t end) {
    const uint32_t ticks = bench_elapsed(begin, end) - phases.left_out;
    phases.left_out = 0;
    phases.spent += ticks;
    return ticks;
}

/* ---- the timer's interrupt ------------------------------------------------------------------------------ */

void __real_takt_kernel_timer_expired(void);
void __wrap_takt_kernel_timer_expired(void);

/* A pass may have been under way: its steps so far are not the tick's. */
void __wrap_takt_kernel_timer_expired(void) {
    phases.stepped = 0;
    phases.steps = 0;
    phases.is_tick = takt_kernel.until <= takt_port_now();
    phases.tick_began = *BENCH_COUNTER;
    __real_takt_kernel_timer_expired();
}

/* ---- core ----------------------------------------------------------------------------------------------- */

void __real_takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event);
void __wrap_takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event);

void __wrap_takt_dispatcher_post(takt_dispatcher_t *dispatcher, const takt_event_t *event) {
    const uint32_t begin = *BENCH_COUNTER;
    __real_takt_dispatcher_post(dispatcher, event);
    const uint32_t end = *BENCH_COUNTER;
    phase_keep(&phases.post, phase_spent(begin, end));
}

void __real_takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now);
void __wrap_takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now);

void __wrap_takt_dispatcher_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    const uint32_t begin = *BENCH_COUNTER;
    __real_takt_dispatcher_step(dispatcher, now);
    const uint32_t end = *BENCH_COUNTER;
    const uint32_t ticks = phase_spent(begin, end);
    phases.stepped += ticks;
    phases.steps++;
    phase_keep(&phases.step, ticks);
}

static const takt_entity_t *server_of(const takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? entity : &entity->parent->entity;
}

static void keep_choice(const takt_entity_t *entity, uint32_t ticks) {
    const takt_entity_t *server = server_of(entity);
    if (server != phases.server && server != &takt_kernel.dispatcher.root.entity) {
        phase_keep(&phases.choose, ticks);
    }
    phases.server = server;
}

static void keep_tick(uint32_t end, uint32_t ticks) {
    if (phases.is_tick) {
        phase_keep(&phases.tick, bench_elapsed(phases.tick_began, end));
        phase_keep(&phases.scheduler, phases.stepped + ticks);
        bench_keep(&phases.steps_of_tick, phases.steps);
    }
    if (phases.tick.count == phases.values) {
        phases_end();
    }
    phases.is_tick = false;
    phases.stepped = 0;
    phases.steps = 0;
}

takt_decision_t __real_takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu);
takt_decision_t __wrap_takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu);

takt_decision_t __wrap_takt_dispatcher_take(takt_dispatcher_t *dispatcher, takt_instant_t now, uint32_t cpu) {
    const uint32_t begin = *BENCH_COUNTER;
    const takt_decision_t decision = __real_takt_dispatcher_take(dispatcher, now, cpu);
    const uint32_t end = *BENCH_COUNTER;
    const uint32_t ticks = phase_spent(begin, end);
    keep_choice(takt_kernel.cpu.running, ticks);
    keep_tick(end, ticks);
    phase_keep(&phases.pass, phases.spent);
    phases.spent = 0;
    phases_took_at = *BENCH_COUNTER;
    return decision;
}

#endif
