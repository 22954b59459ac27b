/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The radix wheel of core/timers.c against a linear scan: exact equality of every timer that fires.
 *
 * A sequence draws a shape (order_rows, time_rows), a spread of instants from "nearly all equal" to "64 bits",
 * and then arms, disarms and takes at random, also in the middle of moving timers. The scan compares
 * (instant, class, id) itself and knows nothing of orders, rows or positions. */
#include "core/timers.h"

#include <string.h>

#include "check.h"

enum { TIMER_LIMIT = 96, OPERATIONS = 400, SEQUENCES = 3000 };

typedef struct plan {
    bool has_past;     /* arms timers for instants that are over */
    bool has_removals; /* disarms timers */
    bool has_renewals; /* arms the first timer again at once */
    uint64_t spread;   /* instants lie in now .. now + spread - 1 */
} plan_t;

typedef struct subject {
    takt_timers_t timers;
    takt_timers_row_t rows[TAKT_TIMERS_MAX_ROWS];
    takt_timer_t timer[TIMER_LIMIT];
    uint32_t id[TIMER_LIMIT];
    bool is_armed[TIMER_LIMIT];
    takt_instant_t instant[TIMER_LIMIT];
    uint32_t count;
    takt_instant_t now;
    uint64_t armed_total;
    uint64_t removed_total;
    uint64_t moves; /* takes that had work and fired nothing */
} subject_t;

static plan_t plan;
static subject_t subject;

/* ---- the linear scan ----------------------------------------------------------------------- */

static uint32_t class_of(uint32_t index) {
    static const uint32_t classes[] = {[TAKT_TIMER_EXPIRY] = 0,
                                       [TAKT_TIMER_REPLENISHMENT] = 1,
                                       [TAKT_TIMER_RESUME] = 1,
                                       [TAKT_TIMER_WAKE] = 2,
                                       [TAKT_TIMER_RELEASE] = 2};
    return classes[subject.timer[index].kind];
}

static bool scan_precedes(uint32_t a, uint32_t b) {
    if (subject.instant[a] != subject.instant[b]) {
        return subject.instant[a] < subject.instant[b];
    }
    return class_of(a) != class_of(b) ? class_of(a) < class_of(b) : subject.id[a] < subject.id[b];
}

/* Index of the first armed timer, or `count`. */
static uint32_t scan_first(void) {
    uint32_t first = subject.count;
    for (uint32_t index = 0; index < subject.count; index++) {
        if (subject.is_armed[index] && (first == subject.count || scan_precedes(index, first))) {
            first = index;
        }
    }
    return first;
}

static takt_instant_t scan_next(void) {
    const uint32_t first = scan_first();
    return first == subject.count ? TAKT_NEVER : subject.instant[first];
}

/* ---- operations ---------------------------------------------------------------------------- */

static takt_instant_t random_instant(void) {
    const uint32_t other = (uint32_t)check_below(subject.count);
    if (check_below(4) == 0 && subject.instant[other] > subject.now) {
        return subject.instant[other];
    }
    if (plan.has_past && check_below(6) == 0) {
        return check_below(4) == 0 ? check_below(subject.now + 1) : subject.now;
    }
    const uint64_t ahead = 1 + check_below(plan.spread);
    return TAKT_NEVER - subject.now < ahead ? TAKT_NEVER : subject.now + ahead;
}

static takt_instant_t later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

static void arm(uint32_t index) {
    subject.instant[index] = random_instant();
    subject.is_armed[index] = true;
    subject.armed_total++;
    takt_timers_insert(&subject.timers, &subject.timer[index], subject.instant[index]);
    CHECK(takt_timer_is_armed(&subject.timer[index]));
    CHECK(takt_timers_next(&subject.timers) <= later_of(subject.instant[index], subject.now));
}

/* What is to be moved is due at once, whatever instant the wheel told before; but for one that a renewal has left alone. */
static void check_moves_are_due(void) {
    const takt_timer_t *draining = subject.timers.draining;
    if (draining != NULL) {
        const bool is_left_alone = plan.has_renewals && draining->next == NULL;
        CHECK(takt_timers_next(&subject.timers) <= (is_left_alone ? draining->instant : 0));
    }
}

static void disarm(uint32_t index) {
    subject.removed_total += subject.is_armed[index];
    subject.is_armed[index] = false;
    takt_timers_remove(&subject.timers, &subject.timer[index]);
    CHECK(!takt_timer_is_armed(&subject.timer[index]));
    CHECK(takt_timers_next(&subject.timers) <= later_of(scan_next(), subject.now));
    check_moves_are_due();
}

static bool is_work_left(void) { return takt_timers_next(&subject.timers) <= subject.now; }

