/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stands for the vendor's device header where it is not: what boards/stm32f4 uses of it, under its names.
 *
 * Source: STMicroelectronics, RM0090 Rev 19, chapters 7.3 and 18.4; PM0214 Rev 10, chapter 4.3. */
#ifndef TAKT_TESTS_BOARD_STM32F4XX_H
#define TAKT_TESTS_BOARD_STM32F4XX_H

#include <stddef.h>
#include <stdint.h>

typedef enum { TIM2_IRQn = 28, TIM5_IRQn = 50 } IRQn_Type;

typedef struct {
    volatile uint32_t CR1, CR2, SMCR, DIER, SR, EGR, CCMR1, CCMR2, CCER, CNT, PSC, ARR, RCR, CCR1;
} TIM_TypeDef;

typedef struct {
    volatile uint32_t reserved[16], APB1ENR;
} RCC_TypeDef;

typedef struct {
    volatile uint32_t ISER[8], reserved[184];
    volatile uint8_t IP[240];
} NVIC_Type;

_Static_assert(offsetof(TIM_TypeDef, CCR1) == 0x34, "comparator 1 is where the manual has it");
_Static_assert(offsetof(RCC_TypeDef, APB1ENR) == 0x40, "the timers' clocks are where the manual has them");
_Static_assert(offsetof(NVIC_Type, IP) == 0x300, "priorities are where the manual has them");

#define TIM2 ((TIM_TypeDef *)0x40000000u)
#define TIM5 ((TIM_TypeDef *)0x40000C00u)
#define RCC ((RCC_TypeDef *)0x40023800u)
#define NVIC ((NVIC_Type *)0xE000E100u)

#define TIM_CR1_CEN 1u
#define TIM_DIER_CC1IE 2u
#define TIM_SR_CC1IF 2u
#define TIM_EGR_UG 1u
#define TIM_EGR_CC1G 2u
#define RCC_APB1ENR_TIM2EN 1u
#define RCC_APB1ENR_TIM5EN 8u

#endif
