/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Images: what is written is read again, word for word, and can be built if it keeps all relations; whatever the words are,
 * reading and checking end with a program or an error. */
#include "system/check.h"

#include <string.h>

#include "image_writer.h"
#include "random_system.h"

enum { SEQUENCES = 200, WORDS = 4096, INPUTS = 5, DEMANDS = 3, BROKEN_IMAGES = 40 };

static random_system_t drawn;
static takt_program_t program, again;
static image_tables_t tables;
static takt_item_t items[RANDOM_TASKS * RANDOM_ITEMS];
static const uint64_t values[DEMANDS] = {3, 1, TAKT_TIME_MOST};
static const takt_stream_t streams[] = {
    {.kind = TAKT_STREAM_LISTED, .count = DEMANDS, .least = 1, .most = TAKT_TIME_MOST, .values = values}};
static takt_input_t inputs[INPUTS];
static uint64_t words[WORDS], copy[WORDS];

static bool has_levels(int32_t server) {
    return random_policy_at(&drawn, server)->order == TAKT_ORDER_LEVELS;
}

/* Ceilings of no resource are no levels. */
static void limit_ceilings(void) {
    for (uint32_t i = 0; i < drawn.spec.resource_count; i++) {
        takt_resource_spec_t *resource = &drawn.resources[i];
        const takt_key_t most = has_levels(resource->server) ? RANDOM_LEVELS : TAKT_TIME_MOST;
        resource->ceiling = resource->ceiling > most ? most : resource->ceiling;
    }
}

static void add_inputs(void) {
    for (uint32_t i = 0; i < INPUTS; i++) {
        const uint32_t task = (uint32_t)check_below(drawn.spec.task_count);
        drawn.tasks[task].is_external = true;
        drawn.tasks[task].ring = 8;
        inputs[i] = (takt_input_t){.instant = 7 * i, .nominal = 6 * i, .index = task};
    }
    program.inputs = inputs;
    program.input_count = INPUTS;
}

/* The bodies of all tasks, one after the other. */
static void collect_items(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < drawn.spec.task_count; i++) {
        for (uint32_t j = 0; j < drawn.tasks[i].body_count; j++) {
            items[count++] = drawn.tasks[i].body[j];
        }
        drawn.tasks[i].demands = check_below(2) == 0 ? streams : NULL;
    }
    tables.of[TAKT_TABLE_ITEMS] = (image_table_t){items, count};
}

static void draw_program(void) {
    memset(&program, 0, sizeof program);
    random_system_make(&drawn);
    limit_ceilings();
    add_inputs();
    collect_items();
    program.spec = drawn.spec;
    program.spec.bulk = 1;
    program.spec.cpu_count = 1;
    program.horizon = check_below(TAKT_TIME_MOST);
    program.resolution_ns = 1 + check_below(100);
    program.seed = check_random();
    image_take(&tables, &program);
    tables.of[TAKT_TABLE_STREAMS] = (image_table_t){streams, 1};
    tables.of[TAKT_TABLE_VALUES] = (image_table_t){values, DEMANDS};
}

static void *read(uint64_t count, takt_image_status_t *status) {
    takt_image_t image = {.words = words, .count = count};
    return image_read(&image, &again, status);
}

/* What does not keep all relations may make no system. */
static void build_if_right(void) {
    takt_place_t place;
    if (takt_check(&again, &place) != TAKT_RELATIONS) {
        CHECK(place.table < TAKT_TABLE_COUNT && place.row < again.rows[place.table]);
        return;
    }
    takt_system_t system;
    CHECK(takt_system_create(&system, &again.spec));
    takt_system_destroy(&system);
}

static void what_is_written_is_read_again(uint64_t count) {
    takt_image_status_t status;
    void *memory = read(count, &status);
    CHECK(memory != NULL && status == TAKT_IMAGE_OK);
    CHECK(again.horizon == program.horizon && again.spec.policy == program.spec.policy);
    again.spec.cpu_count = 1;
    image_take(&tables, &again);
    tables.of[TAKT_TABLE_ITEMS].rows = again.items;
    tables.of[TAKT_TABLE_STREAMS].rows = again.streams;
    CHECK(image_put(&tables, copy) == count && memcmp(words, copy, count * sizeof *words) == 0);
    again.spec.cpu_count = 0;
    build_if_right();
    free(memory);
}

static void an_image_that_is_cut_is_refused(uint64_t count) {
    takt_image_status_t status;
    CHECK(read(check_below(count), &status) == NULL && status != TAKT_IMAGE_OK);
    CHECK(read(count + 1, &status) == NULL && status == TAKT_IMAGE_WRONG_LENGTH);
}

/* Numbers that are almost right, and numbers that are not. */
static uint64_t break_word(uint64_t word) {
    switch (check_below(4)) {
    case 0:
        return word + 1;
    case 1:
        return word - 1;
    case 2:
        return check_below(64);
    default:
        return check_random();
    }
}

static void a_damaged_image_is_refused_or_is_another_one(uint64_t count) {
    const uint64_t at = check_below(count);
    const uint64_t before = words[at];
    takt_image_status_t status;
    words[at] = break_word(before);
    void *memory = read(count, &status);
    CHECK((memory != NULL) == (status == TAKT_IMAGE_OK));
    if (memory != NULL) {
        build_if_right();
    }
    free(memory);
    words[at] = before;
}

static void check_random_program(void) {
    draw_program();
    const uint64_t count = image_put(&tables, words);
    CHECK(count <= WORDS);
    what_is_written_is_read_again(count);
    an_image_that_is_cut_is_refused(count);
    for (uint32_t i = 0; i < BROKEN_IMAGES; i++) {
        a_damaged_image_is_refused_or_is_another_one(count);
    }
}

static void other_files_are_no_images(void) {
    takt_image_status_t status;
    memset(words, 0, sizeof words);
    CHECK(read(WORDS, &status) == NULL && status == TAKT_IMAGE_NO_IMAGE);
    words[0] = TAKT_IMAGE_MAGIC;
    words[1] = TAKT_IMAGE_VERSION + 1;
    CHECK(read(WORDS, &status) == NULL && status == TAKT_IMAGE_OTHER_VERSION);
    CHECK(takt_image_message(status)[0] != 0);
}

/* The numbers of a reader's own policies are none of this build's. */
static void names_differ_from_small_numbers_and_from_each_other(void) {
    uint64_t before = 0;
    for (size_t i = 0; i < takt_policy_count; i++) {
        const uint64_t hash = takt_name_hash(takt_policies[i]->name);
        CHECK(hash > UINT16_MAX && hash != before);
        before = hash;
    }
    CHECK(takt_name_hash("") == UINT64_C(0xcbf29ce484222325) &&
          takt_name_hash("a") == UINT64_C(0xaf63dc4c8601ec8c));
}

static void what_has_more_entities_than_numbers_is_refused(void) {
    static const uint64_t rows[TAKT_TABLE_COUNT] = {[TAKT_TABLE_SYSTEM] = 1};
    const takt_program_t large = {.rows = rows,
                                  .spec = {.policy = takt_policies[0], .task_count = TAKT_ENTITY_LIMIT}};
    takt_place_t place;
    takt_system_t system;
    CHECK(takt_check(&large, &place) == TAKT_RELATION_numbers_suffice);
    CHECK(!takt_system_create(&system, &large.spec));
}

int main(void) {
    check_sequences(check_random_program, SEQUENCES);
    other_files_are_no_images();
    what_has_more_entities_than_numbers_is_refused();
    names_differ_from_small_numbers_and_from_each_other();
    return check_report("test_image");
}
