/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Each word of an image: how far it may go, where a row ends and whose the rows of another table are. A system that has one
 * of everything is put into words, and each of them is changed. */
#include "system/image.h"

#include "image_writer.h"

enum { WORDS = 512, TASKS = 3 };

#define ANY UINT64_MAX

static const takt_item_t items[] = {
    {TAKT_ITEM_RUN, 3}, {TAKT_ITEM_LOCK, 1}, {TAKT_ITEM_UNLOCK, 1}, {TAKT_ITEM_POINT, 2}};
static const takt_slot_t slots[] = {{101, 102}, {203, 104}, {305, 106}};
static const uint64_t values[] = {201, 202, 203};
static const takt_stream_t streams[] = {
    {.kind = TAKT_STREAM_LISTED, .count = 1, .least = 1, .most = 9},
    {.kind = TAKT_STREAM_NORMAL, .a = 2.5, .b = 1.5, .least = 2, .most = 7},
    {.kind = TAKT_STREAM_LISTED, .count = 2, .least = 3, .most = 8}};
static takt_server_spec_t servers[] = {
    {.period = 31,
     .capacity = 30,
     .offset = 33,
     .level = 2,
     .parent = TAKT_ROOT,
     .levels = 7,
     .order_rows = 4},
    {.period = 41, .capacity = 40, .level = 4, .parent = 0, .levels = 3, .time_rows = 7}};
static takt_task_spec_t tasks[] = {
    {.server = 0,
     .level = 6,
     .is_limited = true,
     .period = 51,
     .relative_deadline = 52,
     .offset = 53,
     .wcet = 54,
     .preemption_key = 2,
     .task_class = TAKT_CLASS_NONE,
     .on_miss = TAKT_ON_MISS_SKIP,
     .weight = 56,
     .blocking = 57,
     .excess = 58,
     .demand = 59,
     .body_count = 3},
    {.server = TAKT_ROOT,
     .level = 3,
     .is_external = true,
     .relative_deadline = 62,
     .wcet = 64,
     .events = 9,
     .interval = 65,
     .ring = 8,
     .jitter = 4,
     .demand = 1,
     .demands = &streams[2],
     .arrivals = &streams[1],
     .body_count = 1},
    {.server = 1, .level = 2, .is_absent = true, .relative_deadline = 72, .wcet = 1, .demand = 1}};
static const takt_thread_spec_t threads[] = {{5, 0}, {1, 1}};
static const takt_resource_spec_t resources[] = {
    {.protocol = TAKT_PROTOCOL_PIP, .ceiling = 9, .server = 0, .is_shared = true, .among = 1, .longest = 81},
    {.protocol = TAKT_PROTOCOL_PCP, .ceiling = 4, .server = TAKT_ROOT}};
static const takt_use_spec_t uses[] = {{2, 1}, {1, 0}};
static takt_change_spec_t changes[] = {
    {.instant = 91,
     .kind = TAKT_CHANGE_PARAMETERS,
     .task = 1,
     .relative_deadline = 93,
     .wcet = 94,
     .level = 2,
     .demand = 95,
     .demands = &streams[0]},
    {.instant = 96, .kind = TAKT_CHANGE_POLICY, .relative_deadline = 1, .wcet = 1, .level = 1, .demand = 1}};
static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_TIME_DRIVEN, {11, slots, 2, 12}},
                                             {TAKT_WINDOWS_SPARE_TIME, {13, slots + 2, 1, 14}},
                                             {TAKT_WINDOWS_NONE, {0, NULL, 0, 0}}};
static const takt_input_t inputs[] = {{301, 302, TAKT_INPUT_ARRIVAL, 2}, {303, 304, TAKT_INPUT_CHANGE, 1}};
static const takt_rate_settings_t rates = {.beta = 21, .sigma = 22, .grid = 23, .estimate_jobs = 5};
static const takt_sim_costs_t costs = {.context_switch = 1, .tick = 2, .tick_period = 3};
static const takt_architecture_t architecture = {.model = TAKT_ARCHITECTURE_COPROCESSOR, .latency = 4};

static takt_program_t program = {.spec = {.levels = 5,
                                          .order_rows = 2,
                                          .cpu_count = 1,
                                          .bulk = 17,
                                          .servers = servers,
                                          .server_count = 2,
                                          .tasks = tasks,
                                          .task_count = TASKS,
                                          .threads = threads,
                                          .thread_count = 2,
                                          .resources = resources,
                                          .resource_count = 2,
                                          .uses = uses,
                                          .use_count = 2,
                                          .rates = &rates,
                                          .changes = changes,
                                          .change_count = 2,
                                          .windows = windows},
                                 .costs = &costs,
                                 .architecture = &architecture,
                                 .inputs = inputs,
                                 .input_count = 2,
                                 .horizon = 401,
                                 .resolution_ns = 402,
                                 .seed = 403};

