/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The port to a Linux process in real time: what a preempted thread keeps, wherever a signal finds it; that no interrupt
 * is lost; loads, releases, and the wait for an interrupt. Bounds on time are loose: the machine has other work. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "posix_run.h"
#include "kernel/semaphore.h"

enum { TICK_NS = 1000, INTERRUPT = 5, PREEMPTIONS = 20000, WAKES = 1000 };

static takt_semaphore_t waking;
static _Atomic uint32_t handled; /* interrupts */
static volatile uint32_t woken;

static void give(void) {
    CHECK(takt_semaphore_give_from_isr(&waking) == TAKT_OK);
    atomic_fetch_add(&handled, 1);
}

/* ---- another POSIX thread that interrupts ---------------------------------------------------------- */

static uint32_t raises;

static void spin(uint64_t turns) {
    for (volatile uint64_t turn = 0; turn < turns; turn++) {
    }
}

/* A sleeping thread runs soon after, also on a machine with other work. */
static void sleep_briefly(void) {
    const struct timespec time = {.tv_nsec = 1000};
    (void)nanosleep(&time, NULL);
}

/* Waits for each, so one that is lost ends in the test's alarm. */
static void *raise_all(void *argument) {
    check_seed(1);
    for (uint32_t raised = 0; raised < raises; raised++) {
        spin(check_below(2000));
        takt_posix_interrupt_raise(INTERRUPT);
        while (atomic_load(&handled) == raised) {
            sleep_briefly();
        }
    }
    return argument;
}

