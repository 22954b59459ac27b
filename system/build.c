/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Builds a system in the caller's memory; see build.h.
 *
 * The memory is laid out twice in the same order: first to count, then to assign. All is written afterwards. */
#include "system/build.h"

#include "system/builders.h"

enum { TIME_ROWS = 16 };

static const takt_builder_t *const builders[] = {
    &takt_builder_rates,    &takt_builder_windows, &takt_builder_events,
    &takt_builder_periodic, &takt_builder_rules,
};

enum { BUILDERS = sizeof builders / sizeof *builders };

/* Returns the builder that makes task `index`, by its place. */
static uint32_t builder_of(const takt_system_spec_t *spec, uint32_t index) {
    uint32_t place = 0;
    while (builders[place]->takes != NULL && !builders[place]->takes(spec, index)) {
        place++;
    }
    return place;
}

/* The needs of one dispatcher, the root or a server. */
typedef struct house {
    int32_t place;
    const takt_policy_t *policy;
    uint32_t levels;
    uint32_t order_rows;
    uint32_t time_rows;
} house_t;

/* Where things go. */
typedef struct layout {
    takt_arena_t arena;
    const takt_system_spec_t *spec;
    uint32_t *children;    /* of the root, then of the servers; unknown as long as the arena only counts */
    takt_entity_t **slots; /* of heaps, that are left */
} layout_t;

static uint32_t order_rows_for(uint32_t entities) {
    uint32_t rows = 1;
    while ((UINT32_C(1) << (4u * rows - 2u)) < entities) {
        rows++;
    }
    return rows;
}

static uint32_t depth_for(uint32_t levels) {
    uint32_t depth = 1;
    while (((uint64_t)1 << (5u * depth)) < levels) {
        depth++;
    }
    return depth;
}

static bool is_keyed(const takt_policy_t *policy) { return policy->order == TAKT_ORDER_KEYS; }

static void make_levels(takt_ready_t *ready, takt_arena_t *arena, uint32_t levels) {
    ready->order = TAKT_ORDER_LEVELS;
    ready->levels.depth = depth_for(levels);
    ready->levels.heads = takt_arena_take(arena, levels, sizeof(takt_entity_t *));
    for (uint32_t row = 0; row + 1u < ready->levels.depth; row++) {
        const uint32_t words = (levels >> (5u * (ready->levels.depth - row - 1u))) + 1u;
        ready->levels.rows[row] = takt_arena_take(arena, words, sizeof(uint32_t));
    }
}

/* Returns where thread `index` competes. */
static int32_t place_of_thread(const takt_system_spec_t *spec, uint32_t index) {
    return takt_system_place(spec, (int32_t)spec->threads[index].server - 1);
}

static uint32_t threads_in(const takt_system_spec_t *spec, int32_t place) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        count += place_of_thread(spec, i) == place;
    }
    return count;
}

/* The tail of threads has one row of levels if the parent has no more, else all that they may have. */
static void make_keys(takt_ready_t *ready, layout_t *layout, const house_t *house, takt_entity_t **slots) {
    *ready = takt_ready_keyed(NULL);
    if (threads_in(layout->spec, house->place) > 0) {
        make_levels(ready, &layout->arena, house->levels < 32 ? 32u : TAKT_PLAIN_LEVELS_MOST + 1u);
    }
    ready->order = TAKT_ORDER_KEYS;
    ready->keys.slots = slots;
}

/* `ready` is zeroed. */
static void make_ready(takt_ready_t *ready, layout_t *layout, const house_t *house) {
    if (!is_keyed(house->policy)) {
        make_levels(ready, &layout->arena, house->levels + 1u);
        return;
    }
    make_keys(ready, layout, house, layout->slots);
    layout->slots = layout->slots != NULL ? layout->slots + layout->children[1 + house->place] : NULL;
}

static takt_timers_row_t *make_rows(layout_t *layout, const house_t *house) {
    return takt_arena_take(&layout->arena, TAKT_TIMERS_ROWS(house->order_rows, house->time_rows),
                           sizeof(takt_timers_row_t));
}

/* Below 2^32: the image and the binding check that. */
static uint64_t entity_count(const takt_system_spec_t *spec) {
    return UINT64_C(1) + spec->server_count + spec->task_count + spec->thread_count;
}

static uint32_t order_rows_of(const takt_system_spec_t *spec, uint32_t wanted) {
    return wanted != 0 ? wanted : order_rows_for((uint32_t)entity_count(spec));
}

static uint32_t time_rows_of(uint32_t wanted) { return wanted != 0 ? wanted : TIME_ROWS; }

