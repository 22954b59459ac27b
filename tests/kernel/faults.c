/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A fault of the machine is reported with the thread that has made it, and takt_port_fault follows. FAULTS_PLACE says
 * where it is made; with FAULTS_PRINTED the kernel's own hook is there. */
#include "kernel/hooks.h"
#include "tests/conformance/conformance.h"

enum { IN_A_THREAD, IN_AN_INTERRUPT, BEFORE_THE_START };

#ifndef FAULTS_PLACE
#define FAULTS_PLACE IN_A_THREAD
#endif
/* 1: the thread's stack pointer is below its stack before; Cortex-M. */
#ifndef FAULTS_BELOW
#define FAULTS_BELOW 0
#endif
/* 0: the machine does not say which address. */
#ifndef FAULTS_ADDRESS
#define FAULTS_ADDRESS 1
#endif
#ifndef FAULTS_PRINTED
#define FAULTS_PRINTED 0
#endif

static takt_thread_t faulting, other;
static struct {
    uint64_t below[64];
    conformance_stack_t stack;
} memory;
static conformance_stack_t other_stack;
static takt_fault_t told;
static uint32_t tellings;
static const takt_thread_t *overflown;

#if !FAULTS_PRINTED
void takt_hook_fault(const takt_fault_t *fault) {
    told = *fault;
    tellings++;
}
#endif

void takt_hook_stack_overflow(takt_thread_t *thread) { overflown = thread; }

static uintptr_t nowhere(void) { return UINT32_C(0xA0000000); /* on these boards no memory, no device */ }

static void end(void) {
    if ((FAULTS_PRINTED) != 0) {
        board_exit(0);
    }
    if ((FAULTS_BELOW) != 0) {
        check(tellings == 0 && overflown == &faulting, "a_fault_below_the_stack_is_an_overflow");
        board_exit(0);
    }
    check(tellings == 1 && overflown == NULL, "a_fault_is_told_once");
    check(told.thread == ((FAULTS_PLACE) == BEFORE_THE_START ? NULL : &faulting), "the_thread_is_told");
    check(told.is_in_isr == ((FAULTS_PLACE) == IN_AN_INTERRUPT), "an_interrupt_is_told_apart");
    check(told.address == ((FAULTS_ADDRESS) != 0 ? nowhere() : 0u), "the_address_is_told");
    check(told.pc != 0 && told.cause != 0, "instruction_and_cause_are_told");
    board_exit(0);
}

static void make_a_fault(void) {
    *(volatile uint32_t *)nowhere() = 1;
    check(false, "what_has_faulted_does_not_continue");
}

static void fault(void *argument) {
    (void)argument;
    if ((FAULTS_PLACE) == IN_AN_INTERRUPT) {
        board_interrupt_enable(0, make_a_fault);
        board_interrupt_pend(0);
        board_pass();
    }
#if FAULTS_BELOW
    __asm volatile("mov sp, %0" : : "r"(&memory.below[32]) : "memory");
#endif
    make_a_fault();
}

static void be_there(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_thread_delay(1000);
    }
}

int main(void) {
    on_fault(end);
    kernel_begin();
    if ((FAULTS_PLACE) == BEFORE_THE_START) {
        make_a_fault();
    }
    thread_begin(&other, other_stack, 6, be_there, NULL);
    thread_begin(&faulting, memory.stack, 5, fault, NULL);
    faulting.name = "deep";
    kernel_go();
}
