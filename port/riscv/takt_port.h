/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline part of the port to RV32 and RV64 in machine mode, with a CLINT for timer and software interrupts. Included
 * by kernel/port.h, which has the contract.
 *
 * Lock: mstatus.MIE, so it masks every interrupt. Handlers run with MIE clear and never set it, so they do not nest;
 * the kernel opens it in between in takt_kernel_timer_expired and takt_kernel_preempt, which handlers may interrupt.
 * mscratch (scratch.h): while a thread executes, the top of the stack of interrupts; else 0.
 * Harts that start in supervisor mode cannot be distinguished by the compiler: their first access to mstatus traps.
 *
 * Source: RISC-V Instruction Set Manual, volume II, Machine-Level ISA 1.12; the CLINT of SiFive's U54 manual. */
#ifndef TAKT_PORT_RISCV_H
#define TAKT_PORT_RISCV_H

#if !defined(__riscv)
#error "this port is for RV32 and RV64"
#endif
#if defined(__riscv_32e) || defined(__riscv_e)
#error "this port saves all registers of the I base: RV32E and RV64E have no s2 to s11"
#endif
/* A core that lacks something of that has a port which defines these words before it includes this file. */
#ifndef TAKT_PORT_HAS_ATOMICS
#define TAKT_PORT_HAS_ATOMICS 1
#endif
#ifndef TAKT_PORT_HAS_MSCRATCH
#define TAKT_PORT_HAS_MSCRATCH 1
#endif
#ifndef TAKT_PORT_WAIT /* until an interrupt is pending, whatever the lock; may end earlier */
#define TAKT_PORT_WAIT() __asm volatile("wfi" : : : "memory")
#endif

#if !defined(__riscv_atomic) && TAKT_PORT_HAS_ATOMICS
#error "this port needs the A extension: a trap breaks reservations, and interrupts are pended by AMOs"
#endif
#if (defined(__riscv_flen) && (__riscv_flen != 32 || __riscv_xlen != 32)) || defined(__riscv_vector)
#error \
    "this port saves no registers of double precision and no vectors: build for rv32imac, rv32imafc or rv64imac"
#endif

/* 1: threads may use the floating-point registers of the F extension; see fpu.h. */
#if defined(__riscv_flen)
#define TAKT_PORT_FPU 1
#else
#define TAKT_PORT_FPU 0
#endif

#if defined(__riscv_smrnmi)
#error "this port cannot distinguish a non-maskable interrupt (Smrnmi) from one that the lock masks"
#endif

typedef uint32_t takt_port_level_t; /* mstatus.MIE, in its place: 8 open, 0 closed */

/* The frame of a trap, a context, and a call or two: 80 and 64 bytes, on RV64 144 and 128. */
#if __riscv_xlen == 32
enum { TAKT_PORT_SP_OFFSET = 40, TAKT_PORT_STACK_BYTES_MIN = 224 };
#else
enum { TAKT_PORT_SP_OFFSET = 64, TAKT_PORT_STACK_BYTES_MIN = 416 };
#endif

enum {
    /* What a trap saves of the F extension, and what a switch saves of it. */
    TAKT_PORT_UNIT_FRAME_BYTES = 96,
    TAKT_PORT_UNIT_CONTEXT_BYTES = 64,
    /* What a thread that uses it has besides. */
    TAKT_PORT_STACK_BYTES_FPU = TAKT_PORT_FPU ? TAKT_PORT_UNIT_FRAME_BYTES + TAKT_PORT_UNIT_CONTEXT_BYTES : 0,
};

/* The CLINT's registers. SiFive's boards and QEMU's virt have it here; a board may say otherwise. */
#ifndef TAKT_PORT_CLINT
#define TAKT_PORT_CLINT ((uintptr_t)0x02000000)
#endif
#define TAKT_PORT_MSIP (*(volatile uint32_t *)TAKT_PORT_CLINT)