/* ---- entities per dispatcher --------------------------------------------------------------------- */

static const takt_policy_t *policy_in(const takt_system_spec_t *spec, int32_t place) {
    return place == TAKT_ROOT ? spec->policy : spec->servers[place].policy;
}

/* Returns the number of entities of the system that compete in heaps. */
static uint64_t slot_count(const takt_system_spec_t *spec) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        count += is_keyed(policy_in(spec, spec->servers[i].parent));
    }
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        count += is_keyed(policy_in(spec, place_of_thread(spec, i)));
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += is_keyed(policy_in(spec, takt_system_place(spec, spec->tasks[i].server)));
    }
    return count;
}

static uint64_t root_children(const takt_system_spec_t *spec) {
    uint64_t count = threads_in(spec, TAKT_ROOT);
    for (uint32_t i = 0; i < spec->server_count; i++) {
        count += spec->servers[i].parent == TAKT_ROOT;
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += takt_system_place(spec, spec->tasks[i].server) == TAKT_ROOT;
    }
    return count;
}

static void count_children(uint32_t *children, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        children[1 + place_of_thread(spec, i)]++;
    }
    for (uint32_t i = 0; i < spec->server_count; i++) {
        children[1 + spec->servers[i].parent]++;
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        children[1 + takt_system_place(spec, spec->tasks[i].server)]++;
    }
}

/* ---- the root and the servers --------------------------------------------------------------------- */

static house_t house_of_root(const layout_t *layout) {
    const takt_system_spec_t *spec = layout->spec;
    return (house_t){
        .place = TAKT_ROOT,
        .policy = spec->policy,
        .levels = spec->levels,
        .order_rows = order_rows_of(spec, spec->order_rows),
        .time_rows = time_rows_of(spec->time_rows),
    };
}

static house_t house_of_server(const layout_t *layout, uint32_t index) {
    const takt_server_spec_t *server = &layout->spec->servers[index];
    return (house_t){
        .place = (int32_t)index,
        .policy = server->policy,
        .levels = server->levels,
        .order_rows = order_rows_of(layout->spec, server->order_rows),
        .time_rows = time_rows_of(server->time_rows),
    };
}

static takt_server_t *parent_of(takt_system_t *system, const takt_system_spec_t *spec, int32_t in) {
    const int32_t server = takt_system_place(spec, in);
    return server == TAKT_ROOT ? &system->dispatcher->root : &system->servers[server];
}

static void make_server(takt_system_t *system, layout_t *layout, uint32_t index) {
    const house_t house = house_of_server(layout, index);
    takt_ready_t ready = {.order = TAKT_ORDER_LEVELS};
    make_ready(&ready, layout, &house);
    takt_timers_row_t *rows = make_rows(layout, &house);
    if (layout->arena.base != NULL) {
        takt_server_init(&system->servers[index], house.policy, &ready, rows, house.order_rows,
                         house.time_rows);
    }
}

static uint32_t cpu_count(const takt_system_spec_t *spec) {
    return spec->cpu_count > 0 ? spec->cpu_count : 1u;
}

static void make_root(takt_system_t *system, layout_t *layout) {
    const house_t house = house_of_root(layout);
    takt_ready_t ready = {.order = TAKT_ORDER_LEVELS};
    make_ready(&ready, layout, &house);
    takt_timers_row_t *rows = make_rows(layout, &house);
    if (layout->arena.base != NULL) {
        takt_dispatcher_init(system->dispatcher, house.policy, &ready, rows, house.order_rows,
                             house.time_rows, system->cpus, cpu_count(layout->spec));
    }
}

/* ---- all memory -------------------------------------------------------------------------------------- */

static uint64_t returning_count(const takt_system_spec_t *spec) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        count += spec->servers[i].kind != NULL && spec->servers[i].kind->has_returns;
    }
    return count;
}

/* Of a policy: the ready set of the root from then on. */
static void make_change(takt_system_t *system, layout_t *layout, uint32_t index) {
    const takt_change_spec_t *spec = &layout->spec->changes[index];
    const house_t root = house_of_root(layout);
    takt_ready_t ready = {.order = TAKT_ORDER_LEVELS};
    if (spec->kind == TAKT_CHANGE_POLICY && !is_keyed(spec->policy)) {
        make_levels(&ready, &layout->arena, root.levels + 1u);
    } else if (spec->kind == TAKT_CHANGE_POLICY) {
        make_keys(&ready, layout, &root,
                  takt_arena_take(&layout->arena, root_children(layout->spec), sizeof(takt_entity_t *)));
    }
    if (layout->arena.base != NULL) {
        system->changes[index].kind = spec->kind;
        system->changes[index].policy = spec->policy;
        system->changes[index].ready = ready;
    }
}

