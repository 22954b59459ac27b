/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The wheel of kernel/timeouts.h against a linear scan: what expires, and when it wants to be looked at.
 *
 * A sequence draws a spread of instants, from "nearly all equal" to "64 bits", and then arms, disarms and takes at random, also
 * in the middle of moving. Everything that is due expires, nothing before its instant; the wheel never sleeps past the first
 * instant, and moves a timeout no more than once per row. */
#include "kernel/timeouts.h"

#include <string.h>

#include "check.h"

enum { LIMIT = 96, OPERATIONS = 400, SEQUENCES = 3000 };

static takt_timeouts_t wheel;
static takt_timeout_t timeouts[LIMIT];
static bool is_armed[LIMIT];
static takt_instant_t instants[LIMIT];
static uint64_t armings, moves;
static uint32_t count;
static takt_instant_t now;
static uint64_t spread;

static uint32_t never(takt_timeout_t *timeout) {
    (void)timeout;
    CHECK(false);
    return 0;
}

static takt_instant_t scan_first(void) {
    takt_instant_t first = TAKT_NEVER;
    for (uint32_t index = 0; index < count; index++) {
        if (is_armed[index] && instants[index] < first) {
            first = instants[index];
        }
    }
    return first;
}

static void check_look_ahead(void) {
    const takt_instant_t first = scan_first();
    CHECK(wheel.next <= (first > now ? first : now) || first == TAKT_NEVER);
    CHECK(wheel.next != TAKT_NEVER || scan_first() == TAKT_NEVER);
    for (uint32_t index = 0; index < count; index++) {
        CHECK(takt_timeout_is_armed(&timeouts[index]) == is_armed[index]);
    }
}

static takt_instant_t draw_instant(void) {
    const uint64_t ahead = check_below(spread);
    const bool is_past = check_below(20) == 0;
    if (is_past) {
        return now - (ahead < now ? ahead : now);
    }
    return ahead < TAKT_NEVER - 1u - now ? now + ahead : TAKT_NEVER - 1u;
}

static void arm(uint32_t index) {
    instants[index] = draw_instant();
    is_armed[index] = true;
    armings++;
    takt_timeouts_insert(&wheel, &timeouts[index], instants[index]);
}

static void disarm(uint32_t index) {
    is_armed[index] = false;
    takt_timeouts_remove(&wheel, &timeouts[index]);
}

/* As the kernel does. */
static takt_timeout_t *take(void) {
    if (wheel.draining == NULL) {
        takt_timeouts_open_first_slot(&wheel);
    }
    takt_timeout_t *timeout = takt_timeouts_take(&wheel, now);
    if (wheel.draining == NULL) {
        takt_timeouts_look_ahead(&wheel);
    }
    return timeout;
}

static void take_one(void) {
    takt_timeout_t *timeout = take();
    if (timeout == NULL) {
        moves++;
        return;
    }
    const uint32_t index = (uint32_t)(timeout - timeouts);
    CHECK(is_armed[index] && instants[index] <= now);
    is_armed[index] = false;
}

/* Until nothing is due, or only for a while. */
static void take_due(bool is_patient) {
    while (wheel.next <= now && (is_patient || check_below(4) != 0)) {
        take_one();
    }
    CHECK(!is_patient || scan_first() > now);
}

static void pass_time(void) {
    const takt_instant_t first = wheel.next;
    const uint64_t step = check_below(spread);
    if (check_below(2) == 0 && first != TAKT_NEVER && first > now) {
        now = first;
    } else if (step < TAKT_NEVER - 1u - now) {
        now += step;
    }
    take_due(check_below(4) != 0);
}

static void operate(void) {
    const uint32_t index = (uint32_t)check_below(count);
    const uint64_t what = check_below(8);
    if (what == 0) {
        pass_time();
    } else if (is_armed[index] && what < 4) {
        disarm(index);
    } else if (!is_armed[index]) {
        arm(index);
    }
    check_look_ahead();
}

static void sequence(void) {
    memset(&wheel, 0, sizeof wheel);
    memset(timeouts, 0, sizeof timeouts);
    memset(is_armed, 0, sizeof is_armed);
    takt_timeouts_init(&wheel);
    now = 0;
    armings = moves = 0;
    count = 1 + (uint32_t)check_below(LIMIT);
    spread = UINT64_C(1) << (1 + check_below(63));
    for (uint32_t index = 0; index < count; index++) {
        timeouts[index].expire = never;
    }
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate();
    }
    CHECK(moves <= armings * TAKT_TIMEOUTS_ROWS);
    take_due(true);
}

/* Of one instant, far ahead: none is moved, and they expire in the order of arming. */
static void those_of_one_instant_expire_one_by_one(void) {
    memset(&wheel, 0, sizeof wheel);
    memset(timeouts, 0, sizeof timeouts);
    takt_timeouts_init(&wheel);
    for (uint32_t index = 0; index < LIMIT; index++) {
        takt_timeouts_insert(&wheel, &timeouts[index], 123456789u);
    }
    CHECK(wheel.next == 123456789u);
    now = 123456789u;
    for (uint32_t index = 0; index < LIMIT; index++) {
        CHECK(take() == &timeouts[index]);
    }
    CHECK(wheel.next == TAKT_NEVER);
}

/* The first of a slot is gone, and what is first now is not the least: one that comes before that is not before its equals. */
static void equals_keep_their_order_when_another_one_is_disarmed(void) {
    static const takt_instant_t drawn[] = {19, 26, 21, 21};
    memset(&wheel, 0, sizeof wheel);
    memset(timeouts, 0, sizeof timeouts);
    takt_timeouts_init(&wheel);
    for (uint32_t index = 0; index < 3; index++) {
        takt_timeouts_insert(&wheel, &timeouts[index], drawn[index]);
    }
    takt_timeouts_remove(&wheel, &timeouts[0]);
    takt_timeouts_insert(&wheel, &timeouts[3], drawn[3]);
    uint32_t expired = 0;
    for (now = 0; now < 30; now++) {
        while (wheel.next <= now) {
            static const uint32_t order[] = {2, 3, 1};
            const takt_timeout_t *timeout = take();
            CHECK(timeout == NULL || (expired < 3 && timeout == &timeouts[order[expired++]]));
        }
    }
    CHECK(expired == 3);
}

int main(void) {
    those_of_one_instant_expire_one_by_one();
    equals_keep_their_order_when_another_one_is_disarmed();
    check_sequences(sequence, SEQUENCES);
    return check_report("test_timeouts");
}
