/* The port on the board: lock, clock, timer and preemption. Exits with 0, or prints what failed and exits
 * with 1. Run under the emulator with -icount, like the bench. */
#include "firmware/semihost.h"
#include "kernel/kernel.h"
#include "kernel/semaphore.h"
#include "policy/table.h"
#include "port/cortex_m/mps2_an385.h"

static void check(bool holds, const char *sentence) {
    if (!holds) {
        takt_semihost_print("failed: ");
        takt_semihost_print(sentence);
        takt_semihost_print("\n");
        takt_semihost_exit(1);
    }
}

void takt_port_fault(void) { check(false, "nothing_faults"); }

/* ---- lock ----------------------------------------------------------------------------------------- */

enum { MASKED_INTERRUPT = 29, URGENT_INTERRUPT = 30, WAKING_INTERRUPT = 10 };

static volatile uint32_t masked_count, urgent_count;

void takt_board_interrupt_29(void);
void takt_board_interrupt_30(void);
void takt_board_interrupt_29(void) { masked_count++; }
void takt_board_interrupt_30(void) { urgent_count++; }

static uint32_t basepri(void) {
    uint32_t level;
    __asm volatile("mrs %0, basepri" : "=r"(level));
    return level;
}

static void set_basepri(uint32_t level) {
    __asm volatile("msr basepri, %0\n\tisb" : : "r"(level) : "memory");
}

static void synchronise(void) { __asm volatile("dsb\n\tisb" : : : "memory"); }

static bool is_at_least_as_strict_as_the_lock(uint32_t level) {
    return level != 0 && level <= TAKT_PORT_KERNEL_LEVEL;
}

static void lock_from(uint32_t before) {
    set_basepri(before);
    const takt_port_level_t level = takt_port_lock();
    const uint32_t expected = is_at_least_as_strict_as_the_lock(before) ? before : TAKT_PORT_KERNEL_LEVEL;
    check(basepri() == expected, "the_lock_never_lowers_a_level_and_always_masks_the_kernels");
    const takt_port_level_t inner = takt_port_lock();
    check(basepri() == expected && inner == expected, "the_lock_nests");
    takt_port_unlock(inner);
    check(basepri() == expected, "an_inner_unlock_keeps_the_outer_lock");
    takt_port_unlock(level);
    check(basepri() == before, "unlock_restores_the_level_before");
    set_basepri(0);
}

static void lock_works_from_every_starting_level(void) {
    for (uint32_t level = 0; level <= 0xFF; level++) {
        lock_from(level);
    }
}

