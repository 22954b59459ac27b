/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queue sets: a queue of the handles of its members, one for each item that a member has got. */
#include "compat/freertos/queues.h"

#if configUSE_QUEUE_SETS != 0

QueueSetHandle_t xQueueCreateSet(UBaseType_t length) {
    return xQueueGenericCreate(length, sizeof(queue_t *), queueQUEUE_TYPE_SET);
}

QueueSetHandle_t xQueueCreateSetStatic(UBaseType_t length, uint8_t *storage, StaticQueue_t *queue) {
    return xQueueGenericCreateStatic(length, sizeof(queue_t *), storage, queue, queueQUEUE_TYPE_SET);
}

/* What a member has got before it joins would never be announced. */
BaseType_t xQueueAddToSet(QueueSetMemberHandle_t member, QueueSetHandle_t set) {
    ASSERT(member != NULL && set != NULL);
    const takt_port_level_t level = takt_port_lock();
    const bool joins = member->set == NULL && member->count == 0;
    if (joins) {
        member->set = set;
    }
    takt_port_unlock(level);
    return joins ? pdPASS : pdFAIL;
}

/* Nor would what it still has be found. */
BaseType_t xQueueRemoveFromSet(QueueSetMemberHandle_t member, QueueSetHandle_t set) {
    ASSERT(member != NULL && set != NULL);
    const takt_port_level_t level = takt_port_lock();
    const bool leaves = member->set == set && member->count == 0;
    if (leaves) {
        member->set = NULL;
    }
    takt_port_unlock(level);
    return leaves ? pdPASS : pdFAIL;
}

QueueSetMemberHandle_t xQueueSelectFromSet(QueueSetHandle_t set, TickType_t ticks) {
    QueueSetMemberHandle_t member = NULL;
    (void)xQueueReceive(set, &member, ticks);
    return member;
}

QueueSetMemberHandle_t xQueueSelectFromSetFromISR(QueueSetHandle_t set) {
    QueueSetMemberHandle_t member = NULL;
    (void)xQueueReceiveFromISR(set, &member, NULL);
    return member;
}

#endif
