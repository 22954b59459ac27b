/* Each word of an image: where it stands, what it says, and how far it may go. A system that has one of everything is put
 * into words a second time here, by the order that image.h tells and the limits of spec.h, and compared word by word. */
#include "system/image.h"

#include <string.h>

#include "policy/table.h"
#include "check.h"

enum {
    WORDS = 256,
    LEVELS = 5,
    ROWS = 16,
    MOST_LEVELS = 1 << 20,
    CHILD_LEVELS = 7,
    LENGTH_AT = 2,
    ITEMS_AT = 6,
    SLOTS_AT = 12
};

#define ANY UINT64_MAX
#define FAR TAKT_KEY_LEAST_URGENT

/* A word, and between which values all are read as they stand; beyond them `status` comes, or OK if
 * that is not asked. */
typedef struct field {
    uint64_t value, least, most;
    takt_image_status_t status;
} field_t;

static field_t fields[WORDS];
static uint64_t body_counts[3], slot_counts[3]; /* where these stand */
static uint64_t field_count;
static uint64_t words[WORDS], copy[WORDS];

/* ---- one of everything ------------------------------------------------------------------------------- */

static const takt_item_t items[] = {
    {TAKT_ITEM_RUN, 3}, {TAKT_ITEM_LOCK, 1}, {TAKT_ITEM_UNLOCK, 1}, {TAKT_ITEM_POINT, 2}};
static const takt_slot_t slots[] = {{101, 102}, {103, 104}, {105, 106}};
static const uint64_t values[] = {201, 202, 203};

static takt_server_spec_t servers[] = {{.policy = NULL,
                                        .period = 31,
                                        .capacity = 30,
                                        .offset = 33,
                                        .level = 2,
                                        .parent = TAKT_ROOT,
                                        .levels = CHILD_LEVELS,
                                        .order_rows = 4,
                                        .time_rows = 5},
                                       {.policy = NULL,
                                        .period = 41,
                                        .capacity = 40,
                                        .offset = 43,
                                        .level = 4,
                                        .parent = 0,
                                        .levels = 3,
                                        .order_rows = 6,
                                        .time_rows = 7}};

static takt_task_spec_t tasks[] = {{.server = 0,
                                    .level = 6,
                                    .is_limited = true,
                                    .suspends = true,
                                    .changes = true,
                                    .period = 51,
                                    .relative_deadline = 52,
                                    .offset = 53,
                                    .wcet = 54,
                                    .preemption_key = 2,
                                    .task_class = TAKT_CLASS_NONE,
                                    .on_miss = (takt_on_miss_t)2,
                                    .interval = 55,
                                    .weight = 56,
                                    .blocking = {57, 58},
                                    .ring = 3,
                                    .body = items,
                                    .body_count = 3},
                                   {.server = TAKT_ROOT,
                                    .level = 3,
                                    .is_external = true,
                                    .locks = true,
                                    .adapts = true,
                                    .period = 61,
                                    .relative_deadline = 62,
                                    .offset = 63,
                                    .wcet = 64,
                                    .preemption_key = 4,
                                    .events = 9,
                                    .interval = 65,
                                    .weight = 66,
                                    .blocking = {67, 68},
                                    .ring = 8,
                                    .body = items + 3,
                                    .body_count = 1},
                                   {.server = 1,
                                    .level = 2,
                                    .is_absent = true,
                                    .is_external = true,
                                    .is_greedy = true,
                                    .relative_deadline = 72,
                                    .ring = 1}};

static takt_thread_spec_t threads[] = {{5}, {1}};

static takt_resource_spec_t resources[] = {
    {.protocol = TAKT_PROTOCOL_PIP,
     .ceiling = ANY,
     .server = 0,
     .is_shared = true,
     .among = 1,
     .longest = 81},
    {.protocol = TAKT_PROTOCOL_PCP, .ceiling = 4, .server = TAKT_ROOT, .longest = 82}};

static takt_use_spec_t uses[] = {{2, 1}, {1, 0}};

static takt_change_spec_t changes[] = {{.instant = 91,
                                        .kind = TAKT_CHANGE_PARAMETERS,
                                        .task = 1,
                                        .period = 92,
                                        .relative_deadline = 93,
                                        .wcet = 94,
                                        .level = 2,
                                        .weight = 95,
                                        .task_class = (takt_task_class_t)1},
                                       {.instant = 96, .kind = TAKT_CHANGE_POLICY, .policy = NULL}};

