/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Event groups: bits that tasks wait for. */
#ifndef EVENT_GROUPS_H
#define EVENT_GROUPS_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before event_groups.h"
#endif

#include "timers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct EventGroupDef_t *EventGroupHandle_t;

/* As wide as ticks; the upper byte is the interface's own. */
typedef TickType_t EventBits_t;

EventGroupHandle_t xEventGroupCreate(void);
EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *buffer);
void vEventGroupDelete(EventGroupHandle_t group);
BaseType_t xEventGroupGetStaticBuffer(EventGroupHandle_t group, StaticEventGroup_t **buffer);

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, const EventBits_t bits, const BaseType_t clears,
                                const BaseType_t needs_all, TickType_t ticks);
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, const EventBits_t bits);
EventBits_t xEventGroupClearBits(EventGroupHandle_t group, const EventBits_t bits);
EventBits_t xEventGroupSync(EventGroupHandle_t group, const EventBits_t bits, const EventBits_t awaited,
                            TickType_t ticks);
EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group);
BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, const EventBits_t bits, BaseType_t *woken);
BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, const EventBits_t bits);
UBaseType_t uxEventGroupGetNumber(void *group);
void vEventGroupSetNumber(void *group, UBaseType_t number);

/* Functions of the daemon, in which an interrupt sets and clears bits. */
void vEventGroupSetBitsCallback(void *group, uint32_t bits);
void vEventGroupClearBitsCallback(void *group, uint32_t bits);

#define xEventGroupGetBits(group) xEventGroupClearBits((group), 0)

#if configENABLE_BACKWARD_COMPATIBILITY == 1
typedef EventGroupHandle_t xEventGroupHandle;
#endif

#ifdef __cplusplus
}
#endif

#endif
