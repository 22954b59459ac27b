/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Faults of the machine: which thread has made one. */
#include "kernel/hooks.h"
#include "kernel/state.h"

void takt_kernel_faulted(takt_fault_t *fault, const void *sp) {
    takt_thread_t *thread = takt_kernel_running();
    if (!fault->is_in_isr && thread != NULL && sp != NULL && (uintptr_t)sp < (uintptr_t)thread->stack) {
        takt_kernel_stack_overflow(thread);
    }
    fault->thread = thread;
    takt_hook_fault(fault);
    takt_port_fault();
}

/* ---- the kernel's own hook ---------------------------------------------------------------------- */

enum { DIGITS = 2 * sizeof(uintptr_t), DIGIT_BITS = 4, DIGIT_MASK = 15 };

static void print_word(const char *before, uintptr_t word) {
    char text[DIGITS + 1];
    for (uint32_t place = 0; place < DIGITS; place++) {
        text[place] = "0123456789abcdef"[(word >> (DIGIT_BITS * (DIGITS - 1u - place))) & DIGIT_MASK];
    }
    text[DIGITS] = 0;
    takt_port_print(before);
    takt_port_print(text);
}

static void print_thread(const takt_fault_t *fault) {
    takt_port_print(fault->is_in_isr ? "takt: a fault in an interrupt" : "takt: a fault");
    if (fault->thread == NULL) {
        takt_port_print(" before the start of the kernel");
        return;
    }
    takt_port_print(fault->is_in_isr ? " of thread \"" : " in thread \"");
    takt_port_print(fault->thread->name);
    takt_port_print("\"");
}

__attribute__((weak)) void takt_hook_fault(const takt_fault_t *fault) {
    print_thread(fault);
    print_word(": instruction 0x", fault->pc);
    print_word(", address 0x", fault->address);
    print_word(", cause 0x", fault->cause);
    takt_port_print("\n");
}
