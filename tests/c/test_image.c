/* Images: what is written is read again, word for word, and can be built; whatever the words are, reading ends with a program
 * or an error. */
#include "system/image.h"

#include <string.h>

#include "random_system.h"

enum { SEQUENCES = 200, WORDS = 4096, INPUTS = 5, DEMANDS = 3, BROKEN_IMAGES = 40 };

static random_system_t drawn;
static takt_program_t program, again;
static takt_demands_t demands[RANDOM_TASKS + 2];
static const uint64_t demand_values[DEMANDS] = {3, 1, UINT64_MAX};
static takt_input_t inputs[INPUTS];
static uint64_t words[WORDS], copy[WORDS];

static bool has_levels(int32_t server) {
    return random_policy_at(&drawn, server)->order == TAKT_ORDER_LEVELS;
}

/* Ceilings that nobody has are no levels. */
static void limit_ceilings(void) {
    for (uint32_t i = 0; i < drawn.spec.resource_count; i++) {
        takt_resource_spec_t *resource = &drawn.resources[i];
        if (has_levels(resource->server) && resource->ceiling > RANDOM_LEVELS) {
            resource->ceiling = RANDOM_LEVELS;
        }
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

static void draw_program(void) {
    random_system_make(&drawn);
    limit_ceilings();
    add_inputs();
    for (uint32_t i = 0; i < drawn.spec.task_count; i++) {
        demands[i] = (takt_demands_t){demand_values, 1 + (uint32_t)check_below(DEMANDS)};
        drawn.tasks[i].demand = 0;
    }
    program.spec = drawn.spec;
    program.demands = demands;
    program.horizon = check_random();
    program.tick_ns = check_random();
}

static uint64_t write(takt_program_t *from, uint64_t *to) {
    uint64_t count = 0;
    uint64_t written = 0;
    CHECK(takt_image_write(from, NULL, 0, &count) == TAKT_IMAGE_OK);
    CHECK(count <= WORDS);
    CHECK(takt_image_write(from, to, count, &written) == TAKT_IMAGE_OK && written == count);
    return count;
}

/* NULL, and `status` says why. */
static void *read(uint64_t *from, uint64_t count, takt_image_status_t *status) {
    uint64_t bytes;
    memset(&again, 0, sizeof again);
    *status = takt_image_size(from, count, &bytes);
    if (*status != TAKT_IMAGE_OK) {
        return NULL;
    }
    void *memory = calloc(1, (size_t)bytes + 1u);
    CHECK(memory != NULL);
    *status = takt_image_read(&again, from, count, memory);
    if (*status != TAKT_IMAGE_OK) {
        free(memory);
        return NULL;
    }
    return memory;
}

static void check_can_be_built(void) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &again.spec));
    takt_system_destroy(&system);
}

static void what_is_written_is_read_again(uint64_t count) {
    takt_image_status_t status;
    void *memory = read(words, count, &status);
    CHECK(memory != NULL && status == TAKT_IMAGE_OK);
    CHECK(again.horizon == program.horizon && again.tick_ns == program.tick_ns);
    CHECK(again.spec.policy == program.spec.policy);
    CHECK(write(&again, copy) == count && memcmp(words, copy, count * sizeof *words) == 0);
    check_can_be_built();
    free(memory);
}

static void an_image_that_is_cut_is_refused(uint64_t count) {
    takt_image_status_t status;
    CHECK(read(words, check_below(count), &status) == NULL && status == TAKT_IMAGE_WRONG_LENGTH);
    CHECK(read(words, count + 1, &status) == NULL && status == TAKT_IMAGE_WRONG_LENGTH);
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
    void *memory = read(words, count, &status);
    CHECK((memory != NULL) == (status == TAKT_IMAGE_OK));
    free(memory);
    words[at] = before;
}

static void check_random_program(void) {
    draw_program();
    const uint64_t count = write(&program, words);
    what_is_written_is_read_again(count);
    an_image_that_is_cut_is_refused(count);
    for (uint32_t i = 0; i < BROKEN_IMAGES; i++) {
        a_damaged_image_is_refused_or_is_another_one(count);
    }
}

