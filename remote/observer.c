/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rules of observer.h, in the order of the sources that show that they are broken. */
#include "remote/observer.h"

#define BIT(kind) (UINT64_C(1) << TAKT_RECORD_##kind)

/* Events of the job or thread that runs. */
static const uint64_t of_running =
    BIT(COMPLETE) | BIT(YIELD) | BIT(POINT) | BIT(OPTIONAL_POINT) | BIT(SUSPEND) | BIT(LOCK) | BIT(UNLOCK);

/* Events after which it does not run on. */
static const uint64_t of_ended = BIT(COMPLETE) | BIT(SUSPEND);

static const uint64_t of_others = BIT(BLOCK) | BIT(WAKE) | BIT(ARRIVAL) | BIT(ENTER) | BIT(LEAVE) |
                                  BIT(CHANGE) | BIT(WITHDRAW) | BIT(PRIORITY) | BIT(CREATE);

enum { FETCHES = 2 /* in a row: an event and a signal of one cause, received one after the other */ };

#define TAKT_OBSERVER_CASE(constant, message) \
    case TAKT_OBSERVER_##constant:            \
        return message;

const char *takt_observer_message(takt_observer_rule_t rule) {
    switch (rule) {
        TAKT_OBSERVER_RULES(TAKT_OBSERVER_CASE)
    default:
        return "no rule of the observer";
    }
}

static bool is_of(uint64_t kind, uint64_t kinds) { return kind < 64u && ((kinds >> kind) & 1u) != 0; }

/* The first finding remains. */
static void find(takt_observer_t *observer, takt_observer_rule_t rule, takt_instant_t since, uint32_t entity,
                 uint32_t job) {
    if (observer->finding.rule == TAKT_OBSERVER_OK) {
        const takt_record_t *decision = &observer->decision;
        observer->finding =
            (takt_finding_t){rule, observer->now, since, entity, job, decision->entity, decision->job};
    }
}

/* ---- time ------------------------------------------------------------------------------------------ */

static bool is_too_long(const takt_observer_t *observer, takt_instant_t since) {
    return observer->now - since > observer->setup.patience;
}

static uint32_t thread_for(const takt_observer_t *observer, uint32_t entity) {
    const bool is_idle = entity == TAKT_NO_ENTITY || entity < observer->setup.servers;
    return is_idle ? observer->setup.idle : entity;
}

static bool is_carried_out(const takt_observer_t *observer) {
    return !observer->is_in_force || observer->runs == thread_for(observer, observer->decision.entity);
}

static void find_ignored(takt_observer_t *observer) {
    find(observer, TAKT_OBSERVER_IGNORED, observer->decision.now, observer->runs, 0);
}

/* The event that is under way for longest; NULL for none. */
static const takt_made_t *oldest_of(const takt_observer_t *observer) {
    for (uint32_t i = 0; i < observer->made_count; i++) {
        if (!observer->setup.made[i].is_put_off) {
            return &observer->setup.made[i];
        }
    }
    return NULL;
}

static void find_overdue(takt_observer_t *observer) {
    const takt_made_t *oldest = oldest_of(observer);
    if (oldest != NULL && is_too_long(observer, oldest->now)) {
        find(observer, TAKT_OBSERVER_LOST, oldest->now, oldest->entity, 0);
    }
    if (!is_carried_out(observer) && is_too_long(observer, observer->decision.now)) {
        find_ignored(observer);
    }
    if (observer->is_signalled && is_too_long(observer, observer->signalled_at)) {
        find(observer, TAKT_OBSERVER_SIGNAL, observer->signalled_at, TAKT_NO_ENTITY, 0);
    }
}

const takt_finding_t *takt_observer_reach(takt_observer_t *observer, takt_instant_t now) {
    if (now < observer->now) {
        find(observer, TAKT_OBSERVER_CLOCK, now, TAKT_NO_ENTITY, 0);
    }
    observer->now = now;
    find_overdue(observer);
    return &observer->finding;
}

/* ---- events and questions ---------------------------------------------------------------------------------------- */

static void remove_made(takt_observer_t *observer, uint32_t place) {
    observer->made_count--;
    for (uint32_t i = place; i < observer->made_count; i++) {
        observer->setup.made[i] = observer->setup.made[i + 1u];
    }
}

