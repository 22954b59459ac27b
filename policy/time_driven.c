/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* time-driven: a table of slots that is repeated, the cyclic executive.
 *
 * Source: Wang and Lin 1999, Table 2, "time-driven"; the table is the user's, and no slot in it overlaps another.
 * Order: the slot that begins first. Slots do not overlap, so at most one is open, and its end, the deadline, gives
 * the same order. In its slot a task has the length of the slot as budget. A job unfinished at the end of the slot
 * waits for the next slot of the task. In gaps, and in slots without work, the processor is idle.
 * Tie: never needed. Cost: O(log n) per event.
 * When not to use it: for work that the table does not contain. */
#include "policy/table.h"
#include "policy/window.h"

/* Advances to the slot after the one that begins now. */
static void pass_slot(takt_windowed_t *windowed) {
    const takt_window_parameters_t *table = &windowed->parameters;
    const takt_instant_t cycle = windowed->next_slot - table->slots[windowed->slot].start;
    const bool is_last = windowed->slot + 1u == table->slot_count;
    windowed->slot = is_last ? 0u : windowed->slot + 1u;
    windowed->next_slot = cycle + (is_last ? table->cycle : 0u) + table->slots[windowed->slot].start;
}

static void begin_slot(takt_task_t *task, takt_instant_t instant) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    windowed->deadline = instant + windowed->parameters.slots[windowed->slot].length;
    pass_slot(windowed);
    takt_windowed_begin(task, instant);
}

static void time_driven_begin(takt_task_t *task, takt_instant_t now) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (takt_windowed_is_there(windowed) && now < windowed->deadline) {
        takt_allocator_arm_finish(task, windowed->deadline);
        takt_windowed_open(task, windowed->deadline, windowed->deadline - windowed->start, now);
    }
}

static void time_driven_start(takt_task_t *task, takt_instant_t instant) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (instant >= windowed->next_release) {
        takt_windowed_release(task);
        takt_windowed_serve(task, instant);
    }
    if (instant >= windowed->next_slot) {
        begin_slot(task, instant);
    } else {
        takt_calls_ask(task, instant);
    }
    const bool is_slot_next = windowed->next_slot < windowed->next_release;
    takt_allocator_arm_start(task, is_slot_next ? windowed->next_slot : windowed->next_release);
}

const takt_allocator_t takt_allocator_time_driven = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "time-driven",
    .finish = takt_windowed_close,
    .start = time_driven_start,
    .complete = takt_windowed_complete,
    .exhaust = takt_allocator_throttle,
    .begin = time_driven_begin,
};

static void time_driven_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->deadline;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_time_driven = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "time-driven",
    .summary = TAKT_POLICY_LINE("a table of slots that is repeated: whose slot it is"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = time_driven_release,
    .traits = TAKT_POLICY_SLOTS,
};
