/* Seven loads after Thread-Metric's public description, written anew: how often each goes round in a window of time.
 *
 * Source: Express Logic, "Measuring Real-Time Performance of an RTOS" (Thread-Metric): what each thread does, and which
 * counters make the result.
 *
 * The command line names the load. After a while a reporter, most urgent of all, opens a window of WINDOW ticks by a delay
 * and prints "load iterations ticks" of it; what the reporter executes itself is in the window and below a thousandth of an
 * instruction per iteration. */
#include "bench/kernel/program.h"
#include "kernel/messages.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"

enum {
    LOAD_THREADS = 5,
    REPORTER = LOAD_THREADS,
    WINDOW = 64 * 1000 * 1000, /* ticks: ten million instructions on the slower clock */
    WORDS = 4,
    MESSAGES = 8,
    BLOCK_BYTES = 128,
    BLOCKS = 16,
};

static volatile uint32_t iterations[LOAD_THREADS];

static takt_semaphore_t semaphore;

/* ---- between threads ---------------------------------------------------------------------------- */

static void cooperative(void *argument) {
    volatile uint32_t *const own = &iterations[(uintptr_t)argument];
    for (;;) {
        (void)takt_thread_yield();
        ++*own;
    }
}

/* Each resumes the next one, which is more urgent, and when that has suspended itself suspends itself; the first, which
 * nobody resumes, begins anew instead, and the last has nobody to resume. */
static void preemptive_first(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_resume(&bench_threads[1]);
        ++iterations[0];
    }
}

static void preemptive_between(void *argument) {
    volatile uint32_t *const own = &iterations[(uintptr_t)argument];
    takt_thread_t *const self = &bench_threads[(uintptr_t)argument];
    for (;;) {
        (void)takt_thread_suspend(self);
        (void)takt_thread_resume(self + 1);
        ++*own;
    }
}

static void preemptive_last(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_suspend(&bench_threads[LOAD_THREADS - 1]);
        ++iterations[LOAD_THREADS - 1];
    }
}

static void synchronization(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&semaphore);
        (void)takt_semaphore_give(&semaphore);
        ++iterations[0];
    }
}

static takt_messages_t messages;
static uint32_t message_memory[WORDS * MESSAGES];

static void message(void *argument) {
    (void)argument;
    const uint32_t sent[WORDS] = {1, 2, 3, 4};
    uint32_t received[WORDS];
    for (;;) {
        (void)takt_messages_send(&messages, sent);
        (void)takt_messages_receive(&messages, received);
        ++iterations[0];
    }
}

static takt_pool_t pool;
static uint64_t pool_memory[BLOCKS][BLOCK_BYTES / sizeof(uint64_t)];

static void memory(void *argument) {
    (void)argument;
    void *block;
    for (;;) {
        (void)takt_pool_allocate(&pool, &block);
        (void)takt_pool_free(&pool, block);
        ++iterations[0];
    }
}

/* ---- with interrupts ---------------------------------------------------------------------------- */

static bool interrupt_resumes;

void BENCH_HANDLER(void);
void BENCH_HANDLER(void) {
    if (interrupt_resumes) {
        (void)takt_thread_resume_from_isr(&bench_threads[1]);
    } else {
        (void)takt_semaphore_give_from_isr(&semaphore);
    }
}

static void interrupt(void *argument) {
    (void)argument;
    BENCH_RAISING;
    for (;;) {
        BENCH_RAISE();
        (void)takt_semaphore_take(&semaphore);
        ++iterations[0];
    }
}

static void interrupted(void *argument) {
    (void)argument;
    BENCH_RAISING;
    for (;;) {
        BENCH_RAISE();
        ++iterations[0];
    }
}

static void resumed(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_suspend(&bench_threads[1]);
    }
}

/* ---- the reporter ------------------------------------------------------------------------------- */

static const char *load_name;

static uint32_t sum(void) {
    uint32_t all = 0;
    for (uint32_t index = 0; index < LOAD_THREADS; index++) {
        all += iterations[index];
    }
    return all;
}

static void report(void *argument) {
    (void)argument;
    (void)takt_thread_delay(WINDOW / 16);
    const uint32_t start = *BENCH_COUNTER;
    const uint32_t before = sum();
    (void)takt_thread_delay(WINDOW);
    const uint32_t after = sum();
    print_line(load_name, after - before, bench_elapsed(start, *BENCH_COUNTER));
    takt_semihost_exit(0);
}

/* ---- main --------------------------------------------------------------------------------------- */

typedef struct load {
    const char *name;
    void (*entries[LOAD_THREADS])(void *);
    uint32_t rise; /* of priority, from each thread to the next */
} load_t;

static const load_t loads[] = {
    {"cooperative", {cooperative, cooperative, cooperative, cooperative, cooperative}, 0},
    {"preemptive",
     {preemptive_first, preemptive_between, preemptive_between, preemptive_between, preemptive_last},
     1},
    {"interrupt", {interrupt}, 0},
    {"interrupt_preemption", {interrupted, resumed}, 1},
    {"message", {message}, 0},
    {"synchronization", {synchronization}, 0},
    {"memory", {memory}, 0},
};

static bool is_word(const char *word, const char *name) {
    while (*name != 0 && *word == *name) {
        word++;
        name++;
    }
    return *name == 0 && (*word == 0 || *word == ' ');
}

static void create(const load_t *load) {
    load_name = load->name;
    interrupt_resumes = load->entries[0] == interrupted;
    (void)takt_semaphore_init(&semaphore, load->entries[0] == synchronization);
    for (uint32_t index = 0; index < LOAD_THREADS && load->entries[index] != NULL; index++) {
        bench_create(index, load->entries[index], 5 + load->rise * index);
    }
    bench_create(REPORTER, report, TAKT_PRIORITIES - 1);
}

int main(void) {
    bench_words_t words;
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_messages_init(&messages, message_memory, sizeof(uint32_t[WORDS]), MESSAGES);
    (void)takt_pool_init(&pool, pool_memory, BLOCK_BYTES, BLOCKS);
    bench_read_words(&words);
    for (uint32_t index = 0; index < sizeof loads / sizeof *loads; index++) {
        if (is_word(words.choice, loads[index].name)) {
            create(&loads[index]);
        }
    }
    bench_interrupt_enable();
    bench_start();
    return 0;
}
