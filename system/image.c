/* Words of image.h.
 *
 * One function for each record says its fields, whether they are read or written: so both have one order. A function that
 * passes a field gives it back. After the first error nothing is written or read any more,
 * and every number is the least that it may be. */
#include "system/image.h"

#include "policy/table.h"
#include "system/arena.h"

/* Counts of the tables, in the header. */
typedef struct counts {
    uint32_t servers, tasks, items, threads, resources, uses, changes, windows, slots, demands, inputs;
    bool has_rates;
} counts_t;

typedef struct codec {
    uint64_t *words; /* NULL: they are only counted */
    uint64_t limit;
    uint64_t used;
    bool is_reading;
    takt_image_status_t status;
    takt_arena_t arena; /* when reading */
    counts_t counts;
    takt_system_spec_t *spec;
} codec_t;

#define TAKT_IMAGE_MESSAGE(name, message) message,

const char *takt_image_message(takt_image_status_t status) {
    static const char *const messages[] = {TAKT_IMAGE_STATUS_LIST(TAKT_IMAGE_MESSAGE)};
    return messages[status];
}

/* ---- words ---------------------------------------------------------------------------------------- */

static void fail(codec_t *codec, takt_image_status_t status) {
    if (codec->status == TAKT_IMAGE_OK) {
        codec->status = status;
    }
}

/* Whether the next word can be passed. */
static bool has_next(codec_t *codec) {
    if (codec->used >= codec->limit) {
        fail(codec, TAKT_IMAGE_WRONG_LENGTH);
    }
    return codec->status == TAKT_IMAGE_OK;
}

static uint64_t word(codec_t *codec, uint64_t value) {
    if (!has_next(codec)) {
        return 0;
    }
    const uint64_t at = codec->used++;
    if (codec->is_reading) {
        return codec->words[at];
    }
    if (codec->words != NULL) {
        codec->words[at] = value;
    }
    return value;
}

/* A number in least .. most. */
static uint64_t number(codec_t *codec, uint64_t value, uint64_t least, uint64_t most) {
    const uint64_t passed = word(codec, value);
    if (codec->status == TAKT_IMAGE_OK && (passed < least || passed > most)) {
        fail(codec, TAKT_IMAGE_WRONG_VALUE);
    }
    return codec->status == TAKT_IMAGE_OK ? passed : least;
}

static uint32_t small(codec_t *codec, uint32_t value, uint32_t least, uint32_t most) {
    return (uint32_t)number(codec, value, least, most);
}

static bool flag(codec_t *codec, bool value) { return number(codec, value, 0, 1) != 0; }

/* An index into a table of `count`. */
static uint32_t place(codec_t *codec, uint32_t value, uint32_t count) {
    if (count == 0) {
        fail(codec, TAKT_IMAGE_WRONG_VALUE);
        return 0;
    }
    return small(codec, value, 0, count - 1u);
}

/* A server, or the root. */
static int32_t home(codec_t *codec, int32_t value) {
    return (int32_t)number(codec, (uint64_t)((int64_t)value + 1), 0, codec->counts.servers) - 1;
}

/* A row of `size` bytes each, which is there if it is written. */
static void *table(codec_t *codec, const void *written, uint32_t count, size_t size) {
    return codec->is_reading ? takt_arena_take(&codec->arena, count, size) : (void *)(uintptr_t)written;
}

/* ---- places in the tables of this build ------------------------------------------------------------ */

/* One more than the place of `wanted`; 0 if it is NULL. */
static uint64_t rank_of(codec_t *codec, const void *wanted, const void *const *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (all[i] == wanted) {
            return i + 1u;
        }
    }
    if (wanted != NULL) {
        fail(codec, TAKT_IMAGE_UNKNOWN_POLICY);
    }
    return 0;
}

static const void *entry(codec_t *codec, const void *value, const void *const *all, size_t count) {
    const uint64_t rank = codec->is_reading ? 0u : rank_of(codec, value, all, count);
    const uint64_t passed = word(codec, rank);
    if (passed > count) {
        fail(codec, TAKT_IMAGE_UNKNOWN_POLICY);
        return NULL;
    }
    return passed > 0 ? all[passed - 1u] : NULL;
}

