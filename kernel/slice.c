/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Time slices; see slice.h. */
#include "kernel/slice.h"

#include "kernel/creation.h"
#include "kernel/wait.h"

static takt_timeout_t slice_end;       /* armed: the slice of `selected` ends then */
static takt_sliced_thread_t *selected; /* by the last decision; NULL: a thread without a slice */
static takt_duration_t slice_of_all;

static takt_entity_t *entity_of(takt_sliced_thread_t *thread) { return &thread->thread.plain.entity; }

/* True if `entity` is the first of several equals. */
static bool has_equals(const takt_entity_t *entity) {
    return takt_entity_is_ready(entity) && !takt_ready_is_keyed(&entity->parent->ready, entity) &&
           entity->next != entity;
}

/* True if `entity` would run if nothing more urgent were ready: it keeps what is left of its slice. */
static bool has_kept_its_place(const takt_entity_t *entity) {
    return has_equals(entity) && entity->parent->ready.levels.heads[(uint32_t)entity->key] == entity;
}

/* The slice of `thread`, which was selected, has been counted while it had equals. */
static void stop(takt_sliced_thread_t *thread, takt_instant_t now) {
    if (!takt_timeout_is_armed(&slice_end) || !has_kept_its_place(entity_of(thread))) {
        thread->left = thread->slice;
    } else {
        thread->left = slice_end.instant > now ? slice_end.instant - now : 1;
    }
}

static uint32_t expire(takt_timeout_t *expired) {
    takt_entity_t *entity = entity_of(selected);
    (void)expired;
    if (takt_kernel.cpu.running == entity && has_kept_its_place(entity)) {
        takt_kernel_post(TAKT_EVENT_YIELD, entity);
        takt_kernel_pend_after_post();
    }
    return 0;
}

/* A pass has selected `next` at `now`. */
static void select(takt_thread_t *next, takt_instant_t now) {
    const bool is_armed = takt_timeout_is_armed(&slice_end);
    if (is_armed && &selected->thread == next && has_kept_its_place(entity_of(selected))) {
        return;
    }
    if (selected != NULL) {
        stop(selected, now);
    }
    if (is_armed) {
        takt_timeouts_remove(&takt_timeouts, &slice_end);
    }
    selected = (next->flags & TAKT_THREAD_SLICED) != 0 ? (takt_sliced_thread_t *)(void *)next : NULL;
    if (selected != NULL && has_equals(entity_of(selected))) {
        takt_kernel_arm(&slice_end, takt_instant_after(now, selected->left), now);
    }
}

takt_status_t takt_slices_set(takt_duration_t slice) {
    if (slice == 0) {
        return TAKT_ERROR_PERIOD;
    }
    slice_of_all = slice;
    return TAKT_OK;
}

/* `thread` exists, is suspended and has not begun. */
static takt_status_t begin(takt_sliced_thread_t *thread, takt_duration_t slice, bool is_suspended) {
    const takt_port_level_t level = takt_port_lock();
    takt_kernel_expect_pass();
    takt_kernel.select = select;
    slice_end.expire = expire;
    thread->slice = slice;
    thread->left = slice;
    thread->thread.flags |= TAKT_THREAD_SLICED;
    takt_entity_set_attributes(entity_of(thread), TAKT_ATTRIBUTE_SLICED);
    takt_port_unlock(level);
    if (is_suspended) {
        return TAKT_OK;
    }
    if (takt_kernel.cpu.running != NULL) {
        return takt_thread_resume(&thread->thread);
    }
    takt_creation_begin(&thread->thread);
    return TAKT_OK;
}

takt_status_t takt_sliced_thread_create(takt_sliced_thread_t *thread,
                                        const takt_thread_parameters_t *parameters, takt_duration_t slice) {
    if (thread == NULL || parameters == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (slice == 0 && slice_of_all == 0) {
        return TAKT_ERROR_PERIOD;
    }
    takt_status_t status = takt_creation_check_full_stacks(parameters->stack_bytes);
    if (status != TAKT_OK) {
        return status;
    }
    takt_thread_parameters_t suspended = *parameters;
    suspended.is_suspended = true;
    status = takt_thread_create(&thread->thread, &suspended);
    return status == TAKT_OK ? begin(thread, slice != 0 ? slice : slice_of_all, parameters->is_suspended)
                             : status;
}

takt_status_t takt_sliced_thread_set(takt_sliced_thread_t *thread, takt_duration_t slice) {
    TAKT_REQUIRE(thread != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE((thread->thread.flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE(slice != 0, TAKT_ERROR_PERIOD);
    TAKT_REQUIRE_OPEN();
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED);
    takt_port_close();
    thread->slice = slice;
    return takt_port_open();
}
