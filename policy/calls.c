/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* When the allocator is called; see calls.h. */
#include "policy/calls.h"

#include "policy/window.h"

static bool is_due(const takt_windowed_t *windowed) { return windowed->handed <= windowed->begun; }

static void hand_over(takt_windowed_t *windowed) {
    windowed->handed += windowed->calls->bulk;
    windowed->called++;
}

/* ---- requested calls ----------------------------------------------------------------------------------- */

static void append(takt_calls_t *calls, takt_call_t *call) {
    call->next = NULL;
    if (calls->first == NULL) {
        calls->first = call;
    } else {
        calls->last->next = call;
    }
    calls->last = call;
}

/* A call before `call` with a later safe instant does not determine the promotion: `call` does so earlier. */
static void append_urgent(takt_calls_t *calls, takt_call_t *call) {
    while (calls->last_urgent != NULL && calls->last_urgent->safe >= call->safe) {
        calls->last_urgent = calls->last_urgent->before;
    }
    call->before = calls->last_urgent;
    call->after = NULL;
    if (call->before == NULL) {
        calls->first_urgent = call;
    } else {
        call->before->after = call;
    }
    calls->last_urgent = call;
}

static void remove_urgent(takt_calls_t *calls, const takt_call_t *call) {
    calls->first_urgent = call->after;
    if (call->after == NULL) {
        calls->last_urgent = NULL;
    } else {
        call->after->before = NULL;
    }
}

static takt_call_t *take_first(takt_calls_t *calls) {
    takt_call_t *call = calls->first;
    calls->first = call->next;
    if (calls->first_urgent == call) {
        remove_urgent(calls, call);
    }
    return call;
}

/* Makes the first call the job of the allocator's own task. */
static void begin_first(takt_calls_t *calls, takt_instant_t now) {
    takt_allocator_begin_job(calls->task, calls->first->asked);
    calls->task->job.deadline = calls->first->needed;
    calls->allocation.functions->begin(calls->task, now);
}

/* Returns the execution left for the requested calls, in spare time. */
static takt_duration_t left_of(const takt_calls_t *calls) {
    const takt_task_t *task = calls->task;
    return takt_task_is_active(task) ? task->job.remaining + task->waiting * task->wcet : 0u;
}

static void ask(takt_windowed_t *windowed, takt_task_t *task, takt_instant_t instant) {
    takt_calls_t *calls = windowed->calls;
    takt_call_t *call = &windowed->call;
    const takt_duration_t least = left_of(calls) + calls->task->wcet;
    const bool is_late = windowed->handed < windowed->begun;
    call->task = task;
    call->is_asked = true;
    call->asked = instant;
    call->needed = is_late ? instant : takt_windowed_next(windowed);
    call->safe = call->needed > instant + least ? call->needed - least : instant;
    append(calls, call);
    append_urgent(calls, call);
    if (!takt_task_is_active(calls->task)) {
        begin_first(calls, instant);
        return;
    }
    calls->task->waiting++;
    if (calls->allocation.functions->timer != NULL) {
        calls->allocation.functions->timer(&calls->allocation, instant);
    }
}

void takt_calls_ask(takt_task_t *task, takt_instant_t instant) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    const bool is_free = windowed->calls->task == NULL || instant == 0;
    while (is_free && is_due(windowed)) {
        hand_over(windowed);
    }
    if (is_due(windowed) && !windowed->call.is_asked) {
        ask(windowed, task, instant);
    }
}

/* ---- the allocator's own task -------------------------------------------------------------------------- */

/* Makes `call`. If the next one is due already, it is requested in file order, with those of other tasks. */
static void make(takt_call_t *call, takt_instant_t now) {
    takt_windowed_t *windowed = takt_windowed_of(call->task);
    const bool is_late = windowed->handed < windowed->begun;
    call->is_asked = false;
    hand_over(windowed);
    if (is_late) {
        windowed->extension.allocation->functions->begin(call->task, now);
    }
    if (is_due(windowed)) {
        takt_allocator_arm_start(call->task, now);
    }
}

static void calls_complete(takt_task_t *task, takt_instant_t now) {
    takt_calls_t *calls = takt_windowed_of(task)->calls;
    takt_call_t *call = take_first(calls);
    takt_allocator_end_job(task, now);
    if (calls->first != NULL) {
        task->waiting--;
        begin_first(calls, now);
    }
    make(call, now);
}

void takt_calls_take_time(takt_calls_t *calls, const takt_allocator_t *kind, takt_dispatcher_t *dispatcher,
                          takt_windowed_t *windowed, takt_task_t *task, takt_entity_t *entity,
                          const takt_task_parameters_t *parameters, takt_duration_t budget) {
    takt_allocation_init(&calls->allocation, kind, dispatcher);
    calls->task = task;
    windowed->extension.allocation = &calls->allocation;
    windowed->calls = calls;
    windowed->parameters.part = budget;
    takt_dispatcher_add_task(task, entity, &dispatcher->root, parameters);
    const bool has_levels = dispatcher->root.ready.order == TAKT_ORDER_LEVELS;
    windowed->level = has_levels ? parameters->level : TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, &task->job);
    takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_AGING);
    if (kind->start != NULL) {
        takt_allocator_arm_start(task, 0);
    }
}

/* ---- on top ---------------------------------------------------------------------------------------------- */

/* Continues a call with the rest of the budget of this period. */
static void on_top_begin(takt_task_t *task, takt_instant_t now) {
    if (takt_task_is_active(task) && task->job.remaining > 0) {
        takt_allocator_place(task, TAKT_KEY_MOST_URGENT, task->job.remaining, now);
    }
}

static void on_top_start(takt_task_t *task, takt_instant_t instant) {
    task->job.remaining = takt_windowed_of(task)->parameters.part;
    on_top_begin(task, instant);
    takt_allocator_arm_start(task, instant + task->job.period);
}

const takt_allocator_t takt_allocator_on_top = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "top",
    .start = on_top_start,
    .complete = calls_complete,
    .exhaust = takt_allocator_throttle,
    .begin = on_top_begin,
};

/* ---- in spare time ------------------------------------------------------------------------------------- */

/* The last safe instant of a call is reached, or the calls have changed. Calls before that one are promoted, too. */
static void in_spare_time_timer(takt_allocation_t *allocation, takt_instant_t instant) {
    takt_calls_t *calls = TAKT_CONTAINER_OF(allocation, takt_calls_t, allocation);
    takt_task_t *task = calls->task;
    if (!takt_task_is_active(task)) {
        return;
    }
    const bool is_urgent = calls->first_urgent->safe <= instant;
    const takt_key_t key = is_urgent ? TAKT_KEY_MOST_URGENT : takt_windowed_of(task)->level;
    takt_allocator_place(task, key, task->job.remaining, instant);
    if (!is_urgent) {
        takt_allocator_call(allocation, calls->first_urgent->safe);
    }
}

static void in_spare_time_begin(takt_task_t *task, takt_instant_t now) {
    task->job.remaining = task->wcet;
    in_spare_time_timer(task->extension->allocation, now);
}

/* A call exceeds its wcet: it continues in the background, charged to no budget. */
static void in_spare_time_exhaust(takt_task_t *task, takt_instant_t now) {
    (void)now;
    takt_allocator_run_in_background(task, task->entity->key);
}

const takt_allocator_t takt_allocator_in_spare_time = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "spare-time",
    .timer = in_spare_time_timer,
    .complete = calls_complete,
    .exhaust = in_spare_time_exhaust,
    .begin = in_spare_time_begin,
};