static void take_one(void) {
    takt_timer_t *timer = takt_timers_take(&subject.timers, subject.now);
    check_moves_are_due();
    if (timer == NULL) {
        subject.moves++;
        return;
    }
    const uint32_t first = scan_first();
    CHECK(first < subject.count);
    CHECK(timer == &subject.timer[first]);
    CHECK(timer->instant == subject.instant[first] && timer->instant <= subject.now);
    CHECK(!takt_timer_is_armed(timer));
    subject.is_armed[first] = false;
}

/* Takes as the near layer does: a timer that is known to be the first one is armed again at once. */
static void renew_one(void) {
    takt_timer_t *timer = takt_timers_first(&subject.timers, subject.now);
    if (timer == NULL) {
        CHECK(takt_timers_take(&subject.timers, subject.now) == NULL);
        subject.moves++;
        return;
    }
    const uint32_t first = scan_first();
    CHECK(first < subject.count);
    CHECK(timer == &subject.timer[first]);
    CHECK(timer->instant == subject.instant[first] && timer->instant <= subject.now);
    subject.instant[first] = random_instant();
    subject.armed_total++;
    takt_timers_renew(&subject.timers, timer, subject.instant[first]);
    CHECK(takt_timer_is_armed(timer));
    CHECK(takt_timers_next(&subject.timers) <= later_of(scan_next(), subject.now));
}

/* Of all timers but `first` the least instant. */
static takt_instant_t scan_after(uint32_t first) {
    takt_instant_t least = TAKT_NEVER;
    for (uint32_t index = 0; index < subject.count; index++) {
        if (subject.is_armed[index] && index != first && subject.instant[index] < least) {
            least = subject.instant[index];
        }
    }
    return least;
}

/* If the first timer is known it is the first, and the others are known not to come before the bound. */
static void check_first_and_others(void) {
    const takt_timer_t *timer = takt_timers_due(&subject.timers, takt_timers_next(&subject.timers));
    if (timer == NULL) {
        return;
    }
    const uint32_t first = scan_first();
    CHECK(timer == &subject.timer[first]);
    CHECK(takt_timers_after_due(&subject.timers) <= scan_after(first));
    CHECK(takt_timers_after_due(&subject.timers) >= subject.instant[first]);
}

static void check_nothing_due(void) {
    check_first_and_others();
    const takt_instant_t next = takt_timers_next(&subject.timers);
    CHECK(next > subject.now);
    CHECK(next <= scan_next());
    CHECK(plan.has_removals || next == scan_next());
    CHECK(takt_timers_take(&subject.timers, subject.now) == NULL);
    CHECK(takt_timers_next(&subject.timers) == next);
}

static void take_all(void) {
    while (is_work_left()) {
        take_one();
    }
    check_nothing_due();
}

static void take_some(void) {
    for (uint64_t steps = check_below(6); steps > 0 && is_work_left(); steps--) {
        if (plan.has_renewals && check_below(2) == 0) {
            renew_one();
        } else {
            take_one();
        }
    }
}

static void advance(void) {
    const takt_instant_t next = takt_timers_next(&subject.timers);
    if (next != TAKT_NEVER && next > subject.now && check_below(2) == 0) {
        subject.now = next;
        return;
    }
    const uint64_t ahead = check_below(plan.spread);
    subject.now += TAKT_NEVER - 1 - subject.now < ahead ? 0 : ahead;
}

static void operate(void) {
    const uint32_t index = (uint32_t)check_below(subject.count);
    const uint64_t choice = check_below(100);
    if (choice < 60) {
        if (!subject.is_armed[index]) {
            arm(index);
        }
    } else if (choice < 75) {
        if (plan.has_removals) {
            disarm(index);
        }
    } else if (choice < 90) {
        advance();
        take_some();
    } else {
        advance();
        take_all();
    }
}

/* ---- sequences ----------------------------------------------------------------------------- */

/* Timers in threes, one of each class for one id; ids differ. */
static void make_timers(uint32_t order_rows) {
    static const takt_timer_kind_t early[] = {TAKT_TIMER_EXPIRY, TAKT_TIMER_REPLENISHMENT, TAKT_TIMER_WAKE};
    static const takt_timer_kind_t late[] = {TAKT_TIMER_EXPIRY, TAKT_TIMER_RESUME, TAKT_TIMER_RELEASE};
    const uint32_t ids = UINT32_C(1) << (4u * order_rows - 2u);
    const uint32_t threes = ids < TIMER_LIMIT / 3 ? ids : TIMER_LIMIT / 3;
    const uint32_t first = (uint32_t)check_below(ids);
    const uint32_t stride = 1u + 2u * (uint32_t)check_below(ids);
    subject.count = 3u * (1u + (uint32_t)check_below(threes));
    for (uint32_t index = 0; index < subject.count; index++) {
        subject.id[index] = (first + stride * (index / 3u)) & (ids - 1u);
        takt_timer_init(&subject.timer[index], &subject.timers,
                        check_below(2) == 0 ? early[index % 3u] : late[index % 3u], subject.id[index]);
    }
}

