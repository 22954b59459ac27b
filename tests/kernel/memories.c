/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory behind one interface: random scripts on a heap and on pools against a model that knows every block, misuse, and
 * threads that come out of both. */
#include "kernel/dynamic.h"
#include "kernel/heap.h"
#include "kernel/pools.h"
#include "tests/conformance/conformance.h"

#ifndef MEMORIES_STEPS
#define MEMORIES_STEPS 4000
#endif

enum { HEAP_BYTES = 6000, LIVE = 40, UNIT = 2 * sizeof(void *), SIZES = 3, FLOOD = 12 };

#define MUST(call) check((call) == TAKT_OK, #call)

typedef struct live {
    unsigned char *block;
    size_t bytes;
    unsigned char filled;
} live_t;

static uint64_t region[HEAP_BYTES / sizeof(uint64_t)] __attribute__((aligned(16)));
static uint64_t small[10][2], middle[8][8], large[4][32];
static takt_heap_t heap;
static takt_pool_t pools[SIZES];
static takt_pools_t sizes;
static live_t live[LIVE];
static uint32_t random_state = 12345;

static uint32_t draw(uint32_t below) {
    random_state = random_state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (random_state >> 8) % below;
}

/* ---- the model ---------------------------------------------------------------------------------------------- */

static void fill(live_t *one) {
    for (size_t i = 0; i < one->bytes; i++) {
        one->block[i] = one->filled;
    }
}

static void check_untouched(const live_t *one) {
    for (size_t i = 0; i < one->bytes; i++) {
        check(one->block[i] == one->filled, "a_block_is_its_owners_alone");
    }
}

static void check_disjoint(const live_t *one) {
    for (uint32_t i = 0; i < LIVE; i++) {
        const live_t *other = &live[i];
        check(other == one || other->block == NULL || one->block + one->bytes <= other->block ||
                  other->block + other->bytes <= one->block,
              "blocks_are_disjoint");
    }
}

/* Walks through all blocks: no gap, no two free neighbours, and the sum is what is reported. Returns the largest free one. */
static size_t walk_heap(void) {
    size_t sum = 0, largest = 0;
    bool was_free = false;
    const takt_heap_block_t *before = NULL;
    for (const takt_heap_block_t *block = heap.first; block != heap.end;) {
        const bool is_free = (block->bytes & 1u) != 0;
        const size_t bytes = block->bytes & ~(size_t)1;
        check(block->before == before, "each_block_knows_the_one_before");
        check(!(is_free && was_free), "no_two_free_blocks_are_neighbours");
        sum += is_free ? bytes : 0;
        largest = is_free && bytes > largest ? bytes : largest;
        was_free = is_free;
        before = block;
        block = (const takt_heap_block_t *)((uintptr_t)block + bytes);
    }
    check(heap.end->before == before && sum == takt_heap_free_bytes(&heap), "what_is_free_is_counted");
    return largest;
}

/* A refusal is right if no free block is large enough, up to what good fit leaves out. */
static void check_refusal(bool is_heap, size_t bytes) {
    if (is_heap) {
        const size_t needed = (bytes + UNIT - 1u) / UNIT * UNIT + UNIT;
        check(walk_heap() < needed + needed / 8u + 2u * UNIT, "a_heap_refuses_only_what_does_not_fit");
    } else {
        for (uint32_t i = 0; i < SIZES; i++) {
            check(pools[i].block_bytes < bytes || takt_pool_count(&pools[i]) == 0,
                  "pools_refuse_only_what_they_do_not_have");
        }
    }
}

static void allocate(takt_memory_t *memory, live_t *one, size_t most) {
    const size_t bytes = 1u + draw((uint32_t)most);
    void *block = NULL;
    const takt_status_t status = takt_memory_allocate(memory, bytes, &block);
    check(status == TAKT_OK || (status == TAKT_TIMEOUT && block == NULL), "a_memory_gives_or_has_none");
    if (status != TAKT_OK) {
        check_refusal(memory == &heap.memory, bytes);
        return;
    }
    check((uintptr_t)block % TAKT_MEMORY_ALIGNMENT == 0, "blocks_are_aligned");
    *one = (live_t){block, bytes, (unsigned char)draw(256)};
    check_disjoint(one);
    fill(one);
}