static takt_window_spec_t windows[] = {{TAKT_WINDOWS_TIME_DRIVEN, {11, slots, 2, 12}},
                                       {TAKT_WINDOWS_SPARE_TIME, {13, slots + 2, 1, 14}},
                                       {TAKT_WINDOWS_NONE, {0, NULL, 0, 0}}};

static takt_demands_t demands[] = {{values, 1}, {values + 1, 2}, {values, 3}, {values, 1}, {values + 2, 1}};

static takt_input_t inputs[] = {{301, 302, TAKT_INPUT_ARRIVAL, 2}, {303, 304, TAKT_INPUT_CHANGE, 1}};

static takt_program_t program = {.spec = {.levels = LEVELS,
                                          .order_rows = 2,
                                          .time_rows = 3,
                                          .servers = servers,
                                          .server_count = 2,
                                          .tasks = tasks,
                                          .task_count = 3,
                                          .threads = threads,
                                          .thread_count = 2,
                                          .resources = resources,
                                          .resource_count = 2,
                                          .uses = uses,
                                          .use_count = 2,
                                          .changes = changes,
                                          .change_count = 2,
                                          .windows = windows,
                                          .bulk = 17,
                                          .has_shares = true,
                                          .share = (takt_share_variant_t)1},
                                 .demands = demands,
                                 .inputs = inputs,
                                 .input_count = 2,
                                 .horizon = 401,
                                 .tick_ns = 402,
                                 .rates = {.beta = 21,
                                           .sigma = 22,
                                           .grid = 23,
                                           .rule = (takt_rate_rule_t)1,
                                           .estimate_jobs = 5,
                                           .has_background = true,
                                           .has_cuts = true}};

/* What is in the tables of policies has no constant address everywhere. */
static void complete(void) {
    program.spec.policy = &takt_policy_fp;
    program.spec.rates = &program.rates;
    servers[0].policy = &takt_policy_fp;
    servers[1].policy = &takt_policy_edf;
    servers[0].kind = takt_server_kinds[2];
    servers[1].bandwidth = takt_bandwidth_kinds[1];
    changes[1].policy = &takt_policy_edf;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void add(uint64_t value, uint64_t least, uint64_t most) {
    fields[field_count++] = (field_t){value, least, most, TAKT_IMAGE_WRONG_VALUE};
}

static void add_any(uint64_t value) { add(value, 0, ANY); }

/* What decides how others are read stays as it is. */
static void add_fixed(uint64_t value) {
    fields[field_count++] = (field_t){value, value, value, TAKT_IMAGE_OK};
}

static void add_flag(bool value) { add(value ? 1 : 0, 0, 1); }

static uint64_t rank_of(const takt_policy_t *policy) {
    uint64_t rank = 1;
    while (takt_policies[rank - 1u] != policy) {
        rank++;
    }
    return rank;
}

static void add_policy(const takt_policy_t *policy) {
    add(policy != NULL ? rank_of(policy) : 0, policy != NULL ? 1 : 0, takt_policy_count);
    fields[field_count - 1u].status = TAKT_IMAGE_UNKNOWN_POLICY;
}

static void add_kind(uint64_t rank, uint64_t count) {
    add(rank, rank > 0 ? 1 : 0, rank > 0 ? count : 0);
    fields[field_count - 1u].status = TAKT_IMAGE_UNKNOWN_POLICY;
}

static void add_header(void) {
    static const uint32_t counts[] = {2, 3, 4, 2, 2, 2, 2, 3, 3, 5, 2, 1};
    add_fixed(TAKT_IMAGE_MAGIC);
    add_fixed(TAKT_IMAGE_VERSION);
    add_fixed(0);
    add_any(401);
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        add_fixed(counts[i]);
    }
    add_any(402);
}

/* The policy of the root decides what keys are. */
static void add_settings(void) {
    add_fixed(rank_of(&takt_policy_fp));
    add_fixed(LEVELS);
    add(2, 0, ROWS);
    add(3, 0, ROWS);
    add(17, 0, TAKT_CALLS_BULK);
    add_flag(true);
    add(1, 0, TAKT_SHARE_WF2Q);
    add_any(21);
    add_any(22);
    add(23, 1, TAKT_RATE_LONGEST);
    add(1, 0, TAKT_RATE_NAIVE);
    add(5, 1, TAKT_RATE_JOBS);
    add_flag(false);
    add_flag(true);
    add_flag(false);
    add_flag(true);
}