/* `entity` continues: its put-off event has been received, because its job waited for that. */
static void forget_put_off(takt_observer_t *observer, uint32_t entity) {
    for (uint32_t i = observer->made_count; i > 0; i--) {
        const takt_made_t *made = &observer->setup.made[i - 1u];
        if (made->is_put_off && made->entity == entity) {
            remove_made(observer, i - 1u);
        }
    }
}

void takt_observer_made(takt_observer_t *observer, takt_record_kind_t kind, uint32_t entity,
                        takt_instant_t now) {
    (void)takt_observer_reach(observer, now);
    forget_put_off(observer, entity);
    if (observer->made_count == observer->setup.made_limit) {
        find(observer, TAKT_OBSERVER_FULL, now, entity, 0);
        return;
    }
    observer->setup.made[observer->made_count++] = (takt_made_t){now, entity, (uint8_t)kind, false, false};
}

void takt_observer_asks(takt_observer_t *observer, takt_instant_t now) {
    (void)takt_observer_reach(observer, now);
    observer->fetched = 0;
}

/* The place after the last event under way that may be the received one; 0 if there is none. An earlier one that is
 * like it may be lost. */
static uint32_t find_made(const takt_observer_t *observer, uint64_t kind, uint32_t entity) {
    uint32_t place = observer->made_count;
    while (place > 0) {
        const takt_made_t *made = &observer->setup.made[place - 1u];
        if (made->kind == kind && made->entity == entity && made->now <= observer->seen) {
            break;
        }
        place--;
    }
    return place;
}

/* The last decision does not consider `made`, which has been received since. */
static void note_unconsidered(takt_observer_t *observer, const takt_made_t *made) {
    if (!observer->is_unconsidered || made->now < observer->unconsidered.now) {
        observer->unconsidered = *made;
    }
    observer->is_unconsidered = true;
}

static void match(takt_observer_t *observer, uint64_t kind, const takt_record_t *record) {
    const uint32_t place = find_made(observer, kind, record->entity);
    if (place == 0) {
        find(observer, TAKT_OBSERVER_INVENTED, record->now, record->entity, record->job);
        return;
    }
    takt_made_t *first = &observer->setup.made[place - 1u];
    const bool is_put_off = record->kind == TAKT_RECORD_STALE && kind == TAKT_RECORD_LOCK;
    const takt_made_t made = *first;
    if (is_put_off) {
        first->is_put_off = true;
    } else {
        remove_made(observer, place - 1u);
    }
    if (made.is_passed && !made.is_put_off) {
        find(observer, TAKT_OBSERVER_OUTDATED, made.now, made.entity, record->job);
    }
    note_unconsidered(observer, &made);
}

static bool is_about_decided(const takt_observer_t *observer, const takt_record_t *record) {
    return observer->is_in_force && !observer->is_over && record->entity == observer->decision.entity &&
           record->job == observer->decision.job;
}

/* An event of `kind` has been received, also a stale one. */
static void receive(takt_observer_t *observer, uint64_t kind, const takt_record_t *record) {
    observer->fetched = 0;
    if (is_of(kind, of_running) && !is_about_decided(observer, record)) {
        find(observer, TAKT_OBSERVER_JOB, record->now, record->entity, record->job);
    }
    observer->is_over |= is_of(kind, of_ended);
    if (is_of(kind, observer->setup.kinds)) {
        match(observer, kind, record);
    }
}

/* ---- fetches --------------------------------------------------------------------------------------- */

/* The application side has fetched again: it has had the last decision. */
static void require_carried_out(takt_observer_t *observer) {
    if (!is_carried_out(observer)) {
        find_ignored(observer);
    }
}

/* That the last decision has ended, if its instant was posted, is a cause. */
static void count_fetch(takt_observer_t *observer) {
    const takt_instant_t until = observer->decision.value;
    const bool is_asked_for = until != 0 && until <= observer->now;
    observer->fetched = is_asked_for ? 1u : observer->fetched + 1u;
    if (observer->fetched > FETCHES) {
        find(observer, TAKT_OBSERVER_FETCHES, observer->decision.now, TAKT_NO_ENTITY, 0);
    }
}