static image_tables_t tables;
static uint64_t words[WORDS];
static uint64_t count;
static takt_image_t image;

static void put_into_words(void) {
    program.spec.policy = &takt_policy_fp;
    servers[0].policy = servers[1].policy = changes[1].policy = &takt_policy_edf;
    servers[0].kind = takt_server_kinds[2];
    servers[1].bandwidth = takt_bandwidth_kinds[1];
    image_take(&tables, &program);
    tables.of[TAKT_TABLE_ITEMS] = (image_table_t){items, 4};
    tables.of[TAKT_TABLE_SLOTS] = (image_table_t){slots, 3};
    tables.of[TAKT_TABLE_STREAMS] = (image_table_t){streams, 3};
    tables.of[TAKT_TABLE_VALUES] = (image_table_t){values, 3};
    count = image_put(&tables, words);
    CHECK(count <= WORDS);
}

static takt_image_status_t status_of(void) {
    static takt_program_t again;
    takt_image_status_t status;
    image = (takt_image_t){.words = words, .count = count};
    free(image_read(&image, &again, &status));
    return status;
}

/* The status with another word; an error says where it stands. */
static takt_image_status_t status_with(uint32_t table, uint32_t row, uint32_t field, uint64_t value) {
    uint64_t *word = image_at(words, table, row, field);
    const uint64_t before = *word;
    *word = value;
    const takt_image_status_t status = status_of();
    if (status != TAKT_IMAGE_OK && image.place.table != TAKT_TABLE_COUNT) {
        CHECK(image.place.table == table && image.place.row == row && image.place.field == field);
    }
    *word = before;
    return status;
}

static void check_limits(uint32_t table, uint32_t row, uint32_t field, uint64_t least, uint64_t most) {
    CHECK(status_with(table, row, field, least) == TAKT_IMAGE_OK);
    CHECK(status_with(table, row, field, most) == TAKT_IMAGE_OK);
    if (least > 0) {
        CHECK(status_with(table, row, field, least - 1u) == TAKT_IMAGE_WRONG_VALUE);
    }
    if (most < ANY) {
        CHECK(status_with(table, row, field, most + 1u) == TAKT_IMAGE_WRONG_VALUE);
        CHECK(status_with(table, row, field, ANY) == TAKT_IMAGE_WRONG_VALUE);
    }
}

static void check_name(uint32_t table, uint32_t row, uint32_t field, const char *known, bool may_be_none) {
    CHECK(status_with(table, row, field, takt_name_hash(known)) == TAKT_IMAGE_OK);
    CHECK(status_with(table, row, field, takt_name_hash("no such thing")) == TAKT_IMAGE_UNKNOWN_POLICY);
    CHECK(status_with(table, row, field, 1) == TAKT_IMAGE_UNKNOWN_POLICY);
    CHECK((status_with(table, row, field, 0) == TAKT_IMAGE_OK) == may_be_none);
}

static void check_field(uint32_t table, uint32_t row, uint32_t field) {
    const takt_field_t *of = &takt_layouts[table].fields[field];
    switch (of->kind) {
    case TAKT_FIELD_LENGTH:
        break;
    case TAKT_FIELD_HOME:
        check_limits(table, row, field, 0, 2);
        break;
    case TAKT_FIELD_TASK_PLACE:
        check_limits(table, row, field, 0, TASKS - 1);
        break;
    case TAKT_FIELD_RESOURCE_PLACE:
        check_limits(table, row, field, 0, 1);
        break;
    case TAKT_FIELD_STREAM:
        check_limits(table, row, field, 0, 3);
        break;
    case TAKT_FIELD_POLICY:
        check_name(table, row, field, "llf", true);
        break;
    case TAKT_FIELD_SERVER_KIND:
        check_name(table, row, field, "sporadic", true);
        break;
    case TAKT_FIELD_BANDWIDTH:
        check_name(table, row, field, "tbs", true);
        break;
    case TAKT_FIELD_PROTOCOL:
        check_name(table, row, field, "srp", false);
        break;
    default:
        check_limits(table, row, field, of->least, of->most);
        break;
    }
}

