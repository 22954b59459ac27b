/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fuzzer of replay: records that no scheduler made, or that were damaged afterwards.
 *
 * Replay must neither crash nor hang, whatever the records say. Half of the inputs are records out of bytes, the
 * other half is the trace of a simulation, which must replay identically, with damage done to it by bytes. */
#include <string.h>

#include "sim/replay.h"
#include "sim/sim.h"
#include "tests/fuzz/system_input.h"

/* Few scales, because equals under llf take turns at every tick. A trace may say that 2^60 steps were made, and replay would make them too, which takes too long. */
enum {
    RECORD_LIMIT = 1024,
    MADE_LIMIT = 64,
    DAMAGE_LIMIT = 4,
    MOST_STEPS = 4096,
    MOST_UNITS = 64,
    SCALES = 4
};

static takt_record_t records[RECORD_LIMIT];
static uint32_t record_count;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    if (record_count < RECORD_LIMIT) {
        records[record_count++] = *record;
    }
}

static takt_trace_t trace = {.record = keep_record};

static bool is_notice(const takt_record_t *record) {
    return record->kind > TAKT_RECORD_DECISION && record->kind < TAKT_RECORD_WITHDRAW;
}

static takt_duration_t read_cost(const fuzz_system_t *description, input_t *input) {
    const uint32_t choice = input_byte(input);
    return choice < 128 ? 0u : (uint64_t)(choice % 3u) << description->scale;
}

/* Pulling is for task sets that let late jobs be and share nothing. */
static bool can_pull(const fuzz_system_t *description) {
    bool lets_be = description->spec.resource_count == 0;
    for (uint32_t i = 0; i < description->spec.task_count; i++) {
        lets_be = lets_be && description->tasks[i].on_miss == TAKT_ON_MISS_CONTINUE;
    }
    return lets_be;
}

static takt_sim_options_t read_options(const fuzz_system_t *description, input_t *input) {
    const bool is_pull = input_below(input, 4) == 0 && can_pull(description);
    return (takt_sim_options_t){
        .seed = input_byte(input),
        .costs =
            {
                .context_switch = read_cost(description, input),
                .release = read_cost(description, input),
                .scheduling = read_cost(description, input),
                .point = read_cost(description, input),
                .tick = is_pull ? 0u : read_cost(description, input),
                .tick_period = (uint64_t)(1u + input_below(input, 16)) << description->scale,
                .is_pull = is_pull,
            },
    };
}

/* What a decision brings about is recorded before it: of a trace that became too long, no decision is missing. */
static void drop_open_end(void) {
    while (record_count == RECORD_LIMIT || (record_count > 0 && is_notice(&records[record_count - 1u]))) {
        record_count--;
    }
}

static void simulate(const fuzz_system_t *description, input_t *input) {
    const takt_sim_options_t options = read_options(description, input);
    takt_sim_t sim;
    if (takt_sim_create(&sim, &description->spec, &options)) {
        const takt_instant_t units = 1u + input_below(input, MOST_UNITS);
        takt_sim_run(&sim, units << description->scale, NULL, &trace);
        takt_sim_destroy(&sim);
        drop_open_end();
    }
}

static takt_replay_verdict_t replay(const fuzz_system_t *description, bool is_remote) {
    takt_system_t system;
    if (!takt_system_create(&system, &description->spec)) {
        return TAKT_REPLAY_IDENTICAL;
    }
    system.is_remote = is_remote;
    const takt_replay_result_t result = takt_replay(&system, records, record_count);
    HOLDS(result.verdict == TAKT_REPLAY_IDENTICAL || result.record < record_count);
    HOLDS(result.decisions <= record_count);
    takt_system_destroy(&system);
    return result.verdict;
}

/* ---- records out of bytes ------------------------------------------------------------------------ */

/* Near `likely`, or anything. */
static uint64_t read_near(input_t *input, uint64_t likely) {
    const uint32_t choice = input_byte(input);
    return choice == 255 ? input_number(input, 8) : likely + choice % 16u;
}

/* Mostly one that there is. */
static uint8_t read_record_kind(input_t *input) {
    const uint32_t choice = input_byte(input);
    return (uint8_t)(choice < 240u ? choice % (TAKT_RECORD_LAST + 1u) : choice);
}

