/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadlines of plain threads; see thread.h. A deadline is the thread's key: the control block has no other place for it,
 * so that nothing may raise that key. */
#include "core/protocol.h"
#include "kernel/wait.h"

/* True if `thread` holds a mutex whose protocol raises the key of its holder. */
static bool is_raised(const takt_thread_t *thread) {
    const takt_resource_t *held = thread->plain.held;
    while (held != NULL && held->kind->boost == NULL) {
        held = held->outer;
    }
    return held != NULL;
}

static bool may_have_deadline(const takt_thread_t *thread) {
    return (thread->plain.entity.parent->policy->traits & TAKT_POLICY_DEADLINE_KEYS) != 0 &&
           !is_raised(thread);
}

/* What all four calls check. */
#define REQUIRE_DEADLINE_OF(thread)                                               \
    TAKT_REQUIRE((thread) != NULL, TAKT_ERROR_NULL);                              \
    TAKT_REQUIRE(((thread)->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT); \
    TAKT_REQUIRE((thread)->plain.entity.task == NULL, TAKT_ERROR_JOBS)

static bool has_started(void) { return takt_kernel.cpu.running != NULL; }

/* Locked. */
static takt_instant_t now_or_begin(void) { return has_started() ? takt_port_now() : 0u; }

/* Locked. Instants from 2^63 on are none. */
static void post(takt_thread_t *thread, takt_instant_t deadline, takt_instant_t now) {
    const takt_key_t key = deadline < TAKT_KEY_LEAST_URGENT ? deadline : TAKT_KEY_LEAST_URGENT;
    takt_kernel_post_at(TAKT_EVENT_PRIORITY, &thread->plain.entity, now,
                        TAKT_LEVEL_IS_DEADLINE | (key != 0 ? key : 1u));
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* Closed; opens. */
static takt_status_t set(takt_thread_t *thread, takt_instant_t deadline, takt_instant_t now) {
    TAKT_REQUIRE(may_have_deadline(thread), takt_kernel_refuse(TAKT_ERROR_DEADLINES));
    post(thread, deadline, now);
    return has_started() ? takt_kernel_dispatch() : takt_port_open();
}

takt_status_t takt_thread_set_deadline(takt_thread_t *thread, takt_instant_t deadline) {
    REQUIRE_DEADLINE_OF(thread);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    return set(thread, deadline, now_or_begin());
}

takt_status_t takt_thread_set_relative_deadline(takt_thread_t *thread, takt_duration_t duration) {
    REQUIRE_DEADLINE_OF(thread);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    const takt_instant_t now = now_or_begin();
    return set(thread, takt_instant_after(now, duration), now);
}

/* ---- interrupts --------------------------------------------------------------------------------- */

/* Locked. */
static takt_status_t set_from_isr(takt_thread_t *thread, takt_instant_t deadline, takt_instant_t now) {
    TAKT_REQUIRE(may_have_deadline(thread), TAKT_ERROR_DEADLINES);
    post(thread, deadline, now);
    takt_kernel_ask_for_pass();
    return TAKT_OK;
}

takt_status_t takt_thread_set_deadline_from_isr(takt_thread_t *thread, takt_instant_t deadline) {
    REQUIRE_DEADLINE_OF(thread);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = set_from_isr(thread, deadline, takt_port_now());
    takt_port_unlock(level);
    return status;
}

takt_status_t takt_thread_set_relative_deadline_from_isr(takt_thread_t *thread, takt_duration_t duration) {
    REQUIRE_DEADLINE_OF(thread);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t now = takt_port_now();
    const takt_status_t status = set_from_isr(thread, takt_instant_after(now, duration), now);
    takt_port_unlock(level);
    return status;
}

/* ---- the question ------------------------------------------------------------------------------- */

takt_status_t takt_thread_deadline(const takt_thread_t *thread, takt_instant_t *deadline) {
    TAKT_REQUIRE(deadline != NULL, TAKT_ERROR_NULL);
    REQUIRE_DEADLINE_OF(thread);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    *deadline = takt_plain_deadline(&thread->plain);
    takt_port_unlock(level);
    return TAKT_OK;
}
