/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Exceptions that are no interrupts: reported with their thread. */
#include "port/riscv/trap.h"

void takt_port_exception(uint32_t cause, bool is_nested) {
#if TAKT_FAULTS
    takt_fault_t fault = {.cause = cause, .is_in_isr = is_nested};
    __asm volatile("csrr %0, mepc" : "=r"(fault.pc));
    __asm volatile("csrr %0, mtval" : "=r"(fault.address));
    takt_kernel_faulted(&fault, NULL);
#else
    (void)cause;
    (void)is_nested;
    takt_port_fault();
#endif
}
