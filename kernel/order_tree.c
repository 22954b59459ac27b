/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The tree of order.h. */
#include "kernel/order.h"

static takt_wait_t *node_of(takt_entity_t *entity) { return takt_thread_of(entity)->wait; }

static takt_entity_t *entity_of(const takt_wait_t *node) { return &node->thread->plain.entity; }

/* Neighbouring frames differ in few bits of their addresses, their products in many. Squares, because the products of
 * frames at equal distances, as in an array of stacks, ascend as regularly as they do. */
static uint32_t number_of(const takt_wait_t *node) {
    const uint32_t place = (uint32_t)((uintptr_t)node >> 3);
    return place * place * UINT32_C(2654435769);
}

/* Where the pointer to `node` is stored. */
static takt_wait_t **link_to(const takt_wait_t *node) {
    takt_wait_t *above = node->above;
    if (above == NULL) {
        return &node->waiters->root;
    }
    return &above->below[above->below[1] == node];
}

/* Rotates `node` above its parent. */
static void lift(takt_wait_t *node) {
    takt_wait_t *above = node->above;
    const uint32_t side = above->below[1] == node;
    takt_wait_t *moved = node->below[1u - side];
    *link_to(above) = node;
    node->above = above->above;
    above->above = node;
    node->below[1u - side] = above;
    above->below[side] = moved;
    if (moved != NULL) {
        moved->above = above;
    }
}

static void attach(takt_wait_t *node, takt_wait_t *above, takt_wait_t **link) {
    node->above = above;
    node->below[0] = NULL;
    node->below[1] = NULL;
    *link = node;
    while (node->above != NULL && number_of(node) < number_of(node->above)) {
        lift(node);
    }
    takt_kernel_expect_suspension();
    node->thread->flags |= TAKT_THREAD_ORDERED;
    takt_entity_set_attributes(entity_of(node), TAKT_ATTRIBUTE_ORDERED);
}

/* The waiter without a node is in the place that the tree found for `entity`, or is not: then the one before `next`
 * has a node, or there is none. */
static takt_entity_t *compare_with_first(takt_waiters_t *waiters, takt_entity_t *entity,
                                         takt_entity_t *next) {
    takt_entity_t *other = next->prev;
    const bool is_waiter = other != takt_queue_place(&waiters->queue);
    return is_waiter && (other->attributes & TAKT_ATTRIBUTE_ORDERED) == 0 && entity->key < other->key ? other
                                                                                                      : next;
}

static void insert_by_key(takt_waiters_t *waiters, takt_entity_t *entity) {
    const bool has_record = (takt_thread_of(entity)->flags & TAKT_THREAD_TIMED) != 0;
    takt_entity_t *next = takt_queue_place(&waiters->queue);
    takt_wait_t **link = &waiters->root;
    takt_wait_t *above = NULL;
    while (*link != NULL) {
        above = *link;
        const bool is_behind = entity->key >= entity_of(above)->key;
        next = is_behind ? next : entity_of(above);
        link = &above->below[is_behind];
    }
    if (has_record && !node_of(entity)->is_node) {
        next = compare_with_first(waiters, entity, next);
    }
    takt_queue_insert(next, entity);
    if (has_record) {
        attach(node_of(entity), above, link);
    }
}

/* A node with one below it is replaced by that one, as the first of all always is: it has none on the other side. */
static void remove_node(takt_entity_t *entity) {
    takt_wait_t *node = node_of(entity);
    while (node->below[0] != NULL && node->below[1] != NULL) {
        lift(node->below[number_of(node->below[1]) < number_of(node->below[0])]);
    }
    takt_wait_t *rest = node->below[node->below[0] == NULL];
    *link_to(node) = rest;
    if (rest != NULL) {
        rest->above = node->above;
    }
    takt_thread_clear(node->thread, TAKT_THREAD_ORDERED);
    takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_ORDERED);
}

static void remove_by_key(takt_waiters_t *waiters, takt_entity_t *entity, uint32_t level) {
    (void)waiters;
    (void)level;
    takt_queue_remove(entity);
    if ((takt_thread_of(entity)->flags & TAKT_THREAD_ORDERED) != 0) {
        remove_node(entity);
    }
}

static const takt_order_functions_t by_key = {
    .insert = insert_by_key, .remove = remove_by_key, .remove_node = remove_node};

void takt_order_expect_keys(void) { takt_kernel.order = &by_key; }

/* ---- flags under levels ---------------------------------------------------------------------------- */

static bool is_in_tree(takt_entity_t *entity) {
    return (takt_thread_of(entity)->flags & TAKT_THREAD_TIMED) != 0 && node_of(entity)->is_node;
}

static void insert(takt_waiters_t *waiters, takt_entity_t *entity) {
    if (is_in_tree(entity)) {
        insert_by_key(waiters, entity);
    } else {
        takt_order_insert_by_level(waiters, entity);
    }
}

static void remove(takt_waiters_t *waiters, takt_entity_t *entity, uint32_t level) {
    if (is_in_tree(entity)) {
        remove_by_key(waiters, entity, level);
    } else {
        takt_order_remove_by_level(waiters, entity, level);
    }
}

static const takt_order_functions_t by_both = {
    .insert = insert, .remove = remove, .remove_node = remove_node};

void takt_order_by_tree(takt_waiters_t *waiters) {
    waiters->root = NULL;
    if (takt_kernel.order != &by_key) {
        takt_kernel.order = &by_both;
    }
}
