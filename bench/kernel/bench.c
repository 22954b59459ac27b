/* Single operations of the kernel, measured on the board with the clock's own counter.
 *
 * The command line chooses, so that one program holds every policy:
 *   fp | traced | edf        the operations, under that root policy ("traced": fp, every pass recorded)
 *   storm N                  N periodic threads that expire at one instant, and a probe interrupt
 *   sizes                    bytes of the public types
 * Lines "name least most" in ticks go to the host, which knows how many ticks an instruction takes.
 *
 * An operation is measured from the reading of the counter right before the call to the reading right
 * after it in whichever thread runs then; "nothing" is the same with no call in between. */
#include "bench/kernel/print.h"
#include "firmware/semihost.h"
#include "kernel/kernel.h"
#include "kernel/semaphore.h"
#include "kernel/state.h"
#include "policy/table.h"
#include "port/cortex_m/mps2_an385.h"

enum { ROUNDS = 64, STACK_BYTES = 1024, GIVE_INTERRUPT = 31 };

/* ---- samples ------------------------------------------------------------------------------------ */

typedef enum operation {
    NOTHING,
    GIVE_FREE,
    TAKE_FREE,
    GIVE_RUNS,
    TAKE_BLOCKS,
    INTERRUPT_RUNS,
    TAKE_BLOCKS_TO_PREEMPTED,
    YIELD,
    OPERATIONS,
} operation_t;

static const char *const names[OPERATIONS] = {
    [NOTHING] = "nothing",
    [GIVE_FREE] = "give_free",
    [TAKE_FREE] = "take_free",
    [GIVE_RUNS] = "give_runs",
    [TAKE_BLOCKS] = "take_blocks",
    [INTERRUPT_RUNS] = "interrupt_runs",
    [TAKE_BLOCKS_TO_PREEMPTED] = "take_blocks_to_preempted",
    [YIELD] = "yield",
};

static struct sample {
    uint32_t least;
    uint32_t most;
} samples[OPERATIONS];

static __attribute__((noinline)) void sample(operation_t operation, uint32_t ticks) {
    struct sample *of = &samples[operation];
    of->least = of->least == 0 || ticks < of->least ? ticks : of->least;
    of->most = ticks > of->most ? ticks : of->most;
}

/* Pointers that the compiler keeps in registers, so that no address is loaded inside a measurement. */
typedef volatile uint32_t *stamp_t;
static uint32_t start_word;

static stamp_t in_register(stamp_t pointer) {
    __asm volatile("" : "+r"(pointer));
    return pointer;
}

#define MEASURING                                                 \
    const stamp_t clock = in_register(&TAKT_BOARD_TIMER0->value); \
    const stamp_t start = in_register(&start_word)
#define BEGIN() (*start = *clock)
#define END(operation)                     \
    do {                                   \
        const uint32_t now = *clock;       \
        sample((operation), *start - now); \
    } while (0)

/* ---- operations --------------------------------------------------------------------------------- */

static takt_semaphore_t free_semaphore, high_semaphore, partner_semaphore;
static operation_t high_measures;

void takt_board_interrupt_31(void);
void takt_board_interrupt_31(void) { (void)takt_semaphore_give_from_isr(&high_semaphore); }

static void high(void *argument) {
    (void)argument;
    MEASURING;
    for (;;) {
        BEGIN();
        (void)takt_semaphore_take(&high_semaphore);
        END(high_measures);
    }
}

static void partner(void *argument) {
    (void)argument;
    MEASURING;
    (void)takt_semaphore_take(&partner_semaphore);
    for (;;) {
        BEGIN();
        (void)takt_thread_yield();
        END(YIELD);
    }
}

/* What the two readings cost, and the storing of the first, with nothing of the compiler's between. */
static uint32_t nothing(stamp_t clock, stamp_t start) {
    uint32_t now;
    __asm volatile("ldr %0, [%1]\n str %0, [%2]\n ldr %0, [%1]"
                   : "=&r"(now)
                   : "r"(clock), "r"(start)
                   : "memory");
    return *start - now;
}

static void measure_free(void) {
    MEASURING;
    takt_semaphore_t *const semaphore = &free_semaphore;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sample(NOTHING, nothing(clock, start));
        BEGIN();
        (void)takt_semaphore_give(semaphore);
        END(GIVE_FREE);
        BEGIN();
        (void)takt_semaphore_take(semaphore);
        END(TAKE_FREE);
    }
}

static void measure_wake(void) {
    MEASURING;
    high_measures = GIVE_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BEGIN();
        (void)takt_semaphore_give(&high_semaphore);
        END(TAKE_BLOCKS);
    }
}

static void measure_interrupt(void) {
    MEASURING;
    const stamp_t pend = in_register((stamp_t)UINT32_C(0xE000E200));
    high_measures = INTERRUPT_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BEGIN();
        *pend = UINT32_C(1) << GIVE_INTERRUPT;
        END(TAKE_BLOCKS_TO_PREEMPTED);
    }
}

/* Keys have no equals: there the yield is a pass that finds nobody else, and the partner stays away. */
static void measure_yield(void) {
    MEASURING;
    if (takt_kernel.dispatcher.root.ready.order == TAKT_ORDER_LEVELS) {
        (void)takt_semaphore_give(&partner_semaphore);
        (void)takt_thread_yield();
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BEGIN();
        (void)takt_thread_yield();
        END(YIELD);
    }
}