/* Lays out what the caller does not provide. */
static void lay_out_places(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec) {
    if (system->dispatcher == NULL) {
        system->dispatcher = takt_arena_take(arena, 1, sizeof(takt_dispatcher_t));
    }
    if (system->cpus == NULL) {
        system->cpus = takt_arena_take(arena, cpu_count(spec), sizeof(takt_cpu_t));
    }
    if (system->entities == NULL) {
        system->entities = takt_arena_take(arena, spec->task_count, sizeof(takt_entity_t));
        system->stride = sizeof(takt_entity_t);
    }
    if (system->threads == NULL) {
        system->threads = takt_arena_take(arena, spec->thread_count, sizeof(takt_plain_t));
    }
    system->waits = takt_arena_take(arena, spec->thread_count, sizeof(takt_lock_wait_t));
}

static void lay_out_tables(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec) {
    system->servers = takt_arena_take(arena, spec->server_count, sizeof(takt_server_t));
    system->levels = takt_arena_take(arena, 1u + (uint64_t)spec->server_count, sizeof(uint32_t));
    system->tasks = takt_arena_take(arena, spec->task_count, sizeof(takt_task_t));
    system->resources = takt_arena_take(arena, spec->resource_count, sizeof(takt_resource_t));
    system->resource_parents = takt_arena_take(arena, spec->resource_count, sizeof(takt_server_t *));
    system->returns = takt_arena_take(arena, returning_count(spec), sizeof(takt_server_returns_t));
    system->changes = takt_arena_take(arena, spec->change_count, sizeof(takt_change_t));
}

static void lay_out_tasks(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec) {
    uint32_t counts[BUILDERS] = {0};
    for (uint32_t i = 0; i < spec->task_count; i++) {
        counts[builder_of(spec, i)]++;
    }
    for (uint32_t i = 0; i < BUILDERS; i++) {
        if (builders[i]->lay_out != NULL) {
            builders[i]->lay_out(system, arena, spec, counts[i]);
        }
    }
}

static void lay_out_dispatchers(takt_system_t *system, layout_t *layout) {
    const takt_system_spec_t *spec = layout->spec;
    layout->children = takt_arena_take(&layout->arena, 1u + spec->server_count, sizeof(uint32_t));
    layout->slots = takt_arena_take(&layout->arena, slot_count(spec), sizeof(takt_entity_t *));
    if (layout->children != NULL) {
        count_children(layout->children, spec);
    }
    make_root(system, layout);
    for (uint32_t i = 0; i < spec->server_count; i++) {
        make_server(system, layout, i);
    }
    for (uint32_t i = 0; i < spec->change_count; i++) {
        make_change(system, layout, i);
    }
}

static uint64_t lay_out(takt_system_t *system, const takt_system_spec_t *spec, char *base) {
    layout_t layout = {.arena = {base, 0}, .spec = spec};
    lay_out_places(system, &layout.arena, spec);
    lay_out_tables(system, &layout.arena, spec);
    lay_out_tasks(system, &layout.arena, spec);
    lay_out_dispatchers(system, &layout);
    return layout.arena.used;
}

/* ---- what goes in --------------------------------------------------------------------------------- */

/* Makes a server without a dispatcher: no entity competes in it, and it never competes itself. */
static void make_hollow(takt_server_t *server, const takt_server_spec_t *spec) {
    server->entity.attributes = TAKT_ATTRIBUTE_SERVER;
    server->capacity = spec->capacity;
    server->job.remaining = spec->capacity;
}

static void add_servers(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_server_returns_t *returns = system->returns;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        const takt_server_spec_t *server = &spec->servers[i];
        if (server->bandwidth != NULL) {
            make_hollow(&system->servers[i], server);
            continue;
        }
        const takt_server_parameters_t parameters = {
            .kind = server->kind,
            .period = server->period,
            .capacity = server->capacity,
            .offset = server->offset,
            .level = server->level,
            .id = 1u + i,
            .returns = server->kind->has_returns ? returns++ : NULL,
        };
        takt_dispatcher_add_server(&system->servers[i], parent_of(system, spec, server->parent), &parameters);
    }
}

void takt_system_add_task(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index,
                          const takt_task_parameters_t *parameters) {
    takt_dispatcher_add_task(&system->tasks[index], takt_system_entity_of(system, index),
                             parent_of(system, spec, spec->tasks[index].server), parameters);
}

