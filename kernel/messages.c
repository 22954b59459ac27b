/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Message queue; see messages.h. */
#include "kernel/messages.h"

#include "kernel/order.h"

enum { WORD = sizeof(takt_message_word_t), BURST = 4 };

/* A thread that waits with a message, or for one. */
typedef struct exchange {
    takt_wait_t wait;
    const takt_message_word_t *from; /* source of a sender */
    takt_message_word_t *to;         /* destination of a receiver */
} exchange_t;

typedef struct burst {
    takt_message_word_t words[BURST];
} __attribute__((may_alias)) burst_t;

static bool is_aligned(const void *memory) { return (uintptr_t)memory % WORD == 0; }

takt_status_t takt_messages_init_fifo(takt_messages_t *messages, void *memory, uint32_t message_bytes,
                                      uint32_t capacity) {
    if (messages == NULL || memory == NULL) {
        return TAKT_ERROR_NULL;
    }
    const bool is_size =
        message_bytes > 0 && message_bytes <= TAKT_MESSAGE_BYTES_MAX && message_bytes % WORD == 0;
    if (!is_size || capacity == 0 || !is_aligned(memory) ||
        capacity > TAKT_MESSAGES_BYTES_MAX / message_bytes) {
        return TAKT_ERROR_SIZE;
    }
    takt_waiters_init(&messages->items, 0);
    takt_waiters_init(&messages->places, (int32_t)capacity);
    messages->words = message_bytes / WORD;
    messages->first = memory;
    messages->end = messages->first + messages->words * capacity;
    messages->head = messages->first;
    messages->tail = messages->first;
    return TAKT_OK;
}

takt_status_t takt_messages_init(takt_messages_t *messages, void *memory, uint32_t message_bytes,
                                 uint32_t capacity) {
    const takt_status_t status = takt_messages_init_fifo(messages, memory, message_bytes, capacity);
    if (status == TAKT_OK) {
        takt_order_by_urgency(&messages->items);
        takt_order_by_urgency(&messages->places);
    }
    return status;
}

#define REQUIRE_MESSAGES(messages, message)                                                 \
    TAKT_REQUIRE((messages) != NULL, TAKT_ERROR_NULL);                                      \
    TAKT_DEBUG_REQUIRE((message) != NULL, TAKT_ERROR_NULL);                                 \
    TAKT_DEBUG_REQUIRE(takt_waiters_is_initialised(&(messages)->items), TAKT_ERROR_OBJECT); \
    TAKT_DEBUG_REQUIRE(is_aligned(message), TAKT_ERROR_SIZE)

/* ---- the ring ----------------------------------------------------------------------------------- */

/* Copies `words`, four at a time. Returns the end of the copy. The empty instruction prevents the compiler from
 * recomputing the pointers after the loop. */
TAKT_INLINE takt_message_word_t *copy(takt_message_word_t *to, const takt_message_word_t *from,
                                      uint32_t words) {
    for (; words >= BURST; words -= BURST) {
        *(burst_t *)to = *(const burst_t *)from;
        to += BURST;
        from += BURST;
        __asm volatile("" : "+r"(to), "+r"(from), "+r"(words));
    }
    for (; words > 0; words--) {
        *to++ = *from++;
    }
    return to;
}

/* Fills a free place; the caller updates the count of places. */
TAKT_INLINE void put(takt_messages_t *messages, const void *message) {
    takt_message_word_t *next = copy(messages->tail, message, messages->words);
    messages->tail = next == messages->end ? messages->first : next;
    messages->items.count++;
}

/* Takes the oldest message; the caller updates the count of places. */
TAKT_INLINE void take(takt_messages_t *messages, void *message) {
    takt_message_word_t *oldest = messages->head;
    takt_message_word_t *next = oldest + messages->words;
    (void)copy(message, oldest, messages->words);
    messages->head = next == messages->end ? messages->first : next;
    messages->items.count--;
}

/* ---- waiting threads ---------------------------------------------------------------------------- */

static exchange_t *exchange_of(takt_entity_t *waiter) {
    return TAKT_CONTAINER_OF((takt_wait_t *)takt_thread_of(waiter)->wait, exchange_t, wait);
}

/* Gives `message` to the first waiting receiver, and returns it, to be woken. */
TAKT_INLINE takt_entity_t *serve_receiver(takt_messages_t *messages, const void *message) {
    takt_entity_t *receiver = takt_queue_take(&messages->items.queue);
    messages->items.count++;
    (void)copy(exchange_of(receiver)->to, message, messages->words);
    return receiver;
}

/* Gives the free place to the first waiting sender, and returns it, to be woken. */
TAKT_INLINE takt_entity_t *serve_sender(takt_messages_t *messages) {
    takt_entity_t *sender = takt_queue_take(&messages->places.queue);
    messages->places.count++;
    put(messages, exchange_of(sender)->from);
    return sender;
}

/* These are the rare cases: the fast path of send and receive calls nothing, and so saves few registers. */

static __attribute__((noinline)) takt_status_t hand_over(takt_messages_t *messages, const void *message) {
    TAKT_REQUIRE_THREAD_NOW();
    return takt_wake(serve_receiver(messages, message));
}

/* The free place is counted by neither side while interrupts are open: one may serve the sender, or find the queue full.
 * Where the decision may take a pass there is one, which opens. */