static void decide(takt_observer_t *observer, const takt_record_t *record) {
    require_carried_out(observer);
    count_fetch(observer);
    observer->decision = *record;
    observer->is_in_force = true;
    observer->is_switched_to = false;
    observer->is_over = false;
    observer->is_unconsidered = false;
    observer->is_signalled = false;
}

/* A fetch that decides nothing is followed by another one. */
static void fetch_in_vain(takt_observer_t *observer) {
    require_carried_out(observer);
    observer->signalled_at = observer->now;
}

static void drop(takt_observer_t *observer) {
    if (observer->is_switched_to) {
        find(observer, TAKT_OBSERVER_DROPPED, observer->decision.now, observer->runs, 0);
    }
    observer->is_in_force = false;
}

static void signal(takt_observer_t *observer) {
    observer->fetched = 0;
    if (!observer->is_signalled) {
        observer->is_signalled = true;
        observer->signalled_at = observer->now;
    }
}

/* ---- the trace ------------------------------------------------------------------------------------- */

static void judge(takt_observer_t *observer, const takt_record_t *record) {
    switch (record->kind) {
    case TAKT_RECORD_DECISION:
        decide(observer, record);
        break;
    case TAKT_RECORD_DROPPED:
        (record->value != 0 ? drop : fetch_in_vain)(observer);
        break;
    case TAKT_RECORD_SIGNAL:
        signal(observer);
        break;
    case TAKT_RECORD_STALE:
        receive(observer, record->value, record);
        break;
    case TAKT_RECORD_OVERFLOW:
        find(observer, TAKT_OBSERVER_OVERFLOW, record->now, TAKT_NO_ENTITY, 0);
        break;
    default:
        if (is_of(record->kind, of_running | of_others)) {
            receive(observer, record->kind, record);
        }
    }
}

static void record_and_pass_on(takt_trace_t *trace, const takt_record_t *record) {
    takt_observer_t *observer = TAKT_CONTAINER_OF(trace, takt_observer_t, trace);
    (void)takt_observer_reach(observer, record->now);
    judge(observer, record);
    observer->seen = record->kind == TAKT_RECORD_LATE ? record->value : TAKT_NEVER;
    if (observer->setup.next != NULL) {
        observer->setup.next->record(observer->setup.next, record);
    }
}

/* ---- what runs ------------------------------------------------------------------------------------- */

static void find_outdated(takt_observer_t *observer, const takt_made_t *made) {
    find(observer, TAKT_OBSERVER_OUTDATED, made->now, made->entity, 0);
}

static bool is_before(const takt_observer_t *observer, const takt_made_t *made) {
    return observer->now - made->now > observer->setup.slack;
}

/* Of an event that is still under way it is not known yet whether it will be received. */
static void pass_made(takt_observer_t *observer) {
    if (observer->is_unconsidered && is_before(observer, &observer->unconsidered)) {
        find_outdated(observer, &observer->unconsidered);
    }
    for (uint32_t i = 0; i < observer->made_count; i++) {
        observer->setup.made[i].is_passed |= is_before(observer, &observer->setup.made[i]);
    }
}

void takt_observer_runs(takt_observer_t *observer, uint32_t entity, takt_instant_t now) {
    (void)takt_observer_reach(observer, now);
    if (!observer->is_in_force || entity != thread_for(observer, observer->decision.entity)) {
        find(observer, TAKT_OBSERVER_SWITCH, observer->decision.now, entity, 0);
    } else if (!is_carried_out(observer)) {
        observer->is_switched_to = true;
        pass_made(observer);
    }
    observer->runs = entity;
}

/* ---- the beginning --------------------------------------------------------------------------------- */

void takt_observer_init(takt_observer_t *observer, const takt_observer_setup_t *setup) {
    observer->trace.record = record_and_pass_on;
    observer->trace.is_remote = setup->next == NULL || setup->next->is_remote;
    observer->setup = *setup;
    observer->finding.rule = TAKT_OBSERVER_OK;
    observer->now = 0;
    observer->seen = TAKT_NEVER;
    observer->runs = TAKT_NO_ENTITY;
    observer->made_count = 0;
    observer->decision = takt_trace_end(0, 0);
    observer->is_in_force = false;
    observer->is_over = false;
    observer->is_switched_to = false;
    observer->fetched = 0;
    observer->is_unconsidered = false;
    observer->is_signalled = false;
}
