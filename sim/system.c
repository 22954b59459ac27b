/* Builds a system in memory; see system.h. */
#include "sim/system.h"

#include "sim/windowed.h"

#include <stdlib.h>
#include <string.h>

enum { TIME_ROWS = 16, FIRST_RING = 4 };

/* What one dispatcher, the root or a server, wants. */
typedef struct house {
    const takt_policy_t *policy;
    uint32_t levels;
    uint32_t children;
    uint32_t order_rows;
    uint32_t time_rows;
} house_t;

/* One block of memory, given out in order; with `base` NULL it only counts. */
typedef struct arena {
    char *base;
    size_t used;
} arena_t;

static void *arena_take(arena_t *arena, size_t count, size_t size) {
    const size_t at = arena->used;
    arena->used += (count * size + 15u) & ~(size_t)15u;
    return arena->base != NULL ? arena->base + at : NULL;
}

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

static takt_ready_t make_levels(arena_t *arena, uint32_t levels) {
    takt_ready_t ready = {.order = TAKT_ORDER_LEVELS};
    ready.levels.depth = depth_for(levels);
    ready.levels.heads = arena_take(arena, levels, sizeof(takt_entity_t *));
    for (uint32_t row = 0; row + 1u < ready.levels.depth; row++) {
        const uint32_t words = (levels >> (5u * (ready.levels.depth - row - 1u))) + 1u;
        ready.levels.rows[row] = arena_take(arena, words, sizeof(uint32_t));
    }
    return ready;
}

static takt_ready_t make_ready(arena_t *arena, const house_t *house) {
    if (house->policy->order == TAKT_ORDER_LEVELS) {
        return make_levels(arena, house->levels + 1u);
    }
    return (takt_ready_t){
        .order = TAKT_ORDER_KEYS,
        .keys = {.slots = arena_take(arena, house->children, sizeof(takt_entity_t *))},
    };
}

static takt_timers_row_t *make_rows(arena_t *arena, const house_t *house) {
    return arena_take(arena, TAKT_TIMERS_ROWS(house->order_rows, house->time_rows),
                      sizeof(takt_timers_row_t));
}

static uint32_t entity_count(const takt_system_spec_t *spec) {
    return 1u + spec->server_count + spec->task_count + spec->thread_count;
}

static house_t house_of_root(const takt_system_spec_t *spec) {
    return (house_t){
        .policy = spec->policy,
        .levels = spec->levels,
        .children = spec->thread_count,
        .order_rows = spec->order_rows != 0 ? spec->order_rows : order_rows_for(entity_count(spec)),
        .time_rows = spec->time_rows != 0 ? spec->time_rows : TIME_ROWS,
    };
}

static house_t house_of_server(const takt_system_spec_t *spec, const takt_server_spec_t *server) {
    return (house_t){
        .policy = server->policy,
        .levels = server->levels,
        .order_rows = server->order_rows != 0 ? server->order_rows : order_rows_for(entity_count(spec)),
        .time_rows = server->time_rows != 0 ? server->time_rows : TIME_ROWS,
    };
}

/* houses[0] is the root's, houses[1 + i] server i's. */
static void describe_houses(const takt_system_spec_t *spec, house_t *houses) {
    houses[0] = house_of_root(spec);
    for (uint32_t i = 0; i < spec->server_count; i++) {
        houses[1u + i] = house_of_server(spec, &spec->servers[i]);
    }
    for (uint32_t i = 0; i < spec->server_count; i++) {
        houses[1 + spec->servers[i].parent].children++;
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        houses[1 + takt_system_place(spec, spec->tasks[i].server)].children++;
    }
}

static takt_server_t *home_of(takt_system_t *system, const takt_system_spec_t *spec, int32_t in) {
    const int32_t server = takt_system_place(spec, in);
    return server == TAKT_ROOT ? &system->dispatcher.root : &system->servers[server];
}

static void make_server(takt_system_t *system, arena_t *arena, const house_t *house, uint32_t index) {
    const takt_ready_t ready = make_ready(arena, house);
    takt_timers_row_t *rows = make_rows(arena, house);
    if (arena->base != NULL) {
        takt_server_init(&system->servers[index], house->policy, &ready, rows, house->order_rows,
                         house->time_rows);
    }
}

static bool is_global(const takt_system_spec_t *spec) { return spec->cpu_count > 0; }

static void make_root(takt_system_t *system, arena_t *arena, const takt_system_spec_t *spec,
                      const house_t *house) {
    const takt_ready_t ready = make_ready(arena, house);
    takt_timers_row_t *rows = make_rows(arena, house);
    if (arena->base != NULL) {
        takt_dispatcher_init(&system->dispatcher, house->policy, &ready, rows, house->order_rows,
                             house->time_rows, is_global(spec) ? system->cpus : &system->cpu,
                             is_global(spec) ? spec->cpu_count : 1u);
    }
}

