/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Optimal preemption points of a chain of blocks.
 *
 * Source: Bertogna, Xhani, Marinoni, Esposito, Buttazzo 2011. best[e] is the least cost of points inside blocks 1 .. e if there
 * is a region that ends behind block e:
 *
 *   best[e] = min over s < e of best[s] + c_s, where c_s + b_{s+1} + ... + b_e <= Q and c_0 = 0
 *
 * With P[s] = b_1 + ... + b_s, a region that begins at s reaches every e with P[e] <= P[s] + Q - c_s, and no later one.
 * So the places are in a heap, cheapest first; its top is dropped when it is out of reach, for good. Each place is
 * inserted and removed once. A queue instead of the heap would require that costs are less than blocks.
 *
 * Left out: control flow that branches. When not to use it: blocks that branch; cut at their ends. */
#include "analysis/point_placement.h"

typedef struct heap {
    takt_placement_t *places;
    uint32_t size;
} heap_t;

static bool is_cheaper(const heap_t *heap, uint32_t a, uint32_t b) {
    const uint64_t a_cost = heap->places[a].cost;
    const uint64_t b_cost = heap->places[b].cost;
    return a_cost < b_cost || (a_cost == b_cost && a < b);
}

static void push(heap_t *heap, uint32_t place) {
    uint32_t hole = heap->size++;
    while (hole > 0 && is_cheaper(heap, place, heap->places[(hole - 1u) / 2u].open)) {
        heap->places[hole].open = heap->places[(hole - 1u) / 2u].open;
        hole = (hole - 1u) / 2u;
    }
    heap->places[hole].open = place;
}

/* The cheaper child of `hole` in the heap. */
static uint32_t cheaper_below(const heap_t *heap, uint32_t hole) {
    const uint32_t left = 2u * hole + 1u;
    const bool is_right =
        left + 1u < heap->size && is_cheaper(heap, heap->places[left + 1u].open, heap->places[left].open);
    return is_right ? left + 1u : left;
}

static void pop(heap_t *heap) {
    uint32_t hole = 0;
    const uint32_t last = heap->places[--heap->size].open;
    for (uint32_t below = cheaper_below(heap, 0);
         below < heap->size && is_cheaper(heap, heap->places[below].open, last);
         below = cheaper_below(heap, below)) {
        heap->places[hole].open = heap->places[below].open;
        hole = below;
    }
    heap->places[hole].open = last;
}

/* Drops what does not reach `work`; false if nothing is left. */
static bool drop_until(heap_t *heap, uint64_t work) {
    while (heap->size > 0 && heap->places[heap->places[0].open].reach < work) {
        pop(heap);
    }
    return heap->size > 0;
}

static bool has_sum(const takt_block_t *blocks, uint32_t count) {
    uint64_t sum = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < count && is_known; i++) {
        is_known =
            takt_checked_plus(sum, blocks[i].wcet, &sum) && takt_checked_plus(sum, blocks[i].cost, &sum);
    }
    return is_known;
}

/* A region may begin at `place`, with what a point there costs, `work` of the chain being done. */
static void open_place(heap_t *heap, uint32_t place, takt_duration_t point, takt_duration_t longest,
                       uint64_t work) {
    heap->places[place].cost += point;
    heap->places[place].reach = work + longest - point;
    if (point <= longest) {
        push(heap, place);
    }
}

/* Finds for each place where the region that ends there begins; false if the end is out of reach. */
static bool find_best(heap_t *heap, const takt_block_t *blocks, uint32_t count, takt_duration_t longest) {
    uint64_t work = 0;
    heap->places[0].cost = 0;
    open_place(heap, 0, 0, longest, 0);
    for (uint32_t place = 1; place <= count; place++) {
        work += blocks[place - 1u].wcet;
        if (!drop_until(heap, work)) {
            return false;
        }
        heap->places[place].before = heap->places[0].open;
        heap->places[place].cost = heap->places[heap->places[0].open].cost;
        if (place < count) {
            open_place(heap, place, blocks[place - 1u].cost, longest, work);
        }
    }
    return true;
}

takt_verdict_t takt_points_place(const takt_block_t *blocks, uint32_t count, takt_duration_t longest,
                                 takt_placement_t *work, bool *is_point, uint64_t *cost) {
    heap_t heap = {work, 0};
    *cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        is_point[i] = false;
    }
    if (!has_sum(blocks, count)) {
        return TAKT_UNDECIDED;
    }
    if (!find_best(&heap, blocks, count, longest)) {
        return TAKT_UNSCHEDULABLE;
    }
    for (uint32_t place = work[count].before; place > 0; place = work[place].before) {
        is_point[place - 1u] = true;
    }
    *cost = work[count].cost;
    return TAKT_SCHEDULABLE;
}
