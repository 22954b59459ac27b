/* What a running thread does with itself: yield, end. */
#include "kernel/state.h"

takt_status_t takt_thread_yield(void) {
    TAKT_REQUIRE_OPEN();
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, TAKT_ERROR_NOT_STARTED);
    takt_port_close();
    if (!takt_entity_is_plain(running) || !takt_entity_is_plain(running->next)) {
        return takt_kernel_pass(TAKT_EVENT_YIELD, running);
    }
    takt_entity_t *next = running->next;
    if (next == running) {
        return takt_port_open();
    }
    takt_levels_rotate(takt_kernel_levels(), running);
    return takt_kernel_switch(running, next);
}

void takt_kernel_thread_returned(void) {
    takt_port_close();
    (void)takt_kernel_pass(TAKT_EVENT_BLOCK, takt_kernel.cpu.running);
    for (;;) {
        takt_port_fault();
    }
}