static void lock_masks_what_may_call_the_kernel(void) {
    takt_board_interrupt_enable(MASKED_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
    takt_board_interrupt_enable(URGENT_INTERRUPT, TAKT_PORT_KERNEL_LEVEL - 0x20);
    const takt_port_level_t level = takt_port_lock();
    takt_board_interrupt_pend(MASKED_INTERRUPT);
    takt_board_interrupt_pend(URGENT_INTERRUPT);
    synchronise();
    check(masked_count == 0, "the_lock_masks_interrupts_of_the_kernels_level");
    check(urgent_count == 1, "the_lock_does_not_delay_more_urgent_interrupts");
    takt_port_breathe();
    check(masked_count == 1 && basepri() == TAKT_PORT_KERNEL_LEVEL, "breathing_lets_a_pending_interrupt_run");
    takt_board_interrupt_pend(MASKED_INTERRUPT);
    takt_port_unlock(level);
    synchronise();
    check(masked_count == 2 && takt_port_is_open(), "unlock_lets_a_pending_interrupt_run");
}

/* ---- preemption ------------------------------------------------------------------------------------ */

enum { PREEMPTIONS = 20000, STACK_BYTES = 512 };

typedef struct dual_timer {
    volatile uint32_t load, value, control, clear;
} dual_timer_t;

#define WAKER ((dual_timer_t *)UINT32_C(0x40002000))

static takt_semaphore_t waking;
static uint32_t preemptions;
static uint64_t preempted_stack[STACK_BYTES / sizeof(uint64_t)];
static takt_thread_t threads[2];

void takt_board_interrupt_10(void);
void takt_board_interrupt_10(void) {
    WAKER->clear = 1;
    (void)takt_semaphore_give_from_isr(&waking);
}

/* All registers and flags in use, an IT block, a multiple load: 13 + 1 + ... + 12, whoever interrupts. */
static uint32_t sum_of_registers(void) {
    uint32_t sum;
    __asm volatile(
        "movs r0, #0    \n movs r1, #1     \n movs r2, #2    \n movs r3, #3    \n movs r4, #4  \n"
        "movs r5, #5    \n movs r6, #6     \n mov r8, #8     \n mov r9, #9     \n mov r10, #10 \n"
        "mov r11, #11   \n mov r12, #12    \n"
        "push {r0-r6, r8-r12}              \n"
        "cmp r0, r1                        \n"
        "itete lo                          \n"
        "addlo r0, r0, #13                 \n"
        "addhs r0, r0, #99                 \n"
        "movlo r1, #1                      \n"
        "movhs r1, #99                     \n"
        "str r0, [sp]                      \n"
        "pop {r0-r6, r8-r12}               \n"
        "adds r0, r0, r1 \n add r0, r2 \n add r0, r3 \n add r0, r4 \n add r0, r5 \n add r0, r6   \n"
        "add r0, r8 \n add r0, r9 \n add r0, r10 \n add r0, r11 \n add %0, r0, r12               \n"
        : "=r"(sum)
        :
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "cc", "memory");
    return sum;
}

static void preempted(void *argument) {
    (void)argument;
    WAKER->load = 1637; /* ticks, prime: it drifts through every instruction of the loop */
    WAKER->control = 0xE2;
    takt_board_interrupt_enable(WAKING_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
    while (preemptions < PREEMPTIONS) {
        check(sum_of_registers() == 84, "registers_and_flags_survive_preemption_at_every_instruction");
    }
}

static void clobber(void) {
    __asm volatile(
        "mov r0, #170 \n mov r1, r0 \n mov r2, r0 \n mov r3, r0 \n mov r4, r0 \n mov r5, r0 \n mov r6, r0 \n"
        "mov r8, r0 \n mov r9, r0 \n mov r10, r0 \n mov r11, r0 \n mov r12, r0 \n cmp r0, #0 \n"
        :
        :
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "cc", "memory");
}

static void preempting(void *argument) {
    (void)argument;
    while (preemptions < PREEMPTIONS) {
        (void)takt_semaphore_take(&waking);
        clobber();
        preemptions++;
    }
    WAKER->control = 0;
    check(takt_thread_stack_unused(&threads[0]) >= STACK_BYTES / 4, "preemption_does_not_grow_the_stack");
    (void)takt_semaphore_take(&waking);
}

/* ---- clock and timer ------------------------------------------------------------------------------- */

/* Beyond half and beyond all of the 32 bits of clock and timer. */
static const takt_duration_t long_period = UINT64_C(5000000000);
enum { LONG_JOBS = 3, LATENESS_TICKS = 4000 };

static uint32_t late_jobs;

static void lately(void *argument) {
    (void)argument;
    for (;;) {
        late_jobs++;
        check(takt_wait_next_period() == TAKT_DEADLINE_MISSED, "a_late_job_is_told_so");
    }
}

static void rarely(void *argument) {
    (void)argument;
    for (uint32_t job = 1; job <= LONG_JOBS; job++) {
        const takt_instant_t now = takt_kernel_now();
        const takt_instant_t release = job * long_period;
        check(now >= release && now - release < LATENESS_TICKS,
              "releases_beyond_the_range_of_the_timer_are_on_time");
        check(takt_wait_next_period() == TAKT_OK, "a_job_in_time_is_told_so");
    }
    check(late_jobs == LONG_JOBS, "every_job_is_released_once");
    check(preemptions == PREEMPTIONS, "the_test_of_preemption_has_ended");
    takt_semihost_exit(0);
}

/* ---- main ------------------------------------------------------------------------------------------ */

static takt_periodic_thread_t rare_thread, late_thread;
static uint64_t stacks[3][STACK_BYTES / sizeof(uint64_t)];

int main(void) {
    lock_works_from_every_starting_level();
    lock_masks_what_may_call_the_kernel();
    const takt_thread_parameters_t low = {
        .entry = preempted, .stack = preempted_stack, .stack_bytes = sizeof preempted_stack, .priority = 1};
    const takt_thread_parameters_t high = {
        .entry = preempting, .stack = stacks[0], .stack_bytes = STACK_BYTES, .priority = 2};
    const takt_periodic_parameters_t rare = {
        .thread = {.entry = rarely, .stack = stacks[1], .stack_bytes = STACK_BYTES, .priority = 3},
        .period = long_period,
        .relative_deadline = long_period,
        .offset = long_period,
    };
    check(takt_semaphore_init(&waking, 0) == TAKT_OK, "creation_succeeds");
    check(takt_kernel_init(&takt_policy_fp) == TAKT_OK, "creation_succeeds");
    check(takt_thread_create(&threads[0], &low) == TAKT_OK, "creation_succeeds");
    check(takt_thread_create(&threads[1], &high) == TAKT_OK, "creation_succeeds");
    check(takt_periodic_thread_create(&rare_thread, &rare) == TAKT_OK, "creation_succeeds");
    takt_periodic_parameters_t late = rare;
    late.thread.entry = lately;
    late.thread.stack = stacks[2];
    late.thread.priority = 0;
    late.relative_deadline = 1;
    check(takt_periodic_thread_create(&late_thread, &late) == TAKT_OK, "creation_succeeds");
    check(takt_kernel_start() == TAKT_OK, "the_start_does_not_return");
    return 1;
}