/* What a preemption leaves for the end of the trap: the thread to switch to, NULL for none. */
typedef struct takt_port_exchange {
    struct takt_thread *from;
    struct takt_thread *to;
} takt_port_exchange_t;

extern takt_port_exchange_t takt_port_exchange;
extern bool takt_port_is_preemption_wanted;

#if TAKT_PORT_HAS_MSCRATCH
TAKT_INLINE uintptr_t takt_port_scratch(void) {
    uintptr_t value;
    __asm volatile("csrr %0, mscratch" : "=r"(value));
    return value;
}
#else
extern volatile uintptr_t takt_port_scratch_word;

TAKT_INLINE uintptr_t takt_port_scratch(void) { return takt_port_scratch_word; }
#endif

/* Switches the floating-point registers on, if there are any. A board calls it before all else. */
TAKT_INLINE void takt_port_fpu_begin(void) {
    if (TAKT_PORT_FPU) {
        __asm volatile("csrs mstatus, %0" : : "r"(0x2000)); /* FS initial */
    }
}

TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    uintptr_t status;
    __asm volatile("csrrci %0, mstatus, 8" : "=r"(status) : : "memory");
    return (takt_port_level_t)status & 8u;
}

/* The lock is closed: what was open before is set, what was closed stays. */
TAKT_INLINE void takt_port_unlock(takt_port_level_t level) {
    __asm volatile("csrs mstatus, %0" : : "r"(level) : "memory");
}

TAKT_INLINE void takt_port_close(void) { __asm volatile("csrci mstatus, 8" : : : "memory"); }

TAKT_INLINE takt_status_t takt_port_open(void) {
    __asm volatile("csrsi mstatus, 8" : : : "memory");
    return TAKT_OK;
}

/* A write of mstatus evaluates at once whether an interrupt is to be taken (machine ISA, 3.1.9). There are cores that
 * evaluate it with the next instructions (VexRiscv): closed at once again, the lock would let nothing in. */
TAKT_INLINE void takt_port_breathe(void) {
    (void)takt_port_open();
    __asm volatile("nop\n nop" : : : "memory");
    takt_port_close();
}

TAKT_INLINE bool takt_port_is_in_isr(void) { return takt_port_scratch() == 0; }

/* An interrupt sets the highest bit of mcause. An exception does not: it comes with the lock closed, too. */
TAKT_INLINE bool takt_port_is_kernel_isr(void) {
    intptr_t cause;
    __asm volatile("csrr %0, mcause" : "=r"(cause));
    return cause < 0 && takt_port_is_in_isr();
}

TAKT_INLINE bool takt_port_is_open(void) {
    uintptr_t status;
    __asm volatile("csrr %0, mstatus" : "=r"(status));
    return (status & 8u) != 0 && !takt_port_is_in_isr();
}

/* The request is kept in memory, so that a trap that finds it need not wait for the CLINT. */
TAKT_INLINE void takt_port_pend(void) {
    takt_port_is_preemption_wanted = true;
    TAKT_PORT_MSIP = 1;
}

/* The end of the trap switches on the stack of `from`, still locked, with the same call as a thread. */
TAKT_INLINE void takt_port_preempt(struct takt_thread *from, struct takt_thread *to) {
    takt_port_exchange.from = from;
    takt_port_exchange.to = to;
}

TAKT_INLINE void takt_port_idle(void) { TAKT_PORT_WAIT(); }

/* WFI ends with a pending interrupt whatever mstatus.MIE (machine ISA, 3.3.3). */
TAKT_INLINE void takt_port_sleep_begin(void) { takt_port_close(); }

TAKT_INLINE void takt_port_sleep_wait(void) { takt_port_idle(); }

TAKT_INLINE void takt_port_sleep_end(void) { (void)takt_port_open(); }

void takt_port_clock_skip(takt_duration_t ticks);

takt_instant_t takt_port_now(void);
void takt_port_timer_set(takt_instant_t until, takt_instant_t now);

#endif
