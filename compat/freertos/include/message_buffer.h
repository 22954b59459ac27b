/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Message buffers: stream buffers of messages, each behind its length. */
#ifndef FREERTOS_MESSAGE_BUFFER_H
#define FREERTOS_MESSAGE_BUFFER_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before message_buffer.h"
#endif

#include "stream_buffer.h"

typedef StreamBufferHandle_t MessageBufferHandle_t;

#define xMessageBufferCreate(bytes) \
    xStreamBufferGenericCreate((bytes), (size_t)0, sbTYPE_MESSAGE_BUFFER, NULL, NULL)
#define xMessageBufferCreateStatic(bytes, storage, buffer)                                                 \
    xStreamBufferGenericCreateStatic((bytes), (size_t)0, sbTYPE_MESSAGE_BUFFER, (storage), (buffer), NULL, \
                                     NULL)
#if configUSE_SB_COMPLETED_CALLBACK == 1
#define xMessageBufferCreateWithCallback(bytes, sent, received) \
    xStreamBufferGenericCreate((bytes), (size_t)0, sbTYPE_MESSAGE_BUFFER, (sent), (received))
#define xMessageBufferCreateStaticWithCallback(bytes, storage, buffer, sent, received)                       \
    xStreamBufferGenericCreateStatic((bytes), (size_t)0, sbTYPE_MESSAGE_BUFFER, (storage), (buffer), (sent), \
                                     (received))
#endif
#define xMessageBufferGetStaticBuffers(buffer, storage, memory) \
    xStreamBufferGetStaticBuffers((buffer), (storage), (memory))
#define xMessageBufferSend(buffer, data, bytes, ticks) xStreamBufferSend((buffer), (data), (bytes), (ticks))
#define xMessageBufferSendFromISR(buffer, data, bytes, woken) \
    xStreamBufferSendFromISR((buffer), (data), (bytes), (woken))
#define xMessageBufferReceive(buffer, data, bytes, ticks) \
    xStreamBufferReceive((buffer), (data), (bytes), (ticks))
#define xMessageBufferReceiveFromISR(buffer, data, bytes, woken) \
    xStreamBufferReceiveFromISR((buffer), (data), (bytes), (woken))
#define vMessageBufferDelete(buffer) vStreamBufferDelete(buffer)
#define xMessageBufferIsFull(buffer) xStreamBufferIsFull(buffer)
#define xMessageBufferIsEmpty(buffer) xStreamBufferIsEmpty(buffer)
#define xMessageBufferReset(buffer) xStreamBufferReset(buffer)
#define xMessageBufferResetFromISR(buffer) xStreamBufferResetFromISR(buffer)
#define xMessageBufferSpaceAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferSpacesAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferNextLengthBytes(buffer) xStreamBufferNextMessageLengthBytes(buffer)
#define xMessageBufferSendCompletedFromISR(buffer, woken) xStreamBufferSendCompletedFromISR((buffer), (woken))
#define xMessageBufferReceiveCompletedFromISR(buffer, woken) \
    xStreamBufferReceiveCompletedFromISR((buffer), (woken))

#endif