static const takt_policy_t *policy(codec_t *codec, const takt_policy_t *value) {
    return entry(codec, value, (const void *const *)takt_policies, takt_policy_count);
}

static const takt_policy_t *some_policy(codec_t *codec, const takt_policy_t *value) {
    const takt_policy_t *passed = policy(codec, value);
    if (passed == NULL) {
        fail(codec, TAKT_IMAGE_UNKNOWN_POLICY);
        return takt_policies[0];
    }
    return passed;
}

static bool has_levels(const takt_policy_t *policy) { return policy->order == TAKT_ORDER_LEVELS; }

/* A field is passed: written from where it is, or read to there. */
#define FIELD(field, passed)     \
    do {                         \
        if (codec->is_reading) { \
            (field) = (passed);  \
        } else {                 \
            (void)(passed);      \
        }                        \
    } while (0)

/* ---- records ---------------------------------------------------------------------------------------- */

enum { ROWS_MAX = 16, LEVELS_MAX = 1 << 20 };

static uint32_t levels_in(const codec_t *codec, int32_t in) {
    const int32_t at = takt_system_place(codec->spec, in);
    return at == TAKT_ROOT ? codec->spec->levels : codec->spec->servers[at].levels;
}

static const takt_policy_t *policy_in(const codec_t *codec, int32_t in) {
    const int32_t at = takt_system_place(codec->spec, in);
    return at == TAKT_ROOT ? codec->spec->policy : codec->spec->servers[at].policy;
}

/* A key among the children of `in`: a level where levels order. */
static takt_key_t key(codec_t *codec, takt_key_t value, int32_t in) {
    const uint64_t most = has_levels(policy_in(codec, in)) ? levels_in(codec, in) : TAKT_KEY_LEAST_URGENT;
    return number(codec, value, 0, most);
}

static void settings(codec_t *codec, takt_system_spec_t *spec) {
    FIELD(spec->policy, some_policy(codec, spec->policy));
    FIELD(spec->levels, small(codec, spec->levels, 1, LEVELS_MAX));
    FIELD(spec->order_rows, small(codec, spec->order_rows, 0, ROWS_MAX));
    FIELD(spec->time_rows, small(codec, spec->time_rows, 0, ROWS_MAX));
    FIELD(spec->bulk, small(codec, spec->bulk, 0, TAKT_CALLS_BULK));
    FIELD(spec->has_shares, flag(codec, spec->has_shares));
    FIELD(spec->share, (takt_share_variant_t)number(codec, spec->share, 0, TAKT_SHARE_WF2Q));
}

static void rate_settings(codec_t *codec, takt_rate_settings_t *rates) {
    FIELD(rates->beta, word(codec, rates->beta));
    FIELD(rates->sigma, word(codec, rates->sigma));
    FIELD(rates->grid, number(codec, rates->grid, 1, TAKT_RATE_LONGEST));
    FIELD(rates->rule, (takt_rate_rule_t)number(codec, rates->rule, 0, TAKT_RATE_NAIVE));
    FIELD(rates->estimate_jobs, small(codec, rates->estimate_jobs, 1, TAKT_RATE_JOBS));
    FIELD(rates->has_formula, flag(codec, rates->has_formula));
    FIELD(rates->has_background, flag(codec, rates->has_background));
    FIELD(rates->has_compression, flag(codec, rates->has_compression));
    FIELD(rates->has_cuts, flag(codec, rates->has_cuts));
}

static void server_record(codec_t *codec, takt_server_spec_t *server) {
    FIELD(server->kind,
          entry(codec, server->kind, (const void *const *)takt_server_kinds, takt_server_kind_count));
    FIELD(server->bandwidth, entry(codec, server->bandwidth, (const void *const *)takt_bandwidth_kinds,
                                   takt_bandwidth_kind_count));
    if ((server->kind == NULL) == (server->bandwidth == NULL)) {
        fail(codec, TAKT_IMAGE_UNKNOWN_POLICY);
    }
    FIELD(server->policy, some_policy(codec, server->policy));
    FIELD(server->period, number(codec, server->period, 1, TAKT_KEY_LEAST_URGENT));
    FIELD(server->capacity, number(codec, server->capacity, 1, server->period));
    FIELD(server->offset, word(codec, server->offset));
    FIELD(server->parent, home(codec, server->parent));
    FIELD(server->level, small(codec, server->level, 1, LEVELS_MAX));
    FIELD(server->levels, small(codec, server->levels, 1, LEVELS_MAX));
    FIELD(server->order_rows, small(codec, server->order_rows, 0, ROWS_MAX));
    FIELD(server->time_rows, small(codec, server->time_rows, 0, ROWS_MAX));
}

