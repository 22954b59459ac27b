/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Message queue: a bounded ring of messages of one size, copied in and out; the memory is the caller's.
 *
 * A waiting thread is served by the call that wakes it. A message is copied straight to the first waiting receiver; a
 * place that becomes free is filled with the message of the first waiting sender. So a woken thread's operation is
 * complete, whatever happens to the thread before it runs. Messages are received in the order in which they were sent.
 * The most urgent waiting thread is served first, equals in FIFO order; with _init_fifo all are equals.
 *
 * A message is copied word by word with interrupts masked, so it has at most TAKT_MESSAGE_BYTES_MAX bytes. For longer
 * data, send a pointer to a block of a pool. Considered and rejected: copying with interrupts open into a reserved
 * place, because a thread preempted during its copy would delay all messages sent after its own.
 *
 * Invariant: receivers wait only while there is no message, senders only while there is no free place. */
#ifndef TAKT_KERNEL_MESSAGES_H
#define TAKT_KERNEL_MESSAGES_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

TAKT_C_BEGIN

/* Four bytes of a message, of any type. */
typedef uint32_t __attribute__((may_alias)) takt_message_word_t;

/* 56 bytes on a 32-bit machine. Private. */
typedef struct takt_messages {
    takt_waiters_t items;       /* messages in the queue; receivers wait */
    takt_waiters_t places;      /* free places; senders wait */
    takt_message_word_t *first; /* the memory */
    takt_message_word_t *end;
    takt_message_word_t *head; /* the oldest message */
    takt_message_word_t *tail; /* the next free place */
    uint32_t words;            /* of a message */
} takt_messages_t;

/* Maximum bytes of a message, a multiple of 4. A build may define its own value. A receive that also serves a waiting
 * sender masks interrupts for two copies. */
#ifndef TAKT_MESSAGE_BYTES_MAX
#define TAKT_MESSAGE_BYTES_MAX 128
#endif

/* Initialises an empty queue of `capacity` messages of `message_bytes` each. `memory` has room for them, is aligned to
 * 4 bytes and is not used otherwise from now on. No thread may be waiting in it. Returns ERROR_NULL, or _SIZE if
 * `capacity` is 0, `message_bytes` is 0, no multiple of 4 or more than TAKT_MESSAGE_BYTES_MAX, the memory is not
 * aligned, or the product of both exceeds TAKT_MESSAGES_BYTES_MAX. */
takt_status_t takt_messages_init(takt_messages_t *messages, void *memory, uint32_t message_bytes,
                                 uint32_t capacity);

/* Likewise, but waiting receivers, and waiting senders, are served in FIFO order, regardless of urgency. */
takt_status_t takt_messages_init_fifo(takt_messages_t *messages, void *memory, uint32_t message_bytes,
                                      uint32_t capacity);

/* Maximum bytes of all messages of a queue together. */
#define TAKT_MESSAGES_BYTES_MAX INT32_MAX

/* In all calls below `message` is aligned to 4 bytes, else ERROR_SIZE. */

/* Appends a copy of `message`; waits for a free place. The first waiting receiver gets it, and runs at once if it is
 * more urgent. Threads only. Returns ERROR_NULL, _OBJECT, _SIZE, _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if a job
 * that the scheduler may end would have to wait, see kernel/job.h. */
takt_status_t takt_messages_send(takt_messages_t *messages, const void *message);

/* Likewise, but waits at most `duration` ticks; the try variant does not wait. Returns TIMEOUT if it stayed full. */
takt_status_t takt_messages_send_for(takt_messages_t *messages, const void *message,
                                     takt_duration_t duration);
takt_status_t takt_messages_try_send(takt_messages_t *messages, const void *message);

/* The same for interrupts, without waiting. A woken receiver that is more urgent runs when the last interrupt has
 * ended. Returns TIMEOUT if the queue is full; ERROR_NULL, _OBJECT, _SIZE, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_messages_send_from_isr(takt_messages_t *messages, const void *message);

/* Copies the oldest message to `message` and removes it; waits for one. The first waiting sender gets the free place,
 * and runs at once if it is more urgent. Threads only. Returns as takt_messages_send. */
takt_status_t takt_messages_receive(takt_messages_t *messages, void *message);

/* Likewise, but waits at most `duration` ticks; the try variant does not wait. Returns TIMEOUT if the queue stayed
 * empty. */
takt_status_t takt_messages_receive_for(takt_messages_t *messages, void *message, takt_duration_t duration);
takt_status_t takt_messages_try_receive(takt_messages_t *messages, void *message);

/* The same for interrupts, without waiting. Returns TIMEOUT if the queue is empty; ERROR_NULL, _OBJECT, _SIZE,
 * _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_messages_receive_from_isr(takt_messages_t *messages, void *message);

/* Number of messages in the queue. From anywhere. Returns 0 if `messages` is NULL. */
uint32_t takt_messages_count(const takt_messages_t *messages);

TAKT_C_END

#endif
