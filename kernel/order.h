/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Order: the threads that wait for an object, by urgency. Private to kernel/.
 *
 * The queue of the waiters is sorted by key, as core wrote it (a level, or what a policy computes); equals are in the
 * order in which they came. The place of a new waiter is found by a treap: a binary tree by key, balanced by numbers
 * that seem random. Its nodes are the wait records in the frames of the waiting calls, so an object needs one word
 * for it. The number of a record is made from its address; the order does not depend on it.
 *
 * A thread that finds the queue empty stands in it without a node, and its wait is inline. Threads that come while it
 * waits compare their keys with its key. The others have TAKT_ATTRIBUTE_ORDERED, so that the inline layer leaves their
 * wake to the function that removes the node.
 *
 * Insert and remove are O(log n), as expected; to serve the first one is O(1).
 *
 * Invariants: the tree has all waiters but at most one, in the order of the queue. Of event flags, whose queue may be
 * in two parts, it has all. A program without a queue by urgency is linked without this file. Call all with the lock
 * closed. */
#ifndef TAKT_KERNEL_ORDER_H
#define TAKT_KERNEL_ORDER_H

#include "kernel/wait.h"

/* The functions of order.c, as takt_kernel.order. */
typedef struct takt_order_functions {
    /* Puts `entity`, whose count is in `waiters` and whose key is final, into their queue. It is not the only one,
     * unless its record has `is_node`. */
    void (*insert)(takt_waiters_t *waiters, takt_entity_t *entity);
    /* Removes `entity`, which has a node, from the tree; not from the queue. */
    void (*remove)(takt_entity_t *entity);
} takt_order_functions_t;

/* From now on `waiters`, of an object that is being initialised, are by urgency. */
void takt_order_by_urgency(takt_waiters_t *waiters);

#endif