/* Where a server hangs is known once all of them are. */
static bool is_hung_up(const codec_t *codec, uint32_t index) {
    int32_t at = (int32_t)index;
    for (uint32_t depth = 0; depth <= codec->counts.servers && at != TAKT_ROOT; depth++) {
        at = codec->spec->servers[at].parent;
    }
    const takt_server_spec_t *server = &codec->spec->servers[index];
    return at == TAKT_ROOT && takt_system_place(codec->spec, server->parent) == server->parent &&
           server->level <= levels_in(codec, server->parent);
}

static void check_servers(codec_t *codec) {
    for (uint32_t i = 0; codec->is_reading && codec->status == TAKT_IMAGE_OK && i < codec->counts.servers;
         i++) {
        if (!is_hung_up(codec, i)) {
            fail(codec, TAKT_IMAGE_WRONG_VALUE);
        }
    }
}

static bool is_power_of_two(uint32_t value) { return value != 0 && (value & (value - 1u)) == 0; }

static void task_flags(codec_t *codec, takt_task_spec_t *task) {
    FIELD(task->is_limited, flag(codec, task->is_limited));
    FIELD(task->is_external, flag(codec, task->is_external));
    FIELD(task->suspends, flag(codec, task->suspends));
    FIELD(task->locks, flag(codec, task->locks));
    FIELD(task->is_absent, flag(codec, task->is_absent));
    FIELD(task->changes, flag(codec, task->changes));
    FIELD(task->adapts, flag(codec, task->adapts));
    FIELD(task->is_greedy, flag(codec, task->is_greedy));
}

static void task_record(codec_t *codec, takt_task_spec_t *task) {
    FIELD(task->server, home(codec, task->server));
    FIELD(task->level, small(codec, task->level, 1, levels_in(codec, task->server)));
    task_flags(codec, task);
    FIELD(task->period, number(codec, task->period, task->is_external ? 0 : 1, TAKT_KEY_LEAST_URGENT));
    FIELD(task->relative_deadline, number(codec, task->relative_deadline, 1, TAKT_KEY_LEAST_URGENT));
    FIELD(task->offset, word(codec, task->offset));
    FIELD(task->wcet, word(codec, task->wcet));
    FIELD(task->preemption_key, key(codec, task->preemption_key, task->server));
    FIELD(task->task_class, (takt_task_class_t)number(codec, task->task_class, 0, TAKT_CLASS_NONE));
    FIELD(task->on_miss, (takt_on_miss_t)number(codec, task->on_miss, 0, TAKT_ON_MISS_DROP));
    FIELD(task->events, small(codec, task->events, 0, task->is_external ? TAKT_RBE_EVENTS : 0));
    FIELD(task->interval, word(codec, task->interval));
    FIELD(task->weight, word(codec, task->weight));
    FIELD(task->blocking.longest, word(codec, task->blocking.longest));
    FIELD(task->blocking.excess, word(codec, task->blocking.excess));
    FIELD(task->ring, small(codec, task->ring, 0, UINT32_C(1) << 31));
    FIELD(task->body_count, small(codec, task->body_count, 0, codec->counts.items));
    const bool is_placed = takt_system_place(codec->spec, task->server) == task->server;
    if ((task->is_external && !is_power_of_two(task->ring)) || !(task->is_external || is_placed)) {
        fail(codec, TAKT_IMAGE_WRONG_VALUE);
    }
}

static bool names_resource(takt_item_kind_t kind) {
    return kind == TAKT_ITEM_LOCK || kind == TAKT_ITEM_UNLOCK;
}