static void release(takt_memory_t *memory, live_t *one) {
    check_untouched(one);
    MUST(takt_memory_free(memory, one->block));
    one->block = NULL;
}

static void play(takt_memory_t *memory, size_t most) {
    for (uint32_t step = 0; step < MEMORIES_STEPS; step++) {
        live_t *one = &live[draw(LIVE)];
        if (one->block == NULL) {
            allocate(memory, one, most >> draw(5));
        } else {
            release(memory, one);
        }
        if (memory == &heap.memory) {
            (void)walk_heap();
        }
        if (step % 64u == 0) {
            board_pass();
        }
    }
    for (uint32_t i = 0; i < LIVE; i++) {
        if (live[i].block != NULL) {
            release(memory, &live[i]);
        }
    }
}

/* ---- misuse ------------------------------------------------------------------------------------------------- */

static takt_memory_t *of_interrupt;
static volatile takt_status_t in_interrupt[2];
static void call_in_an_interrupt(void) {
    void *block = NULL;
    in_interrupt[0] = takt_memory_allocate(of_interrupt, 8, &block);
    in_interrupt[1] = takt_memory_free(of_interrupt, region);
}

static void check_refusals(takt_memory_t *memory) {
    uint64_t own[4] = {0};
    void *first = NULL, *second = NULL;
    MUST(takt_memory_allocate(memory, 40, &first));
    MUST(takt_memory_allocate(memory, 40, &second));
    check(takt_memory_allocate(NULL, 8, &first) == TAKT_ERROR_NULL, "a_call_needs_a_memory");
    check(takt_memory_allocate(memory, 8, NULL) == TAKT_ERROR_NULL, "an_allocation_needs_a_place");
    check(takt_memory_allocate(memory, 0, &first) == TAKT_ERROR_SIZE, "nothing_is_not_allocated");
    check(takt_memory_free(memory, NULL) == TAKT_ERROR_NULL, "nothing_is_not_freed");
    check(takt_memory_free(memory, own) == TAKT_ERROR_BLOCK, "foreign_memory_is_not_freed");
    check(takt_memory_free(memory, (char *)first + UNIT) == TAKT_ERROR_BLOCK,
          "the_middle_of_a_block_is_not_freed");
    check(takt_memory_free(memory, (char *)first + 1) == TAKT_ERROR_BLOCK,
          "the_middle_of_a_block_is_not_freed");
    void *const none = NULL;
    void *untouched = none;
    check(takt_memory_allocate(memory, SIZE_MAX, &untouched) == TAKT_TIMEOUT && untouched == none,
          "more_than_there_is_is_not_allocated");
    of_interrupt = memory;
    board_interrupt_pend(0);
    check(in_interrupt[0] == TAKT_ERROR_IN_ISR && in_interrupt[1] == TAKT_ERROR_IN_ISR,
          "interrupts_do_not_allocate");
    MUST(takt_memory_free(memory, first));
    check(takt_memory_free(memory, first) == TAKT_ERROR_BLOCK, "a_free_block_is_not_freed");
    MUST(takt_memory_free(memory, second));
    check(takt_memory_free(memory, second) == TAKT_ERROR_BLOCK, "a_free_block_is_not_freed");
    check(takt_memory_free(memory, first) == TAKT_ERROR_BLOCK, "a_free_block_is_not_freed");
}

static void check_sizes(void) {
    check(takt_heap_init(NULL, region, sizeof region) == TAKT_ERROR_NULL, "a_heap_needs_an_object");
    check(takt_heap_init(&heap, NULL, 100) == TAKT_ERROR_NULL, "a_heap_needs_a_region");
    check(takt_heap_init(&heap, (char *)region + 4, 200) == TAKT_ERROR_SIZE, "a_region_is_aligned");
    check(takt_heap_init(&heap, region, 2u * UNIT) == TAKT_ERROR_SIZE, "a_region_has_room_for_a_block");
    check(takt_heap_init(&heap, region, SIZE_MAX) == TAKT_ERROR_SIZE, "a_region_is_not_beyond_the_rows");
    check(takt_pools_init(&sizes, pools, 0) == TAKT_ERROR_SIZE, "there_is_a_pool");
    check(takt_pools_init(NULL, pools, 1) == TAKT_ERROR_NULL, "pools_need_an_object");
}

