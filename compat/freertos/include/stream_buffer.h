/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stream buffers: bytes from one task or interrupt to another one. */
#ifndef STREAM_BUFFER_H
#define STREAM_BUFFER_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before stream_buffer.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StreamBufferDef_t *StreamBufferHandle_t;
typedef void (*StreamBufferCallbackFunction_t)(StreamBufferHandle_t buffer, BaseType_t is_in_isr,
                                               BaseType_t *const woken);

#define sbTYPE_STREAM_BUFFER ((BaseType_t)0)
#define sbTYPE_MESSAGE_BUFFER ((BaseType_t)1)
#define sbTYPE_STREAM_BATCHING_BUFFER ((BaseType_t)2)

StreamBufferHandle_t xStreamBufferGenericCreate(size_t bytes, size_t trigger, BaseType_t type,
                                                StreamBufferCallbackFunction_t sent,
                                                StreamBufferCallbackFunction_t received);
StreamBufferHandle_t xStreamBufferGenericCreateStatic(size_t bytes, size_t trigger, BaseType_t type,
                                                      uint8_t *const storage,
                                                      StaticStreamBuffer_t *const buffer,
                                                      StreamBufferCallbackFunction_t sent,
                                                      StreamBufferCallbackFunction_t received);
BaseType_t xStreamBufferGetStaticBuffers(StreamBufferHandle_t stream, uint8_t **storage,
                                         StaticStreamBuffer_t **buffer);
void vStreamBufferDelete(StreamBufferHandle_t stream);

size_t xStreamBufferSend(StreamBufferHandle_t stream, const void *data, size_t bytes, TickType_t ticks);
size_t xStreamBufferSendFromISR(StreamBufferHandle_t stream, const void *data, size_t bytes,
                                BaseType_t *const woken);
size_t xStreamBufferReceive(StreamBufferHandle_t stream, void *data, size_t bytes, TickType_t ticks);
size_t xStreamBufferReceiveFromISR(StreamBufferHandle_t stream, void *data, size_t bytes,
                                   BaseType_t *const woken);

BaseType_t xStreamBufferIsFull(StreamBufferHandle_t stream);
BaseType_t xStreamBufferIsEmpty(StreamBufferHandle_t stream);
size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t stream);
size_t xStreamBufferBytesAvailable(StreamBufferHandle_t stream);
size_t xStreamBufferNextMessageLengthBytes(StreamBufferHandle_t stream);
BaseType_t xStreamBufferSetTriggerLevel(StreamBufferHandle_t stream, size_t trigger);
BaseType_t xStreamBufferReset(StreamBufferHandle_t stream);
BaseType_t xStreamBufferResetFromISR(StreamBufferHandle_t stream);
BaseType_t xStreamBufferSendCompletedFromISR(StreamBufferHandle_t stream, BaseType_t *woken);
BaseType_t xStreamBufferReceiveCompletedFromISR(StreamBufferHandle_t stream, BaseType_t *woken);
UBaseType_t uxStreamBufferGetStreamBufferNotificationIndex(StreamBufferHandle_t stream);
void vStreamBufferSetStreamBufferNotificationIndex(StreamBufferHandle_t stream, UBaseType_t index);

#if configUSE_SB_COMPLETED_CALLBACK == 1
#define xStreamBufferCreateWithCallback(bytes, trigger, sent, received) \
    xStreamBufferGenericCreate((bytes), (trigger), sbTYPE_STREAM_BUFFER, (sent), (received))
#define xStreamBufferCreateStaticWithCallback(bytes, trigger, storage, buffer, sent, received)              \
    xStreamBufferGenericCreateStatic((bytes), (trigger), sbTYPE_STREAM_BUFFER, (storage), (buffer), (sent), \
                                     (received))
#define xStreamBatchingBufferCreateWithCallback(bytes, trigger, sent, received) \
    xStreamBufferGenericCreate((bytes), (trigger), sbTYPE_STREAM_BATCHING_BUFFER, (sent), (received))
#define xStreamBatchingBufferCreateStaticWithCallback(bytes, trigger, storage, buffer, sent, received)       \
    xStreamBufferGenericCreateStatic((bytes), (trigger), sbTYPE_STREAM_BATCHING_BUFFER, (storage), (buffer), \
                                     (sent), (received))
#endif

#define xStreamBufferCreate(bytes, trigger) \
    xStreamBufferGenericCreate((bytes), (trigger), sbTYPE_STREAM_BUFFER, NULL, NULL)
#define xStreamBufferCreateStatic(bytes, trigger, storage, buffer)                                        \
    xStreamBufferGenericCreateStatic((bytes), (trigger), sbTYPE_STREAM_BUFFER, (storage), (buffer), NULL, \
                                     NULL)
#define xStreamBatchingBufferCreate(bytes, trigger) \
    xStreamBufferGenericCreate((bytes), (trigger), sbTYPE_STREAM_BATCHING_BUFFER, NULL, NULL)
#define xStreamBatchingBufferCreateStatic(bytes, trigger, storage, buffer)                                   \
    xStreamBufferGenericCreateStatic((bytes), (trigger), sbTYPE_STREAM_BATCHING_BUFFER, (storage), (buffer), \
                                     NULL, NULL)

#ifdef __cplusplus
}
#endif

#endif