static void add_server(const takt_server_spec_t *server, uint64_t kind, uint64_t bandwidth, uint32_t beside) {
    add_kind(kind, takt_server_kind_count);
    add_kind(bandwidth, takt_bandwidth_kind_count);
    add_fixed(rank_of(server->policy));
    add(server->period, server->capacity, FAR);
    add(server->capacity, 1, server->period);
    add_any(server->offset);
    add_fixed((uint64_t)(server->parent + 1));
    add(server->level, 1, beside);
    add_fixed(server->levels);
    add(server->order_rows, 0, ROWS);
    add(server->time_rows, 0, ROWS);
}

/* `levels` where it competes. Where it is decides the limits of its level, and that it is external those of its ring. */
static void add_task(uint32_t index, uint32_t levels, uint64_t keys) {
    const takt_task_spec_t *task = &tasks[index];
    add_fixed((uint64_t)(task->server + 1));
    add(task->level, 1, levels);
    add_flag(task->is_limited);
    add_fixed(task->is_external ? 1 : 0);
    add_flag(task->suspends);
    add_flag(task->locks);
    add_flag(task->is_absent);
    add_flag(task->changes);
    add_flag(task->adapts);
    add_flag(task->is_greedy);
    add(task->period, task->is_external ? 0 : 1, FAR);
    add(task->relative_deadline, 1, FAR);
    add_any(task->offset);
    add_any(task->wcet);
    add(task->preemption_key, 0, keys);
    add(task->task_class, 0, TAKT_CLASS_NONE);
    add(task->on_miss, 0, TAKT_ON_MISS_DROP);
    add(task->events, 0, task->is_external ? TAKT_RBE_EVENTS : 0);
    add_any(task->interval);
    add_any(task->weight);
    add_any(task->blocking.longest);
    add_any(task->blocking.excess);
    add(task->ring, task->is_external ? 1 : 0, UINT64_C(1) << 31);
    body_counts[index] = field_count;
    add_fixed(task->body_count);
}

static void add_items(void) {
    add_fixed(TAKT_ITEM_RUN);
    add(3, 1, FAR);
    add_fixed(TAKT_ITEM_LOCK);
    add(1, 0, 1);
    add_fixed(TAKT_ITEM_UNLOCK);
    add(1, 0, 1);
    add(TAKT_ITEM_POINT, 0, TAKT_ITEM_UNLOCK - 2);
    add(2, 0, FAR);
}

static void add_threads_and_resources(void) {
    add(5, 1, LEVELS);
    add(1, 1, LEVELS);
    add(1, 0, 2);
    add(TAKT_PROTOCOL_PIP, 0, TAKT_PROTOCOL_PIP);
    add_any(ANY);
    add_flag(true);
    add(1, 0, 1);
    add_any(81);
    add_fixed(0);
    add(TAKT_PROTOCOL_PCP, 0, TAKT_PROTOCOLS - 1);
    add(4, 0, LEVELS);
    add_flag(false);
    add(0, 0, 1);
    add_any(82);
    add(2, 0, 2);
    add(1, 0, 1);
    add(1, 0, 2);
    add(0, 0, 1);
}

static void add_changes(void) {
    add_any(91);
    add_fixed(TAKT_CHANGE_PARAMETERS);
    add_policy(NULL);
    add_fixed(1);
    add_any(92);
    add(93, 1, FAR);
    add_any(94);
    add(2, 1, LEVELS);
    add_any(95);
    add(1, 0, TAKT_CLASS_NONE);
    add_any(96);
    add_fixed(TAKT_CHANGE_POLICY);
    add_policy(&takt_policy_edf);
}

static void add_windows(void) {
    for (uint32_t i = 0; i < 3; i++) {
        add(windows[i].kind, 0, TAKT_WINDOWS - 1);
        add_any(windows[i].parameters.part);
        add_any(windows[i].parameters.cycle);
        slot_counts[i] = field_count;
        add_fixed(windows[i].parameters.slot_count);
    }
    for (uint32_t i = 0; i < 3; i++) {
        add_any(slots[i].start);
        add(slots[i].length, 1, FAR);
    }
}

static void add_demands_and_inputs(void) {
    for (uint32_t i = 0; i < 5; i++) {
        add_fixed(demands[i].count);
        for (uint32_t j = 0; j < demands[i].count; j++) {
            add(demands[i].values[j], 1, ANY);
        }
    }
    add_any(301);
    add_any(302);
    add_fixed(TAKT_INPUT_ARRIVAL);
    add(2, 1, 2); /* the first task is not external */
    add_any(303);
    add_any(304);
    add_fixed(TAKT_INPUT_CHANGE);
    add(1, 0, 1);
}