static void make_plan(void) {
    static const uint32_t bits[] = {1, 2, 5, 9, 16, 31, 33, 48, 62};
    plan.has_past = check_below(2) == 0;
    plan.has_removals = check_below(2) == 0;
    plan.has_renewals = check_below(2) == 0;
    plan.spread = UINT64_C(1) << bits[check_below(sizeof bits / sizeof bits[0])];
}

/* A timer moves at most once per row, and each removal makes at most one slot be looked at twice. This holds
 * with rows for all 64 bits of time and without instants in the past: overdue timers share one slot, and k of
 * them move k^2 / 2 times together. */
static void check_moves_are_bounded(uint32_t order_rows) {
    const uint64_t rows = order_rows + 16u;
    CHECK(subject.moves <= subject.armed_total * (rows - 1u) + subject.removed_total);
}

/* Only the rows must be zeroed. */
static void begin(uint32_t order_rows, uint32_t time_rows) {
    memset(&subject, 0, sizeof subject);
    memset(&subject.timers, 0xA5, sizeof subject.timers);
    memset(subject.timer, 0xA5, sizeof subject.timer);
    takt_timers_init(&subject.timers, subject.rows, order_rows, time_rows);
}

static void random_sequence(void) {
    const uint32_t order_rows = 1u + (uint32_t)check_below(7);
    const uint32_t time_rows = 1u + (uint32_t)check_below(16);
    begin(order_rows, time_rows);
    make_plan();
    make_timers(order_rows);
    CHECK(takt_timers_next(&subject.timers) == TAKT_NEVER);
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate();
    }
    if (!plan.has_past && time_rows == 16u) {
        check_moves_are_bounded(order_rows);
    }
    subject.now = TAKT_NEVER - 1u;
    take_all();
}

/* Periodic ones: of two that are left alone none moves. */
static void two_renewals_at_one_instant_move_nothing(void) {
    begin(2, 16);
    check_seed(1);
    make_timers(2);
    for (uint32_t index = 0; index < 2; index++) {
        takt_timers_insert(&subject.timers, &subject.timer[index], 1024);
    }
    for (takt_instant_t now = 1024; now < 100 * 1024; now += 1024) {
        CHECK(takt_timers_next(&subject.timers) == now);
        for (uint32_t index = 0; index < 2; index++) {
            CHECK(takt_timers_first(&subject.timers, now) == &subject.timer[index]);
            takt_timers_renew(&subject.timers, &subject.timer[index], now + 1024);
        }
        CHECK(takt_timers_first(&subject.timers, now) == NULL);
    }
}

/* What a kernel meets: all timers expire at one instant. */
static void simultaneous_timers_fire_in_order_with_bounded_moves(void) {
    begin(2, 16);
    check_seed(1);
    make_timers(2);
    for (uint32_t index = 0; index < subject.count; index++) {
        subject.is_armed[index] = true;
        subject.instant[index] = 1000;
        takt_timers_insert(&subject.timers, &subject.timer[index], 1000);
    }
    subject.now = 999;
    check_nothing_due();
    subject.now = 1000;
    take_all();
    CHECK(scan_first() == subject.count);
    CHECK(subject.moves <= 3u * subject.count);
}

/* The first of each pair stands alone in its row, in its slot, and in a slot with the other one. */
static void timers_behind_the_first_are_known_to_be_later(void) {
    static const takt_instant_t others[] = {5000, 1100, 1001};
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        begin(2, 16);
        check_seed(1);
        make_timers(2);
        takt_timers_insert(&subject.timers, &subject.timer[0], 1000);
        CHECK(takt_timers_due(&subject.timers, 1000) == &subject.timer[0]);
        CHECK(takt_timers_after_due(&subject.timers) == TAKT_NEVER);
        takt_timers_insert(&subject.timers, &subject.timer[1], others[i]);
        CHECK(takt_timers_due(&subject.timers, 1000) == &subject.timer[0]);
        CHECK(takt_timers_after_due(&subject.timers) == others[i]);
    }
}

int main(void) {
    timers_behind_the_first_are_known_to_be_later();
    simultaneous_timers_fire_in_order_with_bounded_moves();
    two_renewals_at_one_instant_move_nothing();
    check_sequences(random_sequence, SEQUENCES);
    return check_report("test_timers");
}