/* Where its value is the number of a resource. */
static bool is_about_a_resource(uint8_t kind) {
    return kind == TAKT_RECORD_LOCK || kind == TAKT_RECORD_UNLOCK || kind >= TAKT_RECORD_GRANT;
}

static void make_record(const fuzz_system_t *description, input_t *input) {
    const uint8_t kind = read_record_kind(input);
    const takt_instant_t before = record_count > 0 ? records[record_count - 1u].now : 0;
    takt_record_t *record = &records[record_count++];
    *record = (takt_record_t){
        .now = before + ((uint64_t)input_below(input, 8) << description->scale),
        .value = read_near(input, is_about_a_resource(kind) ? 0u : before),
        .entity = (uint32_t)read_near(input, 0),
        .sequence = (uint32_t)read_near(input, 0),
        .kind = kind,
        .cpu = (uint8_t)(input_byte(input) / 255u),
        .job = (uint32_t)read_near(input, 0),
    };
}

static void make_records(const fuzz_system_t *description, input_t *input) {
    while (record_count < MADE_LIMIT && input->left > 0) {
        make_record(description, input);
    }
}

/* ---- damage -------------------------------------------------------------------------------------- */

static void overwrite_byte(uint32_t at, input_t *input) {
    unsigned char *bytes = (unsigned char *)&records[at];
    bytes[input_below(input, sizeof records[at])] = (unsigned char)input_byte(input);
}

static void overwrite_kind(uint32_t at, input_t *input) {
    records[at].kind = (uint8_t)input_below(input, TAKT_RECORD_LAST + 1u);
}

static void shift_instant(uint32_t at, input_t *input) { records[at].now += read_near(input, 0); }

static void drop_record(uint32_t at, input_t *input) {
    (void)input;
    record_count--;
    memmove(&records[at], &records[at + 1u], (record_count - at) * sizeof records[0]);
}

static void repeat_record(uint32_t at, input_t *input) {
    (void)input;
    records[(at + 1u) % record_count] = records[at];
}

static void swap_records(uint32_t at, input_t *input) {
    const uint32_t other = (at + 1u + input_byte(input)) % record_count;
    const takt_record_t record = records[at];
    records[at] = records[other];
    records[other] = record;
}

/* The entity of the record does not wait any more, or has another level: what no simulation brings about. */
static void insert_record(uint32_t at, input_t *input) {
    if (record_count < RECORD_LIMIT) {
        memmove(&records[at + 1u], &records[at], (record_count - at) * sizeof records[0]);
        record_count++;
        takt_record_t *record = &records[at + 1u];
        record->kind = input_below(input, 2) == 0 ? TAKT_RECORD_WITHDRAW : TAKT_RECORD_PRIORITY;
        record->value = record->kind == TAKT_RECORD_PRIORITY ? read_near(input, 0) : record->now;
    }
}

static void (*const damages[])(uint32_t at, input_t *input) = {
    overwrite_byte, overwrite_kind, shift_instant, drop_record, repeat_record, swap_records, insert_record,
};

enum { DAMAGES = sizeof damages / sizeof damages[0] };

static void damage_records(input_t *input) {
    for (uint32_t i = 0; i < DAMAGE_LIMIT && input->left > 0 && record_count > 1u; i++) {
        const uint32_t at = (uint32_t)(input_number(input, 2) % record_count);
        damages[input_below(input, DAMAGES)](at, input);
    }
}

static void bound_steps(void) {
    for (uint32_t i = 0; i < record_count; i++) {
        if (records[i].kind == TAKT_RECORD_STEP) {
            records[i].value %= MOST_STEPS;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fuzz_system_t description;
    memset(&description, 0, sizeof description);
    record_count = 0;
    input_t input = {data, size};
    const uint32_t choice = input_byte(&input);
    const bool is_damaged = choice % 2u != 0;
    const bool is_remote = choice / 2u % 2u != 0;
    fuzz_system_read(&description, &input, SCALES);
    if (is_damaged) {
        simulate(&description, &input);
        HOLDS(replay(&description, false) == TAKT_REPLAY_IDENTICAL);
        damage_records(&input);
    } else {
        make_records(&description, &input);
    }
    bound_steps();
    (void)replay(&description, is_remote);
    return 0;
}