static __attribute__((noinline)) takt_status_t let_in(takt_messages_t *messages) {
    if (!takt_entity_is_plain(takt_kernel.cpu.running)) {
        return takt_wake(serve_sender(messages));
    }
    takt_wake_begin();
    takt_port_breathe();
    if (messages->places.count < 0) {
        takt_wake_before_decision(serve_sender(messages));
    } else {
        messages->places.count++;
    }
    return takt_wake_decide();
}

static __attribute__((noinline)) takt_status_t give_up(void) {
    (void)takt_port_open();
    return TAKT_TIMEOUT;
}

static __attribute__((noinline)) takt_status_t wait_to_send(takt_messages_t *messages, const void *message,
                                                            takt_duration_t duration) {
    TAKT_REQUIRE_WAITERS(&messages->places);
    exchange_t exchange;
    exchange.wait.is_node = false;
    exchange.wait.is_endless = false;
    exchange.from = message;
    messages->places.count--;
    return takt_wait_with(&exchange.wait, &messages->places, duration);
}

static __attribute__((noinline)) takt_status_t wait_to_receive(takt_messages_t *messages, void *message,
                                                               takt_duration_t duration) {
    TAKT_REQUIRE_WAITERS(&messages->items);
    exchange_t exchange;
    exchange.wait.is_node = false;
    exchange.wait.is_endless = false;
    exchange.to = message;
    messages->items.count--;
    return takt_wait_with(&exchange.wait, &messages->items, duration);
}

/* ---- send --------------------------------------------------------------------------------------- */

TAKT_INLINE takt_status_t send(takt_messages_t *messages, const void *message, takt_duration_t duration) {
    TAKT_REQUIRE(message != NULL, TAKT_ERROR_NULL);
    REQUIRE_MESSAGES(messages, message);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    if (TAKT_UNLIKELY(messages->items.count < 0)) {
        return hand_over(messages, message);
    }
    if (TAKT_UNLIKELY(messages->places.count <= 0)) {
        return duration == 0 ? give_up() : wait_to_send(messages, message, duration);
    }
    messages->places.count--;
    put(messages, message);
    return takt_port_open();
}

takt_status_t takt_messages_send(takt_messages_t *messages, const void *message) {
    return send(messages, message, TAKT_NEVER);
}

takt_status_t takt_messages_send_for(takt_messages_t *messages, const void *message,
                                     takt_duration_t duration) {
    return send(messages, message, duration);
}

takt_status_t takt_messages_try_send(takt_messages_t *messages, const void *message) {
    return send(messages, message, 0);
}

TAKT_INLINE takt_status_t send_from_isr(takt_messages_t *messages, const void *message) {
    if (messages->items.count < 0) {
        takt_wake_from_isr(serve_receiver(messages, message));
        return TAKT_OK;
    }
    if (messages->places.count <= 0) {
        return TAKT_TIMEOUT;
    }
    messages->places.count--;
    put(messages, message);
    return TAKT_OK;
}

takt_status_t takt_messages_send_from_isr(takt_messages_t *messages, const void *message) {
    REQUIRE_MESSAGES(messages, message);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = send_from_isr(messages, message);
    takt_port_unlock(level);
    return status;
}

/* ---- receive ------------------------------------------------------------------------------------ */

TAKT_INLINE takt_status_t receive(takt_messages_t *messages, void *message, takt_duration_t duration) {
    REQUIRE_MESSAGES(messages, message);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    if (TAKT_UNLIKELY(messages->items.count <= 0)) {
        return duration == 0 ? give_up() : wait_to_receive(messages, message, duration);
    }
    TAKT_REQUIRE_IF(TAKT_CHECKS_NOW, messages->places.count >= 0 || !takt_port_is_in_isr(),
                    takt_kernel_refuse(TAKT_ERROR_IN_ISR));
    take(messages, message);
    if (TAKT_UNLIKELY(messages->places.count < 0)) {
        return let_in(messages);
    }
    messages->places.count++;
    return takt_port_open();
}

takt_status_t takt_messages_receive(takt_messages_t *messages, void *message) {
    return receive(messages, message, TAKT_NEVER);
}

takt_status_t takt_messages_receive_for(takt_messages_t *messages, void *message, takt_duration_t duration) {
    return receive(messages, message, duration);
}

takt_status_t takt_messages_try_receive(takt_messages_t *messages, void *message) {
    return receive(messages, message, 0);
}

TAKT_INLINE takt_status_t receive_from_isr(takt_messages_t *messages, void *message) {
    if (messages->items.count <= 0) {
        return TAKT_TIMEOUT;
    }
    take(messages, message);
    if (messages->places.count < 0) {
        takt_wake_from_isr(serve_sender(messages));
    } else {
        messages->places.count++;
    }
    return TAKT_OK;
}

takt_status_t takt_messages_receive_from_isr(takt_messages_t *messages, void *message) {
    REQUIRE_MESSAGES(messages, message);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = receive_from_isr(messages, message);
    takt_port_unlock(level);
    return status;
}

uint32_t takt_messages_count(const takt_messages_t *messages) {
    const int32_t count = messages == NULL ? 0 : messages->items.count;
    return count > 0 ? (uint32_t)count : 0;
}
