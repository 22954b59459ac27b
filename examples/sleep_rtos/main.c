/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sleep: a sensor that is read every 100 ms, and nothing is awake in between. There is no tick: the processor sleeps as
 * often as the thread waits. docs/how-to/sleep-while-idle.md explains it.
 *
 *     cmake -S examples/sleep_rtos -B build/sleep --toolchain $PWD/cmake/toolchain-arm-none-eabi.cmake
 *     cmake --build build/sleep --target run */
#include "firmware/semihost.h"
#include "kernel/hooks.h"
#include "kernel/kernel.h"
#include "kernel/sleep.h"
#include "kernel/units.h"
#include "sleep.h"

enum { READINGS = 20, STACK_BYTES = TAKT_STACK_BYTES_MIN + 1024 };

static takt_thread_t sensor;
static uint64_t stack[STACK_BYTES / sizeof(uint64_t)] __attribute__((aligned(8)));
static volatile uint32_t sleeps, late;

static takt_duration_t count_and_sleep(takt_duration_t ticks) {
    sleeps++;
    return sleep_deep(ticks);
}

void takt_hook_idle(void) { (void)takt_kernel_sleep(count_and_sleep); }

static void read_sensor(void *argument) {
    (void)argument;
    takt_instant_t next = takt_kernel_now();
    for (uint32_t reading = 0; reading < READINGS; reading++) {
        next += TAKT_MS(100);
        (void)takt_thread_delay_until(next);
        late += takt_kernel_now() - next > TAKT_US(500);
    }
    const bool is_right = sleeps == READINGS && late == 0;
    takt_semihost_print(is_right ? "20 readings, 20 sleeps, none late\n" : "sleeps or instants are wrong\n");
    takt_semihost_exit(is_right ? 0 : 1);
}

int main(void) {
    const takt_thread_parameters_t parameters = {
        .name = "sensor", .entry = read_sensor, .stack = stack, .stack_bytes = sizeof stack, .priority = 10};
    if (takt_kernel_init(&takt_policy_fp) == TAKT_OK && takt_thread_create(&sensor, &parameters) == TAKT_OK) {
        (void)takt_kernel_start();
    }
    return 1;
}