static void controller(void *argument) {
    (void)argument;
    takt_board_interrupt_enable(GIVE_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
    measure_free();
    measure_wake();
    measure_interrupt();
    measure_yield();
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], samples[operation].least, samples[operation].most);
    }
    takt_semihost_exit(0);
}

/* ---- storm -------------------------------------------------------------------------------------- */

enum {
    STORM_LIMIT = 32,
    STORM_PERIOD = 1000 * 1000, /* ticks: 40 ms */
    PROBE_INTERRUPT = 10,
    PROBE_SAMPLES = 60000,
};

/* CMSDK dual timer: counts down from `load` again and again, and so tells its own interrupt's delay. */
typedef struct dual_timer {
    volatile uint32_t load;
    volatile uint32_t value;
    volatile uint32_t control; /* 0xE2: count, periodic, interrupt, 32 bits */
    volatile uint32_t clear;
} dual_timer_t;

#define PROBE ((dual_timer_t *)UINT32_C(0x40002000))

/* Ticks between two probes: about 3000 instructions, and prime, so that the phases drift. */
static uint32_t probe_period = 19211;
static uint32_t delay_least = UINT32_MAX, delay_most, delays;

void takt_board_interrupt_10(void);
void takt_board_interrupt_10(void) {
    const uint32_t delay = probe_period - PROBE->value;
    PROBE->clear = 1;
    delay_least = delay < delay_least ? delay : delay_least;
    delay_most = delay > delay_most ? delay : delay_most;
    if (++delays == PROBE_SAMPLES) {
        print_line("delay", delay_least, delay_most);
        takt_semihost_exit(0);
    }
}

static takt_periodic_thread_t storm_threads[STORM_LIMIT];
static uint64_t storm_stacks[STORM_LIMIT][STACK_BYTES / sizeof(uint64_t)];

static void storm(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_wait_next_period();
    }
}

static void background_partner(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&partner_semaphore);
    }
}

static void background(void *argument) {
    (void)argument;
    PROBE->load = probe_period;
    PROBE->control = 0xE2;
    takt_board_interrupt_enable(PROBE_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
    for (;;) {
        (void)takt_semaphore_give(&partner_semaphore);
        (void)takt_thread_yield();
        (void)takt_semaphore_give(&free_semaphore);
        (void)takt_semaphore_take(&free_semaphore);
    }
}

static void create_storm(uint32_t count) {
    for (uint32_t index = 0; index < count; index++) {
        const takt_periodic_parameters_t parameters = {
            .thread = {.name = "storm",
                       .entry = storm,
                       .stack = storm_stacks[index],
                       .stack_bytes = STACK_BYTES,
                       .priority = 10},
            .period = STORM_PERIOD,
            .relative_deadline = STORM_PERIOD,
            .offset = STORM_PERIOD,
        };
        (void)takt_periodic_thread_create(&storm_threads[index], &parameters);
    }
}

/* ---- main --------------------------------------------------------------------------------------- */

static takt_thread_t threads[3];
static uint64_t stacks[3][STACK_BYTES / sizeof(uint64_t)];

static void create(uint32_t index, const char *name, void (*entry)(void *), uint32_t priority) {
    const takt_thread_parameters_t parameters = {.name = name,
                                                 .entry = entry,
                                                 .stack = stacks[index],
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = priority};
    (void)takt_thread_create(&threads[index], &parameters);
}

/* A sink as a firmware has one: the last records, in a ring. */
static takt_record_t ring[64];
static uint32_t ring_next;

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    ring[ring_next++ % 64u] = *record;
}

static takt_trace_t trace = {.record = keep};

static void start_operations(char choice) {
    (void)takt_kernel_init(choice == 'e' ? &takt_policy_edf : &takt_policy_fp);
    if (choice == 't') {
        (void)takt_kernel_trace_to(&trace);
    }
    create(0, "high", high, 20);
    create(1, "partner", partner, 5);
    create(2, "controller", controller, 5);
    (void)takt_kernel_start();
}

static void start_storm(const char *number) {
    uint32_t count = 0;
    for (; *number != 0; number++) {
        count = 10u * count + (uint32_t)(*number - '0');
    }
    (void)takt_kernel_init(&takt_policy_fp);
    create_storm(count);
    create(0, "background partner", background_partner, 5);
    create(1, "background", background, 5);
    (void)takt_kernel_start();
}

static void print_sizes(void) {
    print_line("thread", sizeof(takt_thread_t), 0);
    print_line("periodic_thread", sizeof(takt_periodic_thread_t), 0);
    print_line("semaphore", sizeof(takt_semaphore_t), 0);
    print_line("server", sizeof(takt_thread_server_t), 0);
    print_line("kernel_object", sizeof(takt_kernel_t), 0);
    takt_semihost_exit(0);
}

int main(void) {
    char line[80];
    (void)takt_semaphore_init(&free_semaphore, 0);
    (void)takt_semaphore_init(&high_semaphore, 0);
    (void)takt_semaphore_init(&partner_semaphore, 0);
    if (!takt_semihost_command_line(line, sizeof line)) {
        takt_semihost_exit(2);
    }
    const char *choice = line;
    while (*choice != 0 && *choice != ' ') {
        choice++; /* the program's name */
    }
    choice += *choice == ' ';
    if (*choice == 's' && choice[1] == 'i') {
        print_sizes();
    } else if (*choice == 's') {
        start_storm(choice + 6);
    } else {
        start_operations(*choice);
    }
    takt_semihost_exit(1);
}