static void item_record(codec_t *codec, takt_item_t *item) {
    FIELD(item->kind, (takt_item_kind_t)number(codec, item->kind, 0, TAKT_ITEM_UNLOCK));
    const uint64_t least = item->kind == TAKT_ITEM_RUN || item->kind == TAKT_ITEM_SUSPEND;
    FIELD(item->ticks, names_resource(item->kind)
                           ? place(codec, (uint32_t)item->ticks, codec->counts.resources)
                           : number(codec, item->ticks, least, TAKT_KEY_LEAST_URGENT));
}

static bool has_ceiling(const takt_resource_spec_t *resource) {
    return (uint32_t)resource->protocol < TAKT_PROTOCOLS && takt_protocols[resource->protocol]->has_ceiling;
}

static void resource_record(codec_t *codec, takt_resource_spec_t *resource) {
    FIELD(resource->server, home(codec, resource->server));
    FIELD(resource->protocol, (takt_protocol_t)number(codec, resource->protocol, 0, TAKT_PROTOCOLS - 1));
    FIELD(resource->ceiling, has_ceiling(resource) ? key(codec, resource->ceiling, resource->server)
                                                   : word(codec, resource->ceiling));
    FIELD(resource->is_shared, flag(codec, resource->is_shared));
    FIELD(resource->among, place(codec, resource->among, codec->counts.resources));
    FIELD(resource->longest, word(codec, resource->longest));
}

static void use_record(codec_t *codec, takt_use_spec_t *use) {
    FIELD(use->task, place(codec, use->task, codec->counts.tasks));
    FIELD(use->resource, place(codec, use->resource, codec->counts.resources));
}

static void change_record(codec_t *codec, takt_change_spec_t *change) {
    FIELD(change->instant, word(codec, change->instant));
    FIELD(change->kind, (takt_change_kind_t)number(codec, change->kind, 0, TAKT_CHANGE_POLICY));
    FIELD(change->policy, policy(codec, change->policy));
    if (change->kind == TAKT_CHANGE_POLICY) {
        if (change->policy == NULL) {
            fail(codec, TAKT_IMAGE_UNKNOWN_POLICY);
        }
        return;
    }
    FIELD(change->task, place(codec, change->task, codec->counts.tasks));
    FIELD(change->period, word(codec, change->period));
    FIELD(change->relative_deadline, number(codec, change->relative_deadline, 1, TAKT_KEY_LEAST_URGENT));
    FIELD(change->wcet, word(codec, change->wcet));
    FIELD(change->level,
          small(codec, change->level, 1, levels_in(codec, codec->spec->tasks[change->task].server)));
    FIELD(change->weight, word(codec, change->weight));
    FIELD(change->task_class, (takt_task_class_t)number(codec, change->task_class, 0, TAKT_CLASS_NONE));
}

static void window_record(codec_t *codec, takt_window_spec_t *window) {
    FIELD(window->kind, (takt_windows_t)number(codec, window->kind, 0, TAKT_WINDOWS - 1));
    FIELD(window->parameters.part, word(codec, window->parameters.part));
    FIELD(window->parameters.cycle, word(codec, window->parameters.cycle));
    FIELD(window->parameters.slot_count, small(codec, window->parameters.slot_count, 0, codec->counts.slots));
}

static void slot_record(codec_t *codec, takt_slot_t *slot) {
    FIELD(slot->start, word(codec, slot->start));
    FIELD(slot->length, number(codec, slot->length, 1, TAKT_KEY_LEAST_URGENT));
}

static void input_record(codec_t *codec, takt_input_t *input) {
    const counts_t *counts = &codec->counts;
    FIELD(input->instant, word(codec, input->instant));
    FIELD(input->nominal, word(codec, input->nominal));
    FIELD(input->kind, (takt_input_kind_t)number(codec, input->kind, 0, TAKT_INPUT_CHANGE));
    FIELD(input->index,
          place(codec, input->index, input->kind == TAKT_INPUT_CHANGE ? counts->changes : counts->tasks));
    const bool is_arrival = input->kind == TAKT_INPUT_ARRIVAL && codec->status == TAKT_IMAGE_OK;
    if (is_arrival && !codec->spec->tasks[input->index].is_external) {
        fail(codec, TAKT_IMAGE_WRONG_VALUE);
    }
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static void servers(codec_t *codec, takt_system_spec_t *spec) {
    takt_server_spec_t *table_of = table(codec, spec->servers, spec->server_count, sizeof *table_of);
    spec->servers = table_of;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        server_record(codec, &table_of[i]);
    }
    check_servers(codec);
}

