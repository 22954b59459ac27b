/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What core consists of and the verifier of Linux refuses, each in a function of numbers: see test_lowering.py. */
#include <stdbool.h>
#include <stdint.h>

#define APART __attribute__((noinline))
#define ENTRY(name) uint64_t name(uint64_t a, uint64_t b, uint64_t c)

typedef uint64_t function_t(uint64_t a, uint64_t b);

typedef struct kind {
    function_t *combine;
    function_t *reduce; /* NULL: no */
    uint32_t factor;
} kind_t;

typedef struct odd {
    uint64_t wide;
    uint32_t middle;
    uint16_t narrow;
    uint8_t bytes[5];
} odd_t;

typedef struct visit {
    kind_t kind;
    odd_t odd;
} visit_t;

ENTRY(sample_table);
ENTRY(sample_field);
ENTRY(sample_stored);
ENTRY(sample_phi);
ENTRY(sample_parameter);
ENTRY(sample_copy);
ENTRY(sample_stack);
ENTRY(sample_loop);
ENTRY(sample_deep);

static APART uint64_t sum(uint64_t a, uint64_t b) { return a + b; }
static APART uint64_t product(uint64_t a, uint64_t b) { return a * (b | 1u); }
static APART uint64_t mix(uint64_t a, uint64_t b) { return (a << 7 | a >> 57) ^ b; }
static APART uint64_t halve(uint64_t a, uint64_t b) { return a / 2u + b % 3u; }

static function_t *const table[] = {sum, product, mix, halve};
static const kind_t kinds[] = {{sum, 0, 3}, {product, halve, 5}, {mix, sum, 7}};

ENTRY(sample_table) { return table[a % 4u](b, c); }

ENTRY(sample_field) {
    const kind_t *kind = &kinds[a % 3u];
    const uint64_t found = kind->combine(b, c) * kind->factor;
    return kind->reduce != 0 ? kind->reduce(found, b) : found;
}

static APART uint64_t visited(const visit_t *visit, uint64_t a) {
    return visit->kind.combine(visit->odd.wide, a) + visit->odd.narrow + visit->odd.bytes[a % 5u];
}

ENTRY(sample_stored) {
    visit_t visit = {.odd = {.wide = b, .narrow = (uint16_t)c}};
    visit.kind.combine = a % 2u != 0 ? mix : halve;
    visit.odd.bytes[c % 5u] = (uint8_t)a;
    return visited(&visit, c);
}

ENTRY(sample_phi) {
    function_t *chosen = sum;
    if (a % 3u == 1u) {
        b = mix(b, c);
        chosen = product;
    } else if (a % 3u == 2u) {
        c = halve(c, b);
        chosen = mix;
    }
    return chosen(b, c);
}

static APART uint64_t twice(function_t *function, uint64_t a, uint64_t b) {
    return function(function(a, b), b);
}

ENTRY(sample_parameter) {
    return twice(sum, a, b) ^ twice(mix, b, c) ^ twice(a % 2u != 0 ? product : halve, c, a);
}

static APART void copy(odd_t *to, const odd_t *from) { *to = *from; }

static APART void fill(odd_t *odd, uint64_t a, uint64_t b, uint64_t c) {
    *odd = (odd_t){.wide = a, .middle = (uint32_t)b, .narrow = (uint16_t)c};
    for (uint32_t i = 0; i < 5u; i++) {
        odd->bytes[i] = (uint8_t)(a >> i ^ b);
    }
}

static APART uint64_t digest(const odd_t *odd) {
    uint64_t found = odd->wide ^ (uint64_t)odd->middle << 16 ^ odd->narrow;
    for (uint32_t i = 0; i < 5u; i++) {
        found = mix(found, odd->bytes[i]);
    }
    return found;
}

ENTRY(sample_copy) {
    odd_t from, to;
    fill(&from, a, b, c);
    fill(&to, c, a, b);
    copy(&to, &from);
    return digest(&to);
}

static APART uint64_t scatter(uint64_t *words, uint64_t a, uint64_t b) {
    for (uint64_t i = 0; i < 9u; i++) {
        words[(a + i * b) % 9u] += i + b;
    }
    return words[b % 9u];
}

ENTRY(sample_stack) {
    uint64_t words[9] = {0};
    uint64_t others[9] = {a, b, c};
    const uint64_t first = scatter(words, a, b), second = scatter(others, b, c);
    return first * 31u + second * 17u + words[c % 9u] + others[a % 9u];
}

/* Greatest common divisor, by subtraction of numbers that are small. */
ENTRY(sample_loop) {
    uint64_t x = a % 1000u + 1u, y = b % 1000u + 1u, turns = 0;
    while (x != y && turns < c % 5000u) {
        x = x > y ? x - y : x;
        y = y > x ? y - x : y;
        turns++;
    }
    return x + y * 1000u + turns * 1000000u;
}

static APART uint64_t deep4(uint64_t a, uint64_t b) { return halve(mix(a, b), b); }
static APART uint64_t deep3(uint64_t a, uint64_t b) { return deep4(a + 1u, b) ^ a; }
static APART uint64_t deep2(uint64_t a, uint64_t b) { return deep3(b, a) + deep4(b, b); }
static APART uint64_t deep1(uint64_t a, uint64_t b, uint64_t c, bool d, uint64_t e, uint64_t f) {
    return d ? deep2(a, b) + c : deep3(e, f);
}

ENTRY(sample_deep) { return deep1(a, b, c, a > b, b ^ c, a ^ c) + deep1(c, b, a, b > c, a, c); }