/* ---- what random systems do not have ---------------------------------------------------------------- */

static void rates_windows_and_changes_are_read_again(void) {
    static const takt_slot_t slots[] = {{1, 2}, {5, 1}};
    static const takt_rate_settings_t rates = {.beta = 1, .grid = 4, .estimate_jobs = 2, .has_cuts = true};
    takt_task_spec_t tasks[] = {
        {.period = 9, .relative_deadline = 9, .level = 1, .server = TAKT_ROOT, .weight = 3},
        {.period = 8, .relative_deadline = 8, .level = 1, .server = TAKT_ROOT, .weight = 1}};
    takt_window_spec_t windows[] = {{TAKT_WINDOWS_TIME_DRIVEN, {0, slots, 2, 20}},
                                    {TAKT_WINDOWS_NONE, {0, NULL, 0, 0}}};
    takt_resource_spec_t resource = {.protocol = TAKT_PROTOCOL_SRP, .ceiling = 8, .server = TAKT_ROOT};
    takt_use_spec_t use = {1, 0};
    takt_thread_spec_t thread = {2};
    takt_change_spec_t changes[] = {{.instant = 3,
                                     .kind = TAKT_CHANGE_PARAMETERS,
                                     .task = 1,
                                     .period = 5,
                                     .relative_deadline = 5,
                                     .level = 1},
                                    {.instant = 4, .kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_fp}};
    takt_input_t input = {.instant = 3, .nominal = 3, .kind = TAKT_INPUT_CHANGE, .index = 1};
    for (uint32_t i = 0; i < 4; i++) {
        demands[i] = (takt_demands_t){demand_values, 2};
    }
    takt_program_t all = {.spec = {.policy = &takt_policy_edf,
                                   .levels = 2,
                                   .tasks = tasks,
                                   .task_count = 2,
                                   .threads = &thread,
                                   .thread_count = 1,
                                   .resources = &resource,
                                   .resource_count = 1,
                                   .uses = &use,
                                   .use_count = 1,
                                   .changes = changes,
                                   .change_count = 2,
                                   .windows = windows,
                                   .bulk = 3},
                          .demands = demands,
                          .inputs = &input,
                          .input_count = 1,
                          .rates = rates};
    all.spec.rates = &all.rates;
    takt_image_status_t status;
    const uint64_t count = write(&all, words);
    void *memory = read(words, count, &status);
    CHECK(memory != NULL);
    CHECK(write(&again, copy) == count && memcmp(words, copy, count * sizeof *words) == 0);
    CHECK(again.spec.rates->has_cuts && again.spec.windows[0].parameters.slots[1].start == 5);
    CHECK(again.spec.changes[1].policy == &takt_policy_fp && again.demands[3].values[1] == 1);
    free(memory);
}

static const takt_policy_t unknown = {.name = "unknown"};

static void what_is_in_no_table_cannot_be_written(void) {
    takt_program_t of_python = {.spec = {.policy = &unknown, .levels = 1}};
    uint64_t count;
    CHECK(takt_image_write(&of_python, NULL, 0, &count) == TAKT_IMAGE_UNKNOWN_POLICY);
}

static void other_files_are_no_images(void) {
    takt_image_status_t status;
    memset(words, 0, sizeof words);
    CHECK(read(words, WORDS, &status) == NULL && status == TAKT_IMAGE_NO_IMAGE);
    words[0] = TAKT_IMAGE_MAGIC;
    words[1] = TAKT_IMAGE_VERSION + 1;
    CHECK(read(words, WORDS, &status) == NULL && status == TAKT_IMAGE_OTHER_VERSION);
    CHECK(takt_image_message(status)[0] != 0);
}

int main(void) {
    check_sequences(check_random_program, SEQUENCES);
    rates_windows_and_changes_are_read_again();
    what_is_in_no_table_cannot_be_written();
    other_files_are_no_images();
    return check_report("test_image");
}