static takt_task_spec_t *tasks(codec_t *codec, takt_system_spec_t *spec) {
    takt_task_spec_t *table_of = table(codec, spec->tasks, spec->task_count, sizeof *table_of);
    spec->tasks = table_of;
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < spec->task_count; i++) {
        task_record(codec, &table_of[i]);
    }
    return table_of;
}

static void body(codec_t *codec, takt_task_spec_t *task, takt_item_t *items) {
    if (codec->is_reading) {
        task->body = items;
    }
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < task->body_count; i++) {
        item_record(codec, &items[i]);
    }
}

/* As the counts of tasks say; they and the header agree. */
static void bodies(codec_t *codec, takt_task_spec_t *of, uint32_t count) {
    takt_item_t *items = table(codec, NULL, codec->counts.items, sizeof *items);
    uint32_t left = codec->counts.items;
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < count; i++) {
        if (of[i].body_count > left) {
            fail(codec, TAKT_IMAGE_WRONG_VALUE);
            return;
        }
        left -= of[i].body_count;
        body(codec, &of[i], codec->is_reading ? items : (takt_item_t *)(uintptr_t)of[i].body);
        items = codec->is_reading ? items + of[i].body_count : NULL;
    }
}

static void threads(codec_t *codec, takt_system_spec_t *spec) {
    takt_thread_spec_t *table_of = table(codec, spec->threads, spec->thread_count, sizeof *table_of);
    spec->threads = table_of;
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        FIELD(table_of[i].level, small(codec, table_of[i].level, 1, spec->levels));
    }
}

static void resources(codec_t *codec, takt_system_spec_t *spec) {
    takt_resource_spec_t *table_of = table(codec, spec->resources, spec->resource_count, sizeof *table_of);
    spec->resources = table_of;
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < spec->resource_count; i++) {
        resource_record(codec, &table_of[i]);
    }
    takt_use_spec_t *uses = table(codec, spec->uses, spec->use_count, sizeof *uses);
    spec->uses = uses;
    for (uint32_t i = 0; i < spec->use_count; i++) {
        use_record(codec, &uses[i]);
    }
}

static void changes(codec_t *codec, takt_system_spec_t *spec) {
    takt_change_spec_t *table_of = table(codec, spec->changes, spec->change_count, sizeof *table_of);
    spec->changes = table_of;
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < spec->change_count; i++) {
        change_record(codec, &table_of[i]);
    }
}

static void slots_of(codec_t *codec, takt_window_spec_t *window, takt_slot_t *slots) {
    if (codec->is_reading) {
        window->parameters.slots = slots;
    }
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < window->parameters.slot_count; i++) {
        slot_record(codec, &slots[i]);
    }
}

static void slots(codec_t *codec, takt_window_spec_t *windows, uint32_t count) {
    takt_slot_t *all = table(codec, NULL, codec->counts.slots, sizeof *all);
    uint32_t left = codec->counts.slots;
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < count; i++) {
        takt_window_parameters_t *of = &windows[i].parameters;
        if (of->slot_count > left) {
            fail(codec, TAKT_IMAGE_WRONG_VALUE);
            return;
        }
        left -= of->slot_count;
        slots_of(codec, &windows[i], codec->is_reading ? all : (takt_slot_t *)(uintptr_t)of->slots);
        all = codec->is_reading ? all + of->slot_count : NULL;
    }
}

static void windows(codec_t *codec, takt_system_spec_t *spec) {
    const uint32_t count = codec->counts.windows;
    takt_window_spec_t *table_of = table(codec, spec->windows, count, sizeof *table_of);
    FIELD(spec->windows, count > 0 ? table_of : NULL);
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < count; i++) {
        window_record(codec, &table_of[i]);
    }
    slots(codec, table_of, count);
}

/* The values stay where they are. */
static void demands_of(codec_t *codec, takt_demands_t *demands) {
    FIELD(demands->count, small(codec, demands->count, 1, UINT32_MAX));
    if (codec->is_reading) {
        demands->values = codec->words + codec->used;
    }
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < demands->count; i++) {
        (void)number(codec, demands->values[i], 1, UINT64_MAX);
    }
}