/* After the root. */
static void make_global(takt_system_t *system, arena_t *arena, const takt_system_spec_t *spec) {
    takt_cpu_t **order = arena_take(arena, spec->cpu_count, sizeof(takt_cpu_t *));
    if (arena->base != NULL) {
        takt_global_init(&system->global, &system->dispatcher, order);
    }
}

static bool is_extended(const takt_task_spec_t *task) {
    return task->is_external || task->suspends || task->locks || task->changes ||
           task->on_miss != TAKT_ON_MISS_CONTINUE;
}

static size_t extension_count(const takt_system_spec_t *spec) {
    size_t count = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        count += is_extended(&spec->tasks[i]);
    }
    return count;
}

static size_t returning_count(const takt_system_spec_t *spec) {
    size_t count = 0;
    for (uint32_t i = 0; i < spec->server_count; i++) {
        count += spec->servers[i].kind != NULL && spec->servers[i].kind->has_returns;
    }
    return count;
}

/* Of a policy: the ready set of the root from then on. */
static void make_change(takt_system_t *system, arena_t *arena, const takt_change_spec_t *spec,
                        const house_t *root, uint32_t index) {
    house_t house = *root;
    takt_ready_t ready = {.order = TAKT_ORDER_LEVELS};
    if (spec->kind == TAKT_CHANGE_POLICY) {
        house.policy = spec->policy;
        ready = make_ready(arena, &house);
    }
    if (arena->base != NULL) {
        system->changes[index] = (takt_change_t){.kind = spec->kind, .policy = spec->policy, .ready = ready};
    }
}

static void lay_out(takt_system_t *system, arena_t *arena, const takt_system_spec_t *spec,
                    const house_t *houses) {
    system->servers = arena_take(arena, spec->server_count, sizeof(takt_server_t));
    system->levels = arena_take(arena, 1u + spec->server_count, sizeof(uint32_t));
    system->entities = arena_take(arena, spec->task_count, sizeof(takt_entity_t));
    system->threads = arena_take(arena, spec->thread_count, sizeof(takt_plain_t));
    system->waits = arena_take(arena, spec->thread_count, sizeof(takt_lock_wait_t));
    system->tasks = arena_take(arena, spec->task_count, sizeof(takt_task_t));
    system->extensions = arena_take(arena, system->extension_count, sizeof(takt_task_extension_t));
    system->resources = arena_take(arena, spec->resource_count, sizeof(takt_resource_t));
    system->resource_homes = arena_take(arena, spec->resource_count, sizeof(takt_server_t *));
    system->returns = arena_take(arena, returning_count(spec), sizeof(takt_server_returns_t));
    system->rates =
        spec->rates != NULL ? arena_take(arena, spec->task_count, sizeof(takt_rate_task_t)) : NULL;
    system->rate_shares = arena_take(arena, spec->resource_count, sizeof(takt_rate_share_t));
    system->rate_uses = arena_take(arena, spec->use_count, sizeof(takt_rate_use_t));
    system->windowed = arena_take(arena, system->windowed_count, sizeof(takt_windowed_t));
    system->cpus = is_global(spec) ? arena_take(arena, spec->cpu_count, sizeof(takt_cpu_t)) : NULL;
    make_root(system, arena, spec, &houses[0]);
    if (is_global(spec)) {
        make_global(system, arena, spec);
    }
    for (uint32_t i = 0; i < spec->server_count; i++) {
        make_server(system, arena, &houses[1u + i], i);
    }
    system->changes = arena_take(arena, spec->change_count, sizeof(takt_change_t));
    for (uint32_t i = 0; i < spec->change_count; i++) {
        make_change(system, arena, &spec->changes[i], &houses[0], i);
    }
}

/* A server without a dispatcher: nobody competes in it, and it never competes itself. */
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
        takt_dispatcher_add_server(&system->servers[i], home_of(system, spec, server->parent), &parameters);
    }
}

static bool grow_ring(takt_task_extension_t *extension) {
    const uint32_t capacity = extension->capacity != 0 ? 2u * extension->capacity : FIRST_RING;
    takt_arrival_t *ring = malloc(capacity * sizeof *ring);
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < extension->count; i++) {
        ring[i] = *takt_task_arrival(extension, i);
    }
    free(extension->arrivals);
    extension->arrivals = ring;
    extension->capacity = capacity;
    extension->first = 0;
    return true;
}

bool takt_system_reserve(takt_system_t *system, uint32_t index) {
    const takt_task_t *task = &system->tasks[index];
    return takt_task_has_room(task) || grow_ring(task->extension);
}

static bool make_extensions(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_task_extension_t *extension = system->extensions;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        if (!is_extended(task)) {
            continue;
        }
        extension->on_miss = task->on_miss;
        if (task->is_external && !grow_ring(extension)) {
            return false;
        }
        extension++;
    }
    return true;
}

static void add_rated_task(takt_system_t *system, uint32_t i, const takt_task_spec_t *task,
                           const takt_task_parameters_t *parameters) {
    takt_rate_based_add(&system->rate_based, &system->rates[i], &system->tasks[i], &system->entities[i],
                        parameters, task->weight, task->is_greedy);
    takt_rate_based_set_blocking(&system->rates[i], task->blocking);
    if (task->adapts) {
        takt_rate_based_adapt(&system->rates[i]);
    }
}

