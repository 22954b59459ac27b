/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Numbers of stream.h.
 *
 * Source of the random bits: the output function of SplitMix64 (Steele, Lea, Flood 2014) over a counter;
 * of the normal deviates: Box and Muller 1958; of the others: inversion. */
#include "sim/stream.h"

#include "core/wide.h"

#include <math.h>

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns 64 random bits, a function of the arguments. */
static uint64_t bits_at(takt_stream_key_t key, uint64_t index) {
    const uint64_t stream = mix(mix(key.seed + GOLDEN_GAMMA) + ((uint64_t)key.task << 8 | (uint64_t)key.use));
    return mix(stream + (index + 1u) * GOLDEN_GAMMA);
}

/* x / 2^64 of range, rounded down. */
static uint64_t scaled(uint64_t x, uint64_t range) { return takt_wide_product(x, range).high; }

/* On (0, 1]. */
static double unit_at(takt_stream_key_t key, uint64_t index) {
    return ((double)(bits_at(key, index) >> 11) + 1.0) * 0x1p-53;
}

static double normal_at(const takt_stream_t *stream, takt_stream_key_t key, uint64_t index) {
    const double turn = 6.283185307179586476925 * unit_at(key, 2u * index + 1u);
    return stream->a + stream->b * sqrt(-2.0 * log(unit_at(key, 2u * index))) * cos(turn);
}

static double weibull_at(const takt_stream_t *stream, takt_stream_key_t key, uint64_t index) {
    return stream->a * pow(-log(unit_at(key, index)), 1.0 / stream->b);
}

static uint64_t limited(const takt_stream_t *stream, uint64_t value) {
    const uint64_t raised = value > stream->least ? value : stream->least;
    return raised < stream->most ? raised : stream->most;
}

static uint64_t rounded(const takt_stream_t *stream, double value) {
    if (!(value > 0.0)) {
        return stream->least;
    }
    return value < 0x1p63 ? limited(stream, (uint64_t)(value + 0.5)) : stream->most;
}

uint64_t takt_stream_at(const takt_stream_t *stream, takt_stream_key_t key, uint64_t index) {
    switch (stream->kind) {
    case TAKT_STREAM_UNIFORM: {
        const uint64_t first = (uint64_t)stream->a;
        return limited(stream, first + scaled(bits_at(key, index), (uint64_t)stream->b - first + 1u));
    }
    case TAKT_STREAM_NORMAL:
        return rounded(stream, normal_at(stream, key, index));
    case TAKT_STREAM_WEIBULL:
        return rounded(stream, weibull_at(stream, key, index));
    case TAKT_STREAM_EXPONENTIAL:
        return rounded(stream, -stream->a * log(unit_at(key, index)));
    default:
        return stream->values[stream->count == 1u ? 0u : index % stream->count];
    }
}
