/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Boards with an STM32F4: the start of the clock, whose readings are in takt_board_clock.h, the port's exceptions by the
 * vendor's names, the program's alarm. */
#include "kernel/port.h"

#include <takt_board.h>

enum { TIMER_PRIORITY = 0xFF /* below the interrupts of programs, beside PendSV */ };

/* ---- the clock ------------------------------------------------------------------------------- */

takt_instant_t takt_board_last_reading;

/* Sets a timer to count all 32 bits at 1 MHz, from 0. The update loads the prescaler. */
static void count(TIM_TypeDef *timer, IRQn_Type interrupt, uint8_t priority) {
    timer->PSC = TAKT_BOARD_TIMER_HERTZ / 1000000 - 1;
    timer->ARR = UINT32_MAX;
    timer->EGR = TIM_EGR_UG;
    timer->SR = 0;
    NVIC->IP[interrupt] = priority;
    NVIC->ISER[(uint32_t)interrupt / 32u] = UINT32_C(1) << (uint32_t)interrupt % 32u;
}

void takt_port_clock_start(void) {
    RCC->APB1ENR |= RCC_APB1ENR_TIM2EN | RCC_APB1ENR_TIM5EN;
    (void)RCC->APB1ENR; /* the clock is there two cycles later */
    takt_board_last_reading = 0;
    count(TIM2, TIM2_IRQn, TIMER_PRIORITY);
    count(TIM5, TIM5_IRQn, TAKT_PORT_KERNEL_LEVEL);
    TIM2->CCR1 = TAKT_BOARD_LONG_SHOT;
    TIM2->DIER = TIM_DIER_CC1IE;
    TIM5->CR1 = TIM_CR1_CEN;
    TIM2->CR1 = TIM_CR1_CEN;
}

/* The counter continues from there; what it counts between reading and writing is lost. */
void takt_port_clock_skip(takt_duration_t ticks) {
    takt_board_last_reading = takt_port_now() + ticks;
    TIM2->CNT += (uint32_t)ticks;
}

void TIM2_IRQHandler(void);
void TIM2_IRQHandler(void) {
    TIM2->SR = ~TIM_SR_CC1IF;
    (void)TIM2->SR; /* the request has gone before the handler returns */
    takt_kernel_timer_expired();
}

/* ---- the port's exceptions -------------------------------------------------------------------- */

#define QUOTED(name) #name
#define HANDLER(vendor, handler)                    \
    __attribute__((naked, used)) void vendor(void); \
    __attribute__((naked, used)) void vendor(void) { __asm volatile("b " QUOTED(handler) "\n" : : :); }
#define LEADS_TO(vendor, handler) HANDLER(vendor, handler)

void takt_port_svc_handler(void);
LEADS_TO(SVC_Handler, takt_port_svc_handler)
LEADS_TO(PendSV_Handler, takt_port_pendsv_handler)
#if TAKT_PORT_GUARDS
LEADS_TO(HardFault_Handler, takt_port_memory_fault)
LEADS_TO(MemManage_Handler, takt_port_memory_fault)
#else
LEADS_TO(HardFault_Handler, takt_port_fault)
#endif

/* ---- the alarm ------------------------------------------------------------------------------- */

static uint32_t alarm_period;

static void alarm_at(uint32_t instant) {
    TIM5->CCR1 = instant;
    if ((int32_t)(instant - (uint32_t)TIM5->CNT) <= 0) {
        TIM5->EGR = TIM_EGR_CC1G;
    }
}

static void alarm_begin(uint32_t ahead, uint32_t period) {
    const takt_port_level_t level = takt_port_lock();
    alarm_period = period;
    TIM5->SR = ~TIM_SR_CC1IF;
    TIM5->DIER = TIM_DIER_CC1IE;
    alarm_at((uint32_t)TIM5->CNT + ahead);
    takt_port_unlock(level);
}

void takt_board_alarm_once(uint64_t ahead) {
    alarm_begin(ahead < TAKT_BOARD_LONG_SHOT ? (uint32_t)ahead : (uint32_t)TAKT_BOARD_LONG_SHOT, 0);
}

void takt_board_alarm_every(uint32_t period) { alarm_begin(period, period); }

void takt_board_alarm_stop(void) {
    TIM5->DIER = 0;
    TIM5->SR = ~TIM_SR_CC1IF;
}

void takt_board_alarm_served(void) {
    TIM5->SR = ~TIM_SR_CC1IF;
    if (alarm_period == 0) {
        takt_board_alarm_stop();
    } else {
        alarm_at((uint32_t)TIM5->CCR1 + alarm_period);
    }
}

__attribute__((weak)) void TAKT_BOARD_ALARM_HANDLER(void) { takt_port_fault(); }

void TIM5_IRQHandler(void);
void TIM5_IRQHandler(void) { TAKT_BOARD_ALARM_HANDLER(); }

/* ---- what a project replaces ------------------------------------------------------------------ */

/* Which serial line is free, only the project knows. */
__attribute__((weak)) void takt_port_print(const char *text) { (void)text; }

__attribute__((weak)) void takt_port_fault(void) {
    for (;;) {
    }
}