static void each_word_goes_as_far_as_it_may(void) {
    CHECK(status_of() == TAKT_IMAGE_OK);
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        CHECK(tables.of[table].count > 0);
        for (uint32_t row = 0; row < tables.of[table].count; row++) {
            for (uint32_t field = 0; field < takt_layouts[table].field_count; field++) {
                check_field(table, row, field);
            }
        }
    }
}

/* Where field `member` of `record` stands in its layout. */
static uint32_t field_at(uint32_t table, size_t offset) {
    uint32_t field = 0;
    while (takt_layouts[table].fields[field].offset != offset) {
        field++;
    }
    return field;
}

/* Each count is of rows that there are, but of more or less than are left. */
static void no_row_has_more_than_is_left(void) {
    const uint32_t body = field_at(TAKT_TABLE_TASKS, offsetof(takt_task_spec_t, body_count));
    const uint32_t slot = field_at(TAKT_TABLE_WINDOWS, offsetof(takt_window_spec_t, parameters.slot_count));
    const uint32_t value = field_at(TAKT_TABLE_STREAMS, offsetof(takt_stream_t, count));
    for (uint32_t row = 0; row < TASKS; row++) {
        for (uint64_t other = 4; other < 6; other++) {
            CHECK(status_with(TAKT_TABLE_TASKS, row, body, other) == TAKT_IMAGE_WRONG_VALUE);
            CHECK(status_with(TAKT_TABLE_WINDOWS, row, slot, other) == TAKT_IMAGE_WRONG_VALUE);
            CHECK(status_with(TAKT_TABLE_STREAMS, row, value, other) == TAKT_IMAGE_WRONG_VALUE);
        }
    }
    CHECK(status_with(TAKT_TABLE_TASKS, 0, body, 2) == TAKT_IMAGE_WRONG_VALUE);
    CHECK(status_with(TAKT_TABLE_WINDOWS, 0, slot, 1) == TAKT_IMAGE_WRONG_VALUE);
    CHECK(status_with(TAKT_TABLE_STREAMS, 0, value, 0) == TAKT_IMAGE_WRONG_VALUE);
}

static void what_rows_own_stands_where_it_should(void) {
    static takt_program_t again;
    takt_image_status_t status;
    image = (takt_image_t){.words = words, .count = count};
    void *memory = image_read(&image, &again, &status);
    CHECK(memory != NULL);
    CHECK(again.spec.tasks[1].body->kind == TAKT_ITEM_POINT && again.spec.tasks[0].body[1].ticks == 1);
    CHECK(again.spec.windows[1].parameters.slots->start == 305);
    CHECK(again.spec.tasks[1].demands->values[1] == 203 && again.spec.changes[0].demands->values[0] == 201);
    CHECK(again.spec.tasks[1].arrivals->a == 2.5 && again.spec.tasks[0].demands == NULL);
    CHECK(again.spec.cpu_count == 0 && again.spec.tasks[1].changes && !again.spec.tasks[0].changes);
    CHECK(again.costs->tick_period == 3 && again.architecture->latency == 4 && again.spec.rates->grid == 23);
    free(memory);
}

/* Greedy tasks have no limit; other counts of rows than there are words for. */
static void counts_go_with_the_length(void) {
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        words[IMAGE_COUNTS_AT + table]++;
        const takt_image_status_t status = status_of();
        CHECK(status == TAKT_IMAGE_WRONG_LENGTH || status == TAKT_IMAGE_WRONG_VALUE);
        words[IMAGE_COUNTS_AT + table] -= 2;
        CHECK(status_of() != TAKT_IMAGE_OK);
        words[IMAGE_COUNTS_AT + table]++;
    }
    words[2] = count + 1u;
    CHECK(status_of() == TAKT_IMAGE_WRONG_LENGTH);
    words[2] = count;
}

static void whole_budgets_have_no_limit(void) {
    static takt_program_t again;
    takt_image_status_t status;
    tasks[1].is_greedy = true;
    count = image_put(&tables, words);
    image = (takt_image_t){.words = words, .count = count};
    void *memory = image_read(&image, &again, &status);
    CHECK(memory != NULL && again.spec.tasks[1].wcet == TAKT_TIME_MOST + 1u);
    CHECK(again.spec.tasks[1].demand == TAKT_TIME_MOST + 1u &&
          again.spec.changes[0].wcet == TAKT_TIME_MOST + 1u);
    CHECK(again.spec.tasks[0].wcet == 54);
    free(memory);
}

int main(void) {
    put_into_words();
    each_word_goes_as_far_as_it_may();
    no_row_has_more_than_is_left();
    what_rows_own_stands_where_it_should();
    counts_go_with_the_length();
    whole_budgets_have_no_limit();
    return check_report("test_image_fields");
}
