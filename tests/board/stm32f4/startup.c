/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stands for the vendor's start-up file where it is not: its vectors by its names. */
#include "stm32f4xx.h"

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[], _estack[];

int main(void);

void Reset_Handler(void);
void Reset_Handler(void) {
    const uint32_t *source = _sidata;
    for (uint32_t *word = _sdata; word < _edata; word++) {
        *word = *source++;
    }
    for (uint32_t *word = _sbss; word < _ebss; word++) {
        *word = 0;
    }
    (void)main();
}

void HardFault_Handler(void);
void MemManage_Handler(void);
void SVC_Handler(void);
void PendSV_Handler(void);
void TIM2_IRQHandler(void);
void TIM5_IRQHandler(void);

__attribute__((weak)) void MemManage_Handler(void) {
    for (;;) {
    }
}

__attribute__((used, section(".isr_vector"))) static void (*const vectors[98])(void) = {
    [0] = (void (*)(void))_estack,
    [1] = Reset_Handler,
    [3] = HardFault_Handler,
    [4] = MemManage_Handler,
    [11] = SVC_Handler,
    [14] = PendSV_Handler,
    [16 + TIM2_IRQn] = TIM2_IRQHandler,
    [16 + TIM5_IRQn] = TIM5_IRQHandler};
