/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stream buffers and message buffers: a ring of bytes between one sender and one receiver.
 *
 * Bytes are copied with interrupts open: only the sender writes `head`, only the receiver `tail`, and what either has
 * copied counts from that write on. */
#include "compat/freertos/program.h"

#include "compat/freertos/include/stream_buffer.h"

typedef struct StreamBufferDef_t stream_t;
typedef configMESSAGE_BUFFER_LENGTH_TYPE length_t;

struct StreamBufferDef_t {
    uint8_t *storage;
    waiters_t sender;   /* the one that waits */
    waiters_t receiver; /* likewise */
#if configUSE_SB_COMPLETED_CALLBACK != 0
    StreamBufferCallbackFunction_t sent;     /* called in place of waking the receiver; NULL: it is woken */
    StreamBufferCallbackFunction_t received; /* likewise the sender */
#endif
    size_t limit;   /* bytes that it holds */
    size_t trigger; /* bytes that wake the receiver */
    size_t head;    /* place of the next byte to be written */
    size_t tail;    /* place of the oldest byte */
    uint8_t type;
    uint8_t index; /* of notifications, as the program says */
    bool is_owned;
};

_Static_assert(sizeof(StaticStreamBuffer_t) >= sizeof(stream_t), "StaticStreamBuffer_t holds a buffer");

static bool has_messages(const stream_t *stream) { return stream->type == sbTYPE_MESSAGE_BUFFER; }

/* ---- creation -------------------------------------------------------------------------------------------------- */

StreamBufferHandle_t xStreamBufferGenericCreateStatic(size_t bytes, size_t trigger, BaseType_t type,
                                                      uint8_t *const storage,
                                                      StaticStreamBuffer_t *const buffer,
                                                      StreamBufferCallbackFunction_t sent,
                                                      StreamBufferCallbackFunction_t received) {
    stream_t *stream = (stream_t *)(void *)buffer;
    ASSERT(storage != NULL && buffer != NULL);
    ASSERT(trigger <= bytes);
    ASSERT(bytes > (type == sbTYPE_MESSAGE_BUFFER ? sizeof(length_t) : 0));
    if (storage == NULL || buffer == NULL) {
        return NULL;
    }
    /* One byte of the caller's memory is never used, as the reference says of it. */
    *stream = (stream_t){
        .storage = storage, .limit = bytes - 1, .trigger = trigger != 0 ? trigger : 1, .type = (uint8_t)type};
#if configUSE_SB_COMPLETED_CALLBACK != 0
    stream->sent = sent;
    stream->received = received;
#else
    ASSERT(sent == NULL && received == NULL);
    (void)sent;
    (void)received;
#endif
    return stream;
}

StreamBufferHandle_t xStreamBufferGenericCreate(size_t bytes, size_t trigger, BaseType_t type,
                                                StreamBufferCallbackFunction_t sent,
                                                StreamBufferCallbackFunction_t received) {
    if (bytes > SIZE_MAX - sizeof(stream_t) - 1) {
        return NULL;
    }
    stream_t *stream = pvPortMalloc(sizeof(stream_t) + bytes + 1);
    if (stream != NULL) {
        (void)xStreamBufferGenericCreateStatic(bytes + 1, trigger, type, (uint8_t *)(stream + 1),
                                               (StaticStreamBuffer_t *)(void *)stream, sent, received);
        stream->is_owned = true;
    }
    return stream;
}

void vStreamBufferDelete(StreamBufferHandle_t stream) {
    ASSERT(stream != NULL);
    if (stream->is_owned) {
        vPortFree(stream);
    }
}

BaseType_t xStreamBufferGetStaticBuffers(StreamBufferHandle_t stream, uint8_t **storage,
                                         StaticStreamBuffer_t **buffer) {
    ASSERT(stream != NULL && storage != NULL && buffer != NULL);
    if (stream->is_owned) {
        return pdFALSE;
    }
    *storage = stream->storage;
    *buffer = (StaticStreamBuffer_t *)(void *)stream;
    return pdTRUE;
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static size_t count_of(const stream_t *stream) {
    const size_t head = *(const volatile size_t *)&stream->head;
    const size_t tail = *(const volatile size_t *)&stream->tail;
    return head >= tail ? head - tail : head + stream->limit + 1 - tail;
}

/* Copies `bytes` from place `at` on to `to`, or from `from` to there. Returns the place behind them. */
static size_t copy(stream_t *stream, size_t at, uint8_t *to, const uint8_t *from, size_t bytes) {
    for (size_t byte = 0; byte < bytes; byte++) {
        if (to != NULL) {
            to[byte] = stream->storage[at];
        } else {
            stream->storage[at] = from[byte];
        }
        at = at != stream->limit ? at + 1 : 0;
    }
    return at;
}

/* Returns how many of `bytes` can be written now: all of a message or none. */
static size_t writable(const stream_t *stream, size_t bytes) {
    const size_t spaces = stream->limit - count_of(stream);
    if (has_messages(stream)) {
        return bytes + sizeof(length_t) <= spaces ? bytes : 0;
    }
    return bytes < spaces ? bytes : spaces;
}

/* Writes what can be. Returns how many bytes. */
static size_t write(stream_t *stream, const uint8_t *data, size_t bytes) {
    const size_t written = writable(stream, bytes);
    size_t at = stream->head;
    if (written == 0) {
        return 0;
    }
    if (has_messages(stream)) {
        const length_t length = (length_t)written;
        at = copy(stream, at, NULL, (const uint8_t *)&length, sizeof length);
    }
    at = copy(stream, at, NULL, data, written);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile size_t *)&stream->head = at;
    return written;
}