static void demands(codec_t *codec, takt_program_t *program) {
    const uint32_t count = codec->counts.demands;
    program->demands = table(codec, program->demands, count, sizeof *program->demands);
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < count; i++) {
        demands_of(codec, &program->demands[i]);
    }
}

static void inputs(codec_t *codec, takt_program_t *program) {
    program->inputs = table(codec, program->inputs, program->input_count, sizeof *program->inputs);
    for (uint32_t i = 0; codec->status == TAKT_IMAGE_OK && i < program->input_count; i++) {
        input_record(codec, &program->inputs[i]);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* None is more than the image has words: each element has at least one. */
static void count(codec_t *codec, uint32_t *value) {
    const uint64_t most = codec->is_reading ? codec->limit : UINT32_MAX;
    const uint32_t written = codec->is_reading ? 0 : *value;
    *value = small(codec, written, 0, (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX));
}

static void pass_counts(codec_t *codec, counts_t *counts) {
    count(codec, &counts->servers);
    count(codec, &counts->tasks);
    count(codec, &counts->items);
    count(codec, &counts->threads);
    count(codec, &counts->resources);
    count(codec, &counts->uses);
    count(codec, &counts->changes);
    count(codec, &counts->windows);
    count(codec, &counts->slots);
    count(codec, &counts->demands);
    count(codec, &counts->inputs);
    counts->has_rates = flag(codec, !codec->is_reading && counts->has_rates);
    const bool has_all = counts->windows == 0 || counts->windows == counts->tasks;
    if (!has_all || counts->demands != (uint64_t)counts->tasks + counts->changes) {
        fail(codec, TAKT_IMAGE_WRONG_VALUE);
    }
}

static void expect(codec_t *codec, uint64_t value, takt_image_status_t status) {
    if (word(codec, value) != value) {
        fail(codec, status);
    }
}

/* `length` is what the image says of itself. */
static void header(codec_t *codec, uint64_t *length, takt_instant_t *horizon) {
    expect(codec, TAKT_IMAGE_MAGIC, TAKT_IMAGE_NO_IMAGE);
    expect(codec, TAKT_IMAGE_VERSION, TAKT_IMAGE_OTHER_VERSION);
    *length = word(codec, *length);
    if (codec->is_reading && *length != codec->limit) {
        fail(codec, TAKT_IMAGE_WRONG_LENGTH);
    }
    FIELD(*horizon, word(codec, *horizon));
    pass_counts(codec, &codec->counts);
}

static void tables(codec_t *codec, takt_program_t *program) {
    takt_system_spec_t *spec = &program->spec;
    FIELD(program->tick_ns, word(codec, program->tick_ns));
    settings(codec, spec);
    if (codec->counts.has_rates) {
        rate_settings(codec, &program->rates);
        spec->rates = &program->rates;
    }
    servers(codec, spec);
    takt_task_spec_t *of = tasks(codec, spec);
    bodies(codec, of, spec->task_count);
    threads(codec, spec);
    resources(codec, spec);
    changes(codec, spec);
    windows(codec, spec);
    demands(codec, program);
    inputs(codec, program);
}

static void take_counts(takt_program_t *program, const counts_t *counts) {
    takt_system_spec_t *spec = &program->spec;
    spec->server_count = counts->servers;
    spec->task_count = counts->tasks;
    spec->thread_count = counts->threads;
    spec->resource_count = counts->resources;
    spec->use_count = counts->uses;
    spec->change_count = counts->changes;
    program->input_count = counts->inputs;
}

/* What `table` takes for all of them. */
static uint64_t bytes_for(const counts_t *counts) {
    takt_arena_t arena = {NULL, 0};
    (void)takt_arena_take(&arena, counts->servers, sizeof(takt_server_spec_t));
    (void)takt_arena_take(&arena, counts->tasks, sizeof(takt_task_spec_t));
    (void)takt_arena_take(&arena, counts->items, sizeof(takt_item_t));
    (void)takt_arena_take(&arena, counts->threads, sizeof(takt_thread_spec_t));
    (void)takt_arena_take(&arena, counts->resources, sizeof(takt_resource_spec_t));
    (void)takt_arena_take(&arena, counts->uses, sizeof(takt_use_spec_t));
    (void)takt_arena_take(&arena, counts->changes, sizeof(takt_change_spec_t));
    (void)takt_arena_take(&arena, counts->windows, sizeof(takt_window_spec_t));
    (void)takt_arena_take(&arena, counts->slots, sizeof(takt_slot_t));
    (void)takt_arena_take(&arena, counts->demands, sizeof(takt_demands_t));
    (void)takt_arena_take(&arena, counts->inputs, sizeof(takt_input_t));
    return arena.used;
}

static uint32_t count_items(const takt_system_spec_t *spec) {
    uint32_t items = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        items += spec->tasks[i].body_count;
    }
    return items;
}

static uint32_t count_slots(const takt_system_spec_t *spec) {
    uint32_t slots_in_all = 0;
    for (uint32_t i = 0; spec->windows != NULL && i < spec->task_count; i++) {
        slots_in_all += spec->windows[i].parameters.slot_count;
    }
    return slots_in_all;
}

static void make_counts(counts_t *counts, const takt_program_t *program) {
    const takt_system_spec_t *spec = &program->spec;
    counts->servers = spec->server_count;
    counts->tasks = spec->task_count;
    counts->items = count_items(spec);
    counts->threads = spec->thread_count;
    counts->resources = spec->resource_count;
    counts->uses = spec->use_count;
    counts->changes = spec->change_count;
    counts->windows = spec->windows != NULL ? spec->task_count : 0;
    counts->slots = count_slots(spec);
    counts->demands = spec->task_count + spec->change_count;
    counts->inputs = program->input_count;
    counts->has_rates = spec->rates != NULL;
}

/* Member by member: clearing it as a whole is a call of a library. The counts are written or read first of all. */
static void begin(codec_t *codec, uint64_t *words, uint64_t limit, bool is_reading,
                  takt_system_spec_t *spec) {
    codec->words = words;
    codec->limit = limit;
    codec->used = 0;
    codec->is_reading = is_reading;
    codec->status = TAKT_IMAGE_OK;
    codec->arena.base = NULL;
    codec->arena.used = 0;
    codec->spec = spec;
}

static void write_all(codec_t *codec, takt_program_t *program, uint64_t length) {
    make_counts(&codec->counts, program);
    header(codec, &length, &program->horizon);
    tables(codec, program);
}

takt_image_status_t takt_image_write(takt_program_t *program, uint64_t *words, uint64_t count,
                                     uint64_t *used) {
    codec_t codec;
    begin(&codec, NULL, UINT64_MAX, false, &program->spec);
    write_all(&codec, program, 0);
    *used = codec.used;
    if (words == NULL || codec.status != TAKT_IMAGE_OK) {
        return codec.status;
    }
    begin(&codec, words, count, false, &program->spec);
    write_all(&codec, program, *used);
    return codec.status;
}

/* Reads the header; the counts go into `codec`. */
static void open_image(codec_t *codec, takt_instant_t *horizon) {
    uint64_t length = 0;
    header(codec, &length, horizon);
}

takt_image_status_t takt_image_size(uint64_t *words, uint64_t count, uint64_t *bytes) {
    codec_t codec;
    takt_instant_t horizon = 0;
    begin(&codec, words, count, true, NULL);
    open_image(&codec, &horizon);
    *bytes = codec.status == TAKT_IMAGE_OK ? bytes_for(&codec.counts) : 0u;
    return codec.status;
}

takt_image_status_t takt_image_read(takt_program_t *program, uint64_t *words, uint64_t count, void *memory) {
    codec_t codec;
    begin(&codec, words, count, true, &program->spec);
    codec.arena.base = memory;
    open_image(&codec, &program->horizon);
    if (codec.status != TAKT_IMAGE_OK) {
        return codec.status;
    }
    take_counts(program, &codec.counts);
    tables(&codec, program);
    if (codec.status == TAKT_IMAGE_OK && codec.used != count) {
        fail(&codec, TAKT_IMAGE_WRONG_LENGTH);
    }
    return codec.status;
}
