/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The application's side of a scheduler at a distance: which answers it carries out. Runs with a mailbox would only take
 * longer if it refused right ones: it asks again until the answer is the last word. */
#include "remote/application.h"
#include "tests/c/check.h"

static bool accepts(uint32_t posted, bool is_decision, uint32_t sequence) {
    const takt_application_t application = {.posted = posted};
    const takt_answer_t answer = {.is_decision = is_decision, .sequence = sequence};
    return takt_application_accepts(&application, &answer);
}

static void a_decision_that_considers_every_event_is_accepted(void) {
    CHECK(accepts(0, true, 0));
    CHECK(accepts(3, true, 3));
    CHECK(accepts(UINT32_MAX, true, UINT32_MAX));
}

static void an_answer_that_lacks_an_event_or_decides_nothing_is_not(void) {
    CHECK(!accepts(3, true, 2));
    CHECK(!accepts(0, true, UINT32_MAX));
    CHECK(!accepts(3, false, 3));
    CHECK(!accepts(0, false, 0));
}

int main(void) {
    a_decision_that_considers_every_event_is_accepted();
    an_answer_that_lacks_an_event_or_decides_nothing_is_not();
    return check_report("test_application");
}