/* True if what has been written wakes the receiver. */
static bool is_enough(const stream_t *stream, size_t written) {
    return written != 0 && (has_messages(stream) || count_of(stream) >= stream->trigger);
}

/* The bytes of the next message; of a stream all. */
static size_t next_length(stream_t *stream) {
    const size_t count = count_of(stream);
    if (!has_messages(stream) || count == 0) {
        return count;
    }
    length_t length;
    (void)copy(stream, stream->tail, (uint8_t *)&length, NULL, sizeof length);
    return (size_t)length;
}

/* Reads at most `bytes`; of a message all or nothing. Likewise. */
static size_t read(stream_t *stream, uint8_t *data, size_t bytes) {
    const size_t there = next_length(stream);
    const size_t taken = there <= bytes ? there : (has_messages(stream) ? 0 : bytes);
    size_t at = stream->tail;
    if (taken == 0) {
        return 0;
    }
    if (has_messages(stream)) {
        length_t length;
        at = copy(stream, at, (uint8_t *)&length, NULL, sizeof length);
    }
    at = copy(stream, at, data, NULL, taken);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile size_t *)&stream->tail = at;
    return taken;
}

/* ---- what is completed: a program may have macros of its configuration or callbacks in place of waking ------------- */

static task_t *take(waiters_t *waiters) {
    const takt_port_level_t level = takt_port_lock();
    task_t *task = takt_freertos_first(waiters);
    takt_port_unlock(level);
    return task;
}

/* Wakes the task that waits, if one does. */
static BaseType_t complete(waiters_t *waiters, BaseType_t *woken) {
    task_t *task = take(waiters);
    takt_freertos_wake_from_isr(task, woken);
    return task != NULL ? pdTRUE : pdFALSE;
}

#ifndef sbSEND_COMPLETED
#define sbSEND_COMPLETED(stream) takt_freertos_wake(take(&(stream)->receiver), WOKEN)
#endif
#ifndef sbRECEIVE_COMPLETED
#define sbRECEIVE_COMPLETED(stream) takt_freertos_wake(take(&(stream)->sender), WOKEN)
#endif
#ifndef sbSEND_COMPLETE_FROM_ISR
#define sbSEND_COMPLETE_FROM_ISR(stream, woken) (void)complete(&(stream)->receiver, (woken))
#endif
#ifndef sbRECEIVE_COMPLETED_FROM_ISR
#define sbRECEIVE_COMPLETED_FROM_ISR(stream, woken) (void)complete(&(stream)->sender, (woken))
#endif

#if configUSE_SB_COMPLETED_CALLBACK != 0
static bool is_called(stream_t *stream, StreamBufferCallbackFunction_t callback, BaseType_t is_in_isr,
                      BaseType_t *woken) {
    if (callback != NULL) {
        callback(stream, is_in_isr, woken);
    }
    return callback != NULL;
}
#else
#define is_called(stream, callback, is_in_isr, woken) false
#endif

static void complete_send(stream_t *stream) {
    if (!is_called(stream, stream->sent, pdFALSE, NULL)) {
        sbSEND_COMPLETED(stream);
    }
}

static void complete_receive(stream_t *stream) {
    if (!is_called(stream, stream->received, pdFALSE, NULL)) {
        sbRECEIVE_COMPLETED(stream);
    }
}

static void complete_send_from_isr(stream_t *stream, BaseType_t *woken) {
    if (!is_called(stream, stream->sent, pdTRUE, woken)) {
        sbSEND_COMPLETE_FROM_ISR(stream, woken);
    }
}

static void complete_receive_from_isr(stream_t *stream, BaseType_t *woken) {
    if (!is_called(stream, stream->received, pdTRUE, woken)) {
        sbRECEIVE_COMPLETED_FROM_ISR(stream, woken);
    }
}

/* ---- to wait ------------------------------------------------------------------------------------------------------- */

/* The running task waits once, in `waiters`, unless there is `enough` already or `limit` does not let it. Returns whether it
 * has waited. */
static bool wait(stream_t *stream, waiters_t *waiters, size_t enough, limit_t *limit) {
    const takt_port_level_t level = takt_port_lock();
    const size_t now = waiters == &stream->sender ? writable(stream, enough) : count_of(stream);
    ASSERT(now >= enough || limit->ticks == 0 || waiters->last == NULL);
    const bool waits = now < enough && takt_freertos_join(waiters, limit);
    takt_port_unlock(level);
    if (waits) {
        takt_freertos_await(limit);
    }
    return waits;
}

