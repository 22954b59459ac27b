/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Order: the threads that wait for an object, by urgency. Private to kernel/.
 *
 * The queue of the waiters is sorted by key, as core wrote it (a level, or what a policy computes); equals are in the
 * order in which they came. To serve the first one is O(1), and concerns the queue alone. The place of a new waiter is
 * found in one of two ways:
 *
 *   list  (order.c) where keys are levels. The last waiter of each level points to the last one of the level before. The
 *         pointer is in the wait record, in the frame of the call; that of the one waiter without a record, which found
 *         the queue empty, is in the object. The pointer of the first level is stale and not read, so that a wake-up
 *         updates none. Insert and remove are O(levels that waiters have).
 *   tree  (order_tree.c) where keys are computed, and for event flags, whose queue may be in two parts. A treap: a
 *         binary tree by key, balanced by numbers that seem random, each made from the address of a record; the order
 *         does not depend on it. Nodes are the wait records. A thread that finds the queue empty stands in it without a
 *         node; threads that come while it waits compare their keys with its key. The others have
 *         TAKT_ATTRIBUTE_ORDERED, so that the inline layer leaves their wake to the function that removes the node.
 *         Insert and remove are O(log n), as expected. Invariant: the tree has all waiters but at most one, in the order
 *         of the queue; of event flags all.
 *
 * Which of them is decided before the start: by takt_kernel_expect_pass, which comes with everything that computes keys.
 * A program without a queue by urgency is linked without both. Call all with the lock closed. */
#ifndef TAKT_KERNEL_ORDER_H
#define TAKT_KERNEL_ORDER_H

#include "kernel/wait.h"

/* The functions of one order, as takt_kernel.order. */
typedef struct takt_order_functions {
    /* Puts `entity`, whose count is in `waiters` and whose key is final, into their queue. */
    void (*insert)(takt_waiters_t *waiters, takt_entity_t *entity);
    /* Removes `entity`, inserted with a key whose low word is `level`, from their queue. NULL: as the list does, which a
     * program without timeouts is linked without. */
    void (*remove)(takt_waiters_t *waiters, takt_entity_t *entity, uint32_t level);
    /* Removes the node of `entity`, which has one and is in the queue no more. NULL: there are no nodes. */
    void (*remove_node)(takt_entity_t *entity);
} takt_order_functions_t;

/* From now on `waiters`, of an object that is being initialised, are by urgency; the second one for event flags. */
void takt_order_by_urgency(takt_waiters_t *waiters);
void takt_order_by_tree(takt_waiters_t *waiters);

/* Keys may be computed. No thread waits yet. */
void takt_order_expect_keys(void);

void takt_order_insert_by_level(takt_waiters_t *waiters, takt_entity_t *entity);
void takt_order_remove_by_level(takt_waiters_t *waiters, takt_entity_t *entity, uint32_t level);

#endif
