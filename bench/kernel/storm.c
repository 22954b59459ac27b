/* How late interrupts come: a probe interrupts a busy kernel 20,000 times and keeps its least and greatest delay.
 *
 * The command line chooses what expires at one instant, again and again, N of each:
 *   periods N    the periods of N periodic threads
 *   delays N     the delays of N threads
 * The greatest delay is the worst latency of an interrupt, the difference of the two the longest stretch with interrupts
 * masked. */
#include "bench/kernel/program.h"
#include "kernel/semaphore.h"

enum {
    SAMPLES = 20000,
    STORM_LIMIT = 32,
    STORM_PERIOD = 1000 * 1000, /* ticks: 40 ms */
    DELAY = 100 * 1000,
    PARTNER = 0,
    BACKGROUND = 1,
    FIRST_SLEEPER = 2,
};

static takt_semaphore_t free_semaphore, partner_semaphore, start_semaphore;

/* ---- the probe ---------------------------------------------------------------------------------- */

static uint32_t least = UINT32_MAX, most, samples;

void BENCH_PROBE_HANDLER(void);
void BENCH_PROBE_HANDLER(void) {
    const uint32_t delay = bench_probe_delay();
    least = delay < least ? delay : least;
    most = delay > most ? delay : most;
    if (++samples == SAMPLES) {
        print_line("delay", least, most);
        takt_semihost_exit(0);
    }
}

/* ---- what expires ------------------------------------------------------------------------------- */

static uint32_t sleepers;
static volatile uint32_t woken;

static void sleeper(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        (void)takt_thread_delay(DELAY);
        ++woken;
    }
}

static void let_all_delay(void) {
    woken = 0;
    bench_clock_hold();
    for (uint32_t index = 0; index < sleepers; index++) {
        (void)takt_semaphore_give(&start_semaphore);
    }
    bench_clock_release();
}

static takt_periodic_thread_t periodic_threads[STORM_LIMIT];

static void periodic(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_wait_next_period();
    }
}

static void create_periodic(uint32_t index) {
    const takt_periodic_parameters_t parameters = {
        .thread = {.name = "storm",
                   .entry = periodic,
                   .stack = bench_stacks[FIRST_SLEEPER + index],
                   .stack_bytes = BENCH_STACK_BYTES,
                   .priority = 10},
        .period = STORM_PERIOD,
        .relative_deadline = STORM_PERIOD,
        .offset = STORM_PERIOD,
    };
    (void)takt_periodic_thread_create(&periodic_threads[index], &parameters);
}

/* ---- what is interrupted ------------------------------------------------------------------------ */

static void partner(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&partner_semaphore);
    }
}

static void do_some_of_each(void) {
    (void)takt_semaphore_give(&partner_semaphore);
    (void)takt_thread_yield();
    (void)takt_semaphore_give(&free_semaphore);
    (void)takt_semaphore_take(&free_semaphore);
}

static void background(void *argument) {
    (void)argument;
    bench_probe_start();
    for (;;) {
        let_all_delay();
        do {
            do_some_of_each();
        } while (woken < sleepers);
    }
}

/* ---- main --------------------------------------------------------------------------------------- */

int main(void) {
    bench_words_t words;
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_semaphore_init(&free_semaphore, 0);
    (void)takt_semaphore_init(&partner_semaphore, 0);
    (void)takt_semaphore_init(&start_semaphore, 0);
    bench_read_words(&words);
    const bool is_periodic = *words.choice == 'p';
    for (uint32_t index = 0; index < words.number && is_periodic; index++) {
        create_periodic(index);
    }
    bench_create(PARTNER, partner, 5);
    bench_create(BACKGROUND, background, 5);
    sleepers = is_periodic ? 0 : words.number;
    for (uint32_t index = 0; index < sleepers; index++) {
        bench_create(FIRST_SLEEPER + index, sleeper, 10);
    }
    bench_start();
    return 0;
}