static void put_into_words(void) {
    field_count = 0;
    add_header();
    add_settings();
    add_server(&servers[0], 3, 0, LEVELS);
    add_server(&servers[1], 0, 2, CHILD_LEVELS);
    add_task(0, CHILD_LEVELS, CHILD_LEVELS);
    add_task(1, LEVELS, LEVELS);
    add_task(2, CHILD_LEVELS, CHILD_LEVELS); /* a bandwidth server competes for its tasks */
    add_items();
    add_threads_and_resources();
    add_changes();
    add_windows();
    add_demands_and_inputs();
    fields[LENGTH_AT].value = field_count;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

/* Reads `words`; what is read gives the same words again. The memory is as long as the size says. */
static takt_image_status_t read(uint64_t count) {
    static takt_program_t again;
    uint64_t bytes = 0;
    memset(&again, 0, sizeof again);
    takt_image_status_t status = takt_image_size(words, count, &bytes);
    if (status != TAKT_IMAGE_OK) {
        CHECK(bytes == 0);
        return status;
    }
    CHECK(bytes % 16u == 0);
    void *memory = calloc(1, bytes);
    CHECK(memory != NULL);
    status = takt_image_read(&again, words, count, memory);
    if (status == TAKT_IMAGE_OK) {
        uint64_t used = 0;
        CHECK(takt_image_write(&again, copy, WORDS, &used) == TAKT_IMAGE_OK && used == count);
        CHECK(memcmp(words, copy, count * sizeof *words) == 0);
    }
    free(memory);
    return status;
}

static void each_word_says_what_the_system_says(void) {
    uint64_t used = 0;
    CHECK(takt_image_write(&program, words, WORDS, &used) == TAKT_IMAGE_OK);
    for (uint64_t i = 0; i < field_count; i++) {
        if (words[i] != fields[i].value) {
            fprintf(stderr, "word %" PRIu64 "\n", i);
        }
        CHECK(words[i] == fields[i].value);
    }
    CHECK(used == field_count);
    CHECK(read(used) == TAKT_IMAGE_OK);
}

static void expect(uint64_t at, uint64_t value, takt_image_status_t status) {
    words[at] = value;
    const takt_image_status_t found = read(field_count);
    if (found != status) {
        fprintf(stderr, "word %" PRIu64 " as %" PRIu64 ": status %d\n", at, value, (int)found);
    }
    CHECK(found == status);
    words[at] = fields[at].value;
}

static void each_word_goes_as_far_as_it_may(void) {
    for (uint64_t i = 0; i < field_count; i++) {
        if (fields[i].status == TAKT_IMAGE_OK) {
            continue;
        }
        expect(i, fields[i].least, TAKT_IMAGE_OK);
        expect(i, fields[i].most, TAKT_IMAGE_OK);
        if (fields[i].least > 0) {
            expect(i, fields[i].least - 1u, fields[i].status);
        }
        if (fields[i].most < ANY) {
            expect(i, fields[i].most + 1u, fields[i].status);
        }
    }
}

/* Each count is of elements that there are, but of more than are left. */
static void no_body_and_no_window_has_more_than_is_left(void) {
    for (uint32_t i = 1; i < 3; i++) {
        expect(body_counts[i], 2, TAKT_IMAGE_WRONG_VALUE);
        expect(slot_counts[i], 2, TAKT_IMAGE_WRONG_VALUE);
    }
    expect(ITEMS_AT, 3, TAKT_IMAGE_WRONG_VALUE);
    expect(SLOTS_AT, 2, TAKT_IMAGE_WRONG_VALUE);
    expect(body_counts[0], 5, TAKT_IMAGE_WRONG_VALUE);
    expect(slot_counts[0], 4, TAKT_IMAGE_WRONG_VALUE);
}

/* As long as it says, but longer than its tables. */
static void no_word_is_left_over(void) {
    words[LENGTH_AT] = field_count + 1u;
    words[field_count] = 1;
    CHECK(read(field_count + 1u) == TAKT_IMAGE_WRONG_LENGTH);
    words[LENGTH_AT] = field_count;
}

/* Nothing is written beyond the room that is there, and the program is as before. */
static void too_little_room_is_said(void) {
    uint64_t used = 0;
    for (uint64_t room = 0; room < field_count; room++) {
        copy[room] = 77;
        CHECK(takt_image_write(&program, copy, room, &used) == TAKT_IMAGE_WRONG_LENGTH);
        CHECK(copy[room] == 77);
    }
    each_word_says_what_the_system_says();
}

int main(void) {
    complete();
    put_into_words();
    each_word_says_what_the_system_says();
    each_word_goes_as_far_as_it_may();
    no_body_and_no_window_has_more_than_is_left();
    no_word_is_left_over();
    too_little_room_is_said();
    return check_report("test_image_fields");
}