static void add_tasks(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_task_extension_t *extension = system->extensions;
    takt_windowed_t *windowed = system->windowed;
    takt_system_add_allocators(system, spec);
    if (spec->rates != NULL) {
        takt_rate_based_init(&system->rate_based, spec->rates, &system->dispatcher);
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        const takt_task_parameters_t parameters = {
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
            .extension = spec->rates != NULL ? &system->rates[i].extension
                         : is_extended(task) ? extension++
                                             : NULL,
        };
        if (spec->rates != NULL) {
            add_rated_task(system, i, task, &parameters);
            continue;
        }
        if (takt_system_has_windows(spec, i)) {
            takt_system_add_windowed(system, i, windowed++, &spec->windows[i], parameters);
            continue;
        }
        takt_dispatcher_add_task(&system->tasks[i], &system->entities[i], home_of(system, spec, task->server),
                                 &parameters);
    }
}

static void add_resources(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->resource_count; i++) {
        const takt_resource_spec_t *resource = &spec->resources[i];
        takt_resource_init(&system->resources[i], i, resource->protocol, resource->ceiling);
        system->resource_homes[i] = home_of(system, spec, resource->server);
        if (resource->is_shared) {
            takt_resource_share(&system->resources[i], &system->resources[resource->among],
                                home_of(system, spec, resource->server), resource->longest);
        }
    }
    if (spec->resource_count > 0) {
        takt_dispatcher_expect_locks(&system->dispatcher);
    }
}

static void add_uses(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_rate_based_set_shares(&system->rate_based, system->rate_shares);
    for (uint32_t i = 0; i < spec->use_count; i++) {
        takt_rate_based_use(&system->rates[spec->uses[i].task], &system->rate_uses[i],
                            &system->resources[spec->uses[i].resource]);
    }
}

static void describe_change(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index) {
    const takt_change_spec_t *from = &spec->changes[index];
    takt_change_t *to = &system->changes[index];
    if (from->kind != TAKT_CHANGE_POLICY) {
        to->entity = &system->entities[from->task];
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
        takt_dispatcher_set_changes(&system->dispatcher, system->changes, spec->change_count);
    }
}

static void add_threads(takt_system_t *system, const takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->thread_count; i++) {
        takt_dispatcher_add_thread(&system->threads[i], &system->dispatcher.root, spec->threads[i].level,
                                   1u + spec->server_count + spec->task_count + i);
    }
}

static bool build(takt_system_t *system, const takt_system_spec_t *spec, const house_t *houses) {
    arena_t arena = {NULL, 0};
    lay_out(system, &arena, spec, houses);
    arena = (arena_t){calloc(1, arena.used), 0};
    system->memory = arena.base;
    if (arena.base == NULL) {
        return false;
    }
    lay_out(system, &arena, spec, houses);
    if (!make_extensions(system, spec)) {
        return false;
    }
    for (uint32_t i = 0; i < 1u + spec->server_count; i++) {
        system->levels[i] = houses[i].levels;
    }
    add_changes(system, spec);
    add_servers(system, spec);
    add_tasks(system, spec);
    add_resources(system, spec);
    add_uses(system, spec);
    add_threads(system, spec);
    return takt_rules_create(&system->rules, system, spec);
}

bool takt_system_create(takt_system_t *system, const takt_system_spec_t *spec) {
    memset(system, 0, sizeof *system);
    if (entity_count(spec) > TAKT_ENTITY_LIMIT) {
        return false;
    }
    system->server_count = spec->server_count;
    system->task_count = spec->task_count;
    system->extension_count = (uint32_t)extension_count(spec);
    system->windowed_count = takt_system_count_windowed(spec);
    system->thread_count = spec->thread_count;
    system->resource_count = spec->resource_count;
    system->change_count = spec->change_count;
    house_t *houses = calloc(1u + spec->server_count, sizeof(house_t));
    if (houses == NULL) {
        return false;
    }
    describe_houses(spec, houses);
    const bool is_built = build(system, spec, houses);
    free(houses);
    if (!is_built) {
        takt_system_destroy(system);
    }
    return is_built;
}

void takt_system_destroy(takt_system_t *system) {
    for (uint32_t i = 0; system->memory != NULL && i < system->extension_count; i++) {
        free(system->extensions[i].arrivals);
    }
    takt_rules_destroy(&system->rules);
    free(system->memory);
    system->memory = NULL;
}

takt_entity_t *takt_system_entity(takt_system_t *system, uint32_t id) {
    const uint32_t first_task = 1u + system->server_count;
    const uint32_t first_thread = first_task + system->task_count;
    if (id == 0 || id >= first_thread + system->thread_count) {
        return NULL;
    }
    if (id >= first_thread) {
        return &system->threads[id - first_thread].entity;
    }
    return id < first_task ? &system->servers[id - 1u].entity : &system->entities[id - first_task];
}