static void begin_builders(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < BUILDERS; i++) {
        if (builders[i]->begin != NULL) {
            builders[i]->begin(system, spec);
        }
    }
}

static void end_builders(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < BUILDERS; i++) {
        if (builders[i]->end != NULL) {
            builders[i]->end(system, spec);
        }
    }
}

static void add_tasks(takt_system_t *system, const takt_system_spec_t *spec) {
    uint32_t numbers[BUILDERS] = {0};
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        takt_task_parameters_t parameters = {
            .period = task->period,
            .relative_deadline = task->relative_deadline,
            .wcet = task->wcet,
            .offset = task->offset,
            .level = task->level,
            .task_class = task->task_class,
            .preemption_key = task->preemption_key,
            .is_limited = task->is_limited,
            .is_absent = task->is_absent,
            .id = 1u + spec->server_count + i,
            .extension = NULL, /* all members: no call of memset */
        };
        const uint32_t builder = builder_of(spec, i);
        if (builders[builder]->add != NULL) {
            builders[builder]->add(system, spec, i, numbers[builder]++, &parameters);
        } else {
            takt_system_add_task(system, spec, i, &parameters);
        }
    }
}

static void add_resources(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->resource_count; i++) {
        const takt_resource_spec_t *resource = &spec->resources[i];
        takt_resource_init(&system->resources[i], i, resource->protocol, resource->ceiling);
        system->resource_parents[i] = parent_of(system, spec, resource->server);
        if (resource->is_shared) {
            takt_resource_share(&system->resources[i], &system->resources[resource->among],
                                parent_of(system, spec, resource->server), resource->longest);
        }
    }
    if (spec->resource_count > 0) {
        takt_dispatcher_expect_locks(system->dispatcher);
    }
}

static void describe_change(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index) {
    const takt_change_spec_t *from = &spec->changes[index];
    takt_change_t *to = &system->changes[index];
    if (from->kind == TAKT_CHANGE_POLICY) {
        to->level = spec->thread_count > 0 ? spec->threads[0].level : 0u;
    } else {
        to->entity = takt_system_entity_of(system, from->task);
        to->first = spec->tasks[from->task].offset;
        to->period = from->period;
        to->relative_deadline = from->relative_deadline;
        to->wcet = from->wcet;
        to->level = from->level;
        to->weight = from->weight;
        to->task_class = from->task_class;
    }
}

static void add_changes(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->change_count; i++) {
        describe_change(system, spec, i);
    }
    if (spec->change_count > 0) {
        takt_dispatcher_set_changes(system->dispatcher, system->changes, spec->change_count);
    }
}

static void add_threads(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        takt_dispatcher_add_thread(&system->threads[i],
                                   parent_of(system, spec, (int32_t)spec->threads[i].server - 1),
                                   spec->threads[i].level, 1u + spec->server_count + spec->task_count + i);
    }
}

uint64_t takt_system_size(takt_system_t *system, const takt_system_spec_t *spec) {
    if (entity_count(spec) > TAKT_ENTITY_LIMIT) {
        return 0;
    }
    system->server_count = spec->server_count;
    system->task_count = spec->task_count;
    system->thread_count = spec->thread_count;
    system->resource_count = spec->resource_count;
    system->change_count = spec->change_count;
    system->is_global = spec->cpu_count > 0;
    system->bytes = lay_out(system, spec, NULL);
    return system->bytes;
}

static void write_levels(takt_system_t *system, const takt_system_spec_t *spec) {
    system->levels[0] = spec->levels;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        system->levels[1u + i] = spec->servers[i].levels;
    }
}

void takt_system_build(takt_system_t *system, const takt_system_spec_t *spec, void *memory) {
    system->memory = memory;
    (void)lay_out(system, spec, memory);
    write_levels(system, spec);
    add_changes(system, spec);
    add_servers(system, spec);
    begin_builders(system, spec);
    add_tasks(system, spec);
    add_resources(system, spec);
    add_threads(system, spec);
    end_builders(system, spec);
}

takt_entity_t *takt_system_entity(takt_system_t *system, uint32_t id) {
    const uint32_t first_task = 1u + system->server_count;
    const uint32_t first_thread = first_task + system->task_count;
    if (id == 0 || id >= first_thread + system->thread_count) {
        return NULL;
    }
    if (id < first_task) {
        return &system->servers[id - 1u].entity;
    }
    return id < first_thread ? takt_system_entity_of(system, id - first_task)
                             : &system->threads[id - first_thread].entity;
}