/* ---- threads out of a memory --------------------------------------------------------------------------------- */

static uint64_t room[(STACK_BYTES + 256) * 4 / sizeof(uint64_t)] __attribute__((aligned(16)));
static takt_heap_t stacks;
static takt_semaphore_t never;
static volatile uint32_t runs;

static void run(void *argument) {
    runs++;
    if (argument != NULL) {
        (void)takt_semaphore_take(argument);
    }
}

static takt_thread_parameters_t of_thread(void *argument, uint32_t priority) {
    return (takt_thread_parameters_t){
        .entry = run, .argument = argument, .stack_bytes = STACK_BYTES, .priority = priority};
}

static void make_threads(void) {
    takt_thread_t *threads[FLOOD] = {NULL};
    MUST(takt_heap_init(&stacks, room, sizeof room));
    const size_t all = takt_heap_free_bytes(&stacks);
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t count = 0;
        takt_thread_parameters_t parameters =
            of_thread(round % 2u == 0 ? NULL : &never, 3u + 5u * (round % 3u));
        while (takt_thread_create_in(&stacks.memory, &threads[count], &parameters) == TAKT_OK) {
            count++;
        }
        check(count >= 3 && count < FLOOD && threads[count] == NULL,
              "threads_are_created_until_memory_is_full");
        for (uint32_t i = 0; i < count; i++) {
            MUST(takt_thread_delete_in(&stacks.memory, threads[i]));
            threads[i] = NULL;
        }
        check(takt_heap_free_bytes(&stacks) == all, "what_is_deleted_is_free");
    }
    check(runs > 0, "threads_out_of_a_memory_run");
    takt_thread_parameters_t wrong = of_thread(NULL, 3);
    wrong.priority = 1000;
    check(takt_thread_create_in(&stacks.memory, &threads[0], &wrong) == TAKT_ERROR_PRIORITY &&
              threads[0] == NULL && takt_heap_free_bytes(&stacks) == all,
          "a_thread_that_is_refused_leaves_no_block");
    check(takt_thread_delete_in(&stacks.memory, takt_kernel_running()) == TAKT_ERROR_OBJECT,
          "no_thread_frees_its_own_stack");
}

/* ---- main ----------------------------------------------------------------------------------------------------- */

static takt_thread_t actor;
static conformance_stack_t actor_stack[2];

static void act(void *argument) {
    (void)argument;
    board_interrupt_enable(0, call_in_an_interrupt);
    check_sizes();
    MUST(takt_heap_init(&heap, region, sizeof region));
    MUST(takt_pool_init(&pools[0], small, sizeof small[0], 10));
    MUST(takt_pool_init(&pools[1], middle, sizeof middle[0], 8));
    MUST(takt_pool_init(&pools[2], large, sizeof large[0], 4));
    MUST(takt_pools_init(&sizes, pools, SIZES));
    const size_t all = takt_heap_free_bytes(&heap);
    check_refusals(&heap.memory);
    check_refusals(&sizes.memory);
    play(&heap.memory, 900);
    check(takt_heap_free_bytes(&heap) == all && walk_heap() == all, "what_is_freed_grows_together");
    check(takt_heap_least_free_bytes(&heap) < all / 2u, "the_least_that_was_free_is_known");
    play(&sizes.memory, 300);
    check(takt_pool_count(&pools[0]) == 10 && takt_pool_count(&pools[1]) == 8 &&
              takt_pool_count(&pools[2]) == 4,
          "what_is_freed_is_in_its_pool");
    make_threads();
    board_exit(0);
}

int main(void) {
    kernel_begin();
    semaphore_begin(&never, 0);
    thread_begin(&actor, actor_stack[0], 5, act, NULL);
    kernel_go();
}
