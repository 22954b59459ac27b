/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The sink of ring.h. */
#include "kernel/ring.h"

#include "kernel/port.h"

static uint32_t count_of(const takt_trace_ring_t *ring) { return (uint32_t)ring->written - ring->taken; }

static uint32_t length_of(const takt_trace_ring_t *ring) { return ring->mask + 1u; }

/* Locked. */
static void keep(takt_trace_t *trace, const takt_record_t *record) {
    takt_trace_ring_t *ring = TAKT_CONTAINER_OF(trace, takt_trace_ring_t, trace);
    if (count_of(ring) == length_of(ring)) {
        ring->taken++;
        ring->lost++;
    }
    ring->records[(uint32_t)ring->written & ring->mask] = *record;
    ring->written++;
}

takt_status_t takt_trace_ring_init(takt_trace_ring_t *ring, takt_record_t *records, uint32_t length) {
    if (ring == NULL || records == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (length == 0 || (length & (length - 1u)) != 0) {
        return TAKT_ERROR_LENGTH;
    }
    ring->trace = (takt_trace_t){.record = keep};
    ring->records = records;
    ring->mask = length - 1u;
    ring->written = 0;
    ring->taken = 0;
    ring->lost = 0;
    return TAKT_OK;
}

takt_status_t takt_trace_ring_take(takt_trace_ring_t *ring, takt_record_t *record) {
    TAKT_REQUIRE(ring != NULL && record != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(ring->records != NULL, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    const bool is_there = count_of(ring) != 0;
    if (is_there) {
        *record = ring->records[ring->taken & ring->mask];
        ring->taken++;
    }
    takt_port_unlock(level);
    return is_there ? TAKT_OK : TAKT_TIMEOUT;
}

takt_status_t takt_trace_ring_end(const takt_trace_ring_t *ring, uint64_t now, takt_record_t *record) {
    TAKT_REQUIRE(ring != NULL && record != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(ring->records != NULL, TAKT_ERROR_OBJECT);
    const takt_port_level_t level = takt_port_lock();
    *record = ring->lost > 0 ? takt_trace_overflow(now, ring->written) : takt_trace_end(now, ring->written);
    takt_port_unlock(level);
    return TAKT_OK;
}

uint32_t takt_trace_ring_lost(const takt_trace_ring_t *ring) { return ring != NULL ? ring->lost : 0; }