static void start_raising(uint32_t count) {
    pthread_t thread;
    raises = count;
    takt_posix_interrupt_enable(INTERRUPT, give);
    CHECK(pthread_create(&thread, NULL, raise_all, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
}

/* ---- a timer of the program's own that interrupts --------------------------------------------------- */

static timer_t timer;
static volatile bool is_armed;

static void raise_by_signal(int number) {
    (void)number;
    takt_posix_interrupt_raise(INTERRUPT);
}

static void arm_at_random(void) {
    const struct itimerspec once = {.it_value = {.tv_nsec = 1 + (long)check_below(40000)}};
    is_armed = true;
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
}

/* Most interrupts arm the next. Not all: where handling them takes longer than they are apart, no thread would run. */
static void give_and_arm(void) {
    give();
    is_armed = false;
    if (check_below(4) != 0) {
        arm_at_random();
    }
}

/* For the least urgent thread: another one comes. One that is lost is never followed, and ends in the test's alarm. */
static void arm_if_over(void) {
    if (!is_armed) {
        arm_at_random();
    }
}

static void start_timer(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct sigaction action = {.sa_handler = raise_by_signal, .sa_flags = SA_RESTART};
    check_seed(1);
    takt_posix_interrupt_enable(INTERRUPT, give_and_arm);
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}

/* ---- registers, errno, rounding, stack -------------------------------------------------------------- */

enum { VALUES = 24 };

static const char paint = (char)0xA5;

/* More values than there are registers, all in use at once; twice the same unless an interrupt changed one. */
static __attribute__((noinline)) uint64_t mix(uint64_t seed) {
    uint64_t whole[VALUES];
    double real[VALUES];
    for (uint32_t place = 0; place < VALUES; place++) {
        whole[place] = seed + place;
        real[place] = 1.0 + (double)(seed + place);
    }
    for (uint32_t turn = 0; turn < 30; turn++) {
        for (uint32_t place = 0; place < VALUES; place++) {
            whole[place] = (whole[place] << 7 | whole[place] >> 57) ^ whole[(place + 1) % VALUES];
            real[place] = real[place] / 3.0 + real[(place + 1) % VALUES] / 1.5;
        }
    }
    uint64_t sum = 0;
    for (uint32_t place = 0; place < VALUES; place++) {
        uint64_t bits;
        memcpy(&bits, &real[place], sizeof bits);
        sum = sum * 31 + (whole[place] ^ bits);
    }
    return sum;
}

/* The compiler takes it that nothing changes errno meanwhile. */
static void check_preserved(uint64_t expected) {
    volatile int *error = &errno;
    *error = 1234;
    CHECK(mix(7) == expected);
    CHECK(*error == 1234 && fegetround() == FE_UPWARD);
}

enum {
    UNPAINTED_BYTES = sizeof(uint64_t) + TAKT_POSIX_GUARD_LOSS /* the kernel's own word, and the guard */
};

/* Bytes of the running thread's stack that were in use at any time, of an area that begins painted. */
__attribute__((no_sanitize_address)) static uint32_t used_bytes(void) {
    const takt_thread_t *self = takt_kernel_running();
    const char *stack = self->stack;
    uint32_t unused = UNPAINTED_BYTES;
    while (unused < STACK_BYTES && stack[unused] == paint) {
        unused++;
    }
    return STACK_BYTES - unused;
}

__attribute__((no_sanitize_address)) static void paint_below(const void *place) {
    char *stack = takt_kernel_running()->stack;
    const uintptr_t own_frames = 1024;
    const uintptr_t end = (uintptr_t)place - own_frames - (uintptr_t)stack;
    for (uintptr_t byte = UNPAINTED_BYTES; byte < end; byte++) {
        stack[byte] = paint;
    }
}

static void be_preempted(void *argument) {
    (void)argument;
    CHECK(fesetround(FE_UPWARD) == 0);
    const uint64_t expected = mix(7);
    paint_below(&expected);
    start_timer();
    while (woken < PREEMPTIONS) {
        arm_if_over();
        check_preserved(expected);
    }
    CHECK(used_bytes() < TAKT_STACK_BYTES_MIN);
    takt_posix_exit(0);
}

static void preempt(void *argument) {
    (void)argument;
    for (;;) {
        CHECK(takt_semaphore_take(&waking) == TAKT_OK);
        CHECK(takt_port_is_open() && fegetround() == FE_TONEAREST);
        errno = 99;
        (void)mix(woken);
        woken++;
    }
}

static void initialise(void) {
    CHECK(takt_posix_use_real_time(TICK_NS) == TAKT_OK);
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    CHECK(takt_semaphore_init(&waking, 0) == TAKT_OK);
}

static void state_survives_preemption_anywhere(void) {
    initialise();
    make_thread(preempt, NULL, 2);
    make_thread(be_preempted, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- inside of kernel calls, and while no thread runs --------------------------------------------------- */

static takt_semaphore_t own;

static void start_raising_wakes(void) { start_raising(WAKES); }

static void do_nothing(void) {}

/* The argument says how many interrupts come, and from where. */
typedef struct source {
    void (*start)(void);
    void (*go_on)(void);
    uint32_t count;
} source_t;

static void call_the_kernel(void *argument) {
    const source_t *source = argument;
    source->start();
    while (woken < source->count) {
        source->go_on();
        CHECK(takt_semaphore_give(&own) == TAKT_OK);
        CHECK(takt_thread_yield() == TAKT_OK);
        CHECK(takt_semaphore_take(&own) == TAKT_OK);
    }
    takt_posix_exit(0);
}

static void yield_for_ever(void *argument) {
    (void)argument;
    for (;;) {
        CHECK(takt_thread_yield() == TAKT_OK);
    }
}

static void create_callers(source_t *source) {
    CHECK(takt_semaphore_init(&own, 0) == TAKT_OK);
    make_thread(preempt, NULL, 2);
    make_thread(call_the_kernel, source, 1);
    make_thread(yield_for_ever, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

static void no_interrupt_is_lost_in_the_inline_layer(void) {
    static source_t source = {start_timer, arm_if_over, PREEMPTIONS};
    initialise();
    create_callers(&source);
}

static void forget(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    (void)record;
}

/* With a trace every call takes the full pass, which opens the lock between its steps. */
static void no_interrupt_is_lost_in_the_full_pass(void) {
    static takt_trace_t trace = {.record = forget};
    static source_t source = {start_raising_wakes, do_nothing, WAKES};
    initialise();
    CHECK(takt_kernel_trace_to(&trace) == TAKT_OK);
    create_callers(&source);
}

static void wake_from_idle(void *argument) {
    (void)argument;
    start_raising(WAKES);
    for (uint32_t wakes = 0; wakes < WAKES; wakes++) {
        CHECK(takt_semaphore_take(&waking) == TAKT_OK);
    }
    takt_posix_exit(0);
}

static void no_interrupt_is_lost_while_nobody_runs(void) {
    initialise();
    make_thread(wake_from_idle, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- clock, alarm and load --------------------------------------------------------------------------- */

/* Little enough that other work on the machine does not starve it. */
enum { PERIOD = 20000, LOAD = 500, JOBS = 15, LONG_LOAD = 200000, LOOSE_TICKS = 100000000 };

static uint64_t host_ns(void) {
    struct timespec time;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static uint32_t jobs_done;

static void work_often(void *argument) {
    (void)argument;
    for (;;) {
        const takt_instant_t release = PERIOD * (1 + (takt_instant_t)jobs_done);
        const takt_instant_t now = takt_kernel_now();
        CHECK(now >= release && now < release + LOOSE_TICKS);
        takt_port_work(LOAD);
        CHECK(takt_kernel_now() >= now + LOAD);
        jobs_done++;
        (void)takt_wait_next_period();
    }
}

/* Executes for its load beside all jobs that displace it meanwhile. */
static void work_long(void *argument) {
    (void)argument;
    const uint64_t begin_ns = host_ns();
    const takt_instant_t begin = takt_kernel_now();
    const uint32_t jobs_before = jobs_done;
    takt_port_work(LONG_LOAD);
    const uint32_t jobs = jobs_done - jobs_before;
    const takt_duration_t elapsed = takt_kernel_now() - begin;
    CHECK(jobs + 1 >= LONG_LOAD / PERIOD);
    CHECK(elapsed >= LONG_LOAD + (jobs - 1) * (takt_duration_t)LOAD);
    CHECK((host_ns() - begin_ns) / TICK_NS + 1 >= elapsed); /* instants are rounded down */
    takt_posix_exit(0);
}

static void releases_come_in_time_and_loads_are_executed(void) {
    initialise();
    make_periodic(work_often, PERIOD, PERIOD, 2);
    make_thread(work_long, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* Signals to the whole process may be handed to this one. */
static void *spin_for_ever(void *argument) {
    for (;;) {
        spin(1000);
    }
    return argument;
}

static void wait_for_jobs(void *argument) {
    pthread_t thread;
    (void)argument;
    CHECK(pthread_create(&thread, NULL, spin_for_ever, NULL) == 0);
    while (jobs_done < JOBS) {
        CHECK(kill(getpid(), SIGRTMIN) == 0);
        takt_port_idle();
    }
    takt_posix_exit(0);
}

static void signals_to_the_process_find_the_processor(void) {
    initialise();
    make_periodic(work_often, PERIOD, PERIOD, 2);
    make_thread(wait_for_jobs, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- announced interrupts ---------------------------------------------------------------------------- */

enum { FAST = 0, SLOW = 1, TAKEN_BACK = 2, FAST_PERIOD = 700, SLOW_PERIOD = 1900, SLOW_COUNT = 20 };

static takt_instant_t next_fast = FAST_PERIOD, next_slow = SLOW_PERIOD;

static void come_fast(void) {
    CHECK(takt_kernel_now() >= next_fast);
    next_fast += FAST_PERIOD;
    takt_posix_interrupt_announce(FAST, next_fast);
}

static void come_slowly(void) {
    CHECK(takt_kernel_now() >= next_slow);
    next_slow += SLOW_PERIOD;
    takt_posix_interrupt_announce(SLOW, next_slow);
    if (next_slow > SLOW_PERIOD * SLOW_COUNT) {
        CHECK(next_fast > FAST_PERIOD);
        takt_posix_exit(0);
    }
}

static void never_come(void) { CHECK(false); }

static void load_for_ever(void *argument) {
    (void)argument;
    for (;;) {
        takt_port_work(LOAD);
    }
}

/* Before the start too. */
static void interrupts_come_at_announced_instants_or_after_them(void) {
    initialise();
    takt_posix_interrupt_enable(FAST, come_fast);
    takt_posix_interrupt_enable(SLOW, come_slowly);
    takt_posix_interrupt_enable(TAKEN_BACK, never_come);
    takt_posix_interrupt_announce(FAST, next_fast);
    takt_posix_interrupt_announce(SLOW, next_slow);
    takt_posix_interrupt_announce(TAKEN_BACK, 1);
    takt_posix_interrupt_announce(TAKEN_BACK, TAKT_NEVER);
    make_thread(load_for_ever, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

/* ---- processor time ---------------------------------------------------------------------------------- */

enum { LOAD_NS = 20000000, PAUSE_AFTER_NS = 5000000, PAUSE_NS = 100000000 };

static volatile bool has_paused;

/* As if others had the processor. */
static void pause_process(int number) {
    const struct timespec time = {.tv_nsec = PAUSE_NS};
    (void)number;
    (void)nanosleep(&time, NULL);
    has_paused = true;
}

static void start_pause(void) {
    struct sigaction action = {.sa_handler = pause_process, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    const struct itimerspec once = {.it_value = {.tv_nsec = PAUSE_AFTER_NS}};
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
}

static uint64_t processor_ns(void) {
    struct timespec time;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void load_around_a_pause(void *argument) {
    (void)argument;
    start_pause();
    const uint64_t begin_ns = processor_ns();
    takt_port_work(LOAD_NS / TICK_NS);
    CHECK(processor_ns() - begin_ns >= LOAD_NS && has_paused);
    takt_posix_exit(0);
}

static void what_the_machine_takes_is_not_executed(void) {
    initialise();
    make_thread(load_around_a_pause, NULL, 1);
    CHECK(takt_kernel_start() == TAKT_OK);
}

int main(void) {
    run_until_exit(state_survives_preemption_anywhere, 0);
    run_until_exit(no_interrupt_is_lost_in_the_inline_layer, 0);
    run_until_exit(no_interrupt_is_lost_in_the_full_pass, 0);
    run_until_exit(no_interrupt_is_lost_while_nobody_runs, 0);
    run_until_exit(releases_come_in_time_and_loads_are_executed, 0);
    run_until_exit(signals_to_the_process_find_the_processor, 0);
    run_until_exit(interrupts_come_at_announced_instants_or_after_them, 0);
    run_until_exit(what_the_machine_takes_is_not_executed, 0);
    return check_report("test_posix_preemption");
}
