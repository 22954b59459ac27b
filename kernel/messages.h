/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Message queue: a bounded ring of messages of one size, copied in and out; memory is the caller's.
 *
 * Who waits is served at once: a message goes straight into the memory of the first receiver that waits, and a place
 * that becomes free is filled with the message of the first sender that waits. So a call has ended when its thread is
 * woken, whatever happens to that thread before it runs; messages are received in the order in which they were sent,
 * and threads wait first come first served, whatever their urgency.
 *
 * A message is copied with interrupts masked, by words, so that it has at most TAKT_MESSAGE_BYTES_MAX bytes: what is longer is
 * sent as a pointer to a block of a pool. Considered and rejected: to copy with interrupts open into a place that is
 * reserved. A thread that is displaced while it copies would then keep back all messages that are sent after its own.
 *
 * Invariant: receivers wait only while no message is there, senders only while no place is free. */
#ifndef TAKT_KERNEL_MESSAGES_H
#define TAKT_KERNEL_MESSAGES_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

/* Four bytes of a message, whatever they are a part of. */
typedef uint32_t __attribute__((may_alias)) takt_message_word_t;

/* 56 bytes on a 32-bit machine. Private. */
typedef struct takt_messages {
    takt_waiters_t items;       /* messages that are there; receivers wait */
    takt_waiters_t places;      /* places that are free; senders wait */
    takt_message_word_t *first; /* the memory */
    takt_message_word_t *end;
    takt_message_word_t *head; /* the oldest message */
    takt_message_word_t *tail; /* the next free place */
    uint32_t words;            /* of a message */
} takt_messages_t;

/* The most bytes of a message, a multiple of 4. A build may define its own number: the masked stretch of a receive that lets a
 * sender in is two copies. */
#ifndef TAKT_MESSAGE_BYTES_MAX
#define TAKT_MESSAGE_BYTES_MAX 128
#endif

/* Makes an empty queue of `capacity` messages of `message_bytes` in `memory`, which has room for them, is aligned to 4
 * bytes and left alone from now on. Nobody waits in it. Returns ERROR_NULL, or _SIZE if `capacity` is 0, `message_bytes`
 * is 0, no multiple of 4 or more than TAKT_MESSAGE_BYTES_MAX, the memory is not aligned, or the product of both exceeds
 * TAKT_MESSAGES_BYTES_MAX. */
takt_status_t takt_messages_init(takt_messages_t *messages, void *memory, uint32_t message_bytes,
                                 uint32_t capacity);

/* The most bytes that all messages of a queue have. */
#define TAKT_MESSAGES_BYTES_MAX INT32_MAX

/* In all calls below `message` is aligned to 4 bytes, else ERROR_SIZE. */

/* Appends a copy of `message`, waits for a place if there is none. The first receiver that waits gets it, and runs at once
 * if it is more urgent. Threads only. Returns ERROR_NULL, _OBJECT, _SIZE, _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if there
 * is none for a job that may be ended, see kernel/job.h. */
takt_status_t takt_messages_send(takt_messages_t *messages, const void *message);

/* Likewise, and waits `duration` ticks at the longest; the other does not wait. Returns TIMEOUT if the queue was full until
 * then. */
takt_status_t takt_messages_send_for(takt_messages_t *messages, const void *message,
                                     takt_duration_t duration);
takt_status_t takt_messages_try_send(takt_messages_t *messages, const void *message);

/* The same for interrupts: the receiver runs, if it is more urgent, when the last interrupt has ended. Returns TIMEOUT if the
 * queue is full; ERROR_NULL, _OBJECT, _SIZE, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_messages_send_from_isr(takt_messages_t *messages, const void *message);

/* Copies the oldest message to `message` and takes it out, waits for one if there is none. The first sender that waits gets
 * the place, and runs at once if it is more urgent. Threads only. Returns as takt_messages_send. */
takt_status_t takt_messages_receive(takt_messages_t *messages, void *message);

/* Likewise, and waits `duration` ticks at the longest; the other does not wait. Returns TIMEOUT, and leaves `message` as it
 * is, if the queue was empty until then. */
takt_status_t takt_messages_receive_for(takt_messages_t *messages, void *message, takt_duration_t duration);
takt_status_t takt_messages_try_receive(takt_messages_t *messages, void *message);

/* The same for interrupts. Returns TIMEOUT if the queue is empty; ERROR_NULL, _OBJECT, _SIZE, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_messages_receive_from_isr(takt_messages_t *messages, void *message);

/* How many messages are there. From anywhere. Returns 0 if `messages` is NULL. */
uint32_t takt_messages_count(const takt_messages_t *messages);

#endif