/* A stream takes what fits when the time is up. */
size_t xStreamBufferSend(StreamBufferHandle_t stream, const void *data, size_t bytes, TickType_t ticks) {
    ASSERT(stream != NULL && data != NULL);
    limit_t limit = {.ticks = ticks};
    size_t needed = bytes;
    if (has_messages(stream)) {
        ASSERT((size_t)(length_t)bytes == bytes);
        limit.ticks = bytes + sizeof(length_t) <= stream->limit ? ticks : 0;
    } else if (needed > stream->limit) {
        needed = stream->limit;
    }
    while (writable(stream, needed) < needed && wait(stream, &stream->sender, needed, &limit)) {
    }
    const size_t written = write(stream, data, bytes);
    if (is_enough(stream, written)) {
        complete_send(stream);
    }
    return written;
}

/* A receiver of a stream that finds bytes takes them. One that waits is woken for the trigger, and waits once: whatever has
 * ended that, it takes what is there. */
size_t xStreamBufferReceive(StreamBufferHandle_t stream, void *data, size_t bytes, TickType_t ticks) {
    ASSERT(stream != NULL && data != NULL);
    limit_t limit = {.ticks = ticks};
    const size_t least = stream->type == sbTYPE_STREAM_BATCHING_BUFFER ? stream->trigger : 1;
    if (count_of(stream) < least) {
        (void)wait(stream, &stream->receiver, least, &limit);
    }
    const size_t taken = read(stream, data, bytes);
    if (taken != 0) {
        complete_receive(stream);
    }
    return taken;
}

/* ---- by interrupts ----------------------------------------------------------------------------------------------------- */

size_t xStreamBufferSendFromISR(StreamBufferHandle_t stream, const void *data, size_t bytes,
                                BaseType_t *const woken) {
    ASSERT(stream != NULL && data != NULL);
    const size_t written = write(stream, data, bytes);
    if (is_enough(stream, written)) {
        complete_send_from_isr(stream, woken);
    }
    return written;
}

size_t xStreamBufferReceiveFromISR(StreamBufferHandle_t stream, void *data, size_t bytes,
                                   BaseType_t *const woken) {
    ASSERT(stream != NULL && data != NULL);
    const size_t taken = read(stream, data, bytes);
    if (taken != 0) {
        complete_receive_from_isr(stream, woken);
    }
    return taken;
}

BaseType_t xStreamBufferSendCompletedFromISR(StreamBufferHandle_t stream, BaseType_t *woken) {
    return complete(&stream->receiver, woken);
}

BaseType_t xStreamBufferReceiveCompletedFromISR(StreamBufferHandle_t stream, BaseType_t *woken) {
    return complete(&stream->sender, woken);
}

/* ---- questions ------------------------------------------------------------------------------------------------------------ */

BaseType_t xStreamBufferIsEmpty(StreamBufferHandle_t stream) {
    return count_of(stream) == 0 ? pdTRUE : pdFALSE;
}

BaseType_t xStreamBufferIsFull(StreamBufferHandle_t stream) {
    const size_t head = has_messages(stream) ? sizeof(length_t) : 0;
    return xStreamBufferSpacesAvailable(stream) <= head ? pdTRUE : pdFALSE;
}

size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t stream) { return stream->limit - count_of(stream); }

size_t xStreamBufferBytesAvailable(StreamBufferHandle_t stream) { return count_of(stream); }

size_t xStreamBufferNextMessageLengthBytes(StreamBufferHandle_t stream) {
    return has_messages(stream) ? next_length(stream) : 0;
}

BaseType_t xStreamBufferSetTriggerLevel(StreamBufferHandle_t stream, size_t trigger) {
    const size_t least = trigger != 0 ? trigger : 1;
    if (least > stream->limit) {
        return pdFALSE;
    }
    stream->trigger = least;
    return pdTRUE;
}

/* Not while a task waits. */
BaseType_t xStreamBufferReset(StreamBufferHandle_t stream) {
    const takt_port_level_t level = takt_port_lock();
    const bool is_free = stream->sender.last == NULL && stream->receiver.last == NULL;
    if (is_free) {
        stream->head = 0;
        stream->tail = 0;
    }
    takt_port_unlock(level);
    return is_free ? pdPASS : pdFAIL;
}

BaseType_t xStreamBufferResetFromISR(StreamBufferHandle_t stream) { return xStreamBufferReset(stream); }

UBaseType_t uxStreamBufferGetStreamBufferNotificationIndex(StreamBufferHandle_t stream) {
    return stream->index;
}

void vStreamBufferSetStreamBufferNotificationIndex(StreamBufferHandle_t stream, UBaseType_t index) {
    stream->index = (uint8_t)index;
}
